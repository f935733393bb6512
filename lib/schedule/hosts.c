/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/hosts.h>

#include <base/duration.h>
#include <base/sort.h>
#include <model/taints.h>
#include <schedule/capacity.h>
#include <schedule/devices.h>
#include <schedule/movable.h>
#include <schedule/placement.h>
#include <schedule/ports.h>
#include <schedule/rounds.h>
#include <schedule/savepoint.h>
#include <schedule/scheduler.h>
#include <schedule/templates.h>
#include <schedule/topology.h>
#include <schedule/volumes.h>

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

static bool note_shielded(scheduler *s, uint32_t host_index)
{
    struct hosts *h = &s->hosts;
    if (h->shielded == NULL)
        h->shielded = arena_array(&s->data, bits_words(s->snapshot->node_count), sizeof *h->shielded);
    if (h->shielded != NULL) bits_set(h->shielded, host_index);
    return h->shielded != NULL;
}

/* The most frequent reason why consolidateAfter protects a node no more. */
static inline bool quiet_for_long(const scheduler *s, const state_node *n)
{
    if (n->pool == NO_ID || n->claim == NO_ID) return true;
    int64_t since = s->snapshot->raw.claims.items[n->claim].last_pod_event;
    int64_t after = s->snapshot->raw.pools.items[n->pool].consolidate_after;
    return since != KARP_NO_TIME && instant_after(since, after) <= s->settings.now;
}

static bool list_host(scheduler *s, uint32_t number)
{
    const state_node *n = &s->snapshot->nodes[number];
    uint32_t at = s->hosts.count++;
    host *h = &s->hosts.items[at];
    *h = (host){ .node = number,
                 .number = host_number_of_text(s, n->hostname),
                 .set = n->set,
                 .shielded = s->settings.shield && !quiet_for_long(s, n) &&
                             under_consolidate_after(s->snapshot, n, s->settings.now) };
    s->hosts.of_node[number] = at;
    return h->number != NO_ID && (!h->shielded || note_shielded(s, at));
}

static void note_marked(scheduler *s, uint32_t number)
{
    const state_node *n = &s->snapshot->nodes[number];
    s->hosts.of_node[number] = NO_ID;
    if (n->node != NO_ID) bits_set(s->hosts.marked_nodes, n->node);
    if (s->settings.shield) bits_set(s->hosts.marked_names, n->name);
}

/* The mean of the parts of cpu and memory that bound pods request; 0 for a node without them. */
static double used_part(const karp_snapshot *s, const state_node *n)
{
    static const char *const counted[] = { "cpu", "memory" };
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < n->allocatable.count; i++) {
        const resource_amount *a = &n->allocatable.items[i];
        uint32_t column = s->column_of[a->resource];
        int64_t all;
        if (!str_in_words(strings_get(&s->raw.resources, a->resource), counted, 2) || column == s->nowhere ||
            !amount_scale(a->value, s->units[a->resource], &all) || all <= 0)
            continue;
        sum += ((double)all - (double)n->available[column]) / (double)all;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

typedef struct by_use {
    const double *parts; /* by state node */
    bool fullest; /* comes first */
} by_use;

static int use_order(uint32_t a, uint32_t b, const void *user)
{
    const by_use *u = user;
    double x = u->parts[a], y = u->parts[b];
    if (x != y) return (x < y) != u->fullest ? -1 : 1;
    return a < b ? -1 : 1; /* by name */
}

/* Previews P-2 and P-3: within those that are initialized, and within the others. What this decision places does not
 * change the order. */
static bool order_by_use(scheduler *s, uint32_t *nodes, uint32_t count)
{
    bool fullest = in_force(s, RULE_MOST_ALLOCATED);
    double *parts = arena_alloc(&s->data, (s->snapshot->node_count + (size_t)1) * sizeof *parts);
    if (parts == NULL) return false;
    for (uint32_t i = 0; i < count; i++) parts[nodes[i]] = used_part(s->snapshot, &s->snapshot->nodes[nodes[i]]);
    return sort_ids(s->context, nodes, count, use_order, &(by_use){ parts, fullest });
}

/* State nodes are sorted by name; those that are not initialized come last. */
static bool list_hosts(scheduler *s, uint32_t *first, uint32_t *later)
{
    const karp_snapshot *snapshot = s->snapshot;
    const bool by_name = !in_force(s, RULE_MOST_ALLOCATED) && !in_force(s, RULE_LEAST_ALLOCATED);
    uint32_t count = 0, ready = 0;
    bool ok = true;
    for (uint32_t i = 0; i < snapshot->node_count && ok; i++) {
        const state_node *n = &snapshot->nodes[i];
        enum { AHEAD = 8 };
        if (i + AHEAD * 2 < snapshot->node_count) __builtin_prefetch(&snapshot->nodes[i + AHEAD * 2]);
        if (s->settings.shield && i + AHEAD < snapshot->node_count && snapshot->nodes[i + AHEAD].claim != NO_ID)
            __builtin_prefetch(&snapshot->raw.claims.items[snapshot->nodes[i + AHEAD].claim].last_pod_event);
        if (n->marked) note_marked(s, i);
        else if (!n->initialized) later[count++] = i;
        else if (by_name) ok = list_host(s, i);
        else first[ready++] = i;
    }
    if (!by_name) ok = ok && order_by_use(s, first, ready) && order_by_use(s, later, count);
    for (uint32_t i = 0; i < ready && ok; i++) ok = list_host(s, first[i]);
    for (uint32_t i = 0; i < count && ok; i++) ok = list_host(s, later[i]);
    return ok;
}

bool hosts_init(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    size_t nodes = snapshot->node_count + (size_t)1;
    s->topology.host_of_text = arena_array(&s->data, snapshot->raw.text.count + 1, sizeof *s->topology.host_of_text);
    s->hosts.marked_nodes = arena_array(&s->data, bits_words(snapshot->raw.nodes.count + 1),
                                        sizeof *s->hosts.marked_nodes);
    s->hosts.items = arena_alloc(&s->data, nodes * sizeof *s->hosts.items);
    s->hosts.marked_names = s->settings.shield ? arena_array(&s->data, bits_words(snapshot->raw.names.count),
                                                             sizeof *s->hosts.marked_names)
                                               : NULL;
    s->hosts.of_node = arena_alloc(&s->data, nodes * sizeof *s->hosts.of_node);
    uint32_t *later = arena_alloc(&s->data, 2 * nodes * sizeof *later);
    return s->topology.host_of_text != NULL && s->hosts.marked_nodes != NULL && s->hosts.items != NULL &&
           s->hosts.of_node != NULL && later != NULL && host_numbers_reserve(s, nodes) &&
           (!s->settings.shield || s->hosts.marked_names != NULL) && list_hosts(s, later + nodes, later);
}

taint_list taints_of_node(const scheduler *s, const state_node *n)
{
    return in_force(s, RULE_REBOOTING) ? n->taints_since_reboots : n->taints;
}

/* Whether the daemon would run on the node. Undefined labels are not allowed, and only the remaining OR-terms count
 * (Q-1). */
static bool daemon_on_node(scheduler *s, const struct daemon_view *d, const state_node *n)
{
    uint32_t host_text = label_get(n->labels, s->snapshot->known.hostname);
    uint32_t last = quirk(s, 1) ? d->first_term + 1 : d->term_count;
    if (d->refused || !taints_tolerated(s->snapshot, d->tolerations, taints_of_node(s, n))) return false;
    for (uint32_t t = quirk(s, 1) ? d->first_term : 0; t < last; t++) {
        if (host_allowed(s, d->terms[t].host, host_text) && set_compatible(&s->algebra, n->set, d->terms[t].set, false))
            return true;
    }
    return false;
}

static void add_vector(int64_t *into, const int64_t *v, uint32_t dims)
{
    const int64_t most = INT64_C(1) << 61;
    for (uint32_t d = 0; d < dims; d++) into[d] = into[d] + v[d] > most ? most : into[d] + v[d];
}

/* reserve = the requests of the node's daemons minus those of daemon pods running on it, at least 0. Vectors over all
 * resources. */
static void daemon_reserve(scheduler *s, const state_node *n, const int64_t *requests, int64_t *reserve,
                           int64_t *running)
{
    const karp_snapshot *snapshot = s->snapshot;
    memset(reserve, 0, snapshot->dims * sizeof *reserve);
    memset(running, 0, snapshot->dims * sizeof *running);
    for (uint32_t i = 0; i < snapshot->daemon_count; i++) {
        if (daemon_on_node(s, &s->templates.daemons[i], n))
            add_vector(reserve, requests + (size_t)i * snapshot->dims, snapshot->dims);
    }
    const pod_class *classes = snapshot->held != NULL ? snapshot->held : snapshot->classes;
    bool some = false;
    for (uint32_t d = 0; d < snapshot->dims; d++) some = some || reserve[d] > 0;
    for (uint32_t i = 0; some && i < n->pod_count; i++) {
        if (!(pod_at(&snapshot->raw, n->pods[i])->flags & POD_OF_DAEMON_SET)) continue;
        add_vector(running, classes[snapshot->pod_class[n->pods[i]]].requests, snapshot->dims);
    }
    for (uint32_t d = 0; d < snapshot->dims; d++) reserve[d] = reserve[d] > running[d] ? reserve[d] - running[d] : 0;
}

/* Without daemons. A resource that the node does not have is 0. */
static void leave_all(const scheduler *s, const state_node *n, host *t)
{
    for (uint32_t d = 0; d < s->vectors.dims; d++) t->left[d] = n->available[s->vectors.columns[d]];
    t->negative = n->overfull;
}

/* Devices serve these resources. */
static void leave_served(const scheduler *s, const state_node *n, host *t)
{
    for (uint32_t d = 0; d < s->vectors.dims; d++) {
        if (is_served(s, d) && amount_sign(resource_list_get(n->allocatable, s->vectors.resources[d])) <= 0)
            t->left[d] = MOST_UNITS;
    }
}

bool hosts_reserve(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    size_t bytes = ((size_t)snapshot->daemon_count + 2) * snapshot->dims * sizeof(int64_t);
    int64_t *requests = mem_zalloc(s->context, bytes);
    bool all_left = snapshot->daemon_count == 0 && snapshot->nowhere == NO_ID;
    size_t entries = (s->hosts.count + (size_t)1) * s->vectors.dims;
    int64_t *left = all_left ? arena_alloc(&s->data, entries * sizeof *left)
                             : arena_array(&s->data, entries, sizeof *left);
    s->hosts.before = left;
    if (requests == NULL || left == NULL) {
        mem_free(s->context, requests, bytes);
        return false;
    }
    int64_t *reserve = requests + (size_t)snapshot->daemon_count * snapshot->dims, *running = reserve + snapshot->dims;
    for (uint32_t i = 0; i < snapshot->daemon_count; i++)
        vector_of(snapshot, snapshot->daemons[i].shape->requests, requests + (size_t)i * snapshot->dims);
    for (uint32_t h = 0; h < s->hosts.count; h++) {
        const state_node *n = &snapshot->nodes[s->hosts.items[h].node];
        host *t = &s->hosts.items[h];
        enum { AHEAD = 8 }; /* prefetch distance in nodes */
        if (h + AHEAD < s->hosts.count) __builtin_prefetch(snapshot->nodes[s->hosts.items[h + AHEAD].node].available);
        t->left = left + (size_t)h * s->vectors.dims;
        if (all_left) {
            leave_all(s, n, t);
            if (s->vectors.device_class != NULL) leave_served(s, n, t);
            continue;
        }
        if (snapshot->daemon_count > 0) daemon_reserve(s, n, requests, reserve, running);
        for (uint32_t i = 0; i < n->allocatable.count; i++) { /* only resources that the node has can be used up */
            uint32_t named = n->allocatable.items[i].resource, r = snapshot->column_of[named],
                     d = s->vectors.index_of[named];
            int64_t rest = n->available[r] - reserve[r];
            if (rest < 0) t->negative = true;
            if (d != NO_ID && s->vectors.resources[d] == named) t->left[d] = rest;
        }
        if (s->vectors.device_class != NULL) leave_served(s, n, t);
    }
    mem_free(s->context, requests, bytes);
    return true;
}

void hosts_free(scheduler *s)
{
    if (!s->hosts.loaded) return;
    for (uint32_t h = 0; h < s->hosts.count; h++) {
        mem_free(s->context, s->hosts.items[h].ports, s->hosts.items[h].port_capacity * sizeof(port_use));
        volumes_free(s, &s->hosts.items[h]);
    }
}

/* ---- one node ---------------------------------------------------------------------------------------------------- */

/* Loads the ports of pods bound to the node, when the first pod with ports is checked. */
static bool load_ports(scheduler *s, host *h)
{
    const karp_snapshot *snapshot = s->snapshot;
    const state_node *n = &snapshot->nodes[h->node];
    if (h->ports_loaded) return true;
    h->ports_loaded = s->hosts.loaded = true;
    for (uint32_t i = 0; i < n->pod_count; i++) {
        const shape *bound = shape_of(snapshot, snapshot->pod_class[n->pods[i]]);
        if (!ports_take(s, &h->ports, &h->port_count, &h->port_capacity, n->pods[i], bound->ports)) return false;
    }
    h->ports_bound = h->port_count;
    return true;
}

static pod_place place_of(const scheduler *s, const host *h, uint32_t set)
{
    const state_node *n = &s->snapshot->nodes[h->node];
    return (pod_place){
        .set = set, .host = h->number, .host_text = n->hostname, .taints = taints_of_node(s, n), .lenient = false
    };
}

/* Checks what Karpenter accepts because of quirks. A label that the node lacks counts as known after a pod excluded a
 * value of it. Contradictory requirements count as a requirement that the label is absent. */
static bool truly_settled(scheduler *s, const host *h, const view *v, uint32_t set)
{
    const state_node *n = &s->snapshot->nodes[h->node];
    if (!quirk(s, 36) &&
        (!set_compatible(&s->algebra, n->set, v->full.set, false) || !set_compatible(&s->algebra, n->set, set, false)))
        return false;
    return quirk(s, 37) ||
           (set_compatible(&s->algebra, h->set, v->strict.set, false) && !topology_contradicts(s, v, set));
}

/* The first volume alternative that topology allows. *set receives the narrowed requirements. */
static uint32_t settle_requirements(scheduler *s, const host *h, const view *v, uint32_t *set)
{
    static const demand unconstrained = { EMPTY_SET, NO_ID };
    const pod_class *c = &s->snapshot->classes[v->class_];
    uint32_t host_text = s->snapshot->nodes[h->node].hostname, reason = KARP_REASON_VOLUME;
    uint32_t base = set_meet(&s->algebra, h->set, v->full.set),
             count = c->alternative_count > 0 ? c->alternative_count : 1;
    for (uint32_t i = 0; i < count; i++) {
        demand d = c->alternative_count > 0 ? c->alternatives[i] : unconstrained;
        reason = KARP_REASON_VOLUME;
        if (!host_allowed(s, d.host, host_text) || !set_compatible(&s->algebra, base, d.set, false)) continue;
        pod_place at = place_of(s, h, set_meet(&s->algebra, base, d.set));
        reason = KARP_REASON_TOPOLOGY;
        if (!topology_admit(s, v, &at, set)) continue;
        if (truly_settled(s, h, v, *set)) return KARP_REASON_NONE;
        reason = KARP_REASON_REQUIREMENTS;
    }
    return reason;
}

static bool host_fits(const scheduler *s, const host *h, const class_state *k)
{
    if (k->requested == NULL) return vector_fits(h->left, k->requests, s->vectors.dims);
    for (uint32_t i = 0; i < k->requested_count; i++) {
        if (k->requests[k->requested[i]] > h->left[k->requested[i]]) return false;
    }
    return true;
}

/* The checks in Karpenter's order. *lasting: the rejection is valid for the rest of the run. */
static uint32_t refusal(scheduler *s, host *h, uint32_t pod_number, const view *v, uint32_t *set, bool *lasting)
{
    const karp_snapshot *snapshot = s->snapshot;
    const state_node *n = &snapshot->nodes[h->node];
    const shape *p = shape_of(snapshot, v->class_);
    *lasting = true;
    if (!taints_tolerated(s->snapshot, v->tolerations, taints_of_node(s, n))) {
        *lasting = v->next == LAST_VIEW; /* a relaxed view may tolerate more */
        return KARP_REASON_TAINTS;
    }
    if (!volumes_within(s, h, v->class_)) return KARP_REASON_VOLUME_LIMIT;
    *lasting = false;
    if (p->ports.count > 0 && (!load_ports(s, h) || ports_clash(h->ports, h->port_count, pod_number, p->ports)))
        return KARP_REASON_HOST_PORT;
    if (h->negative && quirk(s, 24)) {
        *lasting = true;
        return KARP_REASON_RESOURCES;
    }
    if (!host_fits(s, h, &s->pods.classes[v->class_])) {
        *lasting = true;
        return KARP_REASON_RESOURCES;
    }
    if (!host_allowed(s, v->full.host, n->hostname) || !set_compatible(&s->algebra, h->set, v->full.set, false))
        return KARP_REASON_REQUIREMENTS;
    uint32_t reason = settle_requirements(s, h, v, set);
    if (reason == KARP_REASON_NONE && class_needs_devices(s, v->class_))
        reason = devices_on_host(s, (uint32_t)(h - s->hosts.items), v->class_);
    return reason;
}

static bool take(scheduler *s, uint32_t host_index, uint32_t pod_number, const view *v, uint32_t set)
{
    host *h = &s->hosts.items[host_index];
    const int64_t *requests = s->pods.classes[v->class_].requests;
    if (!round_touch(s, host_index)) return false;
    if (s->saving.depth > 0 && !savepoint_note_host(s, host_index, requests)) return false;
    if (s->gangs != NULL && !hosts_changed(s, host_index, false)) return false;
    for (uint32_t d = 0; d < s->vectors.dims; d++) h->left[d] -= requests[d];
    h->set = set;
    h->received++;
    placement_put(s, pod_number, (place){ host_index, PLACE_HOST });
    pod_place at = place_of(s, h, set);
    topology_record(s, v, &at);
    const shape *p = shape_of(s->snapshot, v->class_);
    if (class_needs_devices(s, v->class_)) devices_take_host(s);
    if (p->ports.count > 0 && !ports_take(s, &h->ports, &h->port_count, &h->port_capacity, pod_number, p->ports))
        return false;
    return volumes_take(s, h, v->class_);
}

/* Only pods that are already pending, or that have to leave their node anyway, may use nodes protected by
 * consolidateAfter. The name of a node being deleted is the one in the cluster state: that of its NodeClaim while it
 * has no Node or is not registered. */
bool hosts_exempt(const scheduler *s, uint32_t pod_number)
{
    const pod *p = pod_at(&s->snapshot->raw, pod_number);
    return p->phase == KARP_PHASE_PENDING ||
           (p->node != NO_ID && s->settings.shield && bits_test(s->hosts.marked_names, p->node));
}

bool hosts_changed(scheduler *s, uint32_t host_index, bool restored)
{
    struct host_changes *k = &s->hosts.changes;
    if (k->ring == NULL) k->ring = arena_alloc(&s->data, CHANGES_KEPT * sizeof *k->ring);
    if (k->ring == NULL) return mem_refused(&s->failed);
    k->ring[k->count++ % CHANGES_KEPT] = host_index << 1 | restored;
    return true;
}

/* Opens nodes that were closed in an earlier round, or that got back what they had before. */
static void reopen_hosts(scheduler *s, class_state *c)
{
    const struct host_changes *k = &s->hosts.changes;
    if (c->closed_in != s->round.began_as || k->count - c->changes_known > CHANGES_KEPT) {
        memset(c->closed_hosts, 0, bits_words(s->hosts.count) * sizeof *c->closed_hosts);
    } else {
        for (uint64_t i = c->changes_known; i < k->count; i++) {
            uint32_t change = k->ring[i % CHANGES_KEPT];
            if (change & 1) bits_clear(c->closed_hosts, change >> 1);
        }
    }
    c->closed_in = s->round.began_as;
    c->changes_known = k->count;
}

/* The class's bits of nodes, created on first use. */
static bool open_hosts_of(scheduler *s, class_state *c)
{
    if (c->refused_hosts == NULL) {
        size_t width = bits_words(s->hosts.count);
        c->refused_hosts = arena_array(&s->data, width, sizeof *c->refused_hosts);
        c->closed_hosts = arena_array(&s->data, width, sizeof *c->closed_hosts);
        if (c->refused_hosts == NULL || c->closed_hosts == NULL) return mem_refused(&s->failed);
    }
    class_begin_round(s, c);
    if (c->closed_in != s->round.began_as || c->changes_known != s->hosts.changes.count) reopen_hosts(s, c);
    return true;
}

/* The nodes whose counts rejected the view in this round, read-only; NULL = none. */
static const uint64_t *barred_hosts_of(const scheduler *s, uint32_t view_number)
{
    const view *v = &s->pods.views.items[view_number];
    return v->barred_round == s->round.number ? v->barred_hosts : NULL;
}

static void bar_host(scheduler *s, uint32_t view_number, uint32_t host_index)
{
    view *v = &s->pods.views.items[view_number];
    if (v->barred_round != s->round.number) {
        v->barred_hosts = arena_array(&s->round.data, bits_words(s->hosts.count), sizeof *v->barred_hosts);
        v->barred_round = s->round.number;
    }
    if (v->barred_hosts != NULL) bits_set(v->barred_hosts, host_index);
    else s->failed = true;
}

/* After topology rejected the node: if the node's own count did, records that this remains so for the rest of the
 * round. */
static void note_count(scheduler *s, uint32_t host_index, uint32_t view_number)
{
    const host *h = &s->hosts.items[host_index];
    const view *v = &s->pods.views.items[view_number];
    enum host_refusal lasting = REFUSED_ONCE;
    if (topology_admits_host(s, v, h->number, s->snapshot->nodes[h->node].hostname, &lasting)) return;
    if (lasting == REFUSED_THE_CLASS) bits_set(s->pods.classes[v->class_].closed_hosts, host_index);
    else if (lasting == REFUSED_THE_VIEW) bar_host(s, view_number, host_index);
}

/* Of 64 nodes, those that may still take a pod of the view. */
static uint64_t still_open(const scheduler *s, uint32_t view_number, size_t word)
{
    const class_state *c = &s->pods.classes[s->pods.views.items[view_number].class_];
    const uint64_t *barred = barred_hosts_of(s, view_number);
    uint64_t open = s->hosts.offered[word] & ~(c->refused_hosts[word] | c->closed_hosts[word]);
    return barred == NULL ? open : open & ~barred[word];
}

bool hosts_remain(scheduler *s, uint32_t view_number)
{
    uint32_t class_number = s->pods.views.items[view_number].class_;
    if (s->hosts.count == 0 || !s->snapshot->classes[class_number].counts_volumes) return false;
    if (!open_hosts_of(s, &s->pods.classes[class_number])) return true;
    for (size_t w = 0; w < bits_words(s->hosts.count); w++) {
        if (still_open(s, view_number, w) != 0) return true;
    }
    return false;
}

enum { WORK_OF_64_HOSTS = 4096 };

bool hosts_place(scheduler *s, uint32_t pod_number, uint32_t view_number)
{
    if (s->hosts.count == 0) return false;
    view v = s->pods.views.items[view_number];
    class_state *c = &s->pods.classes[v.class_];
    if (!s->snapshot->classes[v.class_].counts_volumes) return false;
    if (!open_hosts_of(s, c)) return false;
    bool may_enter_shielded = hosts_exempt(s, pod_number);
    size_t width = bits_words(s->hosts.count);
    for (size_t w = 0; w < width && !s->failed; w++) {
        uint64_t open = still_open(s, view_number, w);
        if (s->hosts.shielded != NULL && !may_enter_shielded) open &= ~s->hosts.shielded[w];
        if (open != 0 && !scheduler_worked(s, WORK_OF_64_HOSTS)) return false;
        for (; open != 0; open &= open - 1) {
            uint32_t i = (uint32_t)(w * 64 + (size_t)__builtin_ctzll(open)), set = EMPTY_SET;
            bool lasting;
            host *h = &s->hosts.items[i];
            if (!host_fits(s, h, c)) { /* the most frequent case, which also lasts */
                bits_set(h->touched ? c->closed_hosts : c->refused_hosts, i);
                continue;
            }
            uint32_t reason = refusal(s, h, pod_number, &v, &set, &lasting);
            if (reason == KARP_REASON_NONE) return take(s, i, pod_number, &v, set);
            if (reason == KARP_REASON_TOPOLOGY) note_count(s, i, view_number);
            if (lasting) bits_set(h->touched ? c->closed_hosts : c->refused_hosts, i);
            if (s->failed) return false;
        }
    }
    return false;
}

bool hosts_place_on(scheduler *s, uint32_t host_index, uint32_t pod_number, uint32_t view_number)
{
    view v = s->pods.views.items[view_number];
    host *h = &s->hosts.items[host_index];
    uint32_t set = EMPTY_SET;
    bool lasting;
    if (!s->snapshot->classes[v.class_].counts_volumes || (h->shielded && !hosts_exempt(s, pod_number)) ||
        !open_hosts_of(s, &s->pods.classes[v.class_]) || !bits_test(s->hosts.offered, host_index))
        return false;
    return refusal(s, h, pod_number, &v, &set, &lasting) == KARP_REASON_NONE &&
           take(s, host_index, pod_number, &v, set);
}

bool host_stays(const scheduler *s, uint32_t host_index) { return bits_test(s->hosts.offered, host_index); }

uint32_t host_refusal(scheduler *s, uint32_t host_index, uint32_t pod_number, uint32_t view_number)
{
    view v = s->pods.views.items[view_number];
    uint32_t set = EMPTY_SET;
    bool lasting;
    if (s->hosts.items[host_index].shielded && !hosts_exempt(s, pod_number)) return KARP_REASON_CONSOLIDATE_AFTER;
    return refusal(s, &s->hosts.items[host_index], pod_number, &v, &set, &lasting);
}

/* Cached results of some nodes for a view, apart from their amounts: see answers_alike(). */
enum { ANSWERS_KEPT = 64 };
struct host_answers {
    bool alike;
    struct host_answer {
        const taint *taints;
        uint32_t taint_count, set;
        bool known, open, narrows;
    } of[ANSWERS_KEPT];
};

static struct host_answer *answer_of(const scheduler *s, struct host_answers *all, const host *h)
{
    taint_list taints = taints_of_node(s, &s->snapshot->nodes[h->node]);
    struct host_answer *a = &all->of[h->set % ANSWERS_KEPT];
    if (a->known && a->set == h->set && a->taints == taints.items && a->taint_count == taints.count) return a;
    *a = (struct host_answer){ .taints = taints.items, .taint_count = taints.count, .set = h->set };
    return a;
}

/* Whether nodes with equal requirements and taints give the view the same result. The other properties that refusal()
 * reads, apart from amounts, are the host name, ports, volumes, and the counts of topology groups. */
static bool answers_alike(const scheduler *s, const view *v)
{
    const label_group *k = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    const shape *p = shape_of(s->snapshot, v->class_);
    return v->full.host == NO_ID && v->strict.host == NO_ID && p->ports.count == 0 &&
           !class_needs_devices(s, v->class_) && !s->volumes.limited &&
           s->snapshot->classes[v->class_].alternative_count == 0 && v->owned_count == 0 && k->barred_count == 0;
}

struct host_answers *host_answers_new(scheduler *s, uint32_t view_number)
{
    struct host_answers *all = arena_array(&s->data, 1, sizeof *all);
    if (all == NULL) s->failed = true;
    else all->alike = answers_alike(s, &s->pods.views.items[view_number]);
    return all;
}

/* Whether the host accepts a pod of the view apart from its amounts. */
static const struct host_answer *answer(scheduler *s, uint32_t view_number, struct host_answers *all, host *h)
{
    struct host_answer *a = answer_of(s, all, h);
    if (a->known && all->alike) return a;
    view v = s->pods.views.items[view_number];
    uint32_t set = EMPTY_SET;
    bool lasting;
    a->known = true;
    a->open = refusal(s, h, NO_ID, &v, &set, &lasting) == KARP_REASON_NONE;
    a->narrows = a->open && set != h->set;
    return a;
}

uint32_t hosts_next_open(scheduler *s, uint32_t view_number, struct host_answers *answers, bool everywhere,
                         uint32_t from, bool *narrows)
{
    const int64_t *requests = s->pods.classes[s->pods.views.items[view_number].class_].requests;
    const uint32_t dims = s->vectors.dims;
    for (uint32_t i = from; i < s->hosts.count && !s->failed; i++) {
        host *h = &s->hosts.items[i];
        if (!vector_fits(s->hosts.before + (size_t)i * dims, requests, dims)) continue; /* the most frequent case */
        if ((h->negative && quirk(s, 24)) || (h->shielded && !everywhere)) continue;
        const struct host_answer *a = answer(s, view_number, answers, h);
        if (!a->open) continue;
        *narrows = a->narrows;
        return i;
    }
    return NO_ID;
}
