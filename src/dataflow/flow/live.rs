//! What contributes to an effect; the rest is dead code.
//!
//! Asked of one statement at a time: it does so if something that reads what it makes does so. Tarjan's algorithm
//! visits each statement once, whatever is asked: what is on its stack can reach the statement at hand.

use super::NONE;
use super::lazy::Work;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Live,
    Dead,
}

/// What is known of each statement, and the search.
#[derive(Debug, Default)]
pub struct Liveness {
    states: Vec<State>,
    /// When a statement was visited, counted from 1.
    visits: Vec<u32>,
    count: u32,
    /// Visited statements of which nothing is known yet.
    pending: Vec<u32>,
    frames: Vec<Frame>,
    /// The readers that the frames have still to look at.
    readers: Vec<u32>,
}

/// A statement whose readers are looked at.
#[derive(Debug, Clone, Copy)]
struct Frame {
    statement: u32,
    /// The earliest visit that can be reached from it.
    low: u32,
    /// Where its readers begin.
    readers: usize,
}

impl Liveness {
    /// Forgets everything, and makes room for so many statements.
    pub fn clear(&mut self, statements: usize) {
        self.states.clear();
        self.states.resize(statements, State::Unknown);
        self.visits.clear();
        self.visits.resize(statements, 0);
        self.count = 0;
    }
}

impl Work<'_> {
    /// Whether a statement contributes to an effect.
    pub fn is_live(&mut self, statement: u32) -> bool {
        match self.lazy.liveness.states[(statement - self.scan.first_statement) as usize] {
            State::Live => return true,
            State::Dead => return false,
            State::Unknown => {}
        }
        let live = self.reaches_effect(statement);
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

    fn reaches_effect(&mut self, statement: u32) -> bool {
        if self.visit(statement) {
            return true;
        }
        while let Some(&Frame { statement, low, readers }) = self.lazy.liveness.frames.last() {
            let liveness = &mut self.lazy.liveness;
            if liveness.readers.len() > readers
                && let Some(reader) = liveness.readers.pop()
            {
                let at = (reader - self.scan.first_statement) as usize;
                match (liveness.states[at], liveness.visits[at]) {
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
            let at = statement - self.scan.first_statement;
            if low == liveness.visits[at as usize] {
                // nothing that it reaches has an effect
                while let Some(dead) = liveness.pending.pop() {
                    liveness.states[dead as usize] = State::Dead;
                    if dead == at {
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

    /// Begins with a statement; `true` if it has an effect or something live reads it.
    fn visit(&mut self, statement: u32) -> bool {
        let at = statement - self.scan.first_statement;
        let liveness = &mut self.lazy.liveness;
        liveness.count += 1;
        let low = liveness.count;
        liveness.visits[at as usize] = low;
        liveness.pending.push(at);
        let readers = liveness.readers.len();
        liveness.frames.push(Frame { statement, low, readers });
        let s = self.statement(statement);
        if self.scan.has_effect(s) {
            return true;
        }
        for o in s.operands..self.scan.results_end(self.module, s) {
            let Some(v) = self.own_value(o) else { continue };
            let made = self.made(v);
            let (reads, open, register, kept_by) = (made.reads.clone(), made.open, made.register, made.kept_by);
            let readers = &mut self.lazy.liveness.readers;
            readers.extend(self.lazy.reads[reads.start as usize..reads.end as usize].iter().map(|r| r.statement));
            if kept_by != NONE {
                readers.push(kept_by);
            }
            if open {
                let wants = self.wants(register);
                let wants = &self.lazy.wants[wants.start as usize..wants.end as usize];
                self.lazy.liveness.readers.extend_from_slice(wants);
            }
        }
        false
    }
}
