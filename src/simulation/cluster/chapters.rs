//! What is measured of each rule by its own limit and its own keys.

use super::super::lane::Course;
use super::super::probes::{Probes, Probing, Traits};
use super::history::{History, Passed};
use super::offer::Offer;
use super::rules::RuleLimiters;
use super::said::Part;
use crate::limiter::{Algorithm, Decision};
use crate::measure::{
    Answers, Batch, Chapter, Counts, Cut, Measure, Record, Recorder, Selection, Sums, Tally,
};
use crate::rules::Rule;
use crate::units::{Nanos, SimTime};
use crate::workload::Arrival;

/// The measures of a rule while it is in force in one form.
pub(super) struct ChapterLedger {
    chapter: Chapter,
    cut: Cut,
    traits: Traits,
    batch: Batch,
    answers: Answers,
    judges: Judges,
    /// How many keys they have room for.
    keys: usize,
    /// Where the rule may yet change: what it let pass.
    history: Option<History>,
    /// The chapter that goes on with its keys.
    successor: Option<u16>,
    /// By request of the batch, its row in that of all requests, and whether this rule denied it.
    rows: Vec<(usize, bool)>,
    /// Learns the verdicts.
    verdicts: Recorder,
}

/// What measures a chapter.
enum Judges {
    /// One that begins with nothing behind it.
    First(Box<dyn Probing>),
    /// One that is held to what its keys had before it, too.
    Later(Box<Probes<Sums>>),
}

impl Judges {
    fn probes(&mut self) -> &mut dyn Probing {
        match self {
            Self::First(probes) => &mut **probes,
            Self::Later(probes) => &mut **probes,
        }
    }
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

/// A rule as it comes into force.
pub(super) struct Form<'a, A> {
    pub(super) rule: &'a Rule,
    pub(super) limiters: &'a RuleLimiters<A>,
    /// Whether each request costs 1 of its limit, however the rule changes.
    pub(super) has_unit_costs: bool,
    /// The longest window that the rule ever has, where it may change.
    pub(super) longest: Option<Nanos>,
    pub(super) from: SimTime,
}

impl ChapterLedger {
    /// The measures of a rule, which goes on after another chapter where there is a history.
    pub(super) fn new<A: Algorithm>(
        form: &Form<A>,
        course: &Course,
        delays: bool,
        before: Option<History>,
    ) -> Self {
        let rule = form.rule;
        let course = Course {
            unit_costs: form.has_unit_costs && before.is_none(),
            ..course_of(rule, course)
        };
        let whole = &form.limiters.parts[0];
        let traits = Traits {
            most: whole.level_bound(),
            delays,
            estimates: whole.estimate(&whole.fresh(), SimTime::ZERO).is_some()
                && course.measures.has(Measure::Estimate)
                // What was counted of denied requests is not handed on.
                && !(whole.counts_denied() && before.is_some()),
            counts_denied: whole.counts_denied(),
        };
        let later = || Judges::Later(Box::new(Probes::new(&course, traits)));
        let mut ledger = Self {
            chapter: Chapter {
                name: rule.name.clone(),
                limit: rule.limit,
                algorithm: form.limiters.kind,
                envelope: form.limiters.envelope,
                caution: form.limiters.caution,
                level_bound: whole.level_bound(),
                from: form.from,
                to: None,
                keys: 0,
                tally: Default::default(),
                estimates: Default::default(),
            },
            cut: course.cut(),
            traits,
            batch: Batch::default(),
            answers: Answers::default(),
            judges: match (&before, course.unit_costs) {
                (Some(_), _) => later(),
                (None, true) => Judges::First(Box::new(Probes::<Counts>::new(&course, traits))),
                (None, false) => Judges::First(Box::new(Probes::<Sums>::new(&course, traits))),
            },
            keys: 0,
            history: None,
            successor: None,
            rows: Vec::new(),
            verdicts: Recorder::default(),
        };
        for passed in before.iter().flat_map(History::passed) {
            ledger.recall(*passed);
        }
        ledger.history = before.or(form.longest.map(History::new));
        ledger
    }

    /// The rule is no longer in force in this form.
    pub(super) fn end(&mut self, at: SimTime) {
        self.chapter.to = Some(at);
    }

    /// Hands what was let pass to the chapter that goes on with its keys.
    pub(super) fn hand_on(&mut self, successor: u16) -> Option<History> {
        self.successor = Some(successor);
        self.history.take()
    }

    /// The chapter that goes on with its keys.
    pub(super) const fn successor(&self) -> Option<u16> {
        self.successor
    }

    /// Takes in what passed before, or was decided by an earlier chapter. Nothing may have been noted
    /// that was not flushed.
    pub(super) fn recall(&mut self, passed: Passed) {
        self.reach(passed.key);
        if let Judges::Later(probes) = &mut self.judges {
            let (now, at) = (passed.answered.as_nanos(), passed.forwarded.as_nanos());
            probes.recall(passed.key as usize, now, at, passed.cost);
        }
        if let Some(history) = &mut self.history {
            history.note(passed);
        }
    }

    /// Makes room for a key.
    fn reach(&mut self, key: u32) {
        if key as usize >= self.keys {
            self.keys = key as usize + 1;
            self.judges.probes().reach(self.keys);
        }
    }

    /// Notes what this rule said to a request, and what became of it; gives what passed.
    pub(super) fn note(&mut self, offer: &Offer, part: &Part, outcome: Outcome) -> Option<Passed> {
        let (_, key) = part.slot;
        let arrival = Arrival {
            key,
            cost: part.cost,
            ..offer.arrival
        };
        let is_admitted = outcome.decision.is_admitted();
        // What it denied may have been let pass later, from a queue.
        let denies = part.decision == Decision::Deny && !is_admitted;
        self.reach(key.0);
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
        let forwarded = outcome.at.saturating_add(outcome.decision.delay());
        let passes = is_admitted && part.cost > 0 && forwarded < SimTime::MAX;
        let passed = passes.then_some(Passed {
            key: key.0,
            answered: outcome.at,
            forwarded,
            cost: part.cost,
        });
        if let (Some(history), Some(passed)) = (&mut self.history, passed) {
            history.note(passed);
        }
        passed
    }

    /// Measures what has been noted, and tells which verdicts on which rows were wrong.
    pub(super) fn flush(&mut self, blame: &mut Blame) {
        self.verdicts.records.clear();
        let blank = Record::without_limiter(Decision::Deny, None);
        self.verdicts.records.resize(self.rows.len(), blank);
        let verdicts = Some(&mut self.verdicts);
        let probes = self.judges.probes();
        probes.observe(&self.batch.whole(), &self.answers, verdicts);
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
        let measured = match self.judges {
            Judges::First(probes) => probes.finish(&[], &[]),
            Judges::Later(probes) => probes.finish(&[], &[]),
        };
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
/// admission is wrong if it exceeds any limit, a denial if none of those that denied it was right, and
/// what was refused for another reason had room if all limits had room for it.
#[derive(Default)]
pub(super) struct Blame {
    exceeds: Vec<bool>,
    rightly_denied: Vec<bool>,
    wrongly_denied: Vec<bool>,
    lacks_room: Vec<bool>,
}

/// Whether a request was answered wrongly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// It was admitted and exceeds a limit.
    pub(super) false_allow: bool,
    /// Limiters denied it, and none of them with good reason.
    pub(super) false_deny: bool,
    /// It was refused, for whatever reason, and all limits had room for it.
    pub(super) had_room: bool,
}

impl Blame {
    /// Makes room for a batch.
    pub(super) fn begin(&mut self, rows: usize) {
        for column in [
            &mut self.exceeds,
            &mut self.rightly_denied,
            &mut self.wrongly_denied,
            &mut self.lacks_room,
        ] {
            column.clear();
            column.resize(rows, false);
        }
    }

    fn add(&mut self, row: usize, admitted: bool, denies: bool, is_wrong: bool) {
        self.exceeds[row] |= admitted && is_wrong;
        self.rightly_denied[row] |= denies && !is_wrong;
        self.wrongly_denied[row] |= denies && is_wrong;
        self.lacks_room[row] |= !is_wrong;
    }

    /// The verdict on each row; `admitted` says what became of it.
    pub(super) fn verdicts<'a>(
        &'a self,
        admitted: &'a [bool],
    ) -> impl Iterator<Item = Verdict> + 'a {
        admitted.iter().enumerate().map(|(row, admitted)| Verdict {
            false_allow: self.exceeds[row],
            false_deny: self.wrongly_denied[row] && !self.rightly_denied[row],
            had_room: !admitted && !self.lacks_room[row],
        })
    }
}

/// What a rule's own measures are taken by.
fn course_of(rule: &Rule, course: &Course) -> Course {
    Course {
        limit: rule.limit,
        one_key: false,
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
