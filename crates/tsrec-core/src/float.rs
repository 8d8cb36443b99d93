//! Functions of floating-point numbers that give the same bits on every platform. Those of the
//! standard library are the platform's own, and may differ in the last bit.

use std::sync::LazyLock;

/// e to the power of a number.
pub(crate) fn exp(value: f32) -> f32 {
    libm::expf(value)
}

/// The same with more digits.
pub(crate) fn exp_f64(value: f64) -> f64 {
    libm::exp(value)
}

/// The natural logarithm.
pub(crate) fn ln_f64(value: f64) -> f64 {
    libm::log(value)
}

/// The logarithm to base 2.
pub(crate) fn log2(value: f32) -> f32 {
    libm::log2f(value)
}

/// The counts whose logarithms are kept. Judgement: more than nine tenths of the counts of a page
/// are below.
const COUNTS: u32 = 2_048;

/// The logarithm to base 2 of a count plus one. The same bits as [`log2`].
pub(crate) fn log2_count(count: u32) -> f32 {
    static KEPT: LazyLock<Vec<f32>> = LazyLock::new(|| (0..COUNTS).map(|count| log2(1.0 + count as f32)).collect());
    KEPT.get(count as usize).copied().unwrap_or_else(|| log2(1.0 + count as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These bits are the same everywhere.
    #[test]
    fn the_bits_are_those_of_every_platform() {
        assert_eq!([exp(1.0), exp(-3.5), exp(0.1)].map(f32::to_bits), [0x402d_f854, 0x3cf7_6081, 0x3f8d_763e]);
        assert_eq!([log2(3.0), log2(10.0)].map(f32::to_bits), [0x3fca_e00d, 0x4054_9a78]);
        assert_eq!(exp_f64(-1.25).to_bits(), 0x3fd2_5618_372a_584f);
        assert_eq!(ln_f64(3.0).to_bits(), 0x3ff1_93ea_7aad_030a);
    }

    #[test]
    fn kept_logarithms_are_those_of_the_function() {
        for count in [0, 1, 9, COUNTS - 1, COUNTS, COUNTS + 1, u32::MAX] {
            assert_eq!(log2_count(count).to_bits(), log2(1.0 + count as f32).to_bits(), "{count}");
        }
    }
}
