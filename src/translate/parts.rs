//! A long module on several cores: parts that begin behind functions, each read as if nothing were declared before it.
//!
//! That is right where every part is without fault, says nothing of the whole module and declares nothing but
//! variables of different names, as compilers' files do. Any other file is read in one piece.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::functions::Functions;
use super::setting::Setting;
use super::{Fate, FunctionTranslation, Options};
use crate::ptx::Module;
use crate::ptx::merge::{Merger, Offsets};
use crate::ptx::parser::Reader;

/// Bytes that are worth a part of their own.
const PART: usize = 256 << 10;

/// Parts for each core: some take longer than others.
const PARTS_PER_CORE: usize = 1;

/// What is done of a module.
pub struct Whole<'s> {
    /// The module.
    pub module: Module<'s>,
    /// Its functions, with what was found in them.
    pub functions: Functions<'s>,
}

/// Number of parts that a text is worth here.
pub fn worth(source: &[u8]) -> usize {
    let most = source.len() / PART;
    // the threads are not there until they are asked for
    if most < 2 { 1 } else { most.min(PARTS_PER_CORE * rayon::current_num_threads()) }
}

/// Translates a text in so many parts; `None` where it has to be read in one piece.
pub fn translate<'s>(source: &'s [u8], options: &Options, parts: usize) -> Option<Whole<'s>> {
    if parts < 2 || u32::try_from(source.len()).is_err() {
        return None;
    }
    let head = Reader::head(source);
    if head.version.is_none() || head.target.is_none() {
        return None;
    }
    let setting = Setting::of(&head, options);
    let bounds = bounds(source, parts);
    let done: Vec<Option<Part<'s>>> = bounds
        .par_windows(2)
        .map(|bounds| {
            let (start, end) = (bounds[0], bounds[1]);
            part(Reader::part(source, start, end), Functions::new(setting, options.context), start == 0)
        })
        .collect();
    let done: Vec<Part<'s>> = done.into_iter().collect::<Option<_>>()?;
    let mut names = FxHashSet::default();
    if done.iter().flat_map(|part| &part.variables).any(|&name| !names.insert(name)) {
        return None;
    }
    let mut done = done.into_iter();
    let Part { module, mut functions, .. } = done.next()?;
    let mut merger = Merger::new(module);
    let mut others = Vec::new();
    for part in done {
        let offsets = merger.add(part.module);
        functions.findings.append(part.functions.findings);
        others.push((offsets, part.functions.done));
    }
    others.par_iter_mut().for_each(|(offsets, done)| done.iter_mut().for_each(|f| renumber(f, *offsets)));
    functions.done.extend(others.into_iter().flat_map(|(_, done)| done));
    let module = merger.finish();
    (Setting::of(&module, options) == setting).then_some(Whole { module, functions })
}

/// What is done of a part.
struct Part<'s> {
    module: Module<'s>,
    functions: Functions<'s>,
    variables: Vec<&'s [u8]>,
}

/// Translates a part; `None` where more has to be known than it says.
fn part<'s>(mut reader: Reader<'s>, mut functions: Functions<'s>, first: bool) -> Option<Part<'s>> {
    while reader.next_function() {
        functions.translate(reader.module());
        functions.retain(&mut reader);
    }
    let declared = reader.declared()?;
    let variables = declared.into_iter().map(|(name, variable)| variable.then_some(name)).collect::<Option<_>>()?;
    let (module, errors) = reader.finish();
    let says_more = module.version.is_some() || module.target.is_some() || module.address_size.is_some();
    let fits = errors.is_empty() && !module.snippet && (first || !says_more);
    fits.then_some(Part { module, functions, variables })
}

/// Where parts begin, and the end.
fn bounds(source: &[u8], parts: usize) -> Vec<usize> {
    let mut bounds = vec![0];
    for n in 1..parts {
        let from = (source.len() / parts * n).max(bounds[bounds.len() - 1] + 1);
        bounds.extend(source.get(from..).and_then(behind_function).map(|at| from + at));
    }
    bounds.push(source.len());
    bounds
}

/// The first place that seems to be behind a function: a `}` at the start of its line, and then a directive that
/// stands outside of functions, with nothing but comments between.
fn behind_function(text: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, b"\n}\n").map(|at| at + 3).find(|&at| {
        let lines = text[at..].split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let mut items = lines.filter(|line| !line.is_empty() && !line.starts_with(b"//"));
        items.next().is_some_and(|item| {
            [b".visible".as_slice(), b".entry", b".func", b".weak", b".global", b".extern", b".const", b".shared"]
                .iter()
                .any(|directive| item.starts_with(directive))
        })
    })
}

fn renumber(function: &mut FunctionTranslation, by: Offsets) {
    function.function += by.function;
    for c in &mut function.conversions {
        c.statement += by.statement;
        if let Fate::Folded { into: Some(into), .. } = &mut c.fate {
            *into += by.statement;
        }
        for (register, _) in &mut c.registers {
            register.0 += by.register;
        }
    }
}
