//! The sound frames past damage in a segment.
//!
//! A disk may have written a page to the wrong place. Then sound frames of another place are among
//! those of the segment, with numbers that do not fit. So one frame with a high number must not
//! hide all that follow it.

use std::io;

use super::scan::next_frame;
use super::window::FrameWindow;

/// Where a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoundFrame {
    pub(crate) number: u64,
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

/// The frames from an offset on whose numbers are past `after` and before `before`: as many as
/// have growing numbers.
pub(crate) fn resync(window: &mut FrameWindow, from: u64, after: u64, before: u64) -> io::Result<Vec<FoundFrame>> {
    let (mut found, mut offset) = (Vec::new(), from);
    while offset < window.len() {
        let head = window.read(offset, after)?.map(|(head, ..)| head);
        if let Some(head) = head.filter(|head| head.number < before) {
            found.push(FoundFrame { number: head.number, offset, len: head.frame_len() });
            offset += head.frame_len();
        } else {
            match next_frame(window.file(), offset + 1, window.len(), after)? {
                Some(next) => offset = next,
                None => break,
            }
        }
    }
    Ok(growing(&found))
}

/// The longest part of these whose numbers grow. O(n log n).
fn growing(found: &[FoundFrame]) -> Vec<FoundFrame> {
    // For each length, the frame with the lowest number that ends such a part; and for each frame,
    // the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; found.len()];
    for (at, frame) in found.iter().enumerate() {
        let len = ends.partition_point(|&end| found[end].number < frame.number);
        before[at] = len.checked_sub(1).map(|len| ends[len]);
        match ends.get_mut(len) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut part = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        part.push(found[at]);
        next = before[at];
    }
    part.reverse();
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_another_place_are_left_out() {
        let numbers_of = |numbers: &[u64]| -> Vec<u64> {
            let found = numbers.iter().map(|&number| FoundFrame { number, offset: 0, len: 0 });
            growing(&found.collect::<Vec<_>>()).iter().map(|frame| frame.number).collect()
        };
        assert_eq!(numbers_of(&[]), Vec::<u64>::new());
        assert_eq!(numbers_of(&[4, 5, 90, 91, 8, 9, 10, 11]), [4, 5, 8, 9, 10, 11]);
        assert_eq!(numbers_of(&[4, 5, 6, 1, 2, 9, 10]), [4, 5, 6, 9, 10]);
        assert_eq!(numbers_of(&[4, 5, 5, 6]), [4, 5, 6]);
    }
}
