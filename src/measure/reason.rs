//! Why a request was answered otherwise than by the limiter's own decision.

/// What failed, and what was done about it; or what was done beside the limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The store failed, and the request was forwarded unmetered.
    FailOpen,
    /// The store failed, and the request was refused.
    FailClosed,
    /// The store failed, and the node decided by a state of its own.
    LocalFallback,
    /// The node that it was sent to was down.
    NodeDown,
    /// The node that had it in hand went down.
    NodeCrashed,
    /// There was no node to send it to.
    NoNode,
    /// It was over the limit and became a message.
    Queued,
    /// It was over the limit, and the queue of messages was full.
    Overflow,
    /// It went past the limiter.
    Bypass,
}

impl Reason {
    /// Its name in `timeline.csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FailOpen => "fail_open",
            Self::FailClosed => "fail_closed",
            Self::LocalFallback => "local_fallback",
            Self::NodeDown => "node_down",
            Self::NodeCrashed => "node_crashed",
            Self::NoNode => "no_node",
            Self::Queued => "queued",
            Self::Overflow => "overflow",
            Self::Bypass => "bypass",
        }
    }

    /// Whether something failed.
    pub const fn is_failure(self) -> bool {
        !matches!(self, Self::Queued | Self::Overflow | Self::Bypass)
    }

    /// Whether the request was refused without a decision, which is an error (status 503).
    pub const fn is_error(self) -> bool {
        matches!(
            self,
            Self::FailClosed | Self::NodeDown | Self::NodeCrashed | Self::NoNode
        )
    }
}
