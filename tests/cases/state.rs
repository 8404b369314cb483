//! What state costs, and how long it lasts.

use crate::ran::Ran;

/// 70,000 entries of 8 bytes are 560 kB; what stands beside them is below a hundred bytes.
#[test]
fn a_log_of_70_000_a_day_takes_560_kb_for_one_client() {
    let run = Ran::measured(
        "limit = '70000/1d'
        duration = '2d'
        traffic = [{ pattern = 'steady', rate = '70000/1d', keys = 'client' }]
        algorithm = [
            { kind = 'sliding_window_log', log_denied = false },
            { kind = 'sliding_window_counter' },
        ]",
    );
    let [log, counter] = [0, 1].map(|i| run.result.candidates[i].state_bytes.peak());
    assert!((560_000..560_100).contains(&log), "{log}");
    assert!((1..100).contains(&counter), "{counter}");
}

/// One per 4,000 s with 8,000 to spend, 150 calls a day: 128.4 a day more than comes back.
#[test]
fn a_rate_set_per_4_000_seconds_runs_out_after_two_months() {
    let run = Ran::measured(
        "limit = '1/4000s'
        duration = '365d'
        traffic = [{ pattern = 'steady', rate = '150/1d' }]
        algorithm = [{ kind = 'token_bucket', capacity = 8000 }]",
    );
    let first = run.result.candidates[0].first_denied().unwrap();
    let days = first.as_nanos() / 8_640_000_000_000;
    assert_eq!(days, 623, "in tenths of a day");
}
