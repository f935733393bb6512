// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import (
	"time"
	"unsafe"
)

// Objects of Go as the structs of karp/objects.h, on a page.

func (p *page) instant(t time.Time) C.int64_t {
	if t.IsZero() {
		return C.KARP_NO_TIME
	}
	if year := t.Year(); year < 1678 || year > 2261 {
		p.outside = true
	}
	return C.int64_t(t.UnixNano())
}

func (p *page) resources(from []Resource) (*C.karp_resource, C.size_t) {
	items := list[C.karp_resource](p, len(from))
	for i := range from {
		r := &from[i]
		items[i] = C.karp_resource{name: p.str(r.Name), text: p.str(r.Text), value: C.int64_t(r.Value), scale: C.int32_t(r.Scale)}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) requirements(from []Requirement) (*C.karp_requirement, C.size_t) {
	items := list[C.karp_requirement](p, len(from))
	for i := range from {
		r, out := &from[i], &items[i]
		out.key, out.op, out.min_values = p.str(r.Key), C.uint32_t(r.Op), C.uint32_t(r.MinValues)
		out.values, out.value_count = p.strs(r.Values)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) priceRules(from []PriceRule) (*C.karp_price_rule, C.size_t) {
	items := list[C.karp_price_rule](p, len(from))
	for i := range from {
		r, out := &from[i], &items[i]
		out.requirements, out.requirement_count = p.requirements(r.Requirements)
		out.factor, out.per_node, out.per_vcpu = C.double(r.Factor), C.double(r.PerNode), C.double(r.PerVCPU)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) selector(from *Selector) *C.karp_selector {
	if from == nil {
		return nil
	}
	out := one[C.karp_selector](p)
	out.match_labels, out.match_label_count = p.again(labelSelectors, from.MatchLabels)
	out.expressions, out.expression_count = p.requirements(from.Expressions)
	return out
}

func (p *page) taints(from []Taint) (*C.karp_taint, C.size_t) {
	items := list[C.karp_taint](p, len(from))
	for i, t := range from {
		items[i] = C.karp_taint{key: p.str(t.Key), value: p.str(t.Value), effect: p.str(t.Effect)}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) conditions(from []Condition) (*C.karp_condition, C.size_t) {
	items := list[C.karp_condition](p, len(from))
	for i := range from {
		c, out := &from[i], &items[i]
		out._type, out.status, out.reason = p.str(c.Type), p.str(c.Status), p.str(c.Reason)
		out.last_transition = p.instant(c.LastTransition)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) meta(out *C.karp_meta, from *Meta) {
	out.name, out.namespace_, out.uid = p.str(from.Name), p.str(from.Namespace), p.str(from.UID)
	out.labels, out.label_count = p.again(ownLabels, from.Labels)
	out.annotations, out.annotation_count = p.labels(from.Annotations)
	owners := list[C.karp_owner](p, len(from.Owners))
	for i := range from.Owners {
		o := &from.Owners[i]
		owners[i] = C.karp_owner{api_version: p.str(o.APIVersion), kind: p.str(o.Kind), name: p.str(o.Name), uid: p.str(o.UID),
			controller: flag(o.Controller)}
	}
	out.owners, out.owner_count = unsafe.SliceData(owners), C.size_t(len(owners))
	out.creation, out.deletion = p.instant(from.Created), p.instant(from.Deleted)
}

func (p *page) class(from *NodeClassRef) C.karp_node_class_ref {
	return C.karp_node_class_ref{group: p.str(from.Group), kind: p.str(from.Kind), name: p.str(from.Name)}
}

// ---- pods

func (p *page) nodeTerms(from []NodeTerm) (*C.karp_node_term, C.size_t) {
	items := list[C.karp_node_term](p, len(from))
	for i := range from {
		t, out := &from[i], &items[i]
		out.expressions, out.expression_count = p.requirements(t.Expressions)
		out.has_fields, out.weight = flag(t.HasFields), C.int32_t(t.Weight)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) podTerms(from []PodTerm) (*C.karp_pod_term, C.size_t) {
	items := list[C.karp_pod_term](p, len(from))
	for i := range from {
		t, out := &from[i], &items[i]
		out.topology_key, out.weight = p.str(t.TopologyKey), C.int32_t(t.Weight)
		out.namespaces, out.namespace_count = p.strs(t.Namespaces)
		out.namespace_selector, out.label_selector = p.selector(t.NamespaceSelector), p.selector(t.LabelSelector)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) spread(from []SpreadConstraint) (*C.karp_spread_constraint, C.size_t) {
	items := list[C.karp_spread_constraint](p, len(from))
	for i := range from {
		s, out := &from[i], &items[i]
		out.topology_key, out.label_selector = p.str(s.TopologyKey), p.selector(s.LabelSelector)
		out.match_label_keys, out.match_label_key_count = p.strs(s.MatchLabelKeys)
		out.max_skew, out.min_domains = C.int32_t(s.MaxSkew), C.int32_t(s.MinDomains)
		out.when_unsatisfiable = C.uint32_t(s.WhenUnsatisfiable)
		out.node_affinity_policy, out.node_taints_policy = C.uint32_t(s.NodeAffinityPolicy), C.uint32_t(s.NodeTaintsPolicy)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) tolerations(from []Toleration) (*C.karp_toleration, C.size_t) {
	items := list[C.karp_toleration](p, len(from))
	for i := range from {
		t := &from[i]
		items[i] = C.karp_toleration{key: p.str(t.Key), value: p.str(t.Value), effect: p.str(t.Effect), op: C.uint32_t(t.Op)}
		if t.Seconds != nil {
			items[i].has_seconds, items[i].seconds = 1, C.int64_t(*t.Seconds)
		}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) ports(from []HostPort) (*C.karp_host_port, C.size_t) {
	items := list[C.karp_host_port](p, len(from))
	for i, t := range from {
		items[i] = C.karp_host_port{host_ip: p.str(t.HostIP), protocol: p.str(t.Protocol), port: C.int32_t(t.Port)}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) containers(from []Container) (*C.karp_container, C.size_t) {
	items := list[C.karp_container](p, len(from))
	for i := range from {
		c, out := &from[i], &items[i]
		out.name, out.restart_always = p.str(c.Name), flag(c.RestartAlways)
		out.requests, out.request_count = p.resources(c.Requests)
		out.limits, out.limit_count = p.resources(c.Limits)
		out.ports, out.port_count = p.ports(c.Ports)
		out.claims, out.claim_count = p.strs(c.Claims)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) statuses(from []ContainerStatus) (*C.karp_container_status, C.size_t) {
	items := list[C.karp_container_status](p, len(from))
	for i := range from {
		s, out := &from[i], &items[i]
		out.name, out.has_resources = p.str(s.Name), flag(s.HasResources)
		out.requests, out.request_count = p.resources(s.Requests)
		out.allocated, out.allocated_count = p.resources(s.Allocated)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) volumes(from []PodVolume) (*C.karp_pod_volume, C.size_t) {
	items := list[C.karp_pod_volume](p, len(from))
	for i, v := range from {
		items[i] = C.karp_pod_volume{name: p.str(v.Name), claim_name: p.str(v.ClaimName), kind: C.uint32_t(v.Kind)}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) claims(from []PodClaim) (*C.karp_pod_claim, C.size_t) {
	items := list[C.karp_pod_claim](p, len(from))
	for i, c := range from {
		items[i] = C.karp_pod_claim{name: p.str(c.Name), resource_claim_name: p.str(c.ResourceClaimName), generated: flag(c.Generated)}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) pod(out *C.karp_pod, from *Pod) {
	out.size = C.sizeof_karp_pod
	p.meta(&out.meta, &from.Meta)
	out.node_name = p.str(from.NodeName)
	out.node_selector, out.node_selector_count = p.again(nodeSelectors, from.NodeSelector)
	out.required_node_terms, out.required_node_term_count = p.nodeTerms(from.RequiredNodeTerms)
	out.preferred_node_terms, out.preferred_node_term_count = p.nodeTerms(from.PreferredNodeTerms)
	out.required_affinity, out.required_affinity_count = p.podTerms(from.RequiredAffinity)
	out.preferred_affinity, out.preferred_affinity_count = p.podTerms(from.PreferredAffinity)
	out.required_anti_affinity, out.required_anti_affinity_count = p.podTerms(from.RequiredAntiAffinity)
	out.preferred_anti_affinity, out.preferred_anti_affinity_count = p.podTerms(from.PreferredAntiAffinity)
	out.spread, out.spread_count = p.spread(from.Spread)
	out.tolerations, out.toleration_count = p.tolerations(from.Tolerations)
	out.containers, out.container_count = p.containers(from.Containers)
	out.init_containers, out.init_container_count = p.containers(from.InitContainers)
	out.overhead, out.overhead_count = p.resources(from.Overhead)
	out.pod_requests, out.pod_request_count = p.resources(from.Requests)
	out.volumes, out.volume_count = p.volumes(from.Volumes)
	out.resource_claims, out.resource_claim_count = p.claims(from.ResourceClaims)
	out.priority_class_name = p.str(from.PriorityClassName)
	out.termination_grace_seconds = -1
	if from.TerminationGrace != nil {
		out.termination_grace_seconds = C.int64_t(*from.TerminationGrace)
	}
	if from.Priority != nil {
		out.has_priority, out.priority = 1, C.int32_t(*from.Priority)
	}
	out.phase = C.uint32_t(from.Phase)
	out.nominated_node_name, out.start_time = p.str(from.NominatedNodeName), p.instant(from.StartTime)
	out.conditions, out.condition_count = p.conditions(from.Conditions)
	out.container_statuses, out.container_status_count = p.statuses(from.ContainerStatuses)
}

func (p *page) templatedPod(out *C.karp_templated_pod, from *TemplatedPod) {
	out.size = C.sizeof_karp_templated_pod
	out.name, out.uid = p.str(from.Name), p.str(from.UID)
	out.node_name, out.nominated_node_name = p.str(from.NodeName), p.str(from.NominatedNodeName)
	out.creation, out.deletion, out.start_time = p.instant(from.Created), p.instant(from.Deleted), p.instant(from.StartTime)
	out.conditions, out.condition_count = p.conditions(from.Conditions)
	out.phase = C.uint32_t(from.Phase)
}

// ---- nodes, claims, pools

func (p *page) node(out *C.karp_node, from *Node) {
	out.size = C.sizeof_karp_node
	p.meta(&out.meta, &from.Meta)
	out.provider_id = p.str(from.ProviderID)
	out.taints, out.taint_count = p.taints(from.Taints)
	out.capacity, out.capacity_count = p.resources(from.Capacity)
	out.allocatable, out.allocatable_count = p.resources(from.Allocatable)
	out.conditions, out.condition_count = p.conditions(from.Conditions)
}

func (p *page) nodeClaim(out *C.karp_node_claim, from *NodeClaim) {
	out.size = C.sizeof_karp_node_claim
	p.meta(&out.meta, &from.Meta)
	out.provider_id, out.image_id, out.node_class = p.str(from.ProviderID), p.str(from.ImageID), p.class(&from.NodeClass)
	out.taints, out.taint_count = p.taints(from.Taints)
	out.startup_taints, out.startup_taint_count = p.taints(from.StartupTaints)
	out.requirements, out.requirement_count = p.requirements(from.Requirements)
	out.requests, out.request_count = p.resources(from.Requests)
	out.capacity, out.capacity_count = p.resources(from.Capacity)
	out.allocatable, out.allocatable_count = p.resources(from.Allocatable)
	out.conditions, out.condition_count = p.conditions(from.Conditions)
	out.last_pod_event = p.instant(from.LastPodEvent)
	out.expire_after, out.termination_grace_period = duration(from.ExpireAfter), duration(from.TerminationGracePeriod)
}

// present is labels, where an empty map is another thing than none.
func (p *page) present(from map[string]string) (*C.karp_label, C.size_t) {
	if from != nil && len(from) == 0 {
		return one[C.karp_label](p), 0
	}
	return p.labels(from)
}

func (p *page) budgets(from []Budget) (*C.karp_budget, C.size_t) {
	items := list[C.karp_budget](p, len(from))
	for i := range from {
		b := &from[i]
		items[i] = C.karp_budget{nodes: p.str(b.Nodes), schedule: p.str(b.Schedule), duration: duration(b.Duration),
			has_reasons: flag(b.HasReasons), reasons: C.uint32_t(b.Reasons)}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) nodePool(out *C.karp_node_pool, from *NodePool) {
	out.size = C.sizeof_karp_node_pool
	p.meta(&out.meta, &from.Meta)
	out.node_class = p.class(&from.NodeClass)
	out.template_labels, out.template_label_count = p.present(from.TemplateLabels)
	out.template_annotations, out.template_annotation_count = p.present(from.TemplateAnnotations)
	out.taints, out.taint_count = p.taints(from.Taints)
	out.startup_taints, out.startup_taint_count = p.taints(from.StartupTaints)
	out.requirements, out.requirement_count = p.requirements(from.Requirements)
	out.limits, out.limit_count = p.resources(from.Limits)
	out.budgets, out.budget_count = p.budgets(from.Budgets)
	out.conditions, out.condition_count = p.conditions(from.Conditions)
	out.replicas = -1
	if from.Replicas != nil {
		out.replicas = C.int64_t(*from.Replicas)
	}
	out.consolidate_after, out.expire_after = duration(from.ConsolidateAfter), duration(from.ExpireAfter)
	out.termination_grace_period = duration(from.TerminationGracePeriod)
	out.weight, out.consolidation_policy = C.int32_t(from.Weight), C.uint32_t(from.ConsolidationPolicy)
}

// ---- what surrounds them

func (p *page) intOrString(from *IntOrString) C.karp_int_or_string {
	if from == nil {
		return C.karp_int_or_string{}
	}
	return C.karp_int_or_string{text: p.str(from.Text), value: C.int32_t(from.Value), is_set: 1, is_text: flag(from.IsText)}
}

func (p *page) storageClass(out *C.karp_storage_class, from *StorageClass) {
	out.size = C.sizeof_karp_storage_class
	p.meta(&out.meta, &from.Meta)
	out.provisioner, out.binding_mode = p.str(from.Provisioner), C.uint32_t(from.BindingMode)
	out.allowed_topologies, out.allowed_topology_count = p.nodeTerms(from.AllowedTopologies)
}

func (p *page) volumeClaim(out *C.karp_persistent_volume_claim, from *PersistentVolumeClaim) {
	out.size = C.sizeof_karp_persistent_volume_claim
	p.meta(&out.meta, &from.Meta)
	out.volume_name, out.phase = p.str(from.VolumeName), C.uint32_t(from.Phase)
	if from.StorageClassName != nil {
		out.has_storage_class, out.storage_class_name = 1, p.str(*from.StorageClassName)
	}
}

func (p *page) volume(out *C.karp_persistent_volume, from *PersistentVolume) {
	out.size = C.sizeof_karp_persistent_volume
	p.meta(&out.meta, &from.Meta)
	out.csi_driver, out.local = p.str(from.CSIDriver), flag(from.Local)
	out.aws_elastic_block_store = flag(from.AWSElasticBlockStore)
	out.node_terms, out.node_term_count = p.nodeTerms(from.NodeTerms)
}

func (p *page) csiNode(out *C.karp_csi_node, from *CSINode) {
	out.size = C.sizeof_karp_csi_node
	p.meta(&out.meta, &from.Meta)
	drivers := list[C.karp_csi_driver](p, len(from.Drivers))
	for i, d := range from.Drivers {
		drivers[i].name = p.str(d.Name)
		if d.Count != nil {
			drivers[i].has_count, drivers[i].count = 1, C.int32_t(*d.Count)
		}
	}
	out.drivers, out.driver_count = unsafe.SliceData(drivers), C.size_t(len(drivers))
}

func (p *page) disruptionBudget(out *C.karp_pod_disruption_budget, from *PodDisruptionBudget) {
	out.size = C.sizeof_karp_pod_disruption_budget
	p.meta(&out.meta, &from.Meta)
	out.selector = p.selector(from.Selector)
	out.min_available, out.max_unavailable = p.intOrString(from.MinAvailable), p.intOrString(from.MaxUnavailable)
	out.disruptions_allowed, out.always_allow = C.int32_t(from.DisruptionsAllowed), flag(from.AlwaysAllow)
}

func (p *page) overlay(out *C.karp_node_overlay, from *NodeOverlay) {
	out.size = C.sizeof_karp_node_overlay
	p.meta(&out.meta, &from.Meta)
	out.requirements, out.requirement_count = p.requirements(from.Requirements)
	out.price, out.price_adjustment, out.weight = p.str(from.Price), p.str(from.PriceAdjustment), C.int32_t(from.Weight)
	out.capacity, out.capacity_count = p.resources(from.Capacity)
}

func (p *page) buffer(out *C.karp_capacity_buffer, from *CapacityBuffer) {
	out.size = C.sizeof_karp_capacity_buffer
	p.meta(&out.meta, &from.Meta)
	if from.Template != nil {
		template := one[C.karp_pod](p)
		p.pod(template, from.Template)
		out.template_ = template
	}
	out.conditions, out.condition_count = p.conditions(from.Conditions)
	out.replicas = -1
	if from.Replicas != nil {
		out.replicas = C.int64_t(*from.Replicas)
	}
}

// ---- instance types

func (p *page) overhead(out *C.karp_overhead, from *Overhead) {
	out.kube_reserved, out.kube_reserved_count = p.resources(from.KubeReserved)
	out.system_reserved, out.system_reserved_count = p.resources(from.SystemReserved)
	out.eviction_threshold, out.eviction_threshold_count = p.resources(from.EvictionThreshold)
}

func (p *page) offerings(from []Offering) (*C.karp_offering, C.size_t) {
	items := list[C.karp_offering](p, len(from))
	for i := range from {
		o, out := &from[i], &items[i]
		out.requirements, out.requirement_count = p.requirements(o.Requirements)
		out.price, out.available = C.double(o.Price), flag(o.Available)
		out.reservation_capacity, out.awaits_price = C.int64_t(o.ReservationCapacity), flag(o.AwaitsPrice)
		out.has_capacity_override = flag(o.CapacityOverride != nil)
		out.capacity_override, out.capacity_override_count = p.resources(o.CapacityOverride)
		if o.OverheadOverride != nil {
			override := one[C.karp_overhead](p)
			p.overhead(override, o.OverheadOverride)
			out.overhead_override = override
		}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) instanceTypes(from []InstanceType) (*C.karp_instance_type, C.size_t) {
	items := list[C.karp_instance_type](p, len(from))
	for i := range from {
		t, out := &from[i], &items[i]
		out.size, out.name = C.sizeof_karp_instance_type, p.str(t.Name)
		out.requirements, out.requirement_count = p.requirements(t.Requirements)
		out.capacity, out.capacity_count = p.resources(t.Capacity)
		p.overhead(&out.overhead, &t.Overhead)
		out.offerings, out.offering_count = p.offerings(t.Offerings)
		limits := list[C.karp_volume_limit](p, len(t.VolumeLimits))
		for k, l := range t.VolumeLimits {
			limits[k] = C.karp_volume_limit{driver: p.str(l.Driver), count: C.int64_t(l.Count)}
		}
		out.volume_limits, out.volume_limit_count = unsafe.SliceData(limits), C.size_t(len(limits))
		out.device_templates, out.device_template_count = p.deviceTemplates(t.DeviceTemplates)
		out.attribute_bindings, out.attribute_binding_count = p.attributeBindings(t.AttributeBindings)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}
