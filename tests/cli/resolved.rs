//! The resolved scenario: it states every default, reads back as itself and runs to the same bytes.

use super::{BURST, Folder};

const RICH: &str = r#"
title = "A \"rich\" one"
description = """Two lines,
the second with a tab\tin it."""
start = 2026-01-01T10:30:00.5Z
seed = 0x2A
limit = "0.5/s"
duration = "90s"

[[traffic]]
pattern = "poisson"
rate = 0.10
keys = { count = 3, popularity = "zipf", exponent = 1.1 }

[[traffic]]
pattern = "steady"
rate = "1/3s"
from = "10:30:05"
to = "1m"
cost = 2
endpoint = "/a b"
method = "GET"

[[traffic]]
pattern = "script"
at = ["1s", "1.5s", "10:31:00"]

[[algorithm]]
kind = "token_bucket"
name = "stepped"
capacity = 4
initial = 1
refill = "1/3s"
refill_every = "500ms"

[[algorithm]]
kind = "token_bucket"
"#;

/// Every pattern that draws, with laws stated in many ways.
const DRAWN: &str = r#"
limit = "20/10s"
duration = "1m"
start = "2026-01-01T18:00:00Z"

[[traffic]]
pattern = "renewal"
gap = { kind = "lognormal", median = "100ms", p99 = "1.50s" }
cost = { kind = "empirical", values = [1, 2.50, 0], weights = [1, 1, 0.10] }
keys = { count = 20, popularity = "lognormal", sigma = 2 }

[[traffic]]
pattern = "on_off"
rate = "5/s"
on = "1s"
off = { kind = "pareto", shape = 1.5, minimum = "3s" }
keys = { count = 70 }

[[traffic]]
pattern = "ramp"
from_rate = 1
to_rate = "0.5/s"
to = "5m"
keys = { count = 9, popularity = "hot", share = 0.30 }
cost = { kind = "exponential", mean = 1e1 }

[[traffic]]
pattern = "diurnal"
mean_rate = "3/s"
peak_at = "15:00:00"
"#;

/// A trace that is out of order, with a line that is none.
const LOG: &str = "when,who,tokens\n\
    2026-01-01T00:00:59Z,a,3\n2026-01-01T00:00:58.5Z,b,1\nnoon,c,1\n2026-01-01T00:01:02Z,a,2\n";

const TRACE: &str = r#"
limit = "5/1m"

[[traffic]]
pattern = "trace"
file = "log.csv"
format = "csv"
fields = { time = "when", key = "who", cost = ["tokens"] }
"#;

/// Every field of a deployment, spread over four, and one with nothing but defaults.
const DEPLOYED: &str = r#"
limit = "20/10s"
duration = "1m"
start = "2026-01-01T18:00:00Z"

[[traffic]]
pattern = "steady"
rate = "3/s"

[[algorithm]]
kind = "sliding_window_counter"

[[deployment]]
name = "defaults"

[[deployment]]
name = "split"
nodes = 3
routing = "weighted"
weights = [10, 1, 5]
share = "split"
skew = ["-10s", "+1.50s", "0s"]
timeout = "250ms"
outage = [{ of = 0, from = "18:00:10", to = "20s", detected_after = "2s" }]
clock_step = [{ of = 2, at = 18:00:30.5, by = "-5s" }]
ttl = "1h"
ttl_from = "creation"
lost_expire = ["18:00:00", "30s"]

[[deployment]]
name = "central"
nodes = 4
store = "central"
access = "read_then_increment"
routing = "sticky"
rtt = { kind = "lognormal", median = "1ms", p99 = "5.0ms" }
timeout = "1s"
on_store_failure = "local_fallback"
fallback_share = 0.10
[[deployment.outage]]
of = "store"
from = "10s"
to = "2m"
loses_state = true
[[deployment.slowdown]]
from = "1s"
to = "3s"
adds = "200ms"
[[deployment.join]]
node = 3
at = "30s"
[[deployment.leave]]
node = 0
at = "40s"
[[deployment.clock_step]]
of = "store"
at = "1s"
by = "1ms"

[[deployment]]
name = "synced"
nodes = 2
store = "synced"
sync_every = "0.1s"
routing = "random"
ttl = "none"

[[deployment]]
name = "leased"
nodes = 2
store = "leased"
batch = 0x10
rtt = "1000us"
clock = "node"
skew = ["1s", "-1s"]
"#;

/// Everything around a limiter.
const AROUND: &str = r#"
limit = "20/10s"
duration = "1m"

[over_limit]
action = "queue"
capacity = 0x10
drain_rate = 2.50

[backend]
service_time = { kind = "lognormal", median = "10ms", p99 = "1.0s" }
workers = 3
queue = 0

[[traffic]]
pattern = "steady"
rate = "3/s"
legitimate = false

[[deployment]]
name = "client"
placement = "client"
bypass = 0.250
bypass_by = "illegitimate"

[[deployment]]
name = "server"
placement = "server"
over_limit = {}

[[deployment]]
name = "middleware"
placement = "middleware"
hop = "1000us"
over_limit = { action = "queue", capacity = 1, drain_rate = "1/3s" }

[[deployment]]
name = "gateway"
nodes = 3
placement = "gateway"
"#;

/// Every field of a rule, and traffic that says who asks.
const RULED: &str = r#"
duration = "1m"

[[traffic]]
pattern = "steady"
rate = "3/s"
endpoint = "/api/posts?page=1"
method = "post"
keys = { count = 5, network = "203.0.113.0/24" }
ip = { count = 4, network = "2001:db8::/48", popularity = "hot", share = 0.50 }
user = "alice"
api_key = { count = 2 }

[[traffic]]
pattern = "burst"

[[rule]]
endpoint = "/api/**"
method = "post"
key = ["ip", "endpoint", "method"]
ipv6_prefix = 0x30
limit = 5
window = "0.5m"
cost = 2
algorithm = "gcra"

[[rule]]
name = "by key"
endpoint = "/**"
key = "api_key"
limit = "0.5/s"
algorithm = { kind = "token_bucket", capacity = 4 }

[[rule]]
name = "rest"
key = ["global"]
limit = "7/1m"
default = true

[[rule]]
name = "by user"
endpoint = "/api/{what}/"
key = ["user", "client"]
limit = "100/1h"

[[deployment]]
name = "all or nothing"

[[deployment]]
name = "each"
rules = { charge = "each", only = ["by key", "by user"] }
"#;

/// Rules that stand in a file, which changes and breaks.
const FILED: &str = r#"
duration = "1m"
start = "2026-01-01T18:00:00Z"
limit = "6/1m"

[[traffic]]
pattern = "steady"
rate = "3/s"
endpoint = "/api/posts"

[rules]
file = "rules.yaml"
reload_every = "0.1m"

[[rules.change]]
at = "18:00:10"
file = "broken.yaml"

[[rules.change]]
at = "20.5s"
file = "rules.yaml"

[[deployment]]
name = "reset"
rules = { state = "reset", reload_every = "10s" }
"#;

/// A folder with the scenario and the files that it may read.
fn folder_with(text: &str) -> Folder {
    let folder = Folder::with(text);
    folder.write("log.csv", LOG);
    folder.write(
        "rules.yaml",
        "rules:\n- endpoint: /api/posts\n  limit: 5\n  window: 60s\n",
    );
    folder.write(
        "broken.yaml",
        "rules:\n- endpoint: /api/posts\n  limit: 5\n",
    );
    folder
}

#[test]
fn checking_the_resolved_scenario_gives_it_again() {
    for text in [BURST, RICH, DRAWN, TRACE, DEPLOYED, AROUND, RULED, FILED] {
        let folder = folder_with(text);
        let once = folder.succeeds(&["check", "burst.toml"]);
        folder.write("resolved.toml", &once);
        assert_eq!(folder.succeeds(&["check", "resolved.toml"]), once);
    }
}

/// All defaults of one local node, and of one that asks a store.
#[test]
fn every_default_of_a_deployment_is_stated() {
    let fields = |text: &str| {
        let table: toml::Table = Folder::with(text)
            .succeeds(&["check", "burst.toml"])
            .parse()
            .unwrap();
        let deployment = table["deployment"][0].as_table().unwrap().clone();
        toml::to_string(&deployment).unwrap()
    };
    let plain = "name = \"single\"\nnodes = 1\nrouting = \"round_robin\"\nshare = \"whole\"\n\
        store = \"local\"\nttl = \"design\"\n";
    assert_eq!(fields(BURST), plain);
    let central = "access = \"atomic\"\nclock = \"store\"\nname = \"cluster\"\nnodes = 1\n\
        on_store_failure = \"fail_open\"\nrouting = \"round_robin\"\nrtt = \"0s\"\n\
        store = \"central\"\nttl = \"design\"\n";
    let text = format!("{BURST}\n[[deployment]]\nstore = 'central'\n");
    assert_eq!(fields(&text), central);
    let before = "[backend]\nservice_time = '1ms'\n[[deployment]]\n";
    let text = |fields| format!("{BURST}\n{before}{fields}\n");
    let printed = Folder::with(&text("")).succeeds(&["check", "burst.toml"]);
    let backend = "backend = { service_time = \"1ms\", workers = 1 }\n";
    assert!(printed.contains(backend), "{printed}");
    for (given, stated) in [
        ("placement = 'server'", "deny_cost = \"1/10\""),
        ("placement = 'gateway'", "hop = \"0s\""),
        ("placement = 'client'\nbypass = 0.5", "bypass_by = \"all\""),
        ("over_limit = {}", "over_limit = { action = \"drop\" }"),
    ] {
        let printed = Folder::with(&text(given)).succeeds(&["check", "burst.toml"]);
        assert!(printed.contains(stated), "{printed}");
    }
}

/// A rule that says nothing but its limit, of which the contract follows too.
#[test]
fn every_default_of_a_rule_is_stated() {
    let text = "[[traffic]]\npattern = 'burst'\n[[rule]]\nlimit = 5\nwindow = '60s'\n";
    let printed = Folder::with(text).succeeds(&["check", "burst.toml"]);
    let table: toml::Table = printed.parse().unwrap();
    assert_eq!(table["limit"].as_str(), Some("5/1m"));
    assert_eq!(
        toml::to_string(&table["rule"][0]).unwrap(),
        "default = false\nendpoint = \"**\"\nkey = [\"client\"]\nlimit = \"5/1m\"\nname = \"all\"\n"
    );
    assert_eq!(table["rules"].to_string(), "{ charge = \"all\" }");
}

#[test]
fn the_resolved_scenario_runs_to_the_same_bytes() {
    for text in [BURST, RICH, DRAWN, TRACE, AROUND, RULED, FILED] {
        let folder = folder_with(text);
        let resolved = folder.succeeds(&["check", "burst.toml"]);
        folder.write("resolved.toml", &resolved);
        folder.succeeds(&["run", "burst.toml", "-o", "first"]);
        folder.succeeds(&["run", "resolved.toml", "-o", "second"]);
        let (first, second) = (folder.files("first"), folder.files("second"));
        assert!(first.contains_key("run.json"));
        let names =
            |files: &std::collections::BTreeMap<_, _>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&first), names(&second));
        for (name, bytes) in &first {
            assert!(second[name] == *bytes, "{} differs", name);
        }
    }
}

/// A minute-and-window later than the last request, which comes at 1:04.
#[test]
fn every_default_is_stated() {
    let folder = Folder::with(BURST);
    let text = folder.succeeds(&["check", "burst.toml", "--algorithm", "token_bucket"]);
    let expected = [
        "title = \"Boundary\"",
        "limit = \"5/1m\"",
        "start = \"1970-01-01T00:00:00Z\"",
        "seed = 0",
        "duration = \"2m4s\"",
        "capacity = 5",
        "initial = 5",
        "refill = \"5/1m\"",
    ];
    // Rates are written in one of several equal ways, but for the last line all are fixed.
    for line in &expected[..7] {
        assert!(
            text.lines().any(|found| found == *line),
            "{line} in\n{text}"
        );
    }
    assert!(text.contains("refill = \""), "{text}");
}

/// The clock starts with the minute of the first record.
#[test]
fn what_follows_from_a_trace_is_stated_and_its_defects_are_noted() {
    let folder = folder_with(TRACE);
    let outcome = folder.ratesim(&["check", "burst.toml"]);
    assert!(
        outcome
            .stdout
            .contains("start = \"2026-01-01T00:00:00Z\"\n"),
        "{outcome:?}"
    );
    assert!(
        outcome.stderr.starts_with("note: burst.toml: "),
        "{outcome:?}"
    );
    assert!(
        outcome.stderr.contains("noon") || outcome.stderr.contains("line 4"),
        "{outcome:?}"
    );
}

#[test]
fn a_scenario_without_a_title_is_called_like_its_file() {
    let folder = Folder::new();
    folder.write("my burst.toml", BURST.replace("title = \"Boundary\"", ""));
    let text = folder.succeeds(&["check", "my burst.toml"]);
    assert!(text.starts_with("title = \"my burst\"\n"), "{text}");
}

/// What stands there as comments is right too.
#[test]
fn a_new_scenario_reads_with_its_commented_fields() {
    let folder = Folder::new();
    folder.succeeds(&["new", "mine"]);
    let written = folder.read("mine.toml");
    folder.succeeds(&["check", "mine.toml"]);
    let (plain, deployments) = written
        .split_once("# [[deployment]]")
        .expect("an example of deployments");
    let fields = deployments.replace("\n# ", "\n");
    folder.write("mine.toml", format!("{plain}[[deployment]]{fields}"));
    let text = folder.succeeds(&["check", "mine.toml"]);
    assert!(
        text.contains("token_bucket") && text.contains("name = \"one store\""),
        "{text}"
    );
    assert!(text.contains("retry = \"exponential\""), "{text}");
}
