//! What is read of rules, against what the catalog and the documentation list.

use super::super::{Bounds, Overrides, Scenario, Source};
use crate::catalog::{RULE, RULES};
use crate::error::Result;
use crate::rules::{Charge, OnReload, Part, Rules};
use crate::units::{Nanos, SimTime};
use crate::workload::Field;
use std::path::Path;

fn scenario(rest: &str) -> Result<Scenario> {
    let text =
        format!("duration = '1m'\n[[traffic]]\npattern = 'burst'\nendpoint = '/a'\n{rest}\n");
    let source = Source::new(Path::new("s.toml"), text);
    Scenario::read(&source, &Overrides::default(), &Bounds::default())
}

/// The rules of the first candidate.
fn rules(rest: &str) -> Rules {
    let scenario = scenario(rest).unwrap_or_else(|error| panic!("{error}"));
    let cluster = scenario.candidates[0].cluster.as_ref();
    let rules = cluster.and_then(|cluster| cluster.rules.as_deref());
    rules
        .expect("a candidate with rules takes the event path")
        .clone()
}

/// The names that the message about an unknown field lists.
fn read(rest: &str) -> Vec<String> {
    let error = scenario(rest).err().unwrap().to_string();
    let (_, allowed) = error.split_once("(allowed: ").expect("what is allowed");
    let mut read: Vec<_> = allowed
        .trim_end_matches(')')
        .split(", ")
        .map(str::to_owned)
        .collect();
    read.sort_unstable();
    read
}

/// Both directions: what is read is listed, what is listed is read.
#[test]
fn the_catalog_lists_every_field() {
    let listed = |fields: &[Field]| {
        let mut listed: Vec<_> = fields.iter().map(|field| field.name.to_owned()).collect();
        listed.sort_unstable();
        listed
    };
    for more in ["", "key = 'ip'\nmethod = 'GET'\nwindow = '1s'\n"] {
        let limit = if more.is_empty() { "'5/1m'" } else { "5" };
        let rule = format!("[[rule]]\nlimit = {limit}\n{more}zzzzzzzzzzzz = 1\n");
        assert_eq!(read(&rule), listed(RULE), "{more}");
    }
    let table = "[[rule]]\nlimit = '5/1m'\n[rules]\nzzzzzzzzzzzz = 1\n";
    assert_eq!(read(table), listed(RULES));
}

#[test]
fn a_rule_is_read_as_it_is_documented() {
    let rules = rules(
        "[[rule]]\nendpoint = '/a/**'\nmethods = ['get', 'POST']\nkey = ['user', 'endpoint']\nlimit = 5\n\
         window = '60s'\ncost = 3\nalgorithm = { kind = 'gcra', burst = 2 }\n\
         [[rule]]\nkey = 'global'\nlimit = '0.5/s'\ndefault = true\n",
    );
    assert_eq!(
        (rules.charge, rules.on_reload, rules.reload_every),
        (Charge::All, OnReload::Kept, None)
    );
    let set = rules.first();
    let [first, second] = &set.rules[..] else {
        panic!("two rules");
    };
    assert_eq!((&*first.name, &*second.name), ("GET+POST /a/**", "all"));
    assert_eq!(first.methods, ["GET", "POST"]);
    assert_eq!(
        (&first.key[..], &second.key[..]),
        (&[Part::User, Part::Endpoint][..], &[][..])
    );
    assert_eq!((first.charged(7), second.charged(7)), (3, 7));
    assert_eq!(first.limit, "5/1m".parse().unwrap());
    assert_eq!(second.limit, "1/2s".parse().unwrap());
    assert_eq!(first.algorithm.as_ref().map(|own| own.kind), Some("gcra"));
    assert_eq!((first.is_default, second.is_default), (false, true));
}

/// A limit of nothing is one; a rule of cost 0 takes nothing.
#[test]
fn limits_and_costs_of_zero_are_legal() {
    for limit in ["limit = '0/1s'", "limit = 0\nwindow = '1s'"] {
        let rules = rules(&format!("[[rule]]\n{limit}\ncost = 0\n"));
        let rule = &rules.first().rules[0];
        assert_eq!((rule.limit.units, rule.charged(9)), (0, 0), "{limit}");
    }
}

#[test]
fn the_contract_is_the_first_rules_limit_unless_it_is_stated() {
    let of = |rest: &str| scenario(rest).unwrap().limit.to_string();
    let rule = "[[rule]]\nlimit = '7/1h'\n[[rule]]\nname = 'b'\nlimit = '8/1h'\n";
    assert_eq!(of(rule), "7/1h");
    let source = Source::new(
        Path::new("s.toml"),
        format!("limit = '5/1m'\n[[traffic]]\npattern = 'burst'\n{rule}"),
    );
    let stated = Scenario::read(&source, &Overrides::default(), &Bounds::default()).unwrap();
    assert_eq!(stated.limit.to_string(), "5/1m");
}

/// A clock time in `at`, deployments with readings of their own, and rules that some do not go by.
#[test]
fn deployments_go_by_the_rules_in_their_own_way() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "one.yaml",
        "rules:\n- limit: 5/1m\n- endpoint: /a\n  limit: 3/1m\n",
    );
    write("two.yaml", "rules:\n- endpoint: /a\n  limit: 4/1m\n");
    write("bad.yaml", "rules:\n- limit: 4\n");
    let text = "duration = '1m'\nstart = '2026-01-01T18:00:00Z'\n[[traffic]]\npattern = 'burst'\n\
                endpoint = '/a'\n[rules]\nfile = 'one.yaml'\nreload_every = '10s'\n\
                change = [{ at = '18:00:15', file = 'two.yaml' }, { at = '40s', file = 'bad.yaml' }]\n\
                [[algorithm]]\nkind = 'gcra'\n\
                [[deployment]]\nname = 'a'\n\
                [[deployment]]\nname = 'b'\n\
                rules = { charge = 'each', state = 'converted', reload_every = '30s', only = ['all'] }\n";
    let source = Source::new(&folder.path().join("s.toml"), text);
    let scenario = Scenario::read(&source, &Overrides::default(), &Bounds::default()).unwrap();
    let of = |place: usize| {
        scenario.candidates[place]
            .cluster
            .as_ref()
            .unwrap()
            .rules
            .clone()
            .unwrap()
    };
    let (first, second) = (of(0), of(1));
    let names = |rules: &Rules, version: usize| {
        let set = rules.versions[version].content.clone();
        set.map(|set| {
            set.rules
                .iter()
                .map(|rule| rule.name.to_string())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(names(&first, 0).unwrap(), ["all", "/a"]);
    assert_eq!(names(&second, 0).unwrap(), ["all"]);
    assert_eq!(names(&first, 1).unwrap(), ["/a"]);
    assert!(names(&second, 1).unwrap().is_empty());
    for rules in [&first, &second] {
        let message = names(rules, 2).unwrap_err();
        assert!(
            message.contains("bad.yaml:2:3: rules.0.limit: found 4"),
            "{message}"
        );
    }
    let at = |rules: &Rules| {
        let end = SimTime::ZERO + Nanos::from_secs(60);
        let loads = rules.loads(end).into_iter();
        loads
            .map(|load| (load.at.as_nanos() / 1_000_000_000, load.version))
            .collect::<Vec<_>>()
    };
    assert_eq!(at(&first), [(0, 0), (20, 1), (40, 2)]);
    assert_eq!(at(&second), [(0, 0), (30, 1)]);
    assert_eq!(
        (first.charge, first.on_reload),
        (Charge::All, OnReload::Kept)
    );
    assert_eq!(
        (second.charge, second.on_reload),
        (Charge::Each, OnReload::Converted)
    );
}
