//! Laws of what is measured: no number depends on what else is measured, nor on the form that amounts
//! are kept in.

use crate::ran::Ran;
use ratesim::measure::{METRICS, Measure, Reading};
use ratesim::report::csv;
use std::io::Write;

/// Bursty traffic of several keys near the limit, with a candidate of every kind and option that the
/// measures treat in a way of its own. `fields` stand above, `more` in each traffic block.
fn run(fields: &str, more: &str) -> Ran {
    let text = format!(
        "limit = '5/10s'
        duration = '15m'
        seed = 3
        {fields}
        [[traffic]]
        pattern = 'poisson'
        rate = '4/s'
        keys = {{ count = 9, popularity = 'zipf' }}
        legitimate = true
        {more}
        [[traffic]]
        pattern = 'burst'
        at = '8s'
        count = 12
        spread = '4s'
        repeat_every = '30s'
        keys = 'attacker'
        legitimate = false
        {more}
        [[algorithm]]
        kind = 'token_bucket'
        [[algorithm]]
        kind = 'leaky_bucket'
        [[algorithm]]
        kind = 'leaky_bucket'
        name = 'meter'
        mode = 'meter'
        [[algorithm]]
        kind = 'fixed_window'
        [[algorithm]]
        kind = 'sliding_window_log'
        [[algorithm]]
        kind = 'sliding_window_counter'
        [[algorithm]]
        kind = 'sliding_window_counter'
        name = 'counts denied'
        count_denied = true
        [[algorithm]]
        kind = 'gcra'"
    );
    Ran::measured(&text)
}

const COSTS: &str = "cost = { kind = 'uniform', min = 0, max = 3 }";

/// Every reading of every candidate, as the summary shows it.
fn readings(ran: &Ran) -> Vec<Vec<String>> {
    let of = |candidate| {
        METRICS
            .iter()
            .map(move |metric| metric.reading(candidate, &ran.result).to_string())
    };
    ran.result
        .candidates
        .iter()
        .map(|candidate| of(candidate).collect())
        .collect()
}

#[test]
fn no_number_depends_on_what_else_is_measured() {
    for reference in ["reference = 'forwarded'", "reference = 'offered'"] {
        for costs in ["", COSTS] {
            let all = run(reference, costs);
            let whole = readings(&all);
            for (measure, name, _) in Measure::ALL {
                let alone = run(&format!("{reference}\nmeasure = ['{name}']"), costs);
                for (index, readings) in readings(&alone).iter().enumerate() {
                    for ((metric, found), expected) in
                        METRICS.iter().zip(readings).zip(&whole[index])
                    {
                        let is_taken = metric.measure.is_none_or(|own| own == measure);
                        let expected = if is_taken { expected.as_str() } else { "" };
                        let who = &all.result.candidates[index].name;
                        assert_eq!(
                            found, expected,
                            "{} of {who} by {name} alone",
                            metric.column
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_not_measured_is_absent() {
    let counts = run("measure = 'counts'", "");
    for candidate in &counts.result.candidates {
        assert!(candidate.series.is_empty() && candidate.per_key.is_empty());
        for metric in METRICS.iter().filter(|metric| metric.measure.is_some()) {
            assert_eq!(
                metric.reading(candidate, &counts.result),
                Reading::Absent,
                "{}",
                metric.column
            );
        }
    }
    for (write, header) in [
        (
            csv::series as fn(&_, &mut dyn Write) -> _,
            "time_s,candidate,",
        ),
        (csv::keys, "key,candidate,"),
    ] {
        let mut file = Vec::new();
        write(&counts.result, &mut file).unwrap();
        let text = String::from_utf8(file).unwrap();
        assert!(text.starts_with(header), "{text}");
        assert_eq!(text.lines().count(), 1);
    }
    let requests = |ran: &Ran| -> Vec<_> {
        let tallies = ran
            .result
            .candidates
            .iter()
            .map(|candidate| candidate.tally);
        tallies
            .map(|tally| (tally.requests, tally.allowed, tally.delayed))
            .collect()
    };
    assert_eq!(requests(&counts), requests(&run("", "")));
}

/// A cost that is drawn, and always 1, is kept as a sum; a cost that is stated as 1, as a count.
#[test]
fn counts_and_sums_of_ones_are_the_same_numbers() {
    for reference in ["reference = 'forwarded'", "reference = 'offered'"] {
        let counts = run(reference, "");
        let sums = run(reference, "cost = { kind = 'constant', value = 1 }");
        assert_eq!(readings(&counts), readings(&sums));
        for (counts, sums) in counts.result.candidates.iter().zip(&sums.result.candidates) {
            assert_eq!(counts.per_key, sums.per_key);
            assert_eq!(format!("{:?}", counts.series), format!("{:?}", sums.series));
        }
    }
}
