//! A progress bar for whatever takes longer than a second, on a terminal only.

use indicatif::{HumanFloatCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use ratesim::simulation::Progress;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What finishes sooner shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Progress over a known amount of work, with its rate and the time left.
pub(crate) struct Bar {
    bar: ProgressBar,
    begun: Instant,
    /// Whether the bar is to be shown once patience is over.
    waiting: AtomicBool,
}

impl Bar {
    /// A bar over `total` units of work called `unit`; `quiet` never shows it.
    pub(crate) fn new(what: String, total: u64, unit: &str, quiet: bool) -> Self {
        let template = format!(
            "{{msg}} {{bar:30}} {{percent:>3}} % of {{human_len}} {unit}, {{rate}}/s, {{eta}} left"
        );
        let style = ProgressStyle::with_template(&template)
            .expect("a well-formed template")
            .with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
                // A write into the bar's own line does not fail.
                let _ = write!(out, "{}", HumanFloatCount(state.per_sec().round()));
            });
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        bar.set_style(style);
        bar.set_message(what);
        Self {
            bar,
            begun: Instant::now(),
            waiting: AtomicBool::new(!quiet),
        }
    }
}

impl Progress for Bar {
    fn advance(&self, units: u64) {
        if self.begun.elapsed() > PATIENCE && self.waiting.swap(false, Ordering::Relaxed) {
            // Draws nothing where stderr is no terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(units);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
