// SPDX-License-Identifier: Apache-2.0

use crate::error::{call, checked, invalid, Error};
use crate::snapshot::Context;
use crate::text::{items, lend, text};
use karp_sys as c;
use std::ffi::CStr;
use std::mem::{size_of, zeroed};
use std::ptr;

/// A type of node that can be launched: at least `min`, at most `max` of them (0 = any number).
#[derive(Clone, Debug, Default)]
pub struct FitType {
    /// For error messages.
    pub name: String,
    /// Name and quantity, as Kubernetes writes it: `("cpu", "4")`.
    pub resources: Vec<(String, String)>,
    /// What selectors of demands look at.
    pub labels: Vec<(String, String)>,
    pub price: f64,
    pub min: u64,
    pub max: u64,
}

/// Nodes that are there already, `count` equal ones (0 = 1), and what is free on each.
#[derive(Clone, Debug, Default)]
pub struct FitNode {
    pub name: String,
    pub free: Vec<(String, String)>,
    pub labels: Vec<(String, String)>,
    pub count: u64,
}

/// Equal copies that need a place.
#[derive(Clone, Debug, Default)]
pub struct FitDemand {
    pub requests: Vec<(String, String)>,
    pub count: u64,
    /// Labels that a node needs.
    pub labels: Vec<(String, String)>,
    /// 0 = any number.
    pub max_per_node: u64,
    /// Demands of equal numbers are placed all or none; 0 = each copy by itself.
    pub group: u32,
    /// Higher first.
    pub priority: i32,
}

/// What [`fit`] decides about, without any object of Kubernetes.
#[derive(Clone, Debug, Default)]
pub struct FitRequest {
    pub types: Vec<FitType>,
    pub nodes: Vec<FitNode>,
    pub demands: Vec<FitDemand>,
    /// Of all types together; 0 = any number.
    pub max_launches: u64,
    /// The cheapest nodes that a search finds, instead of those of the rules.
    pub least_cost: bool,
    /// Of `least_cost`: steps of work, about a microsecond each; 0 = 100,000.
    pub effort: u64,
}

/// Nodes that receive the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitLoad {
    /// New ones of type `index`, else of the nodes `index` that exist.
    pub launched: bool,
    pub index: usize,
    pub nodes: u64,
    /// Demand and copies that each of them receives.
    pub shares: Vec<(usize, u64)>,
}

/// Copies that found no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitLeft {
    pub demand: usize,
    pub copies: u64,
    /// `SELECTOR`, `TOO_LARGE`, `FULL` or `GROUP`
    pub reason: String,
    /// Not even with any number of nodes of these types.
    pub permanent: bool,
}

/// The answer of [`fit`].
#[derive(Clone, Debug, PartialEq)]
pub struct Fitting {
    /// How many nodes of each type.
    pub launches: Vec<u64>,
    /// Per hour.
    pub cost: f64,
    pub loads: Vec<FitLoad>,
    pub left: Vec<FitLeft>,
}

fn resources(from: &[(String, String)]) -> Vec<c::karp_resource> {
    from.iter()
        .map(|(name, quantity)| {
            // SAFETY: plain data for which zeroes are a value.
            let mut out: c::karp_resource = unsafe { zeroed() };
            out.name = lend(name);
            out.text = lend(quantity);
            out
        })
        .collect()
}

fn labels(from: &[(String, String)]) -> Vec<c::karp_label> {
    from.iter().map(|(key, value)| c::karp_label { key: lend(key), value: lend(value) }).collect()
}

struct Fitted(*mut c::karp_fitting);

impl Drop for Fitted {
    fn drop(&mut self) {
        // SAFETY: it is ours.
        unsafe { c::karp_fitting_free(self.0) }
    }
}

/// Packs demands that need be no pods onto nodes that need be no Kubernetes nodes: which to launch, what goes where, what is
/// left and why.
pub fn fit(request: &FitRequest) -> Result<Fitting, Error> {
    if request.demands.len() > u32::MAX as usize {
        return Err(invalid("too many demands"));
    }
    let context = Context::new()?;
    let amounts: Vec<_> = request.types.iter().map(|t| (resources(&t.resources), labels(&t.labels))).collect();
    let free: Vec<_> = request.nodes.iter().map(|n| (resources(&n.free), labels(&n.labels))).collect();
    let wanted: Vec<_> = request.demands.iter().map(|d| (resources(&d.requests), labels(&d.labels))).collect();
    let selectors: Vec<c::karp_selector> = wanted
        .iter()
        .map(|(_, labels)| {
            // SAFETY: plain data for which zeroes are a value; so are the structs below.
            let mut out: c::karp_selector = unsafe { zeroed() };
            (out.match_labels, out.match_label_count) = (labels.as_ptr(), labels.len());
            out
        })
        .collect();
    let types: Vec<c::karp_fit_type> = (request.types.iter().zip(&amounts))
        .map(|(from, (resources, labels))| {
            let mut out: c::karp_fit_type = unsafe { zeroed() };
            (out.name, out.price, out.max_nodes, out.min_nodes) = (lend(&from.name), from.price, from.max, from.min);
            (out.resources, out.resource_count) = (resources.as_ptr(), resources.len());
            (out.labels, out.label_count) = (labels.as_ptr(), labels.len());
            out
        })
        .collect();
    let nodes: Vec<c::karp_fit_node> = (request.nodes.iter().zip(&free))
        .map(|(from, (resources, labels))| {
            let mut out: c::karp_fit_node = unsafe { zeroed() };
            (out.name, out.count) = (lend(&from.name), from.count);
            (out.free, out.free_count) = (resources.as_ptr(), resources.len());
            (out.labels, out.label_count) = (labels.as_ptr(), labels.len());
            out
        })
        .collect();
    let demands: Vec<c::karp_fit_demand> = (request.demands.iter().zip(&wanted).zip(&selectors))
        .map(|((from, (resources, labels)), selector)| {
            let mut out: c::karp_fit_demand = unsafe { zeroed() };
            (out.count, out.max_per_node, out.group, out.priority) = (from.count, from.max_per_node, from.group, from.priority);
            (out.requests, out.request_count) = (resources.as_ptr(), resources.len());
            out.selector = if labels.is_empty() { ptr::null() } else { selector };
            out
        })
        .collect();
    let mut out = ptr::null_mut();
    // SAFETY: everything that the request points to lives to the end of the call.
    unsafe {
        let mut asked: c::karp_fit_request = zeroed();
        c::karp_fit_request_init(&mut asked, size_of::<c::karp_fit_request>());
        (asked.types, asked.type_count) = (types.as_ptr(), types.len());
        (asked.nodes, asked.node_count) = (nodes.as_ptr(), nodes.len());
        (asked.demands, asked.demand_count) = (demands.as_ptr(), demands.len());
        asked.max_launches = request.max_launches;
        asked.objective = u32::from(request.least_cost);
        if request.effort > 0 {
            asked.effort = request.effort;
        }
        call(|error| c::karp_fit(context.0, &asked, &mut out, error))?;
    }
    read(&Fitted(out), types.len())
}

fn read(fitted: &Fitted, types: usize) -> Result<Fitting, Error> {
    // SAFETY: the fitting lives, and what its rows show is copied.
    unsafe {
        let launches = (0..types).map(|i| c::karp_fitting_launches(fitted.0, i)).collect();
        let mut made = Fitting { launches, cost: c::karp_fitting_cost(fitted.0), loads: Vec::new(), left: Vec::new() };
        for i in 0..c::karp_fitting_load_count(fitted.0) {
            let mut l: c::karp_fit_load = zeroed();
            l.size = size_of::<c::karp_fit_load>();
            checked(c::karp_fitting_load(fitted.0, i, &mut l))?;
            let shares = items(l.shares, l.share_count).iter().map(|s| (s.demand as usize, s.copies)).collect();
            made.loads.push(FitLoad { launched: l.launched != 0, index: l.index as usize, nodes: l.nodes, shares });
        }
        for i in 0..c::karp_fitting_left_count(fitted.0) {
            let mut l: c::karp_fit_left = zeroed();
            l.size = size_of::<c::karp_fit_left>();
            checked(c::karp_fitting_left(fitted.0, i, &mut l))?;
            let reason = text(CStr::from_ptr(c::karp_fit_reason_name(l.reason)));
            made.left.push(FitLeft { demand: l.demand as usize, copies: l.copies, reason, permanent: l.permanent != 0 });
        }
        Ok(made)
    }
}
