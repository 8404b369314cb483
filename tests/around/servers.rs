//! The backend against the closed forms of queues.
//!
//! With Poisson arrivals at λ and a service rate μ of each of c workers, ρ = λ/(cμ):
//! - M/D/1 (Pollaczek and Khinchine): mean wait ρ / (2μ(1 − ρ));
//! - M/M/c (Erlang): mean wait C / (cμ − λ), C = the chance that all are busy.

use crate::ran::Ran;

/// Mean waits for a worker in seconds, and shares of the time that workers work, of several runs.
fn runs(workers: u32, service: &str, mean: f64, rate: u32) -> Vec<(f64, f64)> {
    let measured = |seed: u32| {
        let run = Ran::measured(&format!(
            "limit = '1000000/1s'\nduration = '10m'\nseed = {seed}\nmeasure = 'counts'\n\
             [backend]\nworkers = {workers}\nservice_time = {service}\n\
             [[traffic]]\npattern = 'poisson'\nrate = '{rate}/s'\n\
             [[algorithm]]\nkind = 'fixed_window'\n"
        ));
        let backend = run.of("fixed_window").result.backend().unwrap().clone();
        let (mut sum, mut count) = (0.0, 0u32);
        for (time, many) in backend.with.responses.waits() {
            let many = u32::try_from(many).unwrap();
            sum += time.as_secs_f64() * f64::from(many);
            count += many;
        }
        let busy = ratesim::units::to_float(backend.with.busy) / 1e9;
        (
            sum / f64::from(count) - mean,
            busy / (600.0 * f64::from(workers)),
        )
    };
    (0..12).map(measured).collect()
}

/// The mean, and its standard error.
fn summary(values: &[f64]) -> (f64, f64) {
    let count = f64::from(u32::try_from(values.len()).unwrap());
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

fn check(found: &[f64], expected: f64, what: &str) {
    let (mean, error) = summary(found);
    let apart = (mean - expected) / error;
    assert!(
        apart.abs() < 4.0,
        "{what}: {mean} for {expected}, {apart} standard errors"
    );
    assert!(error < 0.05 * expected, "{what}: {error}");
}

fn hold(runs: &[(f64, f64)], wait: f64, load: f64, what: &str) {
    let (waits, loads): (Vec<f64>, Vec<f64>) = runs.iter().copied().unzip();
    check(&waits, wait, what);
    check(&loads, load, what);
}

/// ρ = 0.7 at μ = 50/s: 0.7 / (2 · 50 · 0.3) s.
#[test]
fn one_worker_of_a_constant_time_waits_as_pollaczek_and_khinchine_say() {
    let wait = 0.7 / (2.0 * 50.0 * 0.3);
    hold(&runs(1, "'20ms'", 0.02, 35), wait, 0.7, "M/D/1");
}

/// Three workers at μ = 20/s and λ = 42/s: a = 2.1 Erlang, ρ = 0.7. C = (a³/3!)/(1 − ρ) over
/// 1 + a + a²/2 + (a³/3!)/(1 − ρ).
#[test]
fn three_workers_of_exponential_times_wait_as_erlang_says() {
    let a: f64 = 2.1;
    let all_busy = a.powi(3) / 6.0 / 0.3;
    let c = all_busy / (1.0 + a + a * a / 2.0 + all_busy);
    let wait = c / (60.0 - 42.0);
    let service = "{ kind = 'exponential', mean = '50ms' }";
    hold(&runs(3, service, 0.05, 42), wait, 0.7, "M/M/3");
}
