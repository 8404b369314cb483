//! Every movement of levels, for runs small enough to be drawn request by request.

use super::{Clocked, LevelLine};
use crate::limiter::{Algorithm, Motion};
use crate::units::SimTime;

/// The levels of many states over time.
#[derive(Clone, Debug, Default)]
pub struct LevelLines {
    /// By slot.
    pub lines: Vec<LevelLine>,
    breaks: usize,
}

impl LevelLines {
    /// The most breaks that the lines of a shard follow: a bucket that refills every nanosecond has
    /// more jumps than anyone can see. From there on a line goes from request to request.
    const MOST_BREAKS: usize = 1 << 18;

    /// Before a state is touched: draws its level from the last time up to here.
    pub fn before<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        slot: usize,
        now: Clocked,
    ) {
        if self.lines.len() <= slot {
            self.lines.resize_with(slot + 1, LevelLine::default);
        }
        let line = &mut self.lines[slot];
        let mut from = line.points.last().map_or(SimTime::ZERO, |(at, _)| *at);
        if line.points.is_empty() {
            let level = algorithm.level(state, now.when(from).reading);
            line.points.push((from, level));
        }
        while self.breaks < Self::MOST_BREAKS {
            let next = algorithm.next_break(state, now.when(from).reading);
            let Some(at) = next.filter(|reading| *reading <= now.reading) else {
                break;
            };
            let at = now.instant(at);
            Self::approach(algorithm, state, line, now.when(at));
            line.points
                .push((at, algorithm.level(state, now.when(at).reading)));
            from = at;
            self.breaks += 1;
        }
        Self::approach(algorithm, state, line, now);
    }

    /// The level as it is when an instant is reached from the left.
    fn approach<A: Algorithm>(algorithm: &A, state: &A::State, line: &mut LevelLine, now: Clocked) {
        let Some(&(last, level)) = line.points.last() else {
            return;
        };
        if last < now.at {
            let before = match algorithm.motion() {
                Motion::Steps => level,
                Motion::Slopes => algorithm.level(state, now.reading),
            };
            line.points.push((now.at, before));
        }
    }

    /// After a state was touched: notes the level's jump.
    pub fn after<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        slot: usize,
        now: Clocked,
    ) {
        let level = algorithm.level(state, now.reading);
        self.lines[slot].points.push((now.at, level));
    }

    /// Draws a level to the end of the run.
    pub fn finish<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        slot: usize,
        end: Clocked,
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
