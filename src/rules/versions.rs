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
