//! Rules over time: what stands in their file, and what the limiter has read of it.

use super::RuleSet;
use crate::units::{Nanos, SimTime};
use std::sync::Arc;

/// What a limiter goes by over a run.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What their file holds, in order of time; the first from time 0 on, and valid. Rules that stand
    /// in the scenario itself are one version.
    pub versions: Vec<Version>,
    /// How often the file is read: at every whole multiple of it, 0 included. `None` for once.
    pub reload_every: Option<Nanos>,
    /// What becomes of states when a reading changes a rule.
    pub on_reload: OnReload,
    /// How several rules that apply to a request are charged.
    pub charge: Charge,
}

/// What a rules file holds from some time on.
#[derive(Clone, Debug)]
pub struct Version {
    /// The file, as the scenario names it; empty where the rules stand in the scenario.
    pub file: String,
    /// From when on.
    pub at: SimTime,
    /// The rules, or what is wrong with the file, with its place: a worker that reads it keeps the rules
    /// that it has.
    pub content: Result<Arc<RuleSet>, String>,
}

/// How several rules that apply to a request are charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charge {
    /// Nothing is charged unless all of them allow.
    #[default]
    All,
    /// Each is asked in its turn, and charged if it allows, until one denies.
    Each,
}

/// What becomes of the states of a rule whose limit or algorithm a reading changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnReload {
    /// What was used stays used.
    #[default]
    Kept,
    /// They are forgotten.
    Reset,
    /// The share that was used stays used.
    Converted,
}

/// A reading of the file that finds another version than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// When it is read; before a request that comes at the same instant.
    pub at: SimTime,
    /// The place of what is found in [`Rules::versions`].
    pub version: usize,
}

impl Rules {
    /// The rules at the beginning.
    pub fn first(&self) -> &Arc<RuleSet> {
        let first = self.versions.first().map(|version| &version.content);
        first
            .and_then(|content| content.as_ref().ok())
            .expect("the first version is valid")
    }

    /// The readings before `end` that find something new, in order of time, the one at time 0 included.
    /// A version that another replaces before it is read is not among them.
    pub fn loads(&self, end: SimTime) -> Vec<Load> {
        let mut loads: Vec<Load> = Vec::new();
        for (version, found) in self.versions.iter().enumerate() {
            let at = match self.reload_every {
                _ if found.at == SimTime::ZERO => SimTime::ZERO,
                None => continue,
                Some(every) => {
                    let readings = found.at.as_nanos().div_ceil(every.get());
                    SimTime::from_nanos(readings.saturating_mul(every.get()))
                }
            };
            if at >= end && at > SimTime::ZERO {
                break;
            }
            if loads.last().is_some_and(|last| last.at == at) {
                loads.pop();
            }
            loads.push(Load { at, version });
        }
        loads
    }

    /// When what stands in the file is not what the limiter goes by: from each change to the reading
    /// that takes it over, or to the end. A file that cannot be read as rules is never taken over.
    pub fn stale(&self, end: SimTime) -> Vec<(SimTime, SimTime)> {
        let loads = self.loads(end);
        let taken = |version: usize| {
            let load = loads.iter().find(|load| load.version >= version);
            let load = load.filter(|load| load.version == version);
            load.filter(|_| self.versions[version].content.is_ok())
                .map(|load| load.at)
        };
        let mut stale: Vec<(SimTime, SimTime)> = Vec::new();
        for (version, found) in self.versions.iter().enumerate() {
            let next = self.versions.get(version + 1).map_or(end, |next| next.at);
            let until = taken(version).unwrap_or(next).min(next).min(end);
            if found.at >= until {
                continue;
            }
            match stale.last_mut().filter(|(_, to)| *to == found.at) {
                Some((_, to)) => *to = until,
                None => stale.push((found.at, until)),
            }
        }
        stale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules whose file changes at these seconds, to something broken where that is said, and is read
    /// every so many seconds.
    fn rules(changes: &[(u64, bool)], every: Option<u64>) -> Rules {
        let version = |at: u64, is_valid: bool| Version {
            file: "rules.yaml".to_owned(),
            at: SimTime::ZERO + Nanos::from_secs(at),
            content: if is_valid {
                Ok(Arc::new(RuleSet { rules: Vec::new() }))
            } else {
                Err("broken".to_owned())
            },
        };
        let changes = changes.iter().map(|(at, is_valid)| version(*at, *is_valid));
        Rules {
            versions: std::iter::once(version(0, true)).chain(changes).collect(),
            reload_every: every.map(Nanos::from_secs),
            on_reload: OnReload::Kept,
            charge: Charge::All,
        }
    }

    fn seconds(at: SimTime) -> u64 {
        at.as_nanos() / 1_000_000_000
    }

    const END: u64 = 100;

    /// Changes, the time between readings, the readings that find something, and when the limiter goes
    /// by what no longer stands in the file; in seconds of a run of 100.
    #[track_caller]
    fn check(
        changes: &[(u64, bool)],
        every: Option<u64>,
        loads: &[(u64, usize)],
        stale: &[(u64, u64)],
    ) {
        let rules = rules(changes, every);
        let end = SimTime::ZERO + Nanos::from_secs(END);
        let found: Vec<_> = rules
            .loads(end)
            .iter()
            .map(|load| (seconds(load.at), load.version))
            .collect();
        assert_eq!(found, loads);
        let found: Vec<_> = rules
            .stale(end)
            .iter()
            .map(|(from, to)| (seconds(*from), seconds(*to)))
            .collect();
        assert_eq!(found, stale);
    }

    #[test]
    fn a_change_is_found_at_the_first_reading_at_or_after_it() {
        check(&[], None, &[(0, 0)], &[]);
        check(&[(33, true)], Some(10), &[(0, 0), (40, 1)], &[(33, 40)]);
        check(&[(40, true)], Some(10), &[(0, 0), (40, 1)], &[]);
        check(
            &[(1, true), (99, true)],
            Some(60),
            &[(0, 0), (60, 1)],
            &[(1, 60), (99, 100)],
        );
        check(&[(95, true)], Some(100), &[(0, 0)], &[(95, 100)]);
    }

    #[test]
    fn of_two_changes_between_readings_the_later_one_is_found() {
        check(
            &[(31, true), (35, true)],
            Some(10),
            &[(0, 0), (40, 2)],
            &[(31, 40)],
        );
        check(
            &[(31, true), (40, true)],
            Some(10),
            &[(0, 0), (40, 2)],
            &[(31, 40)],
        );
    }

    #[test]
    fn a_broken_file_is_found_and_never_taken_over() {
        check(&[(33, false)], Some(10), &[(0, 0), (40, 1)], &[(33, 100)]);
        check(
            &[(33, false), (55, true)],
            Some(10),
            &[(0, 0), (40, 1), (60, 2)],
            &[(33, 60)],
        );
        check(
            &[(33, true), (55, false), (58, true)],
            Some(10),
            &[(0, 0), (40, 1), (60, 3)],
            &[(33, 40), (55, 60)],
        );
    }
}
