//! The rows of a sequence: which of its moments share one, and where their words stand.

use super::{REMARK, SMALL};
use crate::report::scene::{Moment, Scene, What, note, says};
use crate::units::SimTime;

/// A message from its row to that of its arrival.
#[derive(Debug)]
pub(super) struct Arrow {
    pub(super) message: usize,
    /// Lanes.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Rows.
    pub(super) sent: usize,
    pub(super) received: Option<usize>,
    /// The columns between which its words stand.
    pub(super) text: (f64, f64),
}

/// A remark in a row of its own.
#[derive(Debug)]
pub(super) struct Remark {
    pub(super) what: What,
    pub(super) lane: usize,
    pub(super) row: usize,
    pub(super) is_race: bool,
    /// The columns between which it stands.
    pub(super) text: (f64, f64),
}

/// The rows of a scene.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) arrows: Vec<Arrow>,
    pub(super) remarks: Vec<Remark>,
    /// The first row of each instant, in order.
    pub(super) times: Vec<(usize, SimTime)>,
    count: usize,
}

/// The last row, as long as more may join it.
#[derive(Debug)]
struct Open {
    at: SimTime,
    /// The lane at which its arrows meet.
    hub: usize,
    /// Whether there is an arrow to the left and to the right of it.
    taken: [bool; 2],
    texts: Vec<(f64, f64)>,
}

/// Lays the scene out.
struct Layout<'a> {
    scene: &'a Scene<'a>,
    middles: &'a [f64],
    /// The columns that words keep to.
    room: (f64, f64),
    rows: Rows,
    open: Option<Open>,
}

impl Rows {
    /// The scene's moments in rows: each has its own, except that what one sends at the instant at
    /// which it receives something starts in the same row, when the arrows are on different sides.
    pub(super) fn of(scene: &Scene<'_>, middles: &[f64], room: (f64, f64)) -> Self {
        let mut layout = Layout {
            scene,
            middles,
            room,
            rows: Self::default(),
            open: None,
        };
        for moment in &scene.moments {
            layout.add(moment);
        }
        layout.rows
    }

    /// How many there are.
    pub(super) const fn count(&self) -> usize {
        self.count
    }
}

impl Layout<'_> {
    fn add(&mut self, moment: &Moment) {
        match moment.what {
            What::Sent(message) => self.send(message, moment.at),
            What::Received(message) => self.receive(message, moment.at),
            What::Timeout { next, .. } => {
                let who = self.scene.messages[next].from;
                self.remark(moment, self.lane(who), false);
            }
            What::Race(message) => {
                let who = self.scene.messages[message].to;
                self.remark(moment, self.lane(who), true);
            }
        }
    }

    fn lane(&self, who: crate::measure::Party) -> usize {
        let parties = &self.scene.parties;
        let lane = parties.iter().position(|party| *party == who);
        lane.expect("everyone who says or hears something takes part")
    }

    /// A new row for something at `at`.
    fn begin(&mut self, at: SimTime) -> usize {
        let row = self.rows.count;
        self.rows.count += 1;
        if self.rows.times.last().is_none_or(|(_, last)| *last < at) {
            self.rows.times.push((row, at));
        }
        row
    }

    /// The columns of words beside a lane, on the given side as far as there is room.
    fn beside(&self, lane: usize, is_right: bool, width: f64) -> (f64, f64) {
        const GAP: f64 = 9.0;
        let middle = self.middles[lane];
        let left = if is_right {
            middle + GAP
        } else {
            middle - GAP - width
        };
        let left = left.min(self.room.1 - width).max(self.room.0);
        (left, (left + width).min(self.room.1))
    }

    fn send(&mut self, message: usize, at: SimTime) {
        let what = &self.scene.messages[message];
        let (from, to) = (self.lane(what.from), self.lane(what.to));
        let face = if what.is_race { REMARK } else { SMALL };
        let width = face.width(&says(self.scene, what));
        let is_right = to > from;
        let text = self.beside(from, is_right, width);
        let joins = self.open.as_ref().is_some_and(|open| {
            let is_free = |other: &(f64, f64)| other.1 + 4.0 <= text.0 || text.1 + 4.0 <= other.0;
            open.at == at
                && open.hub == from
                && !open.taken[usize::from(is_right)]
                && open.texts.iter().all(is_free)
        });
        let row = if joins {
            self.rows.count - 1
        } else {
            self.begin(at)
        };
        let mut open = self.open.take().filter(|_| joins).unwrap_or(Open {
            at,
            hub: from,
            taken: [false; 2],
            texts: Vec::new(),
        });
        open.texts.push(text);
        open.taken[usize::from(is_right)] = true;
        self.open = Some(open);
        self.rows.arrows.push(Arrow {
            message,
            from,
            to,
            sent: row,
            received: None,
            text,
        });
    }

    fn receive(&mut self, message: usize, at: SimTime) {
        let is_sent = |arrow: &Arrow| arrow.message == message;
        let index = self.rows.arrows.iter().rposition(is_sent);
        let index = index.expect("what arrives was sent");
        let what = &self.scene.messages[message];
        let (from, to) = (self.rows.arrows[index].from, self.rows.arrows[index].to);
        let comes_from_right = from > to;
        // What arrives at once does so in the row in which it was sent.
        let is_level = what.sent == at;
        let row = if is_level {
            self.rows.arrows[index].sent
        } else {
            self.begin(at)
        };
        self.rows.arrows[index].received = Some(row);
        let texts = match self.open.take() {
            Some(open) if is_level => open.texts,
            _ => Vec::new(),
        };
        let mut taken = [false; 2];
        taken[usize::from(comes_from_right)] = true;
        self.open = Some(Open {
            at,
            hub: to,
            taken,
            texts,
        });
    }

    fn remark(&mut self, moment: &Moment, lane: usize, is_race: bool) {
        let row = self.begin(moment.at);
        self.open = None;
        let text = note(self.scene, moment.what).unwrap_or_default();
        let width = REMARK.width(&text);
        let room_right = self.room.1 - self.middles[lane];
        let is_right = room_right > width + 24.0;
        self.rows.remarks.push(Remark {
            what: moment.what,
            lane,
            row,
            is_race,
            text: self.beside(lane, is_right, width),
        });
    }
}
