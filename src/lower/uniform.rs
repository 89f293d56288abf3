//! Parameters in uniform registers: from sm_100 on what reads one loads it there (LDCU), and some of what reads bytes and
//! halves of it is done there.

use smallvec::SmallVec;

use crate::dataflow::{Load, Use};
use crate::ptx::Type;
use crate::sass::{Alu, Convert, Instruction, Op, Operand, PackMode};

use super::case::{Case, Origin, Source};

mod compute;

/// The uniform register that stands for all of them.
const UNIFORM: u8 = 4;

/// Reads the parameters among the sources from uniform registers, and loads each there for its first reader.
pub fn read_parameters(case: &Case, out: &mut SmallVec<[Instruction; 1]>) {
    match &case.second {
        Some(second) => pack(case, second, out),
        None => parameter(case, out),
    }
    reread(case, out);
    compute::in_uniform_registers(case, out);
}

/// Read a parameter from a uniform register, and load it there for its first reader.
fn parameter(case: &Case, out: &mut SmallVec<[Instruction; 1]>) {
    let Origin::Param { offset, bits } = case.source.origin else { return };
    let Some(first) = out.first_mut().filter(|_| case.machine.uniform_parameters) else { return };
    let to_float = case.from_int() && case.form.dst.is_float();
    let narrowed = (to_float || matches!(first.op, Op::Convert(Convert::I2i { .. }))) && case.reads_part_of_parameter();
    // A narrower one is extended where it is loaded; what makes f32 of it reads it again as it stands there, and the half
    // unit does if zeros are above.
    let extended = to_float && case.form.src.bits().max(case.source.bits) > bits;
    let signed = case.source.known.has_sign_of(bits);
    let reread = match first.op {
        Op::Convert(Convert::I2f { src, .. }) => {
            case.form.dst == Type::F32 && u32::from(src.bits) == bits && src.signed == signed
        }
        _ => !case.form.src.is_signed() && !signed,
    };
    let widened = case.compares_in_bank() && bits < case.form.src.bits();
    if extended && !reread || !to_float && is_extended_load(case) || widened {
        return;
    }
    let reads_uniform = match first.op {
        Op::Convert(Convert::I2f { .. }) => case.form.src.bits() > 8 || narrowed || reread,
        Op::Convert(_) => true,
        Op::Alu(Alu::Isetp { .. }) if case.compares_in_bank() => true,
        Op::Alu(Alu::Fadd { .. } | Alu::Hadd2 { f32: false, sat: true }) => true,
        Op::Alu(Alu::ShiftRightSigned) if case.guard.is_some() => false,
        Op::Alu(Alu::ShiftRightSigned) if case.source.load.is_some() => true,
        Op::Alu(Alu::ShiftRightSigned) => extends_pair(case),
        Op::Alu(_) => false,
    };
    // beside other readers mostly only what is wide is uniform
    let wide = case.form.dst.bits() == 64 || case.form.src.bits() == 64;
    let loads = match case.source.load {
        _ if narrowed => true,
        Some(load) => load != Load::Common,
        None => case.source.only_reader || case.source.first_reader && wide,
    };
    if !(loads && reads_uniform) {
        return;
    }
    let uniform = Operand::uniform(UNIFORM);
    let width = match (case.source.load, first.op) {
        _ if narrowed => case.form.src.bits() as u8,
        _ if extended => bits as u8,
        (Some(Load::Uniform(bits)), _) => bits,
        _ if case.from_int() && bits < 16 => bits as u8,
        (_, Op::Convert(Convert::I2f { src, .. })) => src.bits,
        _ => bits.max(case.form.src.bits()) as u8,
    };
    let mut replaced = false;
    // a saturation reads it more than once, and each word of a pair by itself
    let reading = if case.compares_in_bank() { out.len() } else { 1 };
    for o in out[..reading].iter_mut().flat_map(|i| &mut i.operands[1..]) {
        let Operand::Reg { sel, .. } = *o else { continue };
        let (plain, read) = (case.source.plain, case.source.operand);
        let instead = match *o {
            o if plain.select(sel) == o || read.select(sel) == o => uniform,
            o if reading > 1 && plain.high() == o => uniform.high(),
            _ => continue,
        };
        *o = instead.select(sel).with_signs(o.signs());
        replaced = true;
    }
    if replaced && (narrowed || case.source.load != Some(Load::Earlier)) {
        // neighbours that are loaded at once begin where that many bytes do
        let at = in_bank(case, offset, !(u32::from(width) / 8 - 1));
        out.insert(0, load_uniform(width, at));
    }
}

/// Read parameters that are packed, or that a sign is put on before, from uniform registers, and load each there for its
/// first reader.
fn pack(case: &Case, second: &Source, out: &mut SmallVec<[Instruction; 1]>) {
    let signs = [second, &case.source].map(|source| source.operand.signs());
    let same = second.origin == case.source.origin && signs[0] == signs[1];
    // what is the first of a pack is in a register if the second one is in the bank, or is a literal
    let literal =
        !merges(out) && matches!(case.sources.get(1), Some(Operand::F32(..) | Operand::Bits(_) | Operand::Signed(_)));
    for (source, in_register) in [(&case.source, literal || same || case.form.pack), (second, same)] {
        let Origin::Param { offset, bits: 32 } = source.origin else { continue };
        let loads = source.only_reader || source.load.is_some_and(|load| load != Load::Common);
        let signed = source.operand.modified();
        let reads = |o: &Operand| matches!(*o, Operand::Reg { .. }) && o.with_signs((false, false)) == source.plain;
        let Some(reader) = out.iter_mut().find(|i| i.operands[1..].iter().any(reads)) else { continue };
        if !loads || in_register && !signed {
            continue;
        }
        for o in reader.operands[1..].iter_mut().filter(|o| reads(o)) {
            *o = Operand::uniform(UNIFORM).with_signs(o.signs());
        }
        if source.load != Some(Load::Earlier) {
            out.insert(0, load_uniform(32, in_bank(case, offset, u32::MAX)));
        }
    }
}

/// Whether what packs two floats merges them into something.
fn merges(out: &[Instruction]) -> bool {
    out.iter().any(|i| matches!(i.op, Op::Convert(Convert::F2fp { mode: PackMode::PackAbMergeC, .. })))
}

/// Whether a parameter of less than a word is loaded into a wider register, where it is extended.
fn is_extended_load(case: &Case) -> bool {
    matches!(case.source.origin, Origin::Param { bits, .. } if case.from_int() && bits < 32 && bits < case.source.bits)
}

/// Where a parameter or a constant of the module stands, its offset masked.
fn in_bank(case: &Case, parameter: Option<u32>, mask: u32) -> Operand {
    let (bank, offset) = match (case.source.constant, parameter) {
        (Some(constant), _) => (3, constant),
        (None, offset) => (0, case.machine.parameters.wrapping_add(offset.unwrap_or(0))),
    };
    Operand::constant(bank, offset & mask)
}

/// The load of so many bits into the uniform register.
fn load_uniform(bits: u8, at: Operand) -> Instruction {
    let operands = SmallVec::from_slice(&[Operand::uniform(UNIFORM), at]);
    Instruction { guard: None, op: Alu::Ldcu(bits).into(), operands }
}

/// A word or half and the zeros above it are put into a pair of registers, not read as a word and RZ.
fn with_zeros(case: &Case) -> bool {
    let kept = |u: &Use| match u {
        Use::Compare(_) | Use::Add(_) | Use::Other => !case.machine.sum_takes_sign,
        Use::ToFloat { from: Type::S64, .. } => true,
        _ => false,
    };
    !case.low_only && (stores_pair(case) || case.only(kept))
}

/// Whether a parameter is extended to a pair in uniform registers.
fn extends_pair(case: &Case) -> bool {
    !case.machine.sum_takes_sign
        || stores_pair(case)
        || !case.any(|u| matches!(u, Use::Compare(_) | Use::Other | Use::Add(_)))
}

/// A move into a uniform register.
fn moved(register: Operand, value: Operand) -> Instruction {
    Instruction { guard: None, op: Alu::Mov.into(), operands: SmallVec::from_slice(&[register, value]) }
}

/// Puts a literal of 64 bits into uniform registers.
pub fn literal(bits: u64, out: &mut SmallVec<[Instruction; 1]>) -> Operand {
    let register = Operand::uniform(UNIFORM);
    out.push(moved(register, Operand::Bits(bits as u32)));
    out.push(moved(register.high(), Operand::Bits((bits >> 32) as u32)));
    register
}

/// A pair that is stored is made of uniform registers.
fn stores_pair(case: &Case) -> bool {
    case.any(|u| matches!(u, Use::Store { bits: 64, .. }))
}

/// Load a parameter again with the width that a conversion to or from a byte or half wants, and extend it there, where what
/// reads the result has another register beside it.
fn reread(case: &Case, out: &mut SmallVec<[Instruction; 1]>) {
    let Origin::Param { offset, bits } = case.source.origin else { return };
    let (dst, src) = (case.form.dst, case.form.src);
    if !case.machine.uniform_parameters || is_extended_load(case) {
        return;
    }
    let at = in_bank(case, offset, u32::MAX);
    let word = case.dst_bits >= 32;
    let width = match (dst.bits(), src.bits()) {
        // the low part of a word is read where it is
        (8 | 16, _) if dst.is_unsigned() && word => return,
        (8, 16..) => 8,
        (16, 16 | 32) => 16,
        (32 | 64, 16) if src.is_signed() => 16,
        (64, own @ (8 | 16))
            if src.is_unsigned() && (bits > own || bits == 16 && case.only(|u| matches!(u, Use::Mask(_)))) =>
        {
            out.insert(0, load_uniform(own as u8, at));
            return;
        }
        (64, own @ (16 | 32)) if src.is_unsigned() && bits == own && case.source.only_reader && with_zeros(case) => {
            if !stores_pair(case) && !case.any(|u| matches!(u, Use::Compare(_))) {
                out.clear();
                out.push(moved(Operand::uniform(UNIFORM).high(), Operand::uniform(Operand::URZ)));
            }
            out.insert(0, load_uniform(own as u8, at));
            return;
        }
        (64, 16) if case.beside && bits == 16 => {
            // the zeros above are RZ
            out.clear();
            out.push(load_uniform(16, at));
            return;
        }
        _ => return,
    };
    let beside = match dst.bits() {
        64 => case
            .only(|u| matches!(u, Use::Multiply(64) | Use::ShiftLeft(_) | Use::Mask(_) | Use::Store { bits: 64, .. })),
        _ => case.beside,
    };
    let integers = case.from_int() && case.to_int() && !case.form.sat && !case.form.pack;
    if !beside || !case.source.only_reader || !integers {
        return;
    }
    let permute = Op::Alu(Alu::Prmt);
    if !case.machine.uniform_permute && out.iter().any(|i| i.op == permute) {
        return;
    }
    for i in out.iter_mut().filter(|i| i.op == permute) {
        i.operands[0] = Operand::uniform(UNIFORM);
        i.operands[1] = Operand::uniform(UNIFORM);
        i.operands[3] = Operand::uniform(Operand::URZ);
    }
    out.insert(0, load_uniform(width as u8, at));
}
