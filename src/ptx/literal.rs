//! Reading number literals and constant expressions from their text.
//!
//! PTX ISA, "Constants": integers are 64 bits wide, signed unless they carry a `U` or do not fit; floating-point
//! literals are f64 unless written as the bits of an f32 (`0f`).

use logos::Logos;

use super::lexer::Token;

/// An integer constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer {
    /// The low 64 bits.
    pub bits: u64,
    /// Of type `.u64`: written with `U`, or too large for `.s64`.
    pub unsigned: bool,
    /// Whether the text does not fit in 64 bits (ptxas: `Constant overflow`).
    pub overflow: bool,
}

impl Integer {
    const fn signed(value: i64) -> Self {
        Self { bits: value as u64, unsigned: false, overflow: false }
    }

    const fn with_bits(self, bits: u64) -> Self {
        Self { bits, ..self }
    }
}

/// A floating-point constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Float {
    /// `1.5`, `1e10`
    Decimal(f64),
    /// `0f3F800000`: the bits of an f32.
    Single(u32),
    /// `0d3FF0000000000000`: the bits of an f64.
    Double(u64),
}

impl Float {
    /// Its value as f64, in which all of them fit.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Decimal(value) => value,
            Self::Single(bits) => f64::from(f32::from_bits(bits)),
            Self::Double(bits) => f64::from_bits(bits),
        }
    }
}

/// Reads an integer literal: decimal, `0x`, octal with a leading 0, `0b`, each with an optional `U`.
///
/// `None` where the text is none.
pub fn integer(text: &[u8]) -> Option<Integer> {
    let (digits, suffix) = match text {
        [digits @ .., b'U'] => (digits, true),
        _ => (text, false),
    };
    let (digits, radix) = match digits {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        [b'0', b'b' | b'B', digits @ ..] => (digits, 2),
        [b'0', rest @ ..] if !rest.is_empty() => (rest, 8),
        _ => (digits, 10),
    };
    if digits.is_empty() {
        return None;
    }
    let (mut bits, mut overflow) = (0_u64, false);
    for &digit in digits {
        let digit = u64::from(char::from(digit).to_digit(radix)?);
        let (product, over) = bits.overflowing_mul(u64::from(radix));
        let (sum, carry) = product.overflowing_add(digit);
        (bits, overflow) = (sum, overflow | over | carry);
    }
    Some(Integer { bits, unsigned: suffix || bits > i64::MAX as u64, overflow })
}

/// Reads a floating-point literal; `None` where the text is none.
pub fn float(text: &[u8]) -> Option<Float> {
    let hex = |digits: &[u8], count| {
        let hexadecimal = digits.len() == count && digits.iter().all(u8::is_ascii_hexdigit);
        let text = std::str::from_utf8(digits).ok().filter(|_| hexadecimal)?;
        u64::from_str_radix(text, 16).ok()
    };
    match text {
        [b'0', b'f' | b'F', digits @ ..] => hex(digits, 8).map(|bits| Float::Single(bits as u32)),
        [b'0', b'd' | b'D', digits @ ..] => hex(digits, 16).map(Float::Double),
        [b'0'..=b'9' | b'.', ..] => std::str::from_utf8(text).ok()?.parse().ok().map(Float::Decimal),
        _ => None,
    }
}

/// Why an expression has no integer value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpressionError {
    /// It names a register or a variable, or has a floating-point part.
    NotAConstant,
    /// It divides by zero.
    DivisionByZero,
    /// It is no expression.
    Malformed,
}

/// What stands on the operator stack of [`expression`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pending {
    Open,
    Unary(Token),
    Cast {
        unsigned: bool,
    },
    Binary(Token),
    /// `?` whose `:` is still to come.
    Condition,
    /// `? :` complete.
    Choice,
}

/// How tightly a binary operator binds (PTX ISA, "Constant Expressions": as in C).
fn precedence(token: Token) -> Option<u8> {
    Some(match token {
        Token::Star | Token::Slash | Token::Percent => 10,
        Token::Plus | Token::Minus => 9,
        Token::ShiftLeft | Token::ShiftRight => 8,
        Token::Less | Token::Greater | Token::LessEqual | Token::GreaterEqual => 7,
        Token::Equal | Token::NotEqual => 6,
        Token::And => 5,
        Token::Xor => 4,
        Token::Or => 3,
        Token::AndAnd => 2,
        Token::OrOr => 1,
        _ => return None,
    })
}

/// The value of a constant integer expression, with 64-bit arithmetic that wraps.
///
/// It keeps its own stacks, so that nesting costs memory and never the call stack.
///
/// # Errors
///
/// When the text is no expression, is no integer constant, or divides by zero.
pub fn expression(text: &[u8]) -> Result<Integer, ExpressionError> {
    use ExpressionError::{Malformed, NotAConstant};
    let (mut values, mut stack) = (Vec::new(), Vec::new());
    let mut lexer = Token::lexer(text);
    let mut complete = false;
    while let Some(token) = lexer.next() {
        let token = token.map_err(|()| Malformed)?;
        if !complete {
            match token {
                Token::Integer => {
                    values.push(integer(lexer.slice()).ok_or(Malformed)?);
                    complete = true;
                }
                Token::Word if lexer.slice() == b"WARP_SZ" => {
                    values.push(Integer::signed(32));
                    complete = true;
                }
                Token::Word | Token::Path | Token::Float => return Err(NotAConstant),
                Token::Plus | Token::Minus | Token::Not | Token::Tilde => stack.push(Pending::Unary(token)),
                Token::LeftParen => stack.push(Pending::Open),
                Token::Directive if stack.pop() == Some(Pending::Open) => {
                    let unsigned = match lexer.slice() {
                        b".u64" => true,
                        b".s64" => false,
                        _ => return Err(Malformed),
                    };
                    if lexer.next() != Some(Ok(Token::RightParen)) {
                        return Err(Malformed);
                    }
                    stack.push(Pending::Cast { unsigned });
                }
                _ => return Err(Malformed),
            }
            continue;
        }
        match token {
            Token::RightParen => {
                reduce(&mut values, &mut stack, 0)?;
                if stack.pop() != Some(Pending::Open) {
                    return Err(Malformed);
                }
            }
            Token::Question => {
                // right-associative: a finished choice to the left stays open for this one
                reduce(&mut values, &mut stack, 1)?;
                stack.push(Pending::Condition);
                complete = false;
            }
            Token::Colon => {
                reduce(&mut values, &mut stack, 0)?;
                if stack.pop() != Some(Pending::Condition) {
                    return Err(Malformed);
                }
                stack.push(Pending::Choice);
                complete = false;
            }
            _ => {
                let binds = precedence(token).ok_or(Malformed)?;
                reduce(&mut values, &mut stack, binds)?;
                stack.push(Pending::Binary(token));
                complete = false;
            }
        }
    }
    reduce(&mut values, &mut stack, 0)?;
    match (values.as_slice(), stack.is_empty(), complete) {
        (&[value], true, true) => Ok(value),
        _ => Err(Malformed),
    }
}

/// Applies the operators on top of the stack that bind at least as tightly as `binds` (0: also a choice).
fn reduce(values: &mut Vec<Integer>, stack: &mut Vec<Pending>, binds: u8) -> Result<(), ExpressionError> {
    const MALFORMED: ExpressionError = ExpressionError::Malformed;
    while let Some(&top) = stack.last() {
        match top {
            Pending::Open | Pending::Condition => break,
            Pending::Unary(token) => {
                let value = values.pop().ok_or(MALFORMED)?;
                values.push(match token {
                    Token::Minus => value.with_bits(value.bits.wrapping_neg()),
                    Token::Tilde => value.with_bits(!value.bits),
                    Token::Not => Integer::signed(i64::from(value.bits == 0)),
                    _ => value,
                });
            }
            Pending::Cast { unsigned } => {
                let value = values.pop().ok_or(MALFORMED)?;
                values.push(Integer { unsigned, ..value });
            }
            Pending::Binary(token) => {
                if precedence(token) < Some(binds) {
                    break;
                }
                let right = values.pop().ok_or(MALFORMED)?;
                let left = values.pop().ok_or(MALFORMED)?;
                values.push(apply(token, left, right)?);
            }
            Pending::Choice => {
                if binds > 0 {
                    break;
                }
                let other = values.pop().ok_or(MALFORMED)?;
                let chosen = values.pop().ok_or(MALFORMED)?;
                let condition = values.pop().ok_or(MALFORMED)?;
                values.push(if condition.bits != 0 { chosen } else { other });
            }
        }
        stack.pop();
    }
    Ok(())
}

fn apply(token: Token, left: Integer, right: Integer) -> Result<Integer, ExpressionError> {
    let unsigned = left.unsigned || right.unsigned;
    let overflow = left.overflow || right.overflow;
    let (a, b) = (left.bits, right.bits);
    let (signed_a, signed_b) = (a as i64, b as i64);
    let less = if unsigned { a < b } else { signed_a < signed_b };
    let truth = |value: bool| Ok(Integer { bits: u64::from(value), unsigned: false, overflow });
    let bits = match token {
        Token::Star => a.wrapping_mul(b),
        Token::Slash | Token::Percent if b == 0 => return Err(ExpressionError::DivisionByZero),
        Token::Slash if unsigned => a / b,
        Token::Slash => signed_a.wrapping_div(signed_b) as u64,
        Token::Percent if unsigned => a % b,
        Token::Percent => signed_a.wrapping_rem(signed_b) as u64,
        Token::Plus => a.wrapping_add(b),
        Token::Minus => a.wrapping_sub(b),
        Token::And => a & b,
        Token::Xor => a ^ b,
        Token::Or => a | b,
        // the type of a shift is that of what is shifted
        Token::ShiftLeft => return Ok(left.with_bits(if b < 64 { a << b } else { 0 })),
        Token::ShiftRight => {
            let by = b.min(63) as u32;
            let shifted = match left.unsigned {
                true if b > 63 => 0,
                true => a >> by,
                false => (signed_a >> by) as u64,
            };
            return Ok(left.with_bits(shifted));
        }
        Token::Less => return truth(less),
        Token::GreaterEqual => return truth(!less),
        Token::Greater => return truth(!less && a != b),
        Token::LessEqual => return truth(less || a == b),
        Token::Equal => return truth(a == b),
        Token::NotEqual => return truth(a != b),
        Token::AndAnd => return truth(a != 0 && b != 0),
        Token::OrOr => return truth(a != 0 || b != 0),
        _ => return Err(ExpressionError::Malformed),
    };
    Ok(Integer { bits, unsigned, overflow })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> u64 {
        integer(text.as_bytes()).unwrap().bits
    }

    #[test]
    fn integers_in_every_notation() {
        assert_eq!((bits("0"), bits("123U"), bits("0377"), bits("0b101"), bits("0B11U")), (0, 123, 255, 5, 3));
        assert_eq!((bits("0xFFFFFFFFU"), bits("0Xff")), (0xFFFF_FFFF, 255));
        assert!(integer(b"123U").unwrap().unsigned && !integer(b"123").unwrap().unsigned);
        assert!(integer(b"0xFFFFFFFFFFFFFFFF").unwrap().unsigned);
        for none in ["", "U", "0x", "09", "12u", "0b2", "1.5"] {
            assert_eq!(integer(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn a_thousand_digits_wrap_and_say_so() {
        let value = integer("9".repeat(1000).as_bytes()).unwrap();
        assert!(value.overflow);
        assert!(!integer(b"18446744073709551615").unwrap().overflow);
        assert!(integer(b"18446744073709551616").unwrap().overflow);
    }

    #[test]
    fn floats_in_every_notation() {
        assert_eq!(float(b"0f3F800000"), Some(Float::Single(0x3F80_0000)));
        assert_eq!(float(b"0F3f800000").unwrap().to_f64(), 1.0);
        assert_eq!(float(b"0D3ff8000000000000").unwrap().to_f64(), 1.5);
        for (text, value) in [("1.25", 1.25), (".5", 0.5), ("5.", 5.0), ("1e5", 1e5), ("1.e+5", 1e5), ("08.5", 8.5)] {
            assert_eq!(float(text.as_bytes()), Some(Float::Decimal(value)), "{text}");
        }
        for none in ["0f3f8", "0f3f80000000", "0f+f800000", "inf", "nan", "", "."] {
            assert_eq!(float(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn expressions_follow_c() {
        for (text, value) in [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("(0xffffffff << 32)", 0xFFFF_FFFF_0000_0000_u64 as i64),
            ("5--3", 8),
            ("-5-3", -8),
            ("- -5", 5),
            ("~0 >> 1", -1),
            ("(.u64)-1 >> 63", 1),
            ("1?2:3", 2),
            ("0?2:0?4:5", 5),
            ("1?0?7:8:9", 8),
            ("7 % 3", 1),
            ("-7 / 2", -3),
            ("1 < 2 == 1", 1),
            ("-1 < 1U", 0),
            ("6 & 3 | 8 ^ 1", 11),
            ("!5 || 2 && 0", 0),
            ("WARP_SZ + 1", 33),
            ("10 - 2 - 3", 5),
            ("1 + 2 ? 4 : 5", 4),
        ] {
            assert_eq!(expression(text.as_bytes()).map(|v| v.bits as i64), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_integer_expression_says_why() {
        use ExpressionError::*;
        for (text, error) in [
            ("", Malformed),
            ("1+", Malformed),
            ("(1", Malformed),
            ("1)", Malformed),
            ("1 2", Malformed),
            ("1?2", Malformed),
            ("1:2", Malformed),
            ("1/0", DivisionByZero),
            ("1 % 0", DivisionByZero),
            ("r1+1", NotAConstant),
            ("1.5+1", NotAConstant),
        ] {
            assert_eq!(expression(text.as_bytes()), Err(error), "{text}");
        }
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let deep = "(".repeat(200_000) + "7" + &")".repeat(200_000);
        assert_eq!(expression(deep.as_bytes()).map(|v| v.bits), Ok(7));
        let minus = "-".repeat(200_001) + "7";
        assert_eq!(expression(minus.as_bytes()).map(|v| v.bits as i64), Ok(-7));
    }
}
