//! Comma-separated values (RFC 4180), one line a form, for spreadsheets and scripts.

use std::io::{self, Write};

use super::{DIFFERS, version};
use crate::matrix::{Cell, Matrix};

/// Writes the matrix.
pub fn write(matrix: &Matrix, out: &mut dyn Write) -> io::Result<()> {
    let several = matrix.targets.len() > 1;
    let mut head: Vec<String> = ["form", "operands", "min_target", "min_ptx"].map(str::to_owned).into();
    if several {
        head.push("differs".to_owned());
    }
    for target in &matrix.targets {
        for column in ["legal", "ptx", "sass", "rule", "reason"] {
            head.push(if several { format!("{target} {column}") } else { column.to_owned() });
        }
    }
    line(&head, out)?;
    for row in &matrix.rows {
        let mut cells = vec![
            row.spelling.to_string(),
            row.spelling.operands(),
            row.minimum.map_or_else(String::new, |minimum| minimum.to_string()),
            row.minimum.map_or_else(String::new, |minimum| version(minimum.version)),
        ];
        if several {
            cells.push(if row.differs() { DIFFERS } else { "" }.to_owned());
        }
        for cell in &row.cells {
            cells.extend(match cell {
                Cell::Legal(legal) => {
                    let rule = format!("{} {}", legal.rule, legal.rule.name());
                    ["yes".to_owned(), version(legal.version), legal.text(), rule, String::new()]
                }
                Cell::Illegal(reasons) => {
                    let reasons: Vec<&str> = reasons.iter().map(|reason| reason.message.as_str()).collect();
                    ["no".to_owned(), String::new(), String::new(), String::new(), reasons.join(" / ")]
                }
            });
        }
        line(&cells, out)?;
    }
    Ok(())
}

fn line(cells: &[String], out: &mut dyn Write) -> io::Result<()> {
    for (n, cell) in cells.iter().enumerate() {
        if n > 0 {
            out.write_all(b",")?;
        }
        if cell.contains([',', '"', '\n', '\r']) {
            write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            out.write_all(cell.as_bytes())?;
        }
    }
    out.write_all(b"\n")
}
