//! The measures of clients that try again.

use super::list::{count, share};
use super::{Metric, Reading};
use crate::measure::{CandidateResult, ClientTally, ClientsResult};
use crate::units::SimTime;

/// What only clients have that may try again; absent where none of the run does.
fn of_clients(
    candidate: &CandidateResult,
    read: impl FnOnce(&ClientsResult, &ClientTally) -> Option<Reading>,
) -> Reading {
    let clients = candidate.clients();
    let reading = clients.and_then(|clients| read(clients, &clients.total()));
    reading.unwrap_or(Reading::Absent)
}

pub(super) const ATTEMPTS_PER_REQUEST: Metric = Metric {
    column: "attempts_per_request",
    heading: "attempts\nper req.",
    meaning: "attempts / requests",
    measure: None,
    read: |c, _| {
        of_clients(c, |_, all| {
            let (attempts, requests) = (all.attempts.into(), all.requests.into());
            Some(Reading::PerRequest(attempts, requests))
        })
    },
};

pub(super) const GOODPUT: Metric = Metric {
    column: "goodput",
    heading: "served in\nthe end",
    meaning: "share of the requests that was admitted in the end, by whatever attempt",
    measure: None,
    read: |c, _| of_clients(c, |_, all| Some(share(all.served, all.requests))),
};

pub(super) const WASTED_ATTEMPTS: Metric = Metric {
    column: "wasted_attempts",
    heading: "",
    meaning: "attempts that were not admitted",
    measure: None,
    read: |c, _| of_clients(c, |_, all| Some(count(all.wasted()))),
};

pub(super) const AMPLIFICATION: Metric = Metric {
    column: "amplification",
    heading: "",
    meaning: "the most attempts, over the most first attempts, in one of the windows of the limit's \
              length that follow each other from the beginning on",
    measure: None,
    read: |c, _| {
        of_clients(c, |clients, _| {
            let (attempts, firsts) = clients.busiest;
            Some(Reading::Ratio(attempts.into(), firsts.into()))
        })
    },
};

pub(super) const GIVEN_UP: Metric = Metric {
    column: "given_up",
    heading: "",
    meaning: "requests that their clients gave up",
    measure: None,
    read: |c, _| of_clients(c, |_, all| Some(count(all.given_up))),
};

pub(super) const UNFINISHED: Metric = Metric {
    column: "unfinished",
    heading: "",
    meaning: "requests that would have been tried again after the end of the run",
    measure: None,
    read: |c, _| of_clients(c, |_, all| Some(count(all.unfinished))),
};

pub(super) const DRAINED_S: Metric = Metric {
    column: "drained_s",
    heading: "last\nserved",
    meaning: "when the last request was forwarded, in seconds",
    measure: None,
    read: |c, _| {
        of_clients(c, |_, all| {
            let drained = all.drained?;
            Some(Reading::Time(drained.since(SimTime::ZERO)))
        })
    },
};

pub(super) const RETRY_HONESTY: Metric = Metric {
    column: "retry_honesty",
    heading: "honest",
    meaning: "of the attempts made just when the last answer told to, the share that was admitted",
    measure: None,
    read: |c, _| of_clients(c, |_, all| Some(share(all.as_told_admitted, all.as_told))),
};
