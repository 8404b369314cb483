//! Counts of decisions and sums of cost, over all keys and per key.

use super::amounts::Amounts;
use super::batch::{Answers, Columns, count};
use super::forwards::Verdicts;
use crate::units::{Cost, SimTime};

/// Counts of attempts and sums of cost. Where nobody tries again, each request is one attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests that came.
    pub requests: u64,
    /// Attempts at them, retries included.
    pub attempts: u64,
    /// Of these, admitted at once or later.
    pub allowed: u64,
    /// Of these, admitted later.
    pub delayed: u64,
    /// Refused by the limiter.
    pub denied: u64,
    /// Refused because the store or a node failed.
    pub errors: u64,
    /// Of the refused, for whatever reason, during an outage: those that the limit had room for.
    pub wrongly_refused: u64,
    /// Cost of all attempts.
    pub offered_cost: u128,
    /// Cost of the admitted ones.
    pub allowed_cost: u128,
    /// Allowed although that brought the cost forwarded in (f − w, f] above the limit.
    pub false_allow: u64,
    /// Denied although the cost forwarded in (t − w, t] left room for it.
    pub false_deny: u64,
    /// The most cost forwarded for one key in any half-open window of the limit's length.
    pub peak_in_window: u128,
    /// Of the refused, those that cost more than can ever be held: no wait helps them.
    pub too_large: u64,
    /// Attempts of traffic labelled legitimate.
    pub legitimate: u64,
    /// Of these, refused.
    pub legitimate_denied: u64,
    /// Attempts of traffic labelled as not legitimate.
    pub abusive: u64,
    /// Of these, admitted.
    pub abusive_allowed: u64,
}

/// One key's counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyTally {
    /// Requests that came.
    pub requests: u64,
    /// Attempts at them, retries included.
    pub attempts: u64,
    /// Admitted at once or later.
    pub allowed: u64,
    /// Refused by the limiter.
    pub denied: u64,
    /// Refused because the store or a node failed.
    pub errors: u64,
    /// The most cost forwarded in any half-open window of the limit's length.
    pub peak_in_window: u128,
    /// When the key was first refused.
    pub first_denied: Option<SimTime>,
}

impl Tally {
    /// Counts a batch of decisions of an algorithm that can hold `most` at the most. How many requests
    /// they belong to is filled in at the end.
    pub fn observe<A: Amounts>(
        &mut self,
        batch: &Columns,
        answers: &Answers,
        verdicts: &Verdicts<A>,
        most: Cost,
    ) {
        let attempts = batch.len() as u64;
        let allowed = count(&answers.admitted);
        self.attempts += attempts;
        self.allowed += allowed;
        let errors = count(&answers.failed);
        self.errors += errors;
        self.denied += attempts - allowed - errors;
        self.delayed += answers
            .waits
            .iter()
            .map(|wait| u64::from(*wait > 0))
            .sum::<u64>();
        let wrong = verdicts.wrong.iter().zip(&answers.admitted);
        let false_allow: u64 = wrong
            .map(|(wrong, admitted)| u64::from(*wrong & *admitted))
            .sum();
        self.false_allow += false_allow;
        self.false_deny += count(&verdicts.wrong) - false_allow;
        if !answers.failed.is_empty() {
            self.observe_failures(answers, &verdicts.wrong);
        }
        if batch.costs.is_empty() {
            self.offered_cost += u128::from(attempts);
            self.allowed_cost += u128::from(allowed);
            self.too_large += if most == 0 { attempts } else { 0 };
            return;
        }
        for (cost, admitted) in batch.costs.iter().zip(&answers.admitted) {
            self.offered_cost += u128::from(*cost);
            self.allowed_cost += u128::from(if *admitted { *cost } else { 0 });
            self.too_large += u64::from(*cost > most);
        }
    }

    /// Counts what was refused for failures: an error is no denial, nor a false one.
    fn observe_failures(&mut self, answers: &Answers, wrong: &[bool]) {
        let wrong = wrong.iter().zip(&answers.admitted);
        let refused = wrong.map(|(wrong, admitted)| *wrong && !admitted);
        let failures = answers.failed.iter().zip(&answers.in_outage);
        for (is_wrong, (failed, in_outage)) in refused.zip(failures) {
            self.false_deny -= u64::from(is_wrong && *failed);
            self.wrongly_refused += u64::from(is_wrong && *in_outage);
        }
    }

    /// Counts a batch of requests of traffic that ought, or ought not, to pass, as their marks say.
    pub fn observe_labelled(
        &mut self,
        batch: &Columns,
        answers: &Answers,
        labels: &[Option<bool>],
    ) {
        for (mark, admitted) in batch.marks.iter().zip(&answers.admitted) {
            match labels[*mark as usize] {
                None => {}
                Some(true) => {
                    self.legitimate += 1;
                    self.legitimate_denied += u64::from(!admitted);
                }
                Some(false) => {
                    self.abusive += 1;
                    self.abusive_allowed += u64::from(*admitted);
                }
            }
        }
    }

    /// Adds another shard's.
    pub fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.attempts += other.attempts;
        self.allowed += other.allowed;
        self.delayed += other.delayed;
        self.denied += other.denied;
        self.errors += other.errors;
        self.wrongly_refused += other.wrongly_refused;
        self.offered_cost += other.offered_cost;
        self.allowed_cost += other.allowed_cost;
        self.false_allow += other.false_allow;
        self.false_deny += other.false_deny;
        self.peak_in_window = self.peak_in_window.max(other.peak_in_window);
        self.too_large += other.too_large;
        self.legitimate += other.legitimate;
        self.legitimate_denied += other.legitimate_denied;
        self.abusive += other.abusive;
        self.abusive_allowed += other.abusive_allowed;
    }
}
