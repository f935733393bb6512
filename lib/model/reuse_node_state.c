/* SPDX-License-Identifier: Apache-2.0 */

#include <base/bits.h>
#include <base/error.h>
#include <model/reuse_pods.h>
#include <model/prepare.h>
#include <model/scale.h>

bool each_changed(const karp_snapshot *s, enum kind kind, size_t before, size_t now,
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
    if (index < c->before->raw.claims.count) put_provider(c, c->before->raw.claims.items[index].provider_id);
    if (index >= c->s->raw.claims.count) return true;
    const node_claim *now = &c->s->raw.claims.items[index];
    put_provider(c, now->provider_id);
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
