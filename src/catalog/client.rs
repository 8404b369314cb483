//! The fields of a `client`.

use crate::workload::Field;

/// The fields of a client, in the order in which they are listed.
pub const CLIENT: &[Field] = &[
    Field {
        name: "retry",
        meaning: "what it does when it is refused: none, immediate, fixed, exponential, or retry_after, \
                  which waits as the answer says (required)",
    },
    Field {
        name: "wait",
        meaning: "of fixed: the pause (required there); of retry_after: the pause where an answer does \
                  not say (1s)",
    },
    Field {
        name: "spread",
        meaning: "of fixed and retry_after: up to this much is added, drawn anew for each retry (0s)",
    },
    Field {
        name: "base",
        meaning: "of exponential: the first wait (100ms)",
    },
    Field {
        name: "cap",
        meaning: "of exponential: the longest wait (20s, or the base where that is longer)",
    },
    Field {
        name: "factor",
        meaning: "of exponential: what each wait is multiplied by to give the next, from 1 to 1000 (2)",
    },
    Field {
        name: "jitter",
        meaning: "of exponential: what chance makes of a wait w: none, full (0 to w), equal (w/2 to w), \
                  or decorrelated (base to three times the wait before) (none)",
    },
    Field {
        name: "precision",
        meaning: "of retry_after: seconds, rounded up as the header has them, or exact (seconds)",
    },
    Field {
        name: "max_attempts",
        meaning: "attempts in all, the first included (10)",
    },
    Field {
        name: "give_up",
        meaning: "no attempt is made later than this after the first (never)",
    },
];
