//! Every answer and every movement of the level, for runs small enough to be drawn request by
//! request.

use super::amounts::Amounts;
use super::forwards::Verdicts;
use super::{LevelLine, Record};
use crate::limiter::{Algorithm, Decision, Motion};
use crate::units::{Cost, SimTime};

/// Records of one candidate in one shard, in the order of its arrivals.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// The answers.
    pub records: Vec<Record>,
    /// The level lines by the key's slot within the shard.
    pub lines: Vec<LevelLine>,
    breaks: usize,
}

impl Recorder {
    /// The most breaks that the lines of a shard follow: a bucket that refills every nanosecond has
    /// more jumps than anyone can see. From there on a line goes from request to request.
    const MOST_BREAKS: usize = 1 << 18;

    /// Before a decision at `now`: draws the level from the key's last request up to here.
    pub fn before<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        slot: usize,
        now: SimTime,
    ) {
        if self.lines.len() <= slot {
            self.lines.resize_with(slot + 1, LevelLine::default);
        }
        let line = &mut self.lines[slot];
        let mut from = line.points.last().map_or(SimTime::ZERO, |(at, _)| *at);
        if line.points.is_empty() {
            line.points.push((from, algorithm.level(state, from)));
        }
        while self.breaks < Self::MOST_BREAKS {
            let Some(at) = algorithm.next_break(state, from).filter(|at| *at <= now) else {
                break;
            };
            Self::approach(algorithm, state, line, at);
            line.points.push((at, algorithm.level(state, at)));
            from = at;
            self.breaks += 1;
        }
        Self::approach(algorithm, state, line, now);
    }

    /// The level as it is when `at` is reached from the left.
    fn approach<A: Algorithm>(algorithm: &A, state: &A::State, line: &mut LevelLine, at: SimTime) {
        let Some(&(last, level)) = line.points.last() else {
            return;
        };
        if last < at {
            let before = match algorithm.motion() {
                Motion::Steps => level,
                Motion::Slopes => algorithm.level(state, at),
            };
            line.points.push((at, before));
        }
    }

    /// After a decision at `now`: notes the answer and the level's jump.
    pub fn after<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        slot: usize,
        (now, cost): (SimTime, Cost),
        decision: Decision,
    ) {
        let level = algorithm.level(state, now);
        self.lines[slot].points.push((now, level));
        self.records.push(Record {
            decision,
            reason: None,
            node: 0,
            answered: now,
            remaining: algorithm.remaining(state, now),
            retry: (decision == Decision::Deny).then(|| algorithm.retry_after(state, now, cost)),
            level,
            is_false: false,
        });
    }

    /// Notes the verdicts on the latest answers.
    pub fn judge<A: Amounts>(&mut self, verdicts: &Verdicts<A>) {
        let first = self.records.len() - verdicts.wrong.len();
        for (record, wrong) in self.records[first..].iter_mut().zip(&verdicts.wrong) {
            record.is_false = *wrong;
        }
    }

    /// Draws a key's level to the end of the run.
    pub fn finish<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        slot: usize,
        end: SimTime,
    ) {
        let begun = self
            .lines
            .get(slot)
            .is_some_and(|line| !line.points.is_empty());
        if begun {
            self.before(algorithm, state, slot, end);
        }
    }
}
