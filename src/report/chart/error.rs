//! Errors: false denies to the left, false allows to the right, by the exact reference.

use super::View;
use super::canvas::{Align, page};
use super::names::{Names, baseline};
use super::page::{Head, MARGIN, Symbol, WIDTH, text_lines};
use super::theme::{ALLOWED, BODY, DENIED, INK, MUTED, SMALL};
use super::words::name;
use crate::error::Result;
use crate::measure::{CandidateResult, Reference, RunResult};
use crate::report::text::{bounds, grouped, percent};

/// Half the height of a bar.
const HALF: f64 = 9.0;

/// Draws the errors of the whole run, whatever the view; `None` for a run without requests.
#[allow(clippy::cast_precision_loss)]
pub fn draw(run: &RunResult, _: &View) -> Result<Option<String>> {
    if run.requests == 0 || run.candidates.is_empty() {
        return Ok(None);
    }
    let names: Vec<String> = run.candidates.iter().map(name).collect();
    let names = Names::new(&names);
    let counts: Vec<[u64; 2]> = run
        .candidates
        .iter()
        .map(|candidate| [candidate.tally.false_deny, candidate.tally.false_allow])
        .collect();
    let words = |row: usize, side: usize| {
        let attempts = run.candidates[row].tally.attempts;
        share(counts[row][side], attempts)
    };
    let widest = (0..counts.len())
        .flat_map(|row| [words(row, 0), words(row, 1)])
        .map(|words| BODY.width(&words));
    let widest = widest.fold(0.0, f64::max) + 16.0;
    let most = counts.iter().flatten().max().copied().unwrap_or(0).max(1) as f64;
    let (left, right) = (names.right(), WIDTH - MARGIN);
    let middle = f64::midpoint(left, right);
    let longest = (right - left) / 2.0 - widest;
    let head = head(run);
    let footer = footer(run);
    let footer = SMALL.wrap(&footer, WIDTH - 2.0 * MARGIN, 4);
    let top = MARGIN + head.height();
    let bottom = top + names.height();
    let height = bottom + 16.0 + SMALL.leading() * footer.len() as f64 + MARGIN;
    Ok(Some(page(WIDTH, height.ceil(), |canvas| {
        head.draw(canvas, MARGIN);
        names.draw(canvas, top, |canvas, row, y| {
            for (side, color, align) in [(0, DENIED, Align::Right), (1, ALLOWED, Align::Left)] {
                let count = counts[row][side];
                let sign = if side == 0 { -1.0 } else { 1.0 };
                let end = middle + sign * count as f64 / most * longest;
                if count > 0 {
                    // An error that happened once in a million is still seen.
                    let end = middle + sign * (end - middle).abs().max(2.0);
                    canvas.block((middle, y - HALF), (end, y + HALF), color);
                }
                let color = if count > 0 { INK } else { MUTED };
                let point = (end + sign * 8.0, baseline(y));
                canvas.text(point, &words(row, side), BODY, color, align);
            }
        });
        canvas.line((middle, top), (middle, bottom), INK, 1.25);
        text_lines(canvas, (MARGIN, bottom + 14.0), &footer, SMALL, MUTED);
    })))
}

/// `1,234 (12.3 %)`; only `0` for none.
fn share(part: u64, whole: u64) -> String {
    let written = grouped(part.into());
    if part == 0 {
        return written;
    }
    format!("{written} ({})", percent(part.into(), whole.into()))
}

fn head(run: &RunResult) -> Head {
    let note = "Decisions that an exact count of the trailing window calls wrong";
    let legend = vec![
        (
            Symbol::Block(DENIED),
            "false denies: refused although there was room".to_owned(),
        ),
        (
            Symbol::Block(ALLOWED),
            "false allows: admitted above the limit".to_owned(),
        ),
    ];
    Head::new(&run.title, note, legend)
}

fn footer(run: &RunResult) -> String {
    let requests = grouped(run.requests.into());
    let bounds = bounds(run);
    let judged = match run.reference {
        Reference::Forwarded => "on what it forwarded itself",
        Reference::Offered => "on all that was offered",
    };
    let counted = match run.candidates.iter().any(CandidateResult::retried) {
        true => "counts of attempts, and their share of all of the candidate's".to_owned(),
        false => format!("counts of requests, and their share of all {requests}"),
    };
    format!("{counted}; each candidate is judged against {bounds} {judged}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_round_an_error_away() {
        assert_eq!(share(0, 10), "0");
        assert_eq!(share(5, 10), "5 (50.0 %)");
        assert_eq!(share(1, 10_000_000), "1 (<0.0001 %)");
        assert_eq!(share(1_234, 100_000), "1,234 (1.2 %)");
    }
}
