//! The closed forms, written from their definitions: Poisson arrivals at unit cost to one key, m = λw
//! in a window in the mean, n allowed, ρ = λ/r.

/// P(Poisson(mean) = k).
fn poisson(mean: f64, k: u32) -> f64 {
    (1..=k).fold((-mean).exp(), |term, i| term * mean / f64::from(i))
}

/// P(Poisson(mean) ≤ k).
pub(crate) fn poisson_at_most(mean: f64, k: u32) -> f64 {
    (0..=k).map(|i| poisson(mean, i)).sum()
}

/// P(Poisson(mean) > k), summed from its own terms: a difference from 1 would lose the digits of a
/// small loss.
fn poisson_above(mean: f64, k: u32) -> f64 {
    (k + 1..k + 60).rev().map(|i| poisson(mean, i)).sum()
}

/// The queue M/D/1/K at load `rho`: the share that it turns away, and the mean wait of the others in
/// service times. A bucket of capacity K is this queue.
///
/// The chain at departures: π_{j+1} = (π_0·A_j + Σ_{i=1..j} π_i·A_{j−i+1}) / a_0 with
/// A_k = P(Poisson(ρ) > k); from it the state at any time is p_j = π_j / (π_0 + ρ), and
/// p_K = 1 − 1/(π_0 + ρ). The wait follows by Little's law.
pub(crate) fn deterministic_queue(rho: f64, places: u32) -> (f64, f64) {
    let above: Vec<f64> = (0..=places).map(|k| poisson_above(rho, k)).collect();
    let mut pi = vec![1.0];
    for j in 0..places as usize - 1 {
        let later: f64 = (1..=j).map(|i| pi[i] * above[j - i + 1]).sum();
        pi.push((pi[0] * above[j] + later) / (-rho).exp());
    }
    let total: f64 = pi.iter().sum();
    let scale = pi[0] / total + rho;
    let full = 1.0 - 1.0 / scale;
    let steps = pi.iter().zip(0u32..);
    let below: f64 = steps.map(|(p, j)| f64::from(j) * p / total / scale).sum();
    let present = below + full * f64::from(places);
    (full, present / (rho * (1.0 - full)) - 1.0)
}

/// The same queue served at fixed ticks: the share that it turns away, and the mean wait of the others
/// until their own tick, in ticks.
///
/// x units stand in it after a tick; Poisson(ρ) come until the next, what passes K is lost, and one
/// leaves. The share lost is 1 − P(one leaves)/ρ. A request leaves at its tick, so the number present,
/// averaged over the interval, gives the wait by Little's law.
pub(crate) fn ticked_queue(rho: f64, places: u32) -> (f64, f64) {
    let most = places as usize;
    // The mean number present after a share of the interval, from x on.
    let joined = |x: u32, share: f64| -> f64 {
        let came = (0..60).map(|k| poisson(rho * share, k) * f64::from((x + k).min(places)));
        came.sum()
    };
    let mut chances = vec![0.0; most];
    chances[0] = 1.0;
    for _ in 0..2_000 {
        let mut next = vec![0.0; most];
        for (x, chance) in chances.iter().enumerate() {
            for k in 0..60u32 {
                let after = (x + k as usize).min(most).saturating_sub(1);
                next[after] += chance * poisson(rho, k);
            }
        }
        chances = next;
    }
    let leaves = 1.0 - chances[0] * poisson(rho, 0);
    // Simpson's rule over the interval between two ticks.
    let steps = 100u32;
    let present: f64 = (0..=steps)
        .map(|step| {
            let weight = match step {
                0 => 1.0,
                _ if step == steps => 1.0,
                _ if step % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let share = f64::from(step) / f64::from(steps);
            let states = chances.iter().zip(0u32..);
            let mean: f64 = states.map(|(chance, x)| chance * joined(x, share)).sum();
            weight * mean / (3.0 * f64::from(steps))
        })
        .sum();
    (1.0 - leaves / rho, present / leaves)
}

/// Erlang's loss formula: a log of admitted requests.
pub(crate) fn erlang_b(places: u32, load: f64) -> f64 {
    (1..=places).fold(1.0, |loss, k| load * loss / (f64::from(k) + load * loss))
}

/// A window with a count of its own: 1 − E[min(N, n)]/m.
pub(crate) fn fixed_window(limit: u32, mean: f64) -> f64 {
    let passed = mean * poisson_at_most(mean, limit - 1)
        + f64::from(limit) * (1.0 - poisson_at_most(mean, limit));
    1.0 - passed / mean
}

/// A log that counts denied requests too admits when fewer than n came in the window.
pub(crate) fn log_of_all(limit: u32, mean: f64) -> f64 {
    1.0 - poisson_at_most(mean, limit - 1)
}

/// The mean distance of a sliding window counter's estimate from the true count, as a share of the P
/// requests of the previous window: these lie in it independently, so that with f elapsed the number
/// still in the window is binomial. E|X − P·x|/P with X ~ Bin(P, x), averaged over x in (0, 1).
pub(crate) fn estimate_error(previous: u32) -> f64 {
    const STEPS: u32 = 2_000;
    let count = f64::from(previous);
    let at = |x: f64| -> f64 {
        let mut chance = (1.0 - x).powf(count);
        let mut sum = 0.0;
        for k in 0..=previous {
            sum += chance * (f64::from(k) - count * x).abs();
            chance *= (count - f64::from(k)) / f64::from(k + 1) * x / (1.0 - x);
        }
        sum
    };
    let points = (0..STEPS).map(|i| at((f64::from(i) + 0.5) / f64::from(STEPS)));
    points.sum::<f64>() / f64::from(STEPS) / count
}

fn near(value: f64, expected: f64, within: f64) {
    assert!(
        (value - expected).abs() <= within,
        "{value} against {expected}"
    );
}

/// Values that were found independently, by simulation and from tables of queues.
#[test]
fn the_closed_forms_give_known_values() {
    for (rho, places, lost, within, wait) in [
        (0.8, 5, 0.035_290, 5e-7, 1.209_667),
        (0.9, 10, 0.016_632, 5e-7, 2.922_436),
        (1.0, 10, 0.050_847, 5e-7, 4.336_310),
        (1.2, 10, 0.170_911, 5e-7, 6.630_497),
        (1.5, 5, 0.338_449, 5e-7, 2.957_167),
        (0.95, 50, 0.000_332_85, 5e-9, 9.171_500),
    ] {
        let (share, mean) = deterministic_queue(rho, places);
        near(share, lost, within);
        near(mean, wait, 1e-6);
    }
    let (lost, wait) = ticked_queue(0.8, 5);
    near(lost, 0.027_93, 5e-6);
    near(wait, 1.81, 0.005);
    near(ticked_queue(1.2, 10).0, 0.170_15, 5e-6);
    for (n, bucket, fixed, log, all) in [
        (10u32, 0.051, 0.125, 0.215, 0.542),
        (100, 0.0050, 0.0399, 0.0757, 0.513),
    ] {
        let mean = f64::from(n);
        near(deterministic_queue(1.0, n).0, bucket, 2e-4);
        near(fixed_window(n, mean), fixed, 5e-4);
        near(erlang_b(n, mean), log, 5e-4);
        near(log_of_all(n, mean), all, 5e-4);
    }
    near(fixed_window(10, 10.0), 0.1251, 5e-5);
    near(fixed_window(100, 100.0), 0.0399, 5e-5);
    // A mean deviation is √(2/π) of the standard one, and √(f(1 − f)) is π/8 in the mean.
    for (previous, percent) in [(10, 9.9), (27, 6.0), (100, 3.1)] {
        near(estimate_error(previous) * 100.0, percent, 0.1);
        let rule = 0.313 / f64::from(previous).sqrt();
        near(estimate_error(previous) / rule, 1.0, 0.01);
    }
}
