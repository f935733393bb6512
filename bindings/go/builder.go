// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Limits of what a builder or a reader takes; zero fields are the library's defaults (karp/base.h).
type Limits struct {
	MaxPods          uint64
	MaxNodes         uint64
	MaxInstanceTypes uint64
	MaxDocumentBytes uint64
	MaxNesting       uint32
	MaxAliases       uint64
}

// newContext makes a context of C, for objects that keep what they need of it.
func newContext(limits *Limits, f *fault) (*C.karp_context, error) {
	var options C.karp_context_options
	C.karp_context_options_init(&options, C.sizeof_karp_context_options)
	options.hash_seed = C.uint64_t(rand.Uint64())
	if limits != nil {
		options.max_pods, options.max_nodes = C.uint64_t(limits.MaxPods), C.uint64_t(limits.MaxNodes)
		options.max_instance_types = C.uint64_t(limits.MaxInstanceTypes)
		options.max_document_bytes = C.uint64_t(limits.MaxDocumentBytes)
		options.max_nesting, options.max_aliases = C.uint32_t(limits.MaxNesting), C.uint64_t(limits.MaxAliases)
	}
	var context *C.karp_context
	if err := f.check(C.karp_context_new(&options, &context, &f.c)); err != nil {
		return nil, err
	}
	return context, nil
}

// A Builder takes the objects of a cluster in any order and makes a [Snapshot] of them. Each call copies its object; after
// an error the builder is as it was before the call. Its methods may be called by several goroutines, one after the other.
type Builder struct {
	lock  sync.Mutex
	parts *builderParts
	undo  runtime.Cleanup
	fault *fault
	epoch uint64 // of the templates it knows
}

// builderParts are what is to be freed.
type builderParts struct {
	c    *C.karp_builder
	page page
}

func (p *builderParts) free() {
	C.karp_builder_free(p.c)
	p.page.free()
}

// NewBuilder makes an empty builder. No limits (nil) are the library's.
func NewBuilder(limits *Limits) (*Builder, error) {
	if err := checkVersion(); err != nil {
		return nil, err
	}
	f := newFault()
	context, err := newContext(limits, f)
	if err != nil {
		return nil, err
	}
	var c *C.karp_builder
	status := C.karp_builder_new(context, &c, &f.c)
	C.karp_context_unref(context)
	if err := f.check(status); err != nil {
		return nil, err
	}
	return builderOf(c), nil
}

func builderOf(c *C.karp_builder) *Builder {
	b := &Builder{parts: &builderParts{c: c, page: page{memos: make([]memo, memoPlaces)}}, fault: newFault(), epoch: epochs.Add(1)}
	b.undo = runtime.AddCleanup(b, (*builderParts).free, b.parts)
	return b
}

// Edit makes a builder that holds everything the snapshot was made of. What changes is removed and added there, and Finish
// makes a snapshot that decides as one built afresh would; texts and objects are shared with this one, which stays as it is.
func (s *Snapshot) Edit() (*Builder, error) {
	ptr, err := s.handle.enter()
	if err != nil {
		return nil, err
	}
	defer s.handle.leave()
	f := newFault()
	var c *C.karp_builder
	if err := f.check(C.karp_snapshot_edit((*C.karp_snapshot)(ptr), &c, &f.c)); err != nil {
		return nil, err
	}
	return builderOf(c), nil
}

// Remove takes an object out again: kind is Kubernetes' name of it ("Pod", "NodePool" …), for node classes with the group
// before it; an empty namespace is "default". Errors: also ErrNotFound.
func (b *Builder) Remove(kind, namespace, name string) error {
	return b.use(func(c *C.karp_builder, p *page, e *C.karp_error) C.karp_status {
		return C.karp_builder_remove(c, p.str(kind), p.str(namespace), p.str(name), e)
	})
}

// SetNodeClaimStatus gives a NodeClaim these conditions and times in place of those it has: what removing it and adding it again
// with them does, in a fraction of the time. Errors: as AddNodeClaim; ErrNotFound.
func (b *Builder) SetNodeClaimStatus(name string, status *NodeClaimStatus) error {
	return give(b, status, (*page).nodeClaimStatus, func(c *C.karp_builder, own *C.karp_node_claim_status, e *C.karp_error) C.karp_status {
		return C.karp_builder_set_node_claim_status(c, b.parts.page.str(name), own, e)
	})
}

// Close gives the builder's memory back. Closing twice is fine; the error is always nil.
func (b *Builder) Close() error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.parts != nil {
		b.undo.Stop()
		b.parts.free()
		b.parts = nil
	}
	return nil
}

// give writes an object on the page and hands it over.
func give[T, F any](b *Builder, from *F, write func(*page, *T, *F), add func(*C.karp_builder, *T, *C.karp_error) C.karp_status) error {
	if from == nil {
		return errNil()
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.parts == nil {
		return ErrClosed
	}
	p := &b.parts.page
	p.reset()
	object := one[T](p)
	write(p, object, from)
	if p.outside {
		return errOutside()
	}
	return b.fault.check(add(b.parts.c, object, &b.fault.c))
}

func errNil() error { return &Error{Status: ErrInvalid, Offset: -1, Message: "the object is nil"} }

func errOutside() error {
	return &Error{Status: ErrRange, Offset: -1, Message: "an instant before 1678 or after 2261"}
}

// AddPod adds a pod. Errors: ErrInvalid (object and field are named), ErrDuplicate, ErrLimit, ErrRange, ErrMemory,
// ErrClosed; likewise below.
func (b *Builder) AddPod(pod *Pod) error {
	return give(b, pod, (*page).pod, func(b *C.karp_builder, c *C.karp_pod, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_pod(b, c, e)
	})
}

// A PodTemplate is what the pods of one workload have in common, as the builder that made it knows it until Finish.
type PodTemplate struct {
	epoch  uint64
	number C.uint32_t
}

// epochs tell the templates of one builder, and of one filling of it, from all others.
var epochs atomic.Uint64

// AddPodTemplate reads what pods have in common, once: namespace, labels, annotations, owners, spec and container statuses.
// It adds no pod. Errors: as AddPod; ErrInvalid also when there are ephemeral volumes, whose claims have the pod's name.
func (b *Builder) AddPodTemplate(pod *Pod) (PodTemplate, error) {
	out := PodTemplate{}
	err := give(b, pod, (*page).pod, func(c *C.karp_builder, given *C.karp_pod, e *C.karp_error) C.karp_status {
		number := one[C.uint32_t](&b.parts.page)
		status := C.karp_builder_add_pod_template(c, given, number, e)
		out = PodTemplate{b.epoch, *number}
		return status
	})
	return out, err
}

// AddTemplatedPod adds a pod that has everything else from the template, several times as quick as AddPod. Errors: as
// AddPod; ErrNotFound when the template is not this builder's, or was before Finish.
func (b *Builder) AddTemplatedPod(template PodTemplate, pod *TemplatedPod) error {
	if pod == nil {
		return errNil()
	}
	outside := false
	err := b.use(func(c *C.karp_builder, p *page, e *C.karp_error) C.karp_status {
		own, number := one[C.karp_templated_pod](p), template.number
		p.templatedPod(own, pod)
		if outside = p.outside; outside {
			return C.KARP_OK
		}
		if template.epoch != b.epoch {
			number = C.UINT32_MAX // which none has
		}
		return C.karp_builder_add_templated_pod(c, number, own, e)
	})
	if outside {
		return errOutside()
	}
	return err
}

// AddNode adds a node.
func (b *Builder) AddNode(node *Node) error {
	return give(b, node, (*page).node, func(b *C.karp_builder, c *C.karp_node, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_node(b, c, e)
	})
}

// AddNodeClaim adds a NodeClaim.
func (b *Builder) AddNodeClaim(claim *NodeClaim) error {
	return give(b, claim, (*page).nodeClaim, func(b *C.karp_builder, c *C.karp_node_claim, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_node_claim(b, c, e)
	})
}

// AddNodePool adds a NodePool.
func (b *Builder) AddNodePool(pool *NodePool) error {
	return give(b, pool, (*page).nodePool, func(b *C.karp_builder, c *C.karp_node_pool, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_node_pool(b, c, e)
	})
}

// AddNodeClass adds a provider's node class.
func (b *Builder) AddNodeClass(class *NodeClass) error {
	return give(b, class, (*page).nodeClass, func(b *C.karp_builder, c *C.karp_node_class, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_node_class(b, c, e)
	})
}

// AddDaemonSet adds a DaemonSet.
func (b *Builder) AddDaemonSet(set *DaemonSet) error {
	return give(b, set, (*page).daemonSet, func(b *C.karp_builder, c *C.karp_daemon_set, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_daemon_set(b, c, e)
	})
}

// AddPersistentVolumeClaim adds a PersistentVolumeClaim.
func (b *Builder) AddPersistentVolumeClaim(claim *PersistentVolumeClaim) error {
	return give(b, claim, (*page).persistentVolumeClaim, func(b *C.karp_builder, c *C.karp_persistent_volume_claim, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_persistent_volume_claim(b, c, e)
	})
}

// AddPersistentVolume adds a PersistentVolume.
func (b *Builder) AddPersistentVolume(volume *PersistentVolume) error {
	return give(b, volume, (*page).persistentVolume, func(b *C.karp_builder, c *C.karp_persistent_volume, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_persistent_volume(b, c, e)
	})
}

// AddStorageClass adds a StorageClass.
func (b *Builder) AddStorageClass(class *StorageClass) error {
	return give(b, class, (*page).storageClass, func(b *C.karp_builder, c *C.karp_storage_class, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_storage_class(b, c, e)
	})
}

// AddCSINode adds a CSINode.
func (b *Builder) AddCSINode(node *CSINode) error {
	return give(b, node, (*page).csiNode, func(b *C.karp_builder, c *C.karp_csi_node, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_csi_node(b, c, e)
	})
}

// AddPodDisruptionBudget adds a PodDisruptionBudget.
func (b *Builder) AddPodDisruptionBudget(budget *PodDisruptionBudget) error {
	return give(b, budget, (*page).podDisruptionBudget, func(b *C.karp_builder, c *C.karp_pod_disruption_budget, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_pod_disruption_budget(b, c, e)
	})
}

// AddNamespace adds a Namespace.
func (b *Builder) AddNamespace(namespace *Namespace) error {
	return give(b, namespace, (*page).namespace, func(b *C.karp_builder, c *C.karp_namespace, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_namespace(b, c, e)
	})
}

// AddSelecting adds a Service, ReplicationController, ReplicaSet or StatefulSet.
func (b *Builder) AddSelecting(selecting *Selecting) error {
	return give(b, selecting, (*page).selecting, func(b *C.karp_builder, c *C.karp_selecting, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_selecting(b, c, e)
	})
}

// AddNodeOverlay adds a NodeOverlay.
func (b *Builder) AddNodeOverlay(overlay *NodeOverlay) error {
	return give(b, overlay, (*page).nodeOverlay, func(b *C.karp_builder, c *C.karp_node_overlay, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_node_overlay(b, c, e)
	})
}

// AddCapacityBuffer adds a CapacityBuffer.
func (b *Builder) AddCapacityBuffer(buffer *CapacityBuffer) error {
	return give(b, buffer, (*page).capacityBuffer, func(b *C.karp_builder, c *C.karp_capacity_buffer, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_capacity_buffer(b, c, e)
	})
}

// AddResourceSlice adds a ResourceSlice.
func (b *Builder) AddResourceSlice(slice *ResourceSlice) error {
	return give(b, slice, (*page).resourceSlice, func(b *C.karp_builder, c *C.karp_resource_slice, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_resource_slice(b, c, e)
	})
}

// AddDeviceClass adds a DeviceClass.
func (b *Builder) AddDeviceClass(class *DeviceClass) error {
	return give(b, class, (*page).deviceClass, func(b *C.karp_builder, c *C.karp_device_class, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_device_class(b, c, e)
	})
}

// AddResourceClaim adds a ResourceClaim.
func (b *Builder) AddResourceClaim(claim *ResourceClaim) error {
	return give(b, claim, (*page).resourceClaim, func(b *C.karp_builder, c *C.karp_resource_claim, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_resource_claim(b, c, e)
	})
}

// Settings are Karpenter's process-wide options and the label tables of the provider.
type Settings struct {
	IgnorePreferences   bool
	BestEffortMinValues bool
	ReservedFallback    bool
	Gates               uint32 // Gate…, ored
	DRARequests         bool
	WellKnown           []string
	Restricted          []string
	RestrictedDomains   []string
	Normalized          map[string]string
	ReservationIDLabel  string
	DefaultSpread       []SpreadConstraint

	ConsolidationSimulation bool                // decide as inside a consolidation
	ReservationCredits      []ReservationCredit // reservations that get free before a launch decision
}

// A ReservationCredit is a number of instances of a reservation that become free.
type ReservationCredit struct {
	Reservation string // a value of the label ReservationIDLabel
	Slots       int64
}

// Feature gates.
const (
	GateReservedCapacity uint32 = 1 << iota
	GateSpotToSpot
	GateNodeRepair
	GateNodeOverlay
	GateStaticCapacity
	GateCapacityBuffer
	GateTerminateFirstDrift
	GateTerminateFirstRepair
	GatePodDeletionCost
)

// DefaultSettings are Karpenter's.
func DefaultSettings() Settings { return Settings{Gates: GateReservedCapacity} }

// SetSettings replaces the settings.
func (b *Builder) SetSettings(settings *Settings) error {
	write := func(p *page, out *C.karp_settings, from *Settings) {
		out.size = C.sizeof_karp_settings
		out.preference_policy, out.min_values_policy = flag(from.IgnorePreferences), flag(from.BestEffortMinValues)
		out.reserved_mode, out.gates = flag(from.ReservedFallback), C.uint32_t(from.Gates)
		out.dra_requests = flag(from.DRARequests)
		out.default_spread, out.default_spread_count = several(p, from.DefaultSpread, (*page).spreadConstraint)
		out.well_known, out.well_known_count = p.strs(from.WellKnown)
		out.restricted, out.restricted_count = p.strs(from.Restricted)
		out.restricted_domains, out.restricted_domain_count = p.strs(from.RestrictedDomains)
		out.normalized, out.normalized_count = p.labels(from.Normalized)
		out.reservation_id_label = p.str(from.ReservationIDLabel)
		out.consolidation_simulation = flag(from.ConsolidationSimulation)
		credits := list[C.karp_reservation_credit](p, len(from.ReservationCredits))
		for i, c := range from.ReservationCredits {
			credits[i] = C.karp_reservation_credit{reservation: p.str(c.Reservation), slots: C.int64_t(c.Slots)}
		}
		out.credits, out.credit_count = unsafe.SliceData(credits), C.size_t(len(credits))
	}
	return give(b, settings, write, func(b *C.karp_builder, c *C.karp_settings, e *C.karp_error) C.karp_status {
		return C.karp_builder_set_settings(b, c, e)
	})
}

// use runs a call on the builder.
func (b *Builder) use(call func(c *C.karp_builder, p *page, e *C.karp_error) C.karp_status) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.parts == nil {
		return ErrClosed
	}
	b.parts.page.reset()
	return b.fault.check(call(b.parts.c, &b.parts.page, &b.fault.c))
}

// SetNow sets the clock of the snapshot; it is never read from the machine.
func (b *Builder) SetNow(now time.Time) error {
	if year := now.Year(); year < 1678 || year > 2261 {
		return errOutside()
	}
	return b.use(func(c *C.karp_builder, _ *page, e *C.karp_error) C.karp_status {
		return C.karp_builder_set_now(c, C.int64_t(now.UnixNano()), e)
	})
}

// A NodeState is what Karpenter remembers about a node.
type NodeState struct {
	Name              string // of the Node, or of the NodeClaim while it has no registered Node
	MarkedForDeletion bool
	Nominated         bool
}

// SetNodeStates makes these nodes the ones the scheduler knows. Without the call it knows all.
func (b *Builder) SetNodeStates(states []NodeState) error {
	return b.use(func(c *C.karp_builder, p *page, e *C.karp_error) C.karp_status {
		items := list[C.karp_node_state](p, len(states))
		for i, s := range states {
			items[i] = C.karp_node_state{name: p.str(s.Name), marked_for_deletion: flag(s.MarkedForDeletion), nominated: flag(s.Nominated)}
		}
		return C.karp_builder_set_node_states(c, unsafe.SliceData(items), C.size_t(len(items)), e)
	})
}

// SetPodsToPlace makes these pods ("namespace/name"), in this order, the ones to be placed, pending or not.
func (b *Builder) SetPodsToPlace(names []string) error {
	return b.use(func(c *C.karp_builder, p *page, e *C.karp_error) C.karp_status {
		items, count := p.strs(names)
		return C.karp_builder_set_pods_to_place(c, items, count, e)
	})
}

// AddCatalogue gives the pools of these names, or all when there are none, the types of a catalogue.
func (b *Builder) AddCatalogue(catalogue *Catalogue, pools ...string) error {
	if catalogue == nil {
		return &Error{Status: ErrInvalid, Offset: -1, Message: "the catalogue is nil"}
	}
	ptr, err := catalogue.handle.enter()
	if err != nil {
		return err
	}
	defer catalogue.handle.leave()
	return b.use(func(c *C.karp_builder, p *page, e *C.karp_error) C.karp_status {
		names, count := p.strs(pools)
		return C.karp_builder_add_catalogue(c, (*C.karp_catalogue)(ptr), names, count, e)
	})
}

// Finish makes the snapshot; the builder is empty then. After an error it is unchanged.
func (b *Builder) Finish() (*Snapshot, error) {
	var out *C.karp_snapshot
	err := b.use(func(c *C.karp_builder, _ *page, e *C.karp_error) C.karp_status {
		status := C.karp_builder_finish(c, &out, e)
		if status == C.KARP_OK {
			b.epoch = epochs.Add(1)
		}
		return status
	})
	if err != nil {
		return nil, err
	}
	return SnapshotOf(unsafe.Pointer(out)), nil
}
