//! Statistics by which tests judge the law of a stream.

/// Mean and variance (n − 1) of numbers.
pub(super) fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (mean, squares.sum::<f64>() / (n - 1.0))
}

/// How many of the `instants` fall into each interval of length `width`.
pub(super) fn counts(instants: &[u64], width: u64, intervals: usize) -> Vec<f64> {
    let mut counts = vec![0.0; intervals];
    for at in instants {
        counts[usize::try_from(at / width).unwrap()] += 1.0;
    }
    counts
}

/// Asserts that the values follow the law with this distribution function, by the distance of
/// Kolmogorov and Smirnov: √n·D stays below 1.95, which a true law exceeds once in a thousand.
pub(super) fn assert_law(values: &[f64], cdf: impl Fn(f64) -> f64, what: &str) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    assert!(n > 100.0, "{what}: {n} values");
    let distances = sorted.iter().zip(0u32..).map(|(value, i)| {
        let p = cdf(*value);
        let (below, at) = (f64::from(i) / n, f64::from(i + 1) / n);
        (p - below).max(at - p)
    });
    let distance = n.sqrt() * distances.fold(0.0, f64::max);
    assert!(distance < 1.95, "{what}: √n·D = {distance} of {n} values");
}

/// P(X ≤ x) of an exponential variable with mean 1.
pub(super) fn exponential(x: f64) -> f64 {
    -(-x).exp_m1()
}

/// The gaps between the numbers, the first one from 0.
pub(super) fn gaps(points: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut last = 0.0;
    points
        .into_iter()
        .map(|point| {
            let gap = point - last;
            last = point;
            gap
        })
        .collect()
}

/// Asserts that the instants are a Poisson stream whose mean count by t seconds is `mean_until(t)`: with
/// time changed by it the gaps are exponential, and the counts of each tenth of a second scatter about
/// their own mean as Poisson counts do (mean within four standard errors of 800 such, variance too).
pub(super) fn assert_changing_poisson(
    all: &[u64],
    mean_until: impl Fn(f64) -> f64,
    tenths: usize,
    what: &str,
) {
    let points = all.iter().map(|at| mean_until(*at as f64 / 1e9));
    assert_law(&gaps(points), exponential, "changed gaps");
    let cells = counts(all, 100_000_000, tenths);
    let scaled = cells.iter().zip(0u32..).filter_map(|(count, i)| {
        let (t, next) = (f64::from(i) / 10.0, f64::from(i + 1) / 10.0);
        let mean = mean_until(next) - mean_until(t);
        (mean > 5.0).then(|| (count - mean) / mean.sqrt())
    });
    let (mean, variance) = moments(&scaled.collect::<Vec<_>>());
    assert!(mean.abs() < 4.0 / 800f64.sqrt(), "{what}: {mean}");
    let error = (2.0 / 800.0 + 0.2 / 800.0f64).sqrt();
    assert!((variance - 1.0).abs() < 4.0 * error, "{what}: {variance}");
}
