/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a snapshot (pods, state nodes) and of a catalogue (instance types, offerings), with a column per
 * field. docs/columns.md lists them.
 */
#include <base/columns.h>
#include <base/context.h>
#include <base/error.h>
#include <model/drifted.h>

/* ---- amounts: a column per resource, with the nearest double in the resource's own unit -------------------------- */

/* Adds a column for every resource of the list. */
static void resource_columns_mention(amount_columns *a, const strings *resources, resource_list list)
{
    for (uint32_t i = 0; i < list.count; i++) amount_columns_mention(a, strings_get(resources, list.items[i].resource));
}

/* Writes the list's amounts to row[a->count], by column; 0 for resources that are not in the list. */
static void resource_columns_row(const amount_columns *a, const strings *resources, resource_list list, double *row)
{
    for (size_t i = 0; i < a->count; i++) row[i] = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t id = amount_columns_find(a, strings_get(resources, list.items[i].resource));
        if (id != NO_ID && id < a->count) row[id] = amount_double(list.items[i].value);
    }
}

static karp_status give(karp_context *context, karp_table *t, bool filled, karp_table **out, karp_error *error)
{
    if (!filled) karp_table_free(t);
    return context_refusal(context, table_finish(filled ? t : NULL, out, error), error);
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

/* Amounts are computed once per class, since a class may have a hundred pods. */
static bool pod_amounts(const karp_snapshot *s, karp_table *t)
{
    amount_columns requests;
    size_t cells, bytes;
    amount_columns_begin(&requests, t);
    for (uint32_t c = 0; c < s->class_count; c++)
        resource_columns_mention(&requests, &s->raw.resources, shape_of(s, c)->requests);
    amount_columns_make(&requests, "requests.");
    double *rows = NULL;
    if (size_mul(s->class_count, requests.count, &cells) && size_mul(cells, sizeof *rows, &bytes))
        rows = mem_alloc(s->context, bytes);
    if (rows != NULL) {
        for (uint32_t c = 0; c < s->class_count; c++)
            resource_columns_row(&requests, &s->raw.resources, shape_of(s, c)->requests, rows + c * requests.count);
        for (size_t i = 0; i < s->raw.pods.count; i++)
            amount_columns_row(&requests, rows + s->pod_class[i] * requests.count);
        mem_free(s->context, rows, bytes);
    }
    amount_columns_end(&requests);
    return rows != NULL;
}

/* The kinds of controllers that decisions distinguish; "" = none or another kind. */
static karp_str owner_kind(const pod *p, const pod_marks *marks)
{
    if ((p->flags & POD_OF_DAEMON_SET) != 0) return str("DaemonSet");
    if ((p->flags & POD_OF_NODE) != 0) return str("Node");
    switch (marks->controller_kind) {
    case KARP_SELECTS_REPLICATION_CONTROLLER: return str("ReplicationController");
    case KARP_SELECTS_REPLICA_SET: return str("ReplicaSet");
    case KARP_SELECTS_STATEFUL_SET: return str("StatefulSet");
    default: return str("");
    }
}

static bool pods(const karp_snapshot *s, karp_table *t)
{
    column *space = table_words(t, "namespace"), *name = table_text(t, "name"), *node_name = table_words(t, "node");
    column *phase = table_uint32(t, "phase"), *class = table_uint32(t, "class"), *priority = table_int64(t, "priority");
    column *creation = table_int64(t, "creation");
    column *owners_kind = table_words(t, "owner_kind"), *owner = table_words(t, "owner");
    for (size_t i = 0; i < s->raw.pods.count; i++) {
        const pod *p = pod_at(&s->raw, i);
        const pod_marks *marks = store_marks(&s->raw, p);
        column_text(space, text_of(s, p->name_space));
        column_text(name, name_of(s, p->name));
        column_text(node_name, p->node == NO_ID ? str("") : name_of(s, p->node));
        column_uint32(phase, p->phase);
        column_uint32(class, s->pod_class[i]);
        column_int64(priority, shape_of(s, s->pod_class[i])->priority);
        column_int64(creation, p->creation);
        column_text(owners_kind, owner_kind(p, marks));
        column_text(owner, name_of(s, marks->controller_name));
    }
    return pod_amounts(s, t);
}

static karp_str label_text(const karp_snapshot *s, const state_node *n, uint32_t key)
{
    return text_or_none(s, label_get(n->labels, key));
}

/* Converts an element of a vector to the resource's own unit. */
static double in_units(const karp_snapshot *s, uint32_t resource, int64_t units)
{
    amount value;
    uint64_t size = units < 0 ? 0 - (uint64_t)units : (uint64_t)units;
    /* Only clamped elements are beyond the range of amounts. */
    double d = amount_mul(s->units[resource], size, &value) ? amount_double(value)
                                                            : amount_double(s->units[resource]) * (double)size;
    return units < 0 ? -d : d;
}

static bool node_amounts(const karp_snapshot *s, karp_table *t)
{
    amount_columns allocatable, available;
    amount_columns_begin(&allocatable, t);
    amount_columns_begin(&available, t);
    for (uint32_t i = 0; i < s->node_count; i++) {
        resource_columns_mention(&allocatable, &s->raw.resources, s->nodes[i].allocatable);
        resource_columns_mention(&available, &s->raw.resources, s->nodes[i].allocatable);
    }
    amount_columns_make(&allocatable, "allocatable.");
    amount_columns_make(&available, "available.");
    double *row = mem_alloc(s->context, allocatable.count * sizeof *row);
    for (uint32_t i = 0; i < s->node_count && row != NULL; i++) {
        const state_node *n = &s->nodes[i];
        resource_columns_row(&allocatable, &s->raw.resources, n->allocatable, row);
        amount_columns_row(&allocatable, row);
        for (uint32_t k = 0; k < n->allocatable.count; k++) {
            uint32_t resource = n->allocatable.items[k].resource;
            uint32_t id = amount_columns_find(&available, strings_get(&s->raw.resources, resource));
            if (id != NO_ID && id < available.count)
                row[id] = in_units(s, resource, n->available[s->column_of[resource]]);
        }
        amount_columns_row(&available, row);
    }
    bool done = row != NULL;
    mem_free(s->context, row, allocatable.count * sizeof *row);
    amount_columns_end(&allocatable);
    amount_columns_end(&available);
    return done;
}

/* Reads the taint, which schedulers use. Cordoning a node sets it as well. */
static bool cordoned(const karp_snapshot *s, const state_node *n)
{
    for (uint32_t i = 0; i < n->taints.count; i++) {
        if (equal_str(text_of(s, n->taints.items[i].key), str("node.kubernetes.io/unschedulable"))) return true;
    }
    return false;
}

karp_str drift_reason(const karp_snapshot *s, const state_node *n)
{
    const condition *c = n->claim == NO_ID ? NULL
                                           : condition_find(s->raw.claims.items[n->claim].conditions, s->known.drifted);
    if (c == NULL || c->status != s->known.status_true) return str("");
    return c->reason != NO_TEXT ? text_of(s, c->reason) : str("Drifted");
}

static bool nodes(const karp_snapshot *s, karp_table *t)
{
    column *name = table_text(t, "name"), *pool = table_words(t, "node_pool"), *type = table_words(t, "instance_type");
    column *zone = table_words(t, "zone"), *capacity_type = table_words(t, "capacity_type"),
           *managed = table_uint32(t, "managed");
    column *registered = table_uint32(t, "registered"), *initialized = table_uint32(t, "initialized");
    column *marked = table_uint32(t, "marked"), *nominated = table_uint32(t, "nominated");
    column *cordons = table_uint32(t, "cordoned"), *drift = table_words(t, "drift");
    column *bound = table_list_uint32(t, "pods");
    for (uint32_t i = 0; i < s->node_count; i++) {
        const state_node *n = &s->nodes[i];
        column_text(name, name_of(s, n->name));
        column_text(pool, text_or_none(s, n->pool_name));
        column_text(type, label_text(s, n, s->known.instance_type));
        column_text(zone, label_text(s, n, s->known.zone));
        column_text(capacity_type, label_text(s, n, s->known.capacity_type));
        column_uint32(managed, n->managed);
        column_uint32(registered, n->registered);
        column_uint32(initialized, n->initialized);
        column_uint32(marked, n->marked);
        column_uint32(nominated, n->nominated);
        column_uint32(cordons, cordoned(s, n));
        column_text(drift, drift_reason(s, n));
        column_uint32s(bound, n->pods, n->pod_count);
    }
    return node_amounts(s, t);
}

karp_status karp_snapshot_table(const karp_snapshot *snapshot, uint32_t table, karp_table **out, karp_error *error)
{
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the table are needed");
    if (table != KARP_TABLE_SNAPSHOT_PODS && table != KARP_TABLE_SNAPSHOT_NODES)
        return fail(error, KARP_E_NOT_FOUND, "a snapshot has no table %u", (unsigned)table);
    karp_table *t = table_new(snapshot->context);
    bool filled = t != NULL && (table == KARP_TABLE_SNAPSHOT_PODS ? pods : nodes)(snapshot, t);
    return give(snapshot->context, t, filled, out, error);
}

/* ---- catalogues -------------------------------------------------------------------------------------------------- */

/* The only value that an In requirement on the key allows; "" when there is none, or more than one. */
static karp_str only_value(const karp_requirement *list, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        const karp_requirement *r = &list[i];
        if (r->op == KARP_OP_IN && r->value_count == 1 && equal_str(r->key, str(key))) return r->values[0];
    }
    return str("");
}

static bool amounts(const karp_catalogue *c, karp_table *t)
{
    amount_columns capacity, allocatable;
    amount_columns_begin(&capacity, t);
    amount_columns_begin(&allocatable, t);
    for (uint32_t i = 0; i < c->count; i++) {
        resource_columns_mention(&capacity, &c->resources, c->types[i].capacity);
        resource_columns_mention(&allocatable, &c->resources, c->types[i].allocatable);
    }
    amount_columns_make(&capacity, "capacity.");
    amount_columns_make(&allocatable, "allocatable.");
    size_t most = capacity.count > allocatable.count ? capacity.count : allocatable.count;
    double *row = mem_alloc(c->context, most * sizeof *row);
    for (uint32_t i = 0; i < c->count && row != NULL; i++) {
        resource_columns_row(&capacity, &c->resources, c->types[i].capacity, row);
        amount_columns_row(&capacity, row);
        resource_columns_row(&allocatable, &c->resources, c->types[i].allocatable, row);
        amount_columns_row(&allocatable, row);
    }
    bool done = row != NULL;
    mem_free(c->context, row, most * sizeof *row);
    amount_columns_end(&capacity);
    amount_columns_end(&allocatable);
    return done;
}

static bool instance_types(const karp_catalogue *c, karp_table *t)
{
    column *name = table_text(t, "name"), *arch = table_words(t, "arch"),
           *offering_count = table_uint32(t, "offering_count");
    for (uint32_t i = 0; i < c->count; i++) {
        const karp_instance_type *shown = &c->types[i].shown;
        column_text(name, shown->name);
        column_text(arch, only_value(shown->requirements, shown->requirement_count, LABEL_ARCH));
        column_uint32(offering_count, c->types[i].offering_count);
    }
    return amounts(c, t);
}

static bool offerings(const karp_catalogue *c, karp_table *t)
{
    column *type = table_uint32(t, "type"), *name = table_words(t, "instance_type"), *zone = table_words(t, "zone");
    column *capacity_type = table_words(t, "capacity_type"), *price = table_double(t, "price");
    column *available = table_uint32(t, "available"), *reservation_capacity = table_int64(t, "reservation_capacity");
    for (uint32_t i = 0; i < c->count; i++) {
        const karp_instance_type *shown = &c->types[i].shown;
        for (size_t k = 0; k < shown->offering_count; k++) {
            const karp_offering *o = &shown->offerings[k];
            column_uint32(type, i);
            column_text(name, shown->name);
            column_text(zone, only_value(o->requirements, o->requirement_count, LABEL_ZONE));
            column_text(capacity_type, only_value(o->requirements, o->requirement_count, LABEL_CAPACITY_TYPE));
            column_double(price, o->price);
            column_uint32(available, o->available);
            column_int64(reservation_capacity, o->reservation_capacity);
        }
    }
    return true;
}

karp_status karp_catalogue_table(const karp_catalogue *catalogue, uint32_t table, karp_table **out, karp_error *error)
{
    if (catalogue == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a catalogue and a place for the table are needed");
    if (table != KARP_TABLE_INSTANCE_TYPES && table != KARP_TABLE_OFFERINGS)
        return fail(error, KARP_E_NOT_FOUND, "a catalogue has no table %u", (unsigned)table);
    karp_table *t = table_new(catalogue->context);
    bool filled = t != NULL && (table == KARP_TABLE_INSTANCE_TYPES ? instance_types : offerings)(catalogue, t);
    return give(catalogue->context, t, filled, out, error);
}
