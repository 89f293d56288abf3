//! What comes of the forms here, and what an outcome is.

use cvtlower::diagnostic::Severity;
use cvtlower::matrix::kernel::Kernels;
use cvtlower::reference::shape::shapes;
use cvtlower::target::Target;
use cvtlower::translate::{Context, Options, translate};

/// The outcome of a legal form: the shape of each instruction that does more than to move, with the sign of its guard.
///
/// ptxas makes plain copies and constants where its registers and its schedule want them, so they say nothing of a
/// form.
pub fn accepted<T: AsRef<str>>(instructions: &[T]) -> String {
    let shapes = instructions.iter().filter_map(|instruction| {
        let text = instruction.as_ref();
        let guard = match text.strip_prefix('@') {
            Some(guard) if guard.starts_with('!') => "@!P ",
            Some(_) => "@P ",
            None => "",
        };
        shapes(&[text]).pop().map(|shape| format!("{guard}{shape}"))
    });
    let shapes: Vec<String> = shapes.collect();
    format!("ok\t{}", if shapes.is_empty() { "(nothing)".to_owned() } else { shapes.join(" ; ") })
}

/// The outcome of a legal form without the order of its instructions; any other is itself.
pub fn sorted(outcome: &str) -> Vec<&str> {
    let Some(shapes) = outcome.strip_prefix("ok\t") else { return vec![outcome] };
    let mut shapes: Vec<&str> = shapes.split(" ; ").collect();
    shapes.sort_unstable();
    shapes
}

/// The outcome of an illegal form.
pub fn refused(messages: &[String]) -> String {
    format!("no\t{}", messages.join(" / "))
}

/// The outcomes of the forms that the kernels are of on a target, in their order.
pub fn column(kernels: &Kernels, target: Target) -> Vec<String> {
    let options = Options { arch: Some(target), retarget: true, context: Context::Kernel };
    let translation = translate(kernels.text.as_bytes(), &options);
    let mut taken: Vec<Option<String>> = vec![None; kernels.places.len()];
    let mut messages: Vec<Vec<String>> = vec![Vec::new(); kernels.places.len()];
    let statements = &translation.module.statements;
    for conversion in translation.functions.iter().flat_map(|function| &function.conversions) {
        let start = statements[conversion.statement as usize].span.start;
        // Some kernels have conversions of their own around that of the form.
        if let Ok(index) = kernels.places.binary_search(&start) {
            let sass: Vec<String> = conversion.sass.iter().map(ToString::to_string).collect();
            taken[index] = Some(accepted(&sass));
        }
    }
    for diagnostic in translation.diagnostics.iter().filter(|d| d.severity == Severity::Error) {
        let index = kernels.places.partition_point(|&place| place <= diagnostic.span.start);
        let index = index.checked_sub(1).unwrap_or_else(|| panic!("not of a form: {}", diagnostic.message));
        messages[index].extend(diagnostic.ptxas.iter().cloned());
    }
    let outcomes = taken.into_iter().zip(messages).map(|(taken, messages)| match (taken, messages.is_empty()) {
        (Some(taken), true) => taken,
        (None, _) => refused(&messages),
        (Some(taken), false) => format!("{taken}, but also {}", refused(&messages)),
    });
    outcomes.collect()
}
