//! Outages: light bands across a lane for the times in which the store or a node was down, with words
//! above the data.

use super::canvas::{Align, Canvas};
use super::page::Plot;
use super::theme::{ERROR, SMALL};
use super::time::TimeAxis;
use crate::measure::{CandidateResult, Downtime, RunResult};

/// What footers say of the bands.
const MEANING: &str = "shaded: the store or a node is down";

/// A footer that also explains the bands, if there are any.
pub(super) fn with_outages(footer: String, is_shaded: bool) -> String {
    if is_shaded {
        format!("{footer}, {MEANING}")
    } else {
        footer
    }
}

/// The outages of one candidate as far as they are seen.
#[derive(Debug, Default)]
pub(super) struct Outages {
    /// The columns between which something was down, in order, none touching another.
    pub(super) bands: Vec<(f64, f64)>,
    /// The words that have room, with their middles.
    words: Vec<(f64, String)>,
}

impl Outages {
    /// Height of the words in pixels.
    const WORDS: f64 = 20.0;

    /// The candidate's outages that the axis shows.
    pub(super) fn of(candidate: &CandidateResult, time: &TimeAxis) -> Self {
        let mut seen: Vec<&Downtime> = candidate
            .cluster
            .iter()
            .flat_map(|cluster| &cluster.outages)
            .filter(|down| {
                down.to.as_nanos() > time.span.from && down.from.as_nanos() < time.span.to
            })
            .collect();
        seen.sort_by_key(|down| (down.from, down.to, down.node));
        let mut outages = Self::default();
        let mut free = time.left;
        for down in seen {
            let from = time.x_within(down.from.as_nanos());
            // What is down for a moment is still seen.
            let to = time.x_within(down.to.as_nanos()).max(from + 1.5);
            match outages.bands.last_mut() {
                Some(last) if from <= last.1 + 0.5 => last.1 = last.1.max(to),
                _ => outages.bands.push((from, to)),
            }
            let who = down
                .node
                .map_or("store".to_owned(), |node| format!("node {node}"));
            let words = [format!("{who} down"), who];
            let placed = words.into_iter().find_map(|word| {
                let half = SMALL.width(&word) / 2.0;
                let middle = f64::midpoint(from, to).clamp(time.left + half, time.right - half);
                (middle - half >= free).then_some((middle, half, word))
            });
            if let Some((middle, half, word)) = placed {
                free = middle + half + 8.0;
                outages.words.push((middle, word));
            }
        }
        outages
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

/// The bands of every candidate.
pub(super) fn bands(run: &RunResult, time: &TimeAxis) -> Vec<Vec<(f64, f64)>> {
    let candidates = run.candidates.iter();
    candidates
        .map(|candidate| Outages::of(candidate, time).bands)
        .collect()
}
