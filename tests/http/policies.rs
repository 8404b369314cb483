//! `RateLimit-Policy` and the form of the two structured fields.

use super::{fields, item, parameters};
use crate::ran::Ran;
use sfv::BareItem;

fn policy(limit: &str) -> String {
    let run = Ran::text(&format!(
        "limit = '{limit}'
        traffic = [{{ pattern = 'burst' }}]
        algorithm = [{{ kind = 'token_bucket' }}]"
    ));
    let fields = fields(&run, &run.of("token_bucket"), 0);
    let [policy, service] = ["RateLimit-Policy", "RateLimit"].map(|name| item(&fields[name]));
    let name = policy.bare_item.clone();
    assert!(matches!(name, BareItem::String(_)), "{policy:?}");
    assert_eq!(name, service.bare_item, "both are of one policy");
    let known = |allowed: &[&str], item| {
        let found = parameters(item);
        assert!(found.keys().all(|key| allowed.contains(key)), "{found:?}");
    };
    known(&["q", "w"], &policy);
    known(&["r", "t"], &service);
    fields["RateLimit-Policy"].clone()
}

#[test]
fn a_policy_is_the_limit_in_whole_seconds() {
    assert_eq!(policy("5/1m"), "\"default\";q=5;w=60");
    assert_eq!(policy("10/s"), "\"default\";q=10;w=1");
    assert_eq!(
        policy("1000000000000/366d"),
        "\"default\";q=1000000000000;w=31622400"
    );
    // Half a request a second is one in two.
    assert_eq!(policy("0.5/s"), "\"default\";q=1;w=2");
}

/// The field has no fractions: a rounded window would be another limit.
#[test]
fn a_window_that_is_no_whole_number_of_seconds_is_left_out() {
    assert_eq!(policy("5/2500ms"), "\"default\";q=5");
    assert_eq!(policy("10/100ms"), "\"default\";q=10");
    assert_eq!(policy("1/1ns"), "\"default\";q=1");
}
