// SPDX-License-Identifier: Apache-2.0

use crate::cost::{Cost, RepackCost};
use crate::error::{checked, reason, Error};
use crate::results::{Candidate, Command, Ignored, Kept, Launch, NodeUse, Placement, Unschedulable};
use crate::snapshot::Context;
use crate::text::{copy, items, lend, text, written};
use karp_sys as c;
use std::ffi::CStr;
use std::mem::{size_of, zeroed};
use std::ptr;
use std::sync::Arc;

/// An answer about a snapshot: immutable.
pub struct Decision(pub(crate) *mut c::karp_decision, Arc<Said>);

/// What documents say of the input.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) warnings: Vec<String>,
    /// The clouds whose types are used.
    pub(crate) catalogue: String,
    /// Operating systems whose licences the prices lack.
    pub(crate) licences: String,
}

impl Said {
    /// What a function of the library writes with these options.
    pub(crate) fn written(
        &self,
        write: impl FnOnce(*const c::karp_write_options, *mut c::karp_text, *mut c::karp_error) -> c::karp_status,
    ) -> Result<String, Error> {
        // SAFETY: plain data that the call fills in.
        let mut options: c::karp_write_options = unsafe { zeroed() };
        unsafe { c::karp_write_options_init(&mut options, size_of::<c::karp_write_options>()) };
        let warnings: Vec<_> = self.warnings.iter().map(|warning| lend(warning)).collect();
        (options.warnings, options.warning_count) = (warnings.as_ptr(), warnings.len());
        (options.catalogue, options.licences) = (lend(&self.catalogue), lend(&self.licences));
        written(|out, error| write(&options, out, error))
    }
}

// SAFETY: a decision is immutable, and libkarp counts references atomically (docs/memory-and-threads.md).
unsafe impl Send for Decision {}
unsafe impl Sync for Decision {}

impl Drop for Decision {
    fn drop(&mut self) {
        // SAFETY: the reference is ours.
        unsafe { c::karp_decision_unref(self.0) }
    }
}

/// A group of pods that start together, and what the plan does with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// `namespace/name`
    pub name: String,
    /// `PodGroup`, `Volcano` …
    pub source: String,
    pub composite: bool,
    /// Empty: its minimum is met; else why it cannot start, `GROUP_MINIMUM`.
    pub code: String,
    pub detail: String,
    /// Pods, or groups of a composite; likewise the next three.
    pub minimum: u32,
    pub members: u32,
    pub bound: u32,
    pub placed: u32,
    /// Where it is, if it has a topology key and is placed.
    pub domain: String,
}

type Getter<T> = unsafe extern "C" fn(*const c::karp_decision, usize, *mut T) -> c::karp_status;

impl Decision {
    pub(crate) fn of(at: *mut c::karp_decision, said: &Arc<Said>) -> Decision {
        Decision(at, Arc::clone(said))
    }

    /// One row; its pointers lead into the decision.
    fn row<T>(&self, get: Getter<T>, index: usize) -> Result<T, Error> {
        // SAFETY: rows are plain data that begin with their size; the decision lives.
        unsafe {
            let mut row: T = zeroed();
            ptr::from_mut(&mut row).cast::<usize>().write(size_of::<T>());
            checked(get(self.0, index, &mut row))?;
            Ok(row)
        }
    }

    pub(crate) fn pods(&self, at: *const u32, count: usize) -> Vec<String> {
        // SAFETY: the indices and the names are the decision's.
        unsafe { items(at, count).iter().map(|&pod| copy(c::karp_decision_pod_name(self.0, pod))).collect() }
    }

    /// 64 hex digits that say what was decided: equal in every language.
    pub fn hash(&self) -> String {
        let mut out = [0; c::KARP_DIGEST_TEXT as usize];
        // SAFETY: the call writes as many characters as the constant says, with a NUL at the end.
        unsafe {
            c::karp_decision_hash(self.0, out.as_mut_ptr());
            text(CStr::from_ptr(out.as_ptr()))
        }
    }

    /// Whether everything was looked at.
    pub fn complete(&self) -> bool {
        // SAFETY: the decision lives; likewise below.
        unsafe { c::karp_decision_complete(self.0) != 0 }
    }

    /// Dollars per hour before it.
    pub fn cost_before(&self) -> f64 {
        unsafe { c::karp_decision_cost_before(self.0) }
    }

    /// Dollars per hour after it.
    pub fn cost_after(&self) -> f64 {
        unsafe { c::karp_decision_cost_after(self.0) }
    }

    /// Of a plan with an objective; none of others.
    pub fn cost(&self) -> Option<Cost> {
        let mut out: c::karp_cost = unsafe { zeroed() };
        out.size = size_of::<c::karp_cost>();
        checked(unsafe { c::karp_decision_cost(self.0, &mut out) }).ok()?;
        Some(Cost { cost: out.cost, compatible_cost: out.compatible_cost, bound: out.bound, optimal: out.optimal != 0 })
    }

    /// Of a repack plan; none of others.
    pub fn repack_cost(&self) -> Option<RepackCost> {
        let mut out: c::karp_repack_cost = unsafe { zeroed() };
        out.size = size_of::<c::karp_repack_cost>();
        checked(unsafe { c::karp_decision_repack(self.0, &mut out) }).ok()?;
        Some(RepackCost { before: out.before, after: out.after, bound: out.bound, evictions: out.evictions })
    }

    pub fn warnings(&self) -> Vec<String> {
        unsafe { (0..c::karp_decision_warning_count(self.0)).map(|i| copy(c::karp_decision_warning(self.0, i))).collect() }
    }

    pub(crate) fn launch(&self, index: usize) -> Result<Launch, Error> {
        // SAFETY: the row is the decision's; likewise below.
        unsafe { Launch::of(self, &self.row(c::karp_decision_launch, index)?) }
    }

    pub(crate) fn placement(&self, index: usize) -> Result<Placement, Error> {
        unsafe { Placement::of(self, &self.row(c::karp_decision_placement, index)?) }
    }

    /// By NodePool, then by pods.
    pub fn launches(&self) -> Result<Vec<Launch>, Error> {
        (0..unsafe { c::karp_decision_launch_count(self.0) }).map(|i| self.launch(i)).collect()
    }

    /// By the names of the nodes.
    pub fn placements(&self) -> Result<Vec<Placement>, Error> {
        (0..unsafe { c::karp_decision_placement_count(self.0) }).map(|i| self.placement(i)).collect()
    }

    /// By the names of the pods.
    pub fn unschedulable(&self) -> Result<Vec<Unschedulable>, Error> {
        (0..unsafe { c::karp_decision_unschedulable_count(self.0) })
            .map(|i| unsafe { Unschedulable::of(self, &self.row(c::karp_decision_unschedulable, i)?) })
            .collect()
    }

    /// Pods that were not considered, by name.
    pub fn ignored(&self) -> Result<Vec<Ignored>, Error> {
        (0..unsafe { c::karp_decision_ignored_count(self.0) })
            .map(|i| unsafe { Ignored::of(self, &self.row(c::karp_decision_ignored, i)?) })
            .collect()
    }

    /// The nodes that were there before, by name, as they are after the decision.
    pub fn nodes(&self) -> Result<Vec<NodeUse>, Error> {
        (0..unsafe { c::karp_decision_node_count(self.0) })
            .map(|i| unsafe { NodeUse::of(self, &self.row(c::karp_decision_node, i)?) })
            .collect()
    }

    /// Groups that have members to place, by name.
    pub fn groups(&self) -> Result<Vec<Group>, Error> {
        (0..unsafe { c::karp_decision_group_count(self.0) })
            .map(|i| {
                let g = self.row(c::karp_decision_group, i)?;
                let (name, detail, domain) = unsafe { (copy(g.name), copy(g.detail), copy(g.domain)) };
                let source = unsafe { text(CStr::from_ptr(c::karp_group_source_name(g.source))) };
                let code = if g.code == 0 { String::new() } else { reason(g.code) };
                let (minimum, members, bound, placed) = (g.min_count, g.member_count, g.bound, g.placed);
                Ok(Group { name, source, composite: g.composite != 0, code, detail, minimum, members, bound, placed, domain })
            })
            .collect()
    }

    /// Of a disruption.
    pub fn commands(&self) -> Result<Vec<Command>, Error> {
        (0..unsafe { c::karp_decision_command_count(self.0) })
            .map(|i| unsafe { Command::of(self, &self.row(c::karp_decision_command, i)?) })
            .collect()
    }

    /// Nodes that the method of a disruption looked at, in its order.
    pub fn candidates(&self) -> Result<Vec<Candidate>, Error> {
        (0..unsafe { c::karp_decision_candidate_count(self.0) })
            .map(|i| unsafe { Candidate::of(self, &self.row(c::karp_decision_candidate, i)?) })
            .collect()
    }

    /// Nodes of a disruption that stay.
    pub fn kept(&self) -> Result<Vec<Kept>, Error> {
        (0..unsafe { c::karp_decision_kept_count(self.0) })
            .map(|i| unsafe { Kept::of(self, &self.row(c::karp_decision_kept, i)?) })
            .collect()
    }

    /// The plan as the program `karp plan -o json --first-round` writes it, with the warnings of the input. `Snapshot::plan_json()`
    /// tells what further rounds cost, too.
    pub fn to_json(&self) -> Result<String, Error> {
        let context = Context::new()?;
        // SAFETY: the decision lives.
        self.1.written(|options, out, error| unsafe { c::karp_write_plan(context.0, self.0, ptr::null(), options, out, error) })
    }
}
