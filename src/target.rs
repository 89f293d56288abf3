//! The targets: one table of what each can do. Every question about a target is asked here.

use std::fmt;

/// The flavour of an architecture name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flavour {
    /// `sm_100`: runs on every newer architecture.
    Plain,
    /// `sm_100f`: runs within its family.
    Family,
    /// `sm_100a`: runs on exactly this architecture.
    Exact,
}

/// An architecture, such as `sm_89` or `sm_100a`: one that SASS is generated for, or one that a module declares
/// (which may be as old as `sm_10`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The number: 89 for `sm_89`.
    pub sm: u16,
    /// Plain, family or exact.
    pub flavour: Flavour,
}

/// A `.version` as (major, minor).
pub type Version = (u32, u32);

/// The last minor of each major `.version` that the reference takes, from 1 on.
const LAST_MINORS: &[u32] = &[5, 3, 2, 3, 1, 5, 8, 8, 1];

/// Whether the reference takes this `.version`.
pub fn knows_version((major, minor): Version) -> bool {
    major.checked_sub(1).and_then(|i| LAST_MINORS.get(i as usize)).is_some_and(|&last| minor <= last)
}

/// Every `.version` that the reference takes, oldest first.
pub fn versions() -> impl Iterator<Item = Version> {
    LAST_MINORS.iter().zip(1..).flat_map(|(&last, major)| (0..=last).map(move |minor| (major, minor)))
}

/// The newest `.version` that the reference takes.
pub const NEWEST_VERSION: Version = (9, 1);

/// One target that a module may declare.
struct Row {
    sm: u16,
    flavour: Flavour,
    /// The first `.version` that knows it.
    since: Version,
    /// Whether the reference generates SASS for it.
    arch: bool,
}

const fn row(sm: u16, flavour: Flavour, since: Version, arch: bool) -> Row {
    Row { sm, flavour, since, arch }
}

use Flavour::{Exact, Family, Plain};

/// Every `.target` that the reference knows, oldest first.
const ROWS: &[Row] = &[
    row(10, Plain, (1, 0), false),
    row(11, Plain, (1, 0), false),
    row(12, Plain, (1, 2), false),
    row(13, Plain, (1, 2), false),
    row(20, Plain, (2, 0), false),
    row(21, Plain, (2, 0), false),
    row(30, Plain, (3, 0), false),
    row(32, Plain, (4, 0), false),
    row(35, Plain, (3, 1), false),
    row(37, Plain, (4, 1), false),
    row(50, Plain, (4, 0), false),
    row(52, Plain, (4, 1), false),
    row(53, Plain, (4, 2), false),
    row(60, Plain, (5, 0), false),
    row(61, Plain, (5, 0), false),
    row(62, Plain, (5, 0), false),
    row(70, Plain, (5, 1), false),
    row(72, Plain, (6, 1), false),
    row(75, Plain, (6, 3), true),
    row(80, Plain, (7, 0), true),
    row(82, Plain, (6, 2), false),
    row(86, Plain, (7, 1), true),
    row(87, Plain, (7, 4), true),
    row(88, Plain, (9, 0), true),
    row(89, Plain, (7, 8), true),
    row(90, Plain, (7, 8), true),
    row(90, Exact, (8, 0), true),
    row(100, Plain, (8, 6), true),
    row(100, Exact, (8, 6), true),
    row(100, Family, (8, 8), true),
    row(101, Plain, (8, 6), false),
    row(101, Exact, (8, 6), false),
    row(101, Family, (8, 8), false),
    row(103, Plain, (8, 8), true),
    row(103, Exact, (8, 8), true),
    row(103, Family, (8, 8), true),
    row(110, Plain, (9, 0), true),
    row(110, Exact, (9, 0), true),
    row(110, Family, (9, 0), true),
    row(120, Plain, (8, 7), true),
    row(120, Exact, (8, 7), true),
    row(120, Family, (8, 8), true),
    row(121, Plain, (8, 8), true),
    row(121, Exact, (8, 8), true),
    row(121, Family, (8, 8), true),
];

/// Something that only some targets can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Feature {
    /// `.satfinite` as a modifier at all.
    Satfinite,
    /// `cvt.pack`.
    Pack,
    /// `cvt.pack` to `u2 s2 u4 s4`, and these types; `b1` too.
    SubByte,
    /// The type `bf16`, as a packed pair, in its first form.
    Bf16x2Name,
    /// `bf16`, `bf16x2` and `tf32`, and their conversion from f32; f32 from bf16.
    Bf16,
    /// `.relu` on a conversion.
    Relu,
    /// A pair of f16 from two f32.
    PackedHalf,
    /// An instruction for `.satfinite` to f16 (what the architecture generated for has, not the module's target).
    SaturatingHalf,
    /// 8-bit floats, `e4m3x2` and `e5m2x2`, from `.version` 8.1 on.
    Fp8,
    /// 8-bit floats before `.version` 8.1.
    Fp8Early,
    /// bf16 to and from integers, f16, f64 and itself; `.ftz` on f32 from bf16.
    Bf16Scalar,
    /// `.rn` and `.rz` to tf32.
    Tf32Rounding,
    /// `.satfinite` on `.rn` and `.rz` to tf32.
    Tf32Saturation,
    /// 6-bit and 4-bit floats, `ue8m0x2`, and 8-bit floats from `bf16x2`.
    Narrow,
    /// `s2f6x2`.
    S2f6,
    /// `.rs`, stochastic rounding.
    Stochastic,
}

/// Which targets have a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// Every target from this number on.
    From(u16),
    /// The family (`f`) and exact (`a`) targets from this number on.
    FamilyFrom(u16),
    /// The exact (`a`) targets from this number on.
    ExactFrom(u16),
    /// The exact (`a`) targets of these numbers.
    ExactOf(&'static [u16]),
}

/// The table: one row a feature, in the order of the enum.
const FEATURES: &[(Feature, Availability)] = &[
    (Feature::Satfinite, Availability::From(70)),
    (Feature::Pack, Availability::From(72)),
    (Feature::SubByte, Availability::From(75)),
    (Feature::Bf16x2Name, Availability::From(75)),
    (Feature::Bf16, Availability::From(80)),
    (Feature::Relu, Availability::From(80)),
    (Feature::PackedHalf, Availability::From(80)),
    (Feature::SaturatingHalf, Availability::From(80)),
    (Feature::Fp8, Availability::From(89)),
    (Feature::Fp8Early, Availability::From(90)),
    (Feature::Bf16Scalar, Availability::From(90)),
    (Feature::Tf32Rounding, Availability::From(90)),
    (Feature::Tf32Saturation, Availability::From(100)),
    (Feature::Narrow, Availability::FamilyFrom(100)),
    (Feature::S2f6, Availability::ExactFrom(100)),
    (Feature::Stochastic, Availability::ExactOf(&[100, 103])),
];

impl Feature {
    /// Which targets have it.
    pub const fn availability(self) -> Availability {
        FEATURES[self as usize].1
    }
}

impl Availability {
    /// Whether `target` is among them.
    pub const fn includes(self, target: Target) -> bool {
        match self {
            Availability::From(sm) => target.sm >= sm,
            Availability::FamilyFrom(sm) => target.sm >= sm && !matches!(target.flavour, Plain),
            Availability::ExactFrom(sm) => target.sm >= sm && matches!(target.flavour, Exact),
            Availability::ExactOf(list) => {
                let mut i = 0;
                while i < list.len() {
                    if list[i] == target.sm {
                        return matches!(target.flavour, Exact);
                    }
                    i += 1;
                }
                false
            }
        }
    }

    /// The targets among those that SASS can be generated for, as a sentence names them.
    pub fn describe(self) -> String {
        if let Availability::From(sm) = self {
            return format!("sm_{sm} and later");
        }
        let names: Vec<String> = Target::all().filter(|&t| self.includes(t)).map(|t| t.to_string()).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
            None => "no target".to_owned(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.flavour {
            Plain => "",
            Family => "f",
            Exact => "a",
        };
        write!(f, "sm_{}{suffix}", self.sm)
    }
}

/// Why a name is no target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownTarget {
    /// The name as given.
    pub name: String,
    /// The known name that is nearest to it.
    pub nearest: Option<Target>,
    /// Whether it names a virtual architecture (`compute_89`), which has no SASS.
    pub virtual_name: bool,
}

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.virtual_name {
            write!(f, "`{}` is a virtual architecture, which has no SASS", self.name)?;
        } else {
            write!(f, "there is no architecture `{}`", self.name)?;
        }
        match self.nearest {
            Some(t) if self.virtual_name => write!(f, "; write `{t}`"),
            Some(t) => write!(f, "; did you mean `{t}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownTarget {}

impl Target {
    /// The plain target of this number, whether known or not.
    pub const fn plain(sm: u16) -> Target {
        Target { sm, flavour: Plain }
    }

    /// Every architecture that SASS can be generated for: plain, `a` and `f` names, oldest first.
    pub fn all() -> impl Iterator<Item = Target> {
        ROWS.iter().filter(|r| r.arch).map(|r| Target { sm: r.sm, flavour: r.flavour })
    }

    /// Every target that a module may declare, oldest first.
    pub fn declared() -> impl Iterator<Item = Target> {
        ROWS.iter().map(|r| Target { sm: r.sm, flavour: r.flavour })
    }

    /// Reads the name of an architecture to generate for. `sm_101`, `sm_101a` and `sm_101f` are the old names of
    /// `sm_110`, `sm_110a` and `sm_110f`.
    pub fn parse(name: &str) -> Result<Target, UnknownTarget> {
        let found = Target::parse_declared(name).map(Target::renamed).filter(|t| !name.starts_with('c') && t.is_arch());
        found.ok_or_else(|| UnknownTarget {
            name: name.to_owned(),
            nearest: Target::nearest(name),
            virtual_name: name.starts_with("compute_"),
        })
    }

    /// Reads the name of a `.target` directive. The reference takes names that it no longer generates for, and
    /// `compute_89` as if it were `sm_89`.
    pub fn parse_declared(name: &str) -> Option<Target> {
        let rest = name.strip_prefix("sm_").or_else(|| name.strip_prefix("compute_"))?;
        let digits = rest.trim_end_matches(|c: char| !c.is_ascii_digit());
        let flavour = match &rest[digits.len()..] {
            "" => Plain,
            "f" => Family,
            "a" => Exact,
            _ => return None,
        };
        if digits.starts_with(['0', '+']) {
            return None;
        }
        let sm = digits.parse().ok()?;
        ROWS.iter().any(|r| r.sm == sm && r.flavour == flavour).then_some(Target { sm, flavour })
    }

    /// The same target by its present name: `sm_110a` for `sm_101a`.
    pub const fn renamed(self) -> Target {
        Target { sm: if self.sm == 101 { 110 } else { self.sm }, flavour: self.flavour }
    }

    /// Whether SASS can be generated for it.
    pub fn is_arch(self) -> bool {
        Target::all().any(|t| t == self)
    }

    /// The known architecture whose name is nearest to `name`.
    pub fn nearest(name: &str) -> Option<Target> {
        let lower = name.trim().to_ascii_lowercase();
        let bare = ["sm_", "compute_", "sm", "compute"].iter().find_map(|p| lower.strip_prefix(p)).unwrap_or(&lower);
        let wanted = format!("sm_{}", bare.trim_start_matches(['_', '-', '.', ' ']));
        Target::all()
            .map(|t| (strsim::damerau_levenshtein(&wanted, &t.to_string()), t))
            .min_by_key(|&(distance, t)| (distance, t.sm.abs_diff(number_in(&wanted)), t.flavour))
            .filter(|&(distance, _)| distance <= 2)
            .map(|(_, t)| t)
    }

    /// Whether it has `feature`.
    pub const fn has(self, feature: Feature) -> bool {
        feature.availability().includes(self)
    }

    /// The first `.version` that knows it.
    pub fn min_version(self) -> Version {
        ROWS.iter().find(|r| r.sm == self.sm && r.flavour == self.flavour).map_or(NEWEST_VERSION, |r| r.since)
    }

    /// The number that its family goes by: `sm_100f` and `sm_103f` are of one family.
    pub const fn family(self) -> u16 {
        match self.sm {
            100 | 103 => 100,
            101 | 110 => 110,
            120 | 121 => 120,
            sm => sm,
        }
    }

    /// Whether code of a module that declares `self` can be generated for `arch`.
    pub fn runs_on(self, arch: Target) -> bool {
        self.refusal(arch).is_none()
    }

    /// Why code of a module that declares `self` cannot be generated for `arch`.
    pub fn refusal(self, arch: Target) -> Option<Refusal> {
        if self.sm > arch.sm {
            return Some(Refusal::Newer);
        }
        match self.flavour {
            Plain => None,
            Family => (self.family() != arch.family()).then_some(Refusal::OtherFamily),
            Exact if self.renamed() == arch => None,
            Exact if self.renamed().sm == arch.sm => Some(Refusal::OtherName),
            Exact => Some(Refusal::Exact),
        }
    }
}

/// Why a module's `.target` cannot be generated for an architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The `.target` is newer than the architecture.
    Newer,
    /// An `a` name, and the architecture is another number.
    Exact,
    /// An `a` name, and the architecture is the same number without the `a`.
    OtherName,
    /// An `f` name, and the architecture is of another family.
    OtherFamily,
}

/// The digits of a name as a number, for nearness.
fn number_in(name: &str) -> u16 {
    let digits: String = name.chars().filter(char::is_ascii_digit).take(4).collect();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_features_stands_in_the_order_of_the_enum() {
        for (i, (feature, _)) in FEATURES.iter().enumerate() {
            assert_eq!(*feature as usize, i);
        }
    }

    #[test]
    fn there_are_twenty_three_architectures() {
        assert_eq!(Target::all().count(), 23);
        for t in Target::all() {
            assert_eq!(Target::parse(&t.to_string()), Ok(t));
        }
    }

    #[test]
    fn old_names_are_read() {
        assert_eq!(Target::parse("sm_101a").unwrap().to_string(), "sm_110a");
        assert_eq!(Target::parse_declared("sm_101a").unwrap().to_string(), "sm_101a");
        assert_eq!(Target::parse_declared("sm_20"), Some(Target::plain(20)));
        assert!(Target::parse("sm_20").is_err());
    }

    #[test]
    fn wrong_names_are_answered_with_the_nearest() {
        let near = |name: &str| Target::parse(name).unwrap_err().to_string();
        assert_eq!(near("sm89"), "there is no architecture `sm89`; did you mean `sm_89`?");
        assert_eq!(near("sm_98"), "there is no architecture `sm_98`; did you mean `sm_90`?");
        assert_eq!(near("compute_90a"), "`compute_90a` is a virtual architecture, which has no SASS; write `sm_90a`");
        for name in ["", "sm_", "volta", "sm_\u{e9}", "sm_99999999999"] {
            let _ = near(name);
        }
    }

    #[test]
    fn families_and_exact_targets() {
        let t = |name| Target::parse(name).unwrap();
        assert!(t("sm_89").runs_on(t("sm_120a")) && !t("sm_90").runs_on(t("sm_89")));
        assert!(t("sm_100f").runs_on(t("sm_103")) && !t("sm_100f").runs_on(t("sm_110")));
        assert!(t("sm_120a").runs_on(t("sm_120a")) && !t("sm_120a").runs_on(t("sm_120f")));
        assert!(t("sm_103a").has(Feature::Stochastic) && !t("sm_110a").has(Feature::Stochastic));
        assert_eq!(Feature::Stochastic.availability().describe(), "sm_100a and sm_103a");
    }

    #[test]
    fn versions_that_were_never_made() {
        assert!(knows_version((8, 8)) && knows_version((9, 0)) && knows_version((1, 0)));
        assert!(!knows_version((8, 9)) && !knows_version((9, 2)) && !knows_version((0, 9)) && !knows_version((10, 0)));
    }
}
