//! Draws by weight in constant time: Walker's alias method, the table built as Vose does (A linear
//! algorithm for generating random numbers with a given distribution, 1991).

use crate::units::KeyId;

/// A choice among keys by weight.
///
/// Each key has one cell, all cells are equally likely, and a cell gives its own key or one other. A
/// draw takes one random word and looks at one cell: the word times the number of cells has the cell in
/// its upper half, and what the cell decides by in its lower. A key's probability is its share of the
/// weight to within 2^−32 of a cell.
#[derive(Debug)]
pub(super) struct AliasTable {
    cells: Box<[Cell]>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Parts of 2^32 in which the cell gives its own key.
    own_parts: u32,
    own: KeyId,
    other: KeyId,
}

impl AliasTable {
    /// The table of these keys and weights; `None` when all weigh nothing, or more than any number.
    pub(super) fn new(ids: impl IntoIterator<Item = KeyId>, weights: &[f64]) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        let per_cell = weights.len() as f64 / total;
        let mut parts: Vec<f64> = weights.iter().map(|weight| weight * per_cell).collect();
        let mut cells: Box<[Cell]> = ids.into_iter().map(Cell::whole).collect();
        assert_eq!(cells.len(), parts.len(), "a weight for each key");
        let (mut light, mut heavy) = (Vec::new(), Vec::new());
        for (index, part) in (0u32..).zip(&parts) {
            let side = if *part < 1.0 { &mut light } else { &mut heavy };
            side.push(index);
        }
        while let (Some(small), Some(&large)) = (light.pop(), heavy.last()) {
            let other = cells[large as usize].own;
            cells[small as usize].share(parts[small as usize], other);
            parts[large as usize] -= 1.0 - parts[small as usize];
            if parts[large as usize] < 1.0 {
                heavy.pop();
                light.push(large);
            }
        }
        // What is left on either side has a whole cell but for the last digits.
        Some(Self { cells })
    }

    /// The key that a random word chooses.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn choose(&self, word: u64) -> KeyId {
        let wide = u128::from(word) * self.cells.len() as u128;
        let cell = self.cells[(wide >> 64) as usize];
        if ((wide as u64) >> 32) as u32 >= cell.own_parts {
            cell.other
        } else {
            cell.own
        }
    }
}

impl Cell {
    /// A cell that always gives its own key.
    fn whole(own: KeyId) -> Self {
        Self {
            own_parts: u32::MAX,
            own,
            other: own,
        }
    }

    /// Gives its own key in this part of all cases, else the other.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn share(&mut self, part: f64, other: KeyId) {
        self.own_parts = (part * 2f64.powi(32)).round() as u32;
        self.other = other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of each key that the cells spell out.
    fn chances(table: &AliasTable, keys: usize) -> Vec<f64> {
        let mut chances = vec![0.0; keys];
        for cell in &table.cells {
            let part = f64::from(cell.own_parts) / 2f64.powi(32);
            chances[cell.own.0 as usize] += part / keys as f64;
            chances[cell.other.0 as usize] += (1.0 - part) / keys as f64;
        }
        chances
    }

    fn ids(count: u32) -> impl Iterator<Item = KeyId> {
        (0..count).map(KeyId)
    }

    #[test]
    fn every_key_has_its_share_of_the_cells() {
        let falling = |exponent: f64| (1..=1_000u32).map(move |k| f64::from(k).powf(-exponent));
        let laws: [Vec<f64>; 5] = [
            vec![1.0],
            vec![0.0, 1.0, 3.0, 0.0],
            falling(0.0).collect(),
            falling(1.0).collect(),
            falling(8.0).collect(),
        ];
        for weights in laws {
            let count = u32::try_from(weights.len()).unwrap();
            let table = AliasTable::new(ids(count), &weights).unwrap();
            let total: f64 = weights.iter().sum();
            for (found, weight) in chances(&table, weights.len()).iter().zip(&weights) {
                // A key's own cell and those of others are each off by 2^−33 of a cell at most.
                let miss = (found - weight / total).abs();
                assert!(miss <= 2f64.powi(-32), "{found} for {weight} of {total}");
            }
        }
    }

    #[test]
    fn words_choose_cells_in_order_and_keys_by_their_parts() {
        // The first cell gives its own key in half of its cases.
        let table = AliasTable::new(ids(2), &[0.5, 1.5]).unwrap();
        let thousandths = [0, 249, 251, 499, 501, 999];
        let chosen = thousandths.map(|part| table.choose(u64::MAX / 1_000 * part).0);
        assert_eq!(chosen, [0, 0, 1, 1, 1, 1]);
        assert_eq!(table.choose(u64::MAX), KeyId(1));
    }

    #[test]
    fn nothing_can_be_chosen_from_keys_that_weigh_nothing() {
        assert!(AliasTable::new(ids(0), &[]).is_none());
        assert!(AliasTable::new(ids(2), &[0.0, 0.0]).is_none());
        assert!(AliasTable::new(ids(2), &[f64::MAX, f64::MAX]).is_none());
    }
}
