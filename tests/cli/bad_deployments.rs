//! Contradictory deployments: refused, or noted, by name and line.

use super::Folder;
use super::bad_input::refused;

/// A minute at 10/1s; the fields of the deployment begin in the seventh line.
const BEFORE: &str =
    "limit = '10/1s'\nduration = '1m'\n[[traffic]]\npattern = 'burst'\ncount = 3\n[[deployment]]\n";

const CENTRAL: &str = "nodes = 3\nstore = 'central'\ntimeout = '1s'\n";

fn with(fields: &str) -> Folder {
    Folder::with(&format!("{BEFORE}{fields}\n"))
}

/// Every case: fields, the place after the file's name, and parts of the message.
type Cases<'a> = &'a [(&'a str, &'a str, &'a [&'a str])];

fn all_refused(before: &str, cases: Cases) {
    for (fields, place, parts) in cases {
        let folder = with(&format!("{before}{fields}"));
        refused(
            &folder,
            &["burst.toml"],
            &format!("burst.toml:{place}"),
            parts,
        );
    }
}

#[test]
fn wrong_nodes_and_routing_are_refused() {
    all_refused(
        "",
        &[
            (
                "nodes = 0",
                "7:1: deployment.0.nodes: ",
                &["0 is out of range; allowed: 1 to 1024"],
            ),
            ("nodes = 1025", "7:1: deployment.0.nodes: ", &["1 to 1024"]),
            (
                "noeds = 3",
                "7:1: deployment.0.noeds: ",
                &["unknown field", "did you mean `nodes`"],
            ),
            (
                "routing = 'stiky'",
                "7:1: deployment.0.routing: ",
                &["did you mean `sticky`"],
            ),
            (
                "routing = 'weighted'",
                "6:1: deployment.0.weights: ",
                &["is required", "[10, 1]"],
            ),
            (
                "nodes = 2\nweights = [1, 2]",
                "8:1: deployment.0.weights: ",
                &["found a list", "routing = \"weighted\""],
            ),
            (
                "nodes = 2\nrouting = 'weighted'\nweights = [1, 2, 3]",
                "9:1: deployment.0.weights: ",
                &["has 3 items", "`nodes` is 2"],
            ),
            (
                "nodes = 2\nrouting = 'weighted'\nweights = [0, 0]",
                "9:1: deployment.0.weights: ",
                &["all are 0"],
            ),
            (
                "nodes = 2\nrouting = 'weighted'\nweights = [1, 5000000000]",
                "9:1: deployment.0.weights: ",
                &["5000000000 is out of range", "0 to 1000000"],
            ),
        ],
    );
}

#[test]
fn what_belongs_to_another_store_is_refused() {
    let mut cases = vec![(
        "store = 'centrall'".to_owned(),
        "7:1: deployment.0.store: ".to_owned(),
        "did you mean `central`".to_owned(),
    )];
    let owners = [
        ("share = 'split'", "local"),
        ("access = 'atomic'", "central"),
        ("sync_every = '1s'", "synced"),
        ("batch = 3", "leased"),
    ];
    for (field, owner) in owners {
        for kind in ["local", "central", "synced", "leased"] {
            if kind != owner {
                let name = field.split(' ').next().unwrap();
                cases.push((
                    format!("store = '{kind}'\n{field}"),
                    format!("8:1: deployment.0.{name}: "),
                    format!("it is for store = \"{owner}\", and this one is \"{kind}\""),
                ));
            }
        }
    }
    for (kind, more) in [("local", ""), ("synced", "\nsync_every = '1s'")] {
        let line = 8 + more.matches('\n').count();
        for (field, part) in [
            ("clock = 'store'", "the clock of the node"),
            ("on_store_failure = 'fail_closed'", "asks no store"),
            ("fallback_share = 0.5", "asks no store"),
            (
                "slowdown = [{ from = '1s', to = '2s', adds = '1s' }]",
                "asks no store",
            ),
            ("timeout = '1s'", "unless a node has an `outage`"),
        ] {
            let name = field.split(' ').next().unwrap();
            cases.push((
                format!("store = '{kind}'{more}\n{field}"),
                format!("{line}:1: deployment.0.{name}: "),
                part.to_owned(),
            ));
        }
    }
    cases.push((
        "rtt = '0s'".to_owned(),
        "7:1: deployment.0.rtt: ".to_owned(),
        "store = \"local\" asks nobody".to_owned(),
    ));
    for (fields, place, part) in cases {
        all_refused("", &[(&fields, &place, &[&part])]);
    }
}

#[test]
fn what_a_store_needs_is_required_and_within_bounds() {
    all_refused(
        "",
        &[
            (
                "store = 'synced'",
                "6:1: deployment.0.sync_every: ",
                &["is required", "\"100ms\""],
            ),
            (
                "store = 'synced'\nsync_every = '0s'",
                "8:1: deployment.0.sync_every: ",
                &["found 0s"],
            ),
            (
                "store = 'leased'",
                "6:1: deployment.0.batch: ",
                &["is required", "batch = 10"],
            ),
            (
                "store = 'leased'\nbatch = 0",
                "8:1: deployment.0.batch: ",
                &["0 is out of range", "1 to"],
            ),
            (
                "store = 'central'\naccess = 'read_then_wriet'",
                "8:1: deployment.0.access: ",
                &["did you mean `read_then_write`"],
            ),
            (
                "store = 'central'\nrtt = -1",
                "8:1: deployment.0.rtt: ",
                &["found -1"],
            ),
            (
                "store = 'central'\nrtt = '2d'",
                "8:1: deployment.0.rtt: ",
                &["longer than 1d"],
            ),
            (
                "store = 'central'\nrtt = { kind = 'lognormal', median = '1ms' }",
                "8:9: deployment.0.rtt.kind: ",
                &["needs"],
            ),
        ],
    );
}

/// Token buckets have no count to add to.
#[test]
fn an_increment_of_what_is_no_count_is_refused() {
    let fields = "store = 'central'\naccess = 'read_then_increment'\n";
    let parts: &[&str] = &[
        "`token_bucket` keeps none",
        "allowed: fixed_window, sliding_window_log, sliding_window_counter",
        "read_then_write",
    ];
    let listed = format!("{fields}[[algorithm]]\nkind = 'token_bucket'");
    all_refused("", &[(&listed, "8:1: deployment.0.access: ", parts)]);
    let flags = ["burst.toml", "--algorithm", "fixed_window,token_bucket"];
    refused(
        &with(fields),
        &flags,
        "burst.toml:8:1: deployment.0.access: ",
        parts,
    );
}

#[test]
fn clocks_that_nobody_asks_are_refused() {
    all_refused(
        "",
        &[
            (
                "skew = ['1s']",
                "7:1: deployment.0.skew: ",
                &["with one node", "`nodes`"],
            ),
            (
                "nodes = 2\nstore = 'central'\nskew = ['1s', '0s']",
                "9:1: deployment.0.skew: ",
                &["no node's clock decides", "clock = \"node\""],
            ),
            (
                "nodes = 2\nskew = ['1s']",
                "8:1: deployment.0.skew: ",
                &["has 1 items", "`nodes` is 2"],
            ),
            (
                "nodes = 2\nskew = ['1s', 'x']",
                "8:1: deployment.0.skew: ",
                &["`x` is not a duration"],
            ),
            (
                "nodes = 2\nskew = ['1s', '-400d']",
                "8:1: deployment.0.skew: ",
                &["400d off", "up to 366d"],
            ),
            (
                "clock_step = [{ of = 'store', at = '1s', by = '1s' }]",
                "7:17: deployment.0.clock_step.0.of: ",
                &["store = \"local\" has none", "0, the only node"],
            ),
            (
                "nodes = 2\nclock_step = [{ of = 2, at = '1s', by = '1s' }]",
                "8:17: deployment.0.clock_step.0.of: ",
                &["no node 2; allowed: 0 to 1"],
            ),
            (
                "store = 'central'\nclock_step = [{ of = 0, at = '1s', by = '1s' }]",
                "8:17: deployment.0.clock_step.0.of: ",
                &["no node's clock decides", "clock = \"node\""],
            ),
            (
                "store = 'central'\nclock = 'node'\nclock_step = [{ of = 'store', at = '1s', by = '1s' }]",
                "9:17: deployment.0.clock_step.0.of: ",
                &["the store's clock decides nothing", "clock = \"store\""],
            ),
            (
                "[[deployment.clock_step]]\nof = 0\nat = '1m'\nby = '1s'",
                "9:1: deployment.0.clock_step.0.at: ",
                &["1m is not within the run", "ends at 1m", "`duration`"],
            ),
            (
                "[[deployment.clock_step]]\nof = 0\nat = '1s'",
                "7:1: deployment.0.clock_step.0.by: ",
                &["is required", "\"-10s\""],
            ),
        ],
    );
}

#[test]
fn outages_that_cannot_be_are_refused() {
    all_refused(
        CENTRAL,
        &[
            (
                "outage = [{ of = 'store', from = '1m', to = '2m' }]",
                "10:27: deployment.0.outage.0.from: ",
                &["1m is not within the run", "ends at 1m"],
            ),
            (
                "outage = [{ of = 'store', from = '5s', to = '5s' }]",
                "10:40: deployment.0.outage.0.to: ",
                &["found 5s", "later than `from`, 5s"],
            ),
            (
                "outage = [{ of = 3, from = '5s', to = '6s' }]",
                "10:13: deployment.0.outage.0.of: ",
                &["no node 3; allowed: 0 to 2"],
            ),
            (
                "outage = [{ of = 'stoer', from = '5s', to = '6s' }]",
                "10:13: deployment.0.outage.0.of: ",
                &["found \"stoer\"", "\"store\", or the number of a node"],
            ),
            (
                "outage = [{ of = 'store', from = '5s', to = '6s', detected_after = '1s' }]",
                "10:51: deployment.0.outage.0.detected_after: ",
                &["found \"1s\"", "it is for nodes"],
            ),
            (
                "[[deployment.outage]]\nof = 1\nfrom = '5s'\nto = '9s'\n[[deployment.outage]]\nof = 1\n\
                 from = '8s'\nto = '12s'",
                "10:14: deployment.0.outage: ",
                &["node 1 is already down", "at 8s"],
            ),
            (
                "join = [{ node = 1, at = '10s' }]\noutage = [{ of = 1, from = '9s', to = '20s' }]",
                "11:21: deployment.0.outage.0.from: ",
                &["found 9s, when node 1 is not there"],
            ),
            (
                "outage = { of = 1, from = '9s', to = '20s' }",
                "10:1: deployment.0.outage: ",
                &["must be a list of tables, written [[deployment.outage]]"],
            ),
            (
                "slowdown = [{ from = '1h', to = '2h', adds = '1s' }]",
                "10:15: deployment.0.slowdown.0.from: ",
                &["1h is not within the run"],
            ),
            (
                "slowdown = [{ from = '2s', to = '1s', adds = '1s' }]",
                "10:28: deployment.0.slowdown.0.to: ",
                &["found 1s", "later than `from`, 2s"],
            ),
            (
                "slowdown = [{ from = '1s', to = '2s', adds = '0s' }]",
                "10:39: deployment.0.slowdown.0.adds: ",
                &["found 0s", "more than 0s"],
            ),
            (
                "slowdown = [{ from = '1s', to = '3s', adds = '1s' }, { from = '2s', to = '3s', adds = '1s' }]",
                "10:1: deployment.0.slowdown: ",
                &["two overlap at 2s"],
            ),
        ],
    );
}

#[test]
fn timeouts_and_fallbacks_that_cannot_be_are_refused() {
    all_refused(
        "",
        &[
            (
                "store = 'central'\noutage = [{ of = 'store', from = '5s', to = '6s' }]",
                "6:1: deployment.0.timeout: ",
                &["is required", "the store is down at 5s", "timeout = \"1s\""],
            ),
            (
                "nodes = 2\noutage = [{ of = 1, from = '5s', to = '6s' }]",
                "6:1: deployment.0.timeout: ",
                &["is required", "node 1 is down at 5s"],
            ),
            (
                "store = 'central'\ntimeout = '0s'",
                "8:1: deployment.0.timeout: ",
                &["found 0s"],
            ),
            (
                "store = 'central'\ntimeout = '2m'",
                "8:1: deployment.0.timeout: ",
                &["2m is longer than the run, 1m", "`duration`"],
            ),
            (
                "store = 'central'\ntimeout = '1s'\non_store_failure = 'local_fallback'",
                "6:1: deployment.0.fallback_share: ",
                &["is required", "fallback_share = 0.1"],
            ),
            (
                "store = 'central'\ntimeout = '1s'\non_store_failure = 'local_fallback'\nfallback_share = 1.5",
                "10:1: deployment.0.fallback_share: ",
                &["`1.5` is not a share from 0 to 1"],
            ),
            (
                "store = 'central'\nfallback_share = 0.5",
                "8:1: deployment.0.fallback_share: ",
                &["found 0.5", "on_store_failure = \"local_fallback\""],
            ),
        ],
    );
}

#[test]
fn nodes_that_cannot_come_or_go_are_refused() {
    all_refused(
        "nodes = 2\n",
        &[
            (
                "join = [{ node = 2, at = '5s' }]",
                "8:11: deployment.0.join.0.node: ",
                &["no node 2; allowed: 0 to 1"],
            ),
            (
                "join = [{ node = 1, at = '1m' }]",
                "8:21: deployment.0.join.0.at: ",
                &["1m is not within the run"],
            ),
            (
                "leave = [{ node = 1, at = '2m' }]",
                "8:22: deployment.0.leave.0.at: ",
                &["2m is not within the run"],
            ),
            (
                "join = [{ node = 1, at = '5s' }, { node = 1, at = '6s' }]",
                "8:1: deployment.0.join: ",
                &["node 1 does so twice", "6s", "`outage`"],
            ),
            (
                "join = [{ node = 1, at = '5s' }]\nleave = [{ node = 1, at = '5s' }]",
                "9:1: deployment.0.leave: ",
                &["leaves at 5s but joins only at 5s"],
            ),
            (
                "join = [{ node = 0, at = '5s' }, { node = 1, at = '6s' }]",
                "8:1: deployment.0.join: ",
                &["no node is there at the beginning"],
            ),
            (
                "leave = [{ node = 0, at = '5s' }, { node = 1, at = '6s' }]",
                "8:1: deployment.0.leave: ",
                &["from 6s on no node is there"],
            ),
            (
                "routing = 'weighted'\nweights = [1, 0]\nleave = [{ node = 0, at = '5s' }]",
                "10:1: deployment.0.leave: ",
                &["from 5s on no node is there that requests are sent to"],
            ),
        ],
    );
}

#[test]
fn lifetimes_that_contradict_are_refused() {
    all_refused(
        "",
        &[
            (
                "ttl = '0s'",
                "7:1: deployment.0.ttl: ",
                &["found \"0s\"", "\"design\", \"none\", or a duration"],
            ),
            ("ttl = 5", "7:1: deployment.0.ttl: ", &["found 5"]),
            (
                "ttl = 'none'\nttl_from = 'write'",
                "8:1: deployment.0.ttl_from: ",
                &["found \"write\"", "a `ttl` that is a duration"],
            ),
            (
                "ttl = '1m'\nttl_from = 'now'",
                "8:1: deployment.0.ttl_from: ",
                &["`now` is not known", "write, creation"],
            ),
            (
                "ttl = 'none'\nlost_expire = ['1s']",
                "8:1: deployment.0.lost_expire: ",
                &["no key expires anyway"],
            ),
            (
                "lost_expire = ['1m']",
                "7:1: deployment.0.lost_expire: ",
                &["1m is not within the run"],
            ),
        ],
    );
}

#[test]
fn deployments_that_cannot_be_told_apart_are_refused() {
    all_refused(
        "",
        &[
            (
                "name = 'a'\n[[deployment]]\nnodes = 2",
                "8:1: deployment.1.name: ",
                &["is required where there are several"],
            ),
            (
                "name = 'a'\n[[deployment]]\nname = 'a'",
                "9:1: deployment.1.name: ",
                &["`a` is the name of an earlier deployment"],
            ),
            ("name = ','", "7:1: deployment.0.name: ", &["found \",\""]),
            (
                "name = 'c'\n[[deployment]]\nname = 'b / c'\n[[algorithm]]\nkind = 'gcra'\nname = 'a'\n\
                 [[algorithm]]\nkind = 'gcra'\nname = 'a / b'",
                "7:1: deployment.0.name: ",
                &["`a / b / c`"],
            ),
        ],
    );
}

#[test]
fn what_is_odd_is_noted_with_its_place() {
    let cases: Cases = &[
        (
            "nodes = 11\nshare = 'split'",
            "8:1: deployment.0.share: ",
            &["11 nodes", "10/1s", "admits nothing"],
        ),
        (
            "store = 'leased'\nbatch = 11",
            "8:1: deployment.0.batch: ",
            &["11 is above the limit of 10/1s"],
        ),
        (
            "nodes = 2\nstore = 'synced'\nsync_every = '2m'",
            "9:1: deployment.0.sync_every: ",
            &["2m", "never exchange"],
        ),
        (
            "store = 'synced'\nsync_every = '1s'",
            "7:1: deployment.0.store: ",
            &["no others"],
        ),
        (
            "store = 'central'\non_store_failure = 'fail_closed'",
            "8:1: deployment.0.on_store_failure: ",
            &["without a `timeout` nothing fails"],
        ),
        (
            "store = 'central'\nrtt = '5ms'\ntimeout = '4ms'",
            "9:1: deployment.0.timeout: ",
            &["4ms is shorter than a round trip, 5ms"],
        ),
        (
            "store = 'central'\naccess = 'read_then_increment'",
            "8:1: deployment.0.access: ",
            &["token_bucket, leaky_bucket left out"],
        ),
    ];
    for (fields, place, parts) in cases {
        let outcome = with(fields).ratesim(&["check", "burst.toml"]);
        assert_eq!(outcome.status, Some(0), "{outcome:?}");
        let start = format!("note: burst.toml: burst.toml:{place}");
        let alone = format!("note: burst.toml:{place}");
        assert!(
            outcome.stderr.starts_with(&start) || outcome.stderr.starts_with(&alone),
            "{place}: {outcome:?}"
        );
        for part in *parts {
            assert!(outcome.stderr.contains(part), "{part}: {outcome:?}");
        }
    }
    let outcome = with("nodes = 10\nshare = 'split'").ratesim(&["check", "burst.toml"]);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn more_exchanges_or_states_than_allowed_are_refused_with_the_estimate() {
    let folder = with("nodes = 2\nstore = 'synced'\nsync_every = '1ns'");
    let parts: &[&str] = &[
        "60,000,000,000 times",
        "allowed are 2,000,000,000",
        "`sync_every`",
    ];
    refused(
        &folder,
        &["burst.toml"],
        "--max-requests 2000000000: ",
        parts,
    );
    // 5,001 keys and five algorithms: 5 MB at 200 bytes, and 64 for each further state.
    let folder = with("nodes = 1\n[[traffic]]\npattern = 'burst'\nkeys = { count = 5000 }");
    let flags = ["burst.toml", "--max-memory", "10"];
    folder.succeeds(&[&["check"], &flags[..]].concat());
    let many = [&flags[..], &["--set", "deployment.0.nodes=100"]].concat();
    refused(
        &folder,
        &many,
        "--max-memory 10: ",
        &["5 candidates", "163 MB"],
    );
}

#[test]
fn fields_of_deployments_are_set_from_the_command_line() {
    let folder = with("name = 'a'\n[[deployment.clock_step]]\nof = 0\nat = '1s'\nby = '-1s'");
    let flags = [
        "--set",
        "deployment.0.nodes=5",
        "--set",
        "deployment.a.clock_step.0.of=4",
    ];
    let text = folder.succeeds(&[&["check", "burst.toml"], &flags[..]].concat());
    assert!(text.contains("\nnodes = 5\n"), "{text}");
    assert!(text.contains("of = 4"), "{text}");
    let cases: [(&str, &str); 2] = [
        (
            "deployment.1.nodes=5",
            "deployment.1: there is no such item; deployment has 1",
        ),
        (
            "deployment.0.nodes=0",
            "deployment.0.nodes: 0 is out of range",
        ),
    ];
    for (set, message) in cases {
        let place = format!("--set {set}: {message}");
        refused(&folder, &["burst.toml", "--set", set], &place, &[]);
    }
    let none = Folder::with(super::BURST);
    let set = ["burst.toml", "--set", "deployment.0.nodes=5"];
    let place = "--set deployment.0.nodes=5: deployment: there is no such table";
    refused(&none, &set, place, &["add a [[deployment]]"]);
}
