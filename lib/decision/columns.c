/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a launch decision: a column per field of its rows. docs/columns.md lists them. */
#include <decision/columns.h>

#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <karp/values.h>

/* ---- what became of each pod ------------------------------------------------------------------------------------- */

typedef struct fate {
    uint32_t pod, code, permanent;
    const char *outcome;
    karp_str target;
} fate;

static int by_pod_name(const void *x, const void *y, const void *user)
{
    const karp_snapshot *s = user;
    uint32_t a = s->pod_rank[((const fate *)x)->pod], b = s->pod_rank[((const fate *)y)->pod];
    return a < b ? -1 : a > b;
}

static size_t fates_of(const karp_decision *d, fate *fates)
{
    size_t n = 0;
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        for (size_t k = 0; k < l->pod_count; k++, n++) {
            if (fates != NULL) fates[n] = (fate){ .pod = l->pods[k], .outcome = "launch", .target = l->id };
        }
    }
    for (size_t i = 0; i < d->placements.count; i++) {
        const karp_placement *p = &d->placements.items[i];
        for (size_t k = 0; k < p->pod_count; k++, n++) {
            if (fates != NULL) fates[n] = (fate){ .pod = p->pods[k], .outcome = "node", .target = p->node };
        }
    }
    for (size_t i = 0; i < d->unschedulable.count; i++, n++) {
        const karp_unschedulable *u = &d->unschedulable.items[i];
        if (fates != NULL)
            fates[n] = (fate){ .pod = u->pod, .code = u->code, .permanent = u->permanent, .outcome = "unschedulable" };
    }
    for (size_t i = 0; i < d->ignored.count; i++, n++) {
        const karp_ignored *g = &d->ignored.items[i];
        if (fates != NULL) fates[n] = (fate){ .pod = g->pod, .code = g->code, .outcome = "ignored" };
    }
    return n;
}

static bool pods(const karp_decision *d, karp_table *t)
{
    column *index = table_uint32(t, "index"), *space = table_words(t, "namespace"), *name = table_text(t, "name");
    column *outcome = table_words(t, "outcome"), *target = table_words(t, "target");
    column *code = table_uint32(t, "code"), *reason = table_words(t, "reason"),
           *permanent = table_uint32(t, "permanent");
    const karp_snapshot *s = d->snapshot;
    size_t count = fates_of(d, NULL), bytes;
    if (!size_mul(count, sizeof(fate), &bytes)) return false;
    fate *fates = mem_alloc(d->context, bytes);
    if (fates == NULL) return false;
    (void)fates_of(d, fates);
    bool sorted = sort_stable(d->context, fates, count, sizeof *fates, by_pod_name, s);
    for (size_t i = 0; i < count && sorted; i++) {
        const fate *f = &fates[i];
        const pod *p = pod_at(&s->raw, f->pod);
        column_uint32(index, f->pod);
        column_text(space, text_of(s, p->name_space));
        column_text(name, name_of(s, p->name));
        column_text(outcome, str(f->outcome));
        column_text(target, f->target);
        column_uint32(code, f->code);
        column_text(reason, f->code == KARP_REASON_NONE ? str("") : str(karp_reason_name(f->code)));
        column_uint32(permanent, f->permanent);
    }
    mem_free(d->context, fates, bytes);
    return sorted;
}

/* ---- launches and placements ------------------------------------------------------------------------------------- */

static void mention(amount_columns *a, const karp_resource *list, size_t count)
{
    for (size_t i = 0; i < count; i++) amount_columns_mention(a, list[i].name);
}

/* The nearest doubles of a row's amounts; every name was mentioned. */
static void amounts(const amount_columns *a, const karp_resource *list, size_t count, double *room)
{
    for (size_t i = 0; i < a->count; i++) room[i] = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = amount_columns_find(a, list[i].name);
        if (id != NO_ID && id < a->count)
            (void)karp_quantity_double(list[i].text, &room[id]); /* canonical text of our own */
    }
    amount_columns_row(a, room);
}

static bool launch_amounts(const karp_decision *d, karp_table *t)
{
    amount_columns requests, allocatable;
    amount_columns_begin(&requests, t);
    amount_columns_begin(&allocatable, t);
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        mention(&requests, l->requests, l->request_count);
        mention(&allocatable, l->allocatable, l->allocatable_count);
    }
    amount_columns_make(&requests, "requests.");
    amount_columns_make(&allocatable, "allocatable.");
    size_t most = requests.count > allocatable.count ? requests.count : allocatable.count;
    double *room = mem_alloc(d->context, most * sizeof *room);
    for (size_t i = 0; i < d->launches.count && room != NULL; i++) {
        const karp_launch *l = &d->launches.items[i];
        amounts(&requests, l->requests, l->request_count, room);
        amounts(&allocatable, l->allocatable, l->allocatable_count, room);
    }
    bool done = room != NULL;
    mem_free(d->context, room, most * sizeof *room);
    amount_columns_end(&requests);
    amount_columns_end(&allocatable);
    return done;
}

static bool launches(const karp_decision *d, karp_table *t)
{
    column *id = table_text(t, "id"), *pool = table_words(t, "node_pool"), *type = table_words(t, "instance_type");
    column *zone = table_words(t, "zone"), *capacity_type = table_words(t, "capacity_type"),
           *price = table_double(t, "price");
    column *pod_list = table_list_uint32(t, "pods");
    column *types = table_list_words(t, "instance_types");
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        column_text(id, l->id);
        column_text(pool, l->node_pool);
        column_text(type, l->choice.instance_type);
        column_text(zone, l->choice.zone);
        column_text(capacity_type, l->choice.capacity_type);
        column_double(price, l->choice.price);
        column_uint32s(pod_list, l->pods, l->pod_count);
        column_texts(types, l->instance_types, l->instance_type_count);
    }
    return launch_amounts(d, t);
}

static bool placements(const karp_decision *d, karp_table *t)
{
    column *node_name = table_text(t, "node"), *pod_list = table_list_uint32(t, "pods");
    for (size_t i = 0; i < d->placements.count; i++) {
        column_text(node_name, d->placements.items[i].node);
        column_uint32s(pod_list, d->placements.items[i].pods, d->placements.items[i].pod_count);
    }
    return true;
}

/* ---- pods that were not placed ----------------------------------------------------------------------------------- */

static bool unschedulable(const karp_decision *d, karp_table *t)
{
    column *index = table_uint32(t, "pod"), *name = table_text(t, "pod_name"), *code = table_uint32(t, "code");
    column *reason = table_words(t, "reason"), *permanent = table_uint32(t, "permanent"),
           *message = table_text(t, "message");
    column *relaxed = table_list_words(t, "relaxed");
    for (size_t i = 0; i < d->unschedulable.count; i++) {
        const karp_unschedulable *u = &d->unschedulable.items[i];
        column_uint32(index, u->pod);
        column_text(name, karp_decision_pod_name(d, u->pod));
        column_uint32(code, u->code);
        column_text(reason, str(karp_reason_name(u->code)));
        column_uint32(permanent, u->permanent);
        column_text(message, u->message);
        column_texts(relaxed, u->relaxed, u->relaxed_count);
    }
    return true;
}

static bool refusals(const karp_decision *d, karp_table *t)
{
    column *index = table_uint32(t, "pod"), *pool = table_words(t, "node_pool"), *code = table_uint32(t, "code");
    column *reason = table_words(t, "reason"), *detail = table_words(t, "detail");
    column *start = table_uint32(t, "types_start"), *requirements = table_uint32(t, "types_requirements");
    column *resources = table_uint32(t, "types_resources"), *offerings = table_uint32(t, "types_offerings");
    for (size_t i = 0; i < d->unschedulable.count; i++) {
        const karp_unschedulable *u = &d->unschedulable.items[i];
        for (size_t k = 0; k < u->pool_count; k++) {
            const karp_pool_refusal *r = &u->pools[k];
            column_uint32(index, u->pod);
            column_text(pool, r->node_pool);
            column_uint32(code, r->code);
            column_text(reason, str(karp_reason_name(r->code)));
            column_text(detail, r->detail);
            column_uint32(start, r->types_start);
            column_uint32(requirements, r->types_requirements);
            column_uint32(resources, r->types_resources);
            column_uint32(offerings, r->types_offerings);
        }
    }
    return true;
}

static bool ignored(const karp_decision *d, karp_table *t)
{
    column *index = table_uint32(t, "pod"), *name = table_text(t, "pod_name"), *code = table_uint32(t, "code");
    column *reason = table_words(t, "reason"), *message = table_text(t, "message");
    for (size_t i = 0; i < d->ignored.count; i++) {
        const karp_ignored *g = &d->ignored.items[i];
        column_uint32(index, g->pod);
        column_text(name, karp_decision_pod_name(d, g->pod));
        column_uint32(code, g->code);
        column_text(reason, str(karp_reason_name(g->code)));
        column_text(message, g->message);
    }
    return true;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static bool nodes(const karp_decision *d, karp_table *t)
{
    column *name = table_text(t, "node"), *pool = table_words(t, "node_pool"), *type = table_words(t, "instance_type");
    column *zone = table_words(t, "zone"), *capacity_type = table_words(t, "capacity_type"),
           *price = table_double(t, "price");
    column *cpu_requested = table_double(t, "cpu_requested"), *cpu = table_double(t, "cpu_allocatable");
    column *memory_requested = table_double(t, "memory_requested"), *memory = table_double(t, "memory_allocatable");
    column *marked = table_uint32(t, "marked"), *received = table_uint32(t, "pods_received");
    for (size_t i = 0; i < d->nodes.count; i++) {
        const karp_node_use *n = &d->nodes.items[i];
        column_text(name, n->node);
        column_text(pool, n->node_pool);
        column_text(type, n->instance_type);
        column_text(zone, n->zone);
        column_text(capacity_type, n->capacity_type);
        column_double(price, n->price);
        column_double(cpu_requested, n->cpu_requested);
        column_double(cpu, n->cpu_allocatable);
        column_double(memory_requested, n->memory_requested);
        column_double(memory, n->memory_allocatable);
        column_uint32(marked, n->marked);
        column_uint32(received, n->pods_received);
    }
    return true;
}

karp_status karp_decision_table(const karp_decision *decision, uint32_t table, karp_table **out, karp_error *error)
{
    static const fill_table fills[] = {
        [KARP_TABLE_PODS] = pods,
        [KARP_TABLE_LAUNCHES] = launches,
        [KARP_TABLE_PLACEMENTS] = placements,
        [KARP_TABLE_UNSCHEDULABLE] = unschedulable,
        [KARP_TABLE_REFUSALS] = refusals,
        [KARP_TABLE_IGNORED] = ignored,
        [KARP_TABLE_NODES] = nodes,
        [KARP_TABLE_CANDIDATES] = columns_of_candidates,
        [KARP_TABLE_COMMANDS] = columns_of_commands,
        [KARP_TABLE_KEPT] = columns_of_kept,
    };
    if (decision == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a decision and a place for the table are needed");
    if (table >= sizeof fills / sizeof *fills || fills[table] == NULL) {
        return fail(error, KARP_E_NOT_FOUND, "a decision has no table %u", (unsigned)table);
    }
    karp_table *t = table_new(decision->context);
    if (t != NULL && !fills[table](decision, t)) {
        karp_table_free(t);
        t = NULL;
    }
    return context_refusal(decision->context, table_finish(t, out, error), error);
}

/* ---- tables of disruption decisions -------------------------------------------------------------------------------- */

bool columns_of_candidates(const karp_decision *d, karp_table *t)
{
    column *node_name = table_text(t, "node"), *pool = table_words(t, "node_pool"), *price = table_double(t, "price");
    column *cost = table_double(t, "disruption_cost"), *reschedule = table_double(t, "reschedule_cost");
    column *pod_list = table_list_uint32(t, "pods");
    for (size_t i = 0; i < d->candidates.count; i++) {
        const karp_candidate *c = &d->candidates.items[i];
        column_text(node_name, c->node);
        column_text(pool, c->node_pool);
        column_double(price, c->price);
        column_double(cost, c->disruption_cost);
        column_double(reschedule, c->reschedule_cost);
        column_uint32s(pod_list, c->pods, c->pod_count);
    }
    return true;
}

bool columns_of_commands(const karp_decision *d, karp_table *t)
{
    column *method = table_words(t, "method"), *reason = table_words(t, "reason"),
           *replaces = table_uint32(t, "replaces");
    column *nodes = table_list_words(t, "nodes");
    column *launch_first = table_uint32(t, "launch_first"), *launch_count = table_uint32(t, "launch_count");
    column *placement_first = table_uint32(t, "placement_first"), *placement_count = table_uint32(t, "placement_count");
    column *savings = table_double(t, "savings"), *validate_after = table_int64(t, "validate_after"),
           *score = table_double(t, "score");
    for (size_t i = 0; i < d->commands.count; i++) {
        const karp_command *c = &d->commands.items[i];
        column_text(method, str(karp_method_name(c->method)));
        column_text(reason, str(karp_method_reason(c->method)));
        column_uint32(replaces, c->replaces);
        column_texts(nodes, c->nodes, c->node_count);
        column_uint32(launch_first, (uint32_t)c->launch_first);
        column_uint32(launch_count, (uint32_t)c->launch_count);
        column_uint32(placement_first, (uint32_t)c->placement_first);
        column_uint32(placement_count, (uint32_t)c->placement_count);
        column_double(savings, c->savings);
        column_int64(validate_after, c->validate_after);
        column_double(score, c->score);
    }
    return true;
}

bool columns_of_kept(const karp_decision *d, karp_table *t)
{
    column *node_name = table_text(t, "node"), *code = table_uint32(t, "code"), *reason = table_words(t, "reason");
    column *detail = table_text(t, "detail");
    for (size_t i = 0; i < d->kept.count; i++) {
        const karp_kept *k = &d->kept.items[i];
        column_text(node_name, k->node);
        column_uint32(code, k->code);
        column_text(reason, str(karp_reason_name(k->code)));
        column_text(detail, k->detail);
    }
    return true;
}
