// SPDX-License-Identifier: Apache-2.0

package karp

import "time"

// The objects of a cluster, with the fields that decisions read. Names are Kubernetes' and Karpenter's own; what a field
// means, and what its zero value stands for, is said in karp/objects.h.

// A Resource is an amount of something: Kubernetes' text ("100m", "1.5Gi"), or Value × 10^Scale where Text is "".
type Resource struct {
	Name  string
	Text  string
	Value int64
	Scale int32
}

// Operators of requirements and selectors.
const (
	OpUnknown uint32 = iota
	OpIn
	OpNotIn
	OpExists
	OpDoesNotExist
	OpGt
	OpLt
	OpGte
	OpLte
)

// A Requirement is one on a label, or one expression of a selector.
type Requirement struct {
	Key       string
	Op        uint32
	MinValues uint32 // 0 = none
	Values    []string
}

// A Selector without members selects everything; a nil one is Kubernetes' nil selector.
type Selector struct {
	MatchLabels map[string]string
	Expressions []Requirement
}

// A Taint of a node, a claim or a pool.
type Taint struct{ Key, Value, Effect string }

// Operators of tolerations.
const (
	TolerationEqual uint32 = iota
	TolerationExists
	TolerationLt
	TolerationGt
	TolerationUnknown
)

// A Toleration of a pod.
type Toleration struct {
	Key, Value, Effect string
	Op                 uint32
	Seconds            *int64 // nil = without end
}

// An Owner of an object.
type Owner struct {
	APIVersion, Kind, Name, UID string
	Controller                  bool
}

// A Condition of an object's status.
type Condition struct {
	Type, Status, Reason string
	LastTransition       time.Time
}

// Meta is what every object has.
type Meta struct {
	Name        string
	Namespace   string // "" = "default" for namespaced kinds
	UID         string // "" = taken from kind, namespace and name
	Labels      map[string]string
	Annotations map[string]string
	Owners      []Owner
	Created     time.Time
	Deleted     time.Time // zero = not being deleted
}

// A NodeTerm is a term of a node selector: its expressions are ANDed.
type NodeTerm struct {
	Expressions []Requirement
	HasFields   bool  // the term also has matchFields, which Karpenter refuses
	Weight      int32 // of a preferred term
}

// A PodTerm is a term of pod affinity or anti-affinity.
type PodTerm struct {
	TopologyKey       string
	Namespaces        []string
	NamespaceSelector *Selector
	LabelSelector     *Selector
	Weight            int32 // of a preferred term
}

// What a spread constraint does when it cannot be met, and its policies.
const (
	DoNotSchedule  uint32 = 0
	ScheduleAnyway uint32 = 1
	PolicyDefault  uint32 = 0
	PolicyHonor    uint32 = 1
	PolicyIgnore   uint32 = 2
)

// A SpreadConstraint of a pod's topology.
type SpreadConstraint struct {
	TopologyKey        string
	LabelSelector      *Selector
	MatchLabelKeys     []string
	MaxSkew            int32
	MinDomains         int32 // 0 = absent
	WhenUnsatisfiable  uint32
	NodeAffinityPolicy uint32
	NodeTaintsPolicy   uint32
}

// A HostPort of a container; Port 0 is none.
type HostPort struct {
	HostIP   string
	Protocol string
	Port     int32
}

// A Container, or an init container.
type Container struct {
	Name          string
	Requests      []Resource
	Limits        []Resource // read for DaemonSet templates only; a pod's requests have them already
	Ports         []HostPort
	Claims        []string // names of the pod's resource claims it uses
	RestartAlways bool     // a sidecar
}

// A ContainerStatus has the resources that the kubelet has in force.
type ContainerStatus struct {
	Name         string
	Requests     []Resource
	Allocated    []Resource
	HasResources bool // status.resources is there; else both lists are ignored
}

// Kinds of volumes.
const (
	VolumeOther uint32 = iota
	VolumeClaim
	VolumeEphemeral
)

// A PodVolume of a pod.
type PodVolume struct {
	Name      string
	ClaimName string
	Kind      uint32
}

// A PodClaim is one of spec.resourceClaims, with the name that was generated for it where there is one.
type PodClaim struct {
	Name              string
	ResourceClaimName string
	Generated         bool
}

// Phases of pods.
const (
	PhaseUnset uint32 = iota
	PhasePending
	PhaseRunning
	PhaseSucceeded
	PhaseFailed
	PhaseUnknown
)

// A Pod.
type Pod struct {
	Meta                  Meta
	NodeName              string
	NodeSelector          map[string]string
	RequiredNodeTerms     []NodeTerm
	PreferredNodeTerms    []NodeTerm
	RequiredAffinity      []PodTerm
	PreferredAffinity     []PodTerm
	RequiredAntiAffinity  []PodTerm
	PreferredAntiAffinity []PodTerm
	Spread                []SpreadConstraint
	Tolerations           []Toleration
	Containers            []Container
	InitContainers        []Container
	Overhead              []Resource
	Requests              []Resource // of the pod itself
	Volumes               []PodVolume
	ResourceClaims        []PodClaim
	PriorityClassName     string
	TerminationGrace      *int64 // seconds
	Priority              *int32
	Phase                 uint32
	NominatedNodeName     string
	StartTime             time.Time
	Conditions            []Condition
	ContainerStatuses     []ContainerStatus // of both kinds of containers
}

// A TemplatedPod is what a pod of a [PodTemplate] has of its own.
type TemplatedPod struct {
	Name              string
	UID               string // "" = taken from kind, namespace and name
	NodeName          string
	NominatedNodeName string
	Created           time.Time
	Deleted           time.Time // zero = not being deleted
	StartTime         time.Time
	Conditions        []Condition
	Phase             uint32
}

// A Node.
type Node struct {
	Meta        Meta
	ProviderID  string
	Taints      []Taint
	Capacity    []Resource
	Allocatable []Resource
	Conditions  []Condition
}

// A NodeClassRef names a node class.
type NodeClassRef struct{ Group, Kind, Name string }

// A NodeClaim of Karpenter.
type NodeClaim struct {
	Meta                   Meta
	ProviderID             string
	ImageID                string
	NodeClass              NodeClassRef
	Taints                 []Taint
	StartupTaints          []Taint
	Requirements           []Requirement
	Requests               []Resource
	Capacity               []Resource
	Allocatable            []Resource
	Conditions             []Condition
	LastPodEvent           time.Time
	ExpireAfter            *time.Duration // Never is possible
	TerminationGracePeriod *time.Duration
}

// Reasons of a disruption budget, ored.
const (
	ReasonUnderutilized uint32 = 1
	ReasonEmpty         uint32 = 2
	ReasonDrifted       uint32 = 4
)

// A Budget of disruption.
type Budget struct {
	Nodes      string // "10%" or "3"; "" = "10%"
	Schedule   string // cron; "" = always
	Duration   *time.Duration
	HasReasons bool // the list is there, even when it is empty
	Reasons    uint32
}

// Consolidation policies.
const (
	WhenEmptyOrUnderutilized uint32 = iota
	WhenEmpty
	Balanced
)

// A NodePool of Karpenter. It serves pods while its conditions say so, as Karpenter reads them.
type NodePool struct {
	Meta                   Meta
	NodeClass              NodeClassRef
	TemplateLabels         map[string]string
	TemplateAnnotations    map[string]string
	Taints                 []Taint
	StartupTaints          []Taint
	Requirements           []Requirement
	Limits                 []Resource
	Budgets                []Budget
	Conditions             []Condition
	Replicas               *int64 // of a static pool; nil = a dynamic one
	ConsolidateAfter       *time.Duration
	ExpireAfter            *time.Duration
	TerminationGracePeriod *time.Duration
	Weight                 int32
	ConsolidationPolicy    uint32
}

// A NodeClass of a provider: Document is the object as JSON, or "".
type NodeClass struct {
	Meta     Meta
	Group    string
	Kind     string
	Document string
}

// A DaemonSet, with the pod its template makes.
type DaemonSet struct {
	Meta     Meta
	Template Pod // labels in its Meta; name and namespace are not read
}

// Phases of volume claims.
const (
	ClaimPhaseUnset uint32 = iota
	ClaimPending
	ClaimBound
	ClaimLost
)

// A PersistentVolumeClaim.
type PersistentVolumeClaim struct {
	Meta             Meta
	VolumeName       string
	StorageClassName *string
	Phase            uint32
}

// A PersistentVolume.
type PersistentVolume struct {
	Meta                 Meta
	CSIDriver            string
	AWSElasticBlockStore bool
	Local                bool // local or hostPath
	NodeTerms            []NodeTerm
}

// When volumes of a storage class are bound.
const (
	BindingUnset uint32 = iota
	BindingImmediate
	BindingWaitForFirstConsumer
)

// A StorageClass; every expression of its topologies is an OpIn.
type StorageClass struct {
	Meta              Meta
	Provisioner       string
	AllowedTopologies []NodeTerm
	BindingMode       uint32
}

// A CSIDriver of a CSINode; Count nil is no limit.
type CSIDriver struct {
	Name  string
	Count *int32
}

// A CSINode.
type CSINode struct {
	Meta    Meta
	Drivers []CSIDriver
}

// An IntOrString is a field that is a number or a percentage.
type IntOrString struct {
	IsText bool
	Text   string
	Value  int32
}

// A PodDisruptionBudget.
type PodDisruptionBudget struct {
	Meta               Meta
	Selector           *Selector
	MinAvailable       *IntOrString
	MaxUnavailable     *IntOrString
	DisruptionsAllowed int32
	AlwaysAllow        bool // of unhealthy pods
}

// A Namespace.
type Namespace struct{ Meta Meta }

// What lends its selector to default spread constraints.
const (
	SelectsService uint32 = iota
	SelectsReplicationController
	SelectsReplicaSet
	SelectsStatefulSet
)

// A Selecting is a Service, ReplicationController, ReplicaSet or StatefulSet.
type Selecting struct {
	Meta     Meta
	Selector *Selector
	Kind     uint32
}

// A NodeOverlay of Karpenter (gate NodeOverlay).
type NodeOverlay struct {
	Meta            Meta
	Requirements    []Requirement
	Price           string // absolute; "" = absent
	PriceAdjustment string // "+0.5", "-10%"; "" = absent
	Capacity        []Resource
	Weight          int32
}

// A CapacityBuffer (gate CapacityBuffer), with the pod its reference resolves to; nil = it does not.
type CapacityBuffer struct {
	Meta       Meta
	Template   *Pod
	Conditions []Condition
	Replicas   *int64
}

// An Overhead is subtracted from an instance type's capacity.
type Overhead struct{ KubeReserved, SystemReserved, EvictionThreshold []Resource }

// An Offering is a way to buy an instance type.
type Offering struct {
	Requirements        []Requirement // at least zone and capacity type, each OpIn of one value
	Price               float64       // per hour
	Available           bool
	ReservationCapacity int64
	AwaitsPrice         bool       // not available only because its price is not known; a NodeOverlay may supply it
	CapacityOverride    []Resource // of this offering alone; nil = none, empty = there, and changes nothing
	OverheadOverride    *Overhead
}

// A VolumeLimit is how many volumes of a CSI driver a node of the type takes.
type VolumeLimit struct {
	Driver string
	Count  int64
}

// An InstanceType of a catalogue.
type InstanceType struct {
	Name         string
	Requirements []Requirement
	Capacity     []Resource
	Overhead     Overhead
	Offerings    []Offering
	VolumeLimits []VolumeLimit

	DeviceTemplates   []DeviceTemplate // what the drivers of a new node would publish
	AttributeBindings []AttributeBinding
}
