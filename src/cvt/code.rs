//! The stable codes of what can be wrong with a conversion; `cvtlower explain CODE` tells more.

use super::violation::{Fault, Lack};

impl Fault {
    /// Its code. Several faults share one where the same is to be done about them.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::UnknownModifier(_) => "cvt::modifier_unknown",
            Fault::Repeated(_) => "cvt::modifier_repeated",
            Fault::Conflict(..) => "cvt::modifier_conflict",
            Fault::Illegal(_)
            | Fault::IllegalWith(..)
            | Fault::IllegalWithPair(_)
            | Fault::IllegalForPair(_)
            | Fault::IllegalHere(_) => "cvt::modifier_illegal",
            Fault::NothingToFlush => "cvt::ftz_illegal",
            Fault::RoundingRequired => "cvt::rounding_required",
            Fault::RoundingIllegal => "cvt::rounding_illegal",
            Fault::SatfiniteRequired => "cvt::satfinite_required",
            Fault::SatRequired => "cvt::sat_required",
            Fault::Types => "cvt::types_illegal",
            Fault::Arguments(_) => "cvt::operands_mismatch",
            Fault::Lacking(_, Lack::Version(_)) | Fault::LackingOn(_, Lack::Version(_)) => "cvt::version_too_old",
            Fault::Lacking(..) | Fault::LackingOn(..) => "cvt::target_lacks",
            Fault::Operand(_) => "cvt::operand_illegal",
            Fault::Foreign(_) => "cvt::modifier_foreign",
        }
    }
}
