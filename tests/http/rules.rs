//! Several limits: the one that a client has to heed is the one that it is told.

use super::{assert_told, fields, item};
use crate::ran::Ran;
use sfv::BareItem;

const WINDOW: &str = "algorithm = [{ kind = 'fixed_window' }]\n";

/// Ten a minute for the group, of which three for one route; nothing for what has no rule.
#[test]
fn of_the_rules_that_allow_the_one_with_the_least_left_is_told() {
    let run = Ran::text(&format!(
        "{WINDOW}
        [[traffic]]
        pattern = 'burst'
        count = 4
        endpoint = '/api/posts'
        [[traffic]]
        pattern = 'burst'
        endpoint = '/api/users'
        [[traffic]]
        pattern = 'burst'
        endpoint = '/health'
        [[rule]]
        name = 'group'
        endpoint = '/api/**'
        limit = '10/1m'
        [[rule]]
        name = 'route'
        endpoint = '/api/posts'
        limit = '3/1m'"
    ));
    let expected = [
        "200 3 2 60 60 -",
        "200 3 1 60 60 -",
        "200 3 0 60 60 -",
        "429 3 0 60 60 60",
        // The denied one was not charged: three are used.
        "200 10 6 60 60 -",
        "200 nothing",
    ];
    assert_told(&run, &["fixed_window"], &expected);
    let policy = |index| fields(&run, &run.of("fixed_window"), index)["RateLimit-Policy"].clone();
    assert_eq!(policy(0), "\"route\";q=3;w=60");
    assert_eq!(policy(4), "\"group\";q=10;w=60");
}

/// Two a minute and one a second. Both deny the last one: a second later the minute still would.
#[test]
fn of_the_rules_that_deny_the_one_with_the_longest_wait_is_told() {
    let run = Ran::text(&format!(
        "{WINDOW}
        [[traffic]]
        pattern = 'script'
        at = ['0s', '0s', '1s', '1500ms']
        [[rule]]
        name = 'minute'
        limit = '2/1m'
        [[rule]]
        name = 'second'
        limit = '1/1s'"
    ));
    let expected = [
        "200 1 0 1 1 -",
        "429 1 0 1 1 1",
        "200 2 0 60 59 -",
        "429 2 0 60 59 59",
    ];
    assert_told(&run, &["fixed_window"], &expected);
}

/// The cheap rule has one unit left and takes none, the dear one has two and takes three: what is told is all
/// of the rule that denies.
#[test]
fn what_is_told_is_of_one_rule() {
    let run = Ran::text(&format!(
        "{WINDOW}
        [[traffic]]
        pattern = 'burst'
        endpoint = '/a'
        [[traffic]]
        pattern = 'burst'
        endpoint = '/b'
        cost = 3
        [[rule]]
        name = 'cheap'
        limit = '1/1h'
        endpoint = '/**'
        cost = 0
        [[rule]]
        name = 'dear'
        limit = '5/1m'
        cost = 3
        endpoint = '/**'"
    ));
    let expected = ["200 1 1 0 - -", "429 5 2 60 60 60"];
    assert_told(&run, &["fixed_window"], &expected);
}

/// A part of the rule's limit, not of any other.
#[test]
fn a_node_tells_its_part_of_the_rules_limit() {
    let run = Ran::text(&format!(
        "{WINDOW}
        limit = '100/1m'
        [[traffic]]
        pattern = 'burst'
        count = 2
        [[rule]]
        limit = '5/1m'
        [[deployment]]
        name = 'two'
        nodes = 2
        share = 'split'"
    ));
    let expected = ["200 3 2 60 60 -", "200 2 1 60 60 -"];
    assert_told(&run, &["fixed_window"], &expected);
}

/// A structured field's string is of printable ASCII.
#[test]
fn a_rule_of_any_name_is_a_string() {
    let run = Ran::text(&format!(
        "{WINDOW}
        [[traffic]]
        pattern = 'burst'
        [[rule]]
        name = 'say \"é\" \\ 1%'
        limit = '5/1m'"
    ));
    let fields = fields(&run, &run.of("fixed_window"), 0);
    for name in ["RateLimit-Policy", "RateLimit"] {
        let BareItem::String(name) = item(&fields[name]).bare_item else {
            panic!("{fields:?}");
        };
        assert_eq!(name.as_str(), "say \"%C3%A9\" \\ 1%");
    }
}
