//! What clients did that try again.

use super::super::text::cell;
use crate::measure::{Reading, RunResult};
use ::csv::{Error, Writer};
use std::io::Write;

/// `clients.csv`: one row per traffic block and candidate, where clients of the run try again. A block's
/// `label` is empty where it has none.
///
/// # Errors
/// When `out` cannot be written.
pub fn clients(run: &RunResult, out: &mut dyn Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record([
        "traffic",
        "label",
        "candidate",
        "requests",
        "attempts",
        "served",
        "given_up",
        "unfinished",
        "goodput",
        "attempts_per_request",
        "wasted_attempts",
        "wait_p50_s",
        "wait_p99_s",
        "wait_max_s",
        "drained_s",
    ])?;
    for (block, label) in run.blocks.iter().enumerate() {
        for candidate in &run.candidates {
            let clients = candidate.clients();
            let Some(tally) = clients.and_then(|clients| clients.blocks.get(block)) else {
                continue;
            };
            let wait = |percent| tally.waits.percentile(percent);
            let wait = |percent| {
                wait(percent).map_or(String::new(), |wait| Reading::Time(wait).to_string())
            };
            let per_request =
                |part: u64| Reading::Ratio(part.into(), tally.requests.into()).to_string();
            writer.write_record([
                block.to_string(),
                label.as_deref().map_or(String::new(), cell),
                cell(&candidate.name),
                tally.requests.to_string(),
                tally.attempts.to_string(),
                tally.served.to_string(),
                tally.given_up.to_string(),
                tally.unfinished.to_string(),
                per_request(tally.served),
                per_request(tally.attempts),
                tally.wasted().to_string(),
                wait(50),
                wait(99),
                wait(100),
                tally.drained.map_or(String::new(), |at| at.to_string()),
            ])?;
        }
    }
    Ok(writer.flush()?)
}
