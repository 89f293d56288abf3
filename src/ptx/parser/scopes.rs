//! Which register a name means.
//!
//! ptxas resolves `%r12` by splitting all trailing digits: the range `%r<n>` with n > 12. A number with a leading
//! zero is none of a range's, and a range whose own name ends in a digit can never be named. The innermost block
//! wins, and a variable hides a register of an outer block.

use rustc_hash::FxHashMap;

use super::key::{self, Numbered};
use crate::ptx::{RegId, Register, Span, Type};

const NONE: u32 = u32::MAX;

/// What a declaration declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    /// One register, `a`.
    Scalar,
    /// `a<count>`
    Range(u32),
    /// A variable: it hides what the name meant outside.
    Variable,
}

/// What a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    Register(RegId),
    Variable,
    Unknown,
}

#[derive(Debug)]
struct Declaration {
    /// The name, of a range without its number.
    name: Span,
    key: u64,
    /// The declaration before it in the same bucket.
    before: u32,
    declared: Declared,
    ty: Option<Type>,
    vector: u8,
    /// Whether it counts in [`Scopes::numbered`].
    numbered: bool,
    /// The function that the ids are of.
    function: u32,
    /// How many of a range have an id.
    used: u32,
    /// Id of a scalar; `NONE` while it is not used.
    id: u32,
    /// Ids of a range by number, `NONE` where not in use; grown on demand.
    dense: Vec<u32>,
    /// Ids of the numbers past the end of `dense`.
    sparse: Option<Box<FxHashMap<u32, u32>>>,
}

/// The declarations in force, innermost last.
#[derive(Debug)]
pub struct Scopes<'s> {
    source: &'s [u8],
    declarations: Vec<Declaration>,
    /// Last declaration of each hash bucket; a power of two of them.
    buckets: Vec<u32>,
    /// For each open block the number of declarations before it.
    blocks: Vec<u32>,
    /// Declared scalars and variables whose name ends in a digit: while there are none, `%r12` is of a range.
    numbered: u32,
    /// Those of these that are not long by what stands before the digits: `%r12` has nothing to do with `param_0`.
    numbered_like: [u32; LIKES],
    /// Tables of closed blocks, to use again.
    spare: Vec<Vec<u32>>,
    /// Table entries still to give out: a huge declared range must not cost memory.
    budget: usize,
    /// The last short register name of each slot, with what it means.
    recent: Box<[Recent; RECENT]>,
    /// The last register of each slot by its name.
    known: Box<[Known; KNOWN]>,
    /// The last range of each slot, by its name; none where the name may have another meaning now.
    ranges: [RecentRange<key::Prefix>; SHORT_RANGES],
    /// As `ranges`, also of longer names.
    long_ranges: [RecentRange<key::Name>; RANGES],
    /// There is something in `ranges` or `long_ranges`.
    ranges_known: bool,
    /// The length of the longest name of a range so far.
    longest_range: usize,
    /// Counts the functions.
    function: u32,
    /// Counts the changes that may give a name another meaning.
    generation: u32,
}

/// Number of register names that are found at once.
const RECENT: usize = 256;

/// A register name that was looked up before; it holds for one generation of declarations.
#[derive(Debug, Clone, Copy)]
struct Recent {
    key: u64,
    /// The name, which tells apart names with one key.
    name: Span,
    generation: u32,
    id: RegId,
}

/// Number of names that are found by their bytes.
const KNOWN: usize = 512;

/// A register by the bytes of its name; it holds for one generation of declarations.
#[derive(Debug, Clone, Copy)]
struct Known {
    name: key::Name,
    generation: u32,
    id: RegId,
}

/// Number of ranges that are found at once.
const RANGES: usize = 16;

/// Number of ranges with short names that are found at once: so many that `%r`, `%rd`, `%f` and the like, which follow
/// each other in every statement, have slots of their own.
const SHORT_RANGES: usize = 64;

/// Size of a range's table that needs no reason.
const TABLE: usize = 1024;

/// A table of so many numbers is made at once.
const SMALL: usize = 256;

/// Number of counters of names that end in digits.
const LIKES: usize = 256;

/// The counter of names with these bytes before their digits.
#[inline]
fn like(prefix_key: u64) -> usize {
    (key::spread(prefix_key) >> 56) as usize % LIKES
}

/// A range that was looked up before, the innermost of its name.
#[derive(Debug, Clone, Copy, Default)]
struct RecentRange<N> {
    name: N,
    declaration: u32,
}

/// The key of a declaration: a range and a scalar of one name are two things.
#[inline]
fn declared_key(name: &[u8], range: bool) -> u64 {
    key::key(name, u8::from(range))
}

/// The counter of a name that ends in digits, if it may be taken for a name of a range that is found at once.
fn range_like(name: &[u8]) -> Option<usize> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    (name.len() <= key::LONGEST).then(|| like(declared_key(&name[..name.len() - digits], true)))
}

#[inline]
fn range_slot(name: key::Prefix) -> usize {
    (key::spread(name >> 32) >> 58) as usize % SHORT_RANGES
}

impl<'s> Scopes<'s> {
    pub fn new(source: &'s [u8]) -> Self {
        Self {
            source,
            declarations: Vec::new(),
            buckets: vec![NONE; 64],
            blocks: Vec::new(),
            numbered: 0,
            numbered_like: [0; LIKES],
            spare: Vec::new(),
            // as much memory as the source has
            budget: source.len() / 4 + 1024,
            recent: Box::new([Recent { key: 0, name: Span::default(), generation: 0, id: RegId(0) }; RECENT]),
            known: Box::new([Known { name: [0; 2], generation: 0, id: RegId(0) }; KNOWN]),
            ranges: [RecentRange::default(); SHORT_RANGES],
            long_ranges: [RecentRange::default(); RANGES],
            ranges_known: false,
            longest_range: 0,
            function: 0,
            generation: 1,
        }
    }

    /// Enters a block.
    pub fn open(&mut self) {
        self.blocks.push(self.declarations.len() as u32);
    }

    /// Leaves a block, and forgets what it declared.
    pub fn close(&mut self) {
        let keep = self.blocks.pop().unwrap_or(0) as usize;
        self.changed();
        while self.declarations.len() > keep
            && let Some(declaration) = self.declarations.pop()
        {
            let bucket = self.bucket(declaration.key);
            self.buckets[bucket] = declaration.before;
            if declaration.numbered {
                self.numbered -= 1;
                if let Some(like) = range_like(declaration.name.of(self.source)) {
                    self.numbered_like[like] -= 1;
                }
            }
            self.recycle(declaration.dense);
        }
    }

    /// Ends a function: what is declared outside of it gets other ids in the next one.
    pub fn end_function(&mut self) {
        self.changed();
        self.function = self.function.wrapping_add(1);
    }

    /// Declares a name in the innermost block; `false` if it has been declared there before, which then holds.
    pub fn declare(&mut self, name: Span, declared: Declared, ty: Option<Type>, vector: u8) -> bool {
        let text = name.of(self.source);
        let range = matches!(declared, Declared::Range(_));
        let key = declared_key(text, range);
        let block = self.blocks.last().map_or(0, |&start| start as usize);
        let same = self.find(key, text).is_some_and(|at| at >= block)
            || (!range && self.find_range(text).is_some_and(|(at, _)| at >= block));
        if same {
            return false;
        }
        if self.declarations.len() >= self.buckets.len() {
            self.grow();
        }
        self.changed();
        if range {
            self.longest_range = self.longest_range.max(text.len());
        }
        let bucket = self.bucket(key);
        let numbered = !range && text.last().is_some_and(u8::is_ascii_digit);
        if numbered {
            self.numbered += 1;
            if let Some(like) = range_like(text) {
                self.numbered_like[like] += 1;
            }
        }
        self.declarations.push(Declaration {
            name,
            key,
            before: self.buckets[bucket],
            declared,
            ty,
            vector,
            numbered,
            function: self.function,
            used: 0,
            id: NONE,
            dense: Vec::new(),
            sparse: None,
        });
        self.buckets[bucket] = self.declarations.len() as u32 - 1;
        true
    }

    /// What is in force: the name, and whether it is a variable's.
    pub fn declared(&self) -> impl Iterator<Item = (&'s [u8], bool)> {
        self.declarations.iter().map(|d| (d.name.of(self.source), d.declared == Declared::Variable))
    }

    /// Whether `name` is declared here.
    pub fn knows(&self, name: Span) -> bool {
        let text = name.of(self.source);
        self.find_range(text).is_some() || self.find(declared_key(text, false), text).is_some()
    }

    /// What `name` means here; a register that is used for the first time gets its id.
    #[inline]
    pub fn resolve(&mut self, name: Span, registers: &mut Vec<Register>) -> Meaning {
        let text = name.of(self.source);
        let key = declared_key(text, false);
        let slot = (key::spread(key) >> 40) as usize % RECENT;
        let recent = self.recent[slot];
        if recent.key == key
            && recent.generation == self.generation
            && (!key::is_hash(key) || recent.name.of(self.source) == text)
        {
            return Meaning::Register(recent.id);
        }
        let meaning = self.resolve_anew(name, key, registers);
        if let Meaning::Register(id) = meaning {
            self.recent[slot] = Recent { key, name, generation: self.generation, id };
        }
        meaning
    }

    /// The register of this name, if it was remembered.
    #[inline]
    pub fn known(&self, name: key::Name) -> Option<RegId> {
        let known = &self.known[key::name_slot(name) % KNOWN];
        (known.name[0] == name[0] && known.name[1] == name[1] && known.generation == self.generation)
            .then_some(known.id)
    }

    /// Remembers which register a name is, while no declaration changes it.
    #[inline]
    pub fn remember(&mut self, name: key::Name, id: RegId) {
        self.known[key::name_slot(name) % KNOWN] = Known { name, generation: self.generation, id };
    }

    /// What a name that ends in a number means, if that is a register of a range that was looked up not long ago.
    #[inline(always)]
    pub fn numbered(&mut self, numbered: Numbered, name: Span, registers: &mut Vec<Register>) -> Option<RegId> {
        let range = &self.ranges[range_slot(numbered.prefix)];
        if range.name != numbered.prefix {
            return None;
        }
        self.of_range(range.declaration, numbered.number, name, registers)
    }

    /// As [`Self::numbered`], of any name that ends in a number.
    #[inline]
    pub fn long_numbered(
        &mut self,
        (prefix, number): (key::Name, u32),
        name: Span,
        registers: &mut Vec<Register>,
    ) -> Option<RegId> {
        let range = &self.long_ranges[key::name_slot(prefix) % RANGES];
        if range.name[0] != prefix[0] || range.name[1] != prefix[1] {
            return None;
        }
        self.of_range(range.declaration, number, name, registers)
    }

    /// A register of a range, unless its number is past the end of the range or of its table: then it is looked up the
    /// general way.
    #[inline(always)]
    fn of_range(&mut self, range: u32, number: u32, name: Span, registers: &mut Vec<Register>) -> Option<RegId> {
        let declaration = self.declarations.get_mut(range as usize)?;
        let id = declaration.dense.get_mut(number as usize)?;
        if *id == NONE {
            *id = registers.len() as u32;
            declaration.used += 1;
            registers.push(Register { name, ty: declaration.ty, vector: declaration.vector });
        }
        Some(RegId(*id))
    }

    fn changed(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if std::mem::take(&mut self.ranges_known) {
            self.ranges.fill(RecentRange::default());
            self.long_ranges.fill(RecentRange::default());
        }
    }

    fn resolve_anew(&mut self, name: Span, key: u64, registers: &mut Vec<Register>) -> Meaning {
        let text = name.of(self.source);
        let range = self.find_range(text);
        let scalar =
            if self.numbered > 0 || !text.last().is_some_and(u8::is_ascii_digit) { self.find(key, text) } else { None };
        let (at, number) = match (range, scalar) {
            (Some((at, number)), scalar) if scalar < Some(at) => (at, number),
            (_, Some(at)) => (at, 0),
            _ => return Meaning::Unknown,
        };
        if self.declarations[at].function != self.function {
            self.forget_ids(at);
        }
        if let Declared::Range(_) = self.declarations[at].declared {
            self.remember_range(at);
        }
        let declaration = &mut self.declarations[at];
        let id = match declaration.declared {
            Declared::Variable => return Meaning::Variable,
            Declared::Scalar => declaration.id,
            Declared::Range(_) => match declaration.dense.get(number as usize) {
                Some(&id) => id,
                None => self.beyond(at, number),
            },
        };
        if id != NONE {
            return Meaning::Register(RegId(id));
        }
        let declaration = &mut self.declarations[at];
        let id = registers.len() as u32;
        registers.push(Register { name, ty: declaration.ty, vector: declaration.vector });
        declaration.used += 1;
        match (declaration.declared, declaration.dense.get_mut(number as usize)) {
            (Declared::Scalar, _) => declaration.id = id,
            (_, Some(place)) => *place = id,
            _ => {
                declaration.sparse.get_or_insert_default().insert(number, id);
            }
        }
        Meaning::Register(RegId(id))
    }

    /// Keeps a range for [`Self::numbered`], unless an inner one of its name, or something that is declared with a
    /// number, goes before it for some numbers.
    fn remember_range(&mut self, at: usize) {
        let declaration = &self.declarations[at];
        let (key, name) = (declaration.key, declaration.name.of(self.source));
        if self.numbered_like[like(key)] != 0 || self.find(key, name) != Some(at) {
            return;
        }
        let declaration = at as u32;
        if let Some(name) = key::prefix(name) {
            self.ranges[range_slot(name)] = RecentRange { name, declaration };
            self.ranges_known = true;
        }
        if let Some(name) = key::known_name(name) {
            self.long_ranges[key::name_slot(name) % RANGES] = RecentRange { name, declaration };
            self.ranges_known = true;
        }
    }

    /// The id of a number past the end of its table, which grows to hold it while the budget allows.
    #[cold]
    fn beyond(&mut self, at: usize, number: u32) -> u32 {
        let declaration = &mut self.declarations[at];
        if let Some(&id) = declaration.sparse.as_ref().and_then(|sparse| sparse.get(&number)) {
            return id;
        }
        let Declared::Range(count) = declaration.declared else {
            return NONE;
        };
        let wanted = (number as usize + 1).next_power_of_two().max(SMALL).min(count as usize);
        let more = wanted - declaration.dense.len();
        // a few numbers of a large range are no reason for a table of all of them in each function
        if more <= self.budget && wanted <= TABLE + 16 * declaration.used as usize {
            self.budget -= more;
            if declaration.dense.capacity() == 0 {
                declaration.dense = self.spare.pop().unwrap_or_default();
            }
            declaration.dense.resize(wanted, NONE);
            if let Some(sparse) = &mut declaration.sparse {
                let dense = &mut declaration.dense;
                sparse.retain(|&number, &mut id| match dense.get_mut(number as usize) {
                    Some(place) => {
                        *place = id;
                        false
                    }
                    None => true,
                });
            }
        }
        NONE
    }

    /// Drops ids of another function.
    #[cold]
    fn forget_ids(&mut self, at: usize) {
        let declaration = &mut self.declarations[at];
        declaration.function = self.function;
        declaration.id = NONE;
        declaration.used = 0;
        declaration.sparse = None;
        let dense = std::mem::take(&mut declaration.dense);
        self.recycle(dense);
    }

    fn recycle(&mut self, mut table: Vec<u32>) {
        self.budget += table.len();
        if table.capacity() > 0 && self.spare.len() < 16 {
            table.clear();
            self.spare.push(table);
        }
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        (key::spread(key) >> 32) as usize & (self.buckets.len() - 1)
    }

    /// Whether the declaration has this key and name.
    #[inline]
    fn is(&self, declaration: &Declaration, key: u64, name: &[u8]) -> bool {
        declaration.key == key && (!key::is_hash(key) || declaration.name.of(self.source) == name)
    }

    /// The range that holds `name`, and its number in there.
    #[inline]
    fn find_range(&self, name: &[u8]) -> Option<(usize, u32)> {
        let mut start = name.len();
        let (mut number, mut scale) = (0_u64, 1_u64);
        while start > 0 && name[start - 1].is_ascii_digit() {
            start -= 1;
            number += u64::from(name[start] - b'0') * scale;
            scale = scale.wrapping_mul(10);
            if name.len() - start > 10 {
                return None;
            }
        }
        let (prefix, digits) = name.split_at(start);
        if digits.is_empty() || (digits[0] == b'0' && digits.len() > 1) || prefix.len() > self.longest_range {
            return None;
        }
        let number = u32::try_from(number).ok()?;
        let wanted = declared_key(prefix, true);
        let mut at = self.buckets[self.bucket(wanted)];
        while let Some(declaration) = self.declarations.get(at as usize) {
            if self.is(declaration, wanted, prefix)
                && let Declared::Range(count) = declaration.declared
                && number < count
            {
                return Some((at as usize, number));
            }
            at = declaration.before;
        }
        None
    }

    /// The innermost declaration of exactly this name.
    fn find(&self, key: u64, name: &[u8]) -> Option<usize> {
        let mut at = self.buckets[self.bucket(key)];
        while let Some(declaration) = self.declarations.get(at as usize) {
            if self.is(declaration, key, name) {
                return Some(at as usize);
            }
            at = declaration.before;
        }
        None
    }

    #[cold]
    fn grow(&mut self) {
        self.buckets = vec![NONE; self.buckets.len() * 2];
        for at in 0..self.declarations.len() {
            let bucket = self.bucket(self.declarations[at].key);
            self.declarations[at].before = self.buckets[bucket];
            self.buckets[bucket] = at as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_with_a_leading_zero_is_no_register_of_a_range() {
        let source = b"%r %r05 %r5 %r4 %r0";
        let mut scopes = Scopes::new(source);
        let mut registers = Vec::new();
        assert!(scopes.declare(Span::new(0, 2), Declared::Range(5), Some(Type::B32), 1));
        assert_eq!(scopes.resolve(Span::new(3, 7), &mut registers), Meaning::Unknown);
        assert_eq!(scopes.resolve(Span::new(8, 11), &mut registers), Meaning::Unknown);
        assert_eq!(scopes.resolve(Span::new(12, 15), &mut registers), Meaning::Register(RegId(0)));
        assert_eq!(scopes.resolve(Span::new(16, 19), &mut registers), Meaning::Register(RegId(1)));
        assert_eq!(scopes.resolve(Span::new(12, 15), &mut registers), Meaning::Register(RegId(0)));
    }

    #[test]
    fn huge_ranges_use_no_table() {
        let source = b"r r4294967290 r7 r4294967290";
        let mut scopes = Scopes::new(source);
        let mut registers = Vec::new();
        assert!(scopes.declare(Span::new(0, 1), Declared::Range(u32::MAX), None, 1));
        let high = scopes.resolve(Span::new(2, 13), &mut registers);
        assert_eq!(high, Meaning::Register(RegId(0)));
        assert_eq!(scopes.resolve(Span::new(14, 16), &mut registers), Meaning::Register(RegId(1)));
        assert_eq!(scopes.resolve(Span::new(17, 28), &mut registers), high);
        assert!(scopes.declarations[0].dense.len() <= SMALL);
    }

    #[test]
    fn a_table_grows_with_what_is_used() {
        let mut text: Vec<u8> = (0..3000).flat_map(|n| format!("r{:04}", n + 5000).into_bytes()).collect();
        // tables are no larger than the text
        text.resize(100_000, b' ');
        let mut scopes = Scopes::new(&text);
        let mut registers = Vec::new();
        assert!(scopes.declare(Span::new(0, 1), Declared::Range(100_000), None, 1));
        for n in 0..3000 {
            let name = Span::new(n * 5, n * 5 + 5);
            assert_eq!(scopes.resolve(name, &mut registers), Meaning::Register(RegId(n)));
            let length = scopes.declarations[0].dense.len() as u32;
            assert!(length <= 1024 + 16 * n, "{length} for {n}");
        }
        assert!(
            scopes.declarations[0].dense.len() >= 8000
                && scopes.declarations[0].sparse.as_ref().is_none_or(|s| s.is_empty())
        );
        for n in 0..3000 {
            let name = Span::new(n * 5, n * 5 + 5);
            assert_eq!(scopes.resolve(name, &mut registers), Meaning::Register(RegId(n)));
        }
    }

    #[test]
    fn closing_a_block_uncovers_the_outer_name() {
        let source = b"a a a a a";
        let name = |at| Span::new(at, at + 1);
        let mut scopes = Scopes::new(source);
        let mut registers = Vec::new();
        scopes.open();
        assert!(scopes.declare(name(0), Declared::Scalar, Some(Type::F32), 1));
        assert!(!scopes.declare(name(0), Declared::Scalar, Some(Type::F64), 1));
        let outer = scopes.resolve(name(2), &mut registers);
        scopes.open();
        assert!(scopes.declare(name(4), Declared::Variable, None, 1));
        assert_eq!(scopes.resolve(name(6), &mut registers), Meaning::Variable);
        scopes.close();
        assert_eq!(scopes.resolve(name(8), &mut registers), outer);
        scopes.close();
        assert_eq!(scopes.resolve(name(8), &mut registers), Meaning::Unknown);
    }

    #[test]
    fn many_declarations_stay_fast() {
        let text: Vec<u8> = (0..50_000).flat_map(|n| format!("x{n:05}").into_bytes()).collect();
        let mut scopes = Scopes::new(&text);
        let mut registers = Vec::new();
        for n in 0..50_000 {
            assert!(scopes.declare(Span::new(n * 6, n * 6 + 6), Declared::Scalar, None, 1));
        }
        for n in 0..50_000 {
            let found = scopes.resolve(Span::new(n * 6, n * 6 + 6), &mut registers);
            assert_eq!(found, Meaning::Register(RegId(n)));
        }
    }
}
