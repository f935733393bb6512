// SPDX-License-Identifier: Apache-2.0

use karp::objects::{pairs, InstanceType, Node, NodePool, Object, Offering, Pod, Requirement, Taint, Toleration};
use karp::{Input, Method, Options};

fn amounts(cpu: &str) -> Vec<(String, String)> {
    pairs(&[("cpu", cpu), ("memory", "1Gi")])
}

fn types() -> Vec<InstanceType> {
    let capacity = pairs(&[("cpu", "4"), ("memory", "16Gi"), ("pods", "60")]);
    let reserved = InstanceType {
        overhead: pairs(&[("cpu", "1")]),
        ..InstanceType::new("small", capacity.clone(), vec![Offering::new("a", "spot", 0.05)])
    };
    vec![InstanceType::new("large", capacity, vec![Offering::new("a", "on-demand", 0.2), Offering::new("b", "on-demand", 0.1)]), reserved]
}

#[test]
fn plans_for_structs() {
    let on_demand = Requirement::new("karpenter.sh/capacity-type", "In", &["on-demand"]);
    let tainted = Taint { key: "team".into(), value: "ml".into(), effect: "NoSchedule".into() };
    let pool = NodePool {
        requirements: vec![on_demand.clone()],
        taints: vec![tainted],
        limits: pairs(&[("cpu", "100")]),
        ..NodePool::new("default")
    };
    let tolerations = vec![Toleration { key: "team".into(), value: Some("ml".into()), ..Toleration::default() }];
    let web = Pod { tolerations, affinity: vec![on_demand], labels: pairs(&[("app", "web")]), ..Pod::new("web", amounts("3")) };
    let refused = Pod::new("refused", amounts("1"));
    let snapshot = Input::new().types(&types()).object(&pool).object(&web).object(&refused).read().unwrap();
    let plan = snapshot.plan(&Options::default()).unwrap();
    let launches = plan.launches().unwrap();
    assert_eq!(launches.len(), 1);
    assert_eq!((launches[0].instance_type.as_str(), launches[0].zone.as_str(), launches[0].price), ("large", "b", 0.1));
    assert_eq!(launches[0].pods, ["default/web"]);
    assert_eq!(plan.unschedulable().unwrap()[0].pod, "default/refused");
}

#[test]
fn nodes_receive_and_go() {
    let node = |name: &str| Node {
        pool: "default".into(),
        instance_type: "large".into(),
        zone: "b".into(),
        capacity_type: "on-demand".into(),
        ..Node::new(name, pairs(&[("cpu", "4"), ("memory", "16Gi"), ("pods", "60")]))
    };
    let pool =
        NodePool { consolidate_after: "0s".into(), consolidation_policy: "WhenEmptyOrUnderutilized".into(), ..NodePool::new("default") };
    let running = Pod { node: "busy".into(), owner: "web".into(), ..Pod::new("running", amounts("3")) };
    let input = || Input::new().types(&types()).object(&pool).object(&node("busy")).object(&node("idle")).object(&running);
    let gone = input().read().unwrap().disrupt(Method::Any, &Options::default()).unwrap().commands().unwrap();
    assert_eq!(gone.len(), 1);
    assert_eq!(gone[0].nodes, ["idle"]);
    let placed = input().object(&Pod::new("next", amounts("2"))).read().unwrap().plan(&Options::default()).unwrap();
    assert_eq!(placed.placements().unwrap()[0].node, "idle");
}

#[test]
fn texts_are_quoted_and_mistakes_named() {
    let odd = Pod { annotations: pairs(&[("note", "a \"b\" \\ \n")]), ..Pod::new("odd", amounts("1")) };
    assert!(odd.manifest().contains(r#"{"note":"a \"b\" \\ \u000a"}"#), "{}", odd.manifest());
    let wrong = Input::new().object(&odd).object(&Pod::new("wrong", amounts("much"))).read().err().unwrap();
    assert!(wrong.to_string().contains("wrong") && wrong.to_string().contains("cpu"), "{wrong}");
}
