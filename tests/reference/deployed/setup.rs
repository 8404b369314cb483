//! Random deployments of small limiters, with requests that meet at the same instants.

use super::super::draw::{Draw, Setup};
use std::fmt::Write;

/// Where the state lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Store {
    Own,
    Split,
    Central(Access),
    Synced(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Atomic,
    Write,
    Increment,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Routing {
    RoundRobin,
    Weighted(Vec<i64>),
    /// By something that the run tells.
    Told(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    Open,
    Closed,
    Fallback(u64, u64),
}

/// The store, or a node.
pub(super) type Whom = Option<usize>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Outage {
    pub(super) of: Whom,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) loses_state: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    of: Whom,
    at: u64,
    by: i64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) at: u64,
    pub(super) key: usize,
    pub(super) cost: u64,
    block: usize,
}

/// A limiter, its deployment, and requests in order. Times are nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Deployed {
    pub(super) algorithm: Setup,
    pub(super) nodes: usize,
    pub(super) routing: Routing,
    pub(super) store: Store,
    pub(super) trip: u64,
    /// Whether the nodes' clocks decide at a central store.
    pub(super) by_nodes: bool,
    skews: Vec<i64>,
    steps: Vec<Step>,
    pub(super) outages: Vec<Outage>,
    pub(super) timeout: Option<u64>,
    pub(super) policy: Policy,
    pub(super) requests: Vec<Request>,
    end: u64,
}

pub(super) const KEYS: usize = 2;
const BLOCKS: usize = 4;

/// What the clock reads at the beginning: seven seconds into 2026.
const START: (&str, u64) = ("2026-01-01T00:00:07Z", 1_767_225_607_000_000_000);

impl Deployed {
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let algorithm = Setup::small(draw, START.1);
        let access = match draw.up_to(2) {
            0 => Access::Atomic,
            1 if algorithm.counts() => Access::Increment,
            _ => Access::Write,
        };
        let store = match draw.up_to(7) {
            0 => Store::Own,
            1 => Store::Split,
            2 => Store::Synced(draw.one_of(&[50, 100, 300, 700])),
            _ => Store::Central(access),
        };
        let nodes = 1 + usize::try_from(draw.up_to(3)).unwrap();
        let mut setup = Self {
            nodes,
            routing: routing(draw, nodes),
            store,
            trip: match store {
                Store::Own | Store::Split => 0,
                Store::Central(_) | Store::Synced(_) => {
                    draw.one_of(&[0, 100, 100, 200, 300, 500, 1_000])
                }
            },
            by_nodes: matches!(store, Store::Central(_)) && draw.yes(),
            skews: vec![0; nodes],
            steps: Vec::new(),
            outages: Vec::new(),
            timeout: None,
            policy: Policy::Open,
            requests: Vec::new(),
            end: 0,
            algorithm,
        };
        setup.draw_requests(draw);
        setup.draw_clocks(draw);
        setup.draw_failures(draw);
        setup
    }

    fn draw_requests(&mut self, draw: &mut Draw) {
        let most = self.algorithm.most();
        let costs = [(); BLOCKS].map(|()| draw.one_of(&[1, 1, 1, 1, 1, 2, 0, most, most + 1]));
        let mut now = draw.up_to(self.algorithm.window);
        for _ in 0..40 {
            let some = draw.up_to(300);
            let (trip, window) = (self.trip, self.algorithm.window);
            let gaps = [
                0,
                0,
                0,
                0,
                0,
                50,
                50,
                100,
                100,
                trip / 2,
                trip,
                trip * 3 / 2,
            ];
            let (often, seldom) = (draw.one_of(&gaps), draw.one_of(&[window, some]));
            now += if draw.chance(90) { often } else { seldom };
            let block = usize::try_from(draw.up_to(BLOCKS as u64 - 1)).unwrap();
            self.requests.push(Request {
                at: now,
                key: usize::from(block == 1),
                cost: costs[block],
                block,
            });
        }
        // At one instant the earlier block comes first.
        self.requests
            .sort_by_key(|request| (request.at, request.block));
        self.end = now + 2_000;
    }

    /// Clocks that differ or are set, where a decision at one instant goes by one of them. A copy that is
    /// decided on by one clock and read by another would have to say which.
    fn draw_clocks(&mut self, draw: &mut Draw) {
        let by_nodes = match self.store {
            Store::Own | Store::Split | Store::Synced(_) => true,
            Store::Central(Access::Atomic) => self.by_nodes,
            Store::Central(_) => return,
        };
        const OFF: [i64; 7] = [0, 0, 50, 100, -100, -450, 1_500];
        if by_nodes && self.nodes > 1 && draw.yes() {
            self.skews = (0..self.nodes).map(|_| draw.one_of(&OFF)).collect();
        }
        for _ in 0..draw.one_of(&[0, 0, 1, 3]) {
            let node = usize::try_from(draw.up_to(self.nodes as u64 - 1)).unwrap();
            self.steps.push(Step {
                of: by_nodes.then_some(node),
                at: self.some_instant(draw),
                by: draw.one_of(&OFF[2..]),
            });
        }
        self.steps.sort_by_key(|step| step.at);
    }

    /// An instant at which something is likely to happen.
    fn some_instant(&self, draw: &mut Draw) -> u64 {
        let index = draw.up_to(self.requests.len() as u64 - 1);
        let at = self.requests[usize::try_from(index).unwrap()].at;
        at + draw.one_of(&[0, 0, self.trip / 2, self.trip])
    }

    fn draw_failures(&mut self, draw: &mut Draw) {
        let is_central = matches!(self.store, Store::Central(_));
        let node = usize::try_from(draw.up_to(self.nodes as u64 - 1)).unwrap();
        let store = draw.one_of(&[0, 1, 1]) * usize::from(is_central);
        for of in [None].repeat(store).into_iter().chain([Some(node)]) {
            if of.is_some() && draw.chance(60) {
                continue;
            }
            let from = self.some_instant(draw);
            let length = draw.one_of(&[50, 100, 200, 500, 1_000, 3_000]);
            self.outages.push(Outage {
                of,
                from,
                to: from + length,
                loses_state: draw.yes(),
            });
        }
        self.outages.sort_by_key(|outage| outage.from);
        if !self.outages.is_empty() || is_central && draw.chance(40) {
            let trip = self.trip;
            self.timeout = Some(draw.one_of(&[50, 100, trip / 2 + 1, trip.max(1), trip + 50, 700]));
        }
        if is_central && self.timeout.is_some() {
            self.policy = match draw.up_to(2) {
                0 => Policy::Open,
                1 => Policy::Closed,
                _ => {
                    let (parts, of) = draw.one_of(&[(1, 1), (1, 2), (1, 3), (3, 4)]);
                    Policy::Fallback(parts, of)
                }
            };
        }
    }

    /// What a clock reads at an instant.
    pub(super) fn reading(&self, of: Whom, at: u64) -> i64 {
        let skew = of.map_or(0, |node| self.skews[node]);
        let steps = self.steps.iter();
        let steps = steps.filter(|step| step.of == of && step.at <= at);
        let offset = skew + steps.map(|step| step.by).sum::<i64>();
        i64::try_from(at).unwrap() + offset
    }

    pub(super) fn is_down(&self, of: Whom, at: u64) -> bool {
        let outages = self.outages.iter();
        outages
            .filter(|outage| outage.of == of)
            .any(|outage| outage.from <= at && at < outage.to)
    }

    pub(super) fn loses_the_store(&self) -> bool {
        let mut outages = self.outages.iter();
        outages.any(|outage| outage.of.is_none() && outage.loses_state)
    }

    /// The setup as a scenario.
    pub(super) fn text(&self) -> String {
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
        if matches!(self.store, Store::Central(_) | Store::Synced(_)) {
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
        for outage in &self.outages {
            let (from, to, loses) = (outage.from, outage.to, outage.loses_state);
            let of = name(outage.of);
            writeln!(
                text,
                "[[deployment.outage]]\nof = {of}\nfrom = '{from}ns'\nto = '{to}ns'\n\
                 loses_state = {loses}"
            )?;
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

fn routing(draw: &mut Draw, nodes: usize) -> Routing {
    match draw.up_to(3) {
        0 => Routing::Told("random"),
        1 => Routing::Told("sticky"),
        2 => {
            let mut weights: Vec<i64> = (0..nodes).map(|_| draw.one_of(&[0, 1, 1, 3])).collect();
            weights[0] = weights[0].max(1);
            Routing::Weighted(weights)
        }
        _ => Routing::RoundRobin,
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
