//! Two gateways and one counter: updates that are lost, one by one and by the hundred.

use crate::ran::{Answers, Ran};
use ratesim::measure::{Dialogue, IncidentKind, Says};
use ratesim::scenario::Overrides;

/// Half a round trip to the store, one back and half a one with the write: 2.5, 5 and 7.5 ms after the
/// request.
#[test]
fn race_two_requests_read_three_and_both_write_four() {
    let run = Ran::ready("race.toml", &Overrides::default());
    let write = run.of("read then write");
    assert_eq!(write.letters(), "aaaaaaaaaaa");
    let counts = ["1", "2", "3", "4", "4", "5", "6", "7", "8", "9", "10"];
    assert_eq!(write.levels(), counts);
    assert_eq!(
        said(&write, &[3, 4]),
        [
            "3: read at 10",
            "4: read at 10.001",
            "3: value 3 at 10.0025",
            "4: value 3 at 10.0035",
            "3: write 4 at 10.005",
            "4: write 4 at 10.006, a race",
        ]
    );
    let incident = dialogue(&write).incident.unwrap();
    assert_eq!(incident.kind, IncidentKind::LostUpdate);
    assert_eq!(
        (incident.request, incident.at.to_string().as_str()),
        (4, "10.0085")
    );
    assert_eq!(write.result.cluster.as_ref().unwrap().races, 1);

    let increment = run.of("read then increment");
    assert_eq!(increment.letters(), "aaaaaaaaaax");
    // The node has decided on 3 and answers with what it makes of it; the store holds 5.
    assert_eq!(increment.levels()[3..6], ["4", "4", "6"]);
    let incident = dialogue(&increment).incident.unwrap();
    assert_eq!(incident.kind, IncidentKind::StaleRead);

    let atomic = run.of("atomic");
    assert_eq!(atomic.letters(), "aaaaaaaaaax");
    assert_eq!(atomic.levels()[3..6], ["4", "5", "6"]);
    assert_eq!(dialogue(&atomic).incident, None);
}

fn dialogue<'a>(answers: &Answers<'a>) -> &'a Dialogue {
    &answers.result.cluster.as_ref().unwrap().dialogue
}

/// What nodes and store said to each other for these requests, in the order of sending.
fn said(answers: &Answers, requests: &[u64]) -> Vec<String> {
    let messages = dialogue(answers).messages.iter();
    let messages = messages.filter(|message| requests.contains(&message.request));
    let told = messages.filter_map(|message| {
        let says = match message.says {
            Says::Read => "read".to_owned(),
            Says::Value(level) => format!("value {level}"),
            Says::Write(level) => format!("write {level}"),
            _ => return None,
        };
        let race = if message.is_race { ", a race" } else { "" };
        Some(format!(
            "{}: {says} at {}{race}",
            message.request, message.sent
        ))
    });
    told.collect()
}

/// Mean and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = f64::from(u32::try_from(values.len()).unwrap());
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

/// Each unit of the limit is admitted to the first who reads a count and to all who read the same until his
/// write is seen, a round trip later: 1 + Poisson(λδ), a hundred times. The sum has the mean n(1 + λδ) =
/// 600 and the variance n·λδ = 500. With increments n + Poisson(λδ) are admitted. By then 600/λ = 0.6 s
/// have passed, with a standard deviation of √n/λ = 0.01 s: the second of traffic is enough.
#[test]
fn race_rates_in_the_mean_600_or_105_or_exactly_100_are_admitted() {
    const SEEDS: u64 = 200;
    let mut admitted = [const { Vec::new() }; 2];
    for seed in 1..=SEEDS {
        let overrides = Overrides {
            seed: Some(seed),
            ..Overrides::default()
        };
        let run = Ran::ready_measured("race_rates.toml", &overrides);
        assert_eq!(run.of("atomic").counts().0, 100, "seed {seed}");
        let names = ["read then write", "read then increment"];
        for (name, admitted) in names.into_iter().zip(&mut admitted) {
            let (allowed, denied) = run.of(name).counts();
            assert!(denied > 100, "the limit was long reached by then");
            admitted.push(f64::from(u32::try_from(allowed).unwrap()));
        }
    }
    let [write, increment] = admitted;
    for (values, expected, variance) in [(write, 600.0, 500.0), (increment, 105.0, 5.0)] {
        let (mean, error) = mean(&values);
        let text = format!("{mean} ± {error}, expected {expected}");
        assert!((mean - expected).abs() <= 2.0 * error, "{text}");
        let expected = f64::sqrt(variance / 200.0);
        // A standard deviation of two hundred values is known within 5 %.
        assert!((error / expected - 1.0).abs() < 0.2, "{error}, {expected}");
    }
}
