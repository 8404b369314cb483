//! Which algorithms a scenario runs, under which names and parameters.

use crate::catalog::{ALGORITHMS, AlgorithmRow, algorithm};
use crate::error::{Error, Place, Result};
use crate::params::{Contract, Params, unknown};
use crate::simulation::Planned;
use crate::units::Share;

/// The only deployment there is as yet: one node with a store that answers at once.
const DEPLOYMENT: &str = "single";

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
/// that the command line asks for.
pub(super) fn read(tables: Vec<Params>, wanted: &[String], contract: &Contract) -> Result<Chosen> {
    let listed = tables.into_iter().map(named).collect::<Result<Vec<_>>>()?;
    distinct(&listed)?;
    let entries = if !wanted.is_empty() {
        choose(listed, wanted)?
    } else if listed.is_empty() {
        let rows = ALGORITHMS.iter().filter(|row| row.by_default);
        rows.map(|row| plain(row, "the default algorithms"))
            .collect()
    } else {
        listed
    };
    let mut chosen = Chosen {
        candidates: Vec::with_capacity(entries.len()),
        tables: Vec::with_capacity(entries.len()),
    };
    for mut entry in entries {
        let candidate = (entry.row.build)(&mut entry.params, contract, &[Share::Whole])?;
        chosen.tables.push(entry.params.finish()?);
        chosen.candidates.push(Planned {
            name: entry.name,
            algorithm: entry.row.kind,
            title: entry.row.title,
            level_name: entry.row.level,
            envelope: entry.row.envelope,
            caution: entry.row.caution,
            deployment: DEPLOYMENT.to_owned(),
            cluster: None,
            candidate,
        });
    }
    Ok(chosen)
}

/// Reads the fields that say which algorithm it is and what it is called.
fn named(mut params: Params) -> Result<Entry> {
    let kind = params.required::<String>("kind")?;
    let row = algorithm(&kind).ok_or_else(|| {
        let kinds: Vec<&str> = ALGORITHMS.iter().map(|row| row.kind).collect();
        params.error("kind", unknown(&kind, &kinds))
    })?;
    let name = params.or("name", row.kind.to_owned())?;
    if name.trim().is_empty() || name.contains(',') || name.chars().any(char::is_control) {
        let message = format!(
            "found \"{}\"; a name has letters and neither commas nor control characters",
            name.escape_debug()
        );
        return Err(params.error("name", message));
    }
    Ok(Entry { row, name, params })
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
