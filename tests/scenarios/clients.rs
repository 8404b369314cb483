//! Many clients, one that hammers, and several behind one address.

use crate::ran::{Answers, Ran};
use ratesim::scenario::Overrides;

fn ready(name: &str) -> Ran {
    Ran::ready(name, &Overrides::default())
}

fn share(part: u64, whole: u64) -> f64 {
    let float = |count: u64| f64::from(u32::try_from(count).unwrap());
    float(part) / float(whole)
}

/// Client k asks λ_k = 300/(k·H) times a second, H = Σ 1/k over 10,000. Of what client k asks in 100 s a
/// bucket passes its 60 and one a second, so it denies max(0, 100·λ_k − 160): a quarter of all, of
/// the first nineteen clients. A few more are denied now and then.
#[test]
fn zipf_clients_a_quarter_of_the_requests_is_denied_to_a_few_clients() {
    let run = ready("zipf_clients.toml");
    let harmonic: f64 = (1..=10_000u32).map(|k| 1.0 / f64::from(k)).sum();
    let asked = |k: u32| 100.0 * 300.0 / (f64::from(k) * harmonic);
    let denied: f64 = (1..=10_000).map(|k| (asked(k) - 160.0).max(0.0)).sum();
    let expected = denied / 30_000.0;
    assert!((0.25..0.27).contains(&expected), "{expected}");
    for name in ["token_bucket", "leaky_bucket"] {
        let answers = run.of(name);
        let (_, denied) = answers.counts();
        let found = share(denied, run.result.requests);
        assert!((found - expected).abs() < 0.015, "{name}: {found}");
        assert!((15..30).contains(&answers.keys_denied()), "{name}");
    }
    for (name, answers) in run.all() {
        assert!(answers.keys_denied() < 40, "{name}");
    }
    let came = run.of("token_bucket").result.per_key.iter();
    let once_or_never = came.filter(|key| key.requests <= 1).count();
    assert!(once_or_never > 5_000, "{once_or_never}");
}

/// How many are admitted within the five minutes and after the rest.
fn before_and_after(answers: &Answers) -> (usize, usize) {
    let letters = answers.letters();
    let admitted = |part: &str| part.matches('a').count();
    (admitted(&letters[..300]), admitted(&letters[300..]))
}

/// At second s the bucket has gained s/6; the counter's numbers are those of a separate script with
/// rational arithmetic.
#[test]
fn hammering_client_is_shut_out_for_as_long_as_its_denials_count() {
    let run = ready("hammering_client.toml");
    assert_eq!(run.result.requests, 305);
    for (name, admitted) in [
        ("log with denied", 10),
        ("counter with denied", 10),
        ("log of admitted", 50),
        ("counter of admitted", 46),
        // 10 + ⌊299/6⌋.
        ("token_bucket", 59),
    ] {
        assert_eq!(before_and_after(&run.of(name)), (admitted, 5), "{name}");
    }
}

/// Sixty and one a second of the 1,800 in ten minutes.
#[test]
fn office_behind_one_address_fares_as_an_attacker_does_and_homes_never_notice() {
    let run = ready("office_behind_one_address.toml");
    for (name, answers) in run.all() {
        let key = |wanted: &str| {
            let place = run.result.keys.iter().position(|key| key == wanted);
            answers.result.per_key[place.unwrap()]
        };
        let [office, attacker] = ["198.51.100.7", "203.0.113.66"].map(key);
        assert_eq!(answers.keys_denied(), 2, "{name}");
        let [one, other] = [office, attacker].map(|key| share(key.denied, key.requests));
        assert!((one - other).abs() < 0.05, "{name}: {one}, {other}");
        assert!(one > 0.6, "{name}: {one}");
        let tally = answers.result.tally;
        assert_eq!(tally.legitimate_denied, office.denied, "{name}");
        assert_eq!(tally.abusive_allowed, attacker.allowed, "{name}");
        if name == "sliding_window_log" {
            // Fewer than sixty in a minute of 180 on average never happens again.
            assert_eq!((office.allowed, attacker.allowed), (60, 60));
        }
        if name == "token_bucket" {
            let passed = |key: u64| (600..=660).contains(&key);
            assert!(passed(office.allowed) && passed(attacker.allowed));
        }
    }
}
