//! What the code generator of each architecture has: one row an architecture.

use crate::dataflow::Abilities;
use crate::target::Target;

/// How the half unit's packing conversion is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// There is none.
    None,
    /// `F2FP.PACK_AB`, formats left out.
    Short,
    /// `F2FP.F16.F32.PACK_AB`
    Long,
}

/// How a minimum is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MinMax {
    /// `IMNMX R, a, b, PT`
    Imnmx,
    /// `VIMNMX R, a, b, PT`
    Vimnmx,
    /// `VIMNMX R, PT, PT, a, b, PT`
    VimnmxPredicates,
    /// `IMNMX`, without line information of its own: it counts as part of another statement.
    ImnmxUnlisted,
}

/// How an immediate is added to a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adder {
    /// `IADD3 R, a, -0x2000, RZ`
    Iadd3,
    /// `VIADD R, a, 0xffffe000`
    Viadd,
    /// `IADD3 R, PT, PT, a, -0x2000, RZ`
    Iadd3Predicates,
    /// `IADD R, a, -0x2000`
    Iadd,
}

/// How a register is cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zero {
    /// `MOV R, RZ`
    Mov,
    /// `HFMA2.MMA R, -RZ, RZ, 0, 0`
    HalfMma,
    /// `HFMA2 R, -RZ, RZ, 0, 0`
    Half,
}

/// A code generator's abilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// First architecture number of the row.
    from: u16,
    /// 32-bit integers become f32 on the half unit (`I2FP`), floats become bytes there (`F2IP`).
    pub half_unit_integers: bool,
    /// The half unit packs floats (`F2FP`).
    pub packing: Packing,
    /// Minimum and maximum.
    pub min_max: MinMax,
    /// Addition of an immediate.
    pub adder: Adder,
    /// The half ALU reads and writes f32 (`.F32`) and saturates while it widens; its zero operand stands second.
    pub half_alu_widens: bool,
    /// Byte offset of the kernel parameters in constant bank 0.
    pub parameters: u32,
    /// Conversions read constant bank 0 directly (else through a uniform register or a load).
    pub constant_operands: bool,
    /// A parameter that only one conversion reads is loaded into a uniform register for it.
    pub uniform_parameters: bool,
    /// Uniform registers can be permuted.
    pub uniform_permute: bool,
    /// Floats are computed and converted in uniform registers too.
    pub uniform_floats: bool,
    /// A 64-bit sum takes the sign of a 32-bit addend itself (`LEA.HI.X.SX32`).
    pub sum_takes_sign: bool,
    /// How a register is cleared.
    pub zero: Zero,
    /// A left shift by 16 goes to the multiplier.
    pub shift_on_multiplier: bool,
    /// Pairs are added and compared by one instruction, which writes both words at once (`IADD.64`).
    pub adds_pairs: bool,
}

const ROWS: &[Machine] = &[
    Machine {
        from: 75,
        half_unit_integers: false,
        packing: Packing::None,
        min_max: MinMax::Imnmx,
        adder: Adder::Iadd3,
        half_alu_widens: true,
        parameters: 0x160,
        constant_operands: true,
        uniform_parameters: false,
        uniform_permute: true,
        uniform_floats: false,
        sum_takes_sign: true,
        zero: Zero::Mov,
        shift_on_multiplier: false,
        adds_pairs: false,
    },
    Machine { from: 80, packing: Packing::Short, half_unit_integers: false, zero: Zero::HalfMma, ..Machine::SM_89 },
    Machine { from: 86, packing: Packing::Short, ..Machine::SM_89 },
    Machine { from: 87, packing: Packing::Short, zero: Zero::HalfMma, ..Machine::SM_89 },
    Machine { from: 88, packing: Packing::Short, ..Machine::SM_89 },
    Machine::SM_89,
    Machine {
        from: 90,
        min_max: MinMax::Vimnmx,
        adder: Adder::Viadd,
        zero: Zero::HalfMma,
        parameters: 0x210,
        constant_operands: false,
        ..Machine::SM_89
    },
    Machine {
        from: 100,
        min_max: MinMax::VimnmxPredicates,
        adder: Adder::Viadd,
        uniform_parameters: true,
        zero: Zero::Half,
        parameters: 0x380,
        constant_operands: false,
        ..Machine::SM_89
    },
    Machine {
        from: 110,
        min_max: MinMax::ImnmxUnlisted,
        adder: Adder::Iadd3Predicates,
        uniform_parameters: true,
        zero: Zero::Half,
        parameters: 0x380,
        constant_operands: false,
        ..Machine::SM_89
    },
    Machine {
        from: 120,
        min_max: MinMax::Vimnmx,
        adder: Adder::Iadd,
        uniform_parameters: true,
        zero: Zero::Half,
        parameters: 0x380,
        constant_operands: false,
        shift_on_multiplier: true,
        uniform_permute: false,
        uniform_floats: true,
        sum_takes_sign: false,
        adds_pairs: true,
        ..Machine::SM_89
    },
];

impl Machine {
    const SM_89: Machine = Machine {
        from: 89,
        half_unit_integers: true,
        packing: Packing::Long,
        min_max: MinMax::Imnmx,
        adder: Adder::Iadd3,
        half_alu_widens: false,
        parameters: 0x160,
        constant_operands: true,
        uniform_parameters: false,
        uniform_permute: true,
        uniform_floats: false,
        sum_takes_sign: true,
        zero: Zero::Mov,
        shift_on_multiplier: false,
        adds_pairs: false,
    };

    /// What its instructions take in of what reads a parameter.
    pub fn abilities(&self) -> Abilities {
        Abilities {
            sum_takes_sign: self.sum_takes_sign,
            halves_to_single: self.half_alu_widens,
            packs_halves: self.packing != Packing::None,
            loads_parameters: self.uniform_parameters,
            uniform_floats: self.uniform_floats,
            limit_takes_sum: self.min_max == MinMax::VimnmxPredicates,
            limits_halves: matches!(self.min_max, MinMax::Vimnmx | MinMax::VimnmxPredicates),
        }
    }

    /// The row of an architecture.
    pub fn of(arch: Target) -> &'static Machine {
        ROWS.iter().rev().find(|m| m.from <= arch.sm).unwrap_or(&ROWS[0])
    }
}
