//! The same bytes where hundreds of things happen at the same instants.

use crate::cli::Folder;

/// Requests come at whole seconds, from several blocks; all messages take nothing or whole seconds, and
/// outages, exchanges, steps, joins and timeouts fall on whole seconds as well.
const CROWDED: &str = r#"title = "Crowded instants"
limit = "40/10s"
duration = "40s"
seed = 5
algorithm = [{ kind = "fixed_window" }, { kind = "sliding_window_log" }]

[[traffic]]
pattern = "burst"
count = 120
repeat_every = "1s"
keys = { count = 7, popularity = "zipf" }

[[traffic]]
pattern = "burst"
count = 100
repeat_every = "2s"
keys = "one"

[[traffic]]
pattern = "script"
at = ["3s", "3s", "3s", "20s", "20s", "30s"]

[[deployment]]
name = "at once"
nodes = 4
routing = "random"
store = "central"
timeout = "1s"
on_store_failure = "local_fallback"
fallback_share = 0.5
outage = [{ of = "store", from = "10s", to = "20s", loses_state = true }]

[[deployment]]
name = "write"
nodes = 3
store = "central"
access = "read_then_write"
rtt = "2s"
timeout = "2s"
outage = [{ of = "store", from = "10s", to = "20s" }, { of = 1, from = "12s", to = "15s", detected_after = "1s" }]

[[deployment]]
name = "increment"
nodes = 3
store = "central"
access = "read_then_increment"
rtt = "2s"
clock = "node"
skew = ["0s", "2s", "-2s"]
clock_step = [{ of = 0, at = "10s", by = "-1s" }, { of = 0, at = "20s", by = "3s" }]

[[deployment]]
name = "synced"
nodes = 5
routing = "sticky"
store = "synced"
sync_every = "1s"
rtt = "2s"
timeout = "1s"
outage = [{ of = 0, from = "10s", to = "12s" }, { of = 3, from = "10s", to = "12s", detected_after = "1s" }]
join = [{ node = 4, at = "10s" }]
leave = [{ node = 1, at = "10s" }]

[[deployment]]
name = "leased"
nodes = 3
routing = "weighted"
weights = [3, 1, 1]
store = "leased"
batch = 7
rtt = "2s"
timeout = "3s"
slowdown = [{ from = "10s", to = "20s", adds = "2s" }]
ttl = "4s"
"#;

#[test]
fn crowded_instants_give_the_same_files_on_any_number_of_threads() {
    let folder = Folder::with(CROWDED);
    let run = |output: &str, flags: &[&str]| {
        let arguments = [&["run", "burst.toml", "--quiet", "-o", output], flags].concat();
        folder.succeeds(&arguments);
        folder.files(output)
    };
    let first = run("first", &["--threads", "1"]);
    let other = run("five", &["--threads", "5"]);
    assert!(other.keys().eq(first.keys()));
    let tables = ["1", "2"].map(|threads| {
        let mut files = run(threads, &["--threads", threads, "--no-charts"]);
        files.retain(|name, _| name.ends_with(".csv"));
        files
    });
    for other in tables.iter().chain([&other]) {
        assert!(other.contains_key("timeline.csv"));
        for (name, bytes) in other {
            assert!(first[name] == *bytes, "{name} differs");
        }
    }
    let timeline = String::from_utf8_lossy(&first["timeline.csv"]);
    // 40 bursts of 120, 20 of 100, and six more, under ten candidates.
    assert_eq!(timeline.lines().count(), 1 + 10 * (40 * 120 + 20 * 100 + 6));
}
