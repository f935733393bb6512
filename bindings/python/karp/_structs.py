# SPDX-License-Identifier: Apache-2.0
# Made by bindings/generate.py from the headers; not edited by hand.
"""The structs of the public headers that this package reads or fills, field for field."""
from __future__ import annotations

import ctypes as C  # arrays are pointers without a type: they are read by address and count


class Str(C.Structure):
    _fields_ = [('ptr', C.c_void_p), ('len', C.c_size_t)]


class Action(C.Structure):
    _fields_ = [('size', C.c_size_t), ('kind', C.c_uint32), ('object_kind', C.c_uint32), ('object', Str),
                ('subject', Str), ('value', Str), ('number', C.c_int64)]


class ActionMeaning(C.Structure):
    _fields_ = [('size', C.c_size_t), ('name', C.c_void_p), ('object', C.c_uint32), ('subject', C.c_uint32),
                ('value', C.c_uint32), ('number', C.c_uint32)]


class AdmitOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('common', C.c_void_p), ('boot', C.c_int64), ('flavours', C.c_uint32),
                ('most_changes', C.c_uint32), ('flavours_up_to', C.c_uint32), ('reserved', C.c_uint32), ('only', Str)]


class Admitted(C.Structure):
    _fields_ = [('size', C.c_size_t), ('name', Str), ('kind', Str), ('verdict', C.c_uint32), ('code', C.c_uint32),
                ('detail', Str), ('priority', C.c_int32), ('starts_alone', C.c_uint32), ('pods', C.c_uint32),
                ('placed', C.c_uint32), ('waiting', C.c_uint32), ('launches', C.c_uint32), ('cost', C.c_double),
                ('ready_after', C.c_int64), ('domain', Str), ('nodes', C.c_void_p), ('node_count', C.c_size_t),
                ('flavour_count', C.c_size_t), ('change_count', C.c_size_t), ('condition_count', C.c_size_t)]


class Blocker(C.Structure):
    _fields_ = [('size', C.c_size_t), ('code', C.c_uint32), ('reserved', C.c_uint32), ('detail', Str),
                ('until', C.c_int64), ('method', C.c_uint32), ('found', C.c_uint32)]


class Candidate(C.Structure):
    _fields_ = [('size', C.c_size_t), ('node', Str), ('node_pool', Str), ('price', C.c_double),
                ('disruption_cost', C.c_double), ('reschedule_cost', C.c_double), ('pods', C.c_void_p),
                ('pod_count', C.c_size_t), ('repair', C.c_void_p)]


class CandidateRepair(C.Structure):
    _fields_ = [('action', C.c_uint32), ('fallback', C.c_uint32), ('escalated', C.c_uint32), ('reserved', C.c_uint32),
                ('condition', Str), ('reason', Str), ('score', C.c_double), ('eligible_at', C.c_int64),
                ('termination_grace_period', C.c_int64)]


class CatalogueOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('region', Str), ('node_class', Str), ('node_class_name', Str),
                ('reserved_enis', C.c_int64), ('vm_memory_overhead_percent', C.c_double), ('all_types', C.c_uint32),
                ('reserved', C.c_uint32)]


class Change(C.Structure):
    _fields_ = [('name', Str), ('factor', C.c_double), ('kind', C.c_uint32), ('reserved', C.c_uint32)]


class Choice(C.Structure):
    _fields_ = [('instance_type', Str), ('zone', Str), ('capacity_type', Str), ('price', C.c_double)]


class Column(C.Structure):
    _fields_ = [('size', C.c_size_t), ('name', Str), ('type', C.c_uint32), ('is_list', C.c_uint32),
                ('row_count', C.c_size_t), ('values', C.c_void_p), ('value_count', C.c_size_t),
                ('offsets', C.c_void_p), ('dictionary', C.c_void_p), ('dictionary_offsets', C.c_void_p),
                ('dictionary_count', C.c_size_t)]


class Command(C.Structure):
    _fields_ = [('size', C.c_size_t), ('method', C.c_uint32), ('replaces', C.c_uint32), ('nodes', C.c_void_p),
                ('node_count', C.c_size_t), ('launch_first', C.c_size_t), ('launch_count', C.c_size_t),
                ('placement_first', C.c_size_t), ('placement_count', C.c_size_t), ('savings', C.c_double),
                ('validate_after', C.c_int64), ('score', C.c_double), ('decision', C.c_uint32),
                ('terminate_first', C.c_uint32), ('termination_grace_period', C.c_int64),
                ('replacement_unavailable', C.c_uint32), ('expired', C.c_uint32), ('waiting', C.c_size_t)]


class CommandNode(C.Structure):
    _fields_ = [('node', Str), ('claim', Str)]


class CommandState(C.Structure):
    _fields_ = [('size', C.c_size_t), ('method', C.c_uint32), ('phase', C.c_uint32), ('reason', C.c_uint32),
                ('reserved', C.c_uint32), ('decided', C.c_int64), ('validate_at', C.c_int64), ('started', C.c_int64),
                ('savings', C.c_double), ('nodes', C.c_void_p), ('node_count', C.c_size_t),
                ('replacements', C.c_void_p), ('replacement_count', C.c_size_t), ('receivers', C.c_void_p),
                ('receiver_count', C.c_size_t)]


Log = C.CFUNCTYPE(None, C.c_uint32, Str, C.c_void_p)


ParallelFor = C.CFUNCTYPE(None, C.c_size_t, C.c_void_p, C.c_void_p, C.c_void_p)


class ContextOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('allocator', C.c_void_p), ('log', Log), ('log_user', C.c_void_p),
                ('max_pods', C.c_uint64), ('max_nodes', C.c_uint64), ('max_instance_types', C.c_uint64),
                ('max_document_bytes', C.c_uint64), ('max_nesting', C.c_uint32), ('debug', C.c_uint32),
                ('max_aliases', C.c_uint64), ('parallel_for', ParallelFor), ('parallel_user', C.c_void_p),
                ('hash_seed', C.c_uint64), ('max_memory', C.c_uint64), ('should_stop', C.c_void_p),
                ('stop_user', C.c_void_p)]


class Cost(C.Structure):
    _fields_ = [('size', C.c_size_t), ('cost', C.c_double), ('compatible_cost', C.c_double), ('bound', C.c_double),
                ('gap', C.c_double), ('effort', C.c_uint64), ('steps', C.c_uint64),
                ('compatible_launches', C.c_uint32), ('stopped', C.c_uint32), ('optimal', C.c_uint32),
                ('flags', C.c_uint32)]


class Design(C.Structure):
    _fields_ = [('size', C.c_size_t), ('name', Str), ('reader', C.c_void_p), ('snapshot', C.c_void_p),
                ('plan', C.c_void_p), ('settlement', C.c_void_p), ('drift', C.c_void_p), ('warnings', C.c_void_p),
                ('warning_count', C.c_size_t), ('alone', C.c_void_p), ('alone_count', C.c_size_t),
                ('saved', C.c_void_p), ('saved_count', C.c_size_t)]


class DiffSide(C.Structure):
    _fields_ = [('size', C.c_size_t), ('name', Str), ('snapshot', C.c_void_p), ('options', C.c_void_p),
                ('method', C.c_uint32), ('reserved', C.c_uint32)]


class DisruptOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('common', C.c_void_p), ('method', C.c_uint32),
                ('expire_gracefully', C.c_uint32), ('max_simulations', C.c_uint64), ('flip_quirks', C.c_uint64),
                ('memory', C.c_void_p), ('in_progress', C.c_void_p), ('in_progress_count', C.c_size_t),
                ('commands_only', C.c_uint32), ('watched', C.c_uint32), ('backed_off', C.c_void_p),
                ('backed_off_count', C.c_size_t), ('nominated', C.c_void_p), ('nominated_count', C.c_size_t)]


class Disruption(C.Structure):
    _fields_ = [('size', C.c_size_t), ('method', C.c_uint32), ('simulations', C.c_uint32), ('error_code', Str),
                ('error_message', Str), ('requeue_after', C.c_int64)]


class Error(C.Structure):
    _fields_ = [('size', C.c_size_t), ('status', C.c_int32), ('line', C.c_uint32), ('column', C.c_uint32),
                ('reserved', C.c_uint32), ('byte_offset', C.c_uint64), ('document', C.c_char * 128),
                ('object', C.c_char * 192), ('field', C.c_char * 128), ('message', C.c_char * 256)]


class Finding(C.Structure):
    _fields_ = [('size', C.c_size_t), ('code', C.c_uint32), ('reserved', C.c_uint32), ('object', Str), ('detail', Str)]


class FitDemand(C.Structure):
    _fields_ = [('requests', C.c_void_p), ('request_count', C.c_size_t), ('selector', C.c_void_p),
                ('count', C.c_uint64), ('max_per_node', C.c_uint64), ('group', C.c_uint32), ('priority', C.c_int32),
                ('reserved', C.c_uint64)]


class FitLeft(C.Structure):
    _fields_ = [('size', C.c_size_t), ('copies', C.c_uint64), ('demand', C.c_uint32), ('reason', C.c_uint32),
                ('permanent', C.c_uint32), ('reserved', C.c_uint32)]


class FitLoad(C.Structure):
    _fields_ = [('size', C.c_size_t), ('launched', C.c_uint32), ('index', C.c_uint32), ('nodes', C.c_uint64),
                ('shares', C.c_void_p), ('share_count', C.c_size_t)]


class FitNode(C.Structure):
    _fields_ = [('name', Str), ('free', C.c_void_p), ('free_count', C.c_size_t), ('labels', C.c_void_p),
                ('label_count', C.c_size_t), ('count', C.c_uint64), ('reserved', C.c_uint64)]


ShouldStop = C.CFUNCTYPE(C.c_int32, C.c_void_p)


class FitRequest(C.Structure):
    _fields_ = [('size', C.c_size_t), ('types', C.c_void_p), ('type_count', C.c_size_t), ('nodes', C.c_void_p),
                ('node_count', C.c_size_t), ('demands', C.c_void_p), ('demand_count', C.c_size_t),
                ('should_stop', ShouldStop), ('stop_user', C.c_void_p), ('max_launches', C.c_uint64),
                ('objective', C.c_uint32), ('reserved', C.c_uint32), ('effort', C.c_uint64)]


class FitShare(C.Structure):
    _fields_ = [('copies', C.c_uint64), ('demand', C.c_uint32), ('reserved', C.c_uint32)]


class FitType(C.Structure):
    _fields_ = [('name', Str), ('resources', C.c_void_p), ('resource_count', C.c_size_t), ('labels', C.c_void_p),
                ('label_count', C.c_size_t), ('price', C.c_double), ('max_nodes', C.c_uint64),
                ('min_nodes', C.c_uint64), ('reserved', C.c_uint64)]


class Flavour(C.Structure):
    _fields_ = [('size', C.c_size_t), ('node_pool', Str), ('zone', Str), ('capacity_type', Str), ('reservation', Str),
                ('verdict', C.c_uint32), ('placed', C.c_uint32), ('launches', C.c_uint32), ('reserved', C.c_uint32),
                ('cost', C.c_double), ('detail', Str), ('resource_flavor', Str)]


class Ignored(C.Structure):
    _fields_ = [('size', C.c_size_t), ('pod', C.c_uint32), ('code', C.c_uint32), ('message', Str)]


class Overhead(C.Structure):
    _fields_ = [('kube_reserved', C.c_void_p), ('kube_reserved_count', C.c_size_t), ('system_reserved', C.c_void_p),
                ('system_reserved_count', C.c_size_t), ('eviction_threshold', C.c_void_p),
                ('eviction_threshold_count', C.c_size_t)]


class InstanceType(C.Structure):
    _fields_ = [('size', C.c_size_t), ('name', Str), ('requirements', C.c_void_p), ('requirement_count', C.c_size_t),
                ('capacity', C.c_void_p), ('capacity_count', C.c_size_t), ('overhead', Overhead),
                ('offerings', C.c_void_p), ('offering_count', C.c_size_t), ('volume_limits', C.c_void_p),
                ('volume_limit_count', C.c_size_t), ('capacity_from_overlay', C.c_uint32),
                ('pod_addresses', C.c_uint32), ('device_templates', C.c_void_p), ('device_template_count', C.c_size_t),
                ('attribute_bindings', C.c_void_p), ('attribute_binding_count', C.c_size_t)]


class Kept(C.Structure):
    _fields_ = [('size', C.c_size_t), ('node', Str), ('detail', Str), ('code', C.c_uint32), ('reserved', C.c_uint32),
                ('found', C.c_uint32), ('reserved_', C.c_uint32)]


class Label(C.Structure):
    _fields_ = [('key', Str), ('value', Str)]


class NodeClassRef(C.Structure):
    _fields_ = [('group', Str), ('kind', Str), ('name', Str)]


class Launch(C.Structure):
    _fields_ = [('size', C.c_size_t), ('id', Str), ('node_pool', Str), ('pods', C.c_void_p), ('pod_count', C.c_size_t),
                ('requests', C.c_void_p), ('request_count', C.c_size_t), ('requirements', C.c_void_p),
                ('requirement_count', C.c_size_t), ('claim_requirements', C.c_void_p),
                ('claim_requirement_count', C.c_size_t), ('labels', C.c_void_p), ('label_count', C.c_size_t),
                ('annotations', C.c_void_p), ('annotation_count', C.c_size_t), ('taints', C.c_void_p),
                ('taint_count', C.c_size_t), ('startup_taints', C.c_void_p), ('startup_taint_count', C.c_size_t),
                ('instance_types', C.c_void_p), ('instance_type_count', C.c_size_t), ('choice', Choice),
                ('choice_labels', C.c_void_p), ('choice_label_count', C.c_size_t), ('capacity', C.c_void_p),
                ('capacity_count', C.c_size_t), ('allocatable', C.c_void_p), ('allocatable_count', C.c_size_t),
                ('node_class', NodeClassRef), ('expire_after', C.c_int64), ('termination_grace_period', C.c_int64),
                ('runner_up', Choice), ('list_price', C.c_double), ('apart', Str)]


class Memory(C.Structure):
    _fields_ = [('size', C.c_size_t), ('changed', C.c_int64), ('seen', C.c_uint64), ('emptiness_mark', C.c_int64),
                ('multi_node_mark', C.c_int64), ('single_node_mark', C.c_int64), ('unseen', C.c_void_p),
                ('unseen_count', C.c_size_t)]


class Move(C.Structure):
    _fields_ = [('size', C.c_size_t), ('price', C.c_double), ('savings', C.c_double), ('moved', C.c_uint32),
                ('launches', C.c_uint32), ('node_pool', Str), ('choice', Choice)]


class NodeRemedy(C.Structure):
    _fields_ = [('size', C.c_size_t), ('code', C.c_uint32), ('method', C.c_uint32), ('text', Str),
                ('instance_type', Str), ('savings', C.c_double)]


class NodeUse(C.Structure):
    _fields_ = [('size', C.c_size_t), ('node', Str), ('node_pool', Str), ('instance_type', Str), ('zone', Str),
                ('capacity_type', Str), ('price', C.c_double), ('cpu_requested', C.c_double),
                ('cpu_allocatable', C.c_double), ('memory_requested', C.c_double), ('memory_allocatable', C.c_double),
                ('marked', C.c_uint32), ('pods_received', C.c_uint32)]


class Objective(C.Structure):
    _fields_ = [('size', C.c_size_t), ('kind', C.c_uint32), ('flags', C.c_uint32), ('effort', C.c_uint64),
                ('node_cost', C.c_double), ('spot_factor', C.c_double), ('price_slack', C.c_double)]


class Observation(C.Structure):
    _fields_ = [('kind', C.c_uint32), ('number', C.c_uint32), ('object', Str)]


class Offering(C.Structure):
    _fields_ = [('requirements', C.c_void_p), ('requirement_count', C.c_size_t), ('price', C.c_double),
                ('reservation_capacity', C.c_int64), ('available', C.c_uint32), ('price_from_overlay', C.c_uint32),
                ('capacity_override', C.c_void_p), ('capacity_override_count', C.c_size_t),
                ('overhead_override', C.c_void_p), ('has_capacity_override', C.c_uint32), ('awaits_price', C.c_uint32)]


class Options(C.Structure):
    _fields_ = [('size', C.c_size_t), ('now', C.c_int64), ('profile', C.c_uint32), ('explain', C.c_uint32),
                ('max_steps', C.c_uint64), ('should_stop', ShouldStop), ('stop_user', C.c_void_p),
                ('keep_partial', C.c_uint32), ('reserved', C.c_uint32), ('flip_quirks', C.c_uint64),
                ('peer_version', C.c_uint32), ('reserved_', C.c_uint32), ('flip_rules', C.c_uint64),
                ('objective', C.c_void_p), ('claim_order', C.c_uint32), ('preferences', C.c_uint32)]


class Placement(C.Structure):
    _fields_ = [('size', C.c_size_t), ('node', Str), ('pods', C.c_void_p), ('pod_count', C.c_size_t)]


class PoolBudget(C.Structure):
    _fields_ = [('size', C.c_size_t), ('node_pool', Str), ('remaining', C.c_int64), ('next_change', C.c_int64),
                ('allowed', C.c_int64), ('tightest', C.c_uint32), ('nodes', C.c_uint32), ('busy', C.c_void_p),
                ('busy_count', C.c_size_t), ('schedule', Str), ('duration', C.c_int64)]


class PoolRefusal(C.Structure):
    _fields_ = [('node_pool', Str), ('detail', Str), ('code', C.c_uint32), ('types_start', C.c_uint32),
                ('types_requirements', C.c_uint32), ('types_resources', C.c_uint32), ('types_offerings', C.c_uint32),
                ('reserved', C.c_uint32)]


class PriceRule(C.Structure):
    _fields_ = [('requirements', C.c_void_p), ('requirement_count', C.c_size_t), ('factor', C.c_double),
                ('per_node', C.c_double), ('per_vcpu', C.c_double)]


class ProviderOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('region', Str), ('settings', C.c_void_p), ('setting_count', C.c_size_t)]


class ReaderOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('strict', C.c_uint32), ('keep_documents', C.c_uint32), ('now', C.c_int64),
                ('region', Str), ('base_directory', Str), ('provider', Str), ('editable', C.c_uint32),
                ('feature_gates', Str), ('now_later', C.c_int64), ('recursive', C.c_uint32),
                ('note_changes', C.c_uint32), ('no_lint_notes', C.c_uint32), ('replicas_from', C.c_uint32),
                ('skip_unknown', C.c_uint32), ('strict_storage', C.c_uint32), ('lenient', C.c_uint32), ('hooks', Str),
                ('preferences', C.c_uint32), ('queued', C.c_uint32), ('dra_requests', C.c_uint32),
                ('legacy_node_repair', C.c_uint32), ('peer_version', C.c_uint32), ('reserved', C.c_uint32),
                ('previews', C.c_uint64), ('ignored_kinds', Str), ('unavailable', Str)]


class Remedy(C.Structure):
    _fields_ = [('size', C.c_size_t), ('kind', C.c_uint32), ('changes', C.c_uint32), ('text', Str), ('node_pool', Str),
                ('node', Str), ('choice', Choice)]


class RepackCost(C.Structure):
    _fields_ = [('size', C.c_size_t), ('before', C.c_double), ('after', C.c_double), ('bound', C.c_double),
                ('evictions', C.c_uint64), ('pods', C.c_uint64), ('effort', C.c_uint64), ('work', C.c_uint64),
                ('stopped', C.c_uint32), ('reserved', C.c_uint32)]


class RepackOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('common', C.c_void_p), ('max_evictions', C.c_uint64), ('max_steps', C.c_uint64),
                ('max_evicted_percent', C.c_double), ('min_saving', C.c_double),
                ('min_saving_per_eviction', C.c_double), ('ignore_budgets', C.c_uint32),
                ('ignore_consolidate_after', C.c_uint32), ('in_progress', C.c_void_p),
                ('in_progress_count', C.c_size_t), ('certificate', C.c_uint64)]


class RepackPoint(C.Structure):
    _fields_ = [('size', C.c_size_t), ('evictions', C.c_uint64), ('cost', C.c_double), ('bound', C.c_double)]


class RepackStep(C.Structure):
    _fields_ = [('size', C.c_size_t), ('saving', C.c_double), ('total_saving', C.c_double), ('cost_after', C.c_double),
                ('evictions', C.c_uint64), ('total_evictions', C.c_uint64)]


class Replacement(C.Structure):
    _fields_ = [('launch', C.c_void_p), ('claim', Str), ('progress', C.c_uint32), ('reserved', C.c_uint32)]


class ReplayDocument(C.Structure):
    _fields_ = [('name', Str), ('text', Str)]


class ReplayInterruption(C.Structure):
    _fields_ = [('instance_type', Str), ('zone', Str), ('per_hour', C.c_double)]


class ReplayProgress(C.Structure):
    _fields_ = [('size', C.c_size_t), ('policy', Str), ('now', C.c_int64), ('begins', C.c_int64), ('ends', C.c_int64),
                ('nodes', C.c_size_t), ('pods', C.c_size_t)]


ReplayReport = C.CFUNCTYPE(None, C.POINTER(ReplayProgress), C.c_void_p)


class ReplayOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('traces', C.c_void_p), ('trace_count', C.c_size_t), ('format', Str),
                ('objects', C.c_void_p), ('object_count', C.c_size_t), ('catalogue', C.c_void_p), ('region', Str),
                ('policies', C.c_void_p), ('policy_count', C.c_size_t), ('until', C.c_int64),
                ('until_after', C.c_int64), ('step', C.c_int64), ('seed', C.c_uint64), ('boot', C.c_int64),
                ('boot_jitter', C.c_int64), ('disruption_interval', C.c_int64), ('interruptions', C.c_void_p),
                ('interruption_count', C.c_size_t), ('most_allocated', C.c_uint32), ('lenient', C.c_uint32),
                ('dump_at', C.c_int64), ('dump_after', C.c_int64), ('progress', ReplayReport),
                ('progress_user', C.c_void_p), ('decision', C.c_void_p), ('repack', C.c_void_p),
                ('as_planned', C.c_uint64), ('feature_gates', Str), ('scheduler', Str), ('scheduler_minor', C.c_int64),
                ('scheduler_config', C.c_void_p), ('replaced', C.c_void_p), ('replaced_count', C.c_size_t),
                ('runs', C.c_uint64), ('interruption_table', C.c_void_p), ('requests', C.c_void_p),
                ('usage', C.c_void_p), ('usage_count', C.c_size_t), ('commitment_offers', C.c_void_p),
                ('initialization', C.c_int64), ('ignored_kinds', Str), ('pods_from', Str)]


class RequestCondition(C.Structure):
    _fields_ = [('size', C.c_size_t), ('type', Str), ('status', Str), ('reason', Str), ('message', Str)]


class Requirement(C.Structure):
    _fields_ = [('key', Str), ('op', C.c_uint32), ('min_values', C.c_uint32), ('values', C.c_void_p),
                ('value_count', C.c_size_t)]


class Resource(C.Structure):
    _fields_ = [('name', Str), ('text', Str), ('value', C.c_int64), ('scale', C.c_int32), ('reserved', C.c_uint32)]


class Selector(C.Structure):
    _fields_ = [('match_labels', C.c_void_p), ('match_label_count', C.c_size_t), ('expressions', C.c_void_p),
                ('expression_count', C.c_size_t)]


class SettleOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('common', C.c_void_p), ('boot', C.c_int64), ('disrupt', C.c_uint32),
                ('reserved', C.c_uint32), ('progress', C.c_void_p), ('progress_user', C.c_void_p)]


class SnapshotCounts(C.Structure):
    _fields_ = [('size', C.c_size_t), ('pods', C.c_size_t), ('pods_to_place', C.c_size_t), ('pod_classes', C.c_size_t),
                ('nodes', C.c_size_t), ('node_pools', C.c_size_t), ('instance_types', C.c_size_t),
                ('offerings', C.c_size_t), ('requirement_sets', C.c_size_t)]


class Taint(C.Structure):
    _fields_ = [('key', Str), ('value', Str), ('effect', Str)]


class TargetRefusal(C.Structure):
    _fields_ = [('target', Str), ('code', C.c_uint32), ('is_launch', C.c_uint32)]


class Text(C.Structure):
    _fields_ = [('ptr', C.c_void_p), ('len', C.c_size_t), ('owner', C.c_void_p)]


class Topology(C.Structure):
    _fields_ = [('kind', C.c_uint32), ('selects_itself', C.c_uint32), ('key', Str), ('selector', Str),
                ('max_skew', C.c_int32), ('min_domains', C.c_int32), ('minimum', C.c_int64), ('cause', Str),
                ('domains', C.c_void_p), ('domain_count', C.c_size_t), ('domain_total', C.c_size_t)]


class TopologyDomain(C.Structure):
    _fields_ = [('value', Str), ('count', C.c_uint32), ('code', C.c_uint32), ('detail', Str), ('named', C.c_uint32),
                ('node_count', C.c_uint32), ('pool_count', C.c_uint32), ('minimum', C.c_uint32), ('node', Str),
                ('node_pool', Str), ('pod', Str), ('volume', Str)]


class TuneOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('axes', C.c_void_p), ('axis_count', C.c_size_t), ('most_designs', C.c_uint64),
                ('seed', C.c_uint64), ('replay', C.c_uint32), ('peer_version', C.c_uint32), ('caps', C.c_void_p),
                ('cap_count', C.c_size_t), ('restart_loss', C.c_int64), ('image_architectures', Str),
                ('loads', C.c_void_p), ('load_count', C.c_size_t)]


class Unschedulable(C.Structure):
    _fields_ = [('size', C.c_size_t), ('pod', C.c_uint32), ('code', C.c_uint32), ('permanent', C.c_uint32),
                ('reserved', C.c_uint32), ('message', Str), ('pools', C.c_void_p), ('pool_count', C.c_size_t),
                ('targets', C.c_void_p), ('target_count', C.c_size_t), ('relaxed', C.c_void_p),
                ('relaxed_count', C.c_size_t), ('topologies', C.c_void_p), ('topology_count', C.c_size_t)]


class WriteOptions(C.Structure):
    _fields_ = [('size', C.c_size_t), ('format', C.c_uint32), ('compact', C.c_uint32), ('color', C.c_uint32),
                ('width', C.c_uint32), ('digest', Str), ('title', Str), ('catalogue', Str), ('warnings', C.c_void_p),
                ('warning_count', C.c_size_t), ('settlement', C.c_void_p), ('values', C.c_void_p),
                ('preferences', C.c_void_p), ('licences', Str), ('drift', C.c_void_p), ('hook_rounds', C.c_void_p),
                ('hook_round_count', C.c_size_t), ('outcome', C.c_void_p)]
