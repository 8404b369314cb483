//! Blocks worked on in parallel while the next ones are read, in order and in bounded memory.

use super::blocks::{Block, Blocks};
use rayon::prelude::*;
use std::io;

/// Blocks of a batch for each thread: enough that threads end a batch at about the same time.
const PER_THREAD: usize = 4;

/// The most blocks of a batch.
const MOST: usize = 64;

/// A text in batches of blocks. Two batches are held: one that is worked on, and one that is read.
pub(super) struct Pipeline {
    blocks: Blocks,
    /// What was read ahead.
    ahead: Vec<Block>,
    /// What was worked on last; its memory is used again.
    behind: Vec<Block>,
    /// What stopped the reading.
    failure: Option<io::Error>,
    is_begun: bool,
}

impl Pipeline {
    pub(super) fn new(blocks: Blocks) -> Self {
        Self {
            blocks,
            ahead: Vec::new(),
            behind: Vec::new(),
            failure: None,
            is_begun: false,
        }
    }

    /// What `work` makes of each block of the next batch, in order; `None` at the end.
    ///
    /// It runs on the threads of the pool that it is called in.
    pub(super) fn next<T: Send>(
        &mut self,
        work: impl Fn(&Block) -> T + Sync,
    ) -> io::Result<Option<Vec<T>>> {
        if !self.is_begun {
            self.is_begun = true;
            self.failure = refill(&mut self.blocks, &mut self.ahead).err();
        }
        if self.ahead.is_empty() {
            return self.failure.take().map_or(Ok(None), Err);
        }
        std::mem::swap(&mut self.ahead, &mut self.behind);
        if self.failure.is_some() {
            self.ahead.clear();
            return Ok(Some(self.behind.par_iter().map(&work).collect()));
        }
        let (made, read) = rayon::join(
            || self.behind.par_iter().map(&work).collect(),
            || refill(&mut self.blocks, &mut self.ahead),
        );
        self.failure = read.err();
        Ok(Some(made))
    }

    /// The blocks that were worked on last.
    pub(super) fn worked_on(&self) -> &[Block] {
        &self.behind
    }
}

/// Reads a batch over what stands in `batch`.
fn refill(blocks: &mut Blocks, batch: &mut Vec<Block>) -> io::Result<()> {
    let most = (PER_THREAD * rayon::current_num_threads()).min(MOST);
    batch.resize_with(most, Block::default);
    for count in 0..most {
        match blocks.next(&mut batch[count]) {
            Ok(true) => {}
            end => {
                batch.truncate(count);
                return end.map(|_| ());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn memory_does_not_grow_with_the_text() {
        let text = io::repeat(b'\n').take(1 << 28);
        let size = 1 << 16;
        let mut pipeline = Pipeline::new(Blocks::new(Box::new(text), size, false));
        let threads = rayon::current_num_threads();
        let mut bytes = 0;
        while let Some(lengths) = pipeline
            .next(|block| {
                let mut lines = block.lines();
                assert!(lines.next().is_none());
                lines.number()
            })
            .unwrap()
        {
            bytes += lengths.iter().sum::<u64>();
            let held = pipeline.ahead.iter().chain(&pipeline.behind);
            let held: usize = held.map(Block::capacity).sum();
            assert!(held <= 2 * (PER_THREAD * threads).min(MOST) * size);
        }
        assert_eq!(bytes, 1 << 28);
    }

    #[test]
    fn results_come_in_the_order_of_the_text_on_any_number_of_threads() {
        let text: String = (0..10_000).map(|number| format!("{number}\n")).collect();
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let all: String = pool.build().unwrap().install(|| {
                let source = Box::new(io::Cursor::new(text.clone().into_bytes()));
                let mut pipeline = Pipeline::new(Blocks::new(source, 100, false));
                let mut all = String::new();
                let text = |block: &Block| {
                    let lines = block.lines();
                    lines
                        .map(|line| String::from_utf8(line.text.into_owned()).unwrap() + "\n")
                        .collect::<String>()
                };
                while let Some(parts) = pipeline.next(text).unwrap() {
                    all.extend(parts);
                }
                all
            });
            assert!(all == text, "{threads}");
        }
    }
}
