//! Where a limiter stands, and what is behind it.

use crate::units::{Nanos, Share};
use crate::workload::Distribution;

/// Where a limiter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Before the backend, in a process of its own: every request takes this much longer on its way there.
    Middleware {
        /// The latency that it adds.
        hop: Nanos,
    },
    /// In a gateway that requests pass anyway: what it adds is often nothing.
    Gateway {
        /// The latency that it adds.
        hop: Nanos,
    },
    /// In the client, which may leave it out.
    Client(Bypassing),
    /// In the backend itself, whose workers also answer what is denied.
    Server {
        /// The share of a request's service time that its denial takes.
        deny_cost: Share,
    },
}

/// Requests that go past the limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bypassing {
    /// Which share of them, each by a draw of its own.
    pub share: Share,
    /// Whether only requests labelled as not legitimate do.
    pub only_illegitimate: bool,
}

impl Placement {
    /// How much longer each request takes on its way to the backend.
    pub const fn hop(self) -> Nanos {
        match self {
            Self::Middleware { hop } | Self::Gateway { hop } => hop,
            Self::Client(_) | Self::Server { .. } => Nanos::ZERO,
        }
    }
}

/// A backend: equal workers and one queue before them, first come, first served.
#[derive(Clone, Debug)]
pub struct Backend {
    /// How many requests it works on at a time, at least 1.
    pub workers: u32,
    /// How long a worker takes for a request, in nanoseconds.
    pub service_time: Distribution,
    /// How many requests may wait for a worker; beyond that it answers 503 at once, which takes it nothing.
    /// `None` for as many as come.
    pub queue: Option<u64>,
}
