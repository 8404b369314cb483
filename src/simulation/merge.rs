//! What was measured of one candidate in parts, put together.

use super::lane::{Course, LaneResult};
use super::plan::Planned;
use crate::measure::{
    CandidateResult, Delays, Estimates, KeyTally, LevelLine, Levels, Measure, Occupancy, Record,
    Series, Staircase, Tally, theory,
};
use crate::units::{KeyId, SHARDS};

/// One candidate's measures on their way from shards to the whole.
pub(super) struct Merge {
    tally: Tally,
    per_key: Vec<KeyTally>,
    delays: Delays,
    occupancy: Occupancy,
    estimates: Estimates,
    series: Option<Series>,
    levels: Option<Levels>,
    /// By shard, in the order of its arrivals.
    records: Vec<Vec<Record>>,
    has_records: bool,
    lines: Vec<LevelLine>,
}

impl Merge {
    pub(super) fn new(course: &Course, keys: usize) -> Self {
        let per_key = if course.measures.has(Measure::Keys) {
            keys
        } else {
            0
        };
        Self {
            tally: Tally::default(),
            per_key: vec![KeyTally::default(); per_key],
            delays: Delays::default(),
            occupancy: Occupancy::keeping(Staircase::<1>::EXACT, course.horizon),
            estimates: Estimates::default(),
            series: course
                .measures
                .has(Measure::Series)
                .then(|| Series::new(course.grid)),
            levels: None,
            records: vec![Vec::new(); SHARDS as usize],
            has_records: course.with_timeline,
            lines: Vec::new(),
        }
    }

    /// Adds what a candidate measured in one shard of a run with `keys` keys.
    pub(super) fn add_shard(&mut self, shard: usize, lane: LaneResult, keys: usize) {
        let id = |slot: usize| KeyId::at(shard, slot).0 as usize;
        self.add(shard, lane, keys, id);
    }

    /// Adds what a candidate measured that knows no shards; it has `lines` level lines.
    pub(super) fn add_whole(&mut self, lane: LaneResult, lines: usize) {
        self.add(0, lane, lines, |slot| slot);
    }

    fn add(&mut self, shard: usize, lane: LaneResult, lines: usize, id: impl Fn(usize) -> usize) {
        let measured = lane.measured;
        self.tally.merge(&measured.tally);
        self.delays.merge(&measured.delays);
        self.estimates.merge(measured.estimates);
        if let Some(occupancy) = &lane.occupancy {
            self.occupancy.merge(occupancy);
        }
        if let (Some(series), Some(more)) = (&mut self.series, &measured.series) {
            series.merge(more);
        }
        self.levels = self.levels.take().or(lane.levels);
        for (slot, tally) in measured.per_key.into_iter().enumerate() {
            self.per_key[id(slot)] = tally;
        }
        if let Some(records) = lane.records {
            self.records[shard] = records;
        }
        if let Some(measured) = lane.lines {
            self.lines.resize_with(lines, LevelLine::default);
            for (slot, line) in measured.into_iter().enumerate() {
                self.lines[id(slot)] = line;
            }
        }
    }

    /// The records in the order of the run's arrivals: `origins` are these arrivals' shards and their
    /// places there; without them all are of one candidate that knows no shards.
    fn records(&mut self, origins: Option<&[(usize, usize)]>) -> Option<Vec<Record>> {
        let records = std::mem::take(&mut self.records);
        self.has_records.then(|| match origins {
            // Who knows no shards has numbered them.
            None => records.into_iter().next().unwrap_or_default(),
            Some(origins) => {
                let of = |(request, (shard, place)): (u64, &(usize, usize))| Record {
                    request,
                    ..records[*shard][*place]
                };
                (0..).zip(origins).map(of).collect()
            }
        })
    }

    /// The finished result; `rates` are those of the keys' Poisson traffic, where a closed form is to be
    /// compared.
    pub(super) fn into_result(
        mut self,
        planned: &Planned,
        origins: Option<&[(usize, usize)]>,
        rates: &[(f64, f64)],
    ) -> CandidateResult {
        let records = self.records(origins);
        let stepper = planned.candidate.stepper();
        let series = self.series.map(|series| series.into_buckets(self.levels));
        let series = series.unwrap_or_default();
        let [state_bytes, redis_bytes, live_keys] = self.occupancy.split();
        CandidateResult {
            name: planned.name.clone(),
            algorithm: planned.algorithm,
            title: planned.title,
            deployment: planned.deployment.clone(),
            envelope: planned.envelope,
            caution: planned.caution,
            level_name: planned.level_name,
            level_bound: stepper.level_bound(),
            motion: stepper.motion(),
            tally: self.tally,
            per_key: self.per_key,
            delays: self.delays,
            state_bytes,
            redis_bytes,
            estimates: self.estimates,
            closed_form: stepper.closed_form(),
            theory: theory::compare(stepper.closed_form(), rates, &series),
            live_keys,
            series,
            records,
            levels: self.has_records.then_some(self.lines),
            rules: None,
            chapters: Vec::new(),
            cluster: None,
        }
    }
}
