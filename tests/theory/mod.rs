//! Closed forms against measurements, at fixed seeds.
//!
//! Each measurement lies within [`BAND`] standard errors of its form. DESIGN.md shows all of them;
//! `RATESIM_GOLDEN=write cargo test theory` writes that table anew.

mod counter;
pub(crate) mod forms;
pub(crate) mod measured;
mod nodes;
mod retries;
mod shares;
mod waits;

use crate::ran::root;
use measured::Measured;
use std::fmt;
use std::fs;
use std::sync::LazyLock;

/// With 40 batches, one comparison in four thousand lies further out by chance.
pub(crate) const BAND: f64 = 4.0;

/// One closed form beside one measurement.
pub(crate) struct Row {
    form: String,
    parameters: String,
    seed: u64,
    expected: f64,
    measured: Measured,
}

impl Row {
    fn distance(&self) -> f64 {
        self.measured.distance(self.expected)
    }

    fn check(&self) {
        assert!(self.distance().abs() <= BAND, "{self}");
    }
}

impl fmt::Display for Row {
    /// A row of the table in DESIGN.md.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = |value: f64| {
            let places = if value.abs() < 0.02 { 6 } else { 4 };
            format!("{value:.places$}")
        };
        write!(
            f,
            "| {} | {} | {} | {} ± {} | {:+.1} | {} |",
            self.form,
            self.parameters,
            digits(self.expected),
            digits(self.measured.value),
            digits(self.measured.error),
            self.distance(),
            self.seed
        )
    }
}

/// Every comparison, measured once.
static ROWS: [&LazyLock<Vec<Row>>; 6] = [
    &shares::ONE_KEY,
    &nodes::splits::ROWS,
    &waits::ROWS,
    &counter::ROWS,
    &nodes::races::ROWS,
    &retries::ROWS,
];

fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().flat_map(|rows| rows.iter())
}

/// If standard errors were too small the mean square would lie above 1, if too large below. Rows of one
/// seed rise and fall together, so there are some thirty independent ones: it leaves these bounds
/// by chance once in a few hundred sets of seeds.
#[test]
fn distances_from_theory_are_as_standard_errors_say() {
    let squares: Vec<f64> = rows().map(|row| row.distance().powi(2)).collect();
    let count = f64::from(u32::try_from(squares.len()).unwrap());
    let mean = squares.iter().sum::<f64>() / count;
    assert!(
        (0.4..1.8).contains(&mean),
        "{mean} over {count} comparisons"
    );
}

/// The lines between the two that a marked table stands between.
#[test]
fn design_shows_every_closed_form_as_it_is_measured() {
    const BEGIN: &str = "<!-- closed forms -->\n";
    const END: &str = "<!-- end of closed forms -->\n";
    let path = root().join("DESIGN.md");
    let design = fs::read_to_string(&path).unwrap();
    let (before, rest) = design.split_once(BEGIN).expect("the table's beginning");
    let (shown, after) = rest.split_once(END).expect("the table's end");
    let lines: Vec<String> = rows().map(|row| format!("{row}\n")).collect();
    let measured = format!(
        "\n| closed form | parameters | theory | measured | distance in standard errors | seed |\n\
         |---|---|---|---|---|---|\n{}\n",
        lines.concat()
    );
    if std::env::var("RATESIM_GOLDEN").is_ok_and(|switch| switch == "write") {
        fs::write(&path, [before, BEGIN, &measured, END, after].concat()).unwrap();
        return;
    }
    assert_eq!(shown, measured, "RATESIM_GOLDEN=write writes it");
}
