//! Why rules forward or deny what one limit would not.

use crate::measure::{CandidateResult, Chapter};
use crate::rules::{Charge, OnReload};

/// Why a rule forwarded more than its limit, where that is not its algorithm's doing.
pub(super) fn why(candidate: &CandidateResult) -> Option<&'static str> {
    let rules = candidate.rules.as_ref()?;
    let worst = Chapter::worst(&candidate.chapters)?;
    let is_later = candidate
        .chapters
        .iter()
        .any(|chapter| chapter.name == worst.name && chapter.from < worst.from);
    match rules.on_reload {
        OnReload::Reset if is_later => Some("what had passed was forgotten when the rule changed"),
        _ => None,
    }
}

/// Why the candidate may deny what there is room for: its algorithm, or with rules those of the rules that
/// did, and how they were charged or changed.
pub(super) fn cautions(candidate: &CandidateResult) -> Vec<&'static str> {
    let mut causes = match &candidate.rules {
        None => vec![candidate.caution],
        Some(rules) => {
            let wrong = candidate.chapters.iter();
            let wrong: Vec<&Chapter> = wrong.filter(|it| it.tally.false_deny > 0).collect();
            let mut causes: Vec<&str> = wrong.iter().map(|chapter| chapter.caution).collect();
            let is_charged_in_vain = |chapter: &&Chapter| chapter.tally.errors > 0;
            if rules.charge == Charge::Each && wrong.iter().any(is_charged_in_vain) {
                causes.push("a rule is charged although a later one denies");
            }
            let is_later = |later: &&Chapter| {
                let mut all = candidate.chapters.iter();
                all.any(|it| it.name == later.name && it.from < later.from)
            };
            if rules.on_reload == OnReload::Converted && wrong.iter().any(is_later) {
                causes.push("the share of a limit that was used stays used when it changes");
            }
            causes
        }
    };
    causes.retain(|cause| !cause.is_empty());
    causes
}
