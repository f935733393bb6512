/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of a snapshot that continues another. State nodes that changed, and those with
 * added, removed or changed pods, are made again in a frame on top of the existing one. All others are reused.
 */

#include <base/bisect.h>
#include <base/bits.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/frame.h>
#include <model/reuse_pods.h>

/* ---- changed Nodes and NodeClaims -------------------------------------------------------------------------------- */

/* Calls `see` once for each index in the list of Nodes, or of NodeClaims, at which an object was added, replaced or
 * removed. `before` and `now` are the lengths of the lists. false = a call returned false. */
static bool each_changed(const karp_snapshot *s, enum kind kind, size_t before, size_t now,
                         bool (*see)(void *user, uint32_t index), void *user)
{
    for (size_t i = 0; i < s->raw.changed_objects.count; i++) {
        uint64_t changed = s->raw.changed_objects.items[i];
        uint32_t index = (uint32_t)changed;
        if (changed >> 32 == kind && index < now && !see(user, index)) return false;
    }
    for (size_t i = now; i < before; i++) {
        if (!see(user, (uint32_t)i)) return false;
    }
    return true;
}

struct finding {
    struct reused_node_state *f;
    karp_snapshot *s;
    const karp_snapshot *before;
    algebra known; /* a copy of the algebra of the snapshot before, with the current strings; nothing is added to it */
};

static void put_provider(struct finding *c, uint32_t provider)
{
    if (provider != 0) bits_set(c->f->providers, provider);
}

static bool set_known(const struct finding *c, label_list labels)
{
    return known_set_of_labels(&c->known, labels, c->s->of_nodes) != NO_ID;
}

/* Whether the pods on a Node that is new in the cluster state do not prevent it from being added (S-Q35). */
static bool pods_counted(const struct finding *c, const node *was)
{
    const struct node_pods *on = &c->before->bound[was - c->before->raw.nodes.items];
    bool counted = true;
    for (uint32_t i = 0; i < on->count && counted; i++)
        counted = c->before->classes[c->before->pod_class[on->items[i]]].counts_volumes;
    return counted;
}

/* Whether a Node that was replaced is in the same pair as before. */
static bool node_stays(const struct finding *c, uint32_t index)
{
    const store *was = &c->before->raw, *now = &c->s->raw;
    if (index >= was->nodes.count || index >= now->nodes.count) return false;
    const node *a = &was->nodes.items[index], *b = &now->nodes.items[index];
    return a->meta.name == b->meta.name && node_provider(a) == node_provider(b) &&
           node_is_known(c->s, a) == node_is_known(c->s, b);
}

static bool claim_stays(const struct finding *c, uint32_t index)
{
    const store *was = &c->before->raw, *now = &c->s->raw;
    if (index >= was->claims.count || index >= now->claims.count) return false;
    const node_claim *a = &was->claims.items[index], *b = &now->claims.items[index];
    return a->meta.name == b->meta.name && a->provider_id == b->provider_id;
}

/* false = the node state cannot be reused. */
static bool see_node(void *user, uint32_t index)
{
    struct finding *c = user;
    c->f->in_place = c->f->in_place && node_stays(c, index);
    if (index < c->before->raw.nodes.count) {
        const node *was = &c->before->raw.nodes.items[index];
        put_provider(c, node_provider(was));
        if (!pods_counted(c, was)) return false;
    }
    if (index >= c->s->raw.nodes.count) return true;
    const node *now = &c->s->raw.nodes.items[index];
    bool new = store_find(&c->before->raw, KIND_NODE, NO_TEXT, now->meta.name) == NO_ID;
    if (new && c->before->orphan_pods > 0) return false; /* these pods may have been on this node */
    put_provider(c, node_provider(now));
    return units_count_provided(c->before, now->allocatable) && units_count_provided(c->before, now->capacity) &&
           set_known(c, now->meta.labels);
}

static bool see_claim(void *user, uint32_t index)
{
    struct finding *c = user;
    c->f->in_place = c->f->in_place && claim_stays(c, index);
    const node_claim *was = index < c->before->raw.claims.count ? &c->before->raw.claims.items[index] : NULL;
    if (was != NULL) put_provider(c, was->provider_id);
    if (index >= c->s->raw.claims.count) return true;
    const node_claim *now = &c->s->raw.claims.items[index];
    put_provider(c, now->provider_id);
    if (was != NULL && was->allocatable.items == now->allocatable.items && was->capacity.items == now->capacity.items)
        return true; /* only its status has changed */
    return units_count_provided(c->before, now->allocatable) && units_count_provided(c->before, now->capacity);
}

/* The pairs to make again, in the order that they had, if each of them keeps its name. false = out of memory. */
static bool take_pairs(struct finding *c)
{
    struct reused_node_state *f = c->f;
    for (uint32_t i = 0; i < c->before->node_count && f->in_place; i++) {
        const state_node *was = &c->before->nodes[i];
        if (!bits_test(f->providers, was->provider)) continue;
        state_node *n = list_push(c->s->context, &f->made, sizeof *n);
        if (n == NULL) return false;
        n->node = was->node;
        n->claim = was->claim;
        n->provider = was->provider;
        f->in_place = state_node_identify(c->s, n) && n->name == was->name;
    }
    if (!f->in_place) f->made.count = 0;
    return true;
}

/* With node states in the input, a pair with another name could come into the cluster state. */
static bool choose_pairs(struct finding *c)
{
    struct reused_node_state *f = c->f;
    f->in_place = f->in_place && !c->s->raw.states_given;
    return take_pairs(c) && (f->in_place || state_nodes_choose(c->s, f->providers, &f->made));
}

static bool make_node_states(struct finding *c, bool *fits)
{
    struct reused_node_state *f = c->f;
    if (!choose_pairs(c)) return false;
    for (size_t i = 0; i < f->made.count && *fits; i++) {
        state_node *n = &f->made.items[i];
        n->set = known_set_of_labels(&c->known, n->labels, c->s->of_nodes);
        *fits = n->set != NO_ID;
        if (*fits && !state_node_fill(c->s, n, &f->data)) return false;
    }
    return true;
}

karp_status reused_node_state_find(struct reused_node_state *f, karp_snapshot *s, bool *fits, karp_error *error)
{
    struct finding c = { .f = f, .s = s, .before = s->reused->before, .known = s->reused->before->algebra };
    const uint32_t kinds = UINT32_C(1) << KIND_NODE | UINT32_C(1) << KIND_NODE_CLAIM;
    *fits = true;
    if ((s->raw.touched & kinds) == 0) return KARP_OK;
    f->any = f->in_place = true;
    c.known.facts = &s->facts;
    f->provider_words = bits_words(s->raw.names.count) + 1;
    f->providers = mem_zalloc(s->context, f->provider_words * sizeof *f->providers);
    arena_init(&f->data, s->context);
    if (f->providers == NULL) return fail_nomem(error);
    *fits = c.before->remaining == NULL &&
            each_changed(s, KIND_NODE, c.before->raw.nodes.count, s->raw.nodes.count, see_node, &c) &&
            each_changed(s, KIND_NODE_CLAIM, c.before->raw.claims.count, s->raw.claims.count, see_claim, &c);
    return *fits && !make_node_states(&c, fits) ? fail_nomem(error) : KARP_OK;
}

void reused_node_state_free(struct reused_node_state *f, karp_context *context)
{
    if (!f->any) return;
    mem_free(context, f->providers, f->provider_words * sizeof *f->providers);
    list_free(context, &f->made, sizeof(state_node));
    arena_free(&f->data);
}

struct continuing {
    karp_snapshot *s;
    const karp_snapshot *before;
    uint32_t *nodes; /* store nodes whose pods changed, ascending */
    size_t node_count;
    const struct reused_node_state *node_state;
    uint32_t *fresh; /* fresh pods on nodes, by node and name */
    size_t fresh_count;
    uint32_t *made_at; /* the positions of the state nodes that were made again */
    uint32_t gone_pods; /* number of pods on removed Nodes */
    size_t room; /* capacity of `nodes`; `fresh` has half of it */
    bool moved; /* some pod is on a different node than the pod that was in its place */
};

static int by_node_and_name(uint32_t a, uint32_t b, const void *user)
{
    const karp_snapshot *s = user;
    if (s->pod_node[a] != s->pod_node[b]) return s->pod_node[a] < s->pod_node[b] ? -1 : 1;
    return s->pod_rank[a] < s->pod_rank[b] ? -1 : s->pod_rank[a] > s->pod_rank[b];
}

/* ---- nodes of changed pods --------------------------------------------------------------------------------------- */

static uint32_t node_of(const store *raw, const pod *p)
{
    return p->node == NO_ID ? NO_ID : store_find(raw, KIND_NODE, NO_TEXT, p->node);
}

/* Records the node of a pod that was removed (now = false) or added. */
static void note(struct continuing *c, const pod *p, uint32_t on, bool now)
{
    if (on != NO_ID) c->nodes[c->node_count++] = on;
    if (on == NO_ID && p->node != NO_ID) now ? c->s->orphan_pods++ : c->s->orphan_pods--;
}

static bool find_nodes(struct continuing *c)
{
    karp_snapshot *s = c->s;
    const struct reused_pods *k = s->reused;
    const uint32_t *was = c->before->pod_node;
    size_t began = c->before->raw.pods.count;
    c->moved = c->moved || k->count != began;
    for (size_t i = 0; i < k->gone_count; i++) {
        const pod *p = pod_at(&c->before->raw, k->gone[i]);
        note(c, p, node_of(&s->raw, p), false);
    }
    for (size_t i = 0; i < k->fresh_count; i++) {
        const pod *p = pod_at(&s->raw, k->fresh[i]);
        uint32_t on = node_of(&s->raw, p);
        note(c, p, on, true);
        if (k->fresh[i] >= began || was[k->fresh[i]] != on) c->moved = true;
        if (on != NO_ID) c->fresh[c->fresh_count++] = k->fresh[i];
    }
    return sort_numbers_once(s->context, c->nodes, &c->node_count);
}

/* ---- changed Nodes ----------------------------------------------------------------------------------------------- */

/* The current index of a Node; NO_ID = it was removed. */
static uint32_t place_now(const struct continuing *c, uint32_t was)
{
    return store_find(&c->s->raw, KIND_NODE, NO_TEXT, c->before->raw.nodes.items[was].meta.name);
}

/* The pods of a removed Node become orphan pods. */
static bool note_moved(void *user, uint32_t was)
{
    struct continuing *c = user;
    if (was >= c->before->raw.nodes.count) return true;
    uint32_t now = place_now(c, was);
    if (now == was || c->before->bound[was].count == 0) return true;
    c->moved = true;
    if (now == NO_ID) c->gone_pods += c->before->bound[was].count;
    return true;
}

static bool move_pods(void *user, uint32_t was)
{
    struct continuing *c = user;
    if (was >= c->before->raw.nodes.count) return true;
    uint32_t now = place_now(c, was);
    const struct node_pods *on = &c->before->bound[was];
    for (uint32_t i = 0; now != was && i < on->count; i++) {
        if (on->items[i] < c->s->reused->count) c->s->pod_node[on->items[i]] = now;
    }
    return true;
}

static bool move_bound(void *user, uint32_t now)
{
    struct continuing *c = user;
    karp_snapshot *s = c->s;
    if (now >= s->raw.nodes.count) return true;
    const node *n = &s->raw.nodes.items[now];
    uint32_t was = store_find(&c->before->raw, KIND_NODE, NO_TEXT, n->meta.name);
    s->bound[now] = was == NO_ID ? (struct node_pods){ NULL, 0 } : c->before->bound[was];
    s->node_sets[now] = known_set_of_labels(&s->algebra, n->meta.labels, s->of_nodes);
    return true;
}

static bool each_moved(struct continuing *c, bool (*see)(void *user, uint32_t index))
{
    return each_changed(c->s, KIND_NODE, c->before->raw.nodes.count, c->s->raw.nodes.count, see, c);
}

static bool write_pod_nodes(struct continuing *c)
{
    karp_snapshot *s = c->s;
    const struct reused_pods *k = s->reused;
    size_t began = c->before->raw.pods.count;
    if (!c->moved) {
        s->pod_node = block_ref(c->before->pod_node);
        return true;
    }
    s->pod_node = block_new(s->context, k->count + 1, sizeof *s->pod_node);
    if (s->pod_node == NULL) return false;
    memcpy(s->pod_node, c->before->pod_node, (began < k->count ? began : k->count) * sizeof *s->pod_node);
    if (!each_moved(c, move_pods)) return false;
    for (size_t i = 0; i < k->fresh_count; i++)
        s->pod_node[k->fresh[i]] = node_of(&s->raw, pod_at(&s->raw, k->fresh[i]));
    return true;
}

/* ---- pods of a node ---------------------------------------------------------------------------------------------- */

/* The pods that stay on the node merged with the fresh ones, by name. */
static bool list_pods(const struct continuing *c, uint32_t on, const uint32_t *fresh, size_t fresh_count, arena *to)
{
    karp_snapshot *s = c->s;
    const struct node_pods *was = &s->bound[on];
    uint32_t *items = arena_array(to, was->count + fresh_count, sizeof *items), count = 0;
    size_t f = 0;
    if (items == NULL) return false;
    for (uint32_t i = 0; i < was->count; i++) {
        uint32_t p = was->items[i];
        if (place_gone(s->reused, p)) continue;
        while (f < fresh_count && s->pod_rank[fresh[f]] < s->pod_rank[p]) items[count++] = fresh[f++];
        items[count++] = p;
    }
    while (f < fresh_count) items[count++] = fresh[f++];
    s->bound[on] = (struct node_pods){ items, count };
    return true;
}

static bool made_again(const struct continuing *c, const state_node *n)
{
    return c->node_state->any && bits_test(c->node_state->providers, n->provider);
}

static bool load_nodes(struct continuing *c, arena *to)
{
    karp_snapshot *s = c->s;
    size_t f = 0;
    for (size_t i = 0; i < c->node_count; i++) {
        uint32_t on = c->nodes[i];
        size_t first = f;
        while (f < c->fresh_count && s->pod_node[c->fresh[f]] == on) f++;
        if (!list_pods(c, on, c->fresh + first, f - first, to)) return false;
    }
    for (size_t i = 0; i < c->node_count; i++) {
        uint32_t at = s->node_of_name[c->nodes[i]];
        if (at == NO_ID || made_again(c, &s->nodes[at])) continue;
        if (!state_node_load(s, &s->nodes[at], to)) return false;
    }
    for (size_t i = 0; i < c->node_state->made.count; i++) {
        if (!state_node_load(s, &s->nodes[c->made_at[i]], to)) return false;
    }
    return true;
}

/* ---- gathering --------------------------------------------------------------------------------------------------- */

/* The pods of its Node have been copied already. */
static bool keep_node(const karp_snapshot *s, state_node *n, arena *to)
{
    const uint32_t *all = n->all_pods;
    taint_list *taints = &n->taints, *since = &n->taints_since_reboots;
    resource_list *amounts = &n->allocatable, *capacity = &n->capacity;
    n->available = arena_copy(to, n->available, s->dims * sizeof *n->available);
    taints->items = arena_copy(to, taints->items, taints->count * sizeof *taints->items);
    since->items = arena_copy(to, since->items, since->count * sizeof *since->items);
    amounts->items = arena_copy(to, amounts->items, amounts->count * sizeof *amounts->items);
    capacity->items = arena_copy(to, capacity->items, capacity->count * sizeof *capacity->items);
    if (n->node != NO_ID) {
        n->all_pods = s->bound[n->node].items;
        n->pods = n->pods == all ? n->all_pods : arena_copy(to, n->pods, n->pod_count * sizeof *n->pods);
    }
    return n->available != NULL && (n->node == NO_ID || n->pods != NULL) && taints->items != NULL &&
           since->items != NULL && amounts->items != NULL && capacity->items != NULL;
}

/* Copies what nodes point to into one frame, so that the former frames on top of the lowest can be freed. */
static bool gather_nodes(karp_snapshot *s)
{
    bool ok = true;
    arena to = arena_on(s->context);
    for (size_t i = 0; i < s->raw.nodes.count && ok; i++) {
        struct node_pods *on = &s->bound[i];
        on->items = arena_copy(&to, on->items, on->count * sizeof *on->items);
        ok = on->items != NULL;
    }
    for (uint32_t i = 0; i < s->node_count && ok; i++) ok = keep_node(s, &s->nodes[i], &to);
    ok = ok && frame_gather(s, &to);
    arena_free(&to);
    return ok;
}

/* ---- all nodes --------------------------------------------------------------------------------------------------- */

/* Reuses all node data. */
static void hold_nodes(karp_snapshot *s, const karp_snapshot *before)
{
    s->nodes = block_ref(before->nodes);
    s->node_count = before->node_count;
    s->bound = block_ref(before->bound);
    s->node_of_name = block_ref(before->node_of_name);
    s->node_sets = block_ref(before->node_sets);
    s->remaining = before->remaining;
    if (s->remaining == NULL) return;
    (void)block_ref(s->remaining->nodes);
    (void)block_ref(s->remaining->of_name);
}

/* The number of previous nodes that sort before a node that was made again. */
static uint32_t nodes_until(const struct continuing *c, const state_node *made)
{
    bisection b = bisect(c->before->node_count);
    while (bisecting(&b)) bisect_step(&b, state_nodes_by_name(c->s, made, &c->before->nodes[b.at]) >= 0);
    return (uint32_t)b.at;
}

/* Merges the unchanged nodes and those made again, by name. */
static void merge_nodes(struct continuing *c)
{
    karp_snapshot *s = c->s;
    const state_node_list *made = &c->node_state->made;
    uint32_t count = 0, i = 0;
    for (size_t m = 0; m <= made->count; m++) {
        uint32_t end = m < made->count ? nodes_until(c, &made->items[m]) : c->before->node_count;
        for (; i < end; i++) {
            if (!bits_test(c->node_state->providers, c->before->nodes[i].provider))
                s->nodes[count++] = c->before->nodes[i];
        }
        if (m == made->count) break;
        c->made_at[m] = count;
        s->nodes[count++] = made->items[m];
    }
    s->node_count = count;
    for (size_t n = 0; n < s->raw.nodes.count; n++) s->node_of_name[n] = NO_ID;
    for (uint32_t n = 0; n < count; n++) {
        if (s->nodes[n].node != NO_ID) s->node_of_name[s->nodes[n].node] = n;
    }
}

static bool renew_nodes(struct continuing *c)
{
    karp_snapshot *s = c->s;
    const karp_snapshot *before = c->before;
    size_t now = s->raw.nodes.count, least = now < before->raw.nodes.count ? now : before->raw.nodes.count;
    s->nodes = block_new(s->context, before->node_count + c->node_state->made.count + 1, sizeof *s->nodes);
    s->bound = block_new(s->context, now + 1, sizeof *s->bound);
    s->node_sets = block_new(s->context, now + 1, sizeof *s->node_sets);
    s->node_of_name = block_new(s->context, now + 1, sizeof *s->node_of_name);
    if (s->nodes == NULL || s->bound == NULL || s->node_sets == NULL || s->node_of_name == NULL) return false;
    memcpy(s->bound, before->bound, least * sizeof *s->bound);
    memcpy(s->node_sets, before->node_sets, least * sizeof *s->node_sets);
    if (!each_moved(c, move_bound)) return false;
    merge_nodes(c);
    return true;
}

/* Where every pair is in its position, only those that were made again are replaced. */
static bool copy_nodes(struct continuing *c)
{
    karp_snapshot *s = c->s;
    const karp_snapshot *before = c->before;
    const state_node_list *made = &c->node_state->made;
    bool same_sets = (s->raw.touched & UINT32_C(1) << KIND_NODE) == 0;
    s->node_of_name = block_ref(before->node_of_name);
    s->node_sets = same_sets ? block_ref(before->node_sets)
                             : block_copy(s->context, before->node_sets, s->raw.nodes.count, sizeof *s->node_sets);
    s->node_count = before->node_count;
    s->reused->emptied = s->reused->alone && !block_shared(before->nodes);
    s->nodes = s->reused->emptied ? block_ref(before->nodes)
                                  : block_copy(s->context, before->nodes, s->node_count, sizeof *s->nodes);
    s->bound = block_copy(s->context, before->bound, s->raw.nodes.count, sizeof *s->bound);
    if (s->nodes == NULL || s->bound == NULL || s->node_sets == NULL || !each_moved(c, move_bound)) return false;
    for (size_t m = 0; m < made->count; m++) {
        c->made_at[m] = nodes_until(c, &made->items[m]) - 1;
        s->nodes[c->made_at[m]] = made->items[m];
    }
    return true;
}

static bool write_nodes(struct continuing *c)
{
    karp_snapshot *s = c->s;
    struct reused_node_state *node_states = &s->reused->node_state;
    if (c->node_count == 0 && !node_states->any) {
        hold_nodes(s, c->before);
        return true;
    }
    if (!(node_states->any && !node_states->in_place ? renew_nodes(c) : copy_nodes(c)) ||
        !sort_ids(s->context, c->fresh, c->fresh_count, by_node_and_name, s))
        return false;
    arena *to = frame_on_top(s, c->node_count + node_states->made.count);
    if (to == NULL) return false;
    if (node_states->any) { /* the arena is kept along with the pods of the nodes */
        *to = node_states->data;
        arena_init(&node_states->data, s->context);
    }
    return load_nodes(c, to) && (!frame_is_high(s) || gather_nodes(s));
}

karp_status continue_nodes(karp_snapshot *s, karp_error *error)
{
    const struct reused_node_state *node_states = &s->reused->node_state;
    struct continuing c = {
        .s = s, .before = s->reused->before, .node_state = node_states, .room = 2 * s->reused->capacity
    };
    c.nodes = mem_alloc(s->context, c.room * sizeof *c.nodes);
    c.fresh = mem_alloc(s->context, c.room / 2 * sizeof *c.fresh);
    c.made_at = mem_alloc(s->context, node_states->made.count * sizeof *c.made_at);
    bool ok = c.nodes != NULL && c.fresh != NULL && c.made_at != NULL &&
              (!node_states->any || each_moved(&c, note_moved));
    s->orphan_pods = c.before->orphan_pods + c.gone_pods;
    ok = ok && find_nodes(&c) && write_pod_nodes(&c) && write_nodes(&c);
    mem_free(s->context, c.nodes, c.room * sizeof *c.nodes);
    mem_free(s->context, c.fresh, c.room / 2 * sizeof *c.fresh);
    mem_free(s->context, c.made_at, node_states->made.count * sizeof *c.made_at);
    return ok ? KARP_OK : fail_nomem(error);
}
