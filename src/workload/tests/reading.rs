//! What is read, refused and written back.

use super::*;

#[test]
fn clock_times_count_from_the_midnight_before_the_start() {
    let text = r#"
        start = "2026-01-01T01:00:00Z"
        [[traffic]]
        pattern = "script"
        at = ["1:00:01", "5s", "1:00:00.5"]
    "#;
    assert_eq!(instants(text), [500_000_000, 1_000_000_000, 5_000_000_000]);
    let early = text.replace("1:00:01", "0:59:59");
    assert!(message(&early).contains("traffic.0.at: this clock time lies before the start"));
}

#[test]
fn the_boundary_burst_comes_as_the_scenario_says() {
    let text = r#"
        [[traffic]]
        pattern = "burst"
        at = "0:00:55"
        count = 5
        spread = "5s"
        [[traffic]]
        pattern = "burst"
        at = "1m"
        count = 5
        spread = "5s"
    "#;
    let seconds: Vec<_> = (55..65).map(|second| second * 1_000_000_000).collect();
    assert_eq!(instants(text), seconds);
    let resolved = read(text).unwrap();
    // The last request plus one window.
    assert_eq!(resolved.horizon, Nanos::from_secs(64 + 60));
    assert_eq!(resolved.workload.expected_requests(), 10);
}

#[test]
fn times_are_cut_by_from_to_and_the_duration() {
    let text = r#"
        duration = "6s"
        [[traffic]]
        pattern = "script"
        at = ["1s", "2s", "3s", "5s", "6s", "7s"]
        from = "2s"
        to = "8s"
    "#;
    assert_eq!(
        instants(text),
        [2_000_000_000, 3_000_000_000, 5_000_000_000]
    );
    assert_eq!(read(text).unwrap().horizon, Nanos::from_secs(6));
    let steady = r#"
        [[traffic]]
        pattern = "steady"
        rate = "1/s"
        from = "2s"
        to = "4s"
    "#;
    assert_eq!(instants(steady), [2_000_000_000, 3_000_000_000]);
    assert_eq!(read(steady).unwrap().horizon, Nanos::from_secs(63));
}

#[test]
fn wrong_blocks_are_told_what_to_change() {
    for (block, part) in [
        (
            "rate = \"1/s\"",
            "traffic.0.pattern: is required: one of burst, steady",
        ),
        (
            "pattern = \"posson\"\nrate = \"1/s\"",
            "did you mean `poisson`?",
        ),
        ("pattern = \"steady\"", "traffic.0.rate: is required"),
        ("pattern = \"steady\"\nrate = \"-1/s\"", "negative"),
        (
            "pattern = \"steady\"\nrate = \"1/s\"",
            "or the scenario `duration`",
        ),
        (
            "pattern = \"poisson\"\nrate = \"1/s\"",
            "or the scenario `duration`",
        ),
        (
            "pattern = \"burst\"\nrepeat_every = \"1s\"",
            "or the scenario `duration`",
        ),
        (
            "pattern = \"burst\"\nrepeat_every = \"1s\"\nspread = \"2s\"\nto = \"1m\"",
            "at least `spread`",
        ),
        ("pattern = \"burst\"\ncuont = 5", "did you mean `count`?"),
        ("pattern = \"burst\"\nclient = \"retry\"", "unknown field"),
        (
            "pattern = \"burst\"\nfrom = \"2s\"\nto = \"2s\"",
            "later than `from`",
        ),
        (
            "pattern = \"burst\"\ncost = { kind = \"constant\" }",
            "traffic.0.cost.value: is required",
        ),
        ("pattern = \"burst\"\ncost = 0.5", "whole number"),
        ("pattern = \"burst\"\ncost = -1", "whole number"),
        ("pattern = \"burst\"\nkeys = 5", "expected a name in quotes"),
        (
            "pattern = \"burst\"\nkeys = { popularity = \"zipf\" }",
            "keys.count: is required",
        ),
        ("pattern = \"burst\"\nkeys = { count = 0 }", "out of range"),
        (
            "pattern = \"burst\"\nkeys = { count = 4294967296 }",
            "out of range",
        ),
        (
            "pattern = \"burst\"\nkeys = { count = 4000000000 }",
            // Four letters, ten digits and where the name ends.
            "about 88000 MB",
        ),
        (
            "pattern = \"burst\"\nkeys = { count = 5, popularity = \"lognormal\" }",
            "traffic.0.keys.sigma: is required: a number from 0 to 20",
        ),
        (
            "pattern = \"burst\"\nkeys = { count = 5, popularity = \"lognormal\", sigma = 21 }",
            "expected a number from 0 to 20",
        ),
        (
            "pattern = \"burst\"\nkeys = { count = 5, popularity = \"zipf\", sigma = 1 }",
            "unknown field",
        ),
        (
            "pattern = \"burst\"\nkeys = { count = 5, exponent = 1 }",
            "unknown field",
        ),
        (
            "pattern = \"burst\"\nkeys = { count = 5, popularity = \"hott\" }",
            "did you mean `hot`?",
        ),
        (
            "pattern = \"burst\"\nkeys = { count = 5, popularity = \"hot\" }",
            "keys.share: is required",
        ),
        (
            "pattern = \"burst\"\nkeys = { count = 5, popularity = \"hot\", share = 1.5 }",
            "allowed: 0 to 1",
        ),
        (
            "pattern = \"burst\"\nkeys = { count = 1, popularity = \"hot\", share = 1 }",
            "at least 2",
        ),
        (
            "pattern = \"renewal\"\nto = \"1m\"",
            "traffic.0.gap: is required",
        ),
        (
            "pattern = \"renewal\"\nto = \"1m\"\ngap = \"0s\"",
            "longer than 0 in the mean",
        ),
        (
            "pattern = \"renewal\"\ngap = \"1s\"",
            "or the scenario `duration`",
        ),
        (
            "pattern = \"renewal\"\nto = \"1m\"\n\
             gap = { kind = \"pareto\", shape = 1, minimum = \"1s\" }",
            "no mean, and so no rate",
        ),
        (
            "pattern = \"renewal\"\nto = \"1m\"\ngap = { kind = \"gamma\", p99 = \"1s\" }",
            "traffic.0.gap.kind: needs `shape` and one, or two",
        ),
        (
            "pattern = \"on_off\"\nto = \"1m\"\nrate = 1\non = \"1s\"",
            "traffic.0.off: is required",
        ),
        (
            "pattern = \"on_off\"\nto = \"1m\"\nrate = 1\non = \"0s\"\noff = \"1s\"",
            "longer than 0 in the mean",
        ),
        (
            "pattern = \"on_off\"\nto = \"365d\"\nrate = 1\non = \"1ns\"\noff = \"1ns\"",
            "change between on and off about 3.2e16 times",
        ),
        (
            "pattern = \"on_off\"\nto = \"1m\"\nrate = 1\non = \"1s\"\noff = \"1s\"\n\
             keys = { count = 5, popularity = \"zipf\" }",
            "each key is a source at the same rate here",
        ),
        (
            "pattern = \"on_off\"\nto = \"1m\"\nrate = 1\non = \"1s\"\noff = \"1s\"\n\
             keys = { count = 20_000_000 }",
            "20000000 sources would take about 10000 MB",
        ),
        (
            "pattern = \"on_off\"\nto = \"1m\"\nrate = 1\non = \"1s\"\noff = \"1s\"\n\
             arrivals = \"stedy\"",
            "did you mean `steady`?",
        ),
        (
            "pattern = \"ramp\"\nto = \"1m\"\nfrom_rate = 1",
            "traffic.0.to_rate: is required",
        ),
        (
            "pattern = \"diurnal\"\nto = \"1m\"\nmean_rate = 1\namplitude = 1.5",
            "allowed: 0 to 1",
        ),
        (
            "pattern = \"diurnal\"\nto = \"1m\"\nmean_rate = 1\nperiod = \"0s\"",
            "longer than 0",
        ),
        (
            "pattern = \"diurnal\"\nmean_rate = 1",
            "or the scenario `duration`",
        ),
        (
            "pattern = \"burst\"\nkeys = { count = 5, popularity = \"zipf\", exponent = nan }",
            "from 0 to 20",
        ),
    ] {
        let message = message(&format!("[[traffic]]\n{block}"));
        assert!(message.contains(part), "{block}: {message}");
        assert!(message.starts_with("test.toml:1:1: "), "{message}");
    }
}

#[test]
fn traffic_without_a_request_is_refused() {
    assert!(message("").contains("there is no traffic"));
    for block in [
        "pattern = \"steady\"\nrate = \"0/s\"\nto = \"1m\"",
        "pattern = \"poisson\"\nrate = 0\nto = \"1m\"",
        "pattern = \"on_off\"\nrate = 0\non = \"1s\"\noff = \"1s\"\nto = \"1m\"",
        "pattern = \"ramp\"\nfrom_rate = 0\nto_rate = 0\nto = \"1m\"",
        "pattern = \"diurnal\"\nmean_rate = 0\nto = \"1m\"",
        "pattern = \"burst\"\ncount = 0",
        "pattern = \"burst\"\nat = \"2m\"\nto = \"1m\"",
        "pattern = \"script\"\nat = []",
    ] {
        let message = message(&format!("[[traffic]]\n{block}"));
        assert!(
            message.contains("the traffic is empty"),
            "{block}: {message}"
        );
    }
    let late = "duration = \"1m\"\n[[traffic]]\npattern = \"poisson\"\nrate = 1\nfrom = \"2m\"";
    assert!(message(late).contains("the traffic is empty"));
    // One empty block among others is no error.
    let two = "[[traffic]]\npattern = \"burst\"\ncount = 0\n[[traffic]]\npattern = \"burst\"";
    assert_eq!(instants(two), [0]);
}

#[test]
fn the_resolved_tables_read_to_the_same_tables_and_arrivals() {
    let text = r#"
        duration = "1m"
        [[traffic]]
        pattern = "burst"
        at = "0:00:05.25"
        count = 3
        repeat_every = "10s"
        label = "herd"
        legitimate = false
        [[traffic]]
        pattern = "poisson"
        rate = "1/3s"
        keys = { count = 10, popularity = "zipf", exponent = 1.1 }
        endpoint = "/login"
        method = "POST"
        [[traffic]]
        pattern = "steady"
        rate = 0.7
        from = "3s"
        to = "0:00:30"
        keys = { count = 2, popularity = "lognormal", sigma = 1.50, prefix = "user-" }
        [[traffic]]
        pattern = "script"
        at = ["1s", "0:00:02"]
        cost = 7
        keys = "one"
        [[traffic]]
        pattern = "renewal"
        gap = { kind = "lognormal", median = "100ms", p99 = "1s" }
        cost = { kind = "gamma", mean = 10, sd = 5.5 }
        [[traffic]]
        pattern = "on_off"
        rate = "5/s"
        on = "1s"
        off = { kind = "pareto", shape = 1.5, mean = "3s" }
        keys = { count = 7 }
        [[traffic]]
        pattern = "ramp"
        from_rate = 1
        to_rate = "0.5/s"
        to = "5m"
        keys = { count = 9, popularity = "hot", share = 0.30 }
        [[traffic]]
        pattern = "diurnal"
        mean_rate = "3/s"
        amplitude = 1
        period = "20s"
        peak_at = "0:00:05"
        [[traffic]]
        pattern = "diurnal"
        mean_rate = "3/s"
    "#;
    let first = read(text).unwrap();
    let mut again = toml::Table::new();
    again.insert("duration".into(), "1m".into());
    again.insert("traffic".into(), first.tables.clone().into());
    let second = read(&again.to_string()).unwrap();
    assert_eq!(first.tables, second.tables);
    assert_eq!(arrivals(&first.workload, 5), arrivals(&second.workload, 5));
    assert_eq!(first.workload.marks(), second.workload.marks());
    let block = &first.workload.blocks()[0];
    assert_eq!(
        (block.label.as_deref(), block.legitimate),
        (Some("herd"), Some(false))
    );
    for (block, field, value) in [
        (5, "start", "random"),
        (5, "arrivals", "steady"),
        (8, "period", "1d"),
        (8, "peak_at", "12h"),
    ] {
        assert_eq!(first.tables[block][field].as_str(), Some(value));
    }
    assert_eq!(first.tables[8]["amplitude"].as_float(), Some(0.5));
    assert_eq!(first.tables[2]["cost"].as_integer(), Some(1));
    assert_eq!(first.tables[0]["spread"].as_str(), Some("0s"));
}

#[test]
fn scripted_requests_beyond_the_run_are_noted() {
    let text = "limit = \"1/s\"\nduration = \"10s\"\n[[traffic]]\npattern = \"script\"\n\
                at = [\"5s\", \"30s\", \"40s\"]\n[[traffic]]\npattern = \"burst\"\nat = \"5s\"\n\
                count = 10\nspread = \"10s\"\n";
    let notes = read(text).unwrap().notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes[0].starts_with("traffic.0: 2 of 3 requests lie outside"),
        "{notes:?}"
    );
    assert!(
        notes[1].starts_with("traffic.1: 5 of 10 requests lie outside"),
        "{notes:?}"
    );
}
