//! The envelope N(τ): the most that a candidate forwarded for one key within any closed interval of
//! length τ, under the bound b + rτ of a bucket of size b and rate r (Le Boudec and Thiran, *Network
//! Calculus*, 2001, section 1.2: an arrival curve).

use super::View;
use super::canvas::{Canvas, Point};
use super::density::between;
use super::page::{Head, Lane, Lanes, Plot, Symbol, Verdict, columns};
use super::scale::Scale;
use super::theme::{ALLOWED, ALLOWED_AREA, BOUND, DENIED};
use super::time::TimeAxis;
use super::trailing::{Forward, forwards, worst_key};
use super::words::{name, tick};
use crate::error::Result;
use crate::limiter::ClosedForm;
use crate::measure::{CandidateResult, RunResult};
use crate::report::text::{duration, each, grouped, limit, multiple};
use crate::units::Nanos;

/// At how many lengths N is taken where the forwards are too many to look at every interval between
/// two: the cost is so many times the forwards either way.
const LENGTHS: u64 = 96;

/// So many intervals are always looked at.
const FEW: u64 = 200_000;

/// Half pixels of the width: of the intervals of one, the fullest is kept.
const COLUMNS: usize = 2_400;

/// The bound b + rτ.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bound {
    /// b, cost units.
    burst: f64,
    /// r, cost units per nanosecond.
    rate: f64,
}

impl Bound {
    /// That of the candidate's own size at its own rate where it is a bucket, else at the limit's.
    #[allow(clippy::cast_precision_loss)]
    fn of(run: &RunResult, candidate: &CandidateResult) -> Self {
        let per_second = match candidate.closed_form {
            Some(ClosedForm::Bucket { per_second, .. }) => per_second,
            _ => run.limit.rate().per_second(),
        };
        Self {
            burst: candidate.level_bound as f64,
            rate: per_second / 1e9,
        }
    }

    fn at(self, length: f64) -> f64 {
        self.burst + self.rate * length
    }
}

/// One candidate's envelope.
struct Envelope {
    /// From each length in nanoseconds on, the most within it.
    steps: Vec<(u64, u128)>,
    bound: Bound,
}

impl Envelope {
    /// Where N is the largest multiple of the bound that is more than 1: the length, and N.
    fn worst(&self) -> Option<(u64, u128)> {
        let excess = |(length, most): (u64, u128)| number(most) / self.bound.at(real(length));
        let worst = self
            .steps
            .iter()
            .copied()
            .max_by(|a, b| excess(*a).total_cmp(&excess(*b)));
        worst.filter(|worst| excess(*worst) > 1.0 + 1e-9)
    }
}

#[allow(clippy::cast_precision_loss)]
fn number(cost: u128) -> f64 {
    cost as f64
}

#[allow(clippy::cast_precision_loss)]
fn real(nanos: u64) -> f64 {
    nanos as f64
}

/// Draws the envelopes of the whole run, whatever the view; `None` when the run kept no records or
/// nothing was forwarded.
pub fn draw(run: &RunResult, _: &View) -> Result<Option<String>> {
    if run.rules().is_some() {
        // Each rule has a limit, a window and keys of its own.
        return Ok(None);
    }
    let forwarded = run
        .candidates
        .iter()
        .map(|candidate| forwards(run, candidate, worst_key(candidate)));
    let Some(forwarded) = forwarded.collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let spans = forwarded
        .iter()
        .filter_map(|forwards| Some(forwards.last()?.0 - forwards.first()?.0));
    let Some(span) = spans.max() else {
        return Ok(None);
    };
    let longest = longest(span, run.limit.window.get());
    let envelopes: Vec<Envelope> = forwarded
        .iter()
        .zip(&run.candidates)
        .map(|(forwards, candidate)| Envelope {
            steps: envelope(forwards, longest),
            bound: Bound::of(run, candidate),
        })
        .collect();
    let is_sampled = forwarded.iter().any(|forwards| are_many(forwards, longest));
    Ok(Some(lanes(run, longest, &envelopes, is_sampled)))
}

/// The longest interval that is shown: somewhat more than three windows, or than the time over which
/// anything was forwarded, or than one window unless that would shrink this time to a spot.
fn longest(span: u64, window: u64) -> u64 {
    if span > 0 && span < window / 4 {
        return span.saturating_add(span / 2).max(2);
    }
    let fifth = window / 5;
    span.saturating_add(span / 20)
        .max(window.saturating_add(fifth))
        .min(window.saturating_mul(3).saturating_add(fifth))
}

fn lanes(run: &RunResult, longest: u64, envelopes: &[Envelope], is_sampled: bool) -> String {
    let (left, right) = columns(["9999"]);
    let axis = TimeAxis::lengths(longest, left, right);
    let top = |envelope: &Envelope| {
        let most = envelope.steps.last().map_or(0.0, |(_, most)| number(*most));
        envelope.bound.at(real(longest)).max(most)
    };
    let highest = envelopes.iter().map(top).fold(0.0, f64::max);
    let is_common = envelopes.iter().all(|e| e.bound == envelopes[0].bound);
    let height = if run.candidates.len() <= 7 {
        104.0
    } else {
        72.0
    };
    let lanes = run.candidates.iter().zip(envelopes);
    let lanes = lanes.map(|(candidate, envelope)| Lane {
        name: name(candidate),
        caption: if is_common {
            String::new()
        } else {
            format!("dashed: {}", words(run, envelope.bound))
        },
        verdict: verdict(candidate, envelope),
        height,
        ..Lane::default()
    });
    let windows = (1..=3).map(|count| run.limit.window.get().saturating_mul(count));
    let page = Lanes {
        head: head(run, envelopes, is_common),
        axis,
        lanes: lanes.collect(),
        footer: footer(run, longest, is_sampled),
        edges: windows
            .filter(|length| *length < longest)
            .map(|length| axis.x(length))
            .collect(),
    };
    page.draw(|canvas, index, plot| {
        let scale = Scale::new(highest, plot.top, plot.bottom);
        let envelope = &envelopes[index];
        draw_envelope(canvas, &plot, scale, envelope);
        let most = envelope.steps.last().map_or(0.0, |(_, most)| number(*most));
        for value in scale.apart(&[0.0, most, envelope.bound.burst]) {
            plot.value_label(canvas, scale.y(value), &tick(value));
        }
    })
}

/// Whether the intervals between two forwards, no longer than `longest`, are too many to look at.
fn are_many(forwards: &[Forward], longest: u64) -> bool {
    let (mut intervals, mut first) = (0, 0);
    for (index, (at, _)) in forwards.iter().enumerate() {
        while at - forwards[first].0 > longest {
            first += 1;
        }
        intervals += (index - first) as u64;
    }
    intervals > FEW.max(LENGTHS * forwards.len() as u64)
}

/// N(τ) up to the longest τ as a step function: from each length on, the most. `forwards` must be in
/// order of time.
fn envelope(forwards: &[Forward], longest: u64) -> Vec<(u64, u128)> {
    let mut found = if are_many(forwards, longest) {
        at_equal_lengths(forwards, longest)
    } else {
        between_forwards(forwards, longest)
    };
    let mut most = 0;
    found.retain(|(_, sum)| {
        let is_more = *sum > most;
        most = most.max(*sum);
        is_more
    });
    found
}

/// The fullest interval of each column: N as exact as it can be drawn.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn between_forwards(forwards: &[Forward], longest: u64) -> Vec<(u64, u128)> {
    #[allow(clippy::cast_precision_loss)]
    let per_nanosecond = COLUMNS as f64 / real(longest);
    let mut columns = vec![(0, 0); COLUMNS + 1];
    for (first, (from, _)) in forwards.iter().enumerate() {
        let mut sum = 0;
        for (at, cost) in &forwards[first..] {
            let length = at - from;
            if length > longest {
                break;
            }
            sum += u128::from(*cost);
            let fullest: &mut (u64, u128) = &mut columns[(real(length) * per_nanosecond) as usize];
            if sum > fullest.1 || (sum == fullest.1 && length < fullest.0) {
                *fullest = (length, sum);
            }
        }
    }
    columns
}

/// N at equal distances of τ; between them it is drawn as what it was at the shorter.
fn at_equal_lengths(forwards: &[Forward], longest: u64) -> Vec<(u64, u128)> {
    let part = |index: u64| u128::from(longest) * u128::from(index) / u128::from(LENGTHS);
    let lengths = (0..=LENGTHS).map(|index| u64::try_from(part(index)).unwrap_or(longest));
    lengths
        .map(|length| (length, most_within(forwards, length)))
        .collect()
}

/// The most within any closed interval of the length.
fn most_within(forwards: &[Forward], length: u64) -> u128 {
    let (mut most, mut sum, mut first) = (0, 0u128, 0);
    for (at, cost) in forwards {
        sum += u128::from(*cost);
        while at - forwards[first].0 > length {
            sum -= u128::from(forwards[first].1);
            first += 1;
        }
        most = most.max(sum);
    }
    most
}

/// N as an area, what is above the bound apart from what is below.
fn draw_envelope(canvas: &mut Canvas<'_>, plot: &Plot, scale: Scale, envelope: &Envelope) {
    let (axis, bound) = (plot.axis, envelope.bound);
    let longest = axis.span.to;
    let (mut kept, mut above): (Vec<Point>, Vec<Point>) = (Vec::new(), Vec::new());
    let mut limit: Vec<Point> = Vec::new();
    let mut is_above = false;
    for (index, (from, most)) in envelope.steps.iter().enumerate() {
        let next = envelope.steps.get(index + 1);
        let to = next.map_or(longest, |(length, _)| *length);
        let most = number(*most);
        let crossing = (most - bound.burst) / bound.rate;
        let crossing = Some(crossing).filter(|at| (real(*from)..real(to)).contains(at));
        let ends = [Some(real(*from)), crossing, Some(real(to))];
        for length in ends.into_iter().flatten() {
            let x = axis.left + length / real(longest) * (axis.right - axis.left);
            let at = bound.at(length);
            is_above |= most > at * (1.0 + 1e-9);
            kept.push((x, scale.y(most.min(at))));
            above.push((x, scale.y(most.max(at))));
            limit.push((x, scale.y(at)));
        }
    }
    let base: Vec<Point> = kept.iter().map(|(x, _)| (*x, plot.bottom)).collect();
    between(canvas, &kept, &base, ALLOWED_AREA);
    if is_above {
        between(canvas, &above, &limit, DENIED);
    }
    canvas.path(&kept, ALLOWED, 1.25);
    let ends = [0.0, real(longest)].map(|length| scale.y(bound.at(length)));
    canvas.dashes((axis.left, ends[0]), (axis.right, ends[1]), BOUND, 1.25);
}

/// What is above the bound by how much, else the most in a window.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn verdict(candidate: &CandidateResult, envelope: &Envelope) -> Verdict {
    let Some((length, most)) = envelope.worst() else {
        let peak = grouped(candidate.tally.peak_in_window);
        return Verdict {
            counts: format!("within the bound; at most {peak} in one window"),
            broken: None,
        };
    };
    let place = match length {
        0 => "at once".to_owned(),
        length => format!("within {}", duration(Nanos::new(length))),
    };
    let bound = envelope.bound.at(real(length));
    let over = if bound > 0.0 {
        let thousandths = (number(most) / bound * 1_000.0).round() as u128;
        format!("{} × the bound", multiple(thousandths, 1_000))
    } else {
        "the bound is 0".to_owned()
    };
    Verdict {
        counts: String::new(),
        broken: Some(format!("{} {place}: {over}", grouped(most))),
    }
}

/// `5 at once and 5 per minute`.
fn words(run: &RunResult, bound: Bound) -> String {
    let window = run.limit.window;
    let per_window = bound.rate * real(window.get());
    format!(
        "{} at once and {} per {}",
        tick(bound.burst),
        tick(per_window),
        each(window)
    )
}

fn head(run: &RunResult, envelopes: &[Envelope], is_common: bool) -> Head {
    let whose = if run.keys.len() > 1 {
        " for the key with the highest peak"
    } else {
        ""
    };
    let note = format!("The most that was forwarded{whose} within any interval, by its length");
    let is_above = envelopes.iter().any(|envelope| envelope.worst().is_some());
    let mut legend = vec![(Symbol::Block(ALLOWED_AREA), "within the bound".to_owned())];
    if is_above {
        legend.push((Symbol::Block(DENIED), "above the bound".to_owned()));
    }
    let bound = if is_common {
        format!("bound of a bucket: {}", words(run, envelopes[0].bound))
    } else {
        "bound of a bucket: its size at once, and its rate".to_owned()
    };
    legend.push((Symbol::Dashed, bound));
    Head::new(&run.title, &note, legend)
}

fn footer(run: &RunResult, longest: u64, is_sampled: bool) -> String {
    let mut phrases = vec![
        "length of the interval".to_owned(),
        format!("the limit is {}", limit(run.limit)),
    ];
    if longest > run.limit.window.get() {
        phrases.push("vertical lines: whole windows".to_owned());
    }
    if is_sampled {
        phrases.push(format!("drawn from {LENGTHS} lengths"));
    }
    phrases.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 2 at 0, 1 at 4, 4 at 10 and 10.
    #[test]
    fn every_step_of_the_envelope_is_where_a_closed_interval_begins_to_hold_more() {
        let forwards = [(0, 2), (4, 1), (10, 3), (10, 1)];
        assert_eq!(envelope(&forwards, 100), [(0, 4), (6, 5), (10, 7)]);
        assert_eq!(envelope(&forwards, 9), [(0, 4), (6, 5)]);
        assert_eq!(most_within(&forwards, 5), 4);
        assert_eq!(most_within(&forwards, 6), 5);
    }

    #[test]
    fn the_axis_opens_on_what_was_forwarded() {
        assert_eq!(longest(0, 60), 72, "all at once");
        assert_eq!(longest(5, 60), 7, "a small part of a window");
        assert_eq!(longest(48, 60), 72, "within a window");
        assert_eq!(longest(100, 60), 105, "within three");
        assert_eq!(longest(3_600, 60), 192, "many");
    }

    /// A flood from full at one per unit of time: ⌊b + rτ⌋, here with b = 5 and r = 1/10.
    #[test]
    fn both_ways_of_looking_give_a_flooded_bucket_its_bound() {
        let flood = (0..5).map(|_| (0, 1));
        let flood: Vec<Forward> = flood.chain((1..2_000).map(|i| (i * 10, 1))).collect();
        let bound = |length: u64| u128::from(5 + length / 10);
        assert!(!are_many(&flood, 950) && are_many(&flood, 9_600));
        let few = envelope(&flood, 950);
        let many = envelope(&flood, 9_600);
        assert_eq!((few.len(), many.len()), (96, 97));
        for (length, most) in few.into_iter().chain(many) {
            assert_eq!(most, bound(length), "{length}");
        }
    }
}
