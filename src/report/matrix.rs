//! The matrix of forms and targets, printed: one file a format.

pub mod csv;
pub mod html;
pub mod json;
pub mod markdown;

use crate::matrix::Matrix;
use crate::target::Version;

/// The mark of what is not the same on all targets.
pub(super) const DIFFERS: &str = "≠";

/// `8.1`
fn version((major, minor): Version) -> String {
    format!("{major}.{minor}")
}

/// What the matrix holds, in a sentence: `2042 of 19747 forms are legal on sm_89`.
pub fn summary(matrix: &Matrix) -> String {
    let legal = matrix.rows.iter().filter(|row| row.is_legal()).count();
    let names: Vec<String> = matrix.targets.iter().map(ToString::to_string).collect();
    match names.as_slice() {
        [name] => format!("{legal} of {} forms are legal on {name}", matrix.asked),
        _ => {
            let differing = matrix.rows.iter().filter(|row| row.differs()).count();
            let asked = matrix.asked;
            format!("{legal} of {asked} forms are legal on one of {}; {differing} differ ({DIFFERS})", names.join(", "))
        }
    }
}
