/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents of every kind under refused memory: each allocation once, and from then on. What comes of it is
 * KARP_E_NOMEM, or the same snapshot.
 */
#include <io/kinds.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <karp/io.h>
#include <karp/karp.h>
#include <karp/peer.h>
#include <support/fault.h>

/* Filled in from each other: nodes, claims and pools; pods, classes and budgets; workloads and what they expand to. */
static const char today[] =
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {template: {metadata: {labels: "
    "{team: "
    "a}}, spec: {taints: [{key: t, effect: NoSchedule}], requirements: [{key: kubernetes.io/arch, operator: In, "
    "values: "
    "[amd64]}], nodeClassRef: {group: g, kind: ANodeClass, name: c}}}}}\n---\n"
    "{apiVersion: g/v1, kind: ANodeClass, metadata: {name: c}, spec: {x: 1.5}}\n---\n"
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: n1, labels: {karpenter.sh/nodepool: default}}, "
    "status: {nodeName: n1}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {node.kubernetes.io/instance-type: small}}, spec: "
    "{unschedulable: true}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {karpenter.sh/nodepool: default, "
    "node.kubernetes.io/instance-type: small}}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n3}, status: {capacity: {cpu: 4, memory: 1073741824, pods: "
    "110}}}\n---\n"
    "{apiVersion: karp/v1, kind: Prices, metadata: {name: own}, spec: {rules: [{factor: 0.5, requirements: [{key: a, "
    "operator: Exists}]}], blockDevices: {gp3: 0.1}, commitments: [{name: c, vCPUs: 8, price: 0.01}]}}\n---\n"
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000, globalDefault: "
    "true}\n---\n"
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast, annotations: "
    "{storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: ebs.csi.aws.com}\n---\n"
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 50%, selector: "
    "{matchLabels: {app: web}}}}\n---\n"
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: {app: "
    "web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, ports: [{containerPort: 80}], "
    "resources: {requests: {cpu: 0.5}}}]}}}}\n---\n"
    "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 2, template: {metadata: {labels: "
    "{app: db}}, spec: {containers: [{name: c}]}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {resources: "
    "{requests: {storage: 1Gi}}}}]}}\n---\n"
    "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {parallelism: 1, template: {spec: "
    "{priorityClassName: "
    "high, containers: [{name: c}]}}}}\n---\n"
    "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {containers: [{name: c, "
    "ports: "
    "[{containerPort: 1}]}]}}}}\n---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: other, labels: &labels {app: p}}, spec: {nodeName: n1, "
    "volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}}]}}\n---\n"
    "{apiVersion: v1, kind: PodTemplate, metadata: {name: t}, template: {spec: {containers: [{name: c}]}}}\n---\n"
    "{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: cb}, spec: {replicas: 2, "
    "podTemplateRef: {name: t}}}\n---\n"
    "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {priorityClassName: high, "
    "parentCompositePodGroupName: top, schedulingPolicy: {gang: {minCount: 2}}, "
    "schedulingConstraints: {topology: [{key: rack}]}}}\n---\n"
    "{apiVersion: scheduling.k8s.io/v1beta1, kind: CompositePodGroup, metadata: {name: top}, spec: {}}\n---\n"
    "{apiVersion: scheduling.k8s.io/v1beta1, kind: Workload, metadata: {name: w}, spec: {}}\n---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: q}, spec: {schedulingGroup: {podGroupName: g}, containers: "
    "[{name: c}]}}\n---\n"
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c1}, spec: {volumeName: pv1}}\n---\n"
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv1}, spec: {csi: {driver: d, volumeHandle: h}}}\n";

/* Namespaces, services and the older workloads; devices and what asks for them. */
static const char rarer[] =
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, namespace: other}, spec: "
    "{clusterQueue: all}}\n---\n"
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: all}, spec: {resourceGroups: "
    "[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 9}]}]}]}}\n---\n"
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}, spec: {nodeLabels: {a: b}, "
    "topologyName: racks}}\n---\n"
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {name: racks}, spec: {levels: [{nodeLabel: "
    "rack}]}}\n---\n"
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {name: high}, value: 9}\n---\n"
    "{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {team: a}}}\n---\n"
    "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: other}, spec: {selector: {app: rc}}}\n---\n"
    "{apiVersion: v1, kind: ReplicationController, metadata: {name: rc, namespace: other}, spec: {replicas: 2, "
    "selector: {app: rc}, template: {metadata: {labels: {app: rc}}, spec: {containers: [{name: c}]}}}}\n---\n"
    "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: rs}, spec: {replicas: 2, selector: {matchLabels: "
    "{app: rs}}, template: {metadata: {labels: {app: rs}}, spec: {topologySpreadConstraints: [{maxSkew: 1, "
    "topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: rs}}}], containers: "
    "[{name: c}]}}}}\n---\n"
    "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: o}, spec: {weight: 3, "
    "priceAdjustment: -10%, capacity: {smarter-devices/fuse: 1}, requirements: [{key: kubernetes.io/arch, "
    "operator: In, values: [amd64]}]}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: u1, labels: {node.kubernetes.io/instance-type: "
    "small}}}\n---\n"
    "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: [{name: "
    "ebs.csi.aws.com, allocatable: {count: 27}}]}}\n---\n"
    "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: "
    "{expression: device.driver == 'gpu.example.com'}}]}}\n---\n"
    "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s1, ownerReferences: [{apiVersion: "
    "v1, kind: Node, name: n1, uid: u1}]}, spec: {driver: gpu.example.com, nodeName: n1, pool: {name: n1, "
    "generation: 1, resourceSliceCount: 1}, devices: [{name: d0, attributes: {model: {string: a}}, capacity: "
    "{memory: {value: 16Gi}}}, {name: d1}]}}\n---\n"
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c}, spec: {devices: {requests: "
    "[{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}], constraints: "
    "[{requests: [r], matchAttribute: gpu.example.com/model}]}}, status: {allocation: {devices: {results: "
    "[{request: r, driver: gpu.example.com, pool: n1, device: d0}]}}, reservedFor: [{resource: pods, name: p, "
    "uid: up}]}}\n---\n"
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t}, spec: {spec: {devices: "
    "{requests: [{name: r, firstAvailable: [{name: a, deviceClassName: gpu}]}]}}}}\n---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: p, uid: up}, spec: {nodeName: n1, containers: [{name: c, "
    "resources: {claims: [{name: g}]}}], resourceClaims: [{name: g, resourceClaimName: c}]}}\n---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: q, uid: uq}, spec: {containers: [{name: c}], resourceClaims: "
    "[{name: g, resourceClaimTemplateName: t}]}, status: {resourceClaimStatuses: [{name: g, resourceClaimName: "
    "q-g}]}}\n---\n"
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {minReplicas: 3, "
    "maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: rs}}}\n---\n"
    "{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: so}, spec: {minReplicaCount: 3, "
    "scaleTargetRef: {apiVersion: ray.io/v1, kind: RayCluster, name: ray}}}\n---\n"
    "{apiVersion: cluster.x-k8s.io/v1beta1, kind: MachineDeployment, metadata: {name: md, labels: "
    "{node.cluster.x-k8s.io/karpenter-member: ''}, annotations: {capacity.cluster-autoscaler.kubernetes.io/cpu: '4', "
    "capacity.cluster-autoscaler.kubernetes.io/memory: 16Gi, capacity.cluster-autoscaler.kubernetes.io/labels: "
    "topology.kubernetes.io/zone=z1}}, spec: {replicas: 1}}\n---\n"
    "{apiVersion: autoscaling.k8s.io/v1, kind: VerticalPodAutoscaler, metadata: {name: v}, spec: {targetRef: "
    "{apiVersion: apps/v1, kind: ReplicaSet, name: rs}}, status: {recommendation: {containerRecommendations: "
    "[{containerName: c, target: {cpu: 50m}}]}}}\n---\n"
    "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: ray}, spec: {headGroupSpec: {template: {spec: "
    "{containers: [{name: c}]}}}, workerGroupSpecs: [{groupName: w, replicas: 2, template: {spec: {containers: "
    "[{name: c}]}}}]}}\n---\n"
    "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: roll}, spec: {replicas: 2, template: {spec: "
    "{containers: [{name: c}]}}}}\n---\n"
    "{apiVersion: serving.kserve.io/v1alpha1, kind: ServingRuntime, metadata: {name: r}, spec: {containers: [{name: "
    "kserve-container}]}}\n---\n"
    "{apiVersion: serving.kserve.io/v1alpha1, kind: ClusterServingRuntime, metadata: {name: r}}\n---\n"
    "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: isvc}, spec: {predictor: "
    "{model: {runtime: r, modelFormat: {name: x}}}}}\n---\n"
    "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainingRuntime, metadata: {name: r}}\n---\n"
    "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: ClusterTrainingRuntime, metadata: {name: r}, spec: {template: "
    "{spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {containers: [{name: node}]}}}}}]}}}}\n"
    "---\n"
    "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: tj}, spec: {runtimeRef: {name: r}, "
    "trainer: {numNodes: 2}}}\n---\n"
    "{apiVersion: v1, kind: LimitRange, metadata: {name: b, namespace: other}, spec: {limits: [{type: Container, "
    "defaultRequest: {cpu: 1}, max: {memory: 1Gi}}]}}\n---\n"
    "{apiVersion: v1, kind: LimitRange, metadata: {name: a, namespace: other}, spec: {limits: [{type: Container, "
    "default: {cpu: 2}}]}}\n---\n"
    "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: other}, spec: {hard: {pods: 1, "
    "requests.cpu: 1}}}\n---\n"
    "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: kata}, overhead: {podFixed: {cpu: 250m}}, "
    "scheduling: {nodeSelector: {a: b}, tolerations: [{operator: Exists}]}}\n---\n"
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: boxed, namespace: other}, spec: {replicas: 2, selector: "
    "{matchLabels: {app: b}}, template: {metadata: {labels: {app: b}}, spec: {runtimeClassName: kata, resources: "
    "{limits: {cpu: 3}}, containers: [{name: c, resources: {limits: {memory: 512m}}}]}}}}\n---\n"
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: wrong}, spec: {selector: {matchLabels: {app: b}}, "
    "template: {metadata: {labels: {app: c}}, spec: {containers: [{name: c}]}}}}\n---\n"
    "{apiVersion: example.com/v1, kind: Unheard, metadata: {name: u}}\n";

static const char of_2022[] =
    "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: old}, spec: {ttlSecondsAfterEmpty: 30, "
    "labels: {a: b}, limits: {resources: {cpu: 10}}, kubeletConfiguration: {maxPods: 20, containerRuntime: "
    "containerd}, "
    "providerRef: {name: base}}}\n---\n"
    "{apiVersion: karpenter.k8s.aws/v1alpha1, kind: AWSNodeTemplate, metadata: {name: base}, spec: {subnetSelector: "
    "{Name: 'a,b', team: x}, securityGroupSelector: {aws-ids: 'sg-1'}, tags: {a: b}}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {karpenter.sh/provisioner-name: old}, annotations: "
    "{karpenter.sh/do-not-consolidate: 'true'}}, status: {capacity: {cpu: 4}}}\n---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {karpenter.sh/do-not-evict: 'true'}}, spec: "
    "{nodeSelector: {karpenter.sh/provisioner-name: old}}}\n";

static const char in_json[] = "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":"
                              "\"Pod\",\"metadata\":{\"name\":"
                              "\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{"
                              "\"cpu\":\"1\",\"memory\":1.5e3}}}]}}]}";

static const char stated[] =
    "{\"apiVersion\":\"karp/"
    "v1\",\"kind\":\"Snapshot\",\"now\":\"2026-01-01T00:00:00Z\",\"settings\":{\"minValuesPolicy\":"
    "\"BestEffort\",\"unknown\":1},\"labels\":{\"wellKnown\":[\"x\"]},\"state\":{\"nodes\":[{\"name\":\"b\"},{\"name\":"
    "\"a\"}]},\"catalogues\":[{\"instanceTypes\":[{\"name\":\"t\",\"capacity\":{\"cpu\":\"1\"},\"offerings\":[{"
    "\"zone\":"
    "\"z\",\"capacityType\":\"on-demand\",\"price\":1,\"available\":true}]}]}],\"objects\":[{\"apiVersion\":\"v1\","
    "\"kind\":"
    "\"Node\",\"metadata\":{\"name\":\"a\"}},{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"b\"}},"
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\"},\"spec\":{\"template\":{}}}]}";

static const char types[] =
    "[{\"name\":\"small\",\"capacity\":{\"cpu\":\"2\",\"memory\":\"4Gi\",\"pods\":\"29\"},"
    "\"requirements\":[{\"key\":\"kubernetes.io/arch\",\"operator\":\"In\",\"values\":[\"amd64\"]}],"
    "\"offerings\":[{\"zone\":\"z1\",\"capacityType\":\"spot\",\"price\":0.5,\"available\":true}]}]";

/* Documents that the library writes itself, as it reads them again. */
static const char memory[] = "{\"kind\":\"DisruptionMemory\",\"changed\":\"2026-01-01T00:00:00Z\",\"seen\":"
                             "\"00000000000000ff\",\"marks\":{\"Emptiness\":\"2026-01-01T00:00:00Z\"},"
                             "\"unseenNodePools\":[\"a\",\"b\"]}";
static const char command[] = "{\"kind\":\"Command\",\"method\":\"Drift\",\"phase\":\"Launching\",\"nodes\":[{\"node\":"
                              "\"a\",\"nodeClaim\":\"c\"}],\"replacements\":[{\"progress\":\"Created\",\"nodeClaim\":"
                              "\"d\",\"id\":\"new-1\",\"nodePool\":\"p\",\"requests\":{\"cpu\":\"1\"},\"requirements\":"
                              "[{\"key\":\"k\",\"operator\":\"In\",\"values\":[\"v\"]}],\"labels\":{\"a\":\"b\"},"
                              "\"taints\":[{\"key\":\"t\",\"effect\":\"NoSchedule\"}],\"instanceTypes\":[\"small\"]}],"
                              "\"receivers\":[\"b\"]}";
static const char certificate[] =
    "{\"apiVersion\":\"karp/"
    "v1\",\"kind\":\"Certificate\",\"unit\":\"0.000000000001 "
    "$/h\",\"value\":5,\"nodeCost\":0,\"resources\":[{\"name\":\"cpu\",\"unit\":\"1m\"}],"
    "\"classes\":[{\"pod\":\"a/b\",\"count\":1,\"price\":1,\"requests\":[1]}],\"rows\":[{\"of\":0,\"capacity\":[4],"
    "\"shares\":[1],\"classes\":[0],\"extras\":[[0,1]],\"cases\":[{\"class\":0,\"copies\":1},{\"shares\":[1]}]}],"
    "\"offerings\":[{\"nodePool\":\"p\",\"instanceType\":\"t\",\"zone\":\"z\",\"capacityType\":\"spot\",\"cost\":5,"
    "\"row\":0}],\"nodes\":[{\"name\":\"n\",\"row\":0}]}";

/* web goes from a to b, with what its VerticalPodAutoscaler sets: the least of its bound, times two. */
static const char predicted[] =
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {disruption: {consolidationPo"
    "licy: WhenEmptyOrUnderutilized, consolidateAfter: 0s, budgets: [{nodes: '100%'}]}, template: {spec: {require"
    "ments: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}], nodeClassRef: {group: g, kind: ANo"
    "deClass, name: c}}}}}\n---\n"
    "{apiVersion: g/v1, kind: ANodeClass, metadata: {name: c}, spec: {x: 1.5}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: a, labels: {karpenter.sh/nodepool: default, node.kubernetes.io"
    "/instance-type: small, topology.kubernetes.io/zone: z1, karpenter.sh/capacity-type: spot, kubernetes.io/host"
    "name: a, kubernetes.io/os: linux, kubernetes.io/arch: amd64, karpenter.sh/registered: 'true', karpenter.sh/i"
    "nitialized: 'true'}}, spec: {providerID: 'x://a'}, status: {capacity: {cpu: '2', memory: 4Gi, pods: '29'}, a"
    "llocatable: {cpu: '2', memory: 4Gi, pods: '29'}, conditions: [{type: Ready, status: 'True'}]}}\n---\n"
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c-a, labels: {karpenter.sh/nodepool: default"
    ", node.kubernetes.io/instance-type: small, topology.kubernetes.io/zone: z1, karpenter.sh/capacity-type: spot"
    ", kubernetes.io/hostname: a, kubernetes.io/os: linux, kubernetes.io/arch: amd64, karpenter.sh/registered: 't"
    "rue', karpenter.sh/initialized: 'true'}}, status: {nodeName: a, providerID: 'x://a', capacity: {cpu: '2', me"
    "mory: 4Gi, pods: '29'}, allocatable: {cpu: '2', memory: 4Gi, pods: '29'}, conditions: [{type: Launched, stat"
    "us: 'True'}, {type: Registered, status: 'True'}, {type: Initialized, status: 'True'}, {type: Consolidatable,"
    " status: 'True'}, {type: Ready, status: 'True'}]}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: b, labels: {karpenter.sh/nodepool: default, node.kubernetes.io"
    "/instance-type: small, topology.kubernetes.io/zone: z1, karpenter.sh/capacity-type: spot, kubernetes.io/host"
    "name: b, kubernetes.io/os: linux, kubernetes.io/arch: amd64, karpenter.sh/registered: 'true', karpenter.sh/i"
    "nitialized: 'true'}}, spec: {providerID: 'x://b'}, status: {capacity: {cpu: '2', memory: 4Gi, pods: '29'}, a"
    "llocatable: {cpu: '2', memory: 4Gi, pods: '29'}, conditions: [{type: Ready, status: 'True'}]}}\n---\n"
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c-b, labels: {karpenter.sh/nodepool: default"
    ", node.kubernetes.io/instance-type: small, topology.kubernetes.io/zone: z1, karpenter.sh/capacity-type: spot"
    ", kubernetes.io/hostname: b, kubernetes.io/os: linux, kubernetes.io/arch: amd64, karpenter.sh/registered: 't"
    "rue', karpenter.sh/initialized: 'true'}}, status: {nodeName: b, providerID: 'x://b', capacity: {cpu: '2', me"
    "mory: 4Gi, pods: '29'}, allocatable: {cpu: '2', memory: 4Gi, pods: '29'}, conditions: [{type: Launched, stat"
    "us: 'True'}, {type: Registered, status: 'True'}, {type: Initialized, status: 'True'}, {type: Consolidatable,"
    " status: 'True'}, {type: Ready, status: 'True'}]}}\n---\n"
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, uid: d}, spec: {replicas: 1, selector: {matchL"
    "abels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, resources: {req"
    "uests: {cpu: 1900m}}}]}}}}\n---\n"
    "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-abc, uid: r, ownerReferences: [{apiVersion: app"
    "s/v1, kind: Deployment, name: web, uid: d, controller: true}]}, spec: {replicas: 1, selector: {matchLabels: "
    "{app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c}]}}}}\n---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: w, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, "
    "kind: ReplicaSet, name: web-abc, uid: r, controller: true}]}, spec: {nodeName: a, containers: [{name: c, res"
    "ources: {requests: {cpu: 1900m}}}]}, status: {phase: Running}}\n---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: o, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, n"
    "ame: o, uid: o, controller: true}]}, spec: {nodeName: b, containers: [{name: c, resources: {requests: {cpu: "
    "1}}}]}, status: {phase: Running}}\n---\n"
    "{apiVersion: autoscaling.k8s.io/v1, kind: VerticalPodAutoscaler, metadata: {name: v}, spec: {targetRef: {api"
    "Version: apps/v1, kind: Deployment, name: web}, resourcePolicy: {containerPolicies: [{containerName: '*', ma"
    "xAllowed: {cpu: 1}}]}, startupBoost: {cpu: {type: Factor, factor: 2}}}, status: {recommendation: {containerR"
    "ecommendations: [{containerName: c, target: {cpu: 500m, memory: 1Gi}}]}}}\n---\n";

static karp_str str_of(const char *text) { return (karp_str){ text, strlen(text) }; }

/* What comes of a text: the dump, and what is decided on the snapshot. The caller frees both. */
typedef struct answer {
    karp_text dump, plan;
} answer;

static void answer_free(answer *a)
{
    karp_text_free(&a->dump);
    karp_text_free(&a->plan);
}

/* With all memory that it needs: the reader alone is refused some. */
static karp_status decide(karp_context *context, fault *faults, karp_snapshot *snapshot, karp_text *plan)
{
    karp_decision *decision = NULL;
    faults->fail_at = 0;
    karp_status status = karp_provision(snapshot, NULL, &decision, NULL);
    if (!status) status = karp_write_plan(context, decision, NULL, NULL, plan, NULL);
    karp_decision_unref(decision);
    return status;
}

static karp_status read_memory(karp_context *context, fault *faults, const char *text, bool with_types, answer *out)
{
    karp_memory_document *document = NULL;
    (void)faults, (void)with_types;
    karp_status status = karp_memory_read(context, str_of("memory"), str_of(text), &document, NULL);
    if (!status) status = karp_write_memory(context, karp_memory_document_memory(document), NULL, &out->dump, NULL);
    karp_memory_document_free(document);
    return status;
}

static karp_status read_command(karp_context *context, fault *faults, const char *text, bool with_types, answer *out)
{
    karp_command_document *document = NULL;
    (void)faults, (void)with_types;
    karp_status status = karp_command_read(context, str_of("command"), str_of(text), &document, NULL);
    if (!status) status = karp_write_command(context, karp_command_document_state(document), NULL, &out->dump, NULL);
    karp_command_document_free(document);
    return status;
}

static karp_status read_certificate(karp_context *context, fault *faults, const char *text, bool with_types,
                                    answer *out)
{
    karp_certificate_document *document = NULL;
    (void)faults, (void)with_types;
    karp_status status = karp_certificate_read(context, str_of("certificate"), str_of(text), &document, NULL);
    if (!status)
        status = karp_write_certificate(context, karp_certificate_document_certificate(document), NULL, &out->dump,
                                        NULL);
    karp_certificate_document_free(document);
    return status;
}

static karp_status read_text(karp_context *context, fault *faults, const char *text, bool with_types, answer *out)
{
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.keep_documents = 1;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_catalogue *catalogue = NULL;
    karp_status status = karp_reader_new(context, &options, &reader, &error);
    if (!status && with_types) status = karp_catalogue_read(context, str_of("t"), str_of(types), &catalogue, &error);
    if (!status && with_types) status = karp_reader_add_catalogue(reader, catalogue, &error);
    if (!status) status = karp_reader_add(reader, str_of("input"), str_of(text), &error);
    if (!status) status = karp_reader_finish(reader, &snapshot, &error);
    if (!status) status = karp_reader_dump(reader, &out->dump, &error);
    if (!status) status = decide(context, faults, snapshot, &out->plan);
    if (status && status != KARP_E_NOMEM)
        print_message("%s: %s (%s)\n", karp_status_name(status), error.message, error.object);
    karp_snapshot_unref(snapshot);
    karp_catalogue_unref(catalogue);
    karp_reader_free(reader);
    return status;
}

/* The bit of the preview in karp_options.flip_rules. */
static uint64_t preview_bit(const char *name)
{
    karp_peer_rule rule = { .size = sizeof rule };
    for (size_t i = 0; karp_peer_rule_at(i, &rule) == KARP_OK; i++) {
        if (rule.name.len == strlen(name) && memcmp(rule.name.ptr, name, rule.name.len) == 0) return UINT64_C(1) << i;
    }
    fail_msg("no preview %s", name);
    return 0;
}

/* Reading and the disruption pass are refused memory, but not writing. */
static karp_status read_predicted(karp_context *context, fault *faults, const char *text, bool with_types, answer *out)
{
    karp_reader_options options;
    karp_options common;
    karp_disrupt_options disrupt;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_catalogue *catalogue = NULL;
    karp_decision *decision = NULL;
    (void)with_types;
    karp_reader_options_init(&options, sizeof options);
    karp_options_init(&common, sizeof common);
    karp_disrupt_options_init(&disrupt, sizeof disrupt);
    options.previews = common.flip_rules = preview_bit("vpa-prediction");
    options.keep_documents = 1;
    disrupt.common = &common;
    karp_status status = karp_reader_new(context, &options, &reader, NULL);
    if (!status) status = karp_catalogue_read(context, str_of("t"), str_of(types), &catalogue, NULL);
    if (!status) status = karp_reader_add_catalogue(reader, catalogue, NULL);
    if (!status) status = karp_reader_add(reader, str_of("input"), str_of(text), NULL);
    if (!status) status = karp_reader_finish(reader, &snapshot, NULL);
    if (!status) status = karp_disrupt(snapshot, &disrupt, &decision, NULL);
    faults->fail_at = 0;
    if (!status) assert_int_equal(karp_decision_command_count(decision), 1);
    if (!status) status = karp_reader_dump(reader, &out->dump, NULL);
    if (!status) status = karp_write_disruption(context, decision, NULL, &out->plan, NULL);
    karp_decision_unref(decision);
    karp_snapshot_unref(snapshot);
    karp_catalogue_unref(catalogue);
    karp_reader_free(reader);
    return status;
}

typedef karp_status reads(karp_context *context, fault *faults, const char *text, bool with_types, answer *out);

static void refuse_each_of(reads *read, const char *text, bool with_types, bool keep_failing)
{
    fault faults;
    memset(&faults, 0, sizeof faults);
    karp_context *context = fault_context(&faults);
    answer expected = { 0 };
    assert_int_equal(read(context, &faults, text, with_types, &expected), KARP_OK);
    size_t places = 0;
    for (size_t nth = 1;; nth++) {
        answer got = { 0 };
        size_t blocks = faults.live_blocks;
        fault_arm(&faults, nth, keep_failing);
        karp_status status = read(context, &faults, text, with_types, &got);
        bool refused = faults.refused > 0;
        fault_arm(&faults, 0, false);
        if (status == KARP_OK) {
            assert_string_equal(got.dump.ptr, expected.dump.ptr);
            if (expected.plan.ptr) assert_string_equal(got.plan.ptr, expected.plan.ptr);
        } else if (status != KARP_E_NOMEM) {
            fail_msg("allocation %zu refused%s: status %d", nth, keep_failing ? " and all later ones" : "",
                     (int)status);
        }
        answer_free(&got);
        assert_int_equal(faults.live_blocks, blocks);
        if (!refused) break;
        places++;
    }
    assert_true(places > (expected.plan.ptr ? 30 : 3));
    answer_free(&expected);
    karp_context_unref(context);
    assert_int_equal(faults.live_blocks, 0);
    assert_int_equal(faults.wrong_sizes, 0);
}

static void refuse_each(const char *text, bool with_types, bool keep_failing)
{
    refuse_each_of(read_text, text, with_types, keep_failing);
}

static void test_every_kind(void **state)
{
    (void)state;
    for (size_t i = 0; io_kind_at(i) != NULL; i++) {
        char member[64];
        (void)snprintf(member, sizeof member, "kind: %s,", io_kind_at(i)->name);
        if (!strstr(today, member) && !strstr(rarer, member) && !strstr(of_2022, member))
            fail_msg("no document has an object of the kind %s", io_kind_at(i)->name);
    }
}

static void test_objects(void **state)
{
    (void)state;
    refuse_each(today, true, false);
    refuse_each(today, true, true);
}

static void test_rarer_objects(void **state)
{
    (void)state;
    refuse_each(rarer, true, false);
    refuse_each(rarer, true, true);
}

static void test_objects_of_2022(void **state)
{
    (void)state;
    refuse_each(of_2022, true, false);
    refuse_each(of_2022, true, true);
}

static void test_json(void **state)
{
    (void)state;
    refuse_each(in_json, true, false);
    refuse_each(in_json, true, true);
}

static void test_snapshot(void **state)
{
    (void)state;
    refuse_each(stated, false, false);
    refuse_each(stated, false, true);
}

static void test_predicted(void **state)
{
    (void)state;
    refuse_each_of(read_predicted, predicted, true, false);
    refuse_each_of(read_predicted, predicted, true, true);
}

static void test_written_documents(void **state)
{
    static const struct {
        reads *read;
        const char *text;
    } documents[] = { { read_memory, memory }, { read_command, command }, { read_certificate, certificate } };
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        refuse_each_of(documents[i].read, documents[i].text, false, false);
        refuse_each_of(documents[i].read, documents[i].text, false, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_rarer_objects),
        cmocka_unit_test(test_objects_of_2022),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_written_documents),
        cmocka_unit_test(test_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
