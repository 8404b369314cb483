//! On-off traffic: sources that send at a rate while they are on, and nothing while they are off.
//!
//! Each key of the block is a source of its own, independent of the others: `rate` is that of one
//! source while it is on. Periods on and off alternate, drawn from `on` and `off`. A source has a clock
//! that runs only while it is on, and sends at instants of that clock: every 1/rate with
//! `arrivals = "steady"`, at exponential gaps of that mean with `"poisson"` (exponential periods then
//! make the interrupted Poisson process of Kuczura, 1973). Thus the long-run rate of a source is exactly
//! rate·E[on]/(E[on] + E[off]).
//!
//! With `start = "on"` a period on begins at `from`, and a steady source sends its first request then.
//! With `"random"` the source has been at it for ever: it is on with probability
//! E[on]/(E[on] + E[off]), and what is left of its period has density P(X > x)/E[X]. Many keys begin at
//! random unless told otherwise, since devices that all wake at once are one burst.

use super::poisson::Gaps;
use super::{Carry, Division, Even, Instants, Pattern, Setting, length, mean_count};
use crate::error::Result;
use crate::params::Params;
use crate::units::{Rate, SimTime};
use crate::workload::Distribution;
use rand::RngExt;
use rand_pcg::Pcg64;

/// The most periods that all sources together may have: a minute or so of drawing them.
const MAX_PERIODS: f64 = 1e10;

/// Reads `rate`, `on`, `off`, `arrivals` and `start`.
pub fn read(params: &mut Params, setting: &Setting) -> Result<Box<dyn Pattern>> {
    let rate = params.required::<Rate>("rate")?;
    let on = length(params, "on")?;
    let off = length(params, "off")?;
    if on.mean() <= 0.0 {
        return Err(params.error("on", "must be longer than 0 in the mean"));
    }
    let steady = params.choice("arrivals", &["steady", "poisson"], "steady")? == "steady";
    let start = if setting.keys > 1 { "random" } else { "on" };
    let begins_on = params.choice("start", &["on", "random"], start)? == "on";
    let end = setting.end(params, "rate")?;
    let span = end.since(setting.from).get() as f64;
    let periods = 2.0 * span / (on.mean() + off.mean()) * setting.keys as f64;
    if periods > MAX_PERIODS {
        let message = format!(
            "the sources change between on and off about {periods:.1e} times, allowed are \
             {MAX_PERIODS:.0e}; give longer periods, fewer keys or a shorter time"
        );
        return Err(params.error("on", message));
    }
    Ok(Box::new(OnOff {
        from: setting.from,
        end,
        rate,
        on,
        off,
        steady,
        begins_on,
        sources: setting.keys,
    }))
}

#[derive(Debug)]
struct OnOff {
    from: SimTime,
    end: SimTime,
    rate: Rate,
    on: Distribution,
    off: Distribution,
    steady: bool,
    begins_on: bool,
    sources: u64,
}

impl OnOff {
    /// E[on]/(E[on] + E[off]).
    fn share_on(&self) -> f64 {
        self.on.mean() / (self.on.mean() + self.off.mean())
    }

    /// How long a source is on in the mean, in nanoseconds. Exact for a random start and for periods
    /// that do not vary; for others it is what exponential periods of the same means give: the start
    /// fades with 1/E[on] + 1/E[off].
    fn time_on(&self) -> f64 {
        let span = self.end.since(self.from).get() as f64;
        let share = self.share_on();
        if !self.begins_on || self.off.mean() <= 0.0 {
            return share * span;
        }
        if let (Some(on), Some(off)) = (self.on.constant(), self.off.constant()) {
            let cycles = (span / (on + off)).floor();
            return cycles * on + (span - cycles * (on + off)).min(on);
        }
        let fading = self.on.mean() * (1.0 - share);
        share * span - (1.0 - share) * fading * (-span / fading).exp_m1()
    }

    /// The instants on a source's own clock, which stands still while it is off.
    fn own_clock(&self, random: &mut Pcg64) -> OwnClock {
        if !self.steady {
            let per_nano = self.rate.per_second() / 1e9;
            // No source is on for longer than the block lasts.
            let most = SimTime::ZERO + self.end.since(self.from);
            let gaps = Gaps::new(SimTime::ZERO, most, per_nano);
            return OwnClock::Poisson(gaps);
        }
        let gap = self.rate.nanos() as f64 / self.rate.units() as f64;
        let first = if self.begins_on {
            0
        } else {
            Carry::default().whole(gap * random.random::<f64>())
        };
        let first = SimTime::from_nanos(first);
        let (length, parts) = (self.rate.nanos(), self.rate.units());
        OwnClock::Steady(Even::new(first, length, parts, u64::MAX))
    }

    /// The first period: how long the source is off before it, and how long it is on.
    fn first_period(&self, random: &mut Pcg64) -> (f64, f64) {
        if self.begins_on {
            (0.0, self.on.draw(random))
        } else if random.random::<f64>() < self.share_on() {
            (0.0, self.on.draw_residual(random))
        } else {
            (self.off.draw_residual(random), self.on.draw(random))
        }
    }
}

enum OwnClock {
    Steady(Even),
    Poisson(Gaps),
}

impl Pattern for OnOff {
    fn expected(&self) -> u64 {
        let each = self.rate.per_second() / 1e9 * self.time_on();
        // A steady source begins with a request.
        let first = self.steady && self.begins_on && each > 0.0;
        let each = if first {
            (each * (1.0 - 1e-12)).ceil()
        } else {
            each
        };
        mean_count(each * self.sources as f64)
    }

    fn last(&self) -> Option<SimTime> {
        (self.expected() > 0).then(|| SimTime::from_nanos(self.end.as_nanos() - 1))
    }

    fn division(&self) -> Division {
        Division::Sources
    }

    fn instants(&self, _: f64, mut random: Pcg64) -> Box<dyn Instants> {
        if self.rate.units() == 0 {
            return Box::new(std::iter::empty());
        }
        let mut clock = self.own_clock(&mut random);
        let (wait, first) = self.first_period(&mut random);
        let mut carry = Carry::default();
        let mut ahead = self.from.as_nanos().saturating_add(carry.whole(wait));
        let mut on_until = carry.whole(first);
        let (on, off, end) = (self.on.clone(), self.off.clone(), self.end.as_nanos());
        Box::new(std::iter::from_fn(move || {
            let own = match &mut clock {
                OwnClock::Steady(even) => even.next(),
                OwnClock::Poisson(gaps) => gaps.next(&mut random),
            }?;
            // An instant at the very end of a period belongs to the next one: periods are half-open.
            while own >= on_until {
                if ahead.saturating_add(on_until) >= end {
                    return None;
                }
                ahead = ahead.saturating_add(carry.whole(off.draw(&mut random)));
                on_until = on_until.saturating_add(carry.whole(on.draw(&mut random)));
            }
            Some(ahead.saturating_add(own)).filter(|at| *at < end)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::random::{Purpose, generator};
    use super::*;
    use crate::workload::statistics::{assert_law, exponential, gaps, moments};
    use crate::workload::tests::{made, params, setting};

    const SECOND: u64 = 1_000_000_000;

    fn on_off(text: &str, setting: &Setting) -> Box<dyn Pattern> {
        read(&mut params(text), setting).unwrap()
    }

    /// All requests of a source, which must be as many as expected.
    fn exact(text: &str, from: u64, end: u64) -> Vec<u64> {
        let setting = setting(from, end);
        let pattern = on_off(text, &setting);
        let all = made(&*pattern, &setting, 1);
        assert_eq!(pattern.expected(), all.len() as u64, "{text}");
        all
    }

    #[test]
    fn a_steady_source_sends_at_exact_instants_of_its_time_on() {
        let thirds = "rate = \"3/s\"\non = \"1s\"\noff = \"9s\"";
        let (a, b) = (333_333_333, 666_666_666);
        assert_eq!(
            exact(thirds, 7, 20 * SECOND + 8),
            [
                0,
                a,
                b,
                10 * SECOND,
                10 * SECOND + a,
                10 * SECOND + b,
                20 * SECOND
            ]
            .map(|at| at + 7)
        );
        // Its own clock reads 1.5 s when it goes on again at 2 s: the third, at 2 s of it, comes at
        // 2.5 s; the fourth, at 3 s of it, just when the third period on begins.
        let carried = "rate = \"1/s\"\non = \"1500ms\"\noff = \"500ms\"";
        assert_eq!(
            exact(carried, 0, 4 * SECOND + 1),
            [0, SECOND, 5 * SECOND / 2, 4 * SECOND]
        );
        assert_eq!(exact(carried, 0, 4 * SECOND).len(), 3);
        assert!(exact("rate = 0\non = \"1s\"\noff = \"1s\"", 0, SECOND).is_empty());
    }

    #[test]
    fn a_source_that_is_never_off_is_steady_or_poisson() {
        let steady = exact("rate = \"4/s\"\non = \"1s\"\noff = \"0s\"", 0, SECOND);
        assert_eq!(steady, [0, 1, 2, 3].map(|i| i * SECOND / 4));
        let text = "rate = \"100/s\"\non = \"1s\"\noff = \"0s\"\narrivals = \"poisson\"";
        let setting = setting(0, 100 * SECOND);
        let all = made(&*on_off(text, &setting), &setting, 1);
        assert_law(
            &gaps(all.iter().map(|at| *at as f64 / 1e7)),
            exponential,
            "gaps",
        );
    }

    /// With 10 s off, runs of requests show the periods on: k requests at 100/s, k/100 s.
    #[test]
    fn periods_follow_their_laws() {
        let periods = |on: &str, off: &str| {
            let text = format!("rate = \"100/s\"\non = {on}\noff = {off}");
            let setting = setting(0, 12_000 * SECOND);
            made(&*on_off(&text, &setting), &setting, 1)
        };
        let uniform = "{ kind = \"uniform\", min = \"1s\", max = \"3s\" }";
        let all = periods(uniform, "\"10s\"");
        let runs = all.chunk_by(|a, b| b - a < SECOND);
        let lengths: Vec<_> = runs.map(|run| run.len() as f64 / 100.0).collect();
        assert_law(&lengths[..lengths.len() - 1], |s| (s - 1.0) / 2.0, "on");
        let all = periods("\"1s\"", "{ kind = \"exponential\", mean = \"10s\" }");
        let silences = all
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64 / 1e9 - 0.01);
        let silences: Vec<_> = silences.filter(|s| *s > 1e-6).collect();
        assert_law(&silences, |s| exponential(s / 10.0), "off");
    }

    /// A source that begins on at exponential periods of 1 s is on for 0.5 + 0.25·(1 − e^−2) =
    /// 0.71617 s of the first second.
    #[test]
    fn what_is_expected_counts_the_start() {
        let law = "{ kind = \"exponential\", mean = \"1s\" }";
        let text = format!(
            "rate = \"100/s\"\non = {law}\noff = {law}\narrivals = \"poisson\"\nstart = \"on\""
        );
        let mut setting = setting(0, SECOND);
        setting.keys = 4_000;
        let pattern = on_off(&text, &setting);
        let expected = 400_000.0 * 0.716_166_179_190_846_8;
        assert!((pattern.expected() as f64 - expected).abs() < 1.0);
        let each = (0..4_000).map(|part| {
            let random = generator(1, 0, part, Purpose::Source);
            pattern.instants(1.0, random).count() as f64
        });
        let (mean, variance) = moments(&each.collect::<Vec<_>>());
        let error = (variance / 4_000.0).sqrt();
        assert!((mean - expected / 4_000.0).abs() < 4.0 * error, "{mean}");
    }

    #[test]
    fn several_keys_begin_at_random_unless_told_otherwise() {
        let text = "rate = \"1/s\"\non = \"1s\"\noff = \"1s\"";
        let mut many = setting(0, SECOND);
        many.keys = 2;
        for (setting, start) in [(setting(0, SECOND), "on"), (many, "random")] {
            let mut params = params(text);
            read(&mut params, &setting).unwrap();
            let resolved = params.finish().unwrap();
            assert_eq!(resolved["start"].as_str(), Some(start));
        }
    }
}
