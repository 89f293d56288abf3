//! What contributes to an effect; the rest is dead code.
//!
//! Asked of one statement at a time: it does so if something that reads what it makes does so. Tarjan's algorithm
//! visits each statement and register once, whatever is asked: what is on its stack can reach the statement at hand.

use super::NONE;
use super::lazy::Work;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Live,
    Dead,
}

/// What is known of each statement and each register, and the search.
///
/// A node is a statement, counted from the function's first, or a register behind all statements: that which is read
/// without its being known which of its values it has. It stands for all of those readers, so that not each of the
/// values has to be followed to each of the readers.
#[derive(Debug, Default)]
pub struct Liveness {
    statements: u32,
    states: Vec<State>,
    /// When a node was visited, counted from 1.
    visits: Vec<u32>,
    count: u32,
    /// Visited nodes of which nothing is known yet.
    pending: Vec<u32>,
    frames: Vec<Frame>,
    /// The nodes that the frames have still to look at.
    readers: Vec<u32>,
}

/// A node whose readers are looked at.
#[derive(Debug, Clone, Copy)]
struct Frame {
    node: u32,
    /// The earliest visit that can be reached from it.
    low: u32,
    /// Where its readers begin.
    readers: usize,
}

impl Liveness {
    /// Forgets everything, and makes room for so many statements and registers.
    pub fn clear(&mut self, statements: usize, registers: usize) {
        self.statements = statements as u32;
        self.states.clear();
        self.states.resize(statements + registers, State::Unknown);
        self.visits.clear();
        self.visits.resize(statements + registers, 0);
        self.count = 0;
    }
}

impl Work<'_> {
    /// Whether a statement contributes to an effect.
    pub fn is_live(&mut self, statement: u32) -> bool {
        self.is_live_node(statement - self.scan.first_statement)
    }

    /// Whether something that contributes to an effect reads a register without knowing which value it gets.
    pub fn is_wanted(&mut self, register: u32) -> bool {
        self.is_live_node(self.lazy.liveness.statements + register)
    }

    fn is_live_node(&mut self, node: u32) -> bool {
        match self.lazy.liveness.states[node as usize] {
            State::Live => return true,
            State::Dead => return false,
            State::Unknown => {}
        }
        let live = self.reaches_effect(node);
        let Liveness { pending, frames, readers, states, .. } = &mut self.lazy.liveness;
        if live {
            for at in pending.drain(..) {
                states[at as usize] = State::Live;
            }
            frames.clear();
            readers.clear();
        }
        live
    }

    fn reaches_effect(&mut self, node: u32) -> bool {
        if self.visit(node) {
            return true;
        }
        while let Some(&Frame { node, low, readers }) = self.lazy.liveness.frames.last() {
            let liveness = &mut self.lazy.liveness;
            if liveness.readers.len() > readers
                && let Some(reader) = liveness.readers.pop()
            {
                match (liveness.states[reader as usize], liveness.visits[reader as usize]) {
                    (State::Live, _) => return true,
                    (State::Dead, _) => {}
                    (State::Unknown, 0) => {
                        if self.visit(reader) {
                            return true;
                        }
                    }
                    (State::Unknown, visit) => {
                        if let Some(frame) = liveness.frames.last_mut() {
                            frame.low = low.min(visit);
                        }
                    }
                }
                continue;
            }
            liveness.frames.pop();
            if low == liveness.visits[node as usize] {
                // nothing that it reaches has an effect
                while let Some(dead) = liveness.pending.pop() {
                    liveness.states[dead as usize] = State::Dead;
                    if dead == node {
                        break;
                    }
                }
            }
            if let Some(frame) = liveness.frames.last_mut() {
                frame.low = frame.low.min(low);
            }
        }
        false
    }

    /// Begins with a node; `true` if it has an effect.
    fn visit(&mut self, node: u32) -> bool {
        let liveness = &mut self.lazy.liveness;
        liveness.count += 1;
        let low = liveness.count;
        liveness.visits[node as usize] = low;
        liveness.pending.push(node);
        let readers = liveness.readers.len();
        liveness.frames.push(Frame { node, low, readers });
        let (first, statements) = (self.scan.first_statement, liveness.statements);
        if let Some(register) = node.checked_sub(statements) {
            let wants = self.wants(register);
            let wants = &self.lazy.wants[wants.start as usize..wants.end as usize];
            self.lazy.liveness.readers.extend(wants.iter().map(|statement| statement - first));
            return false;
        }
        if self.is_unreached(first + node) {
            return false;
        }
        let s = self.statement(first + node);
        if self.scan.has_effect(s) {
            return true;
        }
        for o in s.operands..self.scan.results_end(self.module, s) {
            let Some(v) = self.own_value(o) else { continue };
            let made = self.made(v);
            let (reads, open, register, kept_by) = (made.reads.clone(), made.open, made.register, made.kept_by);
            let readers = &mut self.lazy.liveness.readers;
            let reads = &self.lazy.reads[reads.start as usize..reads.end as usize];
            readers.extend(reads.iter().map(|r| r.statement - first));
            if kept_by != NONE {
                readers.push(kept_by - first);
            }
            if open {
                readers.push(statements + register);
            }
        }
        false
    }
}
