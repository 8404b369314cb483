//! Random deployments of small limiters, with requests that meet at the same instants.

mod text;

use super::super::draw::{Draw, Setup};

/// Where the state lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Store {
    Own,
    Split,
    Central(Access),
    Synced(u64),
    /// Units that a node takes at a time.
    Leased(u64),
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
    /// For a node: from when on requests are sent to others.
    found: Option<u64>,
}

/// A time in which trips that begin in it take longer and longer.
#[derive(Clone, Copy, Debug)]
struct Slowdown {
    from: u64,
    to: u64,
    adds: u64,
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
    trip: u64,
    slowdown: Option<Slowdown>,
    /// Nodes with the moments at which they join and leave.
    joins: Vec<(usize, u64)>,
    leaves: Vec<(usize, u64)>,
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
        let store = match draw.up_to(10) {
            0 => Store::Own,
            1 => Store::Split,
            2 => Store::Synced(draw.one_of(&[50, 100, 300, 700])),
            3 | 4 => Store::Leased(draw.one_of(&[1, 1, 2, 3, 7])),
            _ => Store::Central(access),
        };
        let nodes = 1 + usize::try_from(draw.up_to(3)).unwrap();
        let mut setup = Self {
            nodes,
            routing: routing(draw, nodes),
            store,
            trip: match store {
                Store::Own | Store::Split => 0,
                Store::Central(_) | Store::Synced(_) | Store::Leased(_) => {
                    draw.one_of(&[0, 100, 100, 200, 300, 500, 1_000])
                }
            },
            slowdown: None,
            joins: Vec::new(),
            leaves: Vec::new(),
            by_nodes: matches!(store, Store::Central(_) | Store::Leased(_)) && draw.yes(),
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
        setup.draw_members(draw);
        setup.draw_failures(draw);
        setup.draw_slowdown(draw);
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
            Store::Central(Access::Atomic) | Store::Leased(_) => self.by_nodes,
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

    /// Nodes that come and go; the first one always stays. Whose turn it then is is not written anywhere.
    fn draw_members(&mut self, draw: &mut Draw) {
        if self.nodes < 2 || draw.chance(60) {
            return;
        }
        self.routing = Routing::Told(draw.one_of(&["random", "sticky"]));
        if draw.yes() {
            self.joins.push((1, self.some_instant(draw)));
        }
        if self.nodes > 2 && draw.yes() {
            self.leaves.push((2, self.some_instant(draw)));
        }
    }

    fn draw_slowdown(&mut self, draw: &mut Draw) {
        // A copy that is decided on by a node's clock would be read by one that goes back.
        let goes_back = self.by_nodes && matches!(self.store, Store::Central(_));
        if !self.has_store() || goes_back || draw.chance(60) {
            return;
        }
        let from = self.some_instant(draw);
        self.slowdown = Some(Slowdown {
            from,
            to: from + draw.one_of(&[150, 700, 2_000]),
            adds: draw.one_of(&[1, 99, 300, 1_000]),
        });
    }

    fn draw_failures(&mut self, draw: &mut Draw) {
        let is_central = self.has_store();
        let node = match self.joins.is_empty() && self.leaves.is_empty() {
            true => usize::try_from(draw.up_to(self.nodes as u64 - 1)).unwrap(),
            false => 0,
        };
        let store = draw.one_of(&[0, 1, 1]) * usize::from(is_central);
        for of in [None].repeat(store).into_iter().chain([Some(node)]) {
            if of.is_some() && draw.chance(60) {
                continue;
            }
            let from = self.some_instant(draw);
            let length = draw.one_of(&[50, 100, 200, 500, 1_000, 3_000]);
            let is_found = of.is_some() && matches!(self.routing, Routing::Told(_)) && draw.yes();
            self.outages.push(Outage {
                of,
                from,
                to: from + length,
                loses_state: draw.yes(),
                found: is_found.then(|| from + draw.one_of(&[0, 50, 300])),
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

    /// Whether nodes ask a store.
    pub(super) fn has_store(&self) -> bool {
        matches!(self.store, Store::Central(_) | Store::Leased(_))
    }

    /// Whether a node takes part.
    pub(super) fn is_member(&self, node: usize, at: u64) -> bool {
        let has = |moves: &[(usize, u64)]| {
            let mut moves = moves.iter();
            moves
                .find(|(who, _)| *who == node)
                .map(|(_, when)| *when <= at)
        };
        has(&self.joins) != Some(false) && has(&self.leaves) != Some(true)
    }

    /// Whether requests are sent to a node.
    pub(super) fn is_served(&self, node: usize, at: u64) -> bool {
        let mut outages = self.outages.iter().filter(|outage| outage.of == Some(node));
        let is_known =
            |outage: &Outage| outage.found.is_some_and(|found| found <= at) && at < outage.to;
        self.is_member(node, at) && !outages.any(is_known)
    }

    /// How long a trip that begins now takes there, and there and back.
    pub(super) fn trip(&self, now: u64) -> (u64, u64) {
        let slow = self
            .slowdown
            .filter(|slow| slow.from <= now && now < slow.to);
        let more = slow.map_or(0, |slow| {
            slow.adds * (now - slow.from) / (slow.to - slow.from)
        });
        let whole = self.trip + more;
        (whole / 2, whole)
    }

    pub(super) fn loses_the_store(&self) -> bool {
        let mut outages = self.outages.iter();
        outages.any(|outage| outage.of.is_none() && outage.loses_state)
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
