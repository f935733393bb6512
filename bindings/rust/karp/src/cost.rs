// SPDX-License-Identifier: Apache-2.0

use karp_sys as c;
use std::mem::{size_of, zeroed};

/// The least $/h within the same rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// Steps of work, about a microsecond each; more never gives a more expensive plan.
    pub effort: u64,
    /// What any node costs beside its price, $/h.
    pub node_cost: f64,
    /// What the prices of spot are multiplied by, as a risk of interruptions is worth it; 0 is as 1.
    pub spot_factor: f64,
    /// Preferences of pods do not count.
    pub ignore_preferences: bool,
    /// A NodePool may be used before one of higher weight, where that is cheaper.
    pub ignore_weights: bool,
}

impl Default for Objective {
    fn default() -> Objective {
        Objective {
            effort: c::KARP_EFFORT_100MS.into(),
            node_cost: 0.0,
            spot_factor: 0.0,
            ignore_preferences: false,
            ignore_weights: false,
        }
    }
}

impl Objective {
    pub(crate) fn fill(&self, out: &mut c::karp_objective) {
        // SAFETY: plain data that the call fills in.
        unsafe { c::karp_objective_init(out, size_of::<c::karp_objective>()) };
        out.kind = c::KARP_OBJECTIVE_COST;
        out.effort = self.effort;
        out.node_cost = self.node_cost;
        out.spot_factor = self.spot_factor;
        for (asked, flag) in
            [(self.ignore_preferences, c::KARP_COST_IGNORE_PREFERENCES), (self.ignore_weights, c::KARP_COST_IGNORE_WEIGHTS)]
        {
            if asked {
                out.flags |= flag;
            }
        }
    }
}

/// What a plan with an [`Objective`] says of its cost: $/h of what it launches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub cost: f64,
    /// Of the plan that Karpenter would make.
    pub compatible_cost: f64,
    /// No plan for these pods costs less; 0 = none is known.
    pub bound: f64,
    /// The bound proves that no plan is cheaper.
    pub optimal: bool,
}

/// Limits of a repack plan; the default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Repack {
    /// Pods that move, in all.
    pub max_evictions: Option<u64>,
    pub max_steps: Option<u64>,
    /// $/h that a step has to save, in all and for each pod that it moves.
    pub min_saving: f64,
    pub min_saving_per_eviction: f64,
    /// Steps may remove more nodes at once than the NodePools' budgets allow.
    pub ignore_budgets: bool,
}

impl Repack {
    pub(crate) fn fill(&self, common: &c::karp_options) -> c::karp_repack_options {
        // SAFETY: plain data that the call fills in.
        let mut out: c::karp_repack_options = unsafe { zeroed() };
        unsafe { c::karp_repack_options_init(&mut out, size_of::<c::karp_repack_options>()) };
        out.common = common;
        out.max_evictions = self.max_evictions.unwrap_or(out.max_evictions);
        out.max_steps = self.max_steps.unwrap_or(out.max_steps);
        out.min_saving = self.min_saving;
        out.min_saving_per_eviction = self.min_saving_per_eviction;
        out.ignore_budgets = self.ignore_budgets.into();
        out
    }
}

/// What a repack plan comes to: $/h of the nodes there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepackCost {
    pub before: f64,
    /// When all steps are done.
    pub after: f64,
    /// No plan with so many evictions ends with less; 0 = none is known.
    pub bound: f64,
    /// Pods that move, each as often as it does.
    pub evictions: u64,
}
