//! One candidate in one shard on the fast path: decisions in one monomorphised loop.

use super::probes::{Measured, Probes, Probing, Traits};
use crate::limiter::Algorithm;
use crate::measure::{
    Amounts, Answers, Batch, Clocked, Columns, Counts, Cut, Grid, LevelLine, LevelLines, Levels,
    Measure, Occupancy, Record, Recorder, Reference, Selection, Sums,
};
use crate::units::{Limit, SimTime};
use crate::workload::{Mark, Names, PartNames};
use std::sync::Arc;

/// What a lane needs to know of its run.
#[derive(Clone, Debug)]
pub struct Course {
    /// The contract that decisions are judged by.
    pub limit: Limit,
    /// When the run ends.
    pub horizon: SimTime,
    /// The buckets of the series.
    pub grid: Grid,
    /// Whether the run has one key, whose level the series follow.
    pub one_key: bool,
    /// Whether every request costs 1.
    pub unit_costs: bool,
    /// Whether every answer is kept.
    pub with_timeline: bool,
    /// What is measured.
    pub measures: Selection,
    /// What decisions are judged by.
    pub reference: Reference,
    /// The keys' names: Redis stores them.
    pub names: Arc<Names>,
    /// The traffic block of each mark.
    pub blocks: Arc<[u16]>,
    /// For each mark, whether its requests ought to pass, where any block says so.
    pub labels: Option<Arc<[Option<bool>]>>,
    /// Who asks for what, where there are rules.
    pub requesters: Option<Arc<Requesters>>,
    /// How many instants at which its memory changes, and how many distinct waits, a lane keeps
    /// exactly.
    pub instants: usize,
}

/// What rules go by.
#[derive(Debug)]
pub struct Requesters {
    /// What arrivals' marks stand for.
    pub marks: Vec<Mark>,
    /// What the parts of identities are called.
    pub names: Arc<PartNames>,
}

impl Course {
    /// How batches are cut.
    pub fn cut(&self) -> Cut {
        Cut {
            grid: self.measures.has(Measure::Series).then_some(self.grid),
            costs: !self.unit_costs,
            marks: self.labels.is_some(),
            // Records and levels are noted in order of time.
            by_key: !self.with_timeline && !self.one_key,
        }
    }

    /// Whether batches say what was offered before each request.
    pub const fn knows_offers(&self) -> bool {
        matches!(self.reference, Reference::Offered) && self.measures.has(Measure::Errors)
    }
}

/// A candidate's part of a shard, whatever its algorithm.
pub trait Lane: Send {
    /// Decides a batch of requests whose keys' slots lie below `keys`.
    fn step(&mut self, batch: &Batch, keys: usize);
    /// Ends the run and hands over the measures; the keys came as often as `requests` says.
    fn finish(self: Box<Self>, requests: &[u64]) -> LaneResult;
}

/// What one lane measured.
pub struct LaneResult {
    pub(super) measured: Measured,
    pub(super) occupancy: Option<Occupancy>,
    pub(super) levels: Option<Levels>,
    /// Answers in the order of the arrivals.
    pub(super) records: Option<Vec<Record>>,
    /// Levels by slot.
    pub(super) lines: Option<Vec<LevelLine>>,
}

impl LaneResult {
    /// How many requests were admitted.
    pub const fn allowed(&self) -> u64 {
        self.measured.tally.allowed
    }
}

/// The lane of a concrete algorithm.
pub(super) struct LaneOf<A: Algorithm> {
    algorithm: A,
    course: Course,
    states: Vec<A::State>,
    answers: Answers,
    watch: Watch,
    probes: Box<dyn Probing>,
}

/// What looks at the states themselves, before and after each decision.
struct Watch {
    occupancy: Option<Occupancy>,
    estimates: bool,
    levels: Option<Levels>,
    recorder: Option<Recorder>,
    lines: Option<LevelLines>,
}

impl<A: Algorithm> LaneOf<A> {
    pub(super) fn new(algorithm: A, course: Course) -> Self {
        let has = |measure| course.measures.has(measure);
        let traits = Traits {
            most: algorithm.level_bound(),
            delays: algorithm.delays(),
            estimates: algorithm
                .estimate(&algorithm.fresh(), SimTime::ZERO)
                .is_some(),
            counts_denied: algorithm.counts_denied(),
        };
        let occupancy = || Occupancy::keeping(course.instants, course.horizon);
        Self {
            watch: Watch {
                occupancy: has(Measure::Memory).then(occupancy),
                estimates: traits.estimates && has(Measure::Estimate),
                levels: (course.one_key && has(Measure::Series)).then(|| Levels::new(course.grid)),
                recorder: course.with_timeline.then(Recorder::default),
                lines: course.with_timeline.then(LevelLines::default),
            },
            probes: if course.unit_costs {
                Box::new(Probes::<Counts>::new(&course, traits))
            } else {
                Box::new(Probes::<Sums>::new(&course, traits))
            },
            algorithm,
            course,
            states: Vec::new(),
            answers: Answers::default(),
        }
    }

    /// Makes room for `keys` keys.
    fn reach(&mut self, keys: usize) {
        if keys <= self.states.len() {
            return;
        }
        self.states.resize(keys, self.algorithm.fresh());
        if let Some(occupancy) = &mut self.watch.occupancy {
            occupancy.reach(keys);
        }
        self.probes.reach(keys);
    }

    fn decide<C: Amounts>(&mut self, batch: &Columns) {
        let delays = self.algorithm.delays();
        self.answers
            .begin(batch.len(), delays, self.watch.estimates);
        let Watch {
            occupancy,
            estimates,
            levels,
            recorder,
            ..
        } = &self.watch;
        if levels.is_some() || recorder.is_some() {
            self.decide_watched::<C, true>(batch);
        } else if occupancy.is_some() || *estimates {
            self.decide_watched::<C, false>(batch);
        } else {
            self.decide_unwatched::<C>(batch);
        }
    }

    /// Nobody looks at states.
    fn decide_unwatched<C: Amounts>(&mut self, batch: &Columns) {
        let Self {
            algorithm,
            states,
            answers,
            ..
        } = self;
        let (algorithm, states) = (&*algorithm, states.as_mut_slice());
        let requests = batch.times.iter().zip(batch.slots);
        for (index, (now, slot)) in requests.enumerate() {
            let now = SimTime::from_nanos(*now);
            let state = &mut states[*slot as usize];
            let decision = algorithm.decide(state, now, C::cost(batch.costs, index));
            answers.note(index, decision);
        }
    }

    /// States are looked at before and after each decision; `IN_FULL` for levels and answers as well
    /// as for sizes and estimates.
    fn decide_watched<C: Amounts, const IN_FULL: bool>(&mut self, batch: &Columns) {
        let Self {
            algorithm,
            states,
            answers,
            watch,
            course,
            ..
        } = self;
        let (algorithm, states) = (&*algorithm, states.as_mut_slice());
        let mut occupancy = watch.occupancy.as_mut();
        let mut levels = watch.levels.as_mut().filter(|_| IN_FULL);
        let mut recorder = watch.recorder.as_mut().filter(|_| IN_FULL);
        let mut lines = watch.lines.as_mut().filter(|_| IN_FULL);
        let estimates = watch.estimates;
        let requests = batch.times.iter().zip(batch.slots);
        for (index, (now, slot)) in requests.enumerate() {
            let (now, slot) = (SimTime::from_nanos(*now), *slot as usize);
            let cost = C::cost(batch.costs, index);
            let state = &mut states[slot];
            if let Some(occupancy) = &mut occupancy {
                occupancy.before(algorithm, state, slot, Clocked::exact(now));
            }
            if let Some(levels) = &mut levels {
                levels.before(algorithm, state, Clocked::exact(now));
            }
            if let Some(lines) = &mut lines {
                lines.before(algorithm, state, slot, Clocked::exact(now));
            }
            if estimates && let Some(estimate) = algorithm.estimate(state, now) {
                answers.estimates[index] = estimate.ratio();
            }
            let decision = algorithm.decide(state, now, cost);
            answers.note(index, decision);
            if let Some(occupancy) = &mut occupancy {
                let name = || course.names[batch.key(index).0 as usize].len();
                occupancy.after(algorithm, state, slot, name, Clocked::exact(now));
            }
            if let Some(lines) = &mut lines {
                lines.after(algorithm, state, slot, Clocked::exact(now));
            }
            if let Some(recorder) = &mut recorder {
                let record = Record::of(algorithm, state, Clocked::exact(now), cost, decision);
                recorder.records.push(record);
            }
        }
    }
}

impl<A: Algorithm> Lane for LaneOf<A> {
    fn step(&mut self, batch: &Batch, keys: usize) {
        self.reach(keys);
        for part in batch.parts() {
            if self.course.unit_costs {
                self.decide::<Counts>(&part);
            } else {
                self.decide::<Sums>(&part);
            }
            let recorder = self.watch.recorder.as_mut();
            self.probes.observe(&part, &self.answers, recorder);
        }
    }

    fn finish(self: Box<Self>, requests: &[u64]) -> LaneResult {
        let Self {
            algorithm,
            course,
            states,
            mut watch,
            probes,
            ..
        } = *self;
        let end = course.horizon;
        for (slot, state) in states.iter().enumerate() {
            if let Some(occupancy) = &mut watch.occupancy {
                occupancy.before(&algorithm, state, slot, Clocked::exact(end));
            }
            if let Some(lines) = &mut watch.lines {
                lines.finish(&algorithm, state, slot, Clocked::exact(end));
            }
        }
        if let (Some(levels), Some(state)) = (&mut watch.levels, states.first()) {
            levels.finish(&algorithm, state, Clocked::exact(end));
        }
        LaneResult {
            measured: probes.finish(requests, requests),
            occupancy: watch.occupancy,
            levels: watch.levels,
            records: watch.recorder.map(|recorder| recorder.records),
            lines: watch.lines.map(|lines| lines.lines),
        }
    }
}
