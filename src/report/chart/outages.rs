//! Outages: light bands across a lane for the times in which the store or a node was down, or the rules
//! that were gone by were no longer those of their file, with words above the data.

use super::canvas::{Align, Canvas};
use super::page::Plot;
use super::theme::{ERROR, SMALL};
use super::time::TimeAxis;
use crate::measure::{CandidateResult, RunResult};
use crate::units::SimTime;
use std::collections::BTreeSet;

/// A footer that also explains the bands, if there are any.
pub(super) fn with_outages(run: &RunResult, footer: String, is_shaded: bool) -> String {
    let clusters = run.candidates.iter().filter_map(|c| c.cluster.as_ref());
    let has_outages = clusters
        .flat_map(|cluster| &cluster.outages)
        .next()
        .is_some();
    let meaning = match (is_shaded, has_outages, run.rules().is_some()) {
        (false, ..) => return footer,
        (_, false, true) => "shaded: the rules in force are not those of the file",
        (_, true, true) => {
            "shaded: the store or a node is down, or the rules in force are not those of the file"
        }
        _ => "shaded: the store or a node is down",
    };
    format!("{footer}, {meaning}")
}

/// A time that is shaded.
struct Shade {
    from: SimTime,
    to: SimTime,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Store,
    Node(u16),
    StaleRules,
}

/// All that is shaded in a candidate's lane.
fn shades(run: &RunResult, candidate: &CandidateResult) -> Vec<Shade> {
    let outages = candidate
        .cluster
        .iter()
        .flat_map(|cluster| &cluster.outages);
    let outages = outages.map(|down| Shade {
        from: down.from,
        to: down.to,
        what: down.node.map_or(What::Store, What::Node),
    });
    let stale = candidate
        .rules
        .iter()
        .flat_map(|rules| rules.stale(run.horizon));
    let stale = stale.map(|(from, to)| Shade {
        from,
        to,
        what: What::StaleRules,
    });
    outages.chain(stale).collect()
}

/// The outages of one candidate as far as they are seen.
#[derive(Debug, Default)]
pub(super) struct Outages {
    /// The columns between which something was down, in order, none touching another.
    pub(super) bands: Vec<(f64, f64)>,
    /// Words with their middles.
    words: Vec<(f64, String)>,
}

impl Outages {
    /// Height of the words in pixels.
    const WORDS: f64 = 20.0;

    /// What the axis shows of a candidate's.
    pub(super) fn of(run: &RunResult, candidate: &CandidateResult, time: &TimeAxis) -> Self {
        let span = time.span;
        let mut seen = shades(run, candidate);
        seen.retain(|shade| shade.to.as_nanos() > span.from && shade.from.as_nanos() < span.to);
        seen.sort_by_key(|shade| (shade.from, shade.to, shade.what));
        let mut bands: Vec<(f64, f64)> = Vec::new();
        let mut groups: Vec<Group> = Vec::new();
        for down in seen {
            let from = time.x_within(down.from.as_nanos());
            // What is down for a moment is still seen.
            let to = time.x_within(down.to.as_nanos()).max(from + 1.5);
            match bands.last_mut() {
                Some(last) if from <= last.1 + 0.5 => last.1 = last.1.max(to),
                _ => bands.push((from, to)),
            }
            Group::add(&mut groups, Group::of(down.what, (from, to)), time);
        }
        let words = groups
            .iter()
            .map(|group| (group.middle(time), group.words()));
        Self {
            words: words.collect(),
            bands,
        }
    }

    /// Room that the words take above the data.
    pub(super) fn height(&self) -> f64 {
        if self.words.is_empty() {
            0.0
        } else {
            Self::WORDS
        }
    }

    /// Draws the words, and gives the plot that is left below.
    pub(super) fn draw_words(&self, canvas: &mut Canvas<'_>, plot: &Plot) -> Plot {
        for (middle, word) in &self.words {
            let point = (*middle, plot.top + SMALL.size);
            canvas.text(point, word, SMALL, ERROR, Align::Center);
        }
        Plot {
            top: plot.top + self.height(),
            ..*plot
        }
    }
}

/// Outages that share their words: those of which one's own would touch another's.
#[derive(Debug)]
struct Group {
    from: f64,
    to: f64,
    is_store: bool,
    is_stale: bool,
    nodes: BTreeSet<u16>,
}

impl Group {
    fn of(what: What, (from, to): (f64, f64)) -> Self {
        let node = match what {
            What::Node(node) => Some(node),
            What::Store | What::StaleRules => None,
        };
        Self {
            from,
            to,
            is_store: what == What::Store,
            is_stale: what == What::StaleRules,
            nodes: node.into_iter().collect(),
        }
    }

    /// Adds one that begins no earlier than the others, and joins what would touch.
    fn add(groups: &mut Vec<Self>, mut new: Self, time: &TimeAxis) {
        const APART: f64 = 10.0;
        while let Some(last) = groups.last() {
            let half = |group: &Self| SMALL.width(&group.words()) / 2.0;
            let end = last.middle(time) + half(last);
            if end + APART <= new.middle(time) - half(&new) {
                break;
            }
            let mut last = groups.pop().expect("there is one");
            last.nodes.append(&mut new.nodes);
            new = Self {
                from: last.from.min(new.from),
                to: last.to.max(new.to),
                is_store: last.is_store || new.is_store,
                is_stale: last.is_stale || new.is_stale,
                nodes: last.nodes,
            };
        }
        groups.push(new);
    }

    /// `store down`, `node 2 down`, `nodes 0 to 9 down`.
    fn words(&self) -> String {
        let nodes: Vec<u16> = self.nodes.iter().copied().collect();
        let nodes = match nodes[..] {
            [] => None,
            [only] => Some(format!("node {only}")),
            [first, second] => Some(format!("nodes {first} and {second}")),
            [first, .., last] if usize::from(last - first) + 1 == nodes.len() => {
                Some(format!("nodes {first} to {last}"))
            }
            _ => Some(format!("{} nodes", nodes.len())),
        };
        let down = match (self.is_store, nodes) {
            (true, Some(nodes)) => Some(format!("store, {nodes} down")),
            (_, Some(nodes)) => Some(format!("{nodes} down")),
            (true, None) => Some("store down".to_owned()),
            (false, None) => None,
        };
        match (down, self.is_stale) {
            (Some(down), true) => format!("{down}, old rules"),
            (Some(down), false) => down,
            (None, _) => "old rules".to_owned(),
        }
    }

    /// The middle of its words, all of which keep to the axis.
    fn middle(&self, time: &TimeAxis) -> f64 {
        let half = SMALL.width(&self.words()) / 2.0;
        let middle = f64::midpoint(self.from, self.to);
        middle.min(time.right - half).max(time.left + half)
    }
}

/// The bands of every candidate.
pub(super) fn bands(run: &RunResult, time: &TimeAxis) -> Vec<Vec<(f64, f64)>> {
    let candidates = run.candidates.iter();
    candidates
        .map(|candidate| Outages::of(run, candidate, time).bands)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::super::span::Span;
    use super::*;

    #[test]
    fn outages_too_close_for_words_of_their_own_share_them() {
        let run = fixture::ten_gateways();
        // Ten minutes over 1,200 pixels: the ten, one every 2 s, are 4 apart; over 6 s they are 400.
        let span = |from: u64, to: u64| Span {
            from: from * 1_000_000_000,
            to: to * 1_000_000_000,
        };
        let words = |span| {
            let time = TimeAxis::new(span, 0.0, 1_200.0, run.epoch);
            let outages = Outages::of(&run, &run.candidates[0], &time);
            assert!(outages.bands.windows(2).all(|pair| pair[0].1 < pair[1].0));
            outages
                .words
                .into_iter()
                .map(|(_, words)| words)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(span(0, 600)), ["nodes 0 to 9 down"]);
        assert_eq!(
            words(span(20, 26)),
            ["node 0 down", "node 1 down", "node 2 down"]
        );
    }
}
