//! What the command line changes in a scenario.

use super::{BURST, Folder};

const CHOICE: &str = r#"
[[algorithm]]
kind = "token_bucket"
name = "small"
capacity = 1

[[algorithm]]
kind = "token_bucket"
name = "large"
capacity = 100
"#;

/// Names and allowed counts of the candidates after a run with these flags.
fn allowed(text: &str, flags: &[&str]) -> Vec<(String, u64)> {
    let folder = Folder::with(text);
    folder.succeeds(&[&["run", "burst.toml", "--no-charts", "-o", "out"], flags].concat());
    let rows = folder.summary("out").into_iter();
    rows.map(|(name, _, allowed)| (name, allowed)).collect()
}

fn named(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
    let owned = expected
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count));
    owned.collect()
}

/// Fixed window: five in each of the two minutes, whatever else; none at a limit of 0.
#[test]
fn limit_replaces_the_contract() {
    let run = |flags| allowed(BURST, flags);
    assert_eq!(
        run(&["--algorithm", "fixed_window"]),
        named(&[("fixed_window", 10)])
    );
    let three = ["--algorithm", "fixed_window", "--limit", "3/1m"];
    assert_eq!(run(&three), named(&[("fixed_window", 6)]));
    let none = ["--algorithm", "fixed_window", "--set", "limit=0/1m"];
    assert_eq!(run(&none), named(&[("fixed_window", 0)]));
}

#[test]
fn algorithm_picks_by_name_or_kind_and_falls_back_to_the_catalog() {
    let text = format!("{BURST}{CHOICE}");
    let run = |wanted| allowed(&text, &["--algorithm", wanted]);
    // Capacity 1 at one in 12 s: the first of each five within four seconds of the other.
    assert_eq!(run("large"), named(&[("large", 10)]));
    assert_eq!(run("token_bucket"), allowed(&text, &[]));
    assert_eq!(
        run("fixed_window,large"),
        named(&[("fixed_window", 10), ("large", 10)])
    );
    assert_eq!(run("large,token_bucket").len(), 2);
    assert_eq!(run("leaky_bucket,leaky_bucket").len(), 1);
}

#[test]
fn set_reaches_any_field() {
    let text = format!("{BURST}{CHOICE}");
    for (set, expected) in [
        ("algorithm.small.capacity=100", 10),
        ("algorithm.0.capacity=100", 10),
        ("algorithm.small.capacity=0", 0),
        ("algorithm.small.refill=1/s", 10),
    ] {
        let found = allowed(&text, &["--algorithm", "small", "--set", set]);
        assert_eq!(found, named(&[("small", expected)]), "{set}");
    }
    let flags = ["--set", "traffic.0.count=0", "--algorithm", "fixed_window"];
    assert_eq!(allowed(BURST, &flags), named(&[("fixed_window", 5)]));
}

#[test]
fn seed_changes_random_traffic_and_is_the_same_for_the_same_seed() {
    let folder = Folder::with(
        "limit = '5/1s'\nduration = '1m'\n[[traffic]]\npattern = 'poisson'\nrate = '5/s'\n",
    );
    let timeline = |flags: &[&str]| {
        folder.succeeds(&[&["run", "burst.toml", "--no-charts", "-o", "out"], flags].concat());
        folder.read("out/timeline.csv")
    };
    let seven = timeline(&["--seed", "7"]);
    assert_ne!(seven, timeline(&[]));
    assert_eq!(seven, timeline(&["--set", "seed=7"]));
    assert_eq!(seven, timeline(&["--seed", "7", "--threads", "1"]));
    assert_eq!(seven, timeline(&["--seed", "7", "--threads", "2"]));
}
