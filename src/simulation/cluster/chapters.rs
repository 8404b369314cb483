//! What is measured of each rule by its own limit and its own keys.

use super::super::lane::Course;
use super::super::probes::{Probes, Probing, Traits};
use super::ledger::Offer;
use super::said::Part;
use crate::limiter::{Algorithm, Decision};
use crate::measure::{
    Answers, Batch, Chapter, Counts, Cut, Measure, Record, Recorder, Selection, Sums, Tally,
};
use crate::rules::Rule;
use crate::units::SimTime;
use crate::workload::Arrival;

/// The measures of a rule while it is in force in one form.
pub(super) struct ChapterLedger {
    chapter: Chapter,
    cut: Cut,
    traits: Traits,
    batch: Batch,
    answers: Answers,
    probes: Box<dyn Probing>,
    /// How many keys they have room for.
    keys: usize,
    /// By request of the batch, its row in that of all requests, and whether this rule denied it.
    rows: Vec<(usize, bool)>,
    /// Learns the verdicts.
    verdicts: Recorder,
}

/// How a request before several limiters ended.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    /// Its row in the batch of all requests.
    pub(super) row: usize,
    /// When it was answered.
    pub(super) at: SimTime,
    pub(super) decision: Decision,
}

impl ChapterLedger {
    pub(super) fn new<A: Algorithm>(
        rule: &Rule,
        (kind, whole): (&'static str, &A),
        course: &Course,
        delays: bool,
        from: SimTime,
    ) -> Self {
        let course = course_of(rule, course);
        let traits = Traits {
            most: whole.level_bound(),
            delays,
            estimates: whole.estimate(&whole.fresh(), SimTime::ZERO).is_some()
                && course.measures.has(Measure::Estimate),
            counts_denied: whole.counts_denied(),
        };
        Self {
            chapter: Chapter {
                name: rule.name.clone(),
                limit: rule.limit,
                algorithm: kind,
                from,
                to: None,
                keys: 0,
                tally: Default::default(),
                estimates: Default::default(),
            },
            cut: course.cut(),
            traits,
            batch: Batch::default(),
            answers: Answers::default(),
            probes: if course.unit_costs {
                Box::new(Probes::<Counts>::new(&course, traits))
            } else {
                Box::new(Probes::<Sums>::new(&course, traits))
            },
            keys: 0,
            rows: Vec::new(),
            verdicts: Recorder::default(),
        }
    }

    /// The rule is no longer in force in this form.
    pub(super) fn end(&mut self, at: SimTime) {
        self.chapter.to = Some(at);
    }

    /// Notes what this rule said to a request, and what became of it.
    pub(super) fn note(&mut self, offer: &Offer, part: &Part, outcome: Outcome) {
        let (_, key) = part.slot;
        let arrival = Arrival {
            key,
            cost: part.cost,
            ..offer.arrival
        };
        let is_admitted = outcome.decision.is_admitted();
        // What it denied may have been let pass later, from a queue.
        let denies = part.decision == Decision::Deny && !is_admitted;
        if key.0 as usize >= self.keys {
            self.keys = key.0 as usize + 1;
            self.probes.reach(self.keys);
        }
        self.batch.push(arrival, outcome.at, &self.cut);
        self.answers.admitted.push(is_admitted);
        if self.traits.delays {
            self.answers.waits.push(outcome.decision.delay().get());
        }
        if self.traits.estimates {
            self.answers.estimates.push(part.estimate);
        }
        // Others denied it: this rule is not to be blamed.
        self.answers.failed.push(!is_admitted && !denies);
        self.answers.in_outage.push(false);
        self.rows.push((outcome.row, denies));
    }

    /// Measures what has been noted, and tells which verdicts on which rows were wrong.
    pub(super) fn flush(&mut self, blame: &mut Blame) {
        self.verdicts.records.clear();
        let blank = Record::without_limiter(Decision::Deny, None);
        self.verdicts.records.resize(self.rows.len(), blank);
        let verdicts = Some(&mut self.verdicts);
        self.probes
            .observe(&self.batch.whole(), &self.answers, verdicts);
        let judged = self.rows.iter().zip(&self.verdicts.records);
        for (((row, denies), record), admitted) in judged.zip(&self.answers.admitted) {
            blame.add(*row, *admitted, *denies, record.is_false);
        }
        self.rows.clear();
        self.batch.clear();
        self.answers.clear();
    }

    /// Ends the run.
    pub(super) fn finish(self) -> Chapter {
        let measured = self.probes.finish(&[], &[]);
        Chapter {
            // A rule meets attempts; which requests they belong to is nothing to it.
            tally: Tally {
                requests: measured.tally.attempts,
                ..measured.tally
            },
            estimates: measured.estimates,
            ..self.chapter
        }
    }
}

/// By row of a batch, whether the request was rightly answered by all the limiters together: an
/// admission is wrong if it exceeds any limit, a denial if none of those that denied it was right.
#[derive(Default)]
pub(super) struct Blame {
    exceeds: Vec<bool>,
    rightly_denied: Vec<bool>,
    wrongly_denied: Vec<bool>,
}

impl Blame {
    /// Makes room for a batch.
    pub(super) fn begin(&mut self, rows: usize) {
        for column in [
            &mut self.exceeds,
            &mut self.rightly_denied,
            &mut self.wrongly_denied,
        ] {
            column.clear();
            column.resize(rows, false);
        }
    }

    fn add(&mut self, row: usize, admitted: bool, denies: bool, is_wrong: bool) {
        self.exceeds[row] |= admitted && is_wrong;
        self.rightly_denied[row] |= denies && !is_wrong;
        self.wrongly_denied[row] |= denies && is_wrong;
    }

    /// By row, whether it was admitted wrongly and whether it was denied wrongly.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = (bool, bool)> {
        let denied = self.wrongly_denied.iter().zip(&self.rightly_denied);
        let denied = denied.map(|(wrongly, rightly)| *wrongly && !*rightly);
        self.exceeds.iter().copied().zip(denied)
    }
}

/// What a rule's own measures are taken by.
fn course_of(rule: &Rule, course: &Course) -> Course {
    Course {
        limit: rule.limit,
        one_key: false,
        unit_costs: rule.cost.map_or(course.unit_costs, |cost| cost == 1),
        with_timeline: false,
        labels: None,
        measures: among(course.measures, &BY_LIMIT),
        ..course.clone()
    }
}

/// What is measured by a limit.
const BY_LIMIT: [Measure; 3] = [Measure::Errors, Measure::Peak, Measure::Estimate];

fn among(selection: Selection, wanted: &[Measure]) -> Selection {
    let wanted = wanted.iter().filter(|measure| selection.has(**measure));
    wanted.fold(Selection::COUNTS, |kept, measure| kept.with(*measure))
}

/// What is measured of all rules together: what needs no limit.
pub(super) fn course_of_all(course: &Course) -> Course {
    let all = Measure::ALL.iter().map(|(measure, ..)| *measure);
    let others: Vec<_> = all.filter(|measure| !BY_LIMIT.contains(measure)).collect();
    Course {
        measures: among(course.measures, &others),
        ..course.clone()
    }
}
