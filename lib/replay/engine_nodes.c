/* SPDX-License-Identifier: Apache-2.0 */
/* The life cycle of a node, from its launch to its end. */
#include <replay/engine_shapes.h>

#include <base/admit.h>
#include <records/copy.h>
#include <records/tables.h>

#include <math.h>

#include <karp/library.h>

#define NOTICE (120 * SECOND) /* from a spot interruption to the end of the machine */
#define LEAST_DRAIN (5 * SECOND) /* a node ends no sooner after its deletion, even if it is empty */
#define NOMINATION (20 * SECOND) /* twice the longest batch */
#define PLANNED_AGAIN (10 * SECOND) /* how often Karpenter plans pending pods */

/* ---- copies of the launch ---------------------------------------------------------------------------------------- */

static void *copy_list(engine *e, arena *memory, const void *list, size_t count, size_t size)
{
    void *copy = arena_alloc(memory, count ? count * size : 1);
    if (!copy) engine_nomem(e);
    else if (count) memcpy(copy, list, count * size);
    return copy;
}

/* Texts of many nodes are equal, so they are interned. */
static karp_str intern(void *e, karp_str text) { return engine_text(e, text); }

/* ---- a new node -------------------------------------------------------------------------------------------------- */

static void label_single(engine *e, karp_label *list, size_t *count, const karp_requirement *r, size_t requirements)
{
    for (size_t i = 0; i < requirements; i++) {
        if (r[i].op == KARP_OP_IN && r[i].value_count == 1)
            label_set(list, count, engine_text(e, r[i].key), engine_text(e, r[i].values[0]));
    }
}

/* Labels of the machine, of the NodeClaim, and finally the hostname. */
static void label_node(engine *e, replay_node *n, const karp_launch *launch, const machine *m)
{
    size_t most = launch->choice_label_count + launch->label_count + 4, count = 0;
    if (m->type) most += m->type->requirement_count + m->offering->requirement_count;
    karp_label *list = arena_alloc(&n->memory, most * sizeof *list);
    if (!list) {
        engine_nomem(e);
        return;
    }
    for (size_t i = 0; !m->type && i < launch->choice_label_count; i++)
        label_set(list, &count, engine_text(e, launch->choice_labels[i].key),
                  engine_text(e, launch->choice_labels[i].value));
    if (m->type) {
        label_single(e, list, &count, m->type->requirements, m->type->requirement_count);
        label_single(e, list, &count, m->offering->requirements, m->offering->requirement_count);
    }
    for (size_t i = 0; i < launch->label_count; i++) {
        if (str_is(launch->labels[i].key, LABEL_HOSTNAME)) continue;
        label_set(list, &count, engine_text(e, launch->labels[i].key), engine_text(e, launch->labels[i].value));
    }
    if (n->pool.len) {
        label_set(list, &count, str(LABEL_NODE_POOL), n->pool);
        label_set(list, &count, str(LABEL_REGISTERED), str("true"));
        label_set(list, &count, str(LABEL_INITIALIZED), str("true"));
    }
    list[count++] = (karp_label){ str(LABEL_HOSTNAME), n->name };
    n->labels = list;
    n->label_count = count;
}

static uint32_t kind_of(engine *e, const replay_node *n)
{
    strbuf *key = &e->key;
    strbuf_clear(key);
    for (size_t i = 0; i < n->label_count; i++) {
        if (str_is(n->labels[i].key, LABEL_HOSTNAME)) continue;
        strbuf_addstr(key, n->labels[i].key);
        strbuf_addc(key, '=');
        strbuf_addstr(key, n->labels[i].value);
        strbuf_addc(key, '\n');
    }
    for (size_t i = 0; i < n->node_taint_count; i++) {
        strbuf_addstr(key, n->node_taints[i].key);
        strbuf_addc(key, '=');
        strbuf_addstr(key, n->node_taints[i].value);
        strbuf_addc(key, ':');
        strbuf_addstr(key, n->node_taints[i].effect);
    }
    uint32_t kind = key->failed ? IO_NONE : io_table_get(&e->nodes.kind_index, (karp_str){ key->ptr, key->len });
    if (kind == IO_NONE && !key->failed &&
        grow(e->context, (void **)&e->nodes.kinds, &e->nodes.kind_capacity, e->nodes.kind_count + 1,
             sizeof *e->nodes.kinds)) {
        kind = (uint32_t)e->nodes.kind_count++;
        e->nodes.kinds[kind] = (replay_kind){ copy_list(e, &e->memory, n->labels, n->label_count, sizeof *n->labels),
                                              copy_list(e, &e->memory, n->node_taints, n->node_taint_count,
                                                        sizeof *n->node_taints),
                                              n->label_count, n->node_taint_count };
        if (!io_table_put(&e->nodes.kind_index, (karp_str){ key->ptr, key->len }, kind)) kind = IO_NONE;
    }
    if (kind == IO_NONE) engine_nomem(e);
    return kind;
}

/* The taints of the Node: those of its NodeClaim, and of a node that has failed. */
static void set_taints(engine *e, replay_node *n)
{
    static const karp_str unreachable = { KUBE_TAINT_UNREACHABLE, sizeof KUBE_TAINT_UNREACHABLE - 1 }, none = { "", 0 };
    karp_taint *own = arena_alloc(&n->memory, (n->taint_count + 2) * sizeof *own);
    size_t count = n->taint_count;
    if (!own) {
        engine_nomem(e);
        return;
    }
    if (count) memcpy(own, n->taints, count * sizeof *own);
    if (n->unready) own[count++] = (karp_taint){ unreachable, none, { "NoSchedule", 10 } };
    if (n->evicts) own[count++] = (karp_taint){ unreachable, none, { "NoExecute", 9 } };
    n->node_taints = own;
    n->node_taint_count = count;
    n->executes = false;
    for (size_t i = 0; i < count; i++) n->executes = n->executes || str_is(own[i].effect, "NoExecute");
    if (!e->status) n->kind = kind_of(e, n);
}

void node_retaint(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    set_taints(e, n);
    if (!n->unready && !n->evicts) node_freed(e, node);
    if (e->pods.complex_pending) e->provisioning.bind_complex = true;
    binding_retaint(e, node);
    node_touch(e, node);
}

static void add_requests(const engine *e, const karp_decision *d, const uint32_t *pods, size_t count, int64_t *out)
{
    for (size_t i = 0; i < count; i++) {
        karp_str name = karp_decision_pod_name(d, pods[i]);
        uint32_t pod = io_table_get(&e->pods.index, name);
        const int64_t *requests = pod == IO_NONE ? buffer_requests(e, name)
                                                 : e->pods.shapes[e->pods.list[pod].shape].requests;
        for (size_t k = 0; requests && k < e->resource_names.count; k++) out[k] += requests[k];
    }
}

void launch_amounts(const engine *e, const karp_decision *d, const karp_launch *launch, int64_t out[RESOURCES_MOST])
{
    memset(out, 0, RESOURCES_MOST * sizeof *out);
    add_requests(e, d, launch->pods, launch->pod_count, out);
    /* A launch of a repack plan has room for the pods that later steps move there. */
    for (size_t i = 0; e->repacks && i < karp_decision_placement_count(d); i++) {
        karp_placement p = { .size = sizeof p };
        if (karp_decision_placement(d, i, &p) == KARP_OK && equal_str(p.node, launch->id))
            add_requests(e, d, p.pods, p.pod_count, out);
    }
}

/* The node's room for pods: what the launch requests beyond its pods is for DaemonSets. */
static void measure(engine *e, replay_node *n, const karp_launch *launch, const int64_t *amounts)
{
    for (size_t i = 0; i < n->resource_count; i++) {
        uint32_t resource = engine_resource(e, n->resources[i].name);
        if (resource < RESOURCES_MOST)
            n->free[resource] = n->allocatable[resource] = engine_amount(&n->resources[i], resource);
    }
    for (size_t i = 0; i < launch->request_count; i++) {
        uint32_t resource = engine_resource(e, launch->requests[i].name);
        if (resource < RESOURCES_MOST) n->free[resource] -= engine_amount(&launch->requests[i], resource);
    }
    for (size_t k = 0; amounts && k < e->resource_names.count; k++) n->free[k] += amounts[k];
}

static karp_str numbered_name(engine *e, const replay_node *n, uint64_t number)
{
    char digits[20];
    size_t length = write_digits(digits, number);
    char *name = arena_alloc(&e->memory, n->pool.len + length + 2);
    if (!name) {
        engine_nomem(e);
        return (karp_str){ "", 0 };
    }
    memcpy(name, n->pool.ptr, n->pool.len);
    name[n->pool.len] = '-';
    memcpy(name + n->pool.len + 1, digits, length);
    name[n->pool.len + 1 + length] = '\0';
    return (karp_str){ name, n->pool.len + 1 + length };
}

/* "POOL-N": N is the number of the launch, or the next number that no node from the start has. */
static karp_str next_name(engine *e, const replay_node *n)
{
    uint64_t number = n->serial - e->nodes.given_count + 1;
    karp_str name = numbered_name(e, n, number);
    while (!e->status && io_table_get(&e->nodes.index, name) != IO_NONE) name = numbered_name(e, n, ++number);
    return name;
}

double node_interruptions(const engine *e, uint32_t node)
{
    const replay_node *n = &e->nodes.list[node];
    double rate = 0;
    if (!str_is(n->capacity_type, "spot")) return 0;
    for (size_t i = 0; i < e->options->interruption_count; i++) {
        const karp_replay_interruption *r = &e->options->interruptions[i];
        if ((r->instance_type.len == 0 || equal_str(r->instance_type, n->instance_type)) &&
            (r->zone.len == 0 || equal_str(r->zone, n->zone)))
            rate = r->per_hour;
    }
    return rate;
}

/* Plans the node's random events, from its number and the seed only, so that they do not depend on other nodes. */
static void plan_life(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    int64_t jitter = e->options->boot_jitter;
    if (!n->ready) {
        if (jitter > 0) n->ready_at += (int64_t)(engine_random(e, n->serial, 0) % (uint64_t)jitter);
        engine_at(e, n->ready_at, EVENT_READY, node, 0);
    }
    if (n->expire_after != KARP_DURATION_UNSET && n->expire_after < INT64_MAX / 4)
        engine_at(e, n->created + n->expire_after, EVENT_EXPIRED, node, 0);
    double rate = node_interruptions(e, node);
    if (rate <= 0) return;
    double part = ((double)(engine_random(e, n->serial, 1) >> 11) + 1) / 9007199254740992.0, hours = -log(part) / rate;
    if (hours < 1e5) engine_at(e, n->billed + llround(hours * 3600) * SECOND, EVENT_INTERRUPTED, node, 0);
}

static void fill_node(engine *e, replay_node *n, const karp_launch *launch, const machine *m, const int64_t *amounts)
{
    n->pool = engine_text(e, launch->node_pool);
    n->instance_type = engine_text(e, m->choice.instance_type);
    n->zone = engine_text(e, m->choice.zone);
    n->capacity_type = engine_text(e, m->choice.capacity_type);
    n->price = m->choice.price;
    n->list_price = !m->type && launch->list_price > 0 ? launch->list_price : m->choice.price;
    if (!n->name.len) n->name = next_name(e, n);
    label_node(e, n, launch, m);
    record_copier c = { .to = &n->memory, .text = intern, .owner = e };
    n->annotation_count = launch->annotation_count;
    n->annotations = record_copy_labels(&c, launch->annotations, n->annotation_count);
    n->taint_count = launch->taint_count;
    n->taints = record_copy_list(&c, &record_taint, launch->taints, n->taint_count);
    n->startup_taint_count = launch->startup_taint_count;
    n->startup_taints = record_copy_list(&c, &record_taint, launch->startup_taints, n->startup_taint_count);
    n->capacity_count = m->type ? m->type->capacity_count : launch->capacity_count;
    n->capacity = record_copy_amounts(&c, m->type ? m->type->capacity : launch->capacity, n->capacity_count);
    n->resource_count = m->allocatable_count;
    n->resources = record_copy_amounts(&c, m->allocatable, n->resource_count);
    record_copy(&c, &record_node_class_ref, &launch->node_class, &n->node_class);
    if (c.failed) engine_nomem(e);
    n->expire_after = launch->expire_after;
    n->termination_grace_period = launch->termination_grace_period;
    engine_find_pool(e, n);
    set_taints(e, n);
    if (!e->status) measure(e, n, launch, amounts);
}

static uint32_t new_node(engine *e, const karp_launch *launch, const machine *m, karp_str name, const int64_t *amounts)
{
    if (!grow(e->context, (void **)&e->nodes.list, &e->nodes.capacity, e->nodes.count + 1, sizeof *e->nodes.list)) {
        engine_nomem(e);
        return REPLAY_NONE;
    }
    uint32_t node = (uint32_t)e->nodes.count;
    replay_node *n = &e->nodes.list[node];
    *n = (replay_node){ .name = name,
                        .serial = e->nodes.next_serial++,
                        .created = e->now,
                        .billed = e->now,
                        .ready_at = e->now + e->options->boot,
                        .gone_at = KARP_NO_TIME,
                        .last_event = KARP_NO_TIME,
                        .nominated_until = KARP_NO_TIME,
                        .drifted_at = KARP_NO_TIME,
                        .stuck_until = KARP_NO_TIME,
                        .idle_until = e->now,
                        .first_pod = REPLAY_NONE,
                        .scheduled = REPLAY_NONE };
    arena_init(&n->memory, e->context);
    fill_node(e, n, launch, m, amounts);
    e->nodes.count++;
    if (!e->status && !io_table_put(&e->nodes.index, n->name, node)) engine_nomem(e);
    return e->status ? REPLAY_NONE : node;
}

void node_begin(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    (void)engine_push(e, &e->nodes.alive, &e->nodes.alive_count, &e->nodes.alive_capacity, node);
    e->meter.nodes_running++;
    e->meter.nodes_starting += !n->ready;
    if (n->ready) {
        e->meter.cpu_had += n->allocatable[RESOURCE_CPU];
        e->meter.memory_had += n->allocatable[RESOURCE_MEMORY];
    }
    if (e->nodes.alive_count > e->meter.result.most_nodes) e->meter.result.most_nodes = (uint32_t)e->nodes.alive_count;
    e->meter.cost_rate += n->price;
    drift_launched(e);
    disrupt_young(e, node);
    disrupt_changed(e);
    node_touch(e, node);
    plan_life(e, node);
}

uint32_t node_start(engine *e, const karp_decision *d, const karp_launch *launch)
{
    int64_t amounts[RESOURCES_MOST];
    launch_amounts(e, d, launch, amounts);
    return node_launch(e, launch, amounts);
}

uint32_t node_launch(engine *e, const karp_launch *launch, const int64_t amounts[RESOURCES_MOST])
{
    machine m;
    if (!find_machine(e, launch, &m)) {
        e->meter.result.failed_launches++;
        return REPLAY_NONE;
    }
    uint32_t node = new_node(e, launch, &m, (karp_str){ "", 0 }, amounts);
    if (node == REPLAY_NONE) return node;
    e->meter.result.launches++;
    reservation_take(e, node, 1);
    node_begin(e, node);
    return node;
}

uint32_t node_add(engine *e, const karp_launch *launch, karp_str name)
{
    machine m = { .choice = launch->choice,
                  .allocatable = launch->allocatable,
                  .allocatable_count = launch->allocatable_count };
    return new_node(e, launch, &m, name, NULL);
}

uint32_t node_given(engine *e, karp_str name)
{
    if (!grow(e->context, (void **)&e->nodes.list, &e->nodes.capacity, e->nodes.count + 1, sizeof *e->nodes.list)) {
        engine_nomem(e);
        return REPLAY_NONE;
    }
    uint32_t node = (uint32_t)e->nodes.count++;
    replay_node *n = &e->nodes.list[node];
    *n = (replay_node){ .name = name,
                        .serial = e->nodes.next_serial++,
                        .created = e->now,
                        .billed = e->now,
                        .ready_at = e->now,
                        .gone_at = KARP_NO_TIME,
                        .last_event = KARP_NO_TIME,
                        .nominated_until = KARP_NO_TIME,
                        .drifted_at = KARP_NO_TIME,
                        .stuck_until = KARP_NO_TIME,
                        .idle_until = e->now,
                        .pool_number = REPLAY_NONE,
                        .first_pod = REPLAY_NONE,
                        .scheduled = REPLAY_NONE,
                        .ready = true,
                        .given = true };
    arena_init(&n->memory, e->context);
    e->nodes.given_count++;
    if (!io_table_put(&e->nodes.index, name, node)) engine_nomem(e);
    (void)engine_push(e, &e->nodes.alive, &e->nodes.alive_count, &e->nodes.alive_capacity, node);
    e->meter.nodes_running++;
    e->meter.result.most_nodes = (uint32_t)e->nodes.alive_count;
    return node;
}

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

void node_reserved(const engine *e, const replay_node *n, int64_t out[RESOURCES_MOST])
{
    for (size_t i = 0; i < e->resource_names.count; i++) out[i] = n->allocatable[i] - n->free[i];
    for (uint32_t p = n->first_pod; p != REPLAY_NONE; p = e->pods.list[p].next) {
        for (size_t i = 0; i < e->resource_names.count; i++)
            out[i] -= e->pods.shapes[e->pods.list[p].shape].requests[i];
    }
}

void node_touch(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    e->disruption.changes++;
    binding_node(e, node);
    if (n->dirty || n->given) return;
    n->dirty = engine_push(e, &e->objects.dirty_nodes, &e->objects.dirty_node_count, &e->objects.dirty_node_capacity,
                           node);
}

/* Karpenter records pod events of a node at most every 10 s. */
void node_pod_event(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    if (n->given || (!e->played && n->last_event != KARP_NO_TIME && e->now - n->last_event < 10 * SECOND)) return;
    n->last_event = e->now;
    if (n->consolidatable && !n->nominated) disrupt_young(e, node);
    n->consolidatable = false;
    node_touch(e, node);
}

void node_nominate(engine *e, uint32_t node, int64_t planned)
{
    replay_node *n = &e->nodes.list[node];
    int64_t until = planned + NOMINATION;
    if (n->given || n->gone || until <= e->now || until <= n->nominated_until) return;
    n->nominated_until = until;
    if (n->consolidatable && !n->nominated) disrupt_young(e, node);
    n->nominated = true;
    node_touch(e, node);
}

void node_nominate_since(engine *e, uint32_t node, int64_t planned)
{
    int64_t since = e->now - planned;
    node_nominate(e, node, since < 0 ? e->now : e->now - since % PLANNED_AGAIN);
}

void node_ready(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    meter_node(e, node);
    n->ready = e->nodes.fresh = true;
    e->meter.nodes_starting--;
    e->meter.cpu_had += n->allocatable[RESOURCE_CPU];
    e->meter.memory_had += n->allocatable[RESOURCE_MEMORY];
    node_freed(e, node);
    health_node_changed(e, node);
    if (e->pods.complex_pending) e->provisioning.bind_complex = true;
    n->initializing = e->options->initialization > 0;
    if (n->initializing) engine_at(e, e->now + e->options->initialization, EVENT_READY, node, 0);
    disrupt_changed(e);
    node_touch(e, node);
    if (!n->initializing) disrupt_replacement_ready(e, node);
}

void node_initialized(engine *e, uint32_t node)
{
    e->nodes.list[node].initializing = false;
    disrupt_changed(e);
    node_touch(e, node);
    disrupt_replacement_ready(e, node);
}

static bool of_static_pool(const engine *e, const replay_node *n)
{
    return n->pool_number != REPLAY_NONE && e->nodes.pools[n->pool_number].is_static;
}

/* Whether launches that a limit or a full reservation prevented may be possible without the node. */
static bool frees_launches(const engine *e, const replay_node *n)
{
    bool limited = n->pool_number != REPLAY_NONE && e->nodes.pools[n->pool_number].limited;
    return limited || str_is(n->capacity_type, "reserved");
}

static void node_gone(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    meter_node(e, node);
    if (n->ready) {
        e->meter.cpu_had -= n->allocatable[RESOURCE_CPU];
        e->meter.memory_had -= n->allocatable[RESOURCE_MEMORY];
    } else {
        e->meter.nodes_starting--;
    }
    if (n->deleting) e->nodes.draining--;
    n->gone = true;
    n->gone_at = e->now;
    meter_ended(e, node);
    reservation_take(e, node, -1);
    e->meter.result.ended_nodes++;
    e->meter.nodes_running--;
    e->meter.cost_rate = 0;
    size_t kept = 0;
    for (size_t i = 0; i < e->nodes.alive_count; i++) {
        engine_ahead(e, i);
        if (e->nodes.alive[i] == node) continue;
        e->meter.cost_rate += e->nodes.list[e->nodes.alive[i]].price;
        e->nodes.alive[kept++] = e->nodes.alive[i];
    }
    e->nodes.alive_count = kept;
    health_node_changed(e, node);
    disrupt_changed(e);
    drift_gone(e, node);
    node_touch(e, node);
    disrupt_node_gone(e, node);
    if (of_static_pool(e, n)) static_open(e);
    if (e->pods.still_pending && frees_launches(e, n)) batch_open(e);
}

void node_delete(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    if (n->deleting || n->gone) return;
    if (!n->tainted) drift_goes(e, node, true);
    n->deleting = true;
    n->deleted_at = e->now;
    if (!n->tainted) disrupt_changed(e); /* a command has marked it before, which alone is no change */
    node_drains(e, node);
    node_touch(e, node);
    int64_t grace = n->termination_grace_period;
    if (grace != KARP_DURATION_UNSET && grace < INT64_MAX / 4) engine_at(e, e->now + grace, EVENT_KILLED, node, 0);
    if (of_static_pool(e, n)) static_open(e);
    if (n->pod_count) batch_open(e);
}

/* The numbers of its pods, in memory of the context; NULL = no pods, or out of memory. */
static uint32_t *pods_of(engine *e, const replay_node *n)
{
    uint32_t *list = n->pod_count ? karp_alloc(e->context, n->pod_count * sizeof *list) : NULL;
    size_t count = 0;
    if (n->pod_count && !list) engine_nomem(e);
    for (uint32_t p = n->first_pod; list && p != REPLAY_NONE; p = e->pods.list[p].next) list[count++] = p;
    if (list && !sort_numbers(e->context, list, count)) engine_nomem(e);
    return list;
}

/* As far as PodDisruptionBudgets permit. */
static void node_drain(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    size_t count = n->pod_count;
    uint32_t *list = pods_of(e, n);
    for (size_t i = 0; list && i < count && !e->status; i++) {
        uint32_t shape = e->pods.list[list[i]].shape;
        if (e->pods.shapes[shape].protected_ || !budgets_allow(e, shape)) continue;
        e->meter.result.evictions++;
        pod_evict(e, list[i]);
    }
    karp_free(e->context, list, count * sizeof *list);
    bool early = n->ready && e->now < n->deleted_at + LEAST_DRAIN;
    early = early || (n->stuck_until != KARP_NO_TIME && e->now < n->stuck_until);
    if (n->pod_count == 0 && !early && !e->status) node_gone(e, node);
}

void node_drains(engine *e, uint32_t node)
{
    engine_at(e, e->nodes.list[node].deleted_at + LEAST_DRAIN, EVENT_DRAINED, node, 0);
    e->nodes.draining++;
    (void)engine_push(e, &e->nodes.drains, &e->nodes.drain_count, &e->nodes.drain_capacity, node);
}

/* In the order of their numbers, which is that of all running nodes. */
void nodes_drain(engine *e)
{
    size_t kept = 0;
    if (!sort_numbers(e->context, e->nodes.drains, e->nodes.drain_count)) engine_nomem(e);
    for (size_t i = 0; i < e->nodes.drain_count && !e->status; i++) {
        uint32_t node = e->nodes.drains[i];
        if (!e->nodes.list[node].gone) node_drain(e, node);
        if (!e->nodes.list[node].gone) e->nodes.drains[kept++] = node;
    }
    e->nodes.drain_count = kept;
}

static void kill_node(engine *e, uint32_t node, uint64_t *evicted)
{
    replay_node *n = &e->nodes.list[node];
    size_t count = n->pod_count;
    uint32_t *list = pods_of(e, n);
    for (size_t i = 0; list && i < count && !e->status; i++) {
        ++*evicted;
        pod_evict(e, list[i]);
    }
    karp_free(e->context, list, count * sizeof *list);
    if (!e->status) node_gone(e, node);
}

void node_kill(engine *e, uint32_t node) { kill_node(e, node, &e->meter.result.killed_pods); }

void node_empty(engine *e, uint32_t node) { kill_node(e, node, &e->meter.result.evictions); }

void node_interrupt(engine *e, uint32_t node)
{
    e->meter.result.interruptions++;
    note_interrupted(e, node);
    engine_at(e, e->now + NOTICE, EVENT_KILLED, node, 0);
    node_delete(e, node);
}
