// SPDX-License-Identifier: Apache-2.0

use karp::{
    compare, fit, Admit, Answer, Design, FitDemand, FitRequest, FitType, Input, Method, Objective, Options, Profile, Repack, Status,
};
use std::sync::atomic::AtomicBool;

const CLUSTER: &str = r#"
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: huge}
spec: {containers: [{name: c, resources: {requests: {cpu: 100000}}}]}
"#;

fn cluster() -> karp::Snapshot {
    Input::new().text("cluster.yaml", CLUSTER).region("us-west-2").read().unwrap()
}

#[test]
fn documents_say_what_prices_lack() {
    let windows = CLUSTER
        .replace("  template: {spec: {", "  template: {spec: {requirements: [{key: kubernetes.io/os, operator: In, values: [windows]}], ");
    let snapshot = Input::new().text("cluster.yaml", windows.as_str()).region("us-west-2").read().unwrap();
    let json = snapshot.plan(&Options::default()).unwrap().to_json().unwrap();
    assert!(json.contains(r#""withoutLicences": "Windows""#) && json.contains(r#""provider": "aws""#), "{json}");
    assert!(snapshot.warnings().iter().any(|one| json.contains(one.as_str())), "{json}");
}

#[test]
fn plans() {
    let plan = cluster().plan(&Options::default()).unwrap();
    let launches = plan.launches().unwrap();
    assert_eq!(launches.len(), 1);
    assert_eq!(launches[0].pods, ["default/web"]);
    assert_eq!(launches[0].node_pool, "default");
    assert!(launches[0].price > 0.0 && launches[0].instance_types[0] == launches[0].instance_type);
    let left = plan.unschedulable().unwrap();
    assert_eq!((left[0].pod.as_str(), left[0].permanent), ("default/huge", true));
    assert!(plan.complete() && plan.cost_after() > plan.cost_before());
    assert_eq!(plan.hash().len(), 64);
    assert!(plan.to_json().unwrap().contains(&launches[0].instance_type));
    assert!(plan.commands().unwrap().is_empty() && plan.placements().unwrap().is_empty());
    assert_eq!(karp::version(), env!("CARGO_PKG_VERSION").replace("-rc.", "-rc"));
}

#[test]
fn admits_groups() {
    let group = r#"
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: train}
spec: {schedulingPolicy: {gang: {minCount: 2}}}
"#;
    let pod = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  schedulingGroup: {{podGroupName: train}}\n  containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}]\n"
        )
    };
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: report}\nspec:\n  suspend: true\n  template: {spec: {restartPolicy: Never, containers: [{name: c, resources: {requests: {cpu: 1}}}]}}\n";
    let read = |input: Input| {
        let input = input.text("cluster.yaml", CLUSTER).text("group.yaml", group).text("job.yaml", job);
        input.text("a.yaml", pod("a")).text("b.yaml", pod("b")).region("us-west-2").read().unwrap()
    };
    let asked = read(Input::new().queued()).admit(&Admit { changes: 1, ..Admit::default() }, &Options::default()).unwrap();
    let found = |name: &str| asked.workloads.iter().find(|each| each.name == name).unwrap();
    let train = found("default/train");
    assert_eq!((train.kind.as_str(), train.answer, train.placed, train.ready_after), ("PodGroup", Answer::Launch, 2, 60_000_000_000));
    assert!(
        !train.nodes.is_empty() && train.code.is_empty() && asked.decision.launches().unwrap().iter().any(|l| train.nodes.contains(&l.id))
    );
    assert_eq!((found("default/report").kind.as_str(), found("default/huge").answer), ("Job", Answer::Never));
    let one = read(Input::new()).admit(&Admit { only: "default/huge".into(), ..Admit::default() }, &Options::default()).unwrap();
    assert_eq!((one.workloads.len(), one.workloads[0].code.is_empty()), (1, false));
    let none = read(Input::new()).admit(&Admit { only: "default/report".into(), ..Admit::default() }, &Options::default());
    assert_eq!(none.err().unwrap().status, Status::NotFound);
    let groups = read(Input::new()).plan(&Options { profile: Profile::Karp, ..Options::default() }).unwrap().groups().unwrap();
    assert_eq!((groups[0].name.as_str(), groups[0].placed, groups[0].minimum), ("default/train", 2, 2));
}

#[test]
fn lists_conditions_of_requests() {
    let request = "apiVersion: autoscaling.x-k8s.io/v1\nkind: ProvisioningRequest\nmetadata: {name: want}\nspec: {provisioningClassName: best-effort-atomic-scale-up.autoscaling.x-k8s.io, podSets: [{count: 2, podTemplateRef: {name: one}}]}\n---\napiVersion: v1\nkind: PodTemplate\nmetadata: {name: one}\ntemplate: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}\n";
    let input = Input::new().queued().text("cluster.yaml", CLUSTER).text("request.yaml", request).region("us-west-2");
    let asked = input.read().unwrap().admit(&Admit::default(), &Options::default()).unwrap();
    let of = |kind: &str| &asked.workloads.iter().find(|each| each.kind == kind).unwrap().conditions;
    let told: Vec<_> = of("ProvisioningRequest").iter().map(|c| (c.kind.as_str(), c.status.as_str(), c.reason.as_str())).collect();
    assert_eq!(told, [("Accepted", "True", "Accepted"), ("Provisioned", "True", "CapacityIsProvisioned")]);
    assert!(of("Pod").is_empty());
}

#[test]
fn disrupts() {
    let snapshot = cluster();
    let gone = snapshot.disrupt(Method::Any, &Options { profile: Profile::Karp, ..Options::default() }).unwrap();
    assert!(gone.commands().unwrap().is_empty());
    gone.kept().unwrap();
}

#[test]
fn aims_at_the_least_cost() {
    let snapshot = cluster();
    let plan = snapshot.plan(&Options { objective: Some(Objective::default()), ..Options::default() }).unwrap();
    let cost = plan.cost().unwrap();
    assert!(cost.bound > 0.0 && cost.bound <= cost.cost + 1e-9 && cost.cost <= cost.compatible_cost + 1e-9, "{cost:?}");
    assert!(plan.repack_cost().is_none() && snapshot.plan(&Options::default()).unwrap().cost().is_none());
    let bad = Options { objective: Some(Objective { node_cost: f64::NAN, ..Objective::default() }), ..Options::default() };
    assert_eq!(snapshot.plan(&bad).err().unwrap().status, Status::Invalid);
}

/// A node of the pool with one pod, an hour before the clock.
fn node(number: u32) -> String {
    format!(
        r#"---
apiVersion: v1
kind: Node
metadata:
  name: node-{number}
  creationTimestamp: "2026-01-01T00:00:00Z"
  labels: {{kubernetes.io/hostname: node-{number}, kubernetes.io/arch: amd64, kubernetes.io/os: linux, karpenter.sh/nodepool: default,
    karpenter.sh/capacity-type: on-demand, karpenter.sh/registered: "true", karpenter.sh/initialized: "true",
    node.kubernetes.io/instance-type: m5.xlarge, topology.kubernetes.io/zone: us-west-2a}}
status:
  capacity: {{cpu: "4", memory: 15155Mi, pods: "58"}}
  allocatable: {{cpu: 3920m, memory: 14162Mi, pods: "58"}}
  conditions: [{{type: Ready, status: "True"}}]
---
apiVersion: v1
kind: Pod
metadata:
  name: pod-{number}
  creationTimestamp: "2026-01-01T00:00:00Z"
  ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: web, controller: true}}]
spec:
  nodeName: node-{number}
  containers: [{{name: main, resources: {{requests: {{cpu: 500m, memory: 1Gi}}}}}}]
status: {{phase: Running}}
"#
    )
}

#[test]
fn repacks() {
    let pool = CLUSTER.split("---").next().unwrap().to_string();
    let input = Input::new().text("cluster.yaml", pool + &(1..=3).map(node).collect::<String>()).region("us-west-2");
    let snapshot = input.now(1_767_229_200_000_000_000).read().unwrap(); // 2026-01-01T01:00:00Z
    let limits = Repack { ignore_budgets: true, ..Repack::default() };
    let plan = snapshot.repack(&limits, &Options::default()).unwrap();
    let cost = plan.repack_cost().unwrap();
    assert!(cost.bound <= cost.after && cost.after < cost.before && cost.evictions > 0, "{cost:?}");
    let saved: f64 = plan.commands().unwrap().iter().map(|step| step.savings).sum();
    assert!((cost.before - cost.after - saved).abs() < 1e-9, "{cost:?} {saved}");
    let still = snapshot.repack(&Repack { max_evictions: Some(0), ..limits }, &Options::default()).unwrap();
    assert_eq!(still.repack_cost().unwrap().evictions, 0);
    let bad = Repack { min_saving: -1.0, ..limits };
    assert_eq!(snapshot.repack(&bad, &Options::default()).err().unwrap().status, Status::Invalid);
}

#[test]
fn tells_the_settled_cost() {
    let apart = r#"
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  limits: {cpu: 100}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}
      containers: [{name: c, image: x, resources: {requests: {cpu: 500m, memory: 1Gi}}}]
"#;
    let rounds = Input::new().text("apart.yaml", apart).region("us-west-2").read().unwrap();
    assert!(rounds.plan_json(&Options::default()).unwrap().contains("\"settledCost\": {"));
    assert!(!rounds.plan(&Options::default()).unwrap().to_json().unwrap().contains("settledCost"));
    let one = cluster();
    assert_eq!(one.plan_json(&Options::default()).unwrap(), one.plan(&Options::default()).unwrap().to_json().unwrap());
}

#[test]
fn compares() {
    let snapshot = cluster();
    let settled = snapshot.settle(true, &Options::default()).unwrap();
    assert!(settled.contains("\"kind\": \"Settlement\"") && settled.contains("\"name\": \"settled\""), "{settled}");
    let same = snapshot.diff("karpenter", "karpenter").unwrap();
    assert!(same.contains("\"kind\": \"Diff\"") && same.contains("\"launches\": []"), "{same}");
    assert_eq!(snapshot.diff("karpenter", "karpenter-1").err().unwrap().status, Status::Invalid);
    let plan = snapshot.plan(&Options::default()).unwrap();
    let least = snapshot.plan(&Options { objective: Some(Objective::default()), ..Options::default() }).unwrap();
    let both = [
        Design { name: "as Karpenter", snapshot: &snapshot, plan: &plan },
        Design { name: "least cost", snapshot: &snapshot, plan: &least },
    ];
    let found = compare(&both).unwrap();
    assert!(found.contains("\"as Karpenter\"") && found.contains("\"objective\""), "{found}");
    assert_eq!(compare(&[]).err().unwrap().status, Status::Invalid);
}

#[test]
fn errors_say_where() {
    let error = Input::new().text("pods.yaml", CLUSTER.replace("cpu: 2}", "cpu: lots}")).read().err().unwrap();
    assert_eq!(error.status, Status::Invalid);
    assert_eq!((error.document.as_str(), error.object.as_str()), ("pods.yaml", "Pod default/web"));
    assert!(error.line > 0 && error.field.contains("cpu"), "{error:?}");
    assert!(error.to_string().starts_with("karp: pods.yaml:"));
    let boxed: Box<dyn std::error::Error> = Box::new(error);
    assert!(!boxed.to_string().is_empty());
    assert_eq!(Input::new().path("/nowhere").read().err().unwrap().status, Status::Io);
    assert_eq!(Input::new().path("a\0b").read().err().unwrap().status, Status::Invalid);
}

#[test]
fn stops() {
    let stop = AtomicBool::new(true);
    let pods: String = (0..3000).map(|i| format!("---\n{{apiVersion: v1, kind: Pod, metadata: {{name: p{i}}}, spec: {{containers: [{{name: c, resources: {{requests: {{cpu: \"{i}m\"}}}}}}]}}}}\n")).collect();
    let snapshot = Input::new().text("pool.yaml", CLUSTER).text("pods.yaml", pods).read().unwrap();
    let error = snapshot.plan(&Options { stop: Some(&stop), ..Options::default() }).err().unwrap();
    assert_eq!(error.status, Status::Canceled);
    snapshot.plan(&Options::default()).unwrap();
}

#[test]
fn threads_share() {
    let snapshot = cluster();
    let wanted = snapshot.plan(&Options::default()).unwrap().hash();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(snapshot.plan(&Options::default()).unwrap().hash(), wanted));
        }
    });
}

#[test]
fn fits() {
    let some = |cpu: &str| vec![("cpu".to_string(), cpu.to_string())];
    let mut request = FitRequest {
        types: vec![FitType { name: "m".into(), resources: some("4"), price: 0.2, ..FitType::default() }],
        demands: vec![
            FitDemand { requests: some("1500m"), count: 5, ..FitDemand::default() },
            FitDemand { requests: some("9"), count: 1, ..FitDemand::default() },
        ],
        ..FitRequest::default()
    };
    let fitting = fit(&request).unwrap();
    assert_eq!(fitting.launches, [3]);
    assert!((fitting.cost - 0.6).abs() < 1e-9);
    assert_eq!((fitting.left[0].demand, fitting.left[0].reason.as_str()), (1, "TOO_LARGE"));
    assert_eq!(fitting.loads.iter().map(|load| load.nodes * load.shares.iter().map(|share| share.1).sum::<u64>()).sum::<u64>(), 5);
    request.demands[0].requests = some("much");
    assert!(fit(&request).is_err());
}
