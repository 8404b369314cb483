//! When states are forgotten: as soon as they are like fresh ones, after their lifetime, or never.

use super::super::said::Said;
use super::States;
use crate::limiter::Algorithm;
use crate::measure::{Clocked, Occupancy};
use crate::simulation::deployment::Ttl;
use crate::units::{Retry, SimTime};

impl<A: Algorithm> States<A> {
    /// Forgets a state whose time is over.
    pub(super) fn expire(&mut self, place: usize, now: Clocked) {
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
    pub(super) fn let_go(&mut self, place: usize, now: Clocked) {
        let is_kept = self.ttl != Ttl::Design || self.immortal.contains_key(&place);
        let is_live = |occupancy: &Occupancy| occupancy.is_live(place);
        if is_kept || !self.watch.occupancy.as_ref().is_some_and(is_live) {
            return;
        }
        let algorithm = match &self.algorithms[..] {
            [one] => one,
            many => &many[place % self.limiters],
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
    pub(super) fn clock(&self, place: usize, now: Clocked) -> Clocked {
        match self.stopped(place) {
            Some(made) => now.stopped(made),
            None => now,
        }
    }

    /// The time at which the clock stands still for a state, where it does.
    pub(super) fn stopped(&self, place: usize) -> Option<SimTime> {
        let made = self.standing.get(&place).or(self.immortal.get(&place));
        let made = made.filter(|_| self.algorithm(place).resets_by_expiry());
        made.copied()
    }

    /// A state goes back to fresh.
    pub(super) fn forget(&mut self, place: usize, now: Clocked) {
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

    /// After a state has changed: `was_fresh` says that it was made by this.
    pub(super) fn changed(&mut self, place: usize, now: Clocked, was_fresh: bool) {
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

    /// Where time stands still for a state, what was said of the time to come is that of its expiry.
    pub(super) fn await_expiry(&self, place: usize, at: SimTime, said: &mut Said) {
        if self.stopped(place).is_some() {
            said.await_expiry(self.until_expiry(place, at));
        }
    }

    /// When a state that only its expiry begins anew does so.
    pub(super) fn until_expiry(&self, place: usize, at: SimTime) -> Retry {
        let expires = self.expires.get(place).copied().unwrap_or_default();
        let is_lost = expires == 0 || self.immortal.contains_key(&place);
        match is_lost {
            true => Retry::Never,
            false => Retry::After(expires.saturating_sub(at.as_nanos()).into()),
        }
    }

    /// Whether it matters when a key is made.
    pub(super) fn dates(&self, place: usize) -> bool {
        !self.lost_expires.is_empty() || self.stands(place)
    }

    /// Whether a state begins anew only when it expires, and not as designed.
    pub(super) fn stands(&self, place: usize) -> bool {
        self.ttl != Ttl::Design && self.algorithm(place).resets_by_expiry()
    }

    /// Whether a state is held for ever although nothing depends on it any more.
    pub(super) fn is_leaked(&self, place: usize, end: Clocked) -> bool {
        let is_held = self.ttl == Ttl::None || self.immortal.contains_key(&place);
        let is_made = || self.states[place] != self.algorithm(place).fresh();
        is_held && is_made() && self.is_fresh(place, end)
    }
}
