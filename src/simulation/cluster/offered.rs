//! What was offered for the keys of a run, admitted or not.

use super::super::lane::Course;
use crate::measure::{Batch, Counts, Cut, Departures, Offers, Past, Recent, Sums};
use crate::units::Limit;
use crate::workload::Arrival;

/// What was offered for each key of the run, in the form that amounts are kept in.
pub(super) struct Offered {
    past: OfferedPast,
    batch: Batch,
    cut: Cut,
    limit: Limit,
}

enum OfferedPast {
    Counts(Recent),
    Sums(Departures),
}

impl Offered {
    pub(super) fn new(course: &Course) -> Self {
        let keys = course.names.len();
        let past = if course.unit_costs {
            let mut past = Recent::new(course.limit, None);
            past.reach(keys);
            OfferedPast::Counts(past)
        } else {
            let mut past = Departures::new(course.limit, None);
            past.reach(keys);
            OfferedPast::Sums(past)
        };
        Self {
            past,
            batch: Batch::default(),
            cut: course.cut(),
            limit: course.limit,
        }
    }

    /// What was offered before each of these arrivals.
    pub(super) fn note(&mut self, arrivals: &[Arrival]) -> &Offers {
        self.batch.clear();
        for arrival in arrivals {
            self.batch.push(*arrival, arrival.at, &self.cut);
        }
        match &mut self.past {
            OfferedPast::Counts(past) => self.batch.note_offers::<Counts>(past, self.limit),
            OfferedPast::Sums(past) => self.batch.note_offers::<Sums>(past, self.limit),
        }
        &self.batch.offered
    }
}
