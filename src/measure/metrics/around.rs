//! The measures of what surrounds a limiter: messages over the limit, and the backend.

use super::list::count;
use super::{Metric, Reading};
use crate::measure::{BackendResult, CandidateResult, MessagesResult};

/// What only a queue of messages has.
fn of_messages(
    candidate: &CandidateResult,
    read: impl FnOnce(&MessagesResult) -> Option<Reading>,
) -> Reading {
    let messages = candidate.messages();
    messages.and_then(read).unwrap_or(Reading::Absent)
}

/// What only a backend has.
fn of_backend(
    candidate: &CandidateResult,
    read: impl FnOnce(&BackendResult) -> Option<Reading>,
) -> Reading {
    let backend = candidate.backend();
    backend.and_then(read).unwrap_or(Reading::Absent)
}

pub(super) const QUEUED: Metric = Metric {
    column: "queued",
    heading: "queued",
    meaning: "requests over the limit that became messages of a queue",
    measure: None,
    read: |c, _| of_messages(c, |messages| Some(count(messages.queued))),
};

pub(super) const OVERFLOW: Metric = Metric {
    column: "overflow",
    heading: "over-\nflow",
    meaning: "requests over the limit that were refused since that queue was full",
    measure: None,
    read: |c, _| of_messages(c, |messages| Some(count(messages.overflow))),
};

pub(super) const QUEUE_DEPTH_PEAK: Metric = Metric {
    column: "queue_depth_peak",
    heading: "",
    meaning: "the most messages that waited at one time",
    measure: None,
    read: |c, _| of_messages(c, |messages| Some(count(messages.depth_peak))),
};

pub(super) const QUEUE_WAIT_P50_S: Metric = Metric {
    column: "queue_wait_p50_s",
    heading: "",
    meaning: "wait of a message until it is taken, median, in seconds",
    measure: None,
    read: |c, _| {
        of_messages(c, |messages| {
            messages.waits.percentile(50).map(Reading::Time)
        })
    },
};

pub(super) const QUEUE_WAIT_P99_S: Metric = Metric {
    column: "queue_wait_p99_s",
    heading: "",
    meaning: "wait of a message until it is taken, 99th percentile, in seconds",
    measure: None,
    read: |c, _| {
        of_messages(c, |messages| {
            messages.waits.percentile(99).map(Reading::Time)
        })
    },
};

pub(super) const QUEUE_WAIT_MAX_S: Metric = Metric {
    column: "queue_wait_max_s",
    heading: "",
    meaning: "the longest wait of a message until it is taken, in seconds",
    measure: None,
    read: |c, _| {
        of_messages(c, |messages| {
            messages.waits.percentile(100).map(Reading::Time)
        })
    },
};

pub(super) const LEFT_IN_QUEUE: Metric = Metric {
    column: "left_in_queue",
    heading: "",
    meaning: "messages that still waited at the end of the run",
    measure: None,
    read: |c, _| of_messages(c, |messages| Some(count(messages.left()))),
};

pub(super) const BYPASSED: Metric = Metric {
    column: "bypassed",
    heading: "",
    meaning: "requests that went past the limiter",
    measure: None,
    read: |c, _| {
        let bypassed = |b: &BackendResult| b.is_client.then(|| count(b.bypassed));
        of_backend(c, bypassed)
    },
};

pub(super) const BACKEND_UTILISATION: Metric = Metric {
    column: "backend_utilisation",
    heading: "backend\nbusy",
    meaning: "share of its workers' time that the backend worked, within the run",
    measure: None,
    read: |c, run| {
        let whole = |b: &BackendResult| u128::from(b.workers) * u128::from(run.horizon.as_nanos());
        of_backend(c, |b| Some(Reading::Share(b.with.busy, whole(b))))
    },
};

pub(super) const RESPONSE_P50_S: Metric = Metric {
    column: "response_p50_s",
    heading: "",
    meaning: "from a client's attempt to the backend's answer, median, in seconds",
    measure: None,
    read: |c, _| of_backend(c, |b| b.with.responses.percentile(50).map(Reading::Time)),
};

pub(super) const RESPONSE_P99_S: Metric = Metric {
    column: "response_p99_s",
    heading: "response\np99",
    meaning: "from a client's attempt to the backend's answer, 99th percentile, in seconds",
    measure: None,
    read: |c, _| of_backend(c, |b| b.with.responses.percentile(99).map(Reading::Time)),
};

pub(super) const OVERLOADED: Metric = Metric {
    column: "overloaded",
    heading: "over-\nloaded",
    meaning: "requests that the backend answered 503 since too many waited",
    measure: None,
    read: |c, _| of_backend(c, |b| Some(count(b.with.overloaded))),
};

pub(super) const WASTED_WORK_SHARE: Metric = Metric {
    column: "wasted_work_share",
    heading: "",
    meaning: "share of the backend's work that was spent on denying requests",
    measure: None,
    read: |c, _| of_backend(c, |b| Some(Reading::Share(b.with.wasted, b.with.busy))),
};
