//! Bursts against limits and capacities.

use crate::ran::Ran;

/// Twelve seconds until the next token, 0.1 s until the next window.
#[test]
fn ten_before_an_edge_and_ten_after_it_at_5_a_minute() {
    let run = Ran::text(
        "limit = '5/1m'
        traffic = [
            { pattern = 'burst', at = '59.9s', count = 10 },
            { pattern = 'burst', at = '60s', count = 10 },
        ]
        algorithm = [
            { kind = 'fixed_window' },
            { kind = 'sliding_window_log', log_denied = false },
            { kind = 'sliding_window_counter' },
            { kind = 'token_bucket', capacity = 5, refill = '1/12s' },
        ]",
    );
    let five_and_five = "aaaaaxxxxx".repeat(2);
    assert_eq!(run.of("fixed_window").letters(), five_and_five);
    assert_eq!(run.of("fixed_window").retries()[0], "0.1");
    assert_eq!(run.of("fixed_window").peak(), 10);
    for name in [
        "sliding_window_log",
        "sliding_window_counter",
        "token_bucket",
    ] {
        let answers = run.of(name);
        let five = "aaaaa".to_owned() + &"x".repeat(15);
        assert_eq!(answers.letters(), five, "{name}");
        assert_eq!(answers.peak(), 5, "{name}");
    }
    assert_eq!(run.of("token_bucket").retries()[0], "12");
    assert_eq!(run.of("token_bucket").retries()[5], "11.9");
    assert_eq!(run.of("sliding_window_log").retries()[0], "60");
    assert_eq!(run.of("sliding_window_log").retries()[5], "59.9");
}

/// Ten workers that call as fast as they can, as a thousand calls a second for 60 s, the last
/// instant included: capacity + rate · 60 s are admitted.
#[test]
fn a_flood_gets_the_capacity_and_what_is_refilled() {
    let run = Ran::text(
        "limit = '1200/1m'
        duration = '60.001s'
        traffic = [{ pattern = 'steady', rate = '1000/s' }]
        algorithm = [
            { kind = 'token_bucket', name = 'full' },
            { kind = 'token_bucket', name = 'ten', capacity = 10 },
            { kind = 'token_bucket', name = 'within', capacity = 200, refill = '1000/1m' },
        ]",
    );
    assert_eq!(run.result.requests, 60_001);
    assert_eq!(run.of("full").counts().0, 2_400);
    assert_eq!(run.of("ten").counts().0, 1_210);
    assert_eq!(run.of("within").counts().0, 1_200);
    // A half-open minute holds one less than the closed one.
    assert_eq!(run.of("full").peak(), 2_399);
    assert_eq!(run.of("ten").peak(), 1_209);
    assert_eq!(run.of("within").peak(), 1_199);
    assert_eq!(run.of("within").result.tally.false_allow, 0);
}

#[test]
fn six_a_minute_with_a_capacity_of_1_is_no_burst_of_6() {
    let run = Ran::text(
        "limit = '6/1m'
        traffic = [{ pattern = 'burst', count = 5 }]
        algorithm = [
            { kind = 'token_bucket', name = 'one', capacity = 1 },
            { kind = 'token_bucket', name = 'six', capacity = 6 },
        ]",
    );
    assert_eq!(run.of("one").letters(), "axxxx");
    assert_eq!(run.of("one").retries(), ["10"; 4]);
    assert_eq!(run.of("six").letters(), "aaaaa");
}

/// The 101st waits for a hundred to leak, at a hundred a second.
#[test]
fn a_page_of_154_things_needs_a_capacity_of_154() {
    let run = Ran::text(
        "limit = '6000/1m'
        traffic = [{ pattern = 'burst', count = 154 }]
        algorithm = [
            { kind = 'token_bucket', name = '101', capacity = 101 },
            { kind = 'token_bucket', name = '153', capacity = 153 },
            { kind = 'token_bucket', name = '154', capacity = 154 },
            { kind = 'leaky_bucket', capacity = 154 },
        ]",
    );
    assert_eq!(run.of("101").counts(), (101, 53));
    assert_eq!(run.of("153").counts(), (153, 1));
    assert_eq!(run.of("154").counts(), (154, 0));
    let queue = run.of("leaky_bucket");
    assert_eq!(queue.counts(), (154, 0));
    assert_eq!(queue.forwarded()[100], "1");
    assert_eq!(queue.longest_wait(), "1.53");
}

#[test]
fn the_same_rate_passes_whole_in_small_bursts_and_by_half_in_one() {
    let of = |count: u32, every: &str| {
        Ran::text(&format!(
            "limit = '100/s'
            duration = '10s'
            traffic = [{{ pattern = 'burst', count = {count}, repeat_every = '{every}' }}]
            algorithm = [{{ kind = 'token_bucket', capacity = 50 }}]"
        ))
    };
    // The next burst comes when the bucket is full again.
    assert_eq!(of(100, "1s").of("token_bucket").counts(), (500, 500));
    assert_eq!(of(25, "250ms").of("token_bucket").counts(), (1_000, 0));
}

/// In the first second the bucket is full again before the last request: 1000 + 999.8. Whole steps
/// leave at each second what the bucket holds.
#[test]
fn whole_refill_steps_count_like_a_window_and_a_continuous_refill_does_not() {
    let run = Ran::text(
        "limit = '1000/1s'
        duration = '5s'
        traffic = [{ pattern = 'steady', rate = '5000/s' }]
        algorithm = [
            { kind = 'token_bucket', name = 'steps', refill_every = '1s' },
            { kind = 'token_bucket', name = 'continuous' },
        ]",
    );
    assert_eq!(run.of("steps").admitted_per_second(), [1_000; 5]);
    let continuous = run.of("continuous").admitted_per_second();
    assert_eq!(continuous, [1_999, 1_000, 1_000, 1_000, 1_000]);
}

/// Ten thousand a second with a capacity of five thousand. Within the first millisecond ten tokens
/// come, of which the last request, at 0.9999 ms, sees nine.
#[test]
fn ten_thousand_in_a_second_depend_on_how_they_are_spread() {
    let of = |traffic: &str| {
        let run = Ran::text(&format!(
            "limit = '10000/s'
            traffic = [{traffic}]
            algorithm = [{{ kind = 'token_bucket', capacity = 5000 }}]"
        ));
        assert_eq!(run.result.requests, 10_000);
        run.of("token_bucket").counts().0
    };
    let burst = |at: &str, count: u32, spread: &str| {
        format!("{{ pattern = 'burst', at = '{at}', count = {count}, spread = '{spread}' }}")
    };
    assert_eq!(of(&burst("0s", 10_000, "1s")), 10_000);
    assert_eq!(of(&burst("0s", 10_000, "1ms")), 5_009);
    assert_eq!(of(&burst("0s", 10_000, "0s")), 5_000);
    let two = [burst("0s", 5_000, "1ms"), burst("1ms", 5_000, "999ms")];
    assert_eq!(of(&two.join(", ")), 10_000);
}
