//! States of many keys behind one or several limiters, with what watches them and when they are
//! forgotten.

mod expiry;

use super::super::deployment::{Deployment, Ttl};
use super::super::lane::Course;
use super::said::{Manner, Said};
use crate::limiter::{Algorithm, Decision};
use crate::measure::{Clocked, LevelLine, LevelLines, Levels, Measure, Occupancy, Record};
use crate::units::{Cost, KeyId, Level, Nanos, Retry, SimTime};
use std::collections::{BTreeMap, VecDeque};

/// The states of all keys of one or several limiters. The states of one key stand side by side, in the
/// order of the limiters, so that keys can be added.
pub(super) struct States<A: Algorithm> {
    /// One for all, or one per limiter.
    algorithms: Vec<A>,
    limiters: usize,
    states: Vec<A::State>,
    /// By place, how often the state has been replaced or added to.
    versions: Vec<u32>,
    ttl: Ttl,
    /// By place, when a state is forgotten that has a lifetime; 0 where there is none.
    expires: Vec<u64>,
    /// How often a state was forgotten that was not yet like a fresh one.
    forgotten_early: u64,
    lost_expires: VecDeque<SimTime>,
    /// States that never expire though they should, and what the clock read when they were made.
    immortal: BTreeMap<usize, SimTime>,
    /// The same of states that begin anew only when they expire, where that is not as designed.
    standing: BTreeMap<usize, SimTime>,
    watch: Watch,
    /// Whether any client listens to when it is told to come again.
    clients_listen: bool,
    /// How long the keys' names are, where they are not the run's own keys.
    names: Option<Vec<usize>>,
    course: Course,
}

/// What looks at the states.
struct Watch {
    occupancy: Option<Occupancy>,
    /// By place, when a state was last touched, where occupancy is measured.
    touched: Vec<SimTime>,
    levels: Option<Levels>,
    lines: Option<LevelLines>,
    estimates: bool,
}

/// What becomes of a state when another limiter takes it over: the new one, the old one, the state, now.
pub(in crate::simulation) type Carry<A> =
    fn(&A, &A, &<A as Algorithm>::State, SimTime) -> <A as Algorithm>::State;

/// What is left of the states at the end of a run.
#[derive(Default)]
pub(super) struct Remains {
    pub(super) occupancy: Option<Occupancy>,
    pub(super) levels: Option<Levels>,
    pub(super) lines: Option<Vec<LevelLine>>,
    pub(super) leaked: u64,
    pub(super) forgotten_early: u64,
}

impl Remains {
    /// Adds what is left of other states; levels are those of the first.
    pub(super) fn add(&mut self, more: Self) {
        self.leaked += more.leaked;
        self.forgotten_early += more.forgotten_early;
        match (&mut self.occupancy, more.occupancy) {
            (Some(occupancy), Some(more)) => occupancy.merge(&more),
            (none, more) => *none = more.or(none.take()),
        }
        self.levels = self.levels.take().or(more.levels);
        self.lines = self.lines.take().or(more.lines);
    }
}

impl<A: Algorithm> States<A> {
    /// States of `limiters` limiters, with room for no key yet; whether anyone follows their levels.
    pub(super) fn new(
        algorithms: Vec<A>,
        limiters: usize,
        deployment: &Deployment,
        course: &Course,
        with_levels: bool,
    ) -> Self {
        let has = |measure| course.measures.has(measure);
        let occupancy = || Occupancy::keeping(course.instants, course.horizon);
        let fresh = algorithms[0].fresh();
        let estimates = algorithms[0].estimate(&fresh, SimTime::ZERO).is_some();
        let is_one = limiters == 1 && course.one_key && with_levels;
        Self {
            limiters,
            states: Vec::new(),
            versions: Vec::new(),
            ttl: deployment.ttl,
            expires: Vec::new(),
            forgotten_early: 0,
            lost_expires: deployment.lost_expires.iter().copied().collect(),
            immortal: BTreeMap::new(),
            standing: BTreeMap::new(),
            watch: Watch {
                occupancy: has(Measure::Memory).then(occupancy),
                touched: Vec::new(),
                levels: (is_one && has(Measure::Series)).then(|| Levels::new(course.grid)),
                lines: (course.with_timeline && with_levels).then(LevelLines::default),
                estimates: estimates && has(Measure::Estimate),
            },
            algorithms,
            clients_listen: deployment.clients_listen(),
            names: (!with_levels).then(Vec::new),
            course: course.clone(),
        }
    }

    /// Makes room for the states of `keys` keys, which begin fresh.
    pub(super) fn reach(&mut self, keys: usize) {
        let places = keys * self.limiters;
        if places <= self.states.len() {
            return;
        }
        let fresh = self.algorithms[0].fresh();
        self.states.resize(places, fresh);
        self.versions.resize(places, 0);
        if matches!(self.ttl, Ttl::AfterWrite(_) | Ttl::AfterCreation(_)) {
            self.expires.resize(places, 0);
        }
        if let Some(occupancy) = &mut self.watch.occupancy {
            occupancy.reach(places);
            self.watch.touched.resize(places, SimTime::ZERO);
        }
    }

    /// Makes room for a key of a rule, which may be new.
    pub(super) fn meet(&mut self, key: KeyId, name: usize) {
        let keys = key.0 as usize + 1;
        if let Some(names) = self.names.as_mut().filter(|names| names.len() < keys) {
            names.push(name);
            self.reach(keys);
        }
    }

    /// Takes over the keys of limiters that these ones follow; what becomes of a state, `carry` says, and
    /// without it all are forgotten. The clocks are those of the limiters.
    pub(super) fn succeed(
        &mut self,
        old: &mut Self,
        clock: impl Fn(usize) -> Clocked,
        carry: Option<Carry<A>>,
    ) {
        self.names = old.names.replace(Vec::new());
        self.reach(old.states.len() / self.limiters);
        let Some(carry) = carry else {
            return;
        };
        for place in 0..old.states.len() {
            let now = clock(place % self.limiters);
            let before = old.touch(place, now);
            if old.is_fresh(place, before) {
                continue;
            }
            let (is, was) = (self.algorithm(place), old.algorithm(place));
            let state = carry(is, was, &old.states[place], before.reading);
            self.write(place, now, state);
        }
    }

    /// The place of a key's state behind a limiter.
    pub(super) fn place(&self, limiter: usize, key: KeyId) -> usize {
        key.0 as usize * self.limiters + limiter
    }

    fn algorithm(&self, place: usize) -> &A {
        match &self.algorithms[..] {
            [one] => one,
            many => &many[place % self.limiters],
        }
    }

    /// The most that the limiters can hold, where they are not all alike.
    pub(super) fn level_bounds(&self) -> Vec<Cost> {
        match &self.algorithms[..] {
            [_] => Vec::new(),
            many => many.iter().map(Algorithm::level_bound).collect(),
        }
    }

    /// The most that a state can hold.
    pub(super) fn bound(&self, place: usize) -> Cost {
        self.algorithm(place).level_bound()
    }

    /// The version of a state.
    pub(super) fn version(&self, place: usize) -> u32 {
        self.versions[place]
    }

    /// Brings a state up to `now` before it is looked at: it may have expired, and for one that never
    /// does where it should, time stands still.
    fn touch(&mut self, place: usize, now: Clocked) -> Clocked {
        self.expire(place, now);
        let now = self.clock(place, now);
        self.let_go(place, now);
        let algorithm = match &self.algorithms[..] {
            [one] => one,
            many => &many[place % self.limiters],
        };
        let (state, watch) = (&self.states[place], &mut self.watch);
        if let Some(levels) = &mut watch.levels {
            levels.before(algorithm, state, now);
        }
        if let Some(lines) = &mut watch.lines {
            lines.before(algorithm, state, place, now);
        }
        now
    }

    /// All states of a limiter are lost.
    pub(super) fn lose(&mut self, limiter: usize, now: Clocked) {
        for place in (limiter..self.states.len()).step_by(self.limiters) {
            if self.states[place] != self.algorithm(place).fresh() {
                let now = self.touch(place, now);
                self.forget(place, now);
            }
        }
    }

    /// After a state was looked at or changed.
    fn watch(&mut self, place: usize, now: Clocked) {
        let algorithm = match &self.algorithms[..] {
            [one] => one,
            many => &many[place % self.limiters],
        };
        let (state, watch) = (&self.states[place], &mut self.watch);
        if let Some(occupancy) = &mut watch.occupancy {
            let name = || {
                let key = place / self.limiters;
                match &self.names {
                    Some(names) => names[key],
                    None => self.course.names[key].len(),
                }
            };
            occupancy.after(algorithm, state, place, name, now);
            watch.touched[place] = now.at;
        }
        if let Some(lines) = &mut watch.lines {
            lines.after(algorithm, state, place, now);
        }
    }

    /// Whether the limiter remembers a request that it answered so: not one of more than it can ever
    /// hold, even where it counts what it denies.
    fn is_kept(&self, place: usize, cost: Cost, decision: Decision) -> bool {
        let algorithm = self.algorithm(place);
        let counts = || algorithm.counts_denied() && cost <= algorithm.level_bound();
        cost > 0 && (decision.is_admitted() || counts())
    }

    /// Decides one request.
    pub(super) fn decide(&mut self, place: usize, now: Clocked, cost: Cost) -> Said {
        let now = self.touch(place, now);
        let was_fresh = self.dates(place) && self.is_fresh(place, now);
        let manner = self.manner();
        let (algorithm, state) = self.parts(place);
        let mut said = manner.ask(algorithm, state, now, cost);
        if self.is_kept(place, cost, said.decision) {
            self.changed(place, now, was_fresh);
        }
        self.await_expiry(place, now.at, &mut said);
        self.watch(place, now);
        said
    }

    fn is_fresh(&self, place: usize, now: Clocked) -> bool {
        self.algorithm(place)
            .is_fresh(&self.states[place], now.reading)
    }

    /// Decides one request on a copy of a state.
    pub(super) fn decide_on(
        &self,
        place: usize,
        state: &mut A::State,
        now: Clocked,
        cost: Cost,
    ) -> Said {
        let now = self.clock(place, now);
        let mut said = self.manner().ask(self.algorithm(place), state, now, cost);
        self.await_expiry(place, now.at, &mut said);
        said
    }

    const fn manner(&self) -> Manner {
        Manner {
            estimates: self.watch.estimates,
            records: self.course.with_timeline,
            retries: self.clients_listen,
        }
    }

    /// A state and what decides on it.
    fn parts(&mut self, place: usize) -> (&A, &mut A::State) {
        let algorithm = match &self.algorithms[..] {
            [one] => one,
            many => &many[place % self.limiters],
        };
        (algorithm, &mut self.states[place])
    }

    /// A state is asked for by a request of this cost.
    pub(super) fn look(&mut self, place: usize, now: Clocked, cost: Cost) -> Clocked {
        let now = self.touch(place, now);
        let (algorithm, state) = self.parts(place);
        if cost > 0 && cost <= algorithm.level_bound() {
            algorithm.look(state, now.reading);
            self.watch(place, now);
        }
        now
    }

    /// A copy of a state, read for a request of this cost, and the clock that goes with it.
    pub(super) fn read(&mut self, place: usize, now: Clocked, cost: Cost) -> (A::State, Clocked) {
        let now = self.look(place, now, cost);
        (self.states[place].clone(), now)
    }

    /// Replaces a state.
    pub(super) fn write(&mut self, place: usize, now: Clocked, state: A::State) {
        let now = self.touch(place, now);
        let was_fresh = self.dates(place) && self.is_fresh(place, now);
        self.states[place] = state;
        self.changed(place, now, was_fresh);
        self.watch(place, now);
    }

    /// Adds what was admitted elsewhere.
    pub(super) fn charge(
        &mut self,
        place: usize,
        now: Clocked,
        costs: impl IntoIterator<Item = Cost>,
    ) {
        let now = self.touch(place, now);
        for cost in costs {
            let was_fresh = self.dates(place) && self.is_fresh(place, now);
            let (algorithm, state) = self.parts(place);
            algorithm.charge(state, now.reading, cost);
            self.changed(place, now, was_fresh);
        }
        self.watch(place, now);
    }

    /// The most that a request could cost and be admitted.
    pub(super) fn remaining(&mut self, place: usize, now: Clocked) -> Cost {
        let now = self.touch(place, now);
        self.algorithm(place)
            .remaining(&self.states[place], now.reading)
    }

    /// When a request that was denied would be admitted.
    pub(super) fn retry_after(&self, place: usize, now: Clocked, cost: Cost) -> Retry {
        let reading = self.clock(place, now).reading;
        let algorithm = self.algorithm(place);
        match algorithm.retry_after(&self.states[place], reading, cost) {
            Retry::After(1..) if self.stopped(place).is_some() => self.until_expiry(place, now.at),
            retry => retry,
        }
    }

    /// What is kept of an answer that several limiters gave together, of which this one is told.
    pub(super) fn record(
        &self,
        place: usize,
        now: Clocked,
        cost: Cost,
        decision: Decision,
    ) -> Record {
        let now = self.clock(place, now);
        let (algorithm, state) = (self.algorithm(place), &self.states[place]);
        let mut record = Record::of(algorithm, state, now, cost, decision);
        if self.stopped(place).is_some() {
            record.await_expiry(self.until_expiry(place, now.at));
        }
        record
    }

    /// How much longer than `wait` it takes until a request would be admitted if nothing else came.
    pub(super) fn would_admit_after(
        &self,
        place: usize,
        now: Clocked,
        wait: u128,
        cost: Cost,
    ) -> Retry {
        let Ok(nanos) = u64::try_from(wait) else {
            // Beyond the end of the clock nothing is refilled that could be told.
            return Retry::After(0);
        };
        let (algorithm, state) = (self.algorithm(place), &self.states[place]);
        let then = now.reading.saturating_add(Nanos::new(nanos));
        if self.stopped(place).is_some() {
            return match self.retry_after(place, now, cost) {
                Retry::After(expires) => Retry::After(expires.saturating_sub(wait)),
                Retry::Never => Retry::Never,
            };
        }
        let is_admitted = |at| cost == 0 || cost <= algorithm.remaining(state, at);
        if is_admitted(then) {
            return Retry::After(0);
        }
        let retry = algorithm.retry_after(state, then, cost);
        let Retry::After(more) = retry else {
            return Retry::Never;
        };
        let more = u64::try_from(more).ok();
        let back = more.and_then(|more| then.as_nanos().checked_add(more));
        match back.map(SimTime::from_nanos) {
            // A bucket that begins with too little, and that nobody has asked yet, does not begin.
            Some(back) if !is_admitted(back) => Retry::Never,
            _ => retry,
        }
    }

    /// A state's level.
    pub(super) fn level(&self, place: usize, now: Clocked) -> Level {
        self.level_of(place, &self.states[place], now)
    }

    /// The level of a copy of a state.
    pub(super) fn level_of(&self, place: usize, state: &A::State, now: Clocked) -> Level {
        let reading = self.clock(place, now).reading;
        self.algorithm(place).level(state, reading)
    }

    /// Whether a request that was answered so has to be remembered by a write.
    pub(super) fn has_to_write(&self, cost: Cost, decision: Decision) -> bool {
        self.is_kept(0, cost, decision)
    }

    /// Ends the run at its horizon; `clock` is that of each limiter.
    pub(super) fn finish(mut self, clock: impl Fn(usize) -> Clocked) -> Remains {
        let mut leaked = 0;
        for place in 0..self.states.len() {
            let end = clock(place % self.limiters);
            self.expire(place, end);
            leaked += u64::from(self.is_leaked(place, end));
            let now = self.clock(place, end);
            self.let_go(place, now);
            let algorithm = self.algorithm(place).clone();
            if let Some(lines) = &mut self.watch.lines {
                lines.finish(&algorithm, &self.states[place], place, now);
            }
        }
        if let (Some(levels), Some(state)) = (&mut self.watch.levels, self.states.first()) {
            levels.finish(&self.algorithms[0], state, clock(0));
        }
        Remains {
            occupancy: self.watch.occupancy,
            levels: self.watch.levels,
            lines: self
                .watch
                .lines
                .map(|lines| by_limiter(lines.lines, self.limiters)),
            leaked,
            forgotten_early: self.forgotten_early,
        }
    }
}

/// Brings lines that stand side by side for each key into the order of the limiters.
fn by_limiter(lines: Vec<LevelLine>, limiters: usize) -> Vec<LevelLine> {
    let mut lines: Vec<_> = (0..).zip(lines).collect();
    lines.sort_by_key(|(place, _)| place % limiters);
    lines.into_iter().map(|(_, line)| line).collect()
}
