// SPDX-License-Identifier: Apache-2.0

//! Objects of a cluster, and instance types, as structs: with the fields that decisions ask for most. For everything else there
//! are documents ([`crate::Input::text`]).

use std::fmt::Write;

/// Labels, amounts: names and what they have, `("cpu", "500m")`.
pub type Pairs = Vec<(String, String)>;

/// [`Pairs`] of literals.
pub fn pairs(of: &[(&str, &str)]) -> Pairs {
    of.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// What has a manifest.
pub trait Object {
    /// As Kubernetes writes it, in JSON.
    fn manifest(&self) -> String;
}

/// A requirement on labels, with an operator of Kubernetes: `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt`, `Lt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    pub key: String,
    pub operator: String,
    pub values: Vec<String>,
}

impl Requirement {
    pub fn new(key: &str, operator: &str, values: &[&str]) -> Requirement {
        Requirement { key: key.into(), operator: operator.into(), values: values.iter().map(|value| value.to_string()).collect() }
    }

    fn json(&self) -> String {
        object(&[("key", some(&self.key)), ("operator", some(&self.operator)), ("values", list(&self.values, |value| quoted(value)))])
    }
}

/// A taint of nodes, or of a NodePool's nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taint {
    pub key: String,
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: String,
}

impl Taint {
    fn json(&self) -> String {
        object(&[("key", some(&self.key)), ("value", some(&self.value)), ("effect", some(&self.effect))])
    }
}

/// What a pod tolerates. Without a value: the taint whatever its value is. Without a key: every taint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toleration {
    pub key: String,
    pub value: Option<String>,
    pub effect: String,
}

impl Toleration {
    fn json(&self) -> String {
        let operator = if self.value.is_some() { "Equal" } else { "Exists" };
        let value = self.value.as_deref().map(quoted);
        object(&[("key", some(&self.key)), ("operator", some(operator)), ("value", value), ("effect", some(&self.effect))])
    }
}

/// A pod: pending, or bound to a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pod {
    pub namespace: String,
    pub name: String,
    /// Of its one container.
    pub requests: Pairs,
    pub labels: Pairs,
    pub annotations: Pairs,
    pub node_selector: Pairs,
    /// What labels its node has to have beside `node_selector`.
    pub affinity: Vec<Requirement>,
    pub tolerations: Vec<Toleration>,
    /// The ReplicaSet that would make it anew, without which its node may not go; empty = none.
    pub owner: String,
    /// Where it runs; empty = it waits for a node.
    pub node: String,
}

impl Pod {
    /// A pod of the namespace `default`; what else it has is set as `Pod { labels, ..Pod::new("web-0", requests) }`.
    pub fn new(name: &str, requests: Pairs) -> Pod {
        Pod { namespace: "default".into(), name: name.into(), requests, ..Pod::default() }
    }
}

impl Object for Pod {
    fn manifest(&self) -> String {
        let owner = object(&[
            ("apiVersion", some("apps/v1")),
            ("kind", some("ReplicaSet")),
            ("name", some(&self.owner)),
            ("uid", some(&self.owner)),
            ("controller", Some("true".into())),
        ]);
        let metadata = object(&[
            ("namespace", some(&self.namespace)),
            ("name", some(&self.name)),
            ("labels", map(&self.labels)),
            ("annotations", map(&self.annotations)),
            ("ownerReferences", some(&self.owner).map(|_| format!("[{owner}]"))),
        ]);
        let affinity = list(&self.affinity, Requirement::json).map(|terms| {
            format!(
                "{{\"nodeAffinity\":{{\"requiredDuringSchedulingIgnoredDuringExecution\":\
                 {{\"nodeSelectorTerms\":[{{\"matchExpressions\":{terms}}}]}}}}}}"
            )
        });
        let requests = object(&[("requests", map(&self.requests))]);
        let spec = object(&[
            ("nodeName", some(&self.node)),
            ("nodeSelector", map(&self.node_selector)),
            ("affinity", affinity),
            ("tolerations", list(&self.tolerations, Toleration::json)),
            ("containers", Some(format!("[{{\"name\":\"main\",\"resources\":{requests}}}]"))),
        ]);
        let status = some(&self.node).map(|_| "{\"phase\":\"Running\"}".to_string());
        whole("v1", "Pod", metadata, spec, status)
    }
}

/// Which nodes can be launched, and when they are disrupted. What is empty is what an API server sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodePool {
    pub name: String,
    pub requirements: Vec<Requirement>,
    pub labels: Pairs,
    pub taints: Vec<Taint>,
    pub limits: Pairs,
    pub weight: Option<u32>,
    /// `WhenEmpty`, `WhenEmptyOrUnderutilized` …
    pub consolidation_policy: String,
    pub consolidate_after: String,
    pub expire_after: String,
    /// Group, kind and name.
    pub node_class: (String, String, String),
}

impl NodePool {
    /// With the node class `default` of AWS; what else it has is set as `NodePool { weight, ..NodePool::new("default") }`.
    pub fn new(name: &str) -> NodePool {
        let node_class = ("karpenter.k8s.aws".into(), "EC2NodeClass".into(), "default".into());
        NodePool { name: name.into(), node_class, ..NodePool::default() }
    }
}

impl Object for NodePool {
    fn manifest(&self) -> String {
        let (group, kind, name) = &self.node_class;
        let class = object(&[("group", some(group)), ("kind", some(kind)), ("name", some(name))]);
        let nodes = object(&[
            ("nodeClassRef", Some(class)),
            ("requirements", list(&self.requirements, Requirement::json)),
            ("taints", list(&self.taints, Taint::json)),
            ("expireAfter", some(&self.expire_after)),
        ]);
        let labels = map(&self.labels).map(|labels| object(&[("labels", Some(labels))]));
        let disruption =
            object(&[("consolidationPolicy", some(&self.consolidation_policy)), ("consolidateAfter", some(&self.consolidate_after))]);
        let spec = object(&[
            ("template", Some(object(&[("metadata", labels), ("spec", Some(nodes))]))),
            ("disruption", Some(disruption)),
            ("limits", map(&self.limits)),
            ("weight", self.weight.map(|weight| weight.to_string())),
        ]);
        whole("karpenter.sh/v1", "NodePool", object(&[("name", some(&self.name))]), spec, None)
    }
}

/// A node that has joined the cluster. With a pool it is one that Karpenter launched; without, nobody removes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    pub name: String,
    pub allocatable: Pairs,
    pub pool: String,
    pub instance_type: String,
    pub zone: String,
    pub capacity_type: String,
    pub labels: Pairs,
    pub taints: Vec<Taint>,
}

impl Node {
    pub fn new(name: &str, allocatable: Pairs) -> Node {
        Node { name: name.into(), allocatable, ..Node::default() }
    }
}

impl Object for Node {
    fn manifest(&self) -> String {
        let mut labels = pairs(&[("kubernetes.io/hostname", &self.name), ("kubernetes.io/arch", "amd64"), ("kubernetes.io/os", "linux")]);
        if !self.pool.is_empty() {
            labels.extend(pairs(&[
                ("karpenter.sh/nodepool", &self.pool),
                ("karpenter.sh/registered", "true"),
                ("karpenter.sh/initialized", "true"),
            ]));
        }
        for (key, value) in [(TYPE, &self.instance_type), (ZONE, &self.zone), (CAPACITY_TYPE, &self.capacity_type)] {
            if !value.is_empty() {
                labels.push((key.into(), value.clone()));
            }
        }
        labels.retain(|(key, _)| self.labels.iter().all(|(own, _)| own != key));
        labels.extend(self.labels.clone());
        let metadata = object(&[("name", some(&self.name)), ("labels", map(&labels))]);
        let status = object(&[
            ("capacity", map(&self.allocatable)),
            ("allocatable", map(&self.allocatable)),
            ("conditions", Some("[{\"type\":\"Ready\",\"status\":\"True\"}]".into())),
        ]);
        whole("v1", "Node", metadata, object(&[("taints", list(&self.taints, Taint::json))]), Some(status))
    }
}

/// Where a type can be launched, and for how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Offering {
    pub zone: String,
    /// `on-demand`, `spot` or `reserved`.
    pub capacity_type: String,
    /// $/h.
    pub price: f64,
    pub available: bool,
}

impl Offering {
    pub fn new(zone: &str, capacity_type: &str, price: f64) -> Offering {
        Offering { zone: zone.into(), capacity_type: capacity_type.into(), price, available: true }
    }

    fn json(&self) -> String {
        let places = [Requirement::new(ZONE, "In", &[&self.zone]), Requirement::new(CAPACITY_TYPE, "In", &[&self.capacity_type])];
        object(&[
            ("requirements", list(&places, Requirement::json)),
            ("price", Some(format!("{:?}", self.price))),
            ("available", Some(self.available.to_string())),
        ])
    }
}

/// A type that can be launched, for [`crate::Input::types`].
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceType {
    pub name: String,
    pub capacity: Pairs,
    /// What pods cannot have of its capacity.
    pub overhead: Pairs,
    pub offerings: Vec<Offering>,
    /// `amd64`, if it is empty.
    pub arch: String,
    pub labels: Pairs,
}

impl InstanceType {
    pub fn new(name: &str, capacity: Pairs, offerings: Vec<Offering>) -> InstanceType {
        InstanceType { name: name.into(), capacity, offerings, overhead: Pairs::new(), arch: String::new(), labels: Pairs::new() }
    }

    fn json(&self) -> String {
        let arch = if self.arch.is_empty() { "amd64" } else { &self.arch };
        let mut labels = pairs(&[(TYPE, &self.name), ("kubernetes.io/arch", arch), ("kubernetes.io/os", "linux")]);
        labels.retain(|(key, _)| self.labels.iter().all(|(own, _)| own != key));
        labels.extend(self.labels.clone());
        let labels = members(labels.iter().map(|(key, value)| (quoted(key), format!("[{}]", quoted(value)))));
        let overhead = map(&self.overhead).map(|amounts| object(&[("kubeReserved", Some(amounts))]));
        object(&[
            ("name", some(&self.name)),
            ("labels", Some(labels)),
            ("capacity", map(&self.capacity)),
            ("overhead", overhead.or(Some("{}".into()))),
            ("offerings", list(&self.offerings, Offering::json).or(Some("[]".into()))),
        ])
    }
}

/// A catalogue document of these types.
pub(crate) fn catalogue(types: &[InstanceType]) -> String {
    list(types, InstanceType::json).unwrap_or("[]".into())
}

const TYPE: &str = "node.kubernetes.io/instance-type";
const ZONE: &str = "topology.kubernetes.io/zone";
const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";

/* ---- JSON: what says nothing is left out ---- */

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for sign in text.chars() {
        match sign {
            '"' | '\\' => out.extend(['\\', sign]),
            sign if (sign as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", sign as u32);
            }
            sign => out.push(sign),
        }
    }
    out.push('"');
    out
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| quoted(text))
}

fn list<T>(of: &[T], each: impl Fn(&T) -> String) -> Option<String> {
    (!of.is_empty()).then(|| format!("[{}]", of.iter().map(each).collect::<Vec<_>>().join(",")))
}

fn members(of: impl Iterator<Item = (String, String)>) -> String {
    format!("{{{}}}", of.map(|(name, value)| format!("{name}:{value}")).collect::<Vec<_>>().join(","))
}

fn object(of: &[(&str, Option<String>)]) -> String {
    members(of.iter().filter_map(|(name, value)| value.clone().map(|value| (quoted(name), value))))
}

fn map(of: &Pairs) -> Option<String> {
    (!of.is_empty()).then(|| members(of.iter().map(|(name, value)| (quoted(name), quoted(value)))))
}

fn whole(version: &str, kind: &str, metadata: String, spec: String, status: Option<String>) -> String {
    object(&[("apiVersion", some(version)), ("kind", some(kind)), ("metadata", Some(metadata)), ("spec", Some(spec)), ("status", status)])
}
