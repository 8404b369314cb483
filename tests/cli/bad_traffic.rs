//! Wrong traffic of every pattern: named with its line and field, exit status 2.

use super::Folder;
use super::bad_input::refused;

#[test]
fn a_wrong_field_of_a_pattern_is_named_with_its_line_and_what_is_allowed() {
    // The fields of the block begin in the third line.
    let cases: &[(&str, &str, &[&str])] = &[
        ("pattern = 'steady'", "", &["traffic.0.rate", "is required"]),
        (
            "pattern = 'poisson'",
            "",
            &["traffic.0.rate", "is required"],
        ),
        (
            "pattern = 'poisson'\nrate = '-1/s'",
            "4:1: traffic.0.rate: ",
            &["negative"],
        ),
        (
            "pattern = 'poisson'\nrate = nan",
            "4:1: traffic.0.rate: ",
            &["`nan`"],
        ),
        (
            "pattern = 'poisson'\nrate = inf",
            "4:1: traffic.0.rate: ",
            &["`inf`"],
        ),
        (
            "pattern = 'poisson'\nrate = '1e30/s'",
            "4:1: traffic.0.rate: ",
            &["1e30"],
        ),
        ("pattern = 'poisson'\nrate = '0/s'", "", &["empty"]),
        ("pattern = 'renewal'", "", &["traffic.0.gap", "is required"]),
        (
            "pattern = 'renewal'\ngap = { kind = 'exponentail', mean = '1s' }",
            "4:9: traffic.0.gap.kind: ",
            &["did you mean `exponential`"],
        ),
        (
            "pattern = 'renewal'\ngap = { kind = 'exponential', mean = '-1s' }",
            "4:31: traffic.0.gap.mean: ",
            &["negative"],
        ),
        (
            "pattern = 'renewal'\ngap = { kind = 'exponential' }",
            "4:9: traffic.0.gap.kind: ",
            &["exactly one of `mean`"],
        ),
        (
            "pattern = 'renewal'\ngap = { kind = 'lognormal', median = '2s', p99 = '1s' }",
            "4:",
            &["traffic.0.gap"],
        ),
        (
            "pattern = 'renewal'\ngap = { kind = 'empirical', values = [] }",
            "4:",
            &["traffic.0.gap.values"],
        ),
        (
            "pattern = 'renewal'\ngap = '0s'",
            "4:1: traffic.0.gap: ",
            &[],
        ),
        (
            "pattern = 'on_off'\nrate = '1/s'\non = '1s'",
            "",
            &["traffic.0.off", "is required"],
        ),
        (
            "pattern = 'on_off'\nrate = '1/s'\non = '0s'\noff = '1s'",
            "",
            &["traffic.0.on"],
        ),
        (
            "pattern = 'ramp'\nfrom_rate = '1/s'\nto_rate = '-1/s'",
            "5:1: traffic.0.to_rate: ",
            &["negative"],
        ),
        (
            "pattern = 'diurnal'\nmean_rate = '1/s'\namplitude = 1.5",
            "5:1: traffic.0.amplitude: ",
            &["1.5 is out of range; allowed: 0 to 1"],
        ),
        (
            "pattern = 'diurnal'\nmean_rate = '1/s'\nperiod = '0s'",
            "5:1: traffic.0.period: ",
            &[],
        ),
        ("pattern = 'script'\nat = []", "", &["empty"]),
        (
            "pattern = 'script'\nat = ['soon']",
            "4:",
            &["traffic.0.at", "`soon`"],
        ),
        (
            "pattern = 'burst'\ncount = 2\nspread = '2s'\nrepeat_every = '1s'",
            "6:1: traffic.0.repeat_every: ",
            &["spread"],
        ),
        (
            "pattern = 'burst'\nkeys = { count = 0 }",
            "4:10: traffic.0.keys.count: ",
            &[],
        ),
        (
            "pattern = 'burst'\nkeys = { count = 3, popularity = 'zipff' }",
            "4:21: traffic.0.keys.popularity: ",
            &["did you mean `zipf`"],
        ),
        (
            "pattern = 'burst'\nkeys = { count = 3, popularity = 'lognormal', sigma = -1 }",
            "4:47: traffic.0.keys.sigma: ",
            &["expected a number from 0 to 20"],
        ),
        (
            "pattern = 'burst'\nkeys = { count = 3, popularity = 'hot', share = 1.5 }",
            "4:41: traffic.0.keys.share: ",
            &["1.5 is out of range; allowed: 0 to 1"],
        ),
        (
            "pattern = 'burst'\ncost = -1",
            "4:1: traffic.0.cost: ",
            &["-1"],
        ),
        (
            "pattern = 'burst'\ncost = { kind = 'uniform', min = 5, max = 2 }",
            "4:",
            &["traffic.0.cost"],
        ),
        (
            "pattern = 'burst'\nlegitimate = 'yes'",
            "4:1: traffic.0.legitimate: ",
            &["\"yes\""],
        ),
        ("pattern = 'burst'\nfrom = '1h'", "", &["empty"]),
    ];
    for (fields, place, parts) in cases {
        let folder = Folder::with(&format!("limit = '5/1m'\n[[traffic]]\n{fields}\n"));
        let flags = ["burst.toml", "--set", "duration=1m"];
        refused(&folder, &flags, &format!("burst.toml:{place}"), parts);
    }
}
