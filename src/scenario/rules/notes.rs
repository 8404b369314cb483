//! What is allowed of rules and yet not likely meant.

use super::Stated;
use crate::error::{Error, Result};
use crate::params::Params;
use crate::rules::{Charge, Part, Rule, Rules};
use crate::units::SimTime;
use crate::workload::{IDENTITY_FIELDS, Workload};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The parts that [`IDENTITY_FIELDS`] are.
const IDENTITY_PARTS: [Part; 3] = [Part::Ip, Part::User, Part::ApiKey];

/// Whether any rule that is ever read counts by this part.
fn counts_by(stated: &Stated, part: Part) -> bool {
    let mut rules = stated.sets().flat_map(|set| &set.rules);
    rules.any(|rule| rule.key.contains(&part))
}

/// Refuses addresses, users and API keys of the traffic where no rules ask for them, and notes those
/// that no rule counts by.
pub(in crate::scenario) fn check_identities(
    traffic: &[Params],
    stated: Option<&Stated>,
    notes: &mut Vec<String>,
) -> Result<()> {
    for block in traffic {
        for (name, part) in IDENTITY_FIELDS.into_iter().zip(IDENTITY_PARTS) {
            if !block.has(name) {
                continue;
            }
            let Some(stated) = stated else {
                let message = "is what rules count by, and there are none; add a [[rule]], or use \
                               `keys` for whom the limit is counted by";
                return Err(block.error(name, message));
            };
            if !counts_by(stated, part) {
                let message = format!(
                    "no rule counts by it; add \"{name}\" to the `key` of one, or leave it out"
                );
                notes.push(block.error(name, message).to_string());
            }
        }
    }
    Ok(())
}

/// Adds a note for each thing that comes to nothing under any of the deployments' rules.
pub(in crate::scenario) fn add(
    stated: &Stated,
    deployed: &[Arc<Rules>],
    workload: &Workload,
    end: SimTime,
    notes: &mut Vec<String>,
) {
    changes(stated, deployed, end, notes);
    let targets: Targets = workload
        .marks()
        .iter()
        .map(|mark| (mark.endpoint.as_deref(), mark.method.as_deref()))
        .collect();
    idle(stated, deployed, &targets, notes);
    for rules in deployed {
        charge(stated, rules, &targets, notes);
    }
    one_key(stated, workload, notes);
}

/// What requests ask for: endpoints and methods.
type Targets<'a> = BTreeSet<(Option<&'a str>, Option<&'a str>)>;

/// Changes that are broken or that no reading finds.
fn changes(stated: &Stated, deployed: &[Arc<Rules>], end: SimTime, notes: &mut Vec<String>) {
    if stated.changes.is_empty() {
        for name in ["reload_every", "state"] {
            if stated.params.has(name) {
                let message = "the file never changes, so that nothing comes of it; add a \
                               [[rules.change]]";
                notes.push(stated.params.error(name, message).to_string());
            }
        }
    }
    for (change, version) in stated.changes.iter().zip(1..) {
        if let Err(message) = &change.content {
            notes.push(format!(
                "{message}; the worker will keep the rules that it has"
            ));
        }
        let finds =
            |rules: &Arc<Rules>| rules.loads(end).iter().any(|load| load.version == version);
        if !deployed.iter().any(finds) {
            let message = "no reading finds this file: the next one is after the end of the run, or \
                           after another change; make `reload_every` shorter";
            notes.push(change.params.error("at", message).to_string());
        }
    }
}

/// Rules that apply to none of the requests.
fn idle(stated: &Stated, deployed: &[Arc<Rules>], targets: &Targets, notes: &mut Vec<String>) {
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut note = |rule: &Rule, called: &dyn Fn(String) -> String| {
        let message = if rule.is_default {
            "applies to no request: wherever it could, a rule that is no default does"
        } else {
            "applies to no request of the traffic; compare its `endpoint` and `methods` with those \
             of [[traffic]]"
        };
        notes.push(called(message.to_owned()));
    };
    let matched = |version: usize| {
        let sets = deployed
            .iter()
            .filter_map(move |rules| rules.versions[version].content.as_ref().ok());
        sets.flat_map(|set| {
            let places = targets
                .iter()
                .flat_map(|(endpoint, method)| set.matching(*endpoint, *method));
            places
                .map(|place| &*set.rules[place].name)
                .collect::<Vec<_>>()
        })
    };
    used.extend(matched(0));
    for (rule, (place, called)) in stated.first.rules.iter().zip(&stated.places) {
        if !used.contains(&*rule.name) {
            note(rule, &|message| {
                Error::input(format!("{called}: {message}"))
                    .at(place.clone())
                    .to_string()
            });
        }
    }
    for (change, version) in stated.changes.iter().zip(1..) {
        let Ok(set) = &change.content else {
            continue;
        };
        let used: BTreeSet<&str> = matched(version).collect();
        for rule in set.rules.iter().filter(|rule| !used.contains(&*rule.name)) {
            note(rule, &|message| {
                let message = format!("its rule `{}` {message}", rule.name);
                change.params.error("file", message).to_string()
            });
        }
    }
}

/// A way of charging several rules where never more than one applies.
fn charge(stated: &Stated, rules: &Rules, targets: &Targets, notes: &mut Vec<String>) {
    let mut sets = rules
        .versions
        .iter()
        .filter_map(|version| version.content.as_ref().ok());
    let several = sets.any(|set| {
        let mut targets = targets.iter();
        targets.any(|(endpoint, method)| set.matching(*endpoint, *method).len() > 1)
    });
    if rules.charge == Charge::Each && stated.settings.charge == Charge::Each && !several {
        let message = "never more than one rule applies to a request, so that \"each\" is the same \
                       as \"all\"";
        let note = stated.params.error("charge", message).to_string();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

/// Recorded requests whose address, user and API key are all their one key.
fn one_key(stated: &Stated, workload: &Workload, notes: &mut Vec<String>) {
    let used = [Part::Client, Part::Ip, Part::User, Part::ApiKey];
    let used: Vec<&str> = used
        .into_iter()
        .filter(|part| counts_by(stated, *part))
        .map(Part::name)
        .collect();
    if used.len() < 2 {
        return;
    }
    for (block, index) in workload.blocks().iter().zip(0..) {
        if block.pattern == "trace" && !block.says_who() {
            notes.push(format!(
                "traffic.{index}: rules count by {}, and each of its records has one key, which \
                 stands for all of them: no other column is read; `ip`, `user` and `api_key` of the \
                 block would be drawn at random",
                used.join(" and ")
            ));
        }
    }
}
