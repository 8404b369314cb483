//! Parameters solved from statements, the laws of what is drawn, and what is refused.

use super::special::{gamma_p, normal_cdf};
use super::*;
use crate::workload::random::{Purpose, WHOLE, generator};
use crate::workload::statistics::{assert_law, moments};
use crate::workload::tests::params;

/// Reads `x = …` as durations or as numbers, and gives what it resolves to.
fn read(text: &str, unit: Unit) -> Result<(Distribution, toml::Table)> {
    let mut params = params(&format!("x = {text}"));
    let law = Distribution::read(&mut params, "x", unit)?;
    Ok((law.expect("x is there"), params.finish()?))
}

fn numbers(text: &str) -> Distribution {
    let read = read(text, Unit::Number);
    read.unwrap_or_else(|error| panic!("{text}: {error}")).0
}

fn random(part: u32) -> Pcg64 {
    generator(1, 0, part, Purpose::Costs)
}

fn draws(law: &Distribution, count: usize) -> Vec<f64> {
    let mut random = random(WHOLE);
    (0..count).map(|_| law.draw(&mut random)).collect()
}

/// P(X ≤ x), by the equations of each kind's own file.
type Cdf = fn(f64) -> f64;

/// Tables with the mean and the law that they state. The parameters were solved with mpmath to 25
/// digits where there is no closed form.
const LAWS: [(&str, f64, Cdf); 18] = [
    ("{ kind = \"exponential\", mean = 3 }", 3.0, |x| {
        -(-x / 3.0).exp_m1()
    }),
    // Of half-life ln 2 · mean.
    (
        "{ kind = \"exponential\", median = 0.6931471805599453 }",
        1.0,
        |x| -(-x).exp_m1(),
    ),
    // −ln(0.01) = 4.605170185988091 means.
    (
        "{ kind = \"exponential\", p99 = 9.210340371976182 }",
        2.0,
        |x| -(-x / 2.0).exp_m1(),
    ),
    (
        "{ kind = \"lognormal\", median = 1, p99 = 5 }",
        1.270_378_098_530_588_8,
        |x| normal_cdf(x.ln() / 0.691_830_284_882_769_5),
    ),
    ("{ kind = \"lognormal\", mean = 10, sd = 20 }", 10.0, |x| {
        normal_cdf((x / 4.472_135_954_999_579).ln() / 1.268_636_241_179_519_7)
    }),
    // A σ of 3.8 has them too, with a median of 0.0073.
    ("{ kind = \"lognormal\", mean = 10, p99 = 50 }", 10.0, |x| {
        normal_cdf((x / 6.994_896_767_953_683).ln() / 0.845_463_474_033_149_6)
    }),
    (
        "{ kind = \"lognormal\", median = 4, sigma = 0.5 }",
        4.532_593_812_267_306,
        |x| normal_cdf((x / 4.0).ln() / 0.5),
    ),
    ("{ kind = \"gamma\", mean = 10, sd = 5 }", 10.0, |x| {
        gamma_p(4.0, x / 2.5)
    }),
    ("{ kind = \"gamma\", shape = 0.5, scale = 2 }", 1.0, |x| {
        gamma_p(0.5, x / 2.0)
    }),
    (
        "{ kind = \"gamma\", p50 = 1, p99 = 5 }",
        1.287_013_173_599_992_5,
        |x| gamma_p(1.416_416_126_054_261_7, x / 0.908_640_582_330_314_5),
    ),
    ("{ kind = \"pareto\", minimum = 1, shape = 5 }", 1.25, |x| {
        1.0 - x.powi(-5).min(1.0)
    }),
    (
        "{ kind = \"pareto\", p50 = 2, p99 = 40 }",
        5.021_999_177_256_236,
        |x| 1.0 - (1.176_274_090_212_284_8 / x).powf(1.305_865_360_520_722_5),
    ),
    ("{ kind = \"pareto\", mean = 3, median = 2 }", 3.0, |x| {
        1.0 - (1.373_467_113_695_161_7 / x).powf(1.844_413_990_229_083_3)
    }),
    (
        "{ kind = \"weibull\", p50 = 2, p99 = 20 }",
        3.471_149_171_913_203,
        |x| -(-(x / 3.123_014_807_416_508_5).powf(0.822_420_223_318_306)).exp_m1(),
    ),
    ("{ kind = \"weibull\", mean = 10, sd = 5 }", 10.0, |x| {
        -(-(x / 11.290_633_895_390_896).powf(2.101_349_094_688_544)).exp_m1()
    }),
    // Between 5 − √12·√3/2 = 2 and 8.
    (
        "{ kind = \"uniform\", mean = 5, sd = 1.7320508075688772 }",
        5.0,
        |x| (x - 2.0) / 6.0,
    ),
    (
        "{ kind = \"normal\", p50 = 10, p90 = 12.5631031310892 }",
        10.000_002_973_44,
        |x| normal_cdf((x - 10.0) / 2.0),
    ),
    // Cut at one σ below its mean: 1 + φ(1)/Φ(1).
    (
        "{ kind = \"normal\", mean = 1, sd = 1 }",
        1.287_599_970_939_178_4,
        |x| (normal_cdf(x - 1.0) - normal_cdf(-1.0)) / normal_cdf(1.0),
    ),
];

#[test]
fn statements_fix_the_law_and_draws_follow_it() {
    for (text, mean, cdf) in LAWS {
        let law = numbers(text);
        assert!(
            (law.mean() / mean - 1.0).abs() < 1e-9,
            "{text}: mean {}",
            law.mean()
        );
        assert_law(&draws(&law, 20_000), cdf, text);
    }
}

/// The residual's distribution function is ∫ (1 − F)/mean, here by the trapezoid rule. The interval
/// holds all draws; where they thin out its cells are wide, which the law's flat end does not notice.
#[test]
fn what_is_left_of_a_period_met_at_random_has_the_tail_as_its_density() {
    for (text, mean, cdf) in LAWS {
        let law = numbers(text);
        let mut random = random(3);
        let residuals: Vec<_> = (0..20_000)
            .map(|_| law.draw_residual(&mut random))
            .collect();
        let most = residuals.iter().copied().fold(0.0, f64::max).ln_1p();
        let cells = 200_000u32;
        let point = |i: u32| (f64::from(i) / f64::from(cells) * most).exp_m1();
        let tail = |x: f64| 1.0 - cdf(x).max(0.0);
        let mut sums = vec![0.0];
        for i in 0..cells {
            let (a, b) = (point(i), point(i + 1));
            let area = (tail(a) + tail(b)) / 2.0 * (b - a) / mean;
            sums.push(sums[i as usize] + area);
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let integral = |x: f64| sums[(x.ln_1p() / most * f64::from(cells)).round() as usize];
        assert_law(&residuals, integral, text);
    }
}

#[test]
fn an_empirical_law_gives_its_values_by_their_weights() {
    let law = numbers("{ kind = \"empirical\", values = [1, 5, 20], weights = [6, 3, 1] }");
    assert!((law.mean() - 4.1).abs() < 1e-12);
    let drawn = draws(&law, 30_000);
    for (value, share) in [(1.0, 0.6), (5.0, 0.3), (20.0, 0.1)] {
        let count = drawn
            .iter()
            .filter(|drawn| (**drawn - value).abs() < 0.5)
            .count() as f64;
        let error = (30_000f64 * share * (1.0 - share)).sqrt();
        assert!(
            (count - 30_000f64 * share).abs() < 4.0 * error,
            "{value}: {count}"
        );
    }
    // Weights times values are 6, 15 and 20 of 41; half of each value's length is left.
    let mut random = random(4);
    let residuals: Vec<_> = (0..30_000)
        .map(|_| law.draw_residual(&mut random))
        .collect();
    let (mean, variance) = moments(&residuals);
    let expected = (6.0 + 75.0 + 400.0) / 41.0 / 2.0;
    assert!(
        (mean - expected).abs() < 4.0 * (variance / 30_000.0).sqrt(),
        "{mean}"
    );
    assert!((numbers("{ kind = \"empirical\", values = [2, 4] }").mean() - 3.0).abs() < 1e-12);
}

#[test]
fn a_plain_value_does_not_vary() {
    for text in ["7", "{ kind = \"constant\", value = 7 }"] {
        assert_eq!(numbers(text).constant(), Some(7.0));
        assert_eq!(draws(&numbers(text), 2), [7.0, 7.0]);
    }
    let (law, _) = read("\"1.5ms\"", Unit::Duration).unwrap();
    assert_eq!(law.constant(), Some(1_500_000.0));
    assert_eq!(
        numbers("{ kind = \"exponential\", mean = 7 }").constant(),
        None
    );
}

#[test]
fn durations_are_nanoseconds() {
    let text = "{ kind = \"lognormal\", median = \"1ms\", p99 = \"5ms\" }";
    let (law, resolved) = read(text, Unit::Duration).unwrap();
    assert!((law.mean() - 1_270_378.098_530_589).abs() < 1e-3);
    assert_eq!(resolved["x"]["p99"].as_str(), Some("5ms"));
    let text = "{ kind = \"empirical\", values = [\"1s\", \"3s\"] }";
    assert!((read(text, Unit::Duration).unwrap().0.mean() - 2e9).abs() < 1e-3);
}

#[test]
fn resolved_tables_read_again_to_the_same() {
    let texts = LAWS.iter().map(|(text, ..)| *text).chain([
        "5",
        "0.25",
        "{ kind = \"empirical\", values = [1, 2.5, 1e-7], weights = [1, 0.5, 1e20] }",
        "{ kind = \"uniform\", min = 0, max = 2.50 }",
    ]);
    for text in texts {
        let (law, resolved) = read(text, Unit::Number).unwrap();
        let (again, twice) = read(&resolved["x"].to_string(), Unit::Number).unwrap();
        assert_eq!(resolved, twice, "{text}");
        assert_eq!(draws(&law, 10), draws(&again, 10), "{text}");
    }
}

#[test]
fn a_tail_without_a_mean_says_so() {
    let law = numbers("{ kind = \"pareto\", minimum = 1, shape = 1 }");
    assert!(law.mean().is_infinite());
}

#[test]
fn statements_that_fix_no_law_are_told_what_to_change() {
    for (text, part) in [
        (
            "{ mean = 1 }",
            "x.kind: is required: one of exponential, lognormal",
        ),
        (
            "{ kind = \"lognormale\", mean = 1 }",
            "did you mean `lognormal`?",
        ),
        (
            "{ kind = \"exponential\" }",
            "exactly one of `mean`, `median`, `sd`",
        ),
        (
            "{ kind = \"exponential\", mean = 1, p99 = 2 }",
            "given: mean, p99",
        ),
        (
            "{ kind = \"lognormal\", mean = 1 }",
            "`sigma` and one, or two, of `mean`",
        ),
        (
            "{ kind = \"lognormal\", median = 1, p90 = 2, p99 = 3 }",
            "given: median, p90, p99",
        ),
        (
            "{ kind = \"lognormal\", sigma = 1, median = 1, p90 = 2 }",
            "one of `mean`",
        ),
        ("{ kind = \"lognormal\", sigma = 1 }", "none is given"),
        (
            "{ kind = \"lognormal\", median = 2, mean = 1 }",
            "no lognormal distribution has",
        ),
        (
            "{ kind = \"lognormal\", median = 5, p99 = 1 }",
            "has median 5 and p99 1",
        ),
        (
            "{ kind = \"lognormal\", median = 5, p50 = 5 }",
            "no lognormal distribution has",
        ),
        (
            "{ kind = \"gamma\", shape = 0, mean = 1 }",
            "x.shape: no gamma distribution",
        ),
        (
            "{ kind = \"gamma\", mean = 1, sd = 0 }",
            "x.sd: must be above 0",
        ),
        (
            "{ kind = \"pareto\", shape = 0.5, mean = 1 }",
            "of this shape has a mean",
        ),
        (
            "{ kind = \"pareto\", minimum = 1, p99 = 0.5 }",
            "no pareto distribution has",
        ),
        (
            "{ kind = \"weibull\", scale = 1 }",
            "`shape` and one, or two, of `scale`",
        ),
        (
            "{ kind = \"uniform\", min = 5, max = 2 }",
            "has min 5 and max 2",
        ),
        (
            "{ kind = \"uniform\", mean = 1, sd = 5 }",
            "no uniform distribution has",
        ),
        (
            "{ kind = \"normal\", mean = 1, median = 1 }",
            "no normal distribution has",
        ),
        (
            "{ kind = \"normal\", mean = 1 }",
            "two of `mean`, `median`, `sd`",
        ),
        ("{ kind = \"constant\" }", "x.value: is required"),
        (
            "{ kind = \"empirical\", values = [] }",
            "at least one value",
        ),
        (
            "{ kind = \"empirical\", values = [1, 2], weights = [1] }",
            "1 weights for 2 values",
        ),
        (
            "{ kind = \"empirical\", values = [1], weights = [0] }",
            "must not all be 0",
        ),
        (
            "{ kind = \"exponential\", mean = -1 }",
            "found -1, expected a number that is not",
        ),
        ("{ kind = \"exponential\", mean = nan }", "found NaN"),
        ("{ kind = \"exponential\", mean = inf }", "found inf"),
        (
            "{ kind = \"exponential\", mean = 1, shape = 2 }",
            "unknown field",
        ),
        (
            "{ kind = \"exponential\", mean = \"1ms\" }",
            "found \"1ms\", expected a number",
        ),
        (
            "[1, 2]",
            "found a list, expected a number that is not negative",
        ),
    ] {
        let error = read(text, Unit::Number).err();
        let message = error
            .unwrap_or_else(|| panic!("accepted: {text}"))
            .to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
    for (text, part) in [
        (
            "{ kind = \"exponential\", mean = 5 }",
            "expected a duration",
        ),
        ("5", "expected a duration"),
        ("true", "or a table with `kind`"),
        (
            "{ kind = \"normal\", p50 = \"2ms\", p90 = \"1ms\" }",
            "p50 2ms and p90 1ms",
        ),
    ] {
        let message = read(text, Unit::Duration).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
}
