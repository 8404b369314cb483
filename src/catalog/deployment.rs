//! The fields of `[[deployment]]`.

use crate::workload::Field;

/// The fields of a deployment, in the order in which they are listed.
pub const DEPLOYMENT: &[Field] = &[
    Field {
        name: "name",
        meaning: "its name in tables and charts (single or cluster; required where there are several)",
    },
    Field {
        name: "nodes",
        meaning: "how many nodes there are, those that join later included (1)",
    },
    Field {
        name: "routing",
        meaning: "how requests find a node: round_robin, random, sticky, or weighted (round_robin)",
    },
    Field {
        name: "weights",
        meaning: "of weighted: a whole number per node (required there)",
    },
    Field {
        name: "store",
        meaning: "where the state lives: local, central, synced, or leased (local)",
    },
    Field {
        name: "share",
        meaning: "of local: whole, or split, in which the nodes divide the limit (whole)",
    },
    Field {
        name: "access",
        meaning: "of central: atomic, read_then_write, or read_then_increment (atomic)",
    },
    Field {
        name: "sync_every",
        meaning: "of synced: the time from one exchange to the next (required there)",
    },
    Field {
        name: "batch",
        meaning: "of leased: units that a node asks for at a time (required there)",
    },
    Field {
        name: "rtt",
        meaning: "of central, leased and synced: the time of a round trip: a duration or a \
                  distribution (0s)",
    },
    Field {
        name: "timeout",
        meaning: "after how long an operation on what is down or slow has failed (none; required \
                  with an outage)",
    },
    Field {
        name: "on_store_failure",
        meaning: "of central and leased: fail_open, fail_closed, or local_fallback (fail_open)",
    },
    Field {
        name: "fallback_share",
        meaning: "of local_fallback: the share of the limit that each node then enforces (required \
                  there)",
    },
    Field {
        name: "outage",
        meaning: "list of { of = \"store\" or a node, from, to, loses_state, detected_after }",
    },
    Field {
        name: "slowdown",
        meaning: "list of { from, to, adds }: round trips grow by up to this much",
    },
    Field {
        name: "clock",
        meaning: "of central and leased: whose clock decides, store or node (store)",
    },
    Field {
        name: "skew",
        meaning: "how far each node's clock is ahead from the beginning on: a list (0s each)",
    },
    Field {
        name: "clock_step",
        meaning: "list of { of = \"store\" or a node, at, by }: a clock is set forward or back",
    },
    Field {
        name: "join",
        meaning: "list of { node, at }: a node that is not there before",
    },
    Field {
        name: "leave",
        meaning: "list of { node, at }: a node that is sent nothing from then on",
    },
    Field {
        name: "ttl",
        meaning: "when a key is forgotten: design (as soon as it is like a fresh one), none, or a \
                  duration (design)",
    },
    Field {
        name: "ttl_from",
        meaning: "of a duration: since the last write, or since creation (write)",
    },
    Field {
        name: "lost_expire",
        meaning: "a list of moments: the next key created from then on never expires",
    },
    Field {
        name: "client",
        meaning: "what clients do here that are refused: a table (the scenario's own)",
    },
    Field {
        name: "rules",
        meaning: "how it goes by the scenario's rules: { charge, reload_every, state, only = [names] } \
                  (as [rules] says)",
    },
    Field {
        name: "over_limit",
        meaning: "{ action = \"drop\" } or { action = \"queue\", capacity, drain_rate }: what \
                  becomes of what is over the limit (the file's [over_limit]; drop)",
    },
    Field {
        name: "placement",
        meaning: "where the limiter stands before the [backend]: middleware, gateway, client, or \
                  server (not modelled)",
    },
    Field {
        name: "hop",
        meaning: "of middleware and gateway: the latency that it adds to each request (required for \
                  middleware; 0s)",
    },
    Field {
        name: "bypass",
        meaning: "of client: the share of requests that go past the limiter (required there)",
    },
    Field {
        name: "bypass_by",
        meaning: "of client: whose requests do, those of all or of illegitimate traffic (all)",
    },
    Field {
        name: "deny_cost",
        meaning: "of server: the share of a request's service time that its denial takes (0.1)",
    },
];

/// The fields of `[over_limit]`, and of a deployment's own.
pub const OVER_LIMIT: &[Field] = &[
    Field {
        name: "action",
        meaning: "drop: refuse it; queue: let it wait as a message (drop)",
    },
    Field {
        name: "capacity",
        meaning: "of queue: how many messages may wait (required there)",
    },
    Field {
        name: "drain_rate",
        meaning: "of queue: messages worked off over time, such as \"5/s\" (required there)",
    },
];

/// The fields of `[backend]`.
pub const BACKEND: &[Field] = &[
    Field {
        name: "service_time",
        meaning: "how long a worker takes for a request: a duration or a distribution (required)",
    },
    Field {
        name: "workers",
        meaning: "how many requests it works on at a time (1)",
    },
    Field {
        name: "queue",
        meaning: "how many requests may wait; beyond that it answers 503 (as many as come)",
    },
];
