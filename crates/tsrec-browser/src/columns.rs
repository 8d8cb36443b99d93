//! Undoes multi-column layout: gives the position of a box within its column.

use tsrec_papers::style::Rect;

/// The columns of an element with more than one, after CSS Multi-column Layout (level 1, section
/// 3.4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Columns {
    /// Left edge of the first column, in CSS pixels.
    left: f32,
    /// Width of a column.
    width: f32,
    /// The distance from the left edge of a column to that of the next.
    step: f32,
}

/// The CSS values that set an element's columns: used values in CSS pixels, `None` for `auto`.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeclaredColumns {
    pub(super) count: Option<f32>,
    pub(super) width: Option<f32>,
    pub(super) gap: f32,
}

impl Columns {
    /// The columns of an element whose content begins at `left` and has `available` pixels:
    /// `None` if it has only one.
    pub(super) fn new(left: f32, available: f32, declared: DeclaredColumns) -> Option<Self> {
        let DeclaredColumns { count, width, gap } = declared;
        let fitting = width.map(|width| ((available + gap) / (width + gap)).floor());
        let count = match (count, fitting) {
            (None, None) => return None,
            (Some(count), None) => count,
            (None, Some(fitting)) => fitting,
            (Some(count), Some(fitting)) => count.min(fitting),
        };
        let step = (available + gap) / count;
        let width = step - gap;
        // This form also rejects NaN.
        (count > 1.0 && width > 0.0 && step.is_finite()).then_some(Columns { left, width, step })
    }

    /// The box as if all columns stood at the first one. If a box is broken over several columns,
    /// it begins as in its first and ends as in its last.
    pub(super) fn fold(&self, rect: Rect) -> Rect {
        /// Rounding of edges, in CSS pixels: Chromium's layout unit is 1/64.
        const ROUNDING: f32 = 0.1;
        let column_of = |x: f32| ((x - self.left) / self.step).floor().max(0.0);
        let first = column_of(rect.left + ROUNDING);
        let last = column_of(rect.right() - ROUNDING).max(first);
        let left = rect.left - first * self.step;
        let right = rect.right() - last * self.step;
        let width = if right > left { right - left } else { self.width };
        Rect { left, width, ..rect }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(count: Option<f32>, width: Option<f32>, gap: f32) -> DeclaredColumns {
        DeclaredColumns { count, width, gap }
    }

    #[test]
    fn columns_are_set_as_the_standard_sets_them() {
        for (count, width, gap, expect) in [
            (Some(3.0), None, 20.0, Some((193.333_33, 213.333_33))),
            (None, Some(201.0), 10.0, Some((305.0, 315.0))),
            (None, Some(200.0), 10.0, Some((200.0, 210.0))), // three just fit
            (None, Some(195.0), 10.0, Some((200.0, 210.0))),
            (Some(2.0), Some(100.0), 20.0, Some((300.0, 320.0))),
            (Some(9.0), Some(300.0), 20.0, Some((300.0, 320.0))),
            (Some(1.0), None, 20.0, None),
            (None, Some(1000.0), 20.0, None),
            (None, None, 20.0, None),
            (Some(3.0), None, 900.0, None),
        ] {
            let columns = Columns::new(10.0, 620.0, declared(count, width, gap));
            let expect = expect.map(|(width, step)| Columns { left: 10.0, width, step });
            match (columns, expect) {
                (Some(columns), Some(expect)) => {
                    assert!((columns.width - expect.width).abs() < 0.01 && (columns.step - expect.step).abs() < 0.01);
                }
                (columns, expect) => assert_eq!(columns, expect, "{count:?} {width:?}"),
            }
        }
    }

    #[test]
    fn boxes_are_folded_into_the_first_column() {
        // Three columns of 100 pixels from 10, with gaps of 20.
        let columns = Columns::new(10.0, 340.0, declared(Some(3.0), None, 20.0)).unwrap();
        for (left, width, expect) in [
            (10.0, 100.0, (10.0, 100.0)),
            (130.0, 100.0, (10.0, 100.0)),
            (250.0, 100.0, (10.0, 100.0)),
            (265.0, 50.0, (25.0, 50.0)),
            (10.0, 220.0, (10.0, 100.0)),
            (30.0, 320.0, (30.0, 80.0)),
            (100.0, 40.0, (100.0, 100.0)), // an overflowing word, or nothing at all: a column's width
            (0.0, 110.0, (0.0, 110.0)),
            (12.0, 0.0, (12.0, 100.0)),
        ] {
            let folded = columns.fold(Rect { left, top: 5.0, width, height: 9.0 });
            assert_eq!((folded.left, folded.width), expect, "{left} {width}");
            assert_eq!((folded.top, folded.height), (5.0, 9.0));
        }
    }
}
