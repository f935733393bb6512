/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of NodePools, and minValues: the rules that depend on the individual remaining instance types. */
#include <schedule/scheduler.h>
#include <schedule/templates.h>

#include <base/str.h>
#include <model/quantity.h>
#include <schedule/report.h>
#include <schedule/types.h>

static const int64_t unlimited = INT64_C(1) << 61;

/* floor(value / unit), clamped. Capacities are whole units, so comparing with the floor is exact. */
static int64_t floor_units(amount value, amount unit)
{
    int64_t exact;
    if (amount_scale(value, unit, &exact))
        return exact < -unlimited ? -unlimited : exact > unlimited ? unlimited : exact;
    bool negative = amount_sign(value) < 0;
    amount size = negative ? amount_neg(value) : value;
    int64_t lo = 0, hi = unlimited; /* unit * lo <= size < unit * hi, unless clamped */
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2;
        amount product;
        if (!amount_mul(unit, (uint64_t)mid, &product) || amount_cmp(product, size) > 0) hi = mid;
        else lo = mid;
    }
    return negative ? -lo - 1 : lo;
}

/* Nodes are counted before one is launched, and then it only matters whether anything is left. Half a node
 * counts. */
static int64_t units_left(const scheduler *s, uint32_t resource, amount left)
{
    amount unit = s->snapshot->units[resource];
    return resource == RESOURCE_NODES && quirk(s, 10) ? -floor_units(amount_neg(left), unit) : floor_units(left, unit);
}

/* Computes, for each template, the largest capacity of any type in each limited resource. Far from the limit no type
 * has to be filtered. */
static bool find_largest(scheduler *s)
{
    for (uint32_t i = 0; i < s->templates.count; i++) {
        template_ *t = &s->templates.items[i];
        const pool_limit *l = &s->templates.limits[t->pool];
        t->largest = arena_array(&s->data, l->count + (size_t)1, sizeof *t->largest);
        if (t->largest == NULL) return false;
        for (uint32_t y = 0; y < t->table->type_count; y++) {
            for (uint32_t k = 0; k < l->count; k++) {
                int64_t has = t->table->types[y].capacity[l->columns[k]];
                if (has > t->largest[k]) t->largest[k] = has;
            }
        }
    }
    return true;
}

bool limits_init(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    s->templates.limits = arena_array(&s->data, snapshot->raw.pools.count + 1, sizeof *s->templates.limits);
    if (s->templates.limits == NULL) return false;
    for (uint32_t p = 0; p < snapshot->raw.pools.count; p++) {
        resource_list list = snapshot->raw.pools.items[p].limits;
        pool_limit *l = &s->templates.limits[p];
        uint32_t *resources = arena_array(&s->data, list.count + (size_t)1, sizeof *resources);
        uint32_t *columns = arena_array(&s->data, list.count + (size_t)1, sizeof *columns);
        l->left = arena_array(&s->data, list.count + (size_t)1, sizeof *l->left);
        l->initial = arena_array(&s->data, list.count + (size_t)1, sizeof *l->initial);
        if (resources == NULL || columns == NULL || l->left == NULL || l->initial == NULL) return false;
        l->count = list.count;
        l->resources = resources;
        l->columns = columns;
        for (uint32_t i = 0; i < list.count; i++) {
            resources[i] = list.items[i].resource;
            columns[i] = snapshot->column_of[resources[i]];
            amount left = list.items[i].value;
            for (uint32_t h = 0; h < s->hosts.count; h++) {
                const state_node *n = &snapshot->nodes[s->hosts.items[h].node];
                if (n->pool == p && !amount_sub(left, resource_list_get(n->capacity, resources[i]), &left)) {
                    left = amount_whole(-unlimited); /* used up, clamped */
                }
            }
            l->initial[i] = l->left[i] = units_left(s, resources[i], left);
        }
    }
    return find_largest(s);
}

static bool type_within(const pool_limit *l, const instance_type *type)
{
    for (uint32_t i = 0; i < l->count; i++) {
        if (type->capacity[l->columns[i]] > l->left[i]) return false;
    }
    return true;
}

bool limits_allow(const scheduler *s, const template_ *t, const instance_type *type)
{
    return type_within(&s->templates.limits[t->pool], type);
}

uint32_t limits_types(scheduler *s, uint32_t template_number, uint32_t *reason)
{
    template_ *t = &s->templates.items[template_number];
    const pool_limit *l = &s->templates.limits[t->pool];
    size_t words_ = template_words(t), width = t->table->variant_count;
    bool all = true, far = true;
    for (uint32_t i = 0; i < l->count; i++) far = far && l->left[i] > t->largest[i];
    if (far) return t->initial;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->resources[i] == RESOURCE_NODES && l->left[i] == 0) {
            *reason = KARP_REASON_NODE_LIMITS;
            return NO_ID;
        }
    }
    uint64_t *bits = mem_zalloc(s->context, (words_ + 1) * sizeof *bits);
    if (bits == NULL) return mem_refused_id(&s->failed);
    const uint64_t *initial = s->types.sets.items[t->initial].bits;
    for (size_t v = bits_next(initial, width, 0); v < width; v = bits_next(initial, width, v + 1)) {
        if (type_within(l, &t->table->types[t->table->variants[v].type])) bits_set(bits, v);
        else all = false;
    }
    uint32_t id = all ? t->initial : typeset_make(s, template_number, bits);
    if (!bits_any(bits, words_)) {
        *reason = KARP_REASON_LIMITS;
        id = NO_ID;
    }
    mem_free(s->context, bits, (words_ + 1) * sizeof *bits);
    return id;
}

/* The variant of a type set with the largest capacity in the NodePool's limited resource k, cached in the type set. */
static uint32_t biggest(scheduler *s, uint32_t types, uint32_t k)
{
    typeset *ts = &s->types.sets.items[types];
    const template_ *t = &s->templates.items[ts->template_];
    const pool_limit *l = &s->templates.limits[t->pool];
    size_t width = t->table->variant_count;
    if (ts->biggest == NULL) {
        ts->biggest = arena_array(&s->data, l->count + (size_t)1, sizeof *ts->biggest);
        if (ts->biggest == NULL) return mem_refused_id(&s->failed);
        for (uint32_t i = 0; i < l->count; i++) {
            int64_t most = -1;
            for (size_t v = bits_next(ts->bits, width, 0); v < width; v = bits_next(ts->bits, width, v + 1)) {
                int64_t has = t->table->types[t->table->variants[v].type].capacity[l->columns[i]];
                if (has <= most) continue;
                most = has;
                ts->biggest[i] = (uint32_t)v;
            }
        }
    }
    return ts->biggest[k];
}

/* The largest capacity among the fitting types. If the largest type of the set fits, it is that one. */
static int64_t largest_fitting(scheduler *s, uint32_t types, uint32_t k, const int64_t *total)
{
    const template_ *t = &s->templates.items[s->types.sets.items[types].template_];
    uint32_t column = s->templates.limits[t->pool].columns[k], v = biggest(s, types, k);
    size_t words_ = template_words(t), width = t->table->variant_count;
    int64_t most = 0;
    if (v == NO_ID) return 0;
    if (variant_fits(s, t, v, total)) return t->table->types[t->table->variants[v].type].capacity[column];
    uint64_t *bits = mem_zalloc(s->context, (words_ + 1) * sizeof *bits);
    if (bits == NULL) {
        s->failed = true;
        return 0;
    }
    typeset_fitting(s, types, total, bits);
    for (size_t i = bits_next(bits, width, 0); i < width; i = bits_next(bits, width, i + 1)) {
        int64_t has = t->table->types[t->table->variants[i].type].capacity[column];
        if (has > most) most = has;
    }
    mem_free(s->context, bits, (words_ + 1) * sizeof *bits);
    return most;
}

void limits_take(scheduler *s, uint32_t template_number, uint32_t types, const int64_t *total)
{
    pool_limit *l = &s->templates.limits[s->templates.items[template_number].pool];
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t most = largest_fitting(s, types, i, total);
        if (l->resources[i] == RESOURCE_NODES && !quirk(s, 10) && most < 1) most = 1;
        l->left[i] -= most;
    }
}

/* ---- minValues --------------------------------------------------------------------------------------------------- */

/* For Karpenter a type's value counts even if no launch can have it. Neither an available offering of the type
 * has to allow it, nor, before 1.15, the launch itself. */
static bool value_counts(scheduler *s, const template_ *t, uint32_t variant_number, uint32_t key, uint32_t value,
                         uint32_t set)
{
    uint32_t required = quirk(s, 20) && !in_force(s, RULE_ALLOWED_MIN_VALUES) ? NO_ID : set_get(&s->algebra, set, key);
    if (required != NO_ID && !requirement_has(&s->algebra, requirement_get(&s->algebra, required), value)) return false;
    if (quirk(s, 20)) return true;
    const instance_type *type = &t->table->types[t->table->variants[variant_number].type];
    for (uint32_t i = type->offering_first; i < type->offering_first + type->offering_count; i++) {
        const offering *o = &t->table->offerings[i];
        if (!o->available || o->variant != variant_number || !offering_compatible(s, o, set)) continue;
        uint32_t r = set_get(&s->algebra, o->set, key);
        if (r == NO_ID || requirement_has(&s->algebra, requirement_get(&s->algebra, r), value)) return true;
    }
    return false;
}

/* The number of different values of the key that the types of the variants have. `seen` is scratch by text id, all
 * zero. */
static uint32_t distinct_values(scheduler *s, const template_ *t, const uint64_t *bits, uint32_t key, uint32_t set,
                                uint8_t *seen)
{
    const type_table *table = t->table;
    size_t width = table->variant_count;
    uint32_t n = 0, column = type_key_column(table, key);
    if (column == table->type_key_count) return 0;
    for (size_t v = bits_next(bits, width, 0); v < width; v = bits_next(bits, width, v + 1)) {
        uint32_t id = table->type_columns[(size_t)column * table->type_count + table->variants[v].type];
        if (id == NO_ID) continue;
        requirement r = *requirement_get(&s->algebra, id);
        for (uint32_t i = 0; i < r.value_count; i++) {
            if (seen[r.values[i]] || !value_counts(s, t, (uint32_t)v, key, r.values[i], set)) continue;
            n++;
            seen[r.values[i]] = 1;
        }
    }
    return n;
}

bool min_values_met(scheduler *s, const template_ *t, const uint64_t *bits, uint32_t set, uint32_t *relaxed)
{
    bool met = true;
    uint32_t count = s->snapshot->facts.count;
    if (relaxed != NULL) *relaxed = set;
    if (!bits_any(bits, template_words(t))) return true;
    uint8_t *seen = mem_alloc(s->context, count);
    if (seen == NULL) return mem_refused(&s->failed);
    size_t n;
    (void)set_entries(&s->algebra, set, &n);
    for (size_t i = 0; i < n; i++) {
        set_entry e = set_entries(&s->algebra, set, &n)[i];
        uint32_t wanted = requirement_get(&s->algebra, e.requirement)->min_values;
        if (wanted == 0) continue;
        memset(seen, 0, count);
        uint32_t have = distinct_values(s, t, bits, e.key, set, seen);
        if (have >= wanted) continue;
        met = false;
        if (relaxed != NULL)
            *relaxed = set_replace(&s->algebra, *relaxed,
                                   requirement_with_min_values(&s->algebra, e.requirement, have));
    }
    mem_free(s->context, seen, count);
    return met;
}

/* ---- limits as text, and warnings about them --------------------------------------------------------------------- */

/* The warnings are about a NodePool that would be used first but has reached its limits, so that nodes for its pods are
 * launched from other NodePools. */
/* The limit that follows `last` by resource name (NO_ID: the first); NO_ID = none. */
static uint32_t next_limit(const karp_snapshot *s, const resource_list *limits, uint32_t last)
{
    uint32_t next = NO_ID;
    for (uint32_t i = 0; i < limits->count; i++) {
        karp_str name = strings_get(&s->raw.resources, limits->items[i].resource);
        if (last != NO_ID && compare_str(name, strings_get(&s->raw.resources, limits->items[last].resource)) <= 0)
            continue;
        if (next == NO_ID || compare_str(name, strings_get(&s->raw.resources, limits->items[next].resource)) < 0)
            next = i;
    }
    return next;
}

void limits_name(const karp_snapshot *s, uint32_t pool, strbuf *out)
{
    const resource_list *limits = &s->raw.pools.items[pool].limits;
    uint32_t first = next_limit(s, limits, NO_ID);
    for (uint32_t i = first; i != NO_ID; i = next_limit(s, limits, i)) {
        char number[QUANTITY_TEXT];
        quantity q = { .value = limits->items[i].value, .binary = limits->items[i].binary };
        strbuf_adds(out, i == first ? "limit " : ", ");
        strbuf_put(out, "", strings_get(&s->raw.resources, limits->items[i].resource), " ");
        strbuf_add(out, number, quantity_format(q, number));
    }
}

/* The number of pods checked per template: a few are enough to know the result for a hundred equal ones. */
enum { MOST_CHECKED = 64 };

static bool is_limited(scheduler *s, uint32_t template_number)
{
    uint32_t reason;
    return s->templates.limits[s->templates.items[template_number].pool].count > 0 &&
           limits_types(s, template_number, &reason) != s->templates.items[template_number].initial && !s->failed;
}

/* The position of the NodePool among the templates, in the order in which they are tried. */
static uint32_t place_of_pool(const scheduler *s, karp_str pool)
{
    uint32_t t = 0;
    while (t < s->templates.count &&
           !equal_str(name_of(s->snapshot, s->snapshot->raw.pools.items[s->templates.items[t].pool].meta.name), pool))
        t++;
    return t;
}

/* Cached results of classes for one template. */
typedef struct answers {
    uint32_t classes[MOST_CHECKED], count;
    bool limited[MOST_CHECKED];
} answers;

/* Whether only limits exclude the pod. Once the maximum number of checks is reached, the answer is no. */
static bool kept_out(scheduler *s, answers *known, uint32_t template_number, uint32_t pod_number)
{
    uint32_t class_number = s->snapshot->pod_class[pod_number], i = 0;
    while (i < known->count && known->classes[i] != class_number) i++;
    if (i < known->count || i == MOST_CHECKED) return i < known->count && known->limited[i];
    uint32_t v = s->pods.classes[class_number].first_view;
    known->classes[i] = class_number;
    known->limited[i] = v != NO_ID && template_limited(s, template_number, pod_number, v);
    return known->limited[known->count++];
}

/* Whether a node of the template could have the value of the label that the launch has. */
static bool shares_domain(scheduler *s, const karp_launch *l, uint32_t template_number, uint32_t key)
{
    karp_str name = text_of(s->snapshot, key);
    uint32_t allowed = set_get(&s->algebra, s->templates.items[template_number].set, key);
    size_t i = 0;
    if (allowed == NO_ID) return s->snapshot->facts.well_known[key];
    while (i < l->label_count && !equal_str(l->labels[i].key, name)) i++;
    if (i == l->label_count) return true; /* the launch may be in any domain */
    uint32_t value = strings_find(&s->snapshot->raw.text, l->labels[i].value.ptr, l->labels[i].value.len);
    return value == NO_ID || requirement_has(&s->algebra, requirement_get(&s->algebra, allowed), value);
}

/* Whether a node of the template could have taken the pod where the launch has it: a spread or an affinity may have
 * asked for a domain that the template does not have. */
static bool could_be_there(scheduler *s, const karp_launch *l, uint32_t template_number, uint32_t pod_number)
{
    const view *v = &s->pods.views.items[s->pods.classes[s->snapshot->pod_class[pod_number]].first_view];
    bool could = true;
    for (uint32_t i = 0; v->elsewhere && i < v->owned_count && could; i++) {
        const domain_key *k = &s->topology.keys[s->topology.groups.items[v->owned[i].group].key];
        could = v->owned[i].host || shares_domain(s, l, template_number, k->normalized);
    }
    return could;
}

/* The first launch that comes from a NodePool tried later, and whose pods are all excluded from the template by
 * limits. If a pod is excluded for another reason, it may have opened the node that the others share. NULL = there is
 * none. */
static const karp_launch *first_kept_out(scheduler *s, const karp_decision *d, uint32_t template_number)
{
    answers known = { .count = 0 };
    uint32_t later = 0;
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        /* Launches are sorted by NodePool. */
        if (i == 0 || !equal_str(l->node_pool, l[-1].node_pool)) later = place_of_pool(s, l->node_pool);
        bool all = later > template_number && later < s->templates.count && l->pod_count > 0;
        for (size_t k = 0; k < l->pod_count && all; k++)
            all = kept_out(s, &known, template_number, l->pods[k]) && could_be_there(s, l, template_number, l->pods[k]);
        if (all) return l;
    }
    return NULL;
}

size_t launches_of(const karp_decision *d, karp_str pool)
{
    size_t count = 0;
    for (size_t i = 0; i < d->launches.count; i++) count += equal_str(d->launches.items[i].node_pool, pool);
    return count;
}

static bool report_template(scheduler *s, karp_decision *d, uint32_t template_number)
{
    const karp_launch *l = first_kept_out(s, d, template_number);
    if (l == NULL) return !s->failed;
    uint32_t pool = s->templates.items[template_number].pool;
    strbuf b = strbuf_on(s->context);
    strbuf_put(&b, "NodePool ", name_of(s->snapshot, s->snapshot->raw.pools.items[pool].meta.name), ": ");
    limits_name(s->snapshot, pool, &b);
    strbuf_adds(&b, launches_of(d, name_of(s->snapshot, s->snapshot->raw.pools.items[pool].meta.name)) > 0
                        ? " reached in this round"
                        : " leaves too little for a node that takes them");
    strbuf_put(&b, ", so that other NodePools launch for pods that it would take, first ",
               pod_name(s->snapshot, l->pods[0]), " (");
    strbuf_put(&b, "", l->node_pool, "); a limit counts the nodes of its own NodePool alone");
    bool ok = !b.failed && decision_warn(d, b.ptr, b.len);
    strbuf_free(&b);
    return ok;
}

/* ---- nodes beyond the limit -------------------------------------------------------------------------------------- */

uint64_t nodes_beyond_limit(const karp_snapshot *s, const karp_decision *d, uint32_t pool)
{
    const node_pool *p = &s->raw.pools.items[pool];
    const resource_amount *limit = resource_list_find(p->limits, RESOURCE_NODES);
    if (limit == NULL) return 0;
    uint64_t before = 0, launched = launches_of(d, name_of(s, p->meta.name));
    for (uint32_t i = 0; i < s->node_count; i++) before += s->nodes[i].pool == pool && !s->nodes[i].marked;
    bool beyond = launched > 0 && amount_cmp(amount_whole((int64_t)(before + launched)), limit->value) > 0;
    return beyond ? before + launched : 0;
}

static bool report_nodes_beyond(scheduler *s, karp_decision *d, uint32_t pool)
{
    uint64_t nodes = nodes_beyond_limit(s->snapshot, d, pool);
    if (nodes == 0) return true;
    const node_pool *p = &s->snapshot->raw.pools.items[pool];
    const resource_amount *limit = resource_list_find(p->limits, RESOURCE_NODES);
    char number[QUANTITY_TEXT];
    strbuf b = strbuf_on(s->context);
    strbuf_put(&b, "NodePool ", name_of(s->snapshot, p->meta.name), ": ");
    strbuf_putu(&b, "", nodes, " nodes are more than limits.nodes ");
    strbuf_add(&b, number, quantity_format((quantity){ .value = limit->value, .binary = limit->binary }, number));
    strbuf_adds(
        &b, ": Karpenter compares this limit with the nodes before the pass, not with those that it launches in it; "
            "limits of cpu and memory hold within it");
    bool ok = !b.failed && decision_warn(d, b.ptr, b.len);
    strbuf_free(&b);
    return ok;
}

bool report_limited(scheduler *s, karp_decision *d)
{
    bool ok = true;
    for (uint32_t t = 0; ok && t < s->templates.count && d->launches.count > 0; t++)
        ok = report_nodes_beyond(s, d, s->templates.items[t].pool);
    for (uint32_t t = 0; ok && t + 1 < s->templates.count && d->launches.count > 0; t++) {
        if (is_limited(s, t)) ok = report_template(s, d, t);
        ok = ok && !s->failed;
    }
    return ok && !s->algebra.failed;
}
