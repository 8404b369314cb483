//! A deployment as a scenario.

use super::{Access, BLOCKS, Deployed, Policy, Routing, START, Slowdown, Step, Store, Whom};
use std::fmt::Write;

impl Deployed {
    /// The setup as a scenario.
    pub(in super::super) fn text(&self) -> String {
        let mut text = format!(
            "limit = '{}/{}ns'\nstart = '{}'\nduration = '{}ns'\nalgorithm = [{{ kind = '{}', {} }}]\n",
            self.algorithm.units,
            self.algorithm.window,
            START.0,
            self.end,
            self.algorithm.kind(),
            fields(&self.algorithm.parameters())
        );
        for block in 0..BLOCKS {
            let own = self.requests.iter().filter(|it| it.block == block);
            let at: Vec<String> = own.clone().map(|it| format!("{}ns", it.at)).collect();
            let Some(first) = own.clone().next() else {
                continue;
            };
            let (key, cost) = (first.key, first.cost);
            writeln!(
                text,
                "[[traffic]]\npattern = 'script'\nat = {at:?}\nkeys = 'key {key}'\ncost = {cost}"
            )
            .unwrap();
        }
        text += "[[deployment]]\n";
        self.write_deployment(&mut text).unwrap();
        text
    }

    fn write_deployment(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "nodes = {}", self.nodes)?;
        match &self.routing {
            Routing::RoundRobin => {}
            Routing::Weighted(weights) => {
                writeln!(text, "routing = 'weighted'\nweights = {weights:?}")?;
            }
            Routing::Told(name) => writeln!(text, "routing = '{name}'")?,
        }
        match self.store {
            Store::Own => {}
            Store::Split => writeln!(text, "share = 'split'")?,
            Store::Synced(every) => {
                writeln!(text, "store = 'synced'\nsync_every = '{every}ns'")?;
            }
            Store::Leased(batch) => {
                let clock = if self.by_nodes { "node" } else { "store" };
                writeln!(text, "store = 'leased'\nbatch = {batch}\nclock = '{clock}'")?;
            }
            Store::Central(access) => {
                let access = match access {
                    Access::Atomic => "atomic",
                    Access::Write => "read_then_write",
                    Access::Increment => "read_then_increment",
                };
                let clock = if self.by_nodes { "node" } else { "store" };
                writeln!(
                    text,
                    "store = 'central'\naccess = '{access}'\nclock = '{clock}'"
                )?;
            }
        }
        if self.has_store() || matches!(self.store, Store::Synced(_)) {
            writeln!(text, "rtt = '{}ns'", self.trip)?;
        }
        if self.skews.iter().any(|skew| *skew != 0) {
            let skews: Vec<_> = self.skews.iter().map(|by| format!("{by}ns")).collect();
            writeln!(text, "skew = {skews:?}")?;
        }
        self.write_policy(text)?;
        let name = |of: Whom| of.map_or("'store'".to_owned(), |node| node.to_string());
        for Step { of, at, by } in &self.steps {
            let of = name(*of);
            writeln!(
                text,
                "[[deployment.clock_step]]\nof = {of}\nat = '{at}ns'\nby = '{by}ns'"
            )?;
        }
        for (moves, list) in [("join", &self.joins), ("leave", &self.leaves)] {
            for (node, at) in list {
                writeln!(text, "[[deployment.{moves}]]\nnode = {node}\nat = '{at}ns'")?;
            }
        }
        if let Some(Slowdown { from, to, adds }) = self.slowdown {
            writeln!(
                text,
                "[[deployment.slowdown]]\nfrom = '{from}ns'\nto = '{to}ns'\nadds = '{adds}ns'"
            )?;
        }
        for outage in &self.outages {
            let (from, to, loses) = (outage.from, outage.to, outage.loses_state);
            let of = name(outage.of);
            writeln!(
                text,
                "[[deployment.outage]]\nof = {of}\nfrom = '{from}ns'\nto = '{to}ns'\n\
                 loses_state = {loses}"
            )?;
            if let Some(found) = outage.found {
                writeln!(text, "detected_after = '{}ns'", found - from)?;
            }
        }
        Ok(())
    }

    /// What fails, and when: fields that stand before the tables of a deployment.
    fn write_policy(&self, text: &mut String) -> std::fmt::Result {
        if let Some(timeout) = self.timeout {
            writeln!(text, "timeout = '{timeout}ns'")?;
        }
        match self.policy {
            Policy::Open => Ok(()),
            Policy::Closed => writeln!(text, "on_store_failure = 'fail_closed'"),
            Policy::Fallback(parts, of) => writeln!(
                text,
                "on_store_failure = 'local_fallback'\nfallback_share = '{parts}/{of}'"
            ),
        }
    }
}

/// `capacity=5 mode=meter` as the fields of a TOML table.
fn fields(parameters: &str) -> String {
    let pairs = parameters.split_whitespace().map(|pair| {
        let (name, value) = pair.split_once('=').expect("name=value");
        let is_bare = value.parse::<u64>().is_ok() || value == "true" || value == "false";
        let quote = if is_bare { "" } else { "'" };
        format!("{name} = {quote}{value}{quote}")
    });
    pairs.collect::<Vec<_>>().join(", ")
}
