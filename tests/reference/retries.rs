//! Clients that try again against a plain simulation of its own: random limits, traffic and policies
//! without chance, from fixed seeds, compared attempt by attempt.
//!
//! The simulation shares no code with the product: a list of attempts that are due, searched for the
//! earliest, and two limiters in whole nanoseconds.

use super::draw::Draw;
use crate::ran::Ran;
use std::collections::BTreeMap;

pub(crate) const SECOND: u64 = 1_000_000_000;

/// n per window of w nanoseconds, with a state per key.
pub(crate) enum Limiter {
    /// Windows of the clock: their number and count.
    Window {
        n: u64,
        w: u64,
        keys: BTreeMap<usize, (u64, u64)>,
    },
    /// A bucket of n tokens, a token being w parts of which n are regained each nanosecond: the parts it
    /// lacks, and when.
    Bucket {
        n: u64,
        w: u64,
        keys: BTreeMap<usize, (u64, u64)>,
    },
}

impl Limiter {
    pub(crate) fn window(n: u64, w: u64) -> Self {
        let keys = BTreeMap::new();
        Self::Window { n, w, keys }
    }

    pub(crate) fn bucket(n: u64, w: u64) -> Self {
        let keys = BTreeMap::new();
        Self::Bucket { n, w, keys }
    }

    /// Whether one more passes at `now`, and else after how many nanoseconds it would.
    fn ask(&mut self, key: usize, now: u64) -> Result<(), u64> {
        match self {
            Self::Window { n, w, keys } => {
                let (window, count) = keys.entry(key).or_default();
                if *window != now / *w {
                    (*window, *count) = (now / *w, 0);
                }
                if *count == *n {
                    return Err(*w - now % *w);
                }
                *count += 1;
                Ok(())
            }
            Self::Bucket { n, w, keys } => {
                let (lacks, at) = keys.entry(key).or_default();
                *lacks = lacks.saturating_sub((now - *at) * *n);
                *at = now;
                let most = (*n - 1) * *w;
                if *lacks > most {
                    return Err((*lacks - most).div_ceil(*n));
                }
                *lacks += *w;
                Ok(())
            }
        }
    }
}

/// What a client does that is refused.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Policy {
    None,
    Immediate,
    Fixed(u64),
    Exponential { base: u64, cap: u64, factor: u64 },
    FullJitter { base: u64, cap: u64 },
    Told { in_seconds: bool, spread: u64 },
}

#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) policy: Policy,
    pub(crate) max_attempts: u64,
    pub(crate) give_up: Option<u64>,
}

impl Client {
    /// One without chance.
    fn draw(draw: &mut Draw) -> Self {
        let policy = match draw.up_to(4) {
            0 => Policy::None,
            1 => Policy::Immediate,
            2 => Policy::Fixed((1 + draw.up_to(39)) * SECOND / 8),
            3 => {
                let base = (1 + draw.up_to(15)) * SECOND / 8;
                Policy::Exponential {
                    base,
                    cap: base + draw.up_to(79) * SECOND / 8,
                    factor: 1 + draw.up_to(2),
                }
            }
            _ => Policy::Told {
                in_seconds: draw.up_to(1) == 0,
                spread: 0,
            },
        };
        Self {
            policy,
            max_attempts: 1 + draw.up_to(7),
            give_up: (draw.up_to(2) == 0).then(|| (8 + draw.up_to(19)) * SECOND),
        }
    }

    fn text(&self) -> String {
        let policy = match &self.policy {
            Policy::None => return "{ retry = 'none' }".to_owned(),
            Policy::Immediate => "retry = 'immediate'".to_owned(),
            Policy::Fixed(wait) => format!("retry = 'fixed', wait = '{wait}ns'"),
            Policy::Exponential { base, cap, factor } => format!(
                "retry = 'exponential', base = '{base}ns', cap = '{cap}ns', factor = {factor}"
            ),
            Policy::Told {
                in_seconds: true, ..
            } => "retry = 'retry_after'".to_owned(),
            Policy::Told { .. } => "retry = 'retry_after', precision = 'exact'".to_owned(),
            Policy::FullJitter { .. } => unreachable!("never drawn"),
        };
        let give_up = self.give_up.map(|wait| format!(", give_up = '{wait}ns'"));
        let most = self.max_attempts;
        format!(
            "{{ {policy}, max_attempts = {most}{} }}",
            give_up.unwrap_or_default()
        )
    }

    /// How long it waits after its attempt `number`, from 1 on, when it was told to wait for `told`.
    fn wait(&self, number: u64, told: u64, draw: &mut Draw) -> Option<u64> {
        if number >= self.max_attempts {
            return None;
        }
        let grown = |base: u64, factor: u64, cap: u64| {
            let power = u32::try_from(number - 1).unwrap();
            (base * factor.pow(power)).min(cap)
        };
        match self.policy {
            Policy::None => None,
            Policy::Immediate => Some(0),
            Policy::Fixed(wait) => Some(wait),
            Policy::Exponential { base, cap, factor } => Some(grown(base, factor, cap)),
            Policy::FullJitter { base, cap } => Some(draw.up_to(grown(base, 2, cap))),
            Policy::Told { in_seconds, spread } => {
                let told = if in_seconds {
                    told.div_ceil(SECOND) * SECOND
                } else {
                    told
                };
                Some(told + draw.up_to(spread))
            }
        }
    }
}

/// An attempt: when, at which request, which of its attempts, whether admitted.
type Attempt = (u64, usize, u64, bool);

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) given_up: u64,
    pub(crate) unfinished: u64,
    as_told: u64,
    as_told_admitted: u64,
}

/// Requests in order: when, and of which key and client.
pub(crate) fn simulate(
    mut limiter: Limiter,
    requests: &[(u64, usize)],
    clients: &[Client; 2],
    end: u64,
    draw: &mut Draw,
) -> Told {
    let mut told = Told::default();
    // When, request, attempt; what was put in first comes first.
    let mut due: Vec<(u64, usize, u64)> = Vec::new();
    let mut next = 0;
    loop {
        let earliest = (0..due.len()).min_by_key(|index| due[*index].0);
        let fresh = requests.get(next).map(|(at, _)| *at);
        let is_retry = earliest.is_some_and(|index| fresh.is_none_or(|at| due[index].0 <= at));
        let (at, request, number) = if is_retry {
            due.remove(earliest.unwrap())
        } else if let Some(at) = fresh {
            next += 1;
            (at, next - 1, 1)
        } else {
            told.attempts.sort();
            return told;
        };
        let key = requests[request].1;
        let client = &clients[key];
        let answer = limiter.ask(key, at);
        let is_told = number > 1 && matches!(client.policy, Policy::Told { .. });
        told.as_told += u64::from(is_told);
        told.as_told_admitted += u64::from(is_told && answer.is_ok());
        told.attempts.push((at, request, number, answer.is_ok()));
        let Err(wait) = answer else {
            continue;
        };
        let again = client.wait(number, wait, draw).map(|wait| at + wait);
        let late = |again: &u64| {
            client
                .give_up
                .is_none_or(|most| again - requests[request].0 <= most)
        };
        match again.filter(late) {
            None => told.given_up += 1,
            Some(again) if again >= end => told.unfinished += 1,
            Some(again) => due.push((again, request, number + 1)),
        }
    }
}

/// One random setup; how many retries there were.
fn run(seed: u64) -> usize {
    let mut draw = Draw::new(seed);
    let clients = [Client::draw(&mut draw), Client::draw(&mut draw)];
    let (n, w) = (1 + draw.up_to(3), (1 + draw.up_to(7)) * SECOND);
    let end = 40 * SECOND;
    // Eighths of a second, so that many come together.
    let mut at: Vec<(u64, usize)> = (0..40)
        .map(|_| {
            (
                draw.up_to(199) * SECOND / 8,
                usize::from(draw.up_to(1) == 1),
            )
        })
        .collect();
    at.sort();
    let (kind, limiter) = match draw.up_to(1) {
        0 => ("fixed_window", Limiter::window(n, w)),
        _ => ("token_bucket", Limiter::bucket(n, w)),
    };
    let times = |key: usize| {
        let own = at.iter().filter(|(_, whose)| *whose == key);
        own.map(|(at, _)| format!("'{at}ns'"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    if times(0).is_empty() || times(1).is_empty() {
        return 0;
    }
    let text = format!(
        "limit = '{n}/{w}ns'
        duration = '{end}ns'
        traffic = [
            {{ pattern = 'script', at = [{}], keys = 'a', client = {} }},
            {{ pattern = 'script', at = [{}], keys = 'b', client = {} }},
        ]
        algorithm = [{{ kind = '{kind}' }}]",
        times(0),
        clients[0].text(),
        times(1),
        clients[1].text(),
    );
    let expected = simulate(limiter, &at, &clients, end, &mut draw);
    let ran = Ran::text(&text);
    let answers = ran.of(kind);
    let attempts = answers.each().map(|(_, record)| {
        let request = usize::try_from(record.request).unwrap();
        let is_admitted = record.decision.is_admitted();
        (
            record.at.as_nanos(),
            request,
            u64::from(record.attempt),
            is_admitted,
        )
    });
    let mut found = Told {
        attempts: attempts.collect(),
        ..Told::default()
    };
    let Some(clients) = answers.result.clients() else {
        assert_eq!(found.attempts, expected.attempts, "seed {seed}\n{text}");
        return 0;
    };
    let all = clients.total();
    (found.given_up, found.unfinished) = (all.given_up, all.unfinished);
    (found.as_told, found.as_told_admitted) = (all.as_told, all.as_told_admitted);
    let differs = found
        .attempts
        .iter()
        .zip(&expected.attempts)
        .find(|(a, b)| a != b);
    assert_eq!(differs, None, "seed {seed}\n{text}");
    assert_eq!(found, expected, "seed {seed}\n{text}");
    let tally = answers.result.tally;
    assert_eq!(
        (tally.requests, tally.attempts),
        (40, expected.attempts.len() as u64)
    );
    assert_eq!(tally.attempts, tally.allowed + tally.denied + tally.errors);
    assert_eq!(all.served + all.given_up + all.unfinished, all.requests);
    assert_eq!(tally.allowed, all.served);
    expected.attempts.len() - 40
}

#[test]
fn clients_try_again_as_a_plain_simulation_says() {
    let retries: usize = (0..SETUPS).map(run).sum();
    assert!(retries >= 10_000, "only {retries} retries");
}

const SETUPS: u64 = 600;
