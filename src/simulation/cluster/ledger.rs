//! The answers of one candidate, on their way to what measures them.

use super::super::lane::{Course, LaneResult};
use super::super::probes::{Probes, Probing, Traits};
use super::chapters::{Blame, ChapterLedger, Form, Outcome};
use super::history::Passed;
use super::offer::{Details, Offer};
use super::said::Said;
use super::states::Remains;
use crate::limiter::Algorithm;
use crate::measure::{
    Answers, Batch, Chapter, Counts, Cut, Delays, LevelLine, NodeTally, Occupancy, Reason, Record,
    Recorder, Sums,
};
use crate::units::SimTime;

/// How an attempt ended.
pub(super) struct Ending {
    pub(super) at: SimTime,
    /// The node that it came to; `None` where there was none.
    pub(super) node: Option<u16>,
    pub(super) said: Said,
    /// What failed, if anything did.
    pub(super) failure: Option<Reason>,
    /// What is told of it: that, or what was done with what was over the limit.
    pub(super) reason: Option<Reason>,
    /// Whether something was down, or had been and was the cause.
    pub(super) in_outage: bool,
}

/// Counts answers and hands them on in batches, in the order in which they were given.
pub(super) struct Ledger {
    cut: Cut,
    traits: Traits,
    can_fail: bool,
    knows_offers: bool,
    batch: Batch,
    answers: Answers,
    probes: Box<dyn Probing>,
    recorder: Option<Recorder>,
    nodes: Vec<NodeTally>,
    added: Delays,
    unmetered: u64,
    fallbacks: u64,
    too_large: u64,
    /// Rules, each from one change to the next, and what they make of the verdicts.
    chapters: Vec<ChapterLedger>,
    blame: Blame,
    false_allow: u64,
    false_deny: u64,
    wrongly_refused: u64,
}

impl Ledger {
    /// The most answers in a batch.
    const BATCH: usize = 1 << 12;

    pub(super) fn new(course: &Course, traits: Traits, nodes: u16, can_fail: bool) -> Self {
        let mut probes: Box<dyn Probing> = if course.unit_costs {
            Box::new(Probes::<Counts>::new(course, traits))
        } else {
            Box::new(Probes::<Sums>::new(course, traits))
        };
        probes.reach(course.names.len());
        Self {
            cut: course.cut(),
            traits,
            can_fail,
            knows_offers: course.knows_offers(),
            batch: Batch::default(),
            answers: Answers::default(),
            probes,
            recorder: course.with_timeline.then(Recorder::default),
            nodes: vec![NodeTally::default(); usize::from(nodes)],
            added: Delays::default(),
            unmetered: 0,
            fallbacks: 0,
            too_large: 0,
            chapters: Vec::new(),
            blame: Blame::default(),
            false_allow: 0,
            false_deny: 0,
            wrongly_refused: 0,
        }
    }

    /// A rule comes into force, in place of the chapter `before` where that has its keys.
    pub(super) fn begin_chapter<A: Algorithm>(
        &mut self,
        form: &Form<A>,
        before: Option<u16>,
        course: &Course,
    ) {
        let number = u16::try_from(self.chapters.len()).expect("few rules and readings");
        let history = before.and_then(|before| self.chapters[usize::from(before)].hand_on(number));
        let chapter = ChapterLedger::new(form, course, self.traits.delays, history);
        self.chapters.push(chapter);
    }

    /// A rule is no longer in force in this form.
    pub(super) fn end_chapter(&mut self, chapter: usize, now: SimTime) {
        self.chapters[chapter].end(now);
    }

    /// What passed by a chapter that another one has followed since lies in that one's windows.
    fn hand_on(&mut self, late: Vec<(u16, Passed)>) {
        if late.is_empty() {
            return;
        }
        self.flush();
        for (chapter, passed) in late {
            let mut next = Some(chapter);
            while let Some(chapter) = next {
                let chapter = &mut self.chapters[usize::from(chapter)];
                chapter.recall(passed);
                next = chapter.successor();
            }
        }
    }

    /// Counts an operation on the store by a node.
    pub(super) fn count_operation(&mut self, node: u16) {
        self.nodes[usize::from(node)].store_ops += 1;
    }

    /// Notes how an attempt ended.
    pub(super) fn note(&mut self, offer: &Offer, details: &Details, ending: Ending) {
        let Ending {
            at,
            node,
            said,
            failure,
            reason,
            in_outage,
        } = ending;
        let is_error = reason.is_some_and(Reason::is_error);
        let admitted = said.decision.is_admitted();
        if let Some(node) = node {
            let tally = &mut self.nodes[usize::from(node)];
            tally.requests += 1;
            tally.allowed += u64::from(admitted);
            tally.errors += u64::from(is_error);
            tally.denied += u64::from(!admitted && !is_error);
            tally.allowed_cost += u128::from(if admitted { offer.arrival.cost } else { 0 });
        }
        self.unmetered += u64::from(failure == Some(Reason::FailOpen));
        self.fallbacks += u64::from(failure == Some(Reason::LocalFallback));
        self.too_large += u64::from(said.is_too_large);
        self.added.add(at.since(offer.arrival.at));
        let outcome = Outcome {
            row: self.batch.len(),
            at,
            decision: said.decision,
        };
        let late = self.note_parts(offer, &said, outcome);
        self.batch.push(offer.arrival, at, &self.cut);
        if self.knows_offers {
            self.batch.offered.exceeds.push(details.exceeds);
            self.batch.offered.before.push(details.before);
        }
        let answers = &mut self.answers;
        answers.admitted.push(admitted);
        if self.traits.delays {
            answers.waits.push(said.decision.delay().get());
        }
        if self.traits.estimates {
            answers.estimates.push(said.estimate);
        }
        if self.can_fail {
            answers.failed.push(is_error);
            answers.in_outage.push(in_outage);
        }
        if let Some(recorder) = &mut self.recorder {
            let record = said.aside.and_then(|aside| aside.record);
            let record = record.unwrap_or_else(|| Record::without_limiter(said.decision, None));
            recorder.records.push(Record {
                request: offer.number,
                attempt: offer.attempt,
                at: offer.arrival.at,
                reason,
                node: node.unwrap_or_default(),
                answered: at,
                is_too_large: said.is_too_large,
                ..record
            });
        }
        if self.batch.len() == Self::BATCH {
            self.flush();
        }
        self.hand_on(late);
    }

    /// Notes what the rules said; gives what passed by those that others have followed since.
    fn note_parts(&mut self, offer: &Offer, said: &Said, outcome: Outcome) -> Vec<(u16, Passed)> {
        let mut late = Vec::new();
        for part in said.parts().into_iter().flatten() {
            let chapter = &mut self.chapters[usize::from(part.slot.0)];
            let passed = chapter.note(offer, part, outcome);
            late.extend(chapter.successor().zip(passed));
        }
        late
    }

    /// Hands over what has been noted.
    fn flush(&mut self) {
        let recorder = self.recorder.as_mut();
        self.probes
            .observe(&self.batch.whole(), &self.answers, recorder);
        if !self.chapters.is_empty() {
            self.blame();
        }
        self.batch.clear();
        self.answers.clear();
    }

    /// What the rules together make of the verdicts of each.
    fn blame(&mut self) {
        self.blame.begin(self.batch.len());
        for chapter in &mut self.chapters {
            chapter.flush(&mut self.blame);
        }
        let mut records = self.recorder.as_mut().map(|recorder| {
            let first = recorder.records.len() - self.batch.len();
            recorder.records[first..].iter_mut()
        });
        let answers = &self.answers;
        for (row, verdict) in self.blame.verdicts(&answers.admitted).enumerate() {
            let is = |column: &[bool]| column.get(row).copied().unwrap_or_default();
            self.false_allow += u64::from(verdict.false_allow);
            self.false_deny += u64::from(verdict.false_deny);
            self.wrongly_refused += u64::from(verdict.had_room && is(&answers.in_outage));
            if let Some(record) = records.as_mut().and_then(Iterator::next) {
                let is_wrong_error = verdict.had_room && is(&answers.failed);
                record.is_false = verdict.false_allow || verdict.false_deny || is_wrong_error;
            }
        }
    }

    /// Ends the run; the keys came as often as `requests` says, and were tried as often as `attempts`
    /// does.
    pub(super) fn finish(mut self, requests: &[u64], attempts: &[u64], remains: Remains) -> Closed {
        self.flush();
        let records = self.recorder.map(|recorder| {
            let mut records = recorder.records;
            records.sort_unstable_by_key(|record| (record.at, record.request, record.attempt));
            records
        });
        let lines: Option<Vec<LevelLine>> = remains.lines;
        let occupancy: Option<Occupancy> = remains.occupancy;
        let mut measured = self.probes.finish(requests, attempts);
        // Each limiter has its own bound.
        measured.tally.too_large = self.too_large;
        let chapters: Vec<Chapter> = self
            .chapters
            .into_iter()
            .map(ChapterLedger::finish)
            .collect();
        if let Some(worst) = Chapter::worst(&chapters) {
            measured.tally.false_allow = self.false_allow;
            measured.tally.false_deny = self.false_deny;
            measured.tally.wrongly_refused = self.wrongly_refused;
            measured.tally.peak_in_window = worst.tally.peak_in_window;
        }
        Closed {
            result: LaneResult {
                measured,
                occupancy,
                levels: remains.levels,
                records,
                lines,
            },
            nodes: self.nodes,
            added: self.added,
            unmetered: self.unmetered,
            fallbacks: self.fallbacks,
            chapters,
        }
    }
}

/// A ledger at the end of a run.
pub(super) struct Closed {
    pub(super) result: LaneResult,
    pub(super) nodes: Vec<NodeTally>,
    pub(super) added: Delays,
    pub(super) unmetered: u64,
    pub(super) fallbacks: u64,
    pub(super) chapters: Vec<Chapter>,
}
