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
