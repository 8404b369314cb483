//! HTTP answers: the status of an attempt, and the header fields of rate limiting that a middleware
//! would send with it.
//!
//! All fields tell what the limiter that decided knew at its decision, by the clock that it decided by.
//! Where none was asked (the store or a node had failed) there is nothing to tell, and no field is sent.
//!
//! Fields have whole seconds, and a client that obeys them must not be early: all are rounded up.
//!
//! Sources: RFC 6585 (429), RFC 9110, 10.2.3 (`Retry-After`) and 15.6.4 (503); the `X-RateLimit-` fields as
//! the API of GitHub has them; draft-ietf-httpapi-ratelimit-headers-11 of May 2026 (`RateLimit-Policy` and
//! `RateLimit`), whose values are lists of structured fields (RFC 9651).

use crate::limiter::Decision;
use crate::measure::{CandidateResult, Outlook, Reason, Record, RunResult};
use crate::units::{Cost, Limit, NANOS_PER_SECOND, Retry};

/// One header field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// What the limit is called where there are no rules, which have names.
const POLICY: &str = "default";

/// The most that an integer of a structured field can be.
const MOST: u128 = 999_999_999_999_999;

/// The status of the answer: 200 also for what is forwarded later, 429 for what the limiter refused,
/// and 503 where something failed.
pub fn status(record: &Record) -> u16 {
    match record.decision {
        _ if record.is_error() => 503,
        // Whoever is to be served later is told so at once.
        Decision::Delay(_) if record.reason == Some(Reason::Queued) => 202,
        Decision::Allow | Decision::Delay(_) => 200,
        Decision::Deny => 429,
    }
}

/// The header fields of the answer, in the order in which they are sent. Where several rules apply they
/// are of the one that is told: of those that deny the one that has to be waited for the longest, else
/// the one that has the least left.
pub fn fields(run: &RunResult, candidate: &CandidateResult, record: &Record) -> Vec<Field> {
    let Some(remaining) = record.remaining else {
        return Vec::new();
    };
    let policy = Policy::of(run, candidate, record);
    let outlook = record.outlook;
    let remaining = outlook.map_or(remaining, |outlook| outlook.remaining);
    let field = |name, value| Field { name, value };
    let mut fields = vec![
        field("X-RateLimit-Limit", policy.limit.units.to_string()),
        field("X-RateLimit-Remaining", remaining.to_string()),
    ];
    let reset = outlook.and_then(|outlook| reset(run, candidate, outlook));
    fields.extend(reset.map(|at| field("X-RateLimit-Reset", at.to_string())));
    let more = outlook.map(|outlook| outlook.more);
    fields.push(field("RateLimit-Policy", policy.stated()));
    fields.push(field("RateLimit", policy.service_limit(remaining, more)));
    if let Some(wait) = record.retry.and_then(Retry::whole_seconds) {
        for name in ["Retry-After", "X-Ratelimit-Retry-After"] {
            fields.push(field(name, wait.to_string()));
        }
    }
    fields
}

/// When as much could be admitted as can ever be held if nothing else came, in Unix time by the clock
/// that decided.
fn reset(run: &RunResult, candidate: &CandidateResult, outlook: Outlook) -> Option<i128> {
    let Retry::After(wait) = outlook.whole else {
        return None;
    };
    let lead = candidate.cluster.as_ref().map(|cluster| cluster.lead);
    let lead = i128::from(lead.unwrap_or_default().get());
    let clock = i128::from(run.epoch.unix_nanos()) + i128::from(outlook.clock.as_nanos()) - lead;
    let at = clock + i128::try_from(wait).ok()?;
    let second = i128::from(NANOS_PER_SECOND);
    Some(at.div_euclid(second) + i128::from(at.rem_euclid(second) > 0))
}

/// A limit as the limiter that decided enforces it.
struct Policy {
    /// Its name as a structured field's string.
    name: String,
    limit: Limit,
}

impl Policy {
    fn of(run: &RunResult, candidate: &CandidateResult, record: &Record) -> Self {
        let chapter = record.chapter.map(usize::from);
        let (name, whole) = match chapter.map(|chapter| &candidate.chapters[chapter]) {
            Some(chapter) => (&*chapter.name, chapter.limit),
            None => (POLICY, run.limit),
        };
        let cluster = candidate.cluster.as_ref();
        let share = cluster.and_then(|cluster| match record.reason {
            Some(Reason::LocalFallback) => cluster.fallback,
            _ => cluster.parts.get(usize::from(record.node)).copied(),
        });
        Self {
            name: quoted(name),
            limit: share.map_or(whole, |share| share.limit(whole)),
        }
    }

    /// The policy itself: `q` units in a window of `w` seconds. A window that is no whole number of
    /// seconds cannot be stated, and is left out.
    fn stated(&self) -> String {
        let (name, quota) = (&self.name, self.limit.units);
        let window = self.limit.window.get();
        match window % NANOS_PER_SECOND {
            0 => format!("{name};q={quota};w={}", window / NANOS_PER_SECOND),
            _ => format!("{name};q={quota}"),
        }
    }

    /// What can be used at present: no more than `r` units in the next `t` seconds. Where no time brings
    /// more, or it is not known which, `t` is left out. What is too long for the field is cut off
    /// there, which is true as well.
    fn service_limit(&self, remaining: Cost, more: Option<Retry>) -> String {
        let name = &self.name;
        match more.and_then(Retry::whole_seconds) {
            Some(wait) => format!("{name};r={remaining};t={}", wait.min(MOST)),
            None => format!("{name};r={remaining}"),
        }
    }
}

/// A text as a structured field's string, which holds printable ASCII: the bytes of all else are
/// written as `%` and two digits.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            other => quoted.push_str(&format!("%{other:02X}")),
        }
    }
    quoted.push('"');
    quoted
}
