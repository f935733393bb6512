/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes to be launched: every listed instance type must be valid, because the cloud chooses one of them. */
#include <verify/verify.h>

#include <string.h>

/* ---- pools ------------------------------------------------------------------------------------------------------- */

static bool pool_open(const verifier *v, uint32_t pool)
{
    const karp_snapshot *s = v->snapshot;
    const node_pool *p = &s->raw.pools.items[pool];
    const condition *ready = condition_find(p->conditions, s->known.ready);
    return p->replicas < 0 && p->meta.deletion == KARP_NO_TIME && ready != NULL &&
           ready->status == s->known.status_true && s->pool_table[pool] != NO_ID;
}

static void base_rules(verifier *v, uint32_t pool, rules *base)
{
    const karp_snapshot *s = v->snapshot;
    const node_pool *p = &s->raw.pools.items[pool];
    struct pool_words own = s->pool_names[pool];
    rules_add_expressions(&v->words, base, p->requirements);
    for (uint32_t i = 0; i < p->template_labels.count; i++) {
        label_pair l = p->template_labels.items[i];
        if (l.key != s->known.node_pool && l.key != own.class_label)
            rules_add(&v->words, base, rule_one(&v->words, l.key, l.value));
    }
    rules_add(&v->words, base, rule_one(&v->words, s->known.node_pool, own.name));
    rules_add(&v->words, base, rule_one(&v->words, own.class_label, p->class_name));
    rules_add(&v->words, base, rule_one(&v->words, s->known.registered, s->known.true_));
    rules_add(&v->words, base, rule_one(&v->words, s->known.initialized, s->known.true_));
}

pool_facts *facts_of_pool(verifier *v, uint32_t pool)
{
    const karp_snapshot *s = v->snapshot;
    pool_facts *f = &v->pools[pool];
    if (f->ready) return f;
    f->ready = true;
    f->open = pool_open(v, pool);
    base_rules(v, pool, &f->base);
    if (!f->open) return f;
    f->table = &s->tables[s->pool_table[pool]];
    f->first_of_name = verifier_alloc(v, s->facts.count, sizeof *f->first_of_name);
    f->daemons_of_type = verifier_alloc(v, f->table->type_count + (size_t)1, sizeof *f->daemons_of_type);
    if (v->failed) {
        f->open = false;
        return f;
    }
    for (uint32_t i = f->table->type_count; i-- > 0;) f->first_of_name[f->table->types[i].name] = i + 1;
    return f;
}

/* ---- daemons ----------------------------------------------------------------------------------------------------- */

static bool type_agrees(const verifier *v, const rules *labels, uint32_t set)
{
    size_t n;
    const set_entry *e = set_entries(&v->snapshot->algebra, set, &n);
    for (size_t i = 0; i < n; i++) {
        const rule *have = rules_find(labels, e[i].key);
        rule r = rule_of_requirement(requirement_get(&v->snapshot->algebra, e[i].requirement));
        if (have != NULL && !rules_agree(&v->words, have, &r)) return false;
    }
    return true;
}

/* Whether a daemon with these rules can run on a node of the NodePool. Undefined labels are allowed if they are
 * well-known. */
static bool base_allows(const verifier *v, const rules *base, const rules *required)
{
    for (uint32_t i = 0; i < required->count; i++) {
        const rule *r = &required->items[i], *have = rules_find(base, r->key);
        if (have != NULL ? !rules_agree(&v->words, have, r) : !word_well_known(&v->words, r->key) && !rule_negative(r))
            return false;
    }
    return true;
}

/* With Karpenter's quirks, daemons with several terms are not expected: which terms are considered depends on earlier
 * calculations. */
static bool daemon_expected(verifier *v, uint32_t daemon, const target *t, const instance_type *type)
{
    const struct daemon *d = &v->snapshot->daemons[daemon];
    wishes *w = &v->daemon_wishes[daemon];
    if (!daemon_runs(v, d->shape)) return false;
    if (!w->ready) fill_wishes(v, w, d->shape->node_selector, d->required);
    if ((w->count > 1 && v->quirks) || untolerated(v, d->shape->tolerations, t->taints, false) != NULL) return false;
    for (uint32_t i = 0; i < w->count; i++) {
        if (base_allows(v, &v->pools[t->pool].base, &w->terms[i]) && type_agrees(v, &w->terms[i], type->set))
            return true;
    }
    return false;
}

/* The daemons for a type of the NodePool, as an interned list of their numbers. */
static const struct words_entry *daemons_of(verifier *v, const target *t, uint32_t type)
{
    static const struct words_entry none = { NULL, 0, 0 };
    pool_facts *f = &v->pools[t->pool];
    if (f->daemons_of_type[type] == 0) {
        uint32_t count = 0, *list = mem_alloc(v->context, ((size_t)v->snapshot->daemon_count + 1) * sizeof *list);
        for (uint32_t i = 0; list != NULL && i < v->snapshot->daemon_count; i++) {
            if (daemon_expected(v, i, t, &f->table->types[type])) list[count++] = i;
        }
        uint32_t id = list == NULL ? NO_ID : words_add(&v->daemon_sets, list, count);
        mem_free(v->context, list, ((size_t)v->snapshot->daemon_count + 1) * sizeof *list);
        if (id == NO_ID) {
            v->failed = true;
            return &none;
        }
        f->daemons_of_type[type] = id + 1;
    }
    return &v->daemon_sets.entries[f->daemons_of_type[type] - 1];
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Data for checking one launch. */
typedef struct launch_check {
    rules unreserved; /* its labels, without the restriction by reservations */
    const int64_t *wanted; /* total requests of its pods */
    int64_t *scratch;
    host_port_list *ports; /* of the pods that have host ports */
    uint32_t port_lists;
} launch_check;

static bool offering_allowed(const verifier *v, const rules *labels, const offering *o)
{
    size_t n;
    const set_entry *e = set_entries(&v->snapshot->algebra, o->set, &n);
    if (!o->available) return false;
    for (size_t i = 0; i < n; i++) {
        const rule *have = rules_find(labels, e[i].key);
        rule r = rule_of_requirement(requirement_get(&v->snapshot->algebra, e[i].requirement));
        if (have != NULL ? !rules_agree(&v->words, have, &r)
                         : !word_well_known(&v->words, e[i].key) && !rule_negative(&r))
            return false;
    }
    return true;
}

static void sum_with_daemons(verifier *v, const launch_check *c, const struct words_entry *daemons)
{
    uint32_t dims = v->snapshot->dims;
    memcpy(c->scratch, c->wanted, dims * sizeof *c->scratch);
    for (uint32_t i = 0; i < daemons->count; i++) {
        for (uint32_t r = 0; r < dims; r++)
            c->scratch[r] = add_clamped(c->scratch[r], v->daemon_launched[(size_t)daemons->ptr[i] * dims + r]);
    }
}

static bool large_enough(const verifier *v, const int64_t *amounts, const int64_t *wanted)
{
    for (uint32_t r = 0; r < v->snapshot->dims; r++) {
        if (wanted[r] > 0 && wanted[r] > amounts[r] && !(amounts[r] <= 0 && served_by_devices(v, r))) return false;
    }
    return true;
}

/* The error of one type; 0 = none. */
static uint32_t type_fault(verifier *v, const target *t, const launch_check *c, uint32_t number)
{
    const type_table *table = v->pools[t->pool].table;
    const instance_type *type = &table->types[number];
    bool offered = false;
    if (!type_agrees(v, &c->unreserved, type->set)) return KARP_FINDING_TYPE_REQUIREMENTS;
    const struct words_entry *daemons = daemons_of(v, t, number);
    sum_with_daemons(v, c, daemons);
    for (uint32_t d = 0; d < daemons->count; d++) {
        for (uint32_t i = 0; i < c->port_lists; i++) {
            if (ports_clash_with(c->ports[i], v->snapshot->daemons[daemons->ptr[d]].shape->ports))
                return KARP_FINDING_TYPE_HOST_PORT;
        }
    }
    for (uint32_t o = type->offering_first; o < type->offering_first + type->offering_count; o++) {
        if (!offering_allowed(v, &c->unreserved, &table->offerings[o])) continue;
        offered = true;
        if (large_enough(v, table->variants[table->offerings[o].variant].allocatable, c->scratch)) return 0;
    }
    return offered ? KARP_FINDING_TYPE_RESOURCES : KARP_FINDING_TYPE_OFFERING;
}

static void note_type(verifier *v, const target *t, uint32_t fault, karp_str type)
{
    static const char *const texts[] = {
        [KARP_FINDING_TYPE_REQUIREMENTS] = "its labels contradict the requirements",
        [KARP_FINDING_TYPE_OFFERING] = "it has no available offering within the requirements",
        [KARP_FINDING_TYPE_RESOURCES] = "it is too small for the pods and the daemons",
        [KARP_FINDING_TYPE_HOST_PORT] = "a daemon uses a host port that a pod wants",
    };
    note(v, fault, t->name, "instance type %.*s: %s", SHOW(type), texts[fault]);
}

/* Several types may have the same name. The listed name is valid if one of them is. */
static uint32_t settle_type(verifier *v, const target *t, const launch_check *c, uint32_t first, uint32_t *chosen)
{
    const type_table *table = v->pools[t->pool].table;
    uint32_t fault = type_fault(v, t, c, first);
    *chosen = first;
    for (uint32_t i = first + 1; fault != 0 && table->repeated_names && i < table->type_count && !v->failed; i++) {
        if (table->types[i].name != table->types[first].name || type_fault(v, t, c, i) != 0) continue;
        *chosen = i;
        fault = 0;
    }
    return fault;
}

/* Whether the offering is a reservation without free capacity, which cannot be launched (K15-4). */
static bool full(const verifier *v, const offering *o)
{
    const store *raw = &v->snapshot->raw;
    int64_t slots = o->reservation_capacity;
    if (!rule_of(v->rules, RULE_FULL_RESERVATIONS) || (raw->settings.gates & KARP_GATE_RESERVED_CAPACITY) == 0 ||
        o->capacity_type != v->snapshot->known.reserved)
        return false;
    for (uint32_t i = 0; i < raw->credit_count && slots < INT64_MAX / 2; i++) {
        if (raw->credits[i].reservation == o->reservation) slots = add_clamped(slots, raw->credits[i].slots);
    }
    return slots <= 0;
}

static bool some_offering(const verifier *v, const target *t)
{
    const type_table *table = v->pools[t->pool].table;
    for (uint32_t i = 0; i < t->type_count; i++) {
        const instance_type *type = &table->types[t->types[i]];
        for (uint32_t o = type->offering_first; o < type->offering_first + type->offering_count; o++) {
            if (offering_allowed(v, &t->labels, &table->offerings[o]) && !full(v, &table->offerings[o])) return true;
        }
    }
    return false;
}

static void check_types(verifier *v, target *t, const launch_check *c)
{
    const pool_facts *f = &v->pools[t->pool];
    size_t count = t->launch->instance_type_count;
    uint32_t *types = verifier_alloc(v, count + 1, sizeof *types);
    if (types == NULL) return;
    t->types = types;
    for (size_t i = 0; i < count && !v->failed; i++) {
        karp_str name = t->launch->instance_types[i];
        uint32_t word = word_of(&v->words, name), first = word < v->snapshot->facts.count ? f->first_of_name[word] : 0;
        if (first == 0) {
            note(v, KARP_FINDING_TYPE_UNKNOWN, t->name, "instance type %.*s is not among the pool's", SHOW(name));
            continue;
        }
        uint32_t fault = settle_type(v, t, c, first - 1, &types[t->type_count]);
        t->type_count++;
        if (fault != 0) note_type(v, t, fault, name);
    }
    if (count == 0) note(v, KARP_FINDING_NO_TYPES, t->name, "it lists no instance type");
    else if (t->type_count > 0 && !some_offering(v, t))
        note(v, KARP_FINDING_TYPE_OFFERING, t->name,
             "none of its types has an available offering within its requirements");
}

/* ---- requirements ------------------------------------------------------------------------------------------------ */

/* The launch's labels: its own requirements, and for other keys those of the NodePool. */
static void settle_labels(verifier *v, target *t)
{
    const pool_facts *f = &v->pools[t->pool];
    for (size_t i = 0; i < t->launch->requirement_count; i++) {
        rule r = rule_of_plan(&v->words, &t->launch->requirements[i]);
        if (r.key != v->snapshot->known.hostname) rules_add(&v->words, &t->labels, r);
    }
    for (uint32_t i = 0; i < f->base.count; i++) {
        const rule *required = &f->base.items[i], *have = rules_find(&t->labels, required->key);
        if (have == NULL) {
            rules_add(&v->words, &t->labels, *required);
        } else if (!rule_within(&v->words, have, required) && !may_be_absent(v, t, have, required)) {
            note(v, KARP_FINDING_POOL_REQUIREMENTS, t->name,
                 "its requirement on %.*s allows more than that of NodePool %.*s",
                 SHOW(word_text(&v->words, required->key)), SHOW(t->launch->node_pool));
        }
    }
}

/* Whether the launch is restricted to reservations. Its listed types were chosen before this restriction. */
static bool reserved_only(const verifier *v, const rules *labels)
{
    const rule *r = rules_find(labels, v->snapshot->known.capacity_type);
    return (v->snapshot->raw.settings.gates & KARP_GATE_RESERVED_CAPACITY) != 0 && r != NULL && !r->excludes &&
           r->count == 1 && r->values[0] == v->snapshot->known.reserved;
}

static uint32_t reservation_key(const verifier *v)
{
    uint32_t key = v->snapshot->raw.reservation_id;
    return key == NO_TEXT ? NO_ID : word_key(&v->words, key);
}

static void settle_unreserved(verifier *v, const target *t, launch_check *c)
{
    bool reserved = reserved_only(v, &t->labels);
    for (uint32_t i = 0; i < t->labels.count; i++) {
        const rule *r = &t->labels.items[i];
        if (!reserved || (r->key != v->snapshot->known.capacity_type && r->key != reservation_key(v)))
            rules_add(&v->words, &c->unreserved, *r);
    }
    for (uint32_t i = 0; i < v->pools[t->pool].base.count; i++) {
        const rule *r = &v->pools[t->pool].base.items[i];
        if (rules_find(&c->unreserved, r->key) == NULL) rules_add(&v->words, &c->unreserved, *r);
    }
}

/* The number of values for the key that the types have; from K15-5 on, only values that the launch allows. */
static uint32_t distinct_values(verifier *v, const target *t, uint32_t key, const rule *allowed)
{
    const type_table *table = v->pools[t->pool].table;
    map64 seen;
    map64_init(&seen, v->context);
    for (uint32_t i = 0; i < t->type_count; i++) {
        uint32_t id = set_get(&v->snapshot->algebra, table->types[t->types[i]].set, key);
        const requirement *r = id == NO_ID ? NULL : requirement_get(&v->snapshot->algebra, id);
        for (uint32_t k = 0; r != NULL && k < r->value_count; k++) {
            if (allowed != NULL && !rule_accepts(&v->words, allowed, r->values[k])) continue;
            if (!map64_put(&seen, r->values[k], 1)) v->failed = true;
        }
    }
    uint32_t count = (uint32_t)seen.count;
    map64_free(&seen);
    return count;
}

/* Which values of the key count (K15-5); NULL = all. Of reservations those that the launch is restricted to: minValues
 * are checked again after that. */
static const rule *counted(const verifier *v, const launch_check *c, const rule *r)
{
    if (!rule_of(v->rules, RULE_ALLOWED_MIN_VALUES)) return NULL;
    return r->key == reservation_key(v) ? r : rules_find(&c->unreserved, r->key);
}

static void check_min_values(verifier *v, const target *t, const launch_check *c)
{
    if (v->snapshot->raw.settings.min_values_policy != KARP_MIN_VALUES_STRICT || t->type_count == 0) return;
    for (uint32_t i = 0; i < t->labels.count; i++) {
        const rule *r = &t->labels.items[i], *base = rules_find(&v->pools[t->pool].base, r->key);
        uint32_t wanted = base != NULL && base->min_values > r->min_values ? base->min_values : r->min_values;
        uint32_t have = wanted > 0 ? distinct_values(v, t, r->key, counted(v, c, r)) : 0;
        if (have >= wanted) continue;
        note(v, KARP_FINDING_MIN_VALUES, t->name, "its types have %u values of %.*s, minValues asks for %u",
             (unsigned)have, SHOW(word_text(&v->words, r->key)), (unsigned)wanted);
    }
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

static bool gather(verifier *v, const target *t, launch_check *c, int64_t *amounts)
{
    uint32_t dims = v->snapshot->dims;
    c->ports = verifier_alloc(v, t->pod_count + (size_t)1, sizeof *c->ports);
    if (c->ports == NULL) return false;
    for (uint32_t i = 0; i < t->pod_count; i++) {
        host_port_list ports = pod_shape(v, t->pods[i])->ports;
        for (uint32_t r = 0; r < dims; r++) amounts[r] = add_clamped(amounts[r], pod_vector(v, t->pods[i])[r]);
        if (ports.count > 0) c->ports[c->port_lists++] = ports;
    }
    c->wanted = amounts;
    c->scratch = amounts + dims;
    return true;
}

void check_launch(verifier *v, target *t)
{
    pool_facts *f = facts_of_pool(v, t->pool);
    if (!f->open) {
        note(v, KARP_FINDING_POOL_UNUSABLE, t->name,
             "NodePool %.*s is static, not ready, being deleted, or without instance types",
             SHOW(t->launch->node_pool));
        t->pool = NO_ID;
        return;
    }
    launch_check c = { .ports = NULL };
    size_t bytes = (size_t)v->snapshot->dims * 2 * sizeof(int64_t);
    int64_t *amounts = mem_zalloc(v->context, bytes);
    if (amounts == NULL || !gather(v, t, &c, amounts)) {
        v->failed = true;
    } else {
        settle_labels(v, t);
        settle_unreserved(v, t, &c);
        check_types(v, t, &c);
        check_launch_volumes(v, t);
        check_min_values(v, t, &c);
        check_pods_at(v, t);
    }
    mem_free(v->context, amounts, bytes);
}

/* ---- all launches of a pool -------------------------------------------------------------------------------------- */

/* limit − Σ capacity of the NodePool's nodes; false = used up, overflow. */
static bool limit_left(const verifier *v, uint32_t pool, const resource_amount *limit, amount *left)
{
    *left = limit->value;
    for (uint32_t i = 0; i < v->snapshot->node_count; i++) {
        const state_node *n = &v->snapshot->nodes[i];
        if (n->marked || n->pool != pool) continue;
        if (!amount_sub(*left, resource_list_get(n->capacity, limit->resource), left)) return false;
    }
    return true;
}

/* A launch counts with its largest type. */
static amount largest(const verifier *v, const target *t, uint32_t resource)
{
    const type_table *table = v->pools[t->pool].table;
    amount most = amount_whole(0);
    for (uint32_t i = 0; i < t->type_count; i++)
        most = amount_max(most, resource_list_get(table->types[t->types[i]].capacity_list, resource));
    return most;
}

static void check_limit(verifier *v, uint32_t pool, const resource_amount *limit)
{
    amount left, used = amount_whole(0);
    uint32_t launches = 0;
    bool fits = limit_left(v, pool, limit, &left);
    for (uint32_t i = 0; i < v->target_count; i++) {
        const target *t = &v->targets[i];
        if (!t->is_launch || t->pool != pool) continue;
        launches++;
        fits = fits && amount_add(used, largest(v, t, limit->resource), &used);
    }
    if (launches == 0) return;
    if (limit->resource == RESOURCE_NODES) {
        /* Karpenter does not count nodes launched in the same round: it only stops if nothing was left before
         * (S-Q10). */
        used = v->quirks ? amount_from(1) : amount_whole(launches);
    }
    if (fits && amount_cmp(used, left) <= 0) return;
    note(v, KARP_FINDING_LIMITS, object_name(v, "nodepool", pool_name(v->snapshot, pool)),
         "its %u launches may exceed the limit on %.*s", (unsigned)launches,
         SHOW(strings_get(&v->snapshot->raw.resources, limit->resource)));
}

void check_limits(verifier *v)
{
    for (uint32_t p = 0; p < v->snapshot->raw.pools.count; p++) {
        resource_list limits = v->snapshot->raw.pools.items[p].limits;
        for (uint32_t i = 0; i < limits.count && !v->failed; i++) check_limit(v, p, &limits.items[i]);
    }
}

/* ---- reservations ------------------------------------------------------------------------------------------------ */

/* The lowest free capacity that an offering of the table states for the reservation, if it is less than `least`; −1 =
 * there is no such offering. */
static int64_t least_free_reserved(const verifier *v, const type_table *table, uint32_t id, int64_t least)
{
    for (uint32_t o = 0; o < table->offering_count; o++) {
        const offering *f = &table->offerings[o];
        if (f->capacity_type != v->snapshot->known.reserved || f->reservation != id) continue;
        if (least < 0 || f->reservation_capacity < least) least = f->reservation_capacity;
    }
    return least;
}

/* Offerings of unusable NodePools do not count. */
static int64_t free_reserved(const verifier *v, uint32_t id)
{
    const karp_snapshot *s = v->snapshot;
    int64_t least = -1;
    for (uint32_t p = 0; p < s->raw.pools.count; p++) {
        if (pool_open(v, p)) least = least_free_reserved(v, &s->tables[s->pool_table[p]], id, least);
    }
    return least;
}

static bool holds_reservation(const verifier *v, const target *t, uint32_t id)
{
    const rule *r = t->is_launch && t->pool != NO_ID && reserved_only(v, &t->labels)
                        ? rules_find(&t->labels, reservation_key(v))
                        : NULL;
    return r != NULL && !r->excludes && rule_accepts(&v->words, r, id);
}

void check_reservations(verifier *v)
{
    map64 done;
    map64_init(&done, v->context);
    for (uint32_t i = 0; i < v->target_count && !v->failed; i++) {
        const target *t = &v->targets[i];
        const rule *r = t->is_launch && t->pool != NO_ID && reserved_only(v, &t->labels)
                            ? rules_find(&t->labels, reservation_key(v))
                            : NULL;
        for (uint32_t k = 0; r != NULL && !r->excludes && k < r->count && !v->failed; k++) {
            uint32_t holders = 0, id = r->values[k];
            int64_t free_count = free_reserved(v, id);
            if (map64_get(&done, id) != NO_ID) continue;
            if (!map64_put(&done, id, 1)) v->failed = true;
            for (uint32_t o = i; o < v->target_count; o++) holders += holds_reservation(v, &v->targets[o], id);
            if ((int64_t)holders <= free_count || v->failed) continue;
            note(v, KARP_FINDING_RESERVATION, object_name(v, "reservation", word_text(&v->words, id)),
                 "%u launches may use it, and it has %u free instances", (unsigned)holders,
                 free_count < 0 ? 0 : (unsigned)free_count);
        }
    }
    map64_free(&done);
}
