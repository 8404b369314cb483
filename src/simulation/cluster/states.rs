//! States of many keys behind one or several limiters, with what watches them and when they are
//! forgotten.

use super::super::deployment::{Deployment, Ttl};
use super::super::lane::Course;
use super::said::{Manner, Said};
use crate::limiter::{Algorithm, Decision};
use crate::measure::{Clocked, LevelLine, LevelLines, Levels, Measure, Occupancy};
use crate::units::{Cost, KeyId, Level, Retry, SimTime};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// The states of all keys of one or several limiters. A state's place is its key's number, after all
/// keys of the limiters before.
pub(super) struct States<A: Algorithm> {
    /// One for all, or one per limiter.
    algorithms: Vec<A>,
    keys: usize,
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

/// What is left of the states at the end of a run.
pub(super) struct Remains {
    pub(super) occupancy: Option<Occupancy>,
    pub(super) levels: Option<Levels>,
    pub(super) lines: Option<Vec<LevelLine>>,
    pub(super) leaked: u64,
    pub(super) forgotten_early: u64,
}

impl<A: Algorithm> States<A> {
    /// Fresh states of `limiters` limiters.
    pub(super) fn new(
        algorithms: Vec<A>,
        limiters: usize,
        deployment: &Deployment,
        course: &Course,
    ) -> Self {
        let keys = course.names.len();
        let places = keys * limiters;
        let has = |measure| course.measures.has(measure);
        let occupancy = || {
            let mut occupancy = Occupancy::keeping(course.instants, course.horizon);
            occupancy.reach(places);
            occupancy
        };
        let fresh = algorithms[0].fresh();
        let estimates = algorithms[0].estimate(&fresh, SimTime::ZERO).is_some();
        let has_lifetime = matches!(deployment.ttl, Ttl::AfterWrite(_) | Ttl::AfterCreation(_));
        Self {
            keys,
            states: vec![fresh; places],
            versions: vec![0; places],
            ttl: deployment.ttl,
            expires: vec![0; if has_lifetime { places } else { 0 }],
            forgotten_early: 0,
            lost_expires: deployment.lost_expires.iter().copied().collect(),
            immortal: BTreeMap::new(),
            standing: BTreeMap::new(),
            watch: Watch {
                occupancy: has(Measure::Memory).then(occupancy),
                touched: vec![SimTime::ZERO; if has(Measure::Memory) { places } else { 0 }],
                levels: (places == 1 && has(Measure::Series)).then(|| Levels::new(course.grid)),
                lines: course.with_timeline.then(LevelLines::default),
                estimates: estimates && has(Measure::Estimate),
            },
            algorithms,
            clients_listen: deployment.clients.as_ref().is_some_and(|it| it.listen()),
            course: course.clone(),
        }
    }

    /// The place of a key's state behind a limiter.
    pub(super) fn place(&self, limiter: usize, key: KeyId) -> usize {
        limiter * self.keys + key.0 as usize
    }

    fn algorithm(&self, place: usize) -> &A {
        match &self.algorithms[..] {
            [one] => one,
            many => &many[place / self.keys],
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
            many => &many[place / self.keys],
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

    /// Forgets a state whose time is over.
    fn expire(&mut self, place: usize, now: Clocked) {
        let expires = self.expires.get(place).copied().unwrap_or_default();
        let is_over = expires > 0 && expires <= now.at.as_nanos();
        if is_over && !self.immortal.contains_key(&place) {
            let then = now.when(SimTime::from_nanos(expires));
            self.forgotten_early += u64::from(!self.is_fresh(place, then));
            self.forget(place, self.clock(place, then));
        }
    }

    /// As designed, a state that has become like a fresh one is let go of. By a clock that was set, or
    /// where a write was long on its way, that may have been before it was last touched.
    fn let_go(&mut self, place: usize, now: Clocked) {
        let is_kept = self.ttl != Ttl::Design || self.immortal.contains_key(&place);
        let is_live = |occupancy: &Occupancy| occupancy.is_live(place);
        if is_kept || !self.watch.occupancy.as_ref().is_some_and(is_live) {
            return;
        }
        let algorithm = match &self.algorithms[..] {
            [one] => one,
            many => &many[place / self.keys],
        };
        let state = &self.states[place];
        if let Some(occupancy) = &mut self.watch.occupancy
            && algorithm.is_fresh(state, now.reading)
        {
            let since = algorithm.fresh_at(state).map(|since| now.instant(since));
            let since = since.unwrap_or(now.at).max(self.watch.touched[place]);
            occupancy.let_go(algorithm, place, since);
        }
    }

    /// The clock that decides on a state. It stands still for one that only its expiry would begin anew.
    fn clock(&self, place: usize, now: Clocked) -> Clocked {
        let made = self.standing.get(&place).or(self.immortal.get(&place));
        match made.filter(|_| self.algorithm(place).resets_by_expiry()) {
            Some(made) => Clocked::stopped(now.at, *made),
            None => now,
        }
    }

    /// A state goes back to fresh.
    fn forget(&mut self, place: usize, now: Clocked) {
        let algorithm = self.algorithm(place).clone();
        if let Some(occupancy) = &mut self.watch.occupancy
            && occupancy.is_live(place)
        {
            occupancy.let_go(&algorithm, place, now.at);
        }
        if let Some(lines) = &mut self.watch.lines {
            lines.before(&algorithm, &self.states[place], place, now);
        }
        self.states[place] = algorithm.fresh();
        self.versions[place] = self.versions[place].wrapping_add(1);
        if let Some(expires) = self.expires.get_mut(place) {
            *expires = 0;
        }
        self.immortal.remove(&place);
        self.standing.remove(&place);
        if let Some(lines) = &mut self.watch.lines {
            lines.after(&algorithm, &self.states[place], place, now);
        }
    }

    /// All states of a limiter are lost.
    pub(super) fn lose(&mut self, limiter: usize, now: Clocked) {
        let places = limiter * self.keys..(limiter + 1) * self.keys;
        self.lose_places(places, now);
    }

    fn lose_places(&mut self, places: Range<usize>, now: Clocked) {
        for place in places {
            if self.states[place] != self.algorithm(place).fresh() {
                let now = self.touch(place, now);
                self.forget(place, now);
            }
        }
    }

    /// After a state has changed: `was_fresh` says that it was made by this.
    fn changed(&mut self, place: usize, now: Clocked, was_fresh: bool) {
        self.versions[place] = self.versions[place].wrapping_add(1);
        if was_fresh && self.stands(place) {
            self.standing.insert(place, now.reading);
        }
        if was_fresh && self.lost_expires.front().is_some_and(|at| *at <= now.at) {
            self.lost_expires.pop_front();
            self.immortal.insert(place, now.reading);
        }
        let at = now.at;
        if let Some(expires) = self.expires.get_mut(place) {
            let lifetime = match self.ttl {
                Ttl::AfterWrite(lifetime) => Some(lifetime),
                Ttl::AfterCreation(lifetime) if *expires == 0 => Some(lifetime),
                _ => None,
            };
            if let Some(lifetime) = lifetime {
                *expires = at.saturating_add(lifetime).as_nanos();
            }
        }
    }

    /// After a state was looked at or changed.
    fn watch(&mut self, place: usize, now: Clocked) {
        let algorithm = match &self.algorithms[..] {
            [one] => one,
            many => &many[place / self.keys],
        };
        let (state, watch) = (&self.states[place], &mut self.watch);
        if let Some(occupancy) = &mut watch.occupancy {
            let name = || self.course.names[place % self.keys].len();
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
        if matches!(said.retry, Some(Retry::After(_))) && now.is_stopped() {
            said.retry = Some(self.until_expiry(place, now.at));
        }
        self.watch(place, now);
        said
    }

    /// When a state that only its expiry begins anew does so.
    fn until_expiry(&self, place: usize, at: SimTime) -> Retry {
        let expires = self.expires.get(place).copied().unwrap_or_default();
        let is_lost = expires == 0 || self.immortal.contains_key(&place);
        match is_lost {
            true => Retry::Never,
            false => Retry::After((expires - at.as_nanos()).into()),
        }
    }

    /// Whether it matters when a key is made.
    fn dates(&self, place: usize) -> bool {
        !self.lost_expires.is_empty() || self.stands(place)
    }

    /// Whether a state begins anew only when it expires, and not as designed.
    fn stands(&self, place: usize) -> bool {
        self.ttl != Ttl::Design && self.algorithm(place).resets_by_expiry()
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
        self.manner().ask(self.algorithm(place), state, now, cost)
    }

    const fn manner(&self) -> Manner {
        Manner {
            estimates: self.watch.estimates,
            records: self.course.with_timeline,
            retries: self.course.with_timeline || self.clients_listen,
        }
    }

    /// A state and what decides on it.
    fn parts(&mut self, place: usize) -> (&A, &mut A::State) {
        let algorithm = match &self.algorithms[..] {
            [one] => one,
            many => &many[place / self.keys],
        };
        (algorithm, &mut self.states[place])
    }

    /// A copy of a state, read for a request of this cost, and the clock that goes with it.
    pub(super) fn read(&mut self, place: usize, now: Clocked, cost: Cost) -> (A::State, Clocked) {
        let now = self.touch(place, now);
        let (algorithm, state) = self.parts(place);
        if cost > 0 && cost <= algorithm.level_bound() {
            algorithm.look(state, now.reading);
            self.watch(place, now);
        }
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
    pub(super) fn charge(&mut self, place: usize, now: Clocked, cost: Cost) {
        let now = self.touch(place, now);
        let was_fresh = self.dates(place) && self.is_fresh(place, now);
        let (algorithm, state) = self.parts(place);
        algorithm.charge(state, now.reading, cost);
        self.changed(place, now, was_fresh);
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
        let now = self.clock(place, now);
        self.algorithm(place)
            .retry_after(&self.states[place], now.reading, cost)
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
            let end = clock(place / self.keys);
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
            lines: self.watch.lines.map(|lines| lines.lines),
            leaked,
            forgotten_early: self.forgotten_early,
        }
    }

    /// Whether a state is held for ever although nothing depends on it any more.
    fn is_leaked(&self, place: usize, end: Clocked) -> bool {
        let is_held = self.ttl == Ttl::None || self.immortal.contains_key(&place);
        let is_made = || self.states[place] != self.algorithm(place).fresh();
        is_held && is_made() && self.is_fresh(place, end)
    }
}
