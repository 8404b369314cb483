//! Rules against slow limiters of their own: random sets of rules, each of any algorithm, over random
//! requests from fixed seeds, compared answer by answer.
//!
//! What applies is worked out from numbers (endpoint 0 or 1, user 0 or 1), not from texts; a set of
//! limiters is copied whole to find out whether all of it admits.

use super::check_decision;
use super::draw::{Draw, Setup};
use super::model::{Model, Verdict};
use crate::ran::Ran;
use num_bigint::BigInt;
use ratesim::units::Retry;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Seven seconds into 2026.
const START: (&str, u64) = ("2026-01-01T00:00:07Z", 1_767_225_607_000_000_000);

/// What a rule counts by.
const KEYS: [&str; 4] = [
    "'global'",
    "['user']",
    "['user', 'endpoint']",
    "['endpoint']",
];

struct Rule {
    limiter: Setup,
    /// The endpoint that it is for; all for `None`.
    endpoint: Option<usize>,
    key: usize,
    cost: Option<u64>,
    is_default: bool,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    at: u64,
    endpoint: usize,
    user: usize,
    cost: u64,
}

struct Ruled {
    rules: Vec<Rule>,
    is_each: bool,
    requests: Vec<Request>,
}

/// Blocks of traffic: an endpoint, a user and a cost.
const BLOCKS: [(usize, usize); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

impl Ruled {
    fn draw(draw: &mut Draw) -> Self {
        let count = 1 + draw.up_to(3);
        let rules = (0..count).map(|_| Rule {
            limiter: Setup::small(draw, START.1),
            endpoint: draw.one_of(&[None, None, Some(0), Some(1)]),
            key: draw.one_of(&[0, 1, 2, 3]),
            cost: draw.one_of(&[None, None, Some(1), Some(2), Some(0)]),
            is_default: draw.chance(15),
        });
        let rules: Vec<Rule> = rules.collect();
        let costs = [(); 4].map(|()| draw.one_of(&[1, 1, 1, 2, 3, 0, 20]));
        let mut now = draw.up_to(1_000);
        let mut requests = Vec::new();
        for _ in 0..40 {
            let some = draw.up_to(700);
            now += draw.one_of(&[0, 0, 0, 50, 50, 100, 300, some]);
            let block = draw.one_of(&[0usize, 1, 2, 3]);
            requests.push((now, block));
        }
        requests.sort_unstable();
        let requests = requests.into_iter().map(|(at, block)| Request {
            at,
            endpoint: BLOCKS[block].0,
            user: BLOCKS[block].1,
            cost: costs[block],
        });
        Self {
            rules,
            is_each: draw.yes(),
            requests: requests.collect(),
        }
    }

    fn text(&self) -> String {
        let charge = if self.is_each { "each" } else { "all" };
        let end = self.requests.last().map_or(0, |it| it.at) + 2_000;
        let mut text = format!(
            "start = '{}'\nduration = '{end}ns'\nalgorithm = [{{ kind = 'gcra' }}]\n\
             rules = {{ charge = '{charge}' }}\n",
            START.0
        );
        for (number, rule) in self.rules.iter().enumerate() {
            let limiter = &rule.limiter;
            let fields: Vec<String> = limiter.parameters().split_whitespace().map(field).collect();
            let kind = limiter.kind();
            let own = std::iter::once(format!("kind = '{kind}'")).chain(fields);
            let own: Vec<String> = own.collect();
            writeln!(
                text,
                "[[rule]]\nname = 'rule {number}'\nlimit = '{}/{}ns'\nkey = {}\ndefault = {}\n\
                 algorithm = {{ {} }}",
                limiter.units,
                limiter.window,
                KEYS[rule.key],
                rule.is_default,
                own.join(", ")
            )
            .unwrap();
            if let Some(endpoint) = rule.endpoint {
                writeln!(text, "endpoint = '/{endpoint}'").unwrap();
            }
            if let Some(cost) = rule.cost {
                writeln!(text, "cost = {cost}").unwrap();
            }
        }
        for (endpoint, user) in BLOCKS {
            let own = self.requests.iter();
            let own = own.filter(|it| (it.endpoint, it.user) == (endpoint, user));
            let at: Vec<String> = own.clone().map(|it| format!("{}ns", it.at)).collect();
            if let Some(first) = own.clone().next() {
                writeln!(
                    text,
                    "[[traffic]]\npattern = 'script'\nat = {at:?}\nkeys = 'someone'\nuser = '{user}'\n\
                     endpoint = '/{endpoint}'\ncost = {}",
                    first.cost
                )
                .unwrap();
            }
        }
        text
    }
}

/// `name=value` as TOML.
fn field(text: &str) -> String {
    let (name, value) = text.split_once('=').unwrap();
    let is_plain = value.parse::<u64>().is_ok() || value == "true" || value == "false";
    match is_plain {
        true => format!("{name} = {value}"),
        false => format!("{name} = '{value}'"),
    }
}

/// All limiters, by rule and key.
#[derive(Default)]
struct Limiters(BTreeMap<(usize, usize, usize), Box<dyn Model>>);

impl Limiters {
    /// The limiters that a request meets, with what each is asked for.
    fn of(&mut self, setup: &Ruled, request: &Request) -> Vec<((usize, usize, usize), BigInt)> {
        let covers = |rule: &Rule| rule.endpoint.is_none_or(|it| it == request.endpoint);
        let some_own = setup.rules.iter().any(|it| !it.is_default && covers(it));
        let mut met = Vec::new();
        for (number, rule) in setup.rules.iter().enumerate() {
            if !covers(rule) || rule.is_default == some_own {
                continue;
            }
            let place = match rule.key {
                0 => (number, 0, 0),
                1 => (number, request.user, 0),
                2 => (number, request.user, request.endpoint),
                _ => (number, 0, request.endpoint),
            };
            self.0.entry(place).or_insert_with(|| rule.limiter.model());
            met.push((place, rule.cost.unwrap_or(request.cost).into()));
        }
        met
    }

    /// What is said to a request.
    fn decide(&mut self, setup: &Ruled, request: &Request) -> Verdict {
        let now = BigInt::from(request.at);
        let met = self.of(setup, request);
        let mut longest = BigInt::ZERO;
        if setup.is_each {
            for (place, cost) in &met {
                match self.0.get_mut(place).unwrap().decide(&now, cost) {
                    Verdict::Admit(Some(wait)) => longest = longest.max(wait),
                    other => return other,
                }
            }
            return Verdict::Admit(Some(longest));
        }
        let asked: Vec<Verdict> = met
            .iter()
            .map(|(place, cost)| self.0[place].ask(&now, cost))
            .collect();
        let do_all = asked.iter().all(Verdict::is_admitted);
        for ((place, cost), verdict) in met.iter().zip(&asked) {
            if do_all || !verdict.is_admitted() {
                self.0.get_mut(place).unwrap().decide(&now, cost);
            }
            if let Verdict::Admit(Some(wait)) = verdict {
                longest = longest.max(wait.clone());
            }
        }
        match do_all {
            true => Verdict::Admit(Some(longest)),
            false => Verdict::Deny,
        }
    }

    /// Whether all of them would admit it at `at`, if nothing came in between.
    fn would_admit(&mut self, setup: &Ruled, request: &Request, at: &BigInt) -> bool {
        let met = self.of(setup, request);
        met.iter()
            .all(|(place, cost)| self.0[place].ask(at, cost).is_admitted())
    }
}

/// One random setup; how many were denied, and how many of these by what several rules say.
fn run(seed: u64) -> (usize, usize) {
    let setup = Ruled::draw(&mut Draw::new(seed));
    let text = setup.text();
    let run = Ran::text(&text);
    let answers = run.of("gcra");
    let mut limiters = Limiters::default();
    let (mut denied, mut several) = (0, 0);
    assert_eq!(answers.each().count(), setup.requests.len(), "seed {seed}");
    for (index, (_, record)) in answers.each().enumerate() {
        let request = &setup.requests[index];
        let what = format!("seed {seed}, request {index}, {request:?}: {record:?}\n{text}");
        let verdict = limiters.decide(&setup, request);
        check_decision(record.decision, &verdict, &what);
        if verdict.is_admitted() {
            continue;
        }
        denied += 1;
        several += usize::from(limiters.of(&setup, request).len() > 1);
        // The stated wait is the shortest after which all of them admit it.
        match record.retry.expect("a denial says when") {
            Retry::Never => {
                let later = BigInt::from(1) << 70;
                assert!(!limiters.would_admit(&setup, request, &later), "{what}");
            }
            Retry::After(wait) => {
                let at = BigInt::from(request.at) + wait;
                assert!(limiters.would_admit(&setup, request, &at), "{what}");
                if wait > 0 {
                    assert!(!limiters.would_admit(&setup, request, &(at - 1)), "{what}");
                }
            }
        }
    }
    (denied, several)
}

#[test]
fn rules_and_slow_limiters_agree_on_every_answer() {
    let (mut denied, mut several) = (0, 0);
    for seed in 0..2_000 {
        let (some, of_several) = run(seed);
        denied += some;
        several += of_several;
    }
    assert!(denied > 10_000 && several > 5_000, "{denied}, {several}");
}
