//! From `[[rule]]`, `[rules]` and rules files to rules.
//!
//! What the rules are is read before the traffic, since the contract may follow from them; when their
//! file changes is read after it, since clock times need the epoch. A deployment may go by them in a way
//! of its own.

mod file;
mod notes;
mod one;
#[cfg(test)]
mod tests;

pub use file::RulesFile;
pub(super) use notes::{add as add_notes, check_identities};

use super::deployments::Frame;
use crate::error::{Place, Result};
use crate::params::{Params, unknown};
use crate::rules::{Charge, OnReload, RuleSet, Rules, Version};
use crate::units::{Limit, Nanos, SimTime};
use std::path::Path;
use std::sync::Arc;

/// The rules that a scenario states.
pub(super) struct Stated {
    /// The table `[rules]`.
    params: Params,
    /// The file that they stand in; empty where they stand in the scenario.
    file: String,
    first: Arc<RuleSet>,
    /// Where each of the first rules stands, and how messages call it.
    places: Vec<(Place, String)>,
    changes: Vec<Change>,
    settings: Settings,
    /// The tables of rules that stand in the scenario, with every default.
    pub(super) tables: Vec<toml::Table>,
}

/// A change of the rules file.
struct Change {
    params: Params,
    file: String,
    content: std::result::Result<Arc<RuleSet>, String>,
}

/// How a limiter goes by rules.
#[derive(Clone, Copy)]
struct Settings {
    charge: Charge,
    on_reload: OnReload,
    reload_every: Option<Nanos>,
}

/// Reads `[[rule]]` and `[rules]`; files are relative to the folder `base`.
pub(super) fn read(root: &mut Params, base: &Path) -> Result<Option<Stated>> {
    let has_list = root.has("rule");
    let here = root.tables("rule")?;
    let mut params = match root.table("rules") {
        Some(params) => params,
        None if root.has("rules") => {
            let message = "must be a table, written [rules]; a rule is a [[rule]]";
            return Err(root.error("rules", message));
        }
        None if here.is_empty() => return Ok(None),
        None => Params::empty("rules", root.place().clone()),
    };
    let (file, listed, places) = if let Some(file) = params.optional::<String>("file")? {
        if has_list {
            let message =
                "the rules stand in a `file` already (see [rules]); leave one of them out";
            return Err(root.error("rule", message));
        }
        let listed = file::open(&base.join(&file))?;
        let places = listed.places;
        (file, (listed.set, Vec::new()), places)
    } else {
        if here.is_empty() {
            let message = "is required where there is no [[rule]]: the name of a rules file, such as \
                           \"rules.yaml\"";
            return Err(params.error("file", message));
        }
        let listed = file::listed(here)?;
        (String::new(), (listed.set, listed.tables), listed.places)
    };
    let changes = changes(&mut params, base)?;
    let has_file = !file.is_empty();
    let settings = settings(&mut params, Settings::USUAL, has_file, !changes.is_empty())?;
    params.check_known()?;
    Ok(Some(Stated {
        params,
        file,
        first: Arc::new(listed.0),
        places,
        changes,
        settings,
        tables: listed.1,
    }))
}

/// Reads the list `change` as far as it needs no clock.
fn changes(params: &mut Params, base: &Path) -> Result<Vec<Change>> {
    let tables = params.tables("change")?;
    if !tables.is_empty() && !params.has("file") {
        let message = "is for rules that stand in a `file`; put them into one";
        return Err(params.error("change", message));
    }
    let read = tables.into_iter().map(|mut table| {
        let file = table.required::<String>("file")?;
        let content = file::open(&base.join(&file)).map(|listed| Arc::new(listed.set));
        Ok(Change {
            params: table,
            file,
            content: content.map_err(|error| error.to_string()),
        })
    });
    read.collect()
}

impl Settings {
    const USUAL: Self = Self {
        charge: Charge::All,
        on_reload: OnReload::Kept,
        reload_every: None,
    };
}

/// Reads how a limiter goes by the rules; what is not said is as `usual`.
fn settings(
    params: &mut Params,
    usual: Settings,
    has_file: bool,
    has_changes: bool,
) -> Result<Settings> {
    if !has_file {
        for name in ["reload_every", "state"] {
            if params.raw(name).is_some() {
                let message =
                    "is for rules that stand in a `file`; those of the scenario never change";
                return Err(params.error(name, message));
            }
        }
    }
    let charge = params.choice("charge", &["all", "each"], usual.charge.name())?;
    let reload_every = params
        .optional::<Nanos>("reload_every")?
        .or(usual.reload_every);
    if reload_every == Some(Nanos::ZERO) {
        let message = "must be longer than 0s: the time from one reading of the file to the next";
        return Err(params.error("reload_every", message));
    }
    if has_changes && reload_every.is_none() {
        let message = "is required where the file changes: how often it is read, such as \"10s\"";
        return Err(params.error("reload_every", message));
    }
    let on_reload = if has_changes || params.has("state") {
        params.choice(
            "state",
            &["kept", "reset", "converted"],
            usual.on_reload.name(),
        )?
    } else {
        usual.on_reload.name()
    };
    Ok(Settings {
        charge: if charge == "each" {
            Charge::Each
        } else {
            Charge::All
        },
        on_reload: match on_reload {
            "reset" => OnReload::Reset,
            "converted" => OnReload::Converted,
            _ => OnReload::Kept,
        },
        reload_every,
    })
}

impl Charge {
    const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Each => "each",
        }
    }
}

impl OnReload {
    const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Reset => "reset",
            Self::Converted => "converted",
        }
    }
}

impl Stated {
    /// The limit of the first rule.
    pub(super) fn limit(&self) -> Limit {
        self.first.rules[0].limit
    }

    /// What the file ever holds that can be read.
    fn sets(&self) -> impl Iterator<Item = &RuleSet> {
        let changed = self
            .changes
            .iter()
            .filter_map(|change| change.content.as_ref().ok());
        std::iter::once(&self.first)
            .chain(changed)
            .map(|set| &**set)
    }

    /// The rules over the run, with the moments of their changes.
    pub(super) fn place(&mut self, frame: &Frame) -> Result<Rules> {
        let mut versions = vec![Version {
            file: self.file.clone(),
            at: SimTime::ZERO,
            content: Ok(self.first.clone()),
        }];
        let mut tables = Vec::new();
        for change in &mut self.changes {
            let at = frame.instant(&mut change.params, "at")?;
            let before = versions.last().map_or(SimTime::ZERO, |version| version.at);
            if at <= before {
                let message = format!(
                    "found {}; changes stand in order of time, later than 0s and than the one before",
                    at.since(SimTime::ZERO)
                );
                return Err(change.params.error("at", message));
            }
            versions.push(Version {
                file: change.file.clone(),
                at,
                content: change.content.clone(),
            });
            tables.push(change.params.clone().finish()?);
        }
        if !tables.is_empty() {
            self.params.resolve("change", tables.into());
        }
        Ok(Rules {
            versions,
            reload_every: self.settings.reload_every,
            on_reload: self.settings.on_reload,
            charge: self.settings.charge,
        })
    }

    /// The table `[rules]` with every default.
    pub(super) fn resolved(&self) -> Result<toml::Table> {
        self.params.clone().finish()
    }
}

/// Reads the field `rules` of a deployment: how it goes by the scenario's rules, where that is not as
/// the scenario says.
pub(super) fn of_deployment(
    params: &mut Params,
    rules: Option<&Arc<Rules>>,
) -> Result<Option<Arc<Rules>>> {
    let Some(mut table) = params.table("rules") else {
        if params.has("rules") {
            let message = "must be a table, such as { charge = \"each\" }";
            return Err(params.error("rules", message));
        }
        return Ok(rules.cloned());
    };
    let Some(rules) = rules else {
        let message = "there are no rules to go by; add a [[rule]], or a rules file under [rules]";
        return Err(params.error("rules", message));
    };
    let mut own = Rules::clone(rules);
    if let Some(names) = table.optional::<Vec<String>>("only")? {
        check_only(&table, &names, rules.first())?;
        for version in &mut own.versions {
            if let Ok(set) = &mut version.content {
                *set = Arc::new(set.only(&names));
            }
        }
    }
    let usual = Settings {
        charge: own.charge,
        on_reload: own.on_reload,
        reload_every: own.reload_every,
    };
    let has_file = !own.versions[0].file.is_empty();
    let settings = settings(&mut table, usual, has_file, own.versions.len() > 1)?;
    own.charge = settings.charge;
    own.on_reload = settings.on_reload;
    own.reload_every = settings.reload_every;
    params.resolve("rules", table.finish()?.into());
    Ok(Some(Arc::new(own)))
}

/// Refuses names of rules that are none.
fn check_only(table: &Params, names: &[String], first: &RuleSet) -> Result<()> {
    if names.is_empty() {
        let message = "found an empty list; name the rules that this deployment goes by";
        return Err(table.error("only", message));
    }
    let known: Vec<&str> = first.rules.iter().map(|rule| &*rule.name).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(stranger) => Err(table.error("only", unknown(stranger, &known))),
        None => Ok(()),
    }
}
