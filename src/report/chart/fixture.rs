//! Runs to draw in tests: by models of the algorithms where requests can be listed, by formula where
//! there are too many.

mod around;
mod clients;
mod cluster;
mod large;

pub(in crate::report) use around::around;
pub(in crate::report) use clients::herd;
pub(super) use cluster::talkative_crowd;
pub(in crate::report) use cluster::{outage, race, ten_gateways};
pub(super) use large::ten_million;

use super::model::{State, decide, exact, level, nanos};
use super::trailing::tightest;
use crate::limiter::{Decision, Motion};
use crate::measure::{
    Bucket, CandidateResult, Delays, Estimates, Grid, KeyTally, LevelLine, Record, Reference,
    RunResult, Selection, Staircase, Tally,
};
use crate::units::{Cost, Epoch, KeyId, Limit, Nanos, SimTime};
use crate::workload::{Arrival, MarkId};
use std::sync::Arc;

/// The kinds in the order in which they are compared.
pub(super) const KINDS: [&str; 6] = [
    "token_bucket",
    "leaky_bucket",
    "fixed_window",
    "sliding_window_log",
    "sliding_window_counter",
    "gcra",
];

/// What is asked of a run.
pub(super) struct Ask {
    pub(super) title: String,
    pub(super) limit: &'static str,
    pub(super) epoch: Epoch,
    pub(super) keys: Vec<String>,
    /// Seconds, cost, key; in order of time.
    pub(super) arrivals: Vec<(f64, Cost, u32)>,
    /// Name and kind.
    pub(super) candidates: Vec<(String, &'static str)>,
}

impl Ask {
    /// The six algorithms, one key.
    pub(super) fn new(title: &str, limit: &'static str, arrivals: Vec<(f64, Cost, u32)>) -> Self {
        let candidates = KINDS.map(|kind| (kind.to_owned(), kind));
        Self {
            title: title.to_owned(),
            limit,
            epoch: Epoch::default(),
            keys: vec!["everyone".to_owned()],
            arrivals,
            candidates: candidates.to_vec(),
        }
    }

    /// Runs the models.
    pub(super) fn run(&self) -> RunResult {
        let limit: Limit = self.limit.parse().unwrap();
        let arrivals: Vec<Arrival> = self
            .arrivals
            .iter()
            .zip(0..)
            .map(|((at, cost, key), seq)| Arrival {
                at: SimTime::ZERO + nanos(*at),
                cost: *cost,
                seq,
                key: KeyId(*key),
                mark: MarkId(0),
            })
            .collect();
        let last = arrivals.last().map_or(SimTime::ZERO, |arrival| arrival.at);
        let horizon = last + limit.window;
        let grid = Grid::over(horizon.since(SimTime::ZERO));
        let mut run = RunResult {
            title: self.title.clone(),
            limit,
            epoch: self.epoch,
            horizon,
            reference: Reference::Forwarded,
            measures: Selection::ALL,
            first: arrivals.first().map_or(SimTime::ZERO, |arrival| arrival.at),
            last,
            requests: arrivals.len() as u64,
            keys: Arc::new(self.keys.iter().collect()),
            marks: Vec::new(),
            blocks: Vec::new(),
            grid,
            arrivals: Some(arrivals),
            candidates: Vec::new(),
        };
        for (name, kind) in &self.candidates {
            let candidate = candidate(&run, name, kind);
            run.candidates.push(candidate);
        }
        run
    }
}

#[allow(clippy::cast_precision_loss)]
fn candidate(run: &RunResult, name: &str, kind: &'static str) -> CandidateResult {
    let (n, w) = (run.limit.units as f64, run.limit.window.as_secs_f64());
    let arrivals = run.arrivals.as_ref().unwrap();
    let mut states = vec![State::fresh(kind, n); run.keys.len()];
    let mut lines = vec![LevelLine::default(); run.keys.len()];
    let mut seen = vec![0.0; run.keys.len()];
    let mut result = empty(run, name, kind);
    let mut records = Vec::new();
    for arrival in arrivals {
        let key = arrival.key.0 as usize;
        let t = arrival.at.since(SimTime::ZERO).as_secs_f64();
        sample(&mut lines[key], kind, &states[key], (seen[key], t), (n, w));
        let decision = decide(kind, &mut states[key], t, arrival.cost as f64, (n, w));
        seen[key] = t;
        let after = exact(level(kind, &states[key], t, (n, w)));
        lines[key].points.push((arrival.at, after));
        note(&mut result, run, arrival, decision);
        records.push(Record {
            request: records.len() as u64,
            attempt: 1,
            at: arrival.at,
            decision,
            reason: None,
            node: 0,
            answered: arrival.at,
            remaining: Some(0),
            retry: None,
            level: Some(after),
            outlook: None,
            is_too_large: false,
            is_false: false,
            chapter: None,
        });
    }
    let end = run.horizon.since(SimTime::ZERO).as_secs_f64();
    for (key, line) in lines.iter_mut().enumerate() {
        sample(line, kind, &states[key], (seen[key], end), (n, w));
    }
    result.records = Some(records);
    result.levels = Some(lines);
    for key in 0..run.keys.len() {
        let id = KeyId(u32::try_from(key).unwrap());
        let forwards = super::trailing::forwards(run, &result, id).unwrap();
        let (peak, _) = tightest(&forwards, run.limit.window);
        result.per_key[key].peak_in_window = peak;
        result.tally.peak_in_window = result.tally.peak_in_window.max(peak);
    }
    result
}

/// Adds points between two times.
fn sample(
    line: &mut LevelLine,
    kind: &str,
    state: &State,
    (from, to): (f64, f64),
    limit: (f64, f64),
) {
    for step in 0..=200 {
        let t = from + (to - from) * f64::from(step) / 200.0;
        let before = if step == 200 { t - 1e-7 } else { t };
        let value = exact(level(kind, state, before.max(0.0), limit));
        line.points.push((SimTime::ZERO + nanos(t), value));
    }
}

fn note(result: &mut CandidateResult, run: &RunResult, arrival: &Arrival, decision: Decision) {
    let (tally, key) = (
        &mut result.tally,
        &mut result.per_key[arrival.key.0 as usize],
    );
    let cost = u128::from(arrival.cost);
    tally.requests += 1;
    tally.attempts += 1;
    key.requests += 1;
    key.attempts += 1;
    tally.offered_cost += cost;
    let bucket = run.grid.bucket(arrival.at).unwrap();
    result.series[bucket].offered += cost;
    if !decision.is_admitted() {
        tally.denied += 1;
        key.denied += 1;
        result.series[bucket].denied += cost;
        return;
    }
    tally.allowed += 1;
    key.allowed += 1;
    tally.allowed_cost += cost;
    result.series[bucket].allowed += cost;
    if decision.delay() > Nanos::ZERO {
        tally.delayed += 1;
        result.series[bucket].delayed_requests += 1;
    }
    result.delays.add(decision.delay());
    let forwarded = arrival.at + decision.delay();
    if let Some(bucket) = run.grid.bucket(forwarded) {
        result.series[bucket].forwarded += cost;
    }
    let (from, until) = (
        arrival.at.as_nanos(),
        (forwarded + run.limit.window).as_nanos(),
    );
    let end = run.horizon.as_nanos();
    let bytes = if result.algorithm == "sliding_window_log" {
        16
    } else {
        3
    };
    result.state_bytes.jump(from, [bytes], end);
    result.state_bytes.jump(until, [-bytes], end);
    result.live_keys.jump(from, [1], end);
    result.live_keys.jump(until, [-1], end);
}

fn empty(run: &RunResult, name: &str, kind: &'static str) -> CandidateResult {
    let level_name = match kind {
        "token_bucket" => "tokens",
        "leaky_bucket" => "queued",
        "fixed_window" => "count",
        "sliding_window_log" => "entries",
        "gcra" => "used",
        _ => "estimate",
    };
    CandidateResult {
        envelope: "",
        caution: "",
        name: name.to_owned(),
        algorithm: kind,
        title: crate::catalog::algorithm(kind).unwrap().title,
        deployment: String::new(),
        level_name,
        level_bound: run.limit.units,
        motion: Motion::Slopes,
        tally: Tally::default(),
        per_key: vec![KeyTally::default(); run.keys.len()],
        delays: Delays::default(),
        state_bytes: Staircase::default(),
        redis_bytes: Staircase::default(),
        estimates: Estimates::default(),
        closed_form: None,
        theory: None,
        live_keys: Staircase::default(),
        series: vec![Bucket::default(); run.grid.count()],
        records: None,
        levels: None,
        rules: None,
        chapters: Vec::new(),
        cluster: None,
    }
}

/// Five requests at the end of one minute and five at the start of the next.
pub(super) fn boundary_burst() -> RunResult {
    let arrivals = (0..10).map(|i| (55.0 + f64::from(i), 1, 0)).collect();
    let title = "Window boundary burst: five requests before the minute ends, five after";
    let mut run = Ask::new(title, "5/1m", arrivals).run();
    run.candidates[2].tally.false_allow = 5;
    run.candidates[4].tally.false_deny = 1;
    run
}

/// Seven at once, four a little later.
pub(super) fn at_once() -> RunResult {
    let times = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.5, 1.5, 1.5, 1.5];
    Ask::new(
        "Seven at once, four later",
        "5/2500ms",
        times.map(|t| (t, 1, 0)).to_vec(),
    )
    .run()
}

/// Two requests.
pub(in crate::report) fn two() -> RunResult {
    Ask::new("Two requests", "1/1s", vec![(0.25, 1, 0), (0.5, 1, 0)]).run()
}

/// Sixty at the end of a minute and sixty at the start of the next.
pub(super) fn sixty() -> RunResult {
    let arrivals = (0..120)
        .map(|i| (59.0 + f64::from(i) / 60.0, 1, 0))
        .collect();
    Ask::new("Sixty and sixty", "60/1m", arrivals).run()
}

/// Costs in the thousands over a few minutes, on a calendar's clock, several keys.
pub(super) fn costly_keys() -> RunResult {
    let arrivals = (0..900u32)
        .map(|i| {
            let spread = f64::from(i * 7_919 % 1_000) / 1_000.0;
            (
                f64::from(i) * 0.4 + spread * 0.3,
                500 + u64::from(i * 613 % 9_000),
                i * i % 7,
            )
        })
        .collect();
    let mut ask = Ask::new(
        "Tokens of a language model, seven tenants",
        "100000/1m",
        arrivals,
    );
    ask.epoch = Epoch::from_unix_nanos(1_700_042_391_000_000_000);
    ask.keys = (0..7)
        .map(|i| format!("tenant-{i} <\"&'> שלום 🦀\u{202e}\u{7}"))
        .collect();
    let mut run = ask.run();
    for candidate in &mut run.candidates {
        let tally = &mut candidate.tally;
        (tally.legitimate, tally.abusive) = (800, 100);
        tally.legitimate_denied = tally.denied * 2 / 3;
        tally.abusive_allowed = 100 - tally.denied / 9;
    }
    run
}

/// Twenty-four candidates with names of sixty characters and a title to match.
pub(super) fn crowd() -> RunResult {
    let arrivals = (0..40).map(|i| (f64::from(i) * 1.7, 1, 0)).collect();
    let title = "A title <with> \"quotes\" & a very long way to say that many candidates \
        were compared on the same traffic, so that it must be broken into lines, all of them read";
    let mut ask = Ask::new(title, "10/30s", arrivals);
    ask.candidates = candidates_of_crowd();
    ask.run()
}

fn candidates_of_crowd() -> Vec<(String, &'static str)> {
    let candidate = |i: usize| {
        let kind = KINDS[i % 6];
        let mut name = format!("{kind} in region WWW-{i:02}, split over nodes with lag ");
        while name.chars().count() < 60 {
            name.push(if i.is_multiple_of(2) { 'W' } else { 'm' });
        }
        (name, kind)
    };
    (0..24).map(candidate).collect()
}

/// Requests of no effect: everything denied, then nothing at all to weigh.
pub(super) fn all_denied() -> RunResult {
    Ask::new(
        "Nothing is allowed",
        "0/1s",
        vec![(1.0, 1, 0), (1.2, 1, 0), (3.0, 1, 0)],
    )
    .run()
}

/// The candidates of [`crowd`] over keys with names of sixty characters, the first of which come
/// most often.
pub(super) fn crowd_of_keys(keys: u32) -> RunResult {
    let mut run = Ask::new(
        "A crowd of keys and a crowd of candidates",
        "4/10s",
        Vec::new(),
    );
    run.candidates = candidates_of_crowd();
    run.keys = (0..keys)
        .map(|key| format!("{:W<60}", format!("client {key} ")))
        .collect();
    let key = |i: u32| i * 7_919 % keys * (i % 13) / 13;
    run.arrivals = (0..1_500)
        .map(|i| (f64::from(i) * 0.05, 1, key(i)))
        .collect();
    run.run()
}

/// Every run with its name.
pub(super) fn all() -> Vec<(&'static str, RunResult)> {
    vec![
        ("boundary_burst", boundary_burst()),
        ("at_once", at_once()),
        ("two", two()),
        ("sixty", sixty()),
        ("costly_keys", costly_keys()),
        ("crowd", crowd()),
        ("all_denied", all_denied()),
        ("ten_million", ten_million()),
        ("crowd_of_keys", crowd_of_keys(20)),
        ("crowd_of_many_keys", crowd_of_keys(300)),
        ("race", race()),
        ("herd", herd()),
        ("outage", outage()),
        ("ten_gateways", ten_gateways()),
        ("talkative_crowd", talkative_crowd()),
        ("around", around()),
    ]
}
