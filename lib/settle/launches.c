/* SPDX-License-Identifier: Apache-2.0 */
#include <settle/carry_out.h>

#include <base/bits.h>
#include <base/error.h>
#include <base/strbuf.h>

/* The nodes of launches, while they are made. */
typedef struct joining {
    outcome *o;
    uint64_t *used; /* names ids of Nodes and NodeClaims */
    uint64_t number; /* of the node that was named last */
} joining;

/* Labels of the machine and of the launch, and for the Node those that it gets when it joins. NULL = out of memory. */
static karp_label *labels_of(outcome *o, const karp_launch *l, karp_str name, bool joined, size_t *count)
{
    karp_label *list = arena_array(&o->memory, l->choice_label_count + l->label_count + 5, sizeof *list);
    *count = 0;
    if (list == NULL) return NULL;
    for (size_t i = 0; i < l->choice_label_count; i++)
        label_set(list, count, l->choice_labels[i].key, l->choice_labels[i].value);
    for (size_t i = 0; i < l->label_count; i++) label_set(list, count, l->labels[i].key, l->labels[i].value);
    label_set(list, count, str(LABEL_NODE_POOL), l->node_pool);
    /* By it the price of the node is found, also where a catalogue does not list it among the requirements. */
    if (l->choice.instance_type.len > 0) label_set(list, count, str(LABEL_TYPE), l->choice.instance_type);
    if (!joined) return list;
    label_set(list, count, str(LABEL_HOSTNAME), name);
    label_set(list, count, str(LABEL_REGISTERED), str("true"));
    label_set(list, count, str(LABEL_INITIALIZED), str("true"));
    return list;
}

static karp_condition condition_since(const char *type, int64_t since)
{
    return (karp_condition){ .type = str(type), .status = str("True"), .reason = str(type), .last_transition = since };
}

static bool is_consolidatable_at_once(const outcome *o, karp_str pool)
{
    uint32_t index = pool_named(o->before, pool);
    const node_pool *p = index == NO_ID ? NULL : &o->before->raw.pools.items[index];
    if (p == NULL || p->replicas >= 0) return false;
    int64_t after = p->consolidate_after;
    return after == 0 || after == KARP_DURATION_UNSET;
}

static karp_status add_claim(outcome *o, const karp_launch *l, karp_str name)
{
    static const char *const types[] = { "Launched", "Registered", "Initialized", "Ready", "Consolidatable" };
    karp_condition conditions[sizeof types / sizeof types[0]];
    size_t reached = o->begins ? 1 : 4;
    karp_node_claim claim;
    karp_node_claim_init(&claim, sizeof claim);
    claim.meta = (karp_meta){ .name = name, .creation = o->now };
    claim.meta.labels = labels_of(o, l, name, false, &claim.meta.label_count);
    if (claim.meta.labels == NULL) return outcome_nomem(o);
    claim.meta.annotations = l->annotations;
    claim.meta.annotation_count = l->annotation_count;
    claim.provider_id = name;
    claim.node_class = l->node_class;
    claim.taints = l->taints;
    claim.taint_count = l->taint_count;
    claim.startup_taints = l->startup_taints;
    claim.startup_taint_count = l->startup_taint_count;
    claim.capacity = l->capacity;
    claim.capacity_count = l->capacity_count;
    claim.allocatable = l->allocatable;
    claim.allocatable_count = l->allocatable_count;
    claim.expire_after = l->expire_after;
    claim.termination_grace_period = l->termination_grace_period;
    claim.last_pod_event = o->now;
    claim.condition_count = reached + (!o->begins && is_consolidatable_at_once(o, l->node_pool));
    for (size_t i = 0; i < claim.condition_count; i++) conditions[i] = condition_since(types[i], o->now);
    claim.conditions = conditions;
    return karp_builder_add_node_claim(o->builder, &claim, o->error);
}

static karp_status add_node(outcome *o, const karp_launch *l, karp_str name)
{
    const karp_condition ready = condition_since("Ready", o->now);
    karp_node joined;
    karp_node_init(&joined, sizeof joined);
    joined.meta = (karp_meta){ .name = name, .creation = o->now };
    joined.meta.labels = labels_of(o, l, name, true, &joined.meta.label_count);
    if (joined.meta.labels == NULL) return outcome_nomem(o);
    joined.provider_id = name;
    joined.taints = l->taints;
    joined.taint_count = l->taint_count;
    joined.capacity = l->capacity;
    joined.capacity_count = l->capacity_count;
    joined.allocatable = l->allocatable;
    joined.allocatable_count = l->allocatable_count;
    joined.conditions = &ready;
    joined.condition_count = 1;
    return karp_builder_add_node(o->builder, &joined, o->error);
}

/* An unused name: "POOL-1". ptr NULL = out of memory. */
static karp_str free_name(joining *j, karp_str pool)
{
    const strings *names = &j->o->before->raw.names;
    char *text = arena_alloc_aligned(&j->o->memory, pool.len + 22, 1);
    if (text == NULL) return (karp_str){ NULL, 0 };
    if (pool.len > 0) memcpy(text, pool.ptr, pool.len);
    text[pool.len] = '-';
    for (;;) {
        karp_str name = { text, pool.len + 1 + write_digits(text + pool.len + 1, ++j->number) };
        uint32_t id = strings_find(names, name.ptr, name.len);
        if (id == NO_ID || !bits_test(j->used, id)) return name;
    }
}

/* Nothing that a static pool allows is available, so the launch would fail. */
static bool fails(const karp_launch *l) { return l->choice.instance_type.len == 0 && l->instance_type_count == 0; }

karp_status name_launches(outcome *o)
{
    const store *raw = &o->before->raw;
    joining j = { .o = o, .used = arena_array(&o->memory, bits_words(raw->names.count) + 1, sizeof *j.used) };
    size_t count = 0;
    for (size_t d = 0; d < o->decision_count; d++) count += karp_decision_launch_count(o->decisions[d]);
    karp_str *names = o->names = arena_array(&o->memory, count + 1, sizeof *names);
    if (j.used == NULL || names == NULL) return outcome_nomem(o);
    for (size_t i = 0; i < raw->nodes.count; i++) bits_set(j.used, raw->nodes.items[i].meta.name);
    for (size_t i = 0; i < raw->claims.count; i++) bits_set(j.used, raw->claims.items[i].meta.name);
    for (size_t d = 0; d < o->decision_count; d++) {
        bool for_pods = karp_decision_command_count(o->decisions[d]) == 0;
        karp_launch l = { .size = sizeof l };
        for (size_t i = 0; karp_decision_launch(o->decisions[d], i, &l) == KARP_OK; i++, names++) {
            if (!fails(&l)) *names = free_name(&j, l.node_pool);
            if (!fails(&l) && names->ptr == NULL) return outcome_nomem(o);
            for (size_t k = 0; for_pods && k < l.pod_count; k++) o->node_of[l.pods[k]] = *names;
        }
    }
    return KARP_OK;
}

static karp_status join(outcome *o, const karp_decision *decision, size_t index, karp_str name)
{
    karp_launch l = { .size = sizeof l };
    if (karp_decision_launch(decision, index, &l) != KARP_OK) return fail_hidden(o->error, KARP_E_INTERNAL);
    if (name.ptr == NULL) return KARP_OK;
    karp_status status = take_reserved(o, l.choice_labels, l.choice_label_count, 1);
    if (status == KARP_OK) status = add_claim(o, &l, name);
    return status == KARP_OK && !o->begins ? add_node(o, &l, name) : status;
}

karp_status carry_out_launches(outcome *o)
{
    const karp_str *names = o->names;
    karp_status status = KARP_OK;
    for (size_t d = 0; d < o->decision_count && status == KARP_OK; d++) {
        const karp_decision *decision = o->decisions[d];
        for (size_t i = 0; i < karp_decision_launch_count(decision) && status == KARP_OK; i++)
            status = join(o, decision, i, *names++);
    }
    return status;
}
