//! Which candidates a scenario runs: every algorithm under every deployment, with their names and
//! parameters.

use super::deployments::{Frame, Placed};
use crate::catalog::{ALGORITHMS, AlgorithmRow, algorithm};
use crate::error::{Error, Place, Result};
use crate::params::{Contract, Params, unknown};
use crate::rules::{Rule, Rules};
use crate::simulation::{Access, Limiters, Planned, Store, under_rules};
use crate::units::Share;

/// The candidates and the tables that they resolve to.
pub(super) struct Chosen {
    pub(super) candidates: Vec<Planned>,
    pub(super) tables: Vec<toml::Table>,
}

/// An algorithm before its parameters are read.
struct Entry {
    row: &'static AlgorithmRow,
    name: String,
    params: Params,
}

/// Reads the `[[algorithm]]` tables, or takes the default ones where there are none, and keeps those
/// that the command line asks for; each is built once for every deployment.
pub(super) fn read(
    tables: Vec<Params>,
    wanted: &[String],
    deployments: &[Placed],
    frame: &Frame,
    notes: &mut Vec<String>,
) -> Result<Chosen> {
    let listed = tables.into_iter().map(named).collect::<Result<Vec<_>>>()?;
    distinct(&listed)?;
    let entries = if !wanted.is_empty() {
        choose(listed, wanted)?
    } else if listed.is_empty() {
        usual(deployments, notes)
    } else {
        listed
    };
    check_increments(&entries, deployments)?;
    let are_several = entries.len() > 1;
    let mut chosen = Chosen {
        candidates: Vec::with_capacity(entries.len() * deployments.len()),
        tables: Vec::with_capacity(entries.len()),
    };
    for mut entry in entries {
        for placed in deployments {
            let name = match (deployments.len(), are_several) {
                (1, _) => entry.name.clone(),
                (_, false) => placed.deployment.name.clone(),
                (_, true) => format!("{} / {}", entry.name, placed.deployment.name),
            };
            if chosen.candidates.iter().any(|other| other.name == name) {
                let message =
                    format!("two candidates would be called `{name}`; choose other names");
                return Err(placed.params.error("name", message));
            }
            chosen
                .candidates
                .push(plan(&mut entry, name, placed, frame)?);
        }
        chosen.tables.push(entry.params.finish()?);
    }
    Ok(chosen)
}

/// An algorithm under a deployment.
fn plan(entry: &mut Entry, name: String, placed: &Placed, frame: &Frame) -> Result<Planned> {
    let deployment = &placed.deployment;
    let cluster = (!deployment.is_plain()).then(|| deployment.clone());
    let shares = cluster
        .as_ref()
        .map_or_else(|| vec![Share::Whole], |cluster| cluster.shares());
    let contract = frame.contract(deployment);
    let row = entry.row;
    let candidate = match &deployment.rules {
        None => (row.build)(&mut entry.params, &contract, &shares)?,
        Some(rules) => under_rules(rules, limiters(entry, rules, &contract, &shares)?),
    };
    Ok(Planned {
        name,
        algorithm: row.kind,
        title: row.title,
        level_name: row.level,
        envelope: row.envelope,
        caution: row.caution,
        deployment: deployment.name.clone(),
        cluster,
        candidate,
    })
}

/// The limiters of each version's rules: by the algorithm that a rule names, else by that of the
/// candidate. What is not stated of an algorithm follows from each rule's limit, so that nothing is
/// resolved to one of them.
fn limiters(
    entry: &mut Entry,
    rules: &Rules,
    contract: &Contract,
    shares: &[Share],
) -> Result<Vec<Vec<Limiters>>> {
    let build = |rule: &Rule, own: &Params| -> Result<Limiters> {
        let contract = Contract {
            limit: rule.limit,
            ..*contract
        };
        let (row, mut params) = match &rule.algorithm {
            Some(named) => {
                let row = algorithm(named.kind).expect("one of the catalog's");
                (row, named.params.clone())
            }
            None => (entry.row, own.clone()),
        };
        Ok(Limiters {
            kind: row.kind,
            envelope: row.envelope,
            caution: row.caution,
            built: (row.build)(&mut params, &contract, shares)?,
        })
    };
    let mut versions = Vec::with_capacity(rules.versions.len());
    for version in &rules.versions {
        let rules = version.content.iter().flat_map(|set| &set.rules);
        let limiters = rules.map(|rule| build(rule, &entry.params));
        versions.push(limiters.collect::<Result<Vec<_>>>()?);
    }
    let mut read = entry.params.clone();
    (entry.row.build)(&mut read, contract, shares)?;
    entry.params.learn(&read);
    Ok(versions)
}

/// The deployment whose nodes increment what they have read, if there is one.
fn incrementing(deployments: &[Placed]) -> Option<&Placed> {
    let increments = |placed: &&Placed| {
        let store = &placed.deployment.store;
        matches!(store, Store::Central(Access::ReadThenIncrement))
    };
    deployments.iter().find(increments)
}

/// The default algorithms. Those that cannot run under each of the deployments are left out, with a
/// note: a scenario that lists what is left reads to the same.
fn usual(deployments: &[Placed], notes: &mut Vec<String>) -> Vec<Entry> {
    let rows = ALGORITHMS.iter().filter(|row| row.by_default);
    let incrementing = incrementing(deployments);
    let (kept, left_out): (Vec<_>, Vec<_>) =
        rows.partition(|row| row.increments || incrementing.is_none());
    if let Some(placed) = incrementing {
        let left_out: Vec<_> = left_out.iter().map(|row| row.kind).collect();
        let message = format!(
            "{} left out: under \"read_then_increment\" the store adds to a count, and they keep none",
            left_out.join(", ")
        );
        notes.push(placed.params.error("access", message).to_string());
    }
    let entries = kept.into_iter();
    entries
        .map(|row| plain(row, "the default algorithms"))
        .collect()
}

/// Refuses an algorithm that has no count which a store could increment, where one has to.
fn check_increments(entries: &[Entry], deployments: &[Placed]) -> Result<()> {
    let Some(placed) = incrementing(deployments) else {
        return Ok(());
    };
    let Some(entry) = entries.iter().find(|entry| !entry.row.increments) else {
        return Ok(());
    };
    let allowed = ALGORITHMS.iter().filter(|row| row.increments);
    let allowed: Vec<_> = allowed.map(|row| row.kind).collect();
    let message = format!(
        "under \"read_then_increment\" the store adds to a count, and `{}` keeps none (allowed: {}); \
         choose among these algorithms, or access = \"read_then_write\"",
        entry.name,
        allowed.join(", ")
    );
    Err(placed.params.error("access", message))
}

/// Reads the fields that say which algorithm it is and what it is called.
fn named(mut params: Params) -> Result<Entry> {
    let kind = params.required::<String>("kind")?;
    let row = algorithm(&kind).ok_or_else(|| {
        let kinds: Vec<&str> = ALGORITHMS.iter().map(|row| row.kind).collect();
        params.error("kind", unknown(&kind, &kinds))
    })?;
    let name = params.or("name", row.kind.to_owned())?;
    check_name(&params, &name)?;
    Ok(Entry { row, name, params })
}

/// Refuses a name that cannot be told apart in tables and on the command line.
pub(super) fn check_name(params: &Params, name: &str) -> Result<()> {
    if name.trim().is_empty() || name.contains(',') || name.chars().any(char::is_control) {
        let message = format!(
            "found \"{}\"; a name has letters and neither commas nor control characters",
            name.escape_debug()
        );
        return Err(params.error("name", message));
    }
    Ok(())
}

/// Refuses a name that two algorithms share: results could not be told apart.
fn distinct(entries: &[Entry]) -> Result<()> {
    for (index, entry) in entries.iter().enumerate() {
        if entries[..index]
            .iter()
            .any(|other| other.name == entry.name)
        {
            let message = if entry.params.has("name") {
                format!(
                    "`{}` is the name of an earlier algorithm; names must differ",
                    entry.name
                )
            } else {
                format!(
                    "a second `{0}` needs a name that tells it apart, such as name = \"{0}_2\"",
                    entry.name
                )
            };
            return Err(entry.params.error("name", message));
        }
    }
    Ok(())
}

/// The algorithms called `wanted`, in that order: those of the scenario with this name or kind, else
/// that of the catalog with its defaults.
fn choose(mut listed: Vec<Entry>, wanted: &[String]) -> Result<Vec<Entry>> {
    let mut chosen: Vec<Entry> = Vec::new();
    for wish in wanted {
        let is_meant = |entry: &Entry| entry.name == *wish || entry.row.kind == wish;
        if chosen.iter().any(is_meant) && !listed.iter().any(is_meant) {
            continue;
        }
        let (meant, others): (Vec<_>, Vec<_>) = listed.into_iter().partition(is_meant);
        listed = others;
        if !meant.is_empty() {
            chosen.extend(meant);
            continue;
        }
        let flag = format!("--algorithm {wish}");
        let row = algorithm(wish).ok_or_else(|| {
            let mut known: Vec<&str> = ALGORITHMS.iter().map(|row| row.kind).collect();
            let names = chosen
                .iter()
                .chain(&listed)
                .map(|entry| entry.name.as_str());
            let names = names.filter(|name| algorithm(name).is_none());
            known.extend(names);
            Error::input(unknown(wish, &known)).at(Place::Flag(flag.as_str().into()))
        })?;
        chosen.push(plain(row, &flag));
    }
    Ok(chosen)
}

/// An algorithm with nothing but its defaults.
fn plain(row: &'static AlgorithmRow, because: &str) -> Entry {
    let mut params = Params::empty(row.kind, Place::Flag(because.into()));
    params.resolve("kind", row.kind.into());
    params.resolve("name", row.kind.into());
    Entry {
        row,
        name: row.kind.to_owned(),
        params,
    }
}
