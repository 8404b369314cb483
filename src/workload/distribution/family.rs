//! Families of distributions, and their parameters solved from what is stated.

use super::Unit;
use super::statement::{About, Statement, contradiction, exactly, read};
use crate::error::Result;
use crate::params::Params;

/// A family of laws θ·Y, where the law of Y follows from one shape: every mean, standard deviation
/// and quantile is θ times that of Y.
///
/// Two statements a and b fix the shape by stat_a(shape) / stat_b(shape) = a / b, and then θ =
/// a / stat_a(shape).
pub(super) trait ShapeFamily {
    const KIND: &'static str;
    /// The field that states the shape.
    const SHAPE: &'static str;
    /// The field that states θ, where it has a name that is no quantile.
    const SCALE: Option<&'static str>;
    /// The least variability among which a shape is looked for.
    const LEAST: f64;

    /// The shape of this variability, which is about the ratio of standard deviation and mean.
    fn shape(variability: f64) -> f64;

    /// Mean, standard deviation and quantiles of Y.
    fn unit_mean(shape: f64) -> f64;
    fn unit_sd(shape: f64) -> f64;
    fn unit_quantile(shape: f64, p: f64) -> f64;
}

/// Reads a member of family `F`: its shape and θ.
pub(super) fn shape_and_scale<F: ShapeFamily>(
    table: &mut Params,
    unit: Unit,
) -> Result<(f64, f64)> {
    let shape = table.optional::<f64>(F::SHAPE)?;
    let own = F::SCALE.map(|name| (name, About::Scale));
    let statements = read(table, unit, own.as_slice())?;
    let scale = F::SCALE.map_or(String::new(), |name| format!("`{name}`, "));
    let of = format!("{scale}`mean`, `median`, `sd` and quantiles such as `p99`");
    let Some(shape) = shape else {
        let fixes = format!("`{}` and one, or two, of {of}", F::SHAPE);
        let pair = exactly::<2>(table, &statements, &fixes)?;
        let shape = solve::<F>(pair[0], pair[1]);
        let shape = shape.ok_or_else(|| contradiction(table, F::KIND, unit, &pair))?;
        return Ok((shape, pair[0].value / statistic::<F>(pair[0].about, shape)));
    };
    let fixes = format!("one of {of} beside `{}`", F::SHAPE);
    let [one] = exactly(table, &statements, &fixes)?;
    let scale = one.value / statistic::<F>(one.about, shape);
    if shape > 0.0 && scale > 0.0 && scale.is_finite() {
        return Ok((shape, scale));
    }
    let message = format!(
        "no {} distribution of this shape has a {}",
        F::KIND,
        one.name
    );
    Err(table.error(F::SHAPE, message))
}

/// A statistic of the family's member at θ = 1.
fn statistic<F: ShapeFamily>(about: About, shape: f64) -> f64 {
    match about {
        About::Mean => F::unit_mean(shape),
        About::Sd => F::unit_sd(shape),
        About::Quantile(p) => F::unit_quantile(shape, p),
        About::Scale | About::Min | About::Max => 1.0,
    }
}

/// The shape at which two statistics have the ratio of their statements. Where several do (a mean
/// and a high quantile can be met by a heavy tail too), it is the least variable one.
fn solve<F: ShapeFamily>(a: Statement, b: Statement) -> Option<f64> {
    const STEP: f64 = 1.05;
    const MOST: f64 = 30.0;
    if a.about == b.about {
        return None;
    }
    let wanted = (a.value / b.value).ln();
    let miss = |variability: f64| {
        let shape = F::shape(variability);
        let ratio = statistic::<F>(a.about, shape) / statistic::<F>(b.about, shape);
        Some(ratio.ln() - wanted).filter(|miss| !miss.is_nan())
    };
    let mut low = F::LEAST;
    let mut before = miss(low)?;
    while low < MOST {
        let high = low * STEP;
        let after = miss(high)?;
        if before.signum() * after.signum() <= 0.0 || after == 0.0 {
            let middle = bisect(low, high, before > 0.0, miss);
            return Some(F::shape(middle));
        }
        (low, before) = (high, after);
    }
    None
}

/// Where `miss` changes its sign between `low`, at which it is `positive` or not, and `high`.
fn bisect(mut low: f64, mut high: f64, positive: bool, miss: impl Fn(f64) -> Option<f64>) -> f64 {
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return high;
        }
        if miss(middle).is_some_and(|miss| (miss > 0.0) == positive) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Reads a member of the family of laws m + d·Y of kind `kind`: m and d.
///
/// `parts` gives a statistic's share of m and of d, so that two statements are two linear equations.
pub(super) fn location_and_width(
    table: &mut Params,
    unit: Unit,
    kind: &str,
    own: &[(&'static str, About)],
    parts: fn(About) -> (f64, f64),
) -> Result<(f64, f64)> {
    let statements = read(table, unit, own)?;
    let mut named: Vec<_> = own.iter().map(|(name, _)| format!("`{name}`")).collect();
    named.push("`mean`, `median`, `sd` and quantiles such as `p99`".to_owned());
    let fixes = format!("two of {}", named.join(", "));
    let pair = exactly::<2>(table, &statements, &fixes)?;
    let ((m1, d1), (m2, d2)) = (parts(pair[0].about), parts(pair[1].about));
    let determinant = m1 * d2 - m2 * d1;
    let m = (pair[0].value * d2 - pair[1].value * d1) / determinant;
    let d = (m1 * pair[1].value - m2 * pair[0].value) / determinant;
    // A lower end of 0 may come out below it by the last digits.
    let m = if m.abs() < d * 1e-12 { 0.0 } else { m };
    if determinant.abs() > 1e-12 && m >= 0.0 && d > 0.0 {
        return Ok((m, d));
    }
    Err(contradiction(table, kind, unit, &pair))
}
