//! Token bucket, leaky bucket and GCRA on rationals: units and nanoseconds as they stand in the
//! rules, nothing scaled.

use super::model::{Model, Verdict, ratio, whole};
use num_bigint::BigInt;
use num_rational::BigRational;

/// Tokens: level = min(capacity, level + Δt · rate).
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    pub(crate) capacity: BigInt,
    pub(crate) rate: BigRational,
    pub(crate) initial: BigInt,
    pub(crate) every: Option<BigInt>,
    /// Level, the key's first request, the last one.
    pub(crate) state: Option<(BigRational, BigInt, BigInt)>,
}

impl Tokens {
    fn refilled(&self, now: &BigInt) -> (BigRational, BigInt, BigInt) {
        let Some((level, first, last)) = &self.state else {
            return (whole(&self.initial), now.clone(), now.clone());
        };
        let now = now.max(last);
        let gained = match &self.every {
            None => whole(&(now - last)) * &self.rate,
            Some(every) => {
                let steps = |time: &BigInt| (time - first) / every;
                whole(&((steps(now) - steps(last)) * every)) * &self.rate
            }
        };
        let level = (level + gained).min(whole(&self.capacity));
        (level, first.clone(), now.clone())
    }
}

impl Model for Tokens {
    fn decide(&mut self, now: &BigInt, cost: &BigInt) -> Verdict {
        let verdict = self.ask(now, cost);
        if *cost == BigInt::ZERO || *cost > self.capacity {
            return verdict;
        }
        let (mut level, first, last) = self.refilled(now);
        if verdict.is_admitted() {
            level -= whole(cost);
        }
        self.state = Some((level, first, last));
        verdict
    }

    fn ask(&self, now: &BigInt, cost: &BigInt) -> Verdict {
        if *cost == BigInt::ZERO || self.refilled(now).0 >= whole(cost) {
            Verdict::at_once()
        } else {
            Verdict::Deny
        }
    }

    /// A bucket is never emptier than empty.
    fn charge(&mut self, now: &BigInt, cost: &BigInt) {
        let (level, first, last) = self.refilled(now);
        let level = (level - whole(cost)).max(ratio(0, 1));
        self.state = Some((level, first, last));
    }

    fn begin(&mut self, now: &BigInt) {
        if self.state.is_none() {
            self.state = Some(self.refilled(now));
        }
    }

    fn fork(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}

/// A backlog that leaks, continuously or one unit per tick.
#[derive(Clone, Debug)]
pub(crate) struct Leak {
    pub(crate) capacity: BigInt,
    pub(crate) rate: BigRational,
    pub(crate) queue: bool,
    pub(crate) ticks: bool,
    pub(crate) max_wait: Option<BigInt>,
    pub(crate) epoch: BigInt,
    pub(crate) backlog: BigRational,
    pub(crate) last: BigInt,
}

impl Leak {
    /// The number of the last tick at or before `now`: ticks are the whole multiples of 1/rate.
    fn tick(&self, now: &BigInt) -> BigInt {
        (whole(&(now + &self.epoch)) * &self.rate)
            .floor()
            .to_integer()
    }

    /// The first whole nanosecond at or after tick `number`.
    fn time_of_tick(&self, number: &BigInt) -> BigInt {
        (whole(number) / &self.rate).ceil().to_integer() - &self.epoch
    }

    /// Backlog and time.
    fn leaked(&self, now: &BigInt) -> (BigRational, BigInt) {
        let now = now.max(&self.last).clone();
        let gone = if self.ticks {
            whole(&(self.tick(&now) - self.tick(&self.last)))
        } else {
            whole(&(&now - &self.last)) * &self.rate
        };
        ((&self.backlog - gone).max(ratio(0, 1)), now)
    }

    /// How long a request at `now` waits for its turn; none for ever.
    fn wait(&self, backlog: &BigRational, now: &BigInt) -> Option<BigInt> {
        let stopped = self.rate == ratio(0, 1);
        if self.ticks {
            let turn = self.tick(now) + backlog.to_integer() + 1;
            return (!stopped).then(|| self.time_of_tick(&turn) - now);
        }
        if *backlog == ratio(0, 1) {
            return Some(BigInt::ZERO);
        }
        (!stopped).then(|| (backlog / &self.rate).ceil().to_integer())
    }
}

impl Model for Leak {
    fn decide(&mut self, now: &BigInt, cost: &BigInt) -> Verdict {
        let verdict = self.ask(now, cost);
        if *cost == BigInt::ZERO || *cost > self.capacity {
            return verdict;
        }
        (self.backlog, self.last) = self.leaked(now);
        if verdict.is_admitted() {
            self.backlog += whole(cost);
        }
        verdict
    }

    fn ask(&self, now: &BigInt, cost: &BigInt) -> Verdict {
        if *cost == BigInt::ZERO {
            return Verdict::at_once();
        }
        let (backlog, now) = self.leaked(now);
        if &backlog + whole(cost) > whole(&self.capacity) {
            return Verdict::Deny;
        }
        let wait = self.wait(&backlog, &now);
        let too_long = |limit: &BigInt| wait.as_ref().is_none_or(|wait| wait > limit);
        if self.max_wait.as_ref().is_some_and(too_long) {
            return Verdict::Deny;
        }
        if self.queue {
            Verdict::Admit(wait)
        } else {
            Verdict::at_once()
        }
    }

    /// A bucket is never fuller than full.
    fn charge(&mut self, now: &BigInt, cost: &BigInt) {
        (self.backlog, self.last) = self.leaked(now);
        let filled = &self.backlog + whole(cost);
        self.backlog = filled.min(whole(&self.capacity));
    }

    fn fork(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    /// Just before a tick the wait for it is shortest.
    fn moments(&self, from: &BigInt, to: &BigInt) -> Vec<BigInt> {
        if !self.ticks || self.max_wait.is_none() || self.rate == ratio(0, 1) {
            return Vec::new();
        }
        let mut from = from.max(&self.last).clone();
        let mut moments = Vec::new();
        loop {
            let tick = self.time_of_tick(&(self.tick(&from) + 1));
            if tick > *to {
                return moments;
            }
            moments.push(&tick - 1);
            from = tick;
            assert!(moments.len() < 1_000, "setups with this option are small");
        }
    }
}

/// A theoretical arrival time in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) burst: BigInt,
    pub(crate) rate: BigRational,
    pub(crate) due: BigRational,
    /// What was admitted, which is all that counts when the rate is 0.
    pub(crate) spent: BigInt,
}

impl Cells {
    fn interval(&self) -> Option<BigRational> {
        (self.rate != ratio(0, 1)).then(|| self.rate.recip())
    }
}

impl Model for Cells {
    fn decide(&mut self, now: &BigInt, cost: &BigInt) -> Verdict {
        let verdict = self.ask(now, cost);
        if verdict.is_admitted() && *cost != BigInt::ZERO {
            self.spent += cost;
            if let Some(interval) = self.interval() {
                self.due = self.due.clone().max(whole(now)) + interval * whole(cost);
            }
        }
        verdict
    }

    /// No further ahead of the clock than admissions bring it.
    fn charge(&mut self, now: &BigInt, cost: &BigInt) {
        let interval = self.interval().expect("charged at rates above 0 only");
        let now = whole(now);
        let most = &now + whole(&self.burst) * &interval;
        let due = self.due.clone().max(now) + interval * whole(cost);
        self.due = self.due.clone().max(due.min(most));
    }

    fn fork(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    fn ask(&self, now: &BigInt, cost: &BigInt) -> Verdict {
        let allowed = match self.interval() {
            _ if *cost == BigInt::ZERO => true,
            None => &self.spent + cost <= self.burst,
            Some(interval) => {
                let now = whole(now);
                let due = self.due.clone().max(now.clone());
                let tolerance = whole(&(&self.burst - 1)) * &interval;
                now >= due + whole(&(cost - 1)) * interval - tolerance
            }
        };
        if allowed {
            Verdict::at_once()
        } else {
            Verdict::Deny
        }
    }
}
