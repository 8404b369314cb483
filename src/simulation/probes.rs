//! What is measured of one candidate in one shard, whatever its algorithm: probes over batches of
//! answers.

use super::lane::Course;
use crate::measure::{
    Amounts, Answers, Columns, Delays, Estimates, KeyTally, Measure, Past, PerKey, Recorder,
    Reference, Rows, Series, Sums, Tally, Truth, Verdicts,
};
use crate::units::Cost;

/// What the probes need to know of the candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// The most it can ever hold.
    pub(super) most: Cost,
    /// Whether it forwards some requests later.
    pub(super) delays: bool,
    /// Whether it estimates what it counted.
    pub(super) estimates: bool,
    /// Whether it counts denied requests.
    pub(super) counts_denied: bool,
}

/// The probes of one lane, in whatever form they keep amounts.
pub(super) trait Probing: Send {
    /// Makes room for `keys` keys.
    fn reach(&mut self, keys: usize);
    /// Measures a batch of answers; the recorder, which has noted them, learns the verdicts.
    fn observe(&mut self, batch: &Columns, answers: &Answers, recorder: Option<&mut Recorder>);
    /// Ends the run; the keys came as often as `requests` says, and were tried as often as `attempts`
    /// does.
    fn finish(self: Box<Self>, requests: &[u64], attempts: &[u64]) -> Measured;
}

/// What the probes of one lane measured.
pub(super) struct Measured {
    pub(super) tally: Tally,
    pub(super) per_key: Vec<KeyTally>,
    pub(super) delays: Delays,
    pub(super) estimates: Estimates,
    pub(super) series: Option<Series>,
}

pub(super) struct Probes<A: Amounts> {
    course: Course,
    traits: Traits,
    /// What was forwarded.
    past: Option<A::Past>,
    /// Whether the sums before each request are asked for.
    before: bool,
    verdicts: Verdicts<A>,
    truth: Option<Truth<A>>,
    per_key: Option<PerKey>,
    tally: Tally,
    delays: Delays,
    estimates: Estimates,
    rows: Option<Rows<A>>,
}

impl<A: Amounts> Probes<A> {
    pub(super) fn new(course: &Course, traits: Traits) -> Self {
        let has = |measure| course.measures.has(measure);
        let truth = (traits.estimates && has(Measure::Estimate)).then(|| {
            if !traits.counts_denied {
                Truth::Forwarded
            } else if course.knows_offers() && course.unit_costs {
                Truth::Offered
            } else {
                Truth::counted(course.limit, traits.most)
            }
        });
        let by_forwards = has(Measure::Errors) && course.reference == Reference::Forwarded;
        let before = matches!(truth, Some(Truth::Forwarded));
        let remembers = by_forwards || before || has(Measure::Peak);
        let tops = has(Measure::Peak) && has(Measure::Series);
        let tops = tops.then_some(course.grid);
        Self {
            past: remembers.then(|| A::Past::new(course.limit, tops)),
            before,
            verdicts: Verdicts::default(),
            truth,
            per_key: has(Measure::Keys).then(PerKey::default),
            tally: Tally::default(),
            delays: Delays::keeping(course.instants),
            estimates: Estimates::default(),
            rows: has(Measure::Series).then(|| Rows::new(course.grid, traits.delays)),
            course: course.clone(),
            traits,
        }
    }

    fn judge(&mut self, batch: &Columns, answers: &Answers) {
        let Self {
            course, verdicts, ..
        } = self;
        if let Some(past) = &mut self.past {
            verdicts.begin(batch.len(), self.before);
            past.judge(batch, answers, verdicts);
        }
        if course.knows_offers() {
            verdicts.judge_offers(batch, answers);
        } else if !course.measures.has(Measure::Errors) {
            verdicts.wrong.clear();
        }
    }
}

impl Probes<Sums> {
    /// Takes in what was forwarded before these measures were taken; see [`Departures::recall`].
    pub(super) fn recall(&mut self, slot: usize, now: u64, at: u64, cost: Cost) {
        if let Some(past) = &mut self.past {
            past.recall(slot, now, at, cost);
        }
    }
}

impl<A: Amounts> Probing for Probes<A> {
    fn reach(&mut self, keys: usize) {
        if let Some(past) = &mut self.past {
            past.reach(keys);
        }
        if let Some(truth) = &mut self.truth {
            truth.reach(keys);
        }
        if let Some(per_key) = &mut self.per_key {
            per_key.reach(keys);
        }
    }

    fn observe(&mut self, batch: &Columns, answers: &Answers, recorder: Option<&mut Recorder>) {
        self.judge(batch, answers);
        let verdicts = &self.verdicts;
        self.tally
            .observe(batch, answers, verdicts, self.traits.most);
        if let Some(labels) = &self.course.labels {
            self.tally.observe_labelled(batch, answers, labels);
        }
        if let Some(truth) = &mut self.truth {
            self.estimates.observe(truth, batch, answers, verdicts);
        }
        if let Some(per_key) = &mut self.per_key {
            per_key.observe(batch, answers);
        }
        if let Some(rows) = &mut self.rows {
            rows.observe(batch, answers, verdicts);
        }
        if self.course.measures.has(Measure::Delay) {
            self.delays.observe(answers);
        }
        if let Some(recorder) = recorder {
            recorder.judge(verdicts);
        }
    }

    fn finish(self: Box<Self>, requests: &[u64], attempts: &[u64]) -> Measured {
        let has_peaks = self.course.measures.has(Measure::Peak);
        let past = self.past.as_ref().filter(|_| has_peaks);
        let peak = |slot| past.map_or(0, |past| past.peak(slot).into());
        let per_key = self
            .per_key
            .map(|keys| keys.into_tallies(requests, attempts, peak));
        let tops = past.map_or(&[][..], |past| past.tops());
        Measured {
            tally: Tally {
                requests: requests.iter().sum(),
                peak_in_window: past.map_or(0, |past| past.highest().into()),
                ..self.tally
            },
            per_key: per_key.unwrap_or_default(),
            delays: self.delays,
            estimates: self.estimates,
            series: self.rows.map(|rows| rows.finish(tops)),
        }
    }
}
