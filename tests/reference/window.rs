//! Fixed window, sliding log and sliding counter from the whole history of what was counted.

use super::model::{Model, Verdict, ratio, whole};
use num_bigint::BigInt;
use num_rational::BigRational;

/// How a history is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    FixedClock,
    FixedFirst,
    Log,
    Counter { floor: bool },
}

/// Every counted request with its time, and the rule that reads them.
#[derive(Clone, Debug)]
pub(crate) struct History {
    pub(crate) rule: Rule,
    pub(crate) limit: BigInt,
    pub(crate) window: BigInt,
    pub(crate) epoch: BigInt,
    /// Whether denied requests go into the history.
    pub(crate) denied_too: bool,
    pub(crate) counted: Vec<(BigInt, BigInt)>,
    pub(crate) last: BigInt,
}

impl History {
    /// The number of the clock window of `time`.
    fn index(&self, time: &BigInt) -> BigInt {
        (time + &self.epoch) / &self.window
    }

    fn sum(&self, wanted: impl Fn(&BigInt) -> bool) -> BigInt {
        let wanted = self.counted.iter().filter(|(time, _)| wanted(time));
        wanted.map(|(_, cost)| cost).sum()
    }

    /// When the window that `now` lies in opened, for windows opened by a request.
    fn opened(&self, now: &BigInt) -> Option<BigInt> {
        let mut opened: Option<BigInt> = None;
        for (time, _) in &self.counted {
            if opened
                .as_ref()
                .is_none_or(|start| *time >= start + &self.window)
            {
                opened = Some(time.clone());
            }
        }
        opened.filter(|start| *now < start + &self.window)
    }

    /// What the rule finds used at `now`.
    fn used(&self, now: &BigInt) -> BigRational {
        match self.rule {
            Rule::FixedClock => {
                let index = self.index(now);
                whole(&self.sum(|time| self.index(time) == index))
            }
            Rule::FixedFirst => match self.opened(now) {
                None => ratio(0, 1),
                Some(start) => whole(&self.sum(|time| *time >= start)),
            },
            Rule::Log => {
                let edge = now - &self.window;
                whole(&self.sum(|time| *time > edge))
            }
            Rule::Counter { floor } => {
                let index = self.index(now);
                let elapsed = now + &self.epoch - &index * &self.window;
                let left = ratio(1, 1) - ratio(elapsed, self.window.clone());
                let before = &index - 1;
                let share = whole(&self.sum(|time| self.index(time) == before)) * left;
                let share = if floor { share.floor() } else { share };
                share + whole(&self.sum(|time| self.index(time) == index))
            }
        }
    }
}

impl Model for History {
    fn decide(&mut self, now: &BigInt, cost: &BigInt) -> Verdict {
        let verdict = self.ask(now, cost);
        if *cost == BigInt::ZERO || *cost > self.limit {
            return verdict;
        }
        self.last = now.max(&self.last).clone();
        if verdict.is_admitted() || self.denied_too {
            self.counted.push((self.last.clone(), cost.clone()));
        }
        verdict
    }

    fn charge(&mut self, now: &BigInt, cost: &BigInt) {
        self.last = now.max(&self.last).clone();
        self.counted.push((self.last.clone(), cost.clone()));
    }

    fn fork(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    fn ask(&self, now: &BigInt, cost: &BigInt) -> Verdict {
        let now = now.max(&self.last);
        if *cost == BigInt::ZERO || self.used(now) + whole(cost) <= whole(&self.limit) {
            Verdict::at_once()
        } else {
            Verdict::Deny
        }
    }
}
