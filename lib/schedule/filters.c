/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/filters.h>

#include <model/prepare.h>
#include <model/taints.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>

/* ---- the entries of a class -------------------------------------------------------------------------------------- */

/* The node selector combined with each required term, or the selector alone. */
static bool make_entries(scheduler *s, const shape *h, filter_terms *t)
{
    demand selected = { EMPTY_SET, NO_ID };
    t->count = h->required.count > 0 ? h->required.count : 1;
    t->entries = arena_array(&s->data, t->count, sizeof *t->entries);
    if (t->entries == NULL || !demand_of_labels(&s->algebra, h->node_selector, &selected)) return false;
    for (uint32_t i = 0; i < t->count; i++) t->entries[i] = selected;
    for (uint32_t i = 0; i < h->required.count; i++) {
        if (!demand_of_expressions(&s->algebra, h->required.items[i].expressions, &t->entries[i])) return false;
    }
    return true;
}

filter_terms *filter_terms_of(scheduler *s, uint32_t class_number)
{
    class_state *c = &s->pods.classes[s->pods.classes[class_number].like]; /* classes with the same rules share terms */
    if (c->filter_terms != NULL) return c->filter_terms;
    filter_terms *t = arena_zalloc(&s->data, sizeof *t);
    if (t == NULL || !make_entries(s, shape_of(s->snapshot, class_number), t)) return mem_refused_null(&s->failed);
    t->recent.set = NO_ID;
    c->filter_terms = t;
    return t;
}

/* ---- identity ---------------------------------------------------------------------------------------------------- */

/* Arrays of words in s->filter_keys. An array that starts with FORK is a set of entries, any other is one entry. */
enum word { FORK, KEYS, WHOLE };

static uint32_t numbered(scheduler *s, const uint32_t *list, size_t count)
{
    uint32_t id = words_add(&s->topology.filter_keys, list, count);
    if (id == NO_ID) s->failed = true;
    return id;
}

static uint32_t with_key(scheduler *s, uint32_t others, uint32_t key, uint32_t requirement_id)
{
    return numbered(s, (uint32_t[]){ KEYS, others, key, requirement_get(&s->algebra, requirement_id)->min_values }, 4);
}

static uint32_t entry_identity(scheduler *s, demand d, bool full)
{
    size_t n;
    if (full) return numbered(s, (uint32_t[]){ WHOLE, d.set, d.host }, 3);
    const set_entry *e = set_entries(&s->algebra, d.set, &n);
    uint32_t id = numbered(s, (uint32_t[]){ KEYS }, 1);
    for (size_t i = 0; i < n; i++) id = with_key(s, id, e[i].key, e[i].requirement);
    return d.host != NO_ID ? with_key(s, id, s->snapshot->known.hostname, d.host) : id;
}

/* Sets of entries as binary tries. The empty set is NO_ID, and a set of one entry is that entry. Any other set is a
 * fork at the highest bit in which the numbers of its entries differ. So each set has a unique number, and adding an
 * entry reuses the parts that stay the same. */
static uint32_t above(uint32_t bit, uint32_t number) { return number & ~(2 * bit - 1); }

static uint32_t fork_of(scheduler *s, uint32_t bit, uint32_t number, uint32_t without, uint32_t with)
{
    return numbered(s, (uint32_t[]){ FORK, bit, above(bit, number), without, with }, 5);
}

/* The union of a set and an entry that is not below the set's fork. All entries of the set have the bits of `like`
 * above the fork. */
static uint32_t joined(scheduler *s, uint32_t set, uint32_t like, uint32_t entry)
{
    uint32_t bit = UINT32_C(1) << 31;
    while (((like ^ entry) & bit) == 0) bit >>= 1;
    return (entry & bit) != 0 ? fork_of(s, bit, entry, set, entry) : fork_of(s, bit, entry, entry, set);
}

/* The set with an additional entry. If the set has the entry already, it stays the same or, with `cancel`, loses it. */
static uint32_t set_with(scheduler *s, uint32_t set, uint32_t entry, bool cancel)
{
    if (set == NO_ID) return entry;
    if (set == entry) return cancel ? NO_ID : set;
    const uint32_t *w = s->topology.filter_keys.entries[set].ptr;
    if (w[0] != FORK) return joined(s, set, set, entry);
    uint32_t bit = w[1], without = w[3], with = w[4];
    if (above(bit, entry) != w[2]) return joined(s, set, w[2], entry);
    uint32_t *side = (entry & bit) != 0 ? &with : &without;
    *side = set_with(s, *side, entry, cancel);
    if (*side == NO_ID) return side == &with ? without : with;
    return fork_of(s, bit, entry, without, with);
}

/* The identities of all suffixes of the entries, from the last entry to all: those that can remain on the ladder. */
static uint32_t *make_identities(scheduler *s, const filter_terms *t, bool full)
{
    uint32_t set = NO_ID, *list = arena_array(&s->data, t->count, sizeof *list);
    if (list == NULL) return mem_refused_null(&s->failed);
    for (uint32_t i = t->count; i > 0 && !s->failed; i--) {
        uint32_t entry = entry_identity(s, t->entries[i - 1], full);
        if (!s->failed) set = set_with(s, set, entry, !full);
        list[i - 1] = set;
    }
    return list;
}

uint32_t filter_identity(scheduler *s, const node_filter *f, bool full)
{
    filter_terms *t = f->terms;
    if (t->identities[full] == NULL) t->identities[full] = make_identities(s, t, full);
    return t->identities[full] != NULL ? t->identities[full][f->first] : NO_ID;
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* The length of the shortest prefix of entries that includes the last one accepting the place. A filter accepts the
 * place if its first entry is within that prefix. */
static uint32_t accepted(scheduler *s, filter_terms *t, uint32_t set, uint32_t host_text)
{
    struct filter_answer *a = &t->recent;
    if (a->set == set && a->host_text == host_text) return a->accepted;
    uint32_t n = t->count;
    while (n > 0 && !(host_allowed(s, t->entries[n - 1].host, host_text) &&
                      set_compatible(&s->algebra, set, t->entries[n - 1].set, false)))
        n--;
    *a = (struct filter_answer){ set, host_text, n };
    return n;
}

/* The same for a Node. Results are cached if there are several steps of a ladder. */
static uint32_t accepted_node(scheduler *s, filter_terms *t, uint32_t node_index)
{
    size_t nodes = s->snapshot->raw.nodes.count;
    if (t->count > 1 && t->of_node == NULL) t->of_node = arena_array(&s->data, nodes, sizeof *t->of_node);
    if (t->count > 1 && t->of_node == NULL) {
        s->failed = true;
        return 0;
    }
    if (t->count > 1 && t->of_node[node_index] > 0) return t->of_node[node_index] - 1;
    uint32_t host_text = label_get(s->snapshot->raw.nodes.items[node_index].meta.labels, s->snapshot->known.hostname);
    uint32_t n = accepted(s, t, s->snapshot->node_sets[node_index], host_text);
    if (t->count > 1) t->of_node[node_index] = n + 1;
    return n;
}

bool filter_selective(const node_filter *f)
{
    bool all = !f->honor_affinity;
    for (uint32_t i = f->first; i < f->terms->count && !all; i++)
        all = f->terms->entries[i].set == EMPTY_SET && f->terms->entries[i].host == NO_ID;
    return !all || f->honor_taints;
}

bool filter_matches(scheduler *s, const node_filter *f, taint_list taints, uint32_t set, uint32_t host_text)
{
    if (f->honor_affinity && accepted(s, f->terms, set, host_text) <= f->first) return false;
    return !f->honor_taints || taints_tolerated(s->snapshot, f->tolerations, taints);
}

bool filter_matches_node(scheduler *s, const node_filter *f, uint32_t node_index)
{
    if (f->honor_affinity && accepted_node(s, f->terms, node_index) <= f->first) return false;
    return !f->honor_taints ||
           taints_tolerated(s->snapshot, f->tolerations, s->snapshot->raw.nodes.items[node_index].taints);
}
