//! A long module on several cores: parts that begin behind functions, each read as if nothing were declared before it.
//!
//! That is right where every part is without fault, says nothing of the whole module and declares nothing but
//! variables of different names, as compilers' files do. Any other file is read in one piece.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::functions::Functions;
use super::setting::Setting;
use super::{Fate, FunctionTranslation, Options};
use crate::lower::machine::Machine;
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
    // what one part finds in vain need not be found by the others
    let given_up = AtomicBool::new(false);
    let done: Vec<Option<Part<'s>>> = bounds
        .par_windows(2)
        .map(|bounds| {
            let (start, end) = (bounds[0], bounds[1]);
            let reader = Reader::part(source, start, end);
            let done = part(reader, Functions::new(setting, options.context), start == 0, &given_up);
            given_up.fetch_or(done.is_none(), Ordering::Relaxed);
            done
        })
        .collect();
    let done: Vec<Part<'s>> = done.into_iter().collect::<Option<_>>()?;
    // where a constant stands is asked by who loads it into a uniform register
    if Machine::of(setting.arch).uniform_parameters && done.iter().any(|part| !part.module.constants.is_empty()) {
        return None;
    }
    let mut names = FxHashSet::default();
    if done.iter().flat_map(|part| &part.variables).any(|&name| !names.insert(name)) {
        return None;
    }
    if names_shared_of_another(&done) {
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

/// Whether a part names a variable in shared memory that another one declares: where those of a function stand is asked by
/// who loads halves from there.
fn names_shared_of_another(parts: &[Part<'_>]) -> bool {
    let mut owners: FxHashMap<&[u8], usize> = FxHashMap::default();
    for (owner, part) in parts.iter().enumerate() {
        let shared = part.variables.iter().filter(|&name| part.module.shared.contains_key(name));
        owners.extend(shared.map(|&name| (name, owner)));
    }
    !owners.is_empty()
        && parts.iter().enumerate().any(|(this, part)| {
            let mut named = part.module.mentioned.iter().map(|&name| part.module.names[name.0 as usize]);
            named.any(|name| owners.get(name).is_some_and(|&owner| owner != this))
        })
}

/// Translates a part; `None` where more has to be known than it says.
fn part<'s>(
    mut reader: Reader<'s>,
    mut functions: Functions<'s>,
    first: bool,
    given_up: &AtomicBool,
) -> Option<Part<'s>> {
    while reader.next_function() {
        if !reader.is_clean() || given_up.load(Ordering::Relaxed) {
            return None;
        }
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

#[cfg(test)]
mod tests {
    use super::super::{Context, Options, Translation, translate, translate_in_parts};
    use super::bounds;

    const HEAD: &str = ".version 9.1\n.target sm_89\n.address_size 64\n.global .b32 table[4];\n";

    fn options() -> Options {
        Options { arch: None, retarget: false, context: Context::Kernel }
    }

    fn kernel(n: usize) -> String {
        let f = ["rn.f16", "rn.bf16", "rzi.s32", "rpi.u64", "rn.relu.f16x2"][n % 5];
        format!(
            "// kernel {n}\n.visible .entry kernel_{n}(\n\t.param .u64 kernel_{n}_param_0\n)\n{{\n\t.reg .pred %p<{}>;\n\t.reg .b16 %h<9>;\n\
             \t.reg .b32 %r<9>;\n\t.reg .f32 %f<9>;\n\t.reg .b64 %rd<9>;\n\tld.param.u64 %rd1, [kernel_{n}_param_0];\n\
             \tld.global.f32 %f1, [%rd1+{n}];\n$L{n}:\n\tcvt.rn.f16.f32 %h1, %f1;\n\tcvt.rn.f16.f32 %h2, %f1;\n\
             \tcvt.{f}.f32 %r1, %f1;\n\tmov.b32 %r2, {{%h1, %h2}};\n\tsetp.gt.f32 %p1, %f1, 0f00000000;\n\
             \t@%p1 cvt.u32.u16 %r3, %h1;\n\tst.global.v2.b32 [%rd1], {{%r2, %r3}};\n\t@!%p1 bra $L{n};\n\
             \tcall.uni helper_{};\n\tmov.u64 %rd2, table;\n\tst.global.u64 [%rd1], %rd2;\n\tret;\n}}\n",
            n % 3 + 2,
            n % 4
        )
    }

    fn module(kernels: usize) -> String {
        let helper =
            |n: usize| format!(".func helper_{n}()\n{{\n\t.reg .f32 %f<3>;\n\tcvt.sat.f32.f32 %f1, %f2;\n\tret;\n}}\n");
        let functions = (0..kernels).map(|n| if n % 7 == 6 { helper(n / 7) } else { kernel(n) });
        HEAD.to_owned() + &functions.collect::<String>()
    }

    fn in_parts(text: &str, parts: usize) -> Option<Translation<'_>> {
        translate_in_parts(text.as_bytes(), &options(), parts)
    }

    #[test]
    fn parts_give_what_the_whole_gives() {
        let text = module(60);
        let whole = format!("{:?}", translate(text.as_bytes(), &options()));
        for parts in [2, 3, 5, 16] {
            assert!(bounds(text.as_bytes(), parts).len() > parts / 2);
            let in_parts = in_parts(&text, parts).expect("nothing stands in the way");
            assert!(format!("{in_parts:?}") == whole, "{parts} parts");
        }
    }

    #[test]
    fn constants_have_places_in_the_whole_module() {
        let text = module(60) + ".const .b32 behind[4];\n";
        assert!(in_parts(&text, 3).is_some());
        assert!(in_parts(&text.replace("sm_89", "sm_100"), 3).is_none());
        assert!(in_parts(&text.replace("sm_89", "sm_100").replace(".const", ".global"), 3).is_some());
    }

    #[test]
    fn shared_variables_are_known_to_the_part_that_declares_them() {
        let text = module(60).replacen(".global .b32 table", ".shared .b32 own[4];\n.global .b32 table", 1);
        let last = text.rfind("table;").expect("each kernel names the table");
        assert!(in_parts(&text, 3).is_some());
        let mut named = text.clone();
        named.replace_range(last..last + "table".len(), "own");
        assert!(in_parts(&named, 3).is_none());
        let inside =
            text.replace("\tcall.uni", "\t.shared .b32 inside[4];\n\tst.shared.b32 [inside], %r1;\n\tcall.uni");
        assert!(in_parts(&inside, 3).is_some());
    }

    #[test]
    fn what_looks_like_the_end_of_a_function_may_be_none() {
        let text = module(20).replace("\tret;\n}\n", "\tret;\n/*\n}\n.visible .entry x\n*/\n}\n");
        let whole = format!("{:?}", translate(text.as_bytes(), &options()));
        for parts in 2..9 {
            if let Some(in_parts) = in_parts(&text, parts) {
                assert!(format!("{in_parts:?}") == whole, "{parts} parts");
            }
        }
    }

    #[test]
    fn what_one_part_says_to_others_is_read_in_one_piece() {
        let text = module(20);
        assert!(in_parts(&text, 4).is_some());
        let end = [
            ".reg .b32 %r<4>;\n",
            ".target sm_90\n",
            ".version 7.0\n",
            ".global .b32 table[5];\n",
            ".global .b32 WARP_SZ;\n",
            ".entry broken() { cvt.rn.f16 }\n",
            "/* open",
        ];
        for end in end {
            assert!(in_parts(&(text.clone() + end), 4).is_none(), "{end}");
        }
        assert!(in_parts(text.trim_start_matches(".version 9.1\n"), 4).is_none());
    }
}
