//! A Markdown table, padded so that it is read as well in a terminal.

use std::io::{self, Write};

use super::{DIFFERS, summary, version};
use crate::matrix::{Cell, Matrix, Row};

/// A cell longer than this does not widen its column: a few sequences are very long.
const WIDEST: usize = 56;

/// Writes the matrix.
pub fn write(matrix: &Matrix, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}.\n", summary(matrix))?;
    let several = matrix.targets.len() > 1;
    let mut head: Vec<String> = ["form", "PTX", "target"].map(str::to_owned).into();
    if several {
        head.push(DIFFERS.to_owned());
        head.extend(matrix.targets.iter().map(ToString::to_string));
    } else {
        head.extend(["SASS".to_owned(), "rule".to_owned()]);
    }
    let rows: Vec<Vec<String>> = matrix.rows.iter().map(|row| cells(row, several)).collect();
    let mut widths = vec![3; head.len()];
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().min(WIDEST).max(*width);
        }
    }
    line(&head, &widths, out)?;
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    line(&rule, &widths, out)?;
    rows.iter().try_for_each(|row| line(row, &widths, out))
}

fn cells(row: &Row, several: bool) -> Vec<String> {
    // Of one target the version is that target's; of several it is the first of all.
    let first = row.cells.first().and_then(Cell::legal).filter(|_| !several);
    let since = first.map(|legal| legal.version).or(row.minimum.map(|minimum| minimum.version));
    let mut cells = vec![
        format!("{} {}", row.spelling, row.spelling.operands()),
        since.map_or_else(String::new, version),
        row.minimum.map_or_else(String::new, |minimum| minimum.to_string()),
    ];
    if several {
        cells.push(if row.differs() { DIFFERS } else { "" }.to_owned());
    }
    for cell in &row.cells {
        cells.push(escaped(&match cell {
            Cell::Legal(legal) => legal.text(),
            Cell::Illegal(_) => format!("illegal: {}", cell.text()),
        }));
        if !several {
            cells.push(cell.legal().map_or_else(String::new, |legal| format!("{} {}", legal.rule, legal.rule.name())));
        }
    }
    cells
}

/// A bar would end the cell.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

fn line(cells: &[String], widths: &[usize], out: &mut dyn Write) -> io::Result<()> {
    for (cell, width) in cells.iter().zip(widths) {
        write!(out, "| {cell:width$} ")?;
    }
    writeln!(out, "|")
}
