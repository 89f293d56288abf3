//! What tests share that compare with a kept text, or write it anew.

/// Whether expectations are to be written and not checked.
pub fn bless() -> bool {
    std::env::var_os("CVTLOWER_BLESS").is_some_and(|value| value == "1")
}

/// The lines from the first difference on, `-` expected and `+` come out.
pub fn difference(expected: &str, actual: &str) -> String {
    let same = expected.lines().zip(actual.lines()).take_while(|(a, b)| a == b).count();
    let rest = |sign: char, text: &str| -> String {
        text.lines().skip(same).take(12).map(|line| format!("{sign} {line}\n")).collect()
    };
    rest('-', expected) + &rest('+', actual)
}
