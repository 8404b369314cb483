//! Distributions: laws that durations and costs are drawn from, stated by what people know of them.
//!
//! A field that takes one is either a plain value, which does not vary, or a table with a `kind` and
//! as many statements as fix it: `{ kind = "lognormal", median = "1ms", p99 = "5ms" }`. Durations are
//! in nanoseconds here, other values plain numbers; none is below 0.

mod constant;
mod empirical;
mod exponential;
mod family;
mod gamma;
mod lognormal;
mod normal;
mod pareto;
mod special;
mod statement;
#[cfg(test)]
mod tests;
mod uniform;
mod weibull;

pub(super) use special::normal_quantile;

use crate::error::Result;
use crate::params::{FromValue, Node, Params, Value, unknown};
use crate::units::Nanos;
use constant::Constant;
use rand::RngExt;
use rand_pcg::Pcg64;
use std::fmt::Debug;
use std::sync::Arc;

/// A law of values that are not negative.
#[derive(Clone, Debug)]
pub struct Distribution(Arc<dyn Law>);

/// What one kind of distribution knows.
trait Law: Debug + Send + Sync {
    /// Its mean; infinite where it has none.
    fn mean(&self) -> f64;

    /// One value.
    fn draw(&self, random: &mut Pcg64) -> f64;

    /// One value under the law whose density is x times this one's, over the mean: the length of
    /// the period that a random instant falls into. Asked for only where the mean is finite.
    fn draw_biased(&self, random: &mut Pcg64) -> f64;

    /// The value, where it does not vary.
    fn constant(&self) -> Option<f64> {
        None
    }
}

/// One kind of distribution: its name, and how a table of it is read.
struct Kind {
    name: &'static str,
    read: fn(&mut Params, Unit) -> Result<Arc<dyn Law>>,
}

const fn kind(name: &'static str, read: fn(&mut Params, Unit) -> Result<Arc<dyn Law>>) -> Kind {
    Kind { name, read }
}

const KINDS: [Kind; 9] = [
    kind("exponential", exponential::read),
    kind("lognormal", lognormal::read),
    kind("gamma", gamma::read),
    kind("pareto", pareto::read),
    kind("weibull", weibull::read),
    kind("uniform", uniform::read),
    kind("normal", normal::read),
    kind("constant", constant::read),
    kind("empirical", empirical::read),
];

impl Distribution {
    /// The field `name` as a distribution of durations, in nanoseconds; `None` where it is absent.
    pub fn durations(params: &mut Params, name: &'static str) -> Result<Option<Self>> {
        Self::read(params, name, Unit::Duration)
    }

    /// The law of a value that does not vary.
    pub fn always(value: f64) -> Self {
        Self(Arc::new(Constant(value)))
    }

    /// The field `name` as a distribution of plain numbers; `None` where it is absent.
    pub fn numbers(params: &mut Params, name: &'static str) -> Result<Option<Self>> {
        Self::read(params, name, Unit::Number)
    }

    fn read(params: &mut Params, name: &'static str, unit: Unit) -> Result<Option<Self>> {
        match params.raw(name) {
            Some(Node {
                value: Value::Table(_),
                ..
            }) => {}
            Some(node) if matches!(node.value, Value::Array(_) | Value::Flag(_)) => {
                let found = node.value.describe();
                let message = format!(
                    "found {found}, expected {}, or a table with `kind`",
                    unit.expected()
                );
                return Err(params.error(name, message));
            }
            _ => {
                let value = unit.read(params, name)?;
                return Ok(value.map(Self::always));
            }
        }
        let mut table = params.table(name).expect("a table, as just seen");
        let names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
        if !table.has("kind") {
            let message = format!("is required: one of {}", names.join(", "));
            return Err(table.error("kind", message));
        }
        let text = table.required::<String>("kind")?;
        let kind = KINDS.iter().find(|kind| kind.name == text);
        let kind = kind.ok_or_else(|| table.error("kind", unknown(&text, &names)))?;
        let law = (kind.read)(&mut table, unit)?;
        params.resolve(name, table.finish()?.into());
        Ok(Some(Self(law)))
    }

    /// Its mean; infinite for a heavy tail that has none.
    pub fn mean(&self) -> f64 {
        self.0.mean()
    }

    /// One value.
    pub fn draw(&self, random: &mut Pcg64) -> f64 {
        self.0.draw(random)
    }

    /// What is left of a period of this law that is met at a random instant: a share, uniform from 0
    /// to 1, of a period drawn in proportion to its length (Cox, Renewal Theory, 1962, section 5.1).
    /// Its density is P(X > x) / mean. Only for a law that has a mean.
    pub fn draw_residual(&self, random: &mut Pcg64) -> f64 {
        let length = self.0.draw_biased(random);
        length * random.random::<f64>()
    }

    /// The value, where it does not vary.
    pub fn constant(&self) -> Option<f64> {
        self.0.constant()
    }
}

/// What a distribution's values are.
#[derive(Clone, Copy, Debug)]
enum Unit {
    /// Nanoseconds, written as durations.
    Duration,
    /// Plain numbers.
    Number,
}

impl Unit {
    fn expected(self) -> &'static str {
        match self {
            Self::Duration => Nanos::EXPECTED,
            Self::Number => f64::EXPECTED,
        }
    }

    fn read(self, table: &mut Params, name: &'static str) -> Result<Option<f64>> {
        match self {
            Self::Duration => Ok(table.optional::<Nanos>(name)?.map(nanos)),
            Self::Number => table.optional(name),
        }
    }

    fn read_list(self, table: &mut Params, name: &'static str) -> Result<Vec<f64>> {
        match self {
            Self::Duration => {
                let list = table.required::<Vec<Nanos>>(name)?;
                Ok(list.into_iter().map(nanos).collect())
            }
            Self::Number => table.required(name),
        }
    }

    /// A value as messages show it.
    #[allow(clippy::cast_possible_truncation)]
    fn show(self, value: f64) -> String {
        match self {
            Self::Duration => Nanos::new(value as u64).to_string(),
            Self::Number => value.to_string(),
        }
    }
}

fn nanos(length: Nanos) -> f64 {
    length.get() as f64
}
