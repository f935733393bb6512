// SPDX-License-Identifier: Apache-2.0

// Made by bindings/generate.py from the headers and the records; not edited by hand.

use crate::decision::Decision;
use crate::error::{reason, Error};
use crate::objects::{Pairs, Requirement, Taint};
use crate::text::{amounts, copy, duration, items, pairs, requirements, taints, text, texts, time};
use karp_sys as c;
use std::ffi::CStr;
use std::time::{Duration, SystemTime};

/// The offering a launch is priced at.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// "" = no offering is available for the launch
    pub instance_type: String,
    pub zone: String,
    pub capacity_type: String,
    /// $/h; 0 without an offering
    pub price: f64,
}

impl Choice {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(_d: &Decision, r: &c::karp_choice) -> Result<Choice, Error> {
        Ok(Choice { instance_type: copy(r.instance_type), zone: copy(r.zone), capacity_type: copy(r.capacity_type), price: r.price })
    }
}

/// The node class of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeClassRef {
    pub group: String,
    pub kind: String,
    pub name: String,
}

impl NodeClassRef {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(_d: &Decision, r: &c::karp_node_class_ref) -> Result<NodeClassRef, Error> {
        Ok(NodeClassRef { group: copy(r.group), kind: copy(r.kind), name: copy(r.name) })
    }
}

/// A node to start: one NodeClaim.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// "new-1": unique within the decision
    pub id: String,
    pub node_pool: String,
    pub node_class: NodeClassRef,
    /// "namespace/name", by name
    pub pods: Vec<String>,
    /// of its pods and of the DaemonSets on it, by resource name; canonical text
    pub requests: Pairs,
    /// final requirements of the scheduler, by key; a bound is an entry of its own
    pub requirements: Vec<Requirement>,
    /// the NodeClaim's: the same with instance types and capacity types
    pub claim_requirements: Vec<Requirement>,
    /// of the NodeClaim, by key
    pub labels: Pairs,
    /// of the NodeClaim, by key
    pub annotations: Pairs,
    pub taints: Vec<Taint>,
    pub startup_taints: Vec<Taint>,
    /// cheapest first, at most 600; none for static NodePools
    pub instance_types: Vec<String>,
    pub expire_after: Option<Duration>,
    pub termination_grace_period: Option<Duration>,
    /// "" = no offering is available for the launch
    pub instance_type: String,
    pub zone: String,
    pub capacity_type: String,
    /// $/h; 0 without an offering
    pub price: f64,
    /// the price of choice before a NodeOverlay changed it; 0 = none did. Since 1.0
    pub list_price: f64,
    /// the cheapest offering of the second type; "" = there is none, or explain level none
    pub runner_up: Option<Choice>,
    /// The rule by which pods like one of its pods get nodes of their own: "one pod like it for each node: host port
    /// 80 is free once on a node"; "" = there is none or no other such pod, or explain level none. Since 1.0
    pub apart: String,
    /// single-valued labels of the chosen type and offering, by key
    pub choice_labels: Pairs,
    /// of the chosen type, canonical text
    pub capacity: Pairs,
    /// of the chosen type, canonical text
    pub allocatable: Pairs,
}

impl Launch {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(d: &Decision, r: &c::karp_launch) -> Result<Launch, Error> {
        Ok(Launch {
            id: copy(r.id),
            node_pool: copy(r.node_pool),
            node_class: NodeClassRef::of(d, &r.node_class)?,
            pods: d.pods(r.pods, r.pod_count),
            requests: amounts(r.requests, r.request_count),
            requirements: requirements(r.requirements, r.requirement_count),
            claim_requirements: requirements(r.claim_requirements, r.claim_requirement_count),
            labels: pairs(r.labels, r.label_count),
            annotations: pairs(r.annotations, r.annotation_count),
            taints: taints(r.taints, r.taint_count),
            startup_taints: taints(r.startup_taints, r.startup_taint_count),
            instance_types: texts(r.instance_types, r.instance_type_count),
            expire_after: duration(r.expire_after),
            termination_grace_period: duration(r.termination_grace_period),
            instance_type: copy(r.choice.instance_type),
            zone: copy(r.choice.zone),
            capacity_type: copy(r.choice.capacity_type),
            price: r.choice.price,
            list_price: r.list_price,
            runner_up: if r.runner_up.instance_type.len > 0 { Some(Choice::of(d, &r.runner_up)?) } else { None },
            apart: copy(r.apart),
            choice_labels: pairs(r.choice_labels, r.choice_label_count),
            capacity: amounts(r.capacity, r.capacity_count),
            allocatable: amounts(r.allocatable, r.allocatable_count),
        })
    }
}

/// Pods that go to a node that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    pub node: String,
    /// "namespace/name", by name
    pub pods: Vec<String>,
}

impl Placement {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(d: &Decision, r: &c::karp_placement) -> Result<Placement, Error> {
        Ok(Placement { node: copy(r.node), pods: d.pods(r.pods, r.pod_count) })
    }
}

/// Why a NodePool does not take a pod, with the number of instance types left after each step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolRefusal {
    pub node_pool: String,
    pub code: String,
    /// English, for people; may change
    pub detail: String,
    /// number of instance types of the NodePool …
    pub types_start: u32,
    /// … that also meet the requirements …
    pub types_requirements: u32,
    /// … and are large enough …
    pub types_resources: u32,
    /// … and have an available offering
    pub types_offerings: u32,
}

impl PoolRefusal {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(_d: &Decision, r: &c::karp_pool_refusal) -> Result<PoolRefusal, Error> {
        Ok(PoolRefusal {
            node_pool: copy(r.node_pool),
            code: reason(r.code),
            detail: copy(r.detail),
            types_start: r.types_start,
            types_requirements: r.types_requirements,
            types_resources: r.types_resources,
            types_offerings: r.types_offerings,
        })
    }
}

/// What a node, or a launch, said to a pod (explain level full).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRefusal {
    /// node name, or launch id
    pub target: String,
    pub is_launch: bool,
    pub code: String,
}

impl TargetRefusal {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(_d: &Decision, r: &c::karp_target_refusal) -> Result<TargetRefusal, Error> {
        Ok(TargetRefusal { target: copy(r.target), is_launch: r.is_launch != 0, code: reason(r.code) })
    }
}

/// A value of a topology key, with the number of pods that the constraint counts there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyDomain {
    /// "us-west-2a"; for the host name the name of the node, or the id of the launch
    pub value: String,
    /// pods that the constraint counts in it, those placed by this decision included
    pub pods: u32,
    pub code: String,
    /// English, for people; may change: "1 more would be 2 above the minimum of 0"; "" = allowed
    pub detail: String,
    /// existing nodes with this value
    pub nodes: u32,
    /// the first of the nodes, by name; "" = none
    pub node: String,
    /// NodePools that it is known from
    pub node_pools: u32,
    /// the first of the NodePools, those that name it before those whose types have it; "" = none
    pub node_pool: String,
    /// the requirements or labels of node_pool name the value
    pub named: bool,
    /// spread: 1 = it counts for the minimum from which maxSkew is measured, and has that count
    pub minimum: bool,
    /// affinity and anti-affinity: the first pod that is counted, "namespace/name"; "" = none
    pub pod: String,
    pub volume: String,
}

impl TopologyDomain {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(_d: &Decision, r: &c::karp_topology_domain) -> Result<TopologyDomain, Error> {
        Ok(TopologyDomain {
            value: copy(r.value),
            pods: r.count,
            code: text(CStr::from_ptr(c::karp_domain_name(r.code))),
            detail: copy(r.detail),
            nodes: r.node_count,
            node: copy(r.node),
            node_pools: r.pool_count,
            node_pool: copy(r.node_pool),
            named: r.named != 0,
            minimum: r.minimum != 0,
            pod: copy(r.pod),
            volume: copy(r.volume),
        })
    }
}

/// A spread constraint, affinity or anti-affinity that keeps a pod from domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    pub kind: String,
    /// "topology.kubernetes.io/zone"
    pub key: String,
    /// of the pods that it counts, "app=web,tier In (a,b)"; "" = none
    pub selector: String,
    /// its selector selects the pod
    pub selects_itself: bool,
    /// spread; else 0
    pub max_skew: i32,
    /// spread; 0 = absent
    pub min_domains: i32,
    /// spread: the count from which maxSkew is measured; 0 if no domain counts
    pub minimum: i64,
    /// English, for people; may change: what has to change so that a domain is allowed
    pub cause: String,
    /// by value; of more than 64 the first, those in use before the others
    pub domains: Vec<TopologyDomain>,
    /// the number of domains, also of those that are not listed
    pub domain_total: usize,
}

impl Topology {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(d: &Decision, r: &c::karp_topology) -> Result<Topology, Error> {
        Ok(Topology {
            kind: text(CStr::from_ptr(c::karp_topology_name(r.kind))),
            key: copy(r.key),
            selector: copy(r.selector),
            selects_itself: r.selects_itself != 0,
            max_skew: r.max_skew,
            min_domains: r.min_domains,
            minimum: r.minimum,
            cause: copy(r.cause),
            domains: items(r.domains, r.domain_count).iter().map(|each| TopologyDomain::of(d, each)).collect::<Result<_, _>>()?,
            domain_total: r.domain_total,
        })
    }
}

/// A pod that fits nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unschedulable {
    /// "namespace/name"
    pub pod: String,
    pub code: String,
    /// waiting does not make it schedulable
    pub permanent: bool,
    /// as Karpenter words it; may change
    pub message: String,
    /// a row for each NodePool
    pub pools: Vec<PoolRefusal>,
    /// If topology keeps the pod from a NodePool that would launch a node for it otherwise: the constraints that rule
    /// out domains. Empty with explain level none. Since 1.0.
    pub topologies: Vec<Topology>,
    /// with explain level full
    pub targets: Vec<TargetRefusal>,
    /// preferences that were dropped without success, in that order
    pub relax: Vec<String>,
}

impl Unschedulable {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(d: &Decision, r: &c::karp_unschedulable) -> Result<Unschedulable, Error> {
        Ok(Unschedulable {
            pod: copy(c::karp_decision_pod_name(d.0, r.pod)),
            code: reason(r.code),
            permanent: r.permanent != 0,
            message: copy(r.message),
            pools: items(r.pools, r.pool_count).iter().map(|each| PoolRefusal::of(d, each)).collect::<Result<_, _>>()?,
            topologies: items(r.topologies, r.topology_count).iter().map(|each| Topology::of(d, each)).collect::<Result<_, _>>()?,
            targets: items(r.targets, r.target_count).iter().map(|each| TargetRefusal::of(d, each)).collect::<Result<_, _>>()?,
            relax: texts(r.relaxed, r.relaxed_count),
        })
    }
}

/// A pod that was not considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// "namespace/name"
    pub pod: String,
    pub code: String,
    /// English; may change
    pub message: String,
}

impl Ignored {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(d: &Decision, r: &c::karp_ignored) -> Result<Ignored, Error> {
        Ok(Ignored { pod: copy(c::karp_decision_pod_name(d.0, r.pod)), code: reason(r.code), message: copy(r.message) })
    }
}

/// A node that was there before: amounts in cores and bytes, the pods placed now included.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeUse {
    pub node: String,
    /// "" = it belongs to no NodePool
    pub node_pool: String,
    pub instance_type: String,
    pub zone: String,
    pub capacity_type: String,
    /// $/h; 0 = unknown
    pub price: f64,
    /// cores, including the pods that this decision places here
    pub cpu_requested: f64,
    /// cores
    pub cpu_allocatable: f64,
    /// bytes, including the pods that this decision places here
    pub memory_requested: f64,
    /// bytes
    pub memory_allocatable: f64,
    /// it is being deleted, or this decision disrupts it
    pub marked: bool,
    /// number of pods that this decision places here
    pub pods_received: u32,
}

impl NodeUse {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(_d: &Decision, r: &c::karp_node_use) -> Result<NodeUse, Error> {
        Ok(NodeUse {
            node: copy(r.node),
            node_pool: copy(r.node_pool),
            instance_type: copy(r.instance_type),
            zone: copy(r.zone),
            capacity_type: copy(r.capacity_type),
            price: r.price,
            cpu_requested: r.cpu_requested,
            cpu_allocatable: r.cpu_allocatable,
            memory_requested: r.memory_requested,
            memory_allocatable: r.memory_allocatable,
            marked: r.marked != 0,
            pods_received: r.pods_received,
        })
    }
}

/// What repair would do with a node, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateRepair {
    pub action: String,
    /// type of the condition that caused it
    pub condition: String,
    /// its reason
    pub reason: String,
    /// by the policy for all other reasons
    pub fallback: bool,
    /// replaced instead of rebooted, as it was rebooted twice within a day
    pub escalated: bool,
    /// the highest is repaired first
    pub score: f64,
    pub eligible_at: Option<SystemTime>,
    pub termination_grace_period: Option<Duration>,
}

impl CandidateRepair {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(_d: &Decision, r: &c::karp_candidate_repair) -> Result<CandidateRepair, Error> {
        Ok(CandidateRepair {
            action: match r.action {
                0 => "ReplaceNode",
                1 => "RebootNode",
                _ => "",
            }
            .into(),
            condition: copy(r.condition),
            reason: copy(r.reason),
            fallback: r.fallback != 0,
            escalated: r.escalated != 0,
            score: r.score,
            eligible_at: time(r.eligible_at),
            termination_grace_period: duration(r.termination_grace_period),
        })
    }
}

/// A node that was looked at; its pods are those that would have to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub node: String,
    pub node_pool: String,
    /// $/h of the node's offering; 0 = unknown
    pub price: f64,
    /// The eviction costs of its pods (no unit; 1 for an ordinary pod), times the part of expireAfter that is left.
    pub disruption_cost: f64,
    /// 1 + the positive eviction costs of its pods; no unit
    pub reschedule_disruption_cost: f64,
    /// "namespace/name", by name
    pub pods: Vec<String>,
    pub repair: Option<CandidateRepair>,
}

impl Candidate {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(d: &Decision, r: &c::karp_candidate) -> Result<Candidate, Error> {
        Ok(Candidate {
            node: copy(r.node),
            node_pool: copy(r.node_pool),
            price: r.price,
            disruption_cost: r.disruption_cost,
            reschedule_disruption_cost: r.reschedule_cost,
            pods: d.pods(r.pods, r.pod_count),
            repair: r.repair.as_ref().map(|each| CandidateRepair::of(d, each)).transpose()?,
        })
    }
}

/// Nodes that go together, and what comes in their place.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    pub method: String,
    pub reason: String,
    pub decision: String,
    pub terminate_first_reason: String,
    pub termination_grace_period: Option<Duration>,
    /// replacements are launched first (decision says more)
    pub replaces: bool,
    /// names, in the order of the candidates
    pub nodes: Vec<String>,
    pub replacements: Vec<Launch>,
    pub placements: Vec<Placement>,
    /// $/h: the prices of the nodes without those of their replacements; negative = it costs more
    pub savings: f64,
    /// a replacement cannot be launched: no offering is available for its final requirements (quirk D-Q11), or for
    /// its static NodePool. Karpenter abandons such a command when the launch fails. savings is 0, and the cost after
    /// the decision is that without it.
    pub replacement_unavailable: bool,
    /// some of its nodes, or of those that receive its pods, have expired: Karpenter deletes them whatever the pass
    /// decides, so that savings do not last. Since 1.0
    pub expired: bool,
    /// of the policy Balanced; negative = not scored
    pub score: f64,
    /// nanoseconds until it is validated; 0 = it is not validated
    pub validate_after: Option<Duration>,
}

impl Command {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(d: &Decision, r: &c::karp_command) -> Result<Command, Error> {
        Ok(Command {
            method: text(CStr::from_ptr(c::karp_method_name(r.method))),
            reason: text(CStr::from_ptr(c::karp_method_reason(r.method))),
            decision: match r.decision {
                0 => "delete",
                1 => "replace",
                2 => "terminate-first",
                3 => "reboot",
                _ => "",
            }
            .into(),
            terminate_first_reason: match r.terminate_first {
                1 => "no-reserved-capacity",
                2 => "static-at-limit",
                _ => "",
            }
            .into(),
            termination_grace_period: duration(r.termination_grace_period),
            replaces: r.replaces != 0,
            nodes: texts(r.nodes, r.node_count),
            replacements: (r.launch_first..r.launch_first + r.launch_count).map(|i| d.launch(i)).collect::<Result<_, _>>()?,
            placements: (r.placement_first..r.placement_first + r.placement_count).map(|i| d.placement(i)).collect::<Result<_, _>>()?,
            savings: r.savings,
            replacement_unavailable: r.replacement_unavailable != 0,
            expired: r.expired != 0,
            score: r.score,
            validate_after: duration(r.validate_after),
        })
    }
}

/// A node that stays, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub node: String,
    pub code: String,
    /// what is in the way: a pod, a budget, a NodePool; "" = nothing to add
    pub detail: String,
    /// With SPOT_TO_SPOT_TOO_FEW_TYPES the number of cheaper types, with SEVERAL_NODES_NEEDED the number of new
    /// nodes; else 0. Since 1.0.
    pub found: u32,
}

impl Kept {
    /// What the row shows is borrowed from the decision, and copied here.
    pub(crate) unsafe fn of(_d: &Decision, r: &c::karp_kept) -> Result<Kept, Error> {
        Ok(Kept { node: copy(r.node), code: reason(r.code), detail: copy(r.detail), found: r.found })
    }
}
