//! Slow, plain models of the algorithms in floating point, for pictures in tests only.

use crate::limiter::Decision;
use crate::units::{Level, Nanos};

/// One key's state in a model: admitted (time, cost), and a level with its time.
#[derive(Clone, Default)]
pub(super) struct State {
    counted: Vec<(f64, f64)>,
    level: f64,
    last: f64,
}

impl State {
    /// Before the first request; `n` is the limit.
    pub(super) fn fresh(kind: &str, n: f64) -> Self {
        Self {
            level: if kind == "token_bucket" { n } else { 0.0 },
            ..Self::default()
        }
    }
}

/// Level before a decision at `t`, by kind.
pub(super) fn level(kind: &str, state: &State, t: f64, (n, w): (f64, f64)) -> f64 {
    let counted = |from: f64, to: f64| -> f64 {
        let inside = state
            .counted
            .iter()
            .filter(|(at, _)| *at >= from && *at < to);
        inside.map(|(_, cost)| cost).sum()
    };
    let start = (t / w).floor() * w;
    match kind {
        "token_bucket" => (state.level + (t - state.last) * n / w).min(n),
        "leaky_bucket" | "gcra" => (state.level - (t - state.last) * n / w).max(0.0),
        "fixed_window" => counted(start, f64::INFINITY),
        "sliding_window_log" => counted(t - w + 1e-9, f64::INFINITY),
        _ => {
            let share = 1.0 - (t - start) / w;
            counted(start - w, start) * share + counted(start, f64::INFINITY)
        }
    }
}

pub(super) fn decide(
    kind: &str,
    state: &mut State,
    t: f64,
    cost: f64,
    limit: (f64, f64),
) -> Decision {
    let (n, w) = limit;
    let held = level(kind, state, t, limit);
    let is_bucket = matches!(kind, "token_bucket" | "leaky_bucket" | "gcra");
    if is_bucket {
        (state.level, state.last) = (held, t);
    }
    let fits = if kind == "token_bucket" {
        held + 1e-9 >= cost
    } else {
        held + cost <= n + 1e-9
    };
    if kind == "sliding_window_log" || (fits && !is_bucket) {
        state.counted.push((t, cost));
    }
    if !fits {
        return Decision::Deny;
    }
    match kind {
        "token_bucket" => state.level -= cost,
        "leaky_bucket" | "gcra" => state.level += cost,
        _ => {}
    }
    if kind == "leaky_bucket" && held > 0.0 {
        return Decision::Delay(nanos(held * w / n));
    }
    Decision::Allow
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(super) fn nanos(seconds: f64) -> Nanos {
    Nanos::new((seconds * 1e9).round() as u64)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(super) fn exact(value: f64) -> Level {
    Level::new((value * 1e6).round() as u128, 1_000_000)
}
