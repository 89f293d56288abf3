//! A kernel's text, and what was said to its conversions.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::registers::Class;
use super::shape;

/// A kernel: one statement a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The statements after the declarations.
    pub body: Vec<String>,
}

/// The instructions of each statement of a kernel, by its index.
pub type Listing = BTreeMap<usize, Vec<String>>;

/// Both answers to each conversion of a kernel, by its index.
pub type Judged = BTreeMap<usize, Answers>;

/// The shapes of both answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    wanted: Vec<String>,
    given: Vec<String>,
}

impl Answers {
    /// Whether they agree.
    pub fn same(&self) -> bool {
        self.wanted == self.given
    }

    /// What ptxas says.
    pub fn wanted(&self) -> String {
        join(&self.wanted)
    }

    /// What cvtlower says.
    pub fn given(&self) -> String {
        join(&self.given)
    }
}

fn join(shapes: &[String]) -> String {
    if shapes.is_empty() { "(nothing)".to_owned() } else { shapes.join(" | ") }
}

/// The opcode of a statement, without its guard.
pub fn opcode(statement: &str) -> &str {
    statement.split(' ').find(|word| !word.starts_with('@')).unwrap_or_default().trim_end_matches(';')
}

const PARAMETERS: &str = ".param .u64 pp, .param .u64 pq, .param .u64 p_u64, .param .u32 p_u32, .param .u32 p_u32b, \
     .param .f32 p_f32, .param .u16 p_u16, .param .s16 p_s16, .param .u8 p_u8, .param .s8 p_s8";

const PROLOGUE: [&str; 5] = [
    "ld.param.u64 %pa, [pp];",
    "ld.param.u64 %pb, [pq];",
    "ld.param.u32 %pn, [p_u32];",
    "cvta.to.global.u64 %pa, %pa;",
    "cvta.to.global.u64 %pb, %pb;",
];

impl Kernel {
    /// Whether a statement is a conversion.
    pub fn converts(&self, at: usize) -> bool {
        opcode(&self.body[at]).starts_with("cvt.")
    }

    /// Compare two listings.
    pub fn judge(&self, wanted: &Listing, given: &Listing) -> Judged {
        let shapes = |listing: &Listing, at: usize| shape::shapes(listing.get(&at).map_or(&[][..], |l| l));
        (0..self.body.len())
            .filter(|&at| self.converts(at))
            .map(|at| (at, Answers { wanted: shapes(wanted, at), given: shapes(given, at) }))
            .collect()
    }

    fn write(&self, out: &mut String, index: usize) {
        let declarations: String =
            Class::ALL.iter().map(|c| format!(".reg .{} {}<400>; ", c.names().1, c.names().0)).collect();
        let _ = writeln!(
            out,
            ".visible .entry k{index}({PARAMETERS})\n{{\n{declarations}.reg .b64 %pa, %pb; .reg .b32 %pn;"
        );
        for statement in PROLOGUE.iter().copied().chain(self.body.iter().map(String::as_str)).chain(["ret;", "}"]) {
            out.push_str(statement);
            out.push('\n');
        }
    }
}

/// A module of kernels, and where its statements are.
#[derive(Debug)]
pub struct Module {
    /// Its text.
    pub text: String,
    /// The line of each kernel's first statement, and how many it has.
    places: Vec<(usize, usize)>,
}

/// Lines of a kernel before its first statement.
const HEAD: usize = 3 + PROLOGUE.len();

impl Module {
    /// Write kernels into one module.
    pub fn of<'a>(kernels: impl IntoIterator<Item = &'a Kernel>, arch: &str) -> Module {
        let mut module =
            Module { text: format!(".version 9.1\n.target {arch}\n.address_size 64\n"), places: Vec::new() };
        let mut line = 4;
        for (index, kernel) in kernels.into_iter().enumerate() {
            module.places.push((line + HEAD, kernel.body.len()));
            line += HEAD + kernel.body.len() + 2;
            kernel.write(&mut module.text, index);
        }
        module
    }

    /// The kernel on a line.
    pub fn kernel(&self, line: usize) -> Option<usize> {
        self.places.partition_point(|(first, _)| first - HEAD <= line).checked_sub(1)
    }

    /// The kernel and the statement on a line.
    pub fn place(&self, line: usize) -> Option<(usize, usize)> {
        let kernel = self.kernel(line)?;
        let (first, count) = self.places[kernel];
        let at = line.checked_sub(first)?;
        (at < count).then_some((kernel, at))
    }
}
