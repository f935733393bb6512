/* SPDX-License-Identifier: Apache-2.0 */
#include <base/admit.h>
#include <io/notes.h>
#include <io/pod_makers.h>
#include <io/schemas.h>

#include <base/money.h>
#include <math.h>
#include <stdio.h>

/* ---- feature gates ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t bit;
} gates[] = {
    { "ReservedCapacity", KARP_GATE_RESERVED_CAPACITY },
    { "SpotToSpotConsolidation", KARP_GATE_SPOT_TO_SPOT },
    { "NodeRepair", KARP_GATE_NODE_REPAIR },
    { "NodeOverlay", KARP_GATE_NODE_OVERLAY },
    { "StaticCapacity", KARP_GATE_STATIC_CAPACITY },
    { "CapacityBuffer", KARP_GATE_CAPACITY_BUFFER },
    { "TerminateFirstDrift", KARP_GATE_TERMINATE_FIRST_DRIFT },
    { "TerminateFirstRepair", KARP_GATE_TERMINATE_FIRST_REPAIR },
    { "PodDeletionCostManagement", KARP_GATE_POD_DELETION_COST },
    { "NodeClassCEL", KARP_GATE_NODE_CLASS_CEL },
    { "DRANVIDIAGPU", KARP_GATE_DRA_NVIDIA_GPU },
    { "DRAEFA", KARP_GATE_DRA_EFA },
    { "RebootForRepair", KARP_GATE_REBOOT_FOR_REPAIR },
};

enum { GATES = sizeof gates / sizeof gates[0] };

const char *io_gate_name(size_t index, uint32_t *bit)
{
    if (index >= GATES) return NULL;
    *bit = gates[index].bit;
    return gates[index].name;
}

/* `name`: of a gate that Karpenter does not have; "" = the part has another form. */
static karp_status wrong_gate(karp_reader *reader, karp_str part, karp_str name)
{
    char known[160] = ""; /* whole names, as many as an error has room for */
    for (size_t i = 0; i < GATES; i++) {
        bool fits = strlen(known) + strlen(gates[i].name) + sizeof ", ..." < sizeof known;
        str_append(known, sizeof known, "%s%s", i == 0 ? "" : ", ", fits ? gates[i].name : "...");
        if (!fits) break;
    }
    if (name.len > 0) {
        nearest meant = { .wanted = name, .distance = 3 };
        for (size_t i = 0; i < GATES; i++) nearest_offer(&meant, str(gates[i].name));
        if (meant.best.ptr != NULL)
            return fail(&reader->error, KARP_E_INVALID, "Karpenter has no feature gate %.*s; did you mean %.*s?",
                        str_shown(name, 60), name.ptr, (int)meant.best.len, meant.best.ptr);
        return fail(&reader->error, KARP_E_INVALID, "Karpenter has no feature gate %.*s; gates: %s",
                    str_shown(name, 50), name.ptr, known);
    }
    return fail(&reader->error, KARP_E_INVALID, "%.*s is no gate=true or gate=false; gates: %s",
                str_shown(part, 100) < 24 ? str_shown(part, 100) : 24, part.len ? part.ptr : "", known);
}

static karp_status read_gate(karp_reader *reader, karp_str part)
{
    const char *sign = part.len ? memchr(part.ptr, '=', part.len) : NULL;
    if (!sign || sign == part.ptr) return wrong_gate(reader, part, (karp_str){ "", 0 });
    karp_str name = { part.ptr, (size_t)(sign - part.ptr) }, value = { sign + 1, part.len - name.len - 1 };
    bool on = str_is(value, "true");
    if (!on && !str_is(value, "false")) return wrong_gate(reader, part, (karp_str){ "", 0 });
    for (size_t i = 0; i < GATES; i++) {
        if (!str_is(name, gates[i].name)) continue;
        reader->gates.given |= gates[i].bit;
        reader->gates.given_on = on ? reader->gates.given_on | gates[i].bit : reader->gates.given_on & ~gates[i].bit;
        return KARP_OK;
    }
    return wrong_gate(reader, part, name);
}

karp_status io_gates_read(karp_reader *reader)
{
    karp_str all = reader->options.feature_gates;
    karp_status status = KARP_OK;
    while (all.len && status == KARP_OK) status = read_gate(reader, str_until(&all, ','));
    return status;
}

void io_options_apply(const karp_reader *reader, karp_settings *settings)
{
    settings->gates = (settings->gates & ~reader->gates.given) | reader->gates.given_on;
    if (reader->options.legacy_node_repair) settings->legacy_node_repair = 1;
    if (reader->options.dra_requests != KARP_READ_DRA_GIVEN)
        settings->dra_requests = reader->options.dra_requests == KARP_READ_DRA_PLAN;
    if (reader->options.preferences == KARP_READ_PREFERENCES_GIVEN) return;
    bool ignore = reader->options.preferences == KARP_READ_PREFERENCES_IGNORE;
    settings->preference_policy = ignore ? KARP_PREFERENCES_IGNORE : KARP_PREFERENCES_RESPECT;
}

/* ---- collecting -------------------------------------------------------------------------------------------------- */

static const karp_condition *condition_of(const karp_node_pool *pool, const char *type)
{
    for (size_t i = 0; i < pool->condition_count; i++) {
        if (str_is(pool->conditions[i].type, type)) return &pool->conditions[i];
    }
    return NULL;
}

/* The reason why a pool is not ready: the false condition that Ready summarises, if there is one. */
static const karp_condition *what_is_wrong(const karp_node_pool *pool)
{
    static const char *const parts[] = { "NodeClassReady", "ValidationSucceeded", "Ready" };
    for (size_t i = 0; i < 3; i++) {
        const karp_condition *c = condition_of(pool, parts[i]);
        if (c && !str_is(c->status, "True")) return c;
    }
    return NULL;
}

static karp_status note_not_ready(karp_reader *reader, const karp_node_pool *pool)
{
    static const char *const needed[] = { "Ready", "ValidationSucceeded", "NodeClassReady" };
    const karp_condition *ready = condition_of(pool, "Ready"), *wrong = what_is_wrong(pool);
    karp_str name = pool->meta.name;
    const char *missing = NULL;
    for (size_t i = 3; i-- > 0;) {
        if (!condition_of(pool, needed[i])) missing = needed[i];
    }
    if (ready && str_is(ready->status, "True")) wrong = NULL;
    if (wrong) {
        bool why = wrong->reason.len > 0;
        return io_warn(reader, "NodePool %.*s: not ready, so nothing is launched from it: %.*s is %.*s%s%.*s%s",
                       str_shown(name, 100), name.ptr, str_shown(wrong->type, 100), wrong->type.ptr,
                       str_shown(wrong->status, 100), wrong->status.ptr, why ? " (" : "", str_shown(wrong->reason, 100),
                       why ? wrong->reason.ptr : "", why ? ")" : "");
    }
    if (!missing) return KARP_OK;
    return io_warn(reader, "NodePool %.*s: not ready, so nothing is launched from it: it has no condition %s",
                   str_shown(name, 100), name.ptr, missing);
}

/* Rounded up, as in Karpenter. */
static int64_t nodes_limit(const karp_node_pool *pool)
{
    for (size_t i = 0; i < pool->limit_count; i++) {
        double nodes = 0;
        if (!str_is(pool->limits[i].name, "nodes")) continue;
        if (karp_quantity_double(pool->limits[i].text, &nodes) != KARP_OK || !(nodes < 1e15)) return INT64_MAX;
        return (int64_t)ceil(nodes);
    }
    return INT64_MAX;
}

karp_status io_unused_pool(karp_reader *reader, const karp_node_pool *pool)
{
    karp_str name = pool->meta.name;
    if (pool->meta.deletion != KARP_NO_TIME)
        return io_warn(reader, "NodePool %.*s: it is being deleted, so nothing is launched from it",
                       str_shown(name, 100), name.ptr);
    if (pool->replicas < 0) return note_not_ready(reader, pool);
    if (!grow(reader->context, (void **)&reader->survey.statics, &reader->survey.static_capacity,
              reader->survey.static_count + 1, sizeof *reader->survey.statics))
        return io_reader_nomem(reader);
    io_static_pool *kept = &reader->survey.statics[reader->survey.static_count++];
    const karp_condition *ready = condition_of(pool, "Ready");
    *kept = (io_static_pool){ io_keep(reader, name), pool->replicas, nodes_limit(pool),
                              ready && str_is(ready->status, "True") };
    return kept->name.ptr ? KARP_OK : io_reader_nomem(reader);
}

static karp_status count(karp_reader *reader, io_unused_kind_of which, karp_str name)
{
    io_unused_count *c = &reader->survey.unused[which];
    if (c->count++ > 0) return KARP_OK;
    c->first = io_keep(reader, name);
    return c->first.ptr ? KARP_OK : io_reader_nomem(reader);
}

karp_status io_unused_object(karp_reader *reader, uint32_t gate, karp_str name)
{
    return count(reader, gate == KARP_GATE_NODE_OVERLAY ? IO_UNUSED_OVERLAYS : IO_UNUSED_BUFFERS, name);
}

karp_status io_unused_claim(karp_reader *reader, const karp_node_claim *claim)
{
    const karp_str *pool = label_value(claim->meta.labels, claim->meta.label_count, str(LABEL_NODE_POOL));
    bool ok = !pool || io_count_name(reader, "claims of a NodePool", str(""), *pool);
    return ok ? KARP_OK : io_reader_nomem(reader);
}

karp_status io_unused_workload(karp_reader *reader, const tree *root)
{
    int64_t replicas = 1;
    const tree *spec = tree_get(root, "spec");
    bool stated = tree_integer(tree_get(spec, "replicas"), &replicas);
    return stated && replicas == 0
               ? count(reader, IO_UNUSED_WORKLOADS, tree_get_text(tree_get(root, "metadata"), "name"))
               : KARP_OK;
}

karp_status io_unused_job(karp_reader *reader, const tree *root)
{
    const tree *spec = tree_get(root, "spec");
    int64_t parallelism = 1;
    bool suspended = tree_is(tree_get(spec, "suspend"), TREE_TRUE);
    bool idle = tree_integer(tree_get(spec, "parallelism"), &parallelism) && parallelism == 0 &&
                tree_count(tree_get(tree_get(root, "status"), "conditions")) == 0; /* it has not ended */
    if (!suspended && !idle) return KARP_OK;
    return count(reader, suspended ? IO_UNUSED_SUSPENDED : IO_UNUSED_IDLE,
                 tree_get_text(tree_get(root, "metadata"), "name"));
}

karp_status io_unused_later(karp_reader *reader, karp_str note) { return count(reader, IO_UNUSED_LATER, note); }

/* ---- nodes without a price --------------------------------------------------------------------------------------- */

karp_status io_unused_node(karp_reader *reader, const karp_node *node)
{
    bool unmanaged = io_label_of(node, LABEL_NODE_POOL).len == 0;
    karp_status status = io_retired_labels(reader, node->meta.labels, node->meta.label_count);
    if (status == KARP_OK) status = io_node_kinds_add(reader, node, unmanaged);
    return status || !unmanaged ? status : count(reader, IO_UNUSED_NODES, node->meta.name);
}

static karp_status note_nodes(karp_reader *reader)
{
    const io_unused_count *c = &reader->survey.unused[IO_UNUSED_NODES];
    char known[128] = "", hourly[MONEY_TEXT];
    if (c->count == 0) return KARP_OK;
    double sum = 0;
    size_t priced = 0;
    for (size_t i = 0; i < reader->survey.kind_count; i++) {
        const io_node_kind *kind = &reader->survey.kinds[i];
        const karp_instance_type *type;
        const karp_offering *offering;
        if (kind->unmanaged == 0 || !io_node_kind_find(reader, kind, &type, &offering)) continue;
        sum += offering->price * (double)kind->unmanaged;
        priced += kind->unmanaged;
    }
    (void)money_hourly(sum, hourly);
    if (priced == c->count)
        (void)snprintf(known, sizeof known, "; by the catalogue %s $%s/h", c->count == 1 ? "it costs" : "they cost",
                       hourly);
    else if (priced > 0)
        (void)snprintf(known, sizeof known, "; by the catalogue %zu of them cost $%s/h", priced, hourly);
    return io_warn(reader, "%zu %s no NodePool and %s not in the cost (%.*s%s)%s", c->count,
                   c->count == 1 ? "node belongs to" : "nodes belong to", c->count == 1 ? "is" : "are",
                   str_shown(c->first, 100), c->first.ptr, c->count == 1 ? "" : ", ...", known);
}

/* Nodes of NodePools of kinds that the catalogue does not have: a total without them looks like one with them. */
static karp_status note_unpriced(karp_reader *reader)
{
    const io_node_kind *first = NULL;
    size_t nodes = 0, kinds = 0;
    for (size_t i = 0; i < reader->survey.kind_count; i++) {
        const io_node_kind *kind = &reader->survey.kinds[i];
        const karp_instance_type *type;
        const karp_offering *offering;
        if (kind->count == kind->unmanaged || io_node_kind_find(reader, kind, &type, &offering)) continue;
        if (kinds++ == 0) first = kind;
        nodes += kind->count - kind->unmanaged;
    }
    if (nodes == 0) return KARP_OK;
    return io_warn(reader,
                   "%zu %s no price in the catalogue and %s as $0 in every cost (%.*s in zone %.*s, %.*s%s); "
                   "--facts or --catalogue can state it",
                   nodes, nodes == 1 ? "node of a NodePool has" : "nodes of NodePools have",
                   nodes == 1 ? "counts" : "count", str_shown(first->type, 60), first->type.ptr,
                   str_shown(first->zone, 60), first->zone.ptr, str_shown(first->capacity_type, 60),
                   first->capacity_type.ptr, kinds == 1 ? "" : ", ...");
}

/* ---- kinds that are not read ------------------------------------------------------------------------------------- */

/* Whether one inserted, deleted, changed or swapped letter makes the words equal. */
static bool nearly(karp_str a, karp_str b)
{
    size_t same = 0, tail = 0;
    while (same < a.len && same < b.len && a.ptr[same] == b.ptr[same]) same++;
    while (tail < a.len - same && tail < b.len - same && a.ptr[a.len - 1 - tail] == b.ptr[b.len - 1 - tail]) tail++;
    size_t left = a.len - same - tail, other = b.len - same - tail;
    if (left == 2 && other == 2) return a.ptr[same] == b.ptr[same + 1] && a.ptr[same + 1] == b.ptr[same];
    return left <= 1 && other <= 1;
}

/* Whether the group may be meant as the other one: it is one of Kubernetes, one of Karpenter, or nearly the same. A
 * kind of another group may have a name that is known here, too. */
static bool may_be_group(karp_str group, const char *meant)
{
    bool foreign = group.len > 0 && memchr(group.ptr, '.', group.len);
    if (!foreign) return true;
    if (!strchr(meant, '.')) return false;
    return nearly(group, str(meant)) || (str_starts(group, "karpenter.") && str_starts(str(meant), "karpenter."));
}

const io_kind_info *io_kind_meant(karp_str api_version, karp_str kind)
{
    size_t given = str_shown(kind, 100) > 0 ? (size_t)str_shown(kind, 100) : 0;
    karp_str word = { kind.ptr, given }, group = str_before(api_version, '/');
    for (size_t i = 0; io_kind_at(i); i++) {
        const io_kind_info *info = io_kind_at(i);
        bool same = str_is(kind, info->name) && may_be_group(group, info->group), here = str_is(group, info->group);
        if (same || (here && (equal_letters(word, str(info->name)) || nearly(word, str(info->name)))))
            return info->version ? info : NULL;
    }
    return NULL;
}

/* The kind of node classes that is meant; NULL = none. */
static const char *class_meant(karp_str api_version, karp_str kind)
{
    const char *name = io_class_kind_of(str_before(api_version, '/'));
    return name && nearly((karp_str){ kind.ptr, (size_t)str_shown(kind, 100) }, str(name)) ? name : NULL;
}

bool io_is_unknown_kind(karp_str api_version, karp_str kind)
{
    bool of_kubernetes;
    if (io_is_plain_kind(api_version, kind, &of_kubernetes) || of_kubernetes) return false;
    return !io_is_harmless(api_version, kind) && !io_kind_meant(api_version, kind) && !class_meant(api_version, kind);
}

karp_status io_unused_kind(karp_reader *reader, karp_str api_version, karp_str kind)
{
    bool of_kubernetes;
    if (io_is_ignored(reader, api_version, kind))
        return io_warn_once(reader, "%.*s of %.*s is left out (--ignore-kinds)", str_shown(kind, 100), kind.ptr,
                            str_shown(api_version, 100), api_version.ptr);
    bool plain = io_is_plain_kind(api_version, kind, &of_kubernetes);
    const io_kind_info *meant = plain ? NULL : io_kind_meant(api_version, kind);
    if (meant)
        return io_not_understood_once(reader, "%.*s of %.*s is not read; did you mean %s of %s%s%s?",
                                      str_shown(kind, 100), kind.ptr, str_shown(api_version, 100), api_version.ptr,
                                      meant->name, meant->group, meant->group[0] ? "/" : "", meant->version);
    const char *class_kind = class_meant(api_version, kind);
    if (class_kind)
        return io_not_understood_once(reader, "%.*s of %.*s is not read; did you mean %s?", str_shown(kind, 100),
                                      kind.ptr, str_shown(api_version, 100), api_version.ptr, class_kind);
    if (of_kubernetes && !plain)
        return io_not_understood_once(reader, "%.*s of %.*s is no known kind of Kubernetes", str_shown(kind, 100),
                                      kind.ptr, str_shown(api_version, 100), api_version.ptr);
    /* Source: k8s.io/dynamic-resource-allocation 0.37, resourceslice/tracker: rules add taints to devices. */
    if (str_is(kind, "DeviceTaintRule") && str_is(str_before(api_version, '/'), "resource.k8s.io"))
        return io_warn_once(reader,
                            "DeviceTaintRule of %.*s: Karpenter 1.15 does not read it, and gives claims devices that "
                            "kube-scheduler gives only to those that tolerate its taint (for good from Kubernetes 1.37 "
                            "on)",
                            str_shown(api_version, 100), api_version.ptr);
    return io_warn_once(reader, "%.*s of %.*s has no effect on decisions", str_shown(kind, 100), kind.ptr,
                        str_shown(api_version, 100), api_version.ptr);
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

enum { GATE_TEXT = 240 };

/* Why something is not used: the input or the options say that its gate is off, or karp assumes it. */
static const char *gate_off(const karp_reader *reader, uint32_t bit, const char *gate, char out[GATE_TEXT])
{
    bool stated = ((reader->gates.given | reader->gates.stated) & bit) != 0;
    (void)snprintf(out, GATE_TEXT,
                   stated ? "the feature gate %s is off (--feature-gates %s=true)"
                          : "karp assumes that the feature gate %s is off (its default; --feature-gates %s=true if it "
                            "is on)",
                   gate, gate);
    return out;
}

static karp_status note_gate(karp_reader *reader, io_unused_kind_of which, const char *kind, uint32_t bit,
                             const char *gate)
{
    const io_unused_count *c = &reader->survey.unused[which];
    if (c->count == 0 || (reader->gates.on & bit)) return KARP_OK;
    char more[48] = "", off[GATE_TEXT];
    if (c->count > 1) (void)snprintf(more, sizeof more, " and %zu more", c->count - 1);
    return io_warn(reader, "%s %.*s%s: not used, as %s", kind, str_shown(c->first, 100), c->first.ptr, more,
                   gate_off(reader, bit, gate, off));
}

static karp_status note_static(karp_reader *reader, const io_static_pool *pool)
{
    char off[GATE_TEXT];
    if ((reader->gates.on & KARP_GATE_STATIC_CAPACITY) == 0)
        return io_warn(
            reader,
            "NodePool %.*s: static (replicas: %lld): pending pods do not make it larger, and it is not kept at its "
            "replicas, as %s",
            str_shown(pool->name, 100), pool->name.ptr, (long long)pool->replicas,
            gate_off(reader, KARP_GATE_STATIC_CAPACITY, "StaticCapacity", off));
    if (reader->mode.plays) return KARP_OK;
    uint32_t found = io_find(reader, "claims of a NodePool", (karp_str){ "", 0 }, pool->name);
    long long have = found == IO_NONE ? 0 : (long long)found, missing = pool->replicas - have,
              room = pool->most_nodes - have;
    if (missing == 0) return KARP_OK;
    const char *why = "";
    if (missing > 0 && !pool->ready) {
        missing = 0;
        why = ", as its condition Ready is not True";
    } else if (missing > room) {
        missing = room > 0 ? room : 0;
        why = " (limits.nodes)";
    }
    return io_warn(
        reader,
        "NodePool %.*s: static, with %lld of its %lld nodes; whatever pods are pending, Karpenter %s %lld%s; "
        "karp plan %s",
        str_shown(pool->name, 100), pool->name.ptr, have, (long long)pool->replicas,
        missing < 0 ? "terminates" : "launches", missing < 0 ? -missing : missing, why,
        missing < 0   ? "still has these nodes, karp plan --settle terminates them"
        : missing > 0 ? "leaves these nodes out, karp plan --settle launches them"
                      : "leaves these nodes out");
}

static karp_status note_workloads(karp_reader *reader)
{
    const io_unused_count *c = &reader->survey.unused[IO_UNUSED_WORKLOADS];
    if (c->count == 0 || reader->mode.plays) return KARP_OK;
    if (c->count == 1)
        return io_warn(reader, "%.*s has 0 replicas, so no pods (--scale %.*s=N)", str_shown(c->first, 100),
                       c->first.ptr, str_shown(c->first, 100), c->first.ptr);
    return io_warn(reader, "%.*s and %zu more workloads have 0 replicas, so no pods (--scale %.*s=N)",
                   str_shown(c->first, 100), c->first.ptr, c->count - 1, str_shown(c->first, 100), c->first.ptr);
}

static karp_status note_some_jobs(karp_reader *reader, uint32_t which, const char *why)
{
    const io_unused_count *c = &reader->survey.unused[which];
    char more[48] = "";
    if (c->count == 0) return KARP_OK;
    if (c->count > 1) (void)snprintf(more, sizeof more, " and %zu more", c->count - 1);
    return io_warn(reader, "Job %.*s%s: %s, so no pods; without it they are planned for", str_shown(c->first, 100),
                   c->first.ptr, more, why);
}

static karp_status note_jobs(karp_reader *reader)
{
    karp_status status = note_some_jobs(reader, IO_UNUSED_SUSPENDED, "suspended (spec.suspend)");
    return status ? status : note_some_jobs(reader, IO_UNUSED_IDLE, "parallelism 0");
}

static karp_status note_later(karp_reader *reader)
{
    const io_unused_count *c = &reader->survey.unused[IO_UNUSED_LATER];
    char more[64] = "";
    if (c->count == 0) return KARP_OK;
    if (c->count > 1) (void)snprintf(more, sizeof more, " (and %zu more with a schedule)", c->count - 1);
    return io_warn(reader, "%.*s%s", str_shown(c->first, 400), c->first.ptr, more);
}

karp_status io_unused_note(karp_reader *reader)
{
    karp_status status = note_gate(reader, IO_UNUSED_OVERLAYS, "NodeOverlay", KARP_GATE_NODE_OVERLAY, "NodeOverlay");
    if (!status)
        status = note_gate(reader, IO_UNUSED_BUFFERS, "CapacityBuffer", KARP_GATE_CAPACITY_BUFFER, "CapacityBuffer");
    for (size_t i = 0; i < reader->survey.static_count && !status; i++)
        status = note_static(reader, &reader->survey.statics[i]);
    if (!status) status = note_workloads(reader);
    if (!status) status = note_jobs(reader);
    if (!status) status = note_later(reader);
    if (!status) status = note_nodes(reader);
    return status ? status : note_unpriced(reader);
}
