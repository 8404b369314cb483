//! Rules while they are in force: which limiters a request is brought before, and what a reading of
//! their file changes.

use super::super::deployment::{Deployment, OnStoreFailure, Ttl, Whom};
use super::chapters::Form;
use super::engine::{Engine, Event};
use super::judge::{Ask, Slot};
use super::offer::Offer;
use super::states::{Carry, States};
use crate::limiter::Algorithm;
use crate::measure::Clocked;
use crate::rules::{Charge, Load, OnReload, Rule, RuleKeys, RuleSet, Rules};
use crate::simulation::lane::{Course, Requesters};
use crate::units::{Cost, SimTime};
use crate::workload::Identity;
use std::sync::Arc;

/// Rules with the limiters of one candidate.
pub(in crate::simulation) struct Book<A: Algorithm> {
    /// The rules over time.
    pub rules: Arc<Rules>,
    /// By version and rule, its limiters. A version that cannot be read has none.
    pub limiters: Vec<Vec<RuleLimiters<A>>>,
    /// Whether two limiters are alike.
    pub is_same: fn(&A, &A) -> bool,
    /// The state of a key under a new limiter, from that under the old one.
    pub carry: Carry<A>,
}

/// The limiters of one rule.
#[derive(Clone)]
pub(in crate::simulation) struct RuleLimiters<A> {
    /// The algorithm's `kind`.
    pub kind: &'static str,
    /// Why it may forward more than its limit, if it may; empty otherwise.
    pub envelope: &'static str,
    /// Why it may deny what its limit has room for, if it may; empty otherwise.
    pub caution: &'static str,
    /// The limiter that enforces the whole limit, then those of the deployment's shares.
    pub parts: Vec<A>,
}

/// What limits the requests.
pub(super) enum Limits<A: Algorithm> {
    /// One limit: the limiter that enforces the whole of it, then those of the deployment's shares.
    One(Vec<A>),
    /// Rules.
    Rules(Arc<Book<A>>),
}

impl<A: Algorithm> Limits<A> {
    /// The limiter by which results are described.
    pub(super) fn usual(&self) -> &A {
        match self {
            Self::One(parts) => &parts[0],
            Self::Rules(book) => &book.limiters[0][0].parts[0],
        }
    }

    /// Whether some requests are admitted and forwarded later.
    pub(super) fn delays(&self) -> bool {
        match self {
            Self::One(parts) => parts[0].delays(),
            Self::Rules(book) => {
                let mut all = book.limiters.iter().flatten();
                all.any(|limiters| limiters.parts[0].delays())
            }
        }
    }
}

/// The rules that are in force.
pub(super) struct Ruling<A: Algorithm> {
    book: Arc<Book<A>>,
    requesters: Arc<Requesters>,
    readings: Vec<Load>,
    version: usize,
    set: Arc<RuleSet>,
    /// By rule of the set, its chapter.
    chapters_of: Vec<u16>,
    chapters: Vec<Chapter>,
    /// By mark, the rules that apply.
    matching: Vec<Option<Arc<[usize]>>>,
}

/// A rule from one change to the next.
struct Chapter {
    keys: RuleKeys,
    /// How many keys it had when another one took them over.
    handed_on: usize,
    /// What follows it.
    successor: Option<u16>,
    is_over: bool,
}

impl<A: Algorithm> Ruling<A> {
    /// What a rule of this name is in each of the versions that can be read.
    fn forms_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Rule> {
        let versions = self.book.rules.versions.iter();
        let rules = versions.flat_map(|version| version.content.iter().flat_map(|set| &set.rules));
        rules.filter(move |rule| *rule.name == *name)
    }

    /// How several rules that apply are charged.
    pub(super) fn charge(&self) -> Charge {
        self.book.rules.charge
    }

    /// The limiters that a request is brought before.
    pub(super) fn asks(&mut self, offer: &Offer, who: &Identity) -> Vec<Ask> {
        let mark = offer.arrival.mark.0 as usize;
        let marked = &self.requesters.marks[mark];
        let rules = self.matching[mark].get_or_insert_with(|| {
            let (endpoint, method) = (marked.endpoint.as_deref(), marked.method.as_deref());
            self.set.matching(endpoint, method).into()
        });
        let mut asks = Vec::with_capacity(rules.len());
        for rule in rules.iter() {
            let chapter = self.chapters_of[*rule];
            let keys = &mut self.chapters[usize::from(chapter)].keys;
            let key = keys.find(who, marked, &self.requesters.names);
            asks.push(Ask {
                slot: (chapter, key),
                cost: self.set.rules[*rule].charged(offer.arrival.cost),
            });
        }
        asks
    }

    /// How long a key's name is.
    pub(super) fn name_length(&self, (chapter, key): Slot) -> usize {
        self.chapters[usize::from(chapter)].keys.name(key).len()
    }

    /// How many keys each chapter had in the end.
    pub(super) fn keys(&self) -> impl Iterator<Item = usize> {
        self.chapters
            .iter()
            .map(|chapter| chapter.handed_on.max(chapter.keys.len()))
    }

    /// The limiters of a rule of a version.
    fn limiters(&self, version: usize, rule: usize) -> &RuleLimiters<A> {
        &self.book.limiters[version][rule]
    }
}

impl<A: Algorithm> Engine<A> {
    /// Makes the limiters that are there at the beginning.
    pub(super) fn set_up(&mut self, limits: Limits<A>) {
        let book = match limits {
            Limits::One(parts) => {
                self.add_limiters(&parts, true);
                let keys = self.course.names.len();
                for states in self.states.iter_mut().chain(&mut self.fallback) {
                    states.reach(keys);
                }
                return;
            }
            Limits::Rules(book) => book,
        };
        let requesters = self.course.requesters.clone();
        let requesters = requesters.expect("a run with rules knows who asks");
        self.ruling = Some(Ruling {
            readings: book.rules.loads(self.course.horizon),
            version: 0,
            set: book.rules.first().clone(),
            chapters_of: Vec::new(),
            chapters: Vec::new(),
            matching: vec![None; requesters.marks.len()],
            requesters,
            book,
        });
        let rules = self
            .ruling
            .as_ref()
            .map_or(0, |ruling| ruling.set.rules.len());
        for rule in 0..rules {
            self.begin_chapter(rule, None, SimTime::ZERO);
        }
    }

    /// Adds the states of limiters that enforce the whole limit and its shares.
    fn add_limiters(&mut self, parts: &[A], with_levels: bool) {
        let deployment = &self.deployment;
        let course = Course {
            one_key: self.course.one_key && with_levels,
            ..self.course.clone()
        };
        let has_fallback = matches!(
            deployment.on_store_failure,
            OnStoreFailure::LocalFallback(_)
        );
        let (whole, shares) = parts.split_first().expect("the whole comes first");
        let (own, fallback) = shares.split_at(shares.len() - usize::from(has_fallback));
        let algorithms = match own {
            [] => vec![whole.clone()],
            own => own.to_vec(),
        };
        let limiters = deployment.states_per_key();
        let states = States::new(algorithms, limiters, deployment, &course, with_levels);
        self.states.push(states);
        if has_fallback {
            // What goes wrong at the store does not at the nodes.
            let sound = Deployment {
                ttl: Ttl::Design,
                lost_expires: Vec::new(),
                ..Deployment::clone(deployment)
            };
            let nodes = usize::from(deployment.nodes);
            let states = States::new(fallback.to_vec(), nodes, &sound, &course, with_levels);
            self.fallback.push(states);
        }
    }

    /// Begins a chapter for a rule of the version in force, in place of the chapter `before` where that
    /// has its keys; gives its number.
    fn begin_chapter(&mut self, rule: usize, before: Option<u16>, now: SimTime) -> u16 {
        let ruling = ruling_of(self);
        let chapter = u16::try_from(ruling.chapters.len()).expect("few rules and readings");
        let stated: Rule = ruling.set.rules[rule].clone();
        ruling.chapters.push(Chapter {
            keys: RuleKeys::new(&stated),
            handed_on: 0,
            successor: None,
            is_over: false,
        });
        ruling.chapters_of.push(chapter);
        let limiters = ruling.limiters(ruling.version, rule).clone();
        let forms: Vec<&Rule> = ruling.forms_of(&stated.name).collect();
        let longest = forms.iter().map(|form| form.limit.window).max();
        let may_change = ruling.readings.len() > 1;
        let costs: Vec<Option<Cost>> = forms.iter().map(|form| form.cost).collect();
        let unit_costs = self.course.unit_costs;
        let is_unit = |cost: &Option<Cost>| cost.map_or(unit_costs, |cost| cost == 1);
        let form = Form {
            rule: &stated,
            limiters: &limiters,
            has_unit_costs: costs.iter().all(is_unit),
            longest: longest.filter(|_| may_change),
            from: now,
        };
        self.ledger.begin_chapter(&form, before, &self.course);
        self.add_limiters(&limiters.parts, false);
        chapter
    }

    /// Puts in the readings that will find the rules changed.
    pub(super) fn schedule_reloads(&mut self) {
        let readings = self.ruling.as_ref().map(|ruling| ruling.readings.clone());
        for (number, reading) in readings.into_iter().flatten().enumerate() {
            if reading.at > SimTime::ZERO {
                self.queue.push(reading.at, Event::Reload(number));
            }
        }
    }

    /// The worker reads rules that have changed. A file that it cannot read leaves all as it is.
    pub(super) fn reload(&mut self, reading: usize, now: SimTime) {
        let ruling = self.ruling.as_mut().expect("asked for rules alone");
        let version = ruling.readings[reading].version;
        let Ok(set) = ruling.book.rules.versions[version].content.clone() else {
            return;
        };
        let old = std::mem::replace(&mut ruling.set, set);
        let old_version = std::mem::replace(&mut ruling.version, version);
        let old_chapters = std::mem::take(&mut ruling.chapters_of);
        ruling.matching.fill(None);
        for rule in 0..ruling_of(self).set.rules.len() {
            let ruling = ruling_of(self);
            let stated = &ruling.set.rules[rule];
            let before = old.rules.iter().position(|it| it.name == stated.name);
            let before = before.filter(|before| old.rules[*before].has_keys_of(stated));
            let Some(before) = before else {
                self.begin_chapter(rule, None, now);
                continue;
            };
            let was = ruling.limiters(old_version, before);
            let is = ruling.limiters(version, rule);
            let are_same = was
                .parts
                .iter()
                .zip(&is.parts)
                .all(|(was, is)| (ruling.book.is_same)(was, is));
            if are_same && old.rules[before].limit == stated.limit {
                ruling_of(self).chapters_of.push(old_chapters[before]);
            } else {
                self.continue_chapter(rule, old_chapters[before], now);
            }
        }
        let kept = ruling_of(self).chapters_of.clone();
        for chapter in old_chapters {
            if !kept.contains(&chapter) {
                self.end_chapter(chapter, now);
            }
        }
    }

    /// Begins a chapter whose keys are those of another one, and their states too unless they are reset.
    fn continue_chapter(&mut self, rule: usize, before: u16, now: SimTime) {
        let chapter = self.begin_chapter(rule, Some(before), now);
        let ruling = ruling_of(self);
        let (old, new) = (usize::from(before), usize::from(chapter));
        let carry = match ruling.book.rules.on_reload {
            OnReload::Reset => None,
            OnReload::Kept | OnReload::Converted => Some(ruling.book.carry),
        };
        // What others are yet to be told was admitted before a reset, and is forgotten with the states.
        ruling.chapters[old].successor = carry.map(|_| chapter);
        let empty = RuleKeys::new(&ruling.set.rules[rule]);
        let keys = std::mem::replace(&mut ruling.chapters[old].keys, empty);
        ruling.chapters[old].handed_on = keys.len();
        ruling.chapters[new].keys = keys;
        for fallback in [false, true] {
            let has_store = self.deployment.has_store() && !fallback;
            let clocks = &self.clocks;
            let clock = |limiter: usize| clock_of(clocks, has_store, limiter, now);
            let all = if fallback {
                &mut self.fallback
            } else {
                &mut self.states
            };
            if let Some((before, [states, ..])) = all.split_at_mut_checked(new) {
                states.succeed(&mut before[old], clock, carry);
            }
        }
    }

    /// A rule is no longer in force in this form: nobody asks for its states.
    fn end_chapter(&mut self, chapter: u16, now: SimTime) {
        let chapter = usize::from(chapter);
        ruling_of(self).chapters[chapter].is_over = true;
        self.ledger.end_chapter(chapter, now);
        let has_store = self.deployment.has_store();
        for limiter in 0..self.deployment.states_per_key() {
            let clock = clock_of(&self.clocks, has_store, limiter, now);
            self.states[chapter].lose(limiter, clock);
        }
        if let Some(fallback) = self.fallback.get_mut(chapter) {
            for node in 0..usize::from(self.deployment.nodes) {
                let clock = clock_of(&self.clocks, false, node, now);
                fallback.lose(node, clock);
            }
        }
    }

    /// The chapter that is in force in place of this one; `None` where its rule is gone.
    pub(super) fn in_force(&self, chapter: u16) -> Option<usize> {
        let Some(ruling) = &self.ruling else {
            return Some(usize::from(chapter));
        };
        let mut chapter = chapter;
        while let Some(next) = ruling.chapters[usize::from(chapter)].successor {
            chapter = next;
        }
        let found = usize::from(chapter);
        (!ruling.chapters[found].is_over).then_some(found)
    }
}

fn ruling_of<A: Algorithm>(engine: &mut Engine<A>) -> &mut Ruling<A> {
    engine.ruling.as_mut().expect("asked for rules alone")
}

/// The clock that a limiter goes by: the store's, or its node's.
pub(super) fn clock_of(
    clocks: &super::clocks::Clocks,
    has_store: bool,
    limiter: usize,
    now: SimTime,
) -> Clocked {
    let node = || Whom::Node(u16::try_from(limiter).expect("as many limiters as nodes"));
    clocks.of(if has_store { Whom::Store } else { node() }, now)
}
