//! What a scenario says of a distribution: its mean, its quantiles and the like.

use super::Unit;
use crate::error::{Error, Result};
use crate::params::Params;

/// What a statement is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum About {
    Mean,
    Sd,
    /// The value that this share of all draws does not exceed.
    Quantile(f64),
    /// The family's own scale parameter.
    Scale,
    Min,
    Max,
}

/// One statement: a name, what it is about, and a value in the distribution's unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    pub(super) name: &'static str,
    pub(super) about: About,
    pub(super) value: f64,
}

/// The fields that every family can be stated by. `p999` is 99.9 %, as in reports of latencies.
const COMMON: [(&str, About); 22] = [
    ("mean", About::Mean),
    ("sd", About::Sd),
    ("median", About::Quantile(0.5)),
    ("p1", About::Quantile(0.01)),
    ("p5", About::Quantile(0.05)),
    ("p10", About::Quantile(0.1)),
    ("p20", About::Quantile(0.2)),
    ("p25", About::Quantile(0.25)),
    ("p30", About::Quantile(0.3)),
    ("p40", About::Quantile(0.4)),
    ("p50", About::Quantile(0.5)),
    ("p60", About::Quantile(0.6)),
    ("p70", About::Quantile(0.7)),
    ("p75", About::Quantile(0.75)),
    ("p80", About::Quantile(0.8)),
    ("p90", About::Quantile(0.9)),
    ("p95", About::Quantile(0.95)),
    ("p98", About::Quantile(0.98)),
    ("p99", About::Quantile(0.99)),
    ("p999", About::Quantile(0.999)),
    ("p99.9", About::Quantile(0.999)),
    ("p9999", About::Quantile(0.9999)),
];

/// Reads the common statements and the family's `own`.
pub(super) fn read(
    table: &mut Params,
    unit: Unit,
    own: &[(&'static str, About)],
) -> Result<Vec<Statement>> {
    let mut statements = Vec::new();
    for &(name, about) in COMMON.iter().chain(own) {
        if let Some(value) = unit.read(table, name)? {
            // The least value of a uniform distribution may be none; nothing else may.
            if value <= 0.0 && about != About::Min {
                let hint = "must be above 0; a value that does not vary is written by itself";
                return Err(table.error(name, hint));
            }
            statements.push(Statement { name, about, value });
        }
    }
    Ok(statements)
}

/// Exactly `N` statements; others are refused with what `fixes` the family.
pub(super) fn exactly<const N: usize>(
    table: &Params,
    statements: &[Statement],
    fixes: &str,
) -> Result<[Statement; N]> {
    <[Statement; N]>::try_from(statements).map_err(|_| {
        let found = match statements {
            [] => "none is given".to_owned(),
            some => format!("given: {}", names(some)),
        };
        table.error("kind", format!("needs {fixes}; {found}"))
    })
}

/// The names of statements: "mean, p99".
pub(super) fn names(statements: &[Statement]) -> String {
    let names: Vec<_> = statements.iter().map(|statement| statement.name).collect();
    names.join(", ")
}

/// The error of statements that no distribution of this kind fulfils.
pub(super) fn contradiction(
    table: &Params,
    kind: &str,
    unit: Unit,
    statements: &[Statement],
) -> Error {
    let parts: Vec<_> = statements
        .iter()
        .map(|statement| format!("{} {}", statement.name, unit.show(statement.value)))
        .collect();
    let parts = parts.join(" and ");
    table.error("kind", format!("no {kind} distribution has {parts}"))
}
