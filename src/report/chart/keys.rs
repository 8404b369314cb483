//! Keys: whose requests were denied. Where these are few they stand in a table by name, else all keys
//! are ranked by demand.

use super::View;
use super::canvas::{Canvas, Point, page};
use super::cells::{Cell, Cells, Column, NEUTRAL};
use super::density::between;
use super::names::Names;
use super::page::{Axis, Head, Lane, Lanes, MARGIN, Plot, Symbol, Verdict, WIDTH, columns};
use super::scale::Scale;
use super::theme::{AREA, BODY, DENIED, INK, neutral};
use super::words::{name, tick};
use crate::error::Result;
use crate::measure::{CandidateResult, KeyTally, RunResult};
use crate::report::text::{grouped, percent};

/// The most keys that are told by name.
const BY_NAME: usize = 20;
/// The most candidates beside each other.
const ABREAST: usize = 6;

/// Draws who was denied in the whole run, whatever the view; `None` when there is one key only, or
/// nobody was denied.
pub fn draw(run: &RunResult, _: &View) -> Result<Option<String>> {
    let Some(first) = run.candidates.first() else {
        return Ok(None);
    };
    // All candidates meet the same demand.
    let requests = |key: &usize| first.per_key[*key].requests;
    let mut keys: Vec<usize> = (0..first.per_key.len()).collect();
    keys.retain(|key| requests(key) > 0);
    keys.sort_by_key(|key| std::cmp::Reverse(requests(key)));
    let is_somebody_denied = run.candidates.iter().any(|c| c.tally.denied > 0);
    if keys.len() < 2 || !is_somebody_denied {
        return Ok(None);
    }
    let is_denied = |key: &usize| run.candidates.iter().any(|c| c.per_key[*key].denied > 0);
    let (mut named, mut others): (Vec<usize>, Vec<usize>) = keys.iter().partition(|k| is_denied(k));
    if keys.len() <= BY_NAME {
        (named, others) = (keys.clone(), Vec::new());
    }
    Ok(Some(if named.len() <= BY_NAME {
        by_name(run, &named, &others)
    } else {
        by_rank(run, &keys)
    }))
}

#[allow(clippy::cast_precision_loss)]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// A row per key and one for all others, who were denied nothing; a column per candidate, in as many
/// tables as the candidates need.
fn by_name(run: &RunResult, keys: &[usize], others: &[usize]) -> String {
    let mut names: Vec<String> = keys.iter().map(|key| neutral(&run.keys[*key])).collect();
    match others.len() {
        0 => {}
        1 => names.push("one other".to_owned()),
        many => names.push(format!("{} others", grouped(many as u128))),
    }
    let names = Names::new(&names);
    let tables = run.candidates.len().div_ceil(ABREAST);
    let abreast = run.candidates.len().div_ceil(tables);
    let demand = demand(run, keys, others);
    let tables: Vec<Vec<Column>> = run
        .candidates
        .chunks(abreast)
        .map(|candidates| {
            let denied = candidates
                .iter()
                .map(|candidate| column(candidate, keys, others));
            [demand.clone()].into_iter().chain(denied).collect()
        })
        .collect();
    let tables: Vec<Cells<'_>> = tables
        .iter()
        .map(|columns| Cells::new(&names, columns, abreast + 1))
        .collect();
    let legend = vec![(Symbol::Block(DENIED), "denied".to_owned())];
    let note = "Share of each key's requests that was denied; the keys with most requests first";
    let head = Head::new(&run.title, note, legend);
    let between_tables = 26.0;
    let height: f64 = tables
        .iter()
        .map(|table| table.height() + between_tables)
        .sum();
    let height = 2.0 * MARGIN + head.height() + height - between_tables;
    page(WIDTH, height.ceil(), |canvas| {
        head.draw(canvas, MARGIN);
        let mut top = MARGIN + head.height();
        for table in &tables {
            table.draw(canvas, top);
            top += table.height() + between_tables;
        }
    })
}

/// Requests per key, and of the others together.
fn demand(run: &RunResult, keys: &[usize], others: &[usize]) -> Column {
    let of = |key: &usize| run.candidates[0].per_key[*key].requests;
    let rest: u64 = others.iter().map(of).sum();
    let rest = (!others.is_empty()).then_some(rest);
    let requests = keys.iter().map(of).chain(rest);
    let most = requests.clone().max().unwrap_or(1);
    let cell = |requests: u64| Cell::new(grouped(requests.into()), share(requests, most), NEUTRAL);
    Column {
        heading: "requests".to_owned(),
        cells: requests.map(cell).collect(),
    }
}

fn column(candidate: &CandidateResult, keys: &[usize], others: &[usize]) -> Column {
    let cell = |key: &usize| {
        let tally = &candidate.per_key[*key];
        let text = percent(tally.denied.into(), tally.attempts.into());
        Cell::new(text, share(tally.denied, tally.attempts), DENIED)
    };
    let rest = (!others.is_empty()).then(|| Cell::new("0 %".to_owned(), 0.0, DENIED));
    Column {
        heading: name(candidate),
        cells: keys.iter().map(cell).chain(rest).collect(),
    }
}

/// Ranks from 1 to the number of keys: equally wide, or where they are many by their logarithm.
#[derive(Clone, Copy, Debug)]
struct RankAxis {
    count: usize,
    left: f64,
    right: f64,
}

impl RankAxis {
    /// The most keys of equal width.
    const MOST: usize = 200;

    /// Where the key of the rank begins; the next begins where it ends.
    #[allow(clippy::cast_precision_loss)]
    fn x(self, rank: usize) -> f64 {
        let share = if self.count <= Self::MOST {
            (rank - 1) as f64 / self.count as f64
        } else {
            (rank as f64).ln() / ((self.count + 1) as f64).ln()
        };
        self.left + share * (self.right - self.left)
    }
}

impl Axis for RankAxis {
    fn ends(&self) -> (f64, f64) {
        (self.left, self.right)
    }

    #[allow(clippy::cast_precision_loss)]
    fn labels(&self) -> Vec<(f64, String)> {
        let ranks: Vec<usize> = if self.count > Self::MOST {
            let powers = (0..=self.count.ilog10()).map(|p| 10usize.pow(p));
            powers.collect()
        } else {
            let step = if self.count > 100 { 20 } else { 10 };
            let multiples = (step..=self.count).step_by(step);
            [1].into_iter().chain(multiples).collect()
        };
        let middle = |rank: usize| f64::midpoint(self.x(rank), self.x(rank + 1));
        let label = |rank: usize| (middle(rank), tick(rank as f64));
        ranks.into_iter().map(label).collect()
    }
}

/// Neighbours in rank that share a bar: a key alone where it is wide enough to be seen.
struct Bar {
    left: f64,
    right: f64,
    ranks: std::ops::Range<usize>,
}

fn bars(axis: RankAxis) -> Vec<Bar> {
    const NARROWEST: f64 = 2.0;
    let mut bars: Vec<Bar> = Vec::new();
    for rank in 1..=axis.count {
        let (left, right) = (axis.x(rank), axis.x(rank + 1));
        match bars.last_mut() {
            Some(bar) if right - bar.left < NARROWEST => {
                bar.right = right;
                bar.ranks.end = rank;
            }
            _ => bars.push(Bar {
                left,
                right,
                ranks: rank - 1..rank,
            }),
        }
    }
    bars
}

/// A lane for the demand, and one per candidate.
fn by_rank(run: &RunResult, keys: &[usize]) -> String {
    let (left, right) = columns(["99.9 %"]);
    let axis = RankAxis {
        count: keys.len(),
        left,
        right,
    };
    let bars = bars(axis);
    let demand: Vec<f64> = bars
        .iter()
        .map(|bar| mean_requests(run, keys, bar))
        .collect();
    let denied: Vec<Vec<f64>> = run
        .candidates
        .iter()
        .map(|candidate| {
            bars.iter()
                .map(|bar| denied_share(candidate, keys, bar))
                .collect()
        })
        .collect();
    let most_requests = demand.iter().copied().fold(0.0, f64::max);
    let highest = denied.iter().flatten().copied().fold(0.0, f64::max);
    let height = if run.candidates.len() <= 7 {
        72.0
    } else {
        48.0
    };
    let requests = Lane {
        name: "Requests".to_owned(),
        caption: "per key".to_owned(),
        verdict: Verdict {
            counts: format!(
                "{} requests of {} keys",
                grouped(run.requests.into()),
                grouped(keys.len() as u128)
            ),
            broken: None,
        },
        height: 48.0,
        ..Lane::default()
    };
    let lanes = run.candidates.iter().map(|candidate| Lane {
        name: name(candidate),
        caption: String::new(),
        verdict: verdict(run, candidate, keys),
        height,
        ..Lane::default()
    });
    let page = Lanes {
        head: head(run),
        axis,
        lanes: [requests].into_iter().chain(lanes).collect(),
        footer: footer(keys.len(), bars.len()),
        edges: Vec::new(),
    };
    page.draw(|canvas, index, plot| {
        let (values, most) = match index.checked_sub(1) {
            Some(candidate) => (&denied[candidate], highest),
            None => (&demand, most_requests),
        };
        let scale = Scale::new(most, plot.top, plot.bottom);
        let top = if index == 0 {
            tick(most)
        } else {
            whole_percent(most)
        };
        draw_bars(canvas, &plot, scale, (&bars, values), index == 0);
        let zero = if index == 0 { "0" } else { "0 %" };
        plot.value_label(canvas, scale.y(0.0), zero);
        plot.value_label(canvas, scale.y(most), &top);
    })
}

fn draw_bars(
    canvas: &mut Canvas<'_>,
    plot: &Plot<RankAxis>,
    scale: Scale,
    (bars, values): (&[Bar], &[f64]),
    is_demand: bool,
) {
    let mut outline: Vec<Point> = Vec::new();
    for (bar, value) in bars.iter().zip(values) {
        outline.push((bar.left, scale.y(*value)));
        outline.push((bar.right, scale.y(*value)));
    }
    let base: Vec<Point> = outline.iter().map(|(x, _)| (*x, plot.bottom)).collect();
    between(
        canvas,
        &outline,
        &base,
        if is_demand { AREA } else { DENIED },
    );
    if is_demand {
        canvas.path(&outline, INK, 1.5);
    }
}

fn whole_percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent < 9.95 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

fn sum(candidate: &CandidateResult, keys: &[usize], bar: &Bar, of: fn(&KeyTally) -> u64) -> u64 {
    let keys = keys[bar.ranks.clone()].iter();
    keys.map(|key| of(&candidate.per_key[*key])).sum()
}

fn mean_requests(run: &RunResult, keys: &[usize], bar: &Bar) -> f64 {
    let requests = sum(&run.candidates[0], keys, bar, |key| key.requests);
    share(requests, bar.ranks.len() as u64)
}

fn denied_share(candidate: &CandidateResult, keys: &[usize], bar: &Bar) -> f64 {
    let denied = sum(candidate, keys, bar, |key| key.denied);
    share(denied, sum(candidate, keys, bar, |key| key.attempts))
}

/// How many keys were denied anything, and which most.
fn verdict(run: &RunResult, candidate: &CandidateResult, keys: &[usize]) -> Verdict {
    let tally = |key: &usize| &candidate.per_key[*key];
    let denied = keys.iter().filter(|key| tally(key).denied > 0).count();
    let rank = |key: &&usize| (tally(key).denied, std::cmp::Reverse(**key));
    let worst = keys.iter().max_by_key(rank).filter(|_| denied > 0);
    let keys = if denied == 1 { "key" } else { "keys" };
    let mut counts = format!("{} {keys} denied something", grouped(denied as u128));
    if let Some(worst) = worst {
        let tally = tally(worst);
        let name = BODY.fit(&neutral(&run.keys[*worst]), 260.0);
        let share = percent(tally.denied.into(), tally.attempts.into());
        let requests = grouped(tally.attempts.into());
        counts += &format!(", most often {name}: {share} of {requests}");
    }
    if denied == 0 {
        counts = "nobody denied anything".to_owned();
    }
    Verdict {
        counts,
        broken: None,
    }
}

fn head(run: &RunResult) -> Head {
    let note = "Share of each key's requests that was denied";
    let legend = vec![(Symbol::Block(DENIED), "denied".to_owned())];
    Head::new(&run.title, note, legend)
}

fn footer(keys: usize, bars: usize) -> String {
    let mut text = "keys ranked by their requests, those with most on the left".to_owned();
    if bars < keys {
        text += "; where they are too many to be drawn apart, a bar is several keys together";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_in_one_bar() {
        for count in [21, 200, 201, 100_000] {
            let axis = RankAxis {
                count,
                left: 60.0,
                right: 1_240.0,
            };
            let bars = bars(axis);
            assert!(bars.len() <= 591, "{count}: {}", bars.len());
            assert_eq!(
                (bars[0].ranks.start, bars[bars.len() - 1].ranks.end),
                (0, count)
            );
            let is_next = |pair: &[Bar]| {
                pair[0].ranks.end == pair[1].ranks.start && pair[0].right <= pair[1].left + 1e-9
            };
            assert!(bars.windows(2).all(is_next));
        }
    }
}
