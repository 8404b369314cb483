//! The time axis: where its ticks stand and how they read, and the edges of the clock windows.

use super::canvas::Point;
use super::span::Span;
use super::theme::SMALL;
use crate::report::text::duration;
use crate::units::{Epoch, Limit, NANOS_PER_SECOND, Nanos};

const SECOND: u128 = NANOS_PER_SECOND as u128;
const DAY: u128 = 86_400 * SECOND;

/// Tick distances up to a day: powers of ten below a second, then what clocks show.
const STEPS: [u128; 19] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
    86_400, 172_800,
];

/// The shortest distance that people count in, at least `least` nanoseconds.
pub(super) fn step_at_least(least: u128) -> u128 {
    let fractions = (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u128.pow(power)));
    let clock = STEPS.iter().map(|seconds| seconds * SECOND);
    let fitting = fractions.chain(clock).find(|step| *step >= least);
    let days = || {
        let powers = (0..12).flat_map(|power| [1, 2, 5].map(|d| d * 10u128.pow(power) * DAY));
        powers.into_iter().find(|step| *step >= least)
    };
    fitting.or_else(days).unwrap_or(least)
}

/// A span laid out between two columns of pixels, and the clock that its labels read.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeAxis {
    pub(super) span: Span,
    pub(super) left: f64,
    pub(super) right: f64,
    epoch: Epoch,
    step: u128,
    /// Whether it shows lengths of time, not instants.
    has_lengths: bool,
}

impl TimeAxis {
    /// The axis with as many ticks as their labels leave room for.
    pub(super) fn new(span: Span, left: f64, right: f64, epoch: Epoch) -> Self {
        let axis = Self {
            span,
            left,
            right,
            epoch,
            step: 1,
            has_lengths: false,
        };
        axis.with_ticks()
    }

    /// Lengths of time from none to `longest` nanoseconds, which is more than none.
    pub(super) fn lengths(longest: u64, left: f64, right: f64) -> Self {
        let axis = Self {
            span: Span {
                from: 0,
                to: longest,
            },
            left,
            right,
            epoch: Epoch::default(),
            step: 1,
            has_lengths: true,
        };
        axis.with_ticks()
    }

    /// With the finest ticks that people count in and whose labels have room.
    fn with_ticks(self) -> Self {
        const MOST_TICKS: u128 = 12;
        let span = self.span;
        let step = step_at_least(u128::from(span.length()).div_ceil(MOST_TICKS));
        let mut axis = Self { step, ..self };
        loop {
            let widest = axis
                .ticks()
                .iter()
                .map(|(_, label)| SMALL.width(label))
                .fold(0.0, f64::max);
            let distance = axis.pixels(axis.step);
            if distance >= widest + 28.0 || axis.step > u128::from(span.length()) {
                return axis;
            }
            axis.step = step_at_least(axis.step + 1);
        }
    }

    #[allow(clippy::cast_precision_loss)]
    fn pixels(&self, length: u128) -> f64 {
        length as f64 / self.span.length() as f64 * (self.right - self.left)
    }

    /// The column of an instant in nanoseconds; outside the span it lies outside the axis.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn x(&self, at: u64) -> f64 {
        // Differences first: a float does not hold nanoseconds of whole centuries.
        let since = if at >= self.span.from {
            (at - self.span.from) as f64
        } else {
            -((self.span.from - at) as f64)
        };
        self.left + since / self.span.length() as f64 * (self.right - self.left)
    }

    /// The same, kept within the axis.
    pub(super) fn x_within(&self, at: u64) -> f64 {
        self.x(at).clamp(self.left, self.right)
    }

    /// A round length of time of about so many pixels.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(super) fn round_length(&self, pixels: f64) -> Nanos {
        let share = pixels / (self.right - self.left);
        let length = Nanos::new(self.span.length()).as_secs_f64() * share;
        Nanos::from_wide(step_at_least((length * 1e9) as u128))
    }

    /// Whether labels show a calendar's clock; a run that starts at the Unix epoch has none.
    fn is_calendar(&self) -> bool {
        self.epoch.unix_nanos() != 0
    }

    fn shown(&self, at: u64) -> u128 {
        u128::from(self.epoch.unix_nanos()) + u128::from(at)
    }

    /// Multiples of `step` on the shown clock within the span.
    fn multiples(&self, step: u128) -> impl Iterator<Item = u64> + use<> {
        let (from, to) = (self.shown(self.span.from), self.shown(self.span.to));
        let epoch = u128::from(self.epoch.unix_nanos());
        let (first, last) = (from.div_ceil(step), to / step);
        (first..=last).filter_map(move |k| u64::try_from(k * step - epoch).ok())
    }

    /// Instants and labels of the ticks.
    pub(super) fn ticks(&self) -> Vec<(u64, String)> {
        self.multiples(self.step)
            .map(|at| (at, self.label(at)))
            .collect()
    }

    fn is_below_a_second(&self) -> bool {
        !self.is_calendar() && self.step < SECOND && u128::from(self.span.to) <= SECOND
    }

    /// Whether hours are shown.
    fn has_hours(&self) -> bool {
        self.is_calendar() && self.epoch.time_of_day().get() > 0
            || self.clock(self.span.to) >= 3_600 * SECOND
            || self.span.length() >= 3_600 * NANOS_PER_SECOND
    }

    fn clock(&self, at: u64) -> u128 {
        let shown = self.shown(at);
        if self.is_calendar() {
            shown % DAY
        } else {
            shown
        }
    }

    fn label(&self, at: u64) -> String {
        if self.has_lengths {
            return match at {
                0 => "0".to_owned(),
                _ => duration(Nanos::new(at)),
            };
        }
        if self.is_below_a_second() {
            return small(at, self.step);
        }
        let clock = self.clock(at);
        if self.is_calendar() && (clock == 0 && self.span.length() > 43_200 * NANOS_PER_SECOND) {
            return self.date(at, "%-d %b");
        }
        if !self.is_calendar() && self.step >= DAY {
            return format!("day {}", clock / DAY);
        }
        let seconds = clock / SECOND;
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
        if self.has_hours() && self.step >= 60 * SECOND {
            return format!("{hours}:{minutes:02}");
        }
        let fraction = if self.step < SECOND {
            let places = fraction_digits(self.step);
            let digits = format!("{:09}", clock % SECOND);
            format!(".{}", &digits[..places])
        } else {
            String::new()
        };
        let seconds = seconds % 60;
        if self.has_hours() {
            format!("{hours}:{minutes:02}:{seconds:02}{fraction}")
        } else {
            format!("{minutes}:{seconds:02}{fraction}")
        }
    }

    fn date(&self, at: u64, format: &str) -> String {
        let nanos = i128::try_from(self.shown(at)).unwrap_or(i128::MAX);
        jiff::Timestamp::from_nanosecond(nanos).map_or_else(
            |_| format!("{nanos} ns"),
            |time| time.strftime(format).to_string(),
        )
    }

    /// What the labels are, for the footer: `time (m:ss)`.
    pub(super) fn unit(&self) -> String {
        if self.is_below_a_second() {
            return "time since the start".to_owned();
        }
        let format = match (self.has_hours(), self.step) {
            (_, step) if step >= DAY => return "time".to_owned(),
            (true, step) if step >= 60 * SECOND => "h:mm",
            (true, _) => "h:mm:ss",
            (false, _) => "m:ss",
        };
        if self.is_calendar() && self.has_hours() {
            let day = self.date(self.span.from, "%-d %B %Y");
            return format!("clock time on {day} ({format}, UTC)");
        }
        format!("time ({format})")
    }

    /// The edges of the clock windows, where they are far enough apart to be told from each other.
    pub(super) fn window_edges(&self, limit: Limit) -> Option<Vec<u64>> {
        const LEAST_APART: f64 = 24.0;
        let window = u128::from(limit.window.get());
        (self.pixels(window) >= LEAST_APART).then(|| self.multiples(window).collect())
    }

    /// A line of points in time order cut to the span; between points it runs straight, before the
    /// first it stays.
    pub(super) fn cut(&self, points: &[Point]) -> Vec<Point> {
        let Some(first) = points.first() else {
            return Vec::new();
        };
        let mut cut = Vec::with_capacity(points.len() + 2);
        let extended = [(self.left.min(first.0), first.1)]
            .into_iter()
            .chain(points.iter().copied());
        let mut before: Option<Point> = None;
        for point in extended {
            if let Some(before) = before {
                for edge in [self.left, self.right] {
                    if before.0 < edge && point.0 > edge {
                        let share = (edge - before.0) / (point.0 - before.0);
                        cut.push((edge, before.1 + share * (point.1 - before.1)));
                    }
                }
            }
            if (self.left..=self.right).contains(&point.0) {
                cut.push(point);
            }
            before = Some(point);
        }
        cut
    }
}

/// Digits after the second that tell multiples of `step` apart.
fn fraction_digits(step: u128) -> usize {
    (1..9)
        .find(|digits| step.is_multiple_of(10u128.pow(9 - digits)))
        .unwrap_or(9) as usize
}

/// A time below a second in the unit that suits the step: `250 ms`.
fn small(at: u64, step: u128) -> String {
    let units = [(1_000_000, "ms"), (1_000, "µs"), (1, "ns")];
    let (size, name) = units
        .into_iter()
        .find(|(size, _)| step.is_multiple_of(u128::from(*size)))
        .expect("every step is whole nanoseconds");
    format!("{} {name}", at / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: u64, to: u64, epoch: Epoch) -> Vec<String> {
        let span = Span { from, to };
        let axis = TimeAxis::new(span, 0.0, 1_200.0, epoch);
        axis.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn labels_are_what_a_clock_shows() {
        const S: u64 = NANOS_PER_SECOND;
        let none = Epoch::default();
        assert_eq!(
            labels(50 * S, 90 * S, none),
            [
                "0:50", "0:55", "1:00", "1:05", "1:10", "1:15", "1:20", "1:25", "1:30"
            ]
        );
        assert_eq!(labels(0, S / 2, none)[..3], ["0 ms", "50 ms", "100 ms"]);
        assert_eq!(labels(59 * S, 60 * S, none)[..2], ["0:59.0", "0:59.1"]);
        assert_eq!(labels(0, 8 * 3_600 * S, none)[..2], ["0:00", "1:00"]);
        assert_eq!(labels(0, 10 * 86_400 * S, none)[1], "day 1");
        // 22 January 2019, 03:56:14.
        let clock = Epoch::from_unix_nanos(1_548_129_374 * S);
        assert_eq!(labels(0, 120 * S, clock)[0], "3:56:20");
        assert_eq!(labels(0, 3 * 86_400 * S, clock)[3], "23 Jan");
    }

    #[test]
    fn lengths_are_named_with_their_unit() {
        let axis = TimeAxis::lengths(150 * NANOS_PER_SECOND, 0.0, 600.0);
        let labels: Vec<String> = axis.ticks().into_iter().map(|(_, label)| label).collect();
        assert_eq!(
            labels,
            ["0", "30 s", "1 min", "1 min 30 s", "2 min", "2 min 30 s"]
        );
    }

    #[test]
    fn window_edges_follow_the_clock_of_the_run() {
        let limit = Limit {
            units: 5,
            window: Nanos::from_secs(60),
        };
        let span = Span {
            from: 0,
            to: 120 * NANOS_PER_SECOND,
        };
        // The run starts 45 s into a minute: the windows end 15 s and 75 s later.
        let epoch = Epoch::from_unix_nanos(45 * NANOS_PER_SECOND);
        let axis = TimeAxis::new(span, 0.0, 1_000.0, epoch);
        let edges = axis.window_edges(limit).unwrap();
        assert_eq!(edges, [15 * NANOS_PER_SECOND, 75 * NANOS_PER_SECOND]);
        let tight = Limit {
            units: 5,
            window: Nanos::from_secs(1),
        };
        assert_eq!(axis.window_edges(tight), None);
    }
}
