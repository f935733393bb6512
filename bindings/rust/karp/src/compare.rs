// SPDX-License-Identifier: Apache-2.0

//! Answers side by side: two versions of Karpenter, designs by their plans, and all rounds of a cluster.

use crate::error::{call, invalid};
use crate::snapshot::Context;
use crate::text::{lend, written};
use crate::{Decision, Error, Options, Snapshot};
use karp_sys as c;
use std::mem::{size_of, zeroed};
use std::ptr;

struct Rounds(*mut c::karp_settlement);

impl Drop for Rounds {
    fn drop(&mut self) {
        // SAFETY: the settlement is ours.
        unsafe { c::karp_settlement_free(self.0) }
    }
}

impl Snapshot {
    /// The Settlement: all rounds until nothing changes, with disruption passes or launches alone, and the first and the last of
    /// them as designs. In JSON. The clock of the options is not used.
    pub fn settle(&self, disrupt: bool, options: &Options) -> Result<String, Error> {
        let context = Context::new()?;
        let rounds = if disrupt { c::KARP_SETTLE_ALL } else { c::KARP_SETTLE_LAUNCHES };
        let made = self.rounds(rounds, options)?;
        // SAFETY: the settlement lives.
        self.said.written(|options, out, error| unsafe { c::karp_write_settlement(context.0, made.0, options, out, error) })
    }

    /// The plan as the program `karp plan -o json` writes it: with `settledCost`, what the cluster comes to when further rounds
    /// launch nodes for the pods that the first leaves.
    pub fn plan_json(&self, options: &Options) -> Result<String, Error> {
        let plan = self.plan(options)?;
        // SAFETY: the plan is one of the snapshot, and both live.
        if unsafe { c::karp_more_rounds(self.at, plan.0) } == 0 {
            return plan.to_json();
        }
        let context = Context::new()?;
        let made = self.rounds(c::KARP_SETTLE_LAUNCHES, options)?;
        self.said.written(|options, out, error| unsafe {
            // SAFETY: the options live during the call, as do the plan and the settlement.
            let mut own = *options;
            own.settlement = made.0;
            c::karp_write_plan(context.0, plan.0, ptr::null(), &own, out, error)
        })
    }

    fn rounds(&self, disrupt: u32, options: &Options) -> Result<Rounds, Error> {
        // SAFETY: plain data that fill() and the call fill in.
        let mut objective = unsafe { zeroed() };
        let common = options.fill(&mut objective);
        let mut how: c::karp_settle_options = unsafe { zeroed() };
        unsafe { c::karp_settle_options_init(&mut how, size_of::<c::karp_settle_options>()) };
        (how.common, how.disrupt) = (&common, disrupt);
        let mut made = ptr::null_mut();
        // SAFETY: the snapshot lives; the options point to what lives as long as `options`.
        call(|error| unsafe { c::karp_settle(self.at, &how, &mut made, error) })?;
        Ok(Rounds(made))
    }

    /// The Diff: what two profiles, `"karpenter-1.14"` and `"karpenter-1.15"` for instance, decide differently, and which rules make
    /// each difference. In JSON.
    pub fn diff(&self, before: &str, after: &str) -> Result<String, Error> {
        let context = Context::new()?;
        // SAFETY: plain data that the calls fill in.
        let mut options: [c::karp_options; 2] = unsafe { zeroed() };
        let mut sides: [c::karp_diff_side; 2] = unsafe { zeroed() };
        for ((profile, filled), side) in [before, after].into_iter().zip(&mut options).zip(&mut sides) {
            unsafe { c::karp_options_init(filled, size_of::<c::karp_options>()) };
            // SAFETY: both numbers are there.
            if unsafe { c::karp_profile_parse(lend(profile), &mut filled.profile, &mut filled.peer_version) } != c::KARP_OK {
                return Err(invalid("there is no profile of that name"));
            }
            side.size = size_of::<c::karp_diff_side>();
            side.name = lend(profile);
            side.snapshot = self.at;
            side.options = filled;
        }
        let mut made = ptr::null_mut();
        // SAFETY: the sides, and what they point to, live.
        call(|error| unsafe { c::karp_compare_decisions(context.0, &sides[0], &sides[1], &mut made, error) })?;
        // SAFETY: the diff is ours until it is freed.
        let text = written(|out, error| unsafe { c::karp_write_diff(context.0, made, ptr::null(), out, error) });
        unsafe { c::karp_diff_free(made) };
        text
    }
}

/// A cluster and a launch decision for it.
#[derive(Clone, Copy)]
pub struct Design<'a> {
    pub name: &'a str,
    pub snapshot: &'a Snapshot,
    pub plan: &'a Decision,
}

/// The Comparison: nodes, cost and use of each design, and the pods that are elsewhere than in the first one. In JSON.
pub fn compare(designs: &[Design]) -> Result<String, Error> {
    let context = Context::new()?;
    let given: Vec<c::karp_design> = designs
        .iter()
        .map(|design| c::karp_design {
            size: size_of::<c::karp_design>(),
            name: lend(design.name),
            snapshot: design.snapshot.at,
            plan: design.plan.0,
            // SAFETY: NULL and 0 are the defaults.
            ..unsafe { zeroed() }
        })
        .collect();
    let mut made = ptr::null_mut();
    // SAFETY: the designs live, and the comparison ends before they do.
    call(|error| unsafe { c::karp_compare_designs(context.0, given.as_ptr(), given.len(), &mut made, error) })?;
    // SAFETY: the comparison is ours until it is freed.
    let text = written(|out, error| unsafe { c::karp_write_comparison(context.0, made, ptr::null(), out, error) });
    unsafe { c::karp_comparison_free(made) };
    text
}
