//! The queue of messages that requests over the limit go to, and its worker.

use super::super::lane::Course;
use super::super::over_limit::{OverLimit, Queueing};
use super::engine::Engine;
use super::said::{Aside, Said};
use crate::limiter::{Algorithm, Decision};
use crate::measure::{Measure, MessagesResult, Reason};
use crate::units::{Nanos, Retry, SimTime};

/// A queue before and during a run. What it knows of the messages in it are two numbers: they are taken at
/// instants that follow from the beginning of the worker's busy period alone.
pub(super) struct Messages {
    rule: Queueing,
    /// When the worker last began after having had nothing to do.
    begun: SimTime,
    /// Messages that came since then, and those of them that have been taken.
    came: u64,
    taken: u64,
    course: Course,
    measured: MessagesResult,
}

/// What a queue says to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is taken after this long.
    After(Nanos),
    /// There is none; the next message is taken, and makes room, after this long.
    None(Nanos),
}

impl Messages {
    fn new(rule: Queueing, course: &Course) -> Self {
        let has_series = course.measures.has(Measure::Series);
        let buckets = if has_series { course.grid.count() } else { 0 };
        Self {
            rule,
            begun: SimTime::ZERO,
            came: 0,
            taken: 0,
            course: course.clone(),
            measured: MessagesResult::new(rule.capacity, rule.drain, buckets),
        }
    }

    /// When the k-th message of the busy period is taken: k/r after its beginning, rounded up.
    fn takes(&self, k: u64) -> SimTime {
        // Both factors are below 2^40 and 2^85.
        let parts = u128::from(k) * self.rule.drain.nanos();
        let after = parts.div_ceil(self.rule.drain.units().into());
        self.begun.saturating_add(Nanos::from_wide(after))
    }

    /// The worker takes what is due by `now`.
    fn move_to(&mut self, now: SimTime) {
        let end = self.course.horizon;
        while self.taken < self.came {
            let at = self.takes(self.taken + 1);
            if at > now {
                return;
            }
            self.taken += 1;
            self.measured.taken += u64::from(at <= end);
            self.measured
                .depth
                .jump(at.as_nanos(), [-1], end.as_nanos());
        }
    }

    /// A request comes; what is due at this instant has been taken.
    fn offer(&mut self, now: SimTime) -> Place {
        self.move_to(now);
        let waiting = self.came - self.taken;
        if waiting == self.rule.capacity {
            self.measured.overflow += 1;
            if let Some(bucket) = self.course.grid.bucket(now)
                && let Some(count) = self.measured.overflows.get_mut(bucket)
            {
                *count += 1;
            }
            return Place::None(self.takes(self.taken + 1).since(now));
        }
        if waiting == 0 {
            (self.begun, self.came, self.taken) = (now, 0, 0);
        }
        self.came += 1;
        let wait = self.takes(self.came).since(now);
        let measured = &mut self.measured;
        measured.queued += 1;
        measured.depth_peak = measured.depth_peak.max(waiting + 1);
        measured.waits.add(wait);
        if let Some(bucket) = self.course.grid.bucket(now)
            && let Some(longest) = measured.longest.get_mut(bucket)
        {
            *longest = (*longest).max(Some(wait));
        }
        let end = self.course.horizon.as_nanos();
        measured.depth.jump(now.as_nanos(), [1], end);
        Place::After(wait)
    }

    /// Ends the run.
    pub(super) fn finish(mut self) -> MessagesResult {
        self.move_to(self.course.horizon);
        self.measured
    }
}

impl OverLimit {
    /// The queue of a run, where there is one.
    pub(super) fn messages(self, course: &Course) -> Option<Messages> {
        match self {
            Self::Drop => None,
            Self::Queue(rule) => Some(Messages::new(rule, course)),
        }
    }
}

impl<A: Algorithm> Engine<A> {
    /// What is said in the end to a request to which the limiter, or whoever stood in for it, said this.
    pub(super) fn settle(
        &mut self,
        said: &mut Said,
        reason: Option<Reason>,
        now: SimTime,
    ) -> Option<Reason> {
        let is_over = said.decision == Decision::Deny && !reason.is_some_and(Reason::is_error);
        match &mut self.messages {
            Some(messages) if is_over => Some(messages.settle(said, now)),
            _ => reason,
        }
    }
}

impl Messages {
    /// What is said to a request that is over the limit.
    fn settle(&mut self, said: &mut Said, now: SimTime) -> Reason {
        // Time helps even what can never pass the limiter.
        said.is_too_large = false;
        match self.offer(now) {
            Place::After(wait) => {
                said.decision = Decision::Delay(wait);
                if let Some(aside) = &mut said.aside {
                    aside.retell(said.decision, |_| None);
                }
                Reason::Queued
            }
            Place::None(room) => {
                let room = Retry::After(room.get().into());
                if let Some(aside) = &mut said.aside {
                    aside.retell(said.decision, |retry| Some(retry.min(room)));
                }
                Reason::Overflow
            }
        }
    }
}

impl Aside {
    /// What is told where the queue has the last word: when to come again follows from what the limiter
    /// would have told.
    fn retell(&mut self, decision: Decision, again: impl Fn(Retry) -> Option<Retry>) {
        self.retry = self.retry.and_then(&again);
        if let Some(record) = &mut self.record {
            record.decision = decision;
            record.retry = record.retry.and_then(again);
        }
    }
}
