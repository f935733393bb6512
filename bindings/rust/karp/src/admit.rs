// SPDX-License-Identifier: Apache-2.0

use crate::decision::{Decision, Said};
use crate::error::{checked, reason, Error};
use crate::text::{copy, items, text};
use karp_sys as c;
use std::ffi::CStr;
use std::mem::{size_of, zeroed};
use std::ptr;
use std::sync::Arc;

/// What is asked of [`crate::Snapshot::admit`].
#[derive(Clone, Debug, Default)]
pub struct Admit {
    /// From a launch until its nodes take pods, in nanoseconds; 0 = a minute.
    pub boot: i64,
    /// Each workload is tried on each of these kinds of nodes as well.
    pub flavours: Flavours,
    /// Only if the queue has at most so many workloads; 0 = always.
    pub flavours_up_to: u32,
    /// For so many of the workloads that never start the smallest change is looked for.
    pub changes: u32,
    /// The answer is about the workload or group of this name (`namespace/name`) alone; empty = about all.
    pub only: String,
}

/// What tells kinds of nodes apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flavours {
    /// Implied by the next three.
    pub node_pool: bool,
    pub zone: bool,
    pub capacity_type: bool,
    pub reservation: bool,
    /// Rows of their own: the ResourceFlavors of the workload's queue in Kueue.
    pub resource_flavor: bool,
}

impl Flavours {
    pub const ALL: Flavours = Flavours { node_pool: true, zone: true, capacity_type: true, reservation: true, resource_flavor: true };

    pub(crate) fn bits(self) -> u32 {
        let rows = [
            (self.node_pool, c::KARP_FLAVOUR_NODE_POOL),
            (self.zone, c::KARP_FLAVOUR_ZONE),
            (self.capacity_type, c::KARP_FLAVOUR_CAPACITY_TYPE),
            (self.reservation, c::KARP_FLAVOUR_RESERVATION),
            (self.resource_flavor, c::KARP_FLAVOUR_RESOURCE_FLAVOR),
        ];
        rows.iter().filter(|(wanted, _)| *wanted).map(|(_, bit)| bit).sum()
    }
}

/// Whether a workload can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All pods that it needs have room on nodes that are ready.
    Now,
    /// It starts when nodes are ready that are launched for it, or being started already.
    Launch,
    /// It does not start, unless the cluster or the workload changes.
    Never,
}

fn answer(verdict: u32) -> Answer {
    match verdict {
        c::KARP_ADMIT_NOW => Answer::Now,
        c::KARP_ADMIT_LAUNCH => Answer::Launch,
        _ => Answer::Never,
    }
}

/// A workload on one kind of nodes alone. Texts are empty where kinds are not told apart by them; an empty NodePool stands
/// for nodes without one.
#[derive(Clone, Debug, PartialEq)]
pub struct Flavour {
    pub node_pool: String,
    pub zone: String,
    pub capacity_type: String,
    pub reservation: String,
    pub answer: Answer,
    pub placed: u32,
    pub launches: u32,
    /// Of the launches, per hour.
    pub cost: f64,
    /// Why it does not start there, as far as it is known.
    pub detail: String,
    /// The ResourceFlavor of Kueue, if the row is that of one.
    pub resource_flavor: String,
}

/// A change with which a workload starts that never does otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// `RAISE_LIMIT`
    pub kind: String,
    pub text: String,
}

/// A condition that cluster-autoscaler would set on a ProvisioningRequest with this answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `Accepted`, `Provisioned`, `Failed`
    pub kind: String,
    /// `True`, `False`
    pub status: String,
    /// `CapacityIsFound` …
    pub reason: String,
    pub message: String,
}

/// A workload of the queue, with its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// `namespace/name`
    pub name: String,
    /// `PodGroup`, `Workload` (of Kueue), `Job` …; `Pod` = a pod without a controller.
    pub kind: String,
    pub answer: Answer,
    /// `GROUP_MINIMUM` … of those that never start; else empty.
    pub code: String,
    pub detail: String,
    pub priority: i32,
    /// Of those that never start: it would, if nothing of the queue came before it.
    pub starts_alone: bool,
    /// That are pending.
    pub pods: u32,
    pub placed: u32,
    /// Of the placed ones, those that wait for a node.
    pub waiting: u32,
    /// Nodes that are launched for it; workloads after it may use them, too.
    pub launches: u32,
    pub cost: f64,
    /// Until its nodes are ready, in nanoseconds.
    pub ready_after: i64,
    /// Where it is, if it has a topology key and starts.
    pub domain: String,
    /// Ids of launches and names of nodes that take its pods.
    pub nodes: Vec<String>,
    pub flavours: Vec<Flavour>,
    /// The smallest first.
    pub changes: Vec<Change>,
    /// Of a ProvisioningRequest of a class of cluster-autoscaler, in the order in which they are set.
    pub conditions: Vec<Condition>,
}

/// The answers for a queue, in its order.
pub struct Admission {
    pub workloads: Vec<Workload>,
    /// For the whole queue.
    pub decision: Decision,
}

struct Held(*mut c::karp_admission);

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: it is ours.
        unsafe { c::karp_admission_free(self.0) }
    }
}

/// A row that begins with its size.
fn row<T>(get: impl FnOnce(*mut T) -> c::karp_status) -> Result<T, Error> {
    // SAFETY: rows are plain data that begin with their size.
    let mut out: T = unsafe { zeroed() };
    unsafe { ptr::from_mut(&mut out).cast::<usize>().write(size_of::<T>()) };
    checked(get(&mut out))?;
    Ok(out)
}

fn flavour(found: &Held, number: usize, index: usize) -> Result<Flavour, Error> {
    // SAFETY: what a row shows is borrowed from the answers, which live, and copied here; likewise below.
    let f: c::karp_flavour = row(|out| unsafe { c::karp_admission_flavour(found.0, number, index, out) })?;
    unsafe {
        Ok(Flavour {
            node_pool: copy(f.node_pool),
            zone: copy(f.zone),
            capacity_type: copy(f.capacity_type),
            reservation: copy(f.reservation),
            answer: answer(f.verdict),
            placed: f.placed,
            launches: f.launches,
            cost: f.cost,
            detail: copy(f.detail),
            resource_flavor: copy(f.resource_flavor),
        })
    }
}

fn change(found: &Held, number: usize, index: usize) -> Result<Change, Error> {
    let r: c::karp_remedy = row(|out| unsafe { c::karp_admission_change(found.0, number, index, out) })?;
    unsafe { Ok(Change { kind: text(CStr::from_ptr(c::karp_remedy_name(r.kind))), text: copy(r.text) }) }
}

fn condition(found: &Held, number: usize, index: usize) -> Result<Condition, Error> {
    let m: c::karp_request_condition = row(|out| unsafe { c::karp_admission_condition(found.0, number, index, out) })?;
    unsafe { Ok(Condition { kind: copy(m.type_), status: copy(m.status), reason: copy(m.reason), message: copy(m.message) }) }
}

fn workload(found: &Held, number: usize) -> Result<Workload, Error> {
    let w: c::karp_admitted = row(|out| unsafe { c::karp_admission_at(found.0, number, out) })?;
    let flavours = (0..w.flavour_count).map(|i| flavour(found, number, i)).collect::<Result<_, _>>()?;
    let changes = (0..w.change_count).map(|i| change(found, number, i)).collect::<Result<_, _>>()?;
    let conditions = (0..w.condition_count).map(|i| condition(found, number, i)).collect::<Result<_, _>>()?;
    unsafe {
        Ok(Workload {
            name: copy(w.name),
            kind: copy(w.kind),
            answer: answer(w.verdict),
            code: if w.code == 0 { String::new() } else { reason(w.code) },
            detail: copy(w.detail),
            priority: w.priority,
            starts_alone: w.starts_alone != 0,
            pods: w.pods,
            placed: w.placed,
            waiting: w.waiting,
            launches: w.launches,
            cost: w.cost,
            ready_after: w.ready_after,
            domain: copy(w.domain),
            nodes: items(w.nodes, w.node_count).iter().map(|&each| copy(each)).collect(),
            flavours,
            changes,
            conditions,
        })
    }
}

/// Takes the answers over.
pub(crate) fn admission(at: *mut c::karp_admission, said: &Arc<Said>) -> Result<Admission, Error> {
    let found = Held(at);
    // SAFETY: the answers live; the decision is theirs, and the reference is our own.
    let workloads = (0..unsafe { c::karp_admission_count(found.0) }).map(|i| workload(&found, i)).collect::<Result<_, _>>()?;
    let decision = Decision::of(unsafe { c::karp_decision_ref(c::karp_admission_decision(found.0)) }, said);
    Ok(Admission { workloads, decision })
}
