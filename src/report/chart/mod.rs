//! Pictures of a run: SVG drawings and their PNG, one file per chart over a shared page.

mod attempts;
mod backend;
mod bins;
mod canvas;
mod cells;
mod delay;
mod density;
mod envelope;
mod error;
#[cfg(test)]
pub(super) mod fixture;
mod keys;
#[cfg(test)]
mod laws;
mod level;
mod marks;
mod memory;
#[cfg(test)]
mod model;
mod names;
mod outages;
mod page;
mod queue;
mod raster;
mod scale;
mod scorecard;
mod sequence;
mod span;
mod theme;
mod throughput;
mod time;
mod timeline;
mod trailing;
mod verdict;
mod window;
mod words;

pub use attempts::draw as attempts;
pub use backend::draw as backend;
pub use delay::draw as delay;
pub use envelope::draw as envelope;
pub use error::draw as error;
pub use keys::draw as keys;
pub use memory::draw as memory;
pub use queue::draw as queue;
pub use raster::png;
pub use scorecard::draw as scorecard;
pub use sequence::draw as sequence;
pub use throughput::draw as throughput;
pub use timeline::draw as timeline;
pub use window::draw as window;

use crate::error::{Error, Result};
use crate::measure::{Measure, RunResult};
use crate::units::SimTime;

/// The part of a run that a picture shows; what is absent is chosen from the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// Where the time axis begins.
    pub from: Option<SimTime>,
    /// Where it ends.
    pub to: Option<SimTime>,
}

impl View {
    /// Whether less than the whole may be shown.
    pub(super) fn is_partial(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }
}

/// Draws one chart; `None` when the run has nothing for it to show.
pub type Draw = fn(&RunResult, &View) -> Result<Option<String>>;

/// One kind of picture.
#[derive(Debug)]
pub struct ChartRow {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// Its name in titles.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub meaning: &'static str,
    /// The measures that it shows.
    pub needs: &'static [Measure],
    /// Draws it as SVG.
    pub draw: Draw,
}

/// Draws `chart` of the run as SVG; `None` when the run has nothing for it to show. An error when
/// the view ends before it begins, or begins after all is over.
pub fn draw(chart: &ChartRow, run: &RunResult, view: &View) -> Result<Option<String>> {
    let is_measured = |measure: &Measure| run.measures.has(*measure);
    if !chart.needs.iter().all(is_measured) {
        return Ok(None);
    }
    let begins = view.from.unwrap_or(SimTime::ZERO);
    if let Some(to) = view.to.filter(|to| *to <= begins) {
        return Err(Error::input(format!(
            "the picture would end at {to} s, which is not after its beginning at {begins} s"
        )));
    }
    if begins >= run.horizon && begins > SimTime::ZERO {
        let end = run.horizon;
        return Err(Error::input(format!(
            "the picture would begin at {begins} s, when all is over; the run ends at {end} s"
        )));
    }
    (chart.draw)(run, view)
}
