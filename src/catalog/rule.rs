//! The fields of `[[rule]]` and of `[rules]`.

use crate::workload::Field;

/// The fields of a rule, in the scenario as in a rules file, in the order in which they are listed.
pub const RULE: &[Field] = &[
    Field {
        name: "name",
        meaning: "its name in tables; states are kept over a change by it (methods and endpoint)",
    },
    Field {
        name: "endpoint",
        meaning: "a pattern such as /api/posts, /users/{id} or /api/** (**: every request)",
    },
    Field {
        name: "methods",
        meaning: "a method or a list of them (all)",
    },
    Field {
        name: "method",
        meaning: "another word for methods",
    },
    Field {
        name: "key",
        meaning: "what requests are counted by: client, ip, user, api_key, endpoint, method, a list of \
                  them, or global (client)",
    },
    Field {
        name: "ipv4_prefix",
        meaning: "of ip: how many leading bits of an address count (32)",
    },
    Field {
        name: "ipv6_prefix",
        meaning: "of ip: how many leading bits of an address count (64)",
    },
    Field {
        name: "limit",
        meaning: "such as \"5/1m\", or a whole number beside a window (required)",
    },
    Field {
        name: "window",
        meaning: "of a limit that is a whole number: a duration (required there)",
    },
    Field {
        name: "cost",
        meaning: "what each request takes from the limit (the request's own cost)",
    },
    Field {
        name: "algorithm",
        meaning: "a kind, or a table of its kind and parameters (each candidate's)",
    },
    Field {
        name: "default",
        meaning: "whether it applies only where no other rule does (false)",
    },
];

/// The fields of the table of all rules, in the order in which they are listed.
pub const RULES: &[Field] = &[
    Field {
        name: "charge",
        meaning: "all: nothing is charged unless all rules that apply allow; each: one after the \
                  other (all)",
    },
    Field {
        name: "file",
        meaning: "a rules file in YAML instead of [[rule]] (none)",
    },
    Field {
        name: "reload_every",
        meaning: "how often the file is read (once; required where it changes)",
    },
    Field {
        name: "change",
        meaning: "a list of { at, file }: what the file holds from then on",
    },
    Field {
        name: "state",
        meaning: "of rules that a change alters: kept, reset, or converted (kept)",
    },
];
