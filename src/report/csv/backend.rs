//! What backends went through.

use crate::measure::{Delays, Reading, RunResult};
use crate::report::attempt::Cell;
use crate::report::text::cell;
use crate::units::decimal;
use ::csv::{Error, Writer};
use std::io::Write;

/// `backend.csv`: two rows per candidate that has a backend, with its limiter and without.
///
/// # Errors
/// When `out` cannot be written.
pub fn backend(run: &RunResult, out: &mut dyn Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record([
        "candidate",
        "limiter",
        "reached",
        "served",
        "denied",
        "overloaded",
        "unfinished",
        "bypassed",
        "utilisation",
        "work_s",
        "wasted_work_s",
        "queue_peak",
        "response_p50_s",
        "response_p99_s",
        "response_max_s",
        "legitimate_response_p99_s",
        "legitimate_lost",
    ])?;
    for candidate in &run.candidates {
        let Some(backend) = candidate.backend() else {
            continue;
        };
        let time = u128::from(backend.workers) * u128::from(run.horizon.as_nanos());
        for (limiter, served) in [("with", &backend.with), ("without", &backend.without)] {
            let quantile = |times: &Delays, percent| {
                let time = times.percentile(percent);
                time.map_or(String::new(), |time| Cell::length(time).to_string())
            };
            let bypassed = (backend.is_client && limiter == "with").then_some(backend.bypassed);
            let share = |parts, whole| Reading::Share(parts, whole).to_string();
            writer.write_record([
                cell(&candidate.name),
                limiter.to_owned(),
                served.reached.to_string(),
                served.served.to_string(),
                served.denied.to_string(),
                served.overloaded.to_string(),
                served.unfinished.to_string(),
                bypassed.map_or(String::new(), |count| count.to_string()),
                share(served.busy, time),
                decimal(served.busy, 9),
                decimal(served.wasted, 9),
                served.queue_peak.to_string(),
                quantile(&served.responses, 50),
                quantile(&served.responses, 99),
                quantile(&served.responses, 100),
                quantile(&served.legitimate_responses, 99),
                share(served.legitimate_lost.into(), served.legitimate.into()),
            ])?;
        }
    }
    Ok(writer.flush()?)
}
