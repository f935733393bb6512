/* SPDX-License-Identifier: Apache-2.0 */
/* Spread, pod affinity and anti-affinity. */
#pragma once

#include <base/bits.h>
#include <model/selector.h>
#include <schedule/filters.h>
#include <schedule/label_groups.h>
#include <schedule/pods.h>
#include <schedule/views.h>

/* A label key that some group uses. Its values have dense numbers. */
typedef struct domain_key {
    uint32_t key; /* as written */
    uint32_t normalized;
    bool is_host;
    uint32_t *values; /* number -> text id */
    uint32_t count, capacity;
    map64 numbers; /* text id -> number */
    /* The universe: domains that NodePools can provide, and the taints of those NodePools. */
    struct universe_domain {
        uint32_t number;
        uint32_t *taint_ids;
        uint32_t taint_count;
    } * universe;
    uint32_t universe_count, universe_capacity;
    map64 masks; /* requirement -> index in mask_list */
    LIST_OF(uint64_t *) mask_list;
    uint32_t mask_domains; /* number of domains when the masks were made */
} domain_key;

enum { GROUP_SPREAD, GROUP_AFFINITY, GROUP_ANTI, GROUP_WIDE /* see label_groups.c */ };

/* The pods that the groups of a spread constraint select, the same for every step of the ladder. */
typedef struct spread_selection {
    label_list extra; /* from matchLabelKeys */
    /* 1 + identity of the selector with `extra`, as the peer compares it and in full; 0 = not computed yet */
    uint32_t identities[2];
    uint32_t *label_groups; /* selected label groups, ascending; NULL = not listed yet */
    uint32_t label_group_count;
} spread_selection;

struct group {
    uint8_t kind;
    bool inverse;
    uint32_t key; /* index in keys */
    int32_t max_skew, min_domains; /* min_domains 0 = absent */
    bool has_filter;
    bool selective; /* its filter can reject a node */
    node_filter filter;
    const uint32_t *namespaces; /* text ids, ascending */
    /* namespace_list: unless there is exactly one, equal lists of namespaces have equal numbers */
    uint32_t namespace_count, namespace_list;
    const selector *selects; /* NULL = no selector, which selects nothing */
    label_list extra; /* from matchLabelKeys */
    spread_selection *selection; /* NULL = not a spread constraint */
    int32_t *counts; /* by domain number; for the host key by host number */
    /* likewise: the number of pods, nodes and NodePools that the domain is known from; 0 = the group does not know
     * the domain. NULL for the host key, since every host is known */
    int32_t *sources;
    uint32_t base, capacity; /* base: first domain of both arrays, 0 except for the host key; capacity: their length */
    uint32_t occupied; /* domains with a count above 0 */
    uint32_t launches; /* the occupied domains that are launches */
    bool host; /* its key is the host name */
    uint32_t wider; /* the wide group that this group is a part of: see label_groups.c; NO_ID = none */
    label_group_list left_out; /* label groups that the wide group selects and this one does not, ascending */
    uint32_t whole; /* identity including everything in which its creators can differ, for simulations */
    uint64_t owner; /* value of topology.updates when it last got an owner */
    uint32_t version; /* changes with the counts for spread; otherwise when a count becomes 0 or stops being 0 */
    struct group_summary { /* The last result over all domains, for pods with equal requirements for its key. */
        bool known, occupied; /* occupied (affinity): some domain has a pod of the group */
        uint32_t version, own, count; /* count: number of the key's domains */
        int64_t least; /* spread: the count from which maxSkew is measured */
    } summary;
    struct group_answer { /* The last results, for the few different checks that one pod makes for many places. */
        uint32_t version, own, place, requirement;
        bool self;
    } answers[4];
};

/* Whether it counts pods by host name on every host. */
static inline bool counts_every_host(const group *g) { return g->host && !g->selective; }

struct topology {
    domain_key *keys;
    uint32_t key_count, key_capacity;
    map64 key_numbers; /* key -> index */
    LIST_OF(group) groups;
    map64 group_of_identity;
    words group_keys; /* identities of groups and their parts */
    LIST_OF(uint32_t) parts; /* scratch for identities */
    words filter_keys; /* identities of filters and their parts */
    map64 namespace_lists; /* the namespaces of a term -> the list of namespaces, both numbers in group_keys */
    struct last_tolerations {
        const toleration *items;
        uint32_t identity;
    } last_tolerations[2]; /* the tolerations that were last part of an identity */
    uint64_t updates; /* number of lists of owned groups that were computed */
    bool conflated; /* a quirk makes pods share a group that should be separate: see rounds.h */

    LIST_OF(label_group) label_groups;
    words label_group_keys;
    struct label_index {
        map64 numbers; /* (key, value), or (key, NO_ID) -> number of a label, or key, of label groups */
        uint32_t *first; /* [numbers + 1] into label_groups; NULL until first used */
        uint32_t *label_groups; /* by number */
    } by_label, by_key;
    uint32_t *bound_first; /* [label groups + 1] into bound_pods */
    uint32_t *bound_pods; /* bound pods that are counted, by label group */

    uint32_t next_host_number;
    /* by text, with one more entry for a name that is no interned text: 1 + host number; 0 = none yet */
    uint32_t *host_of_text;
    uint32_t *host_text; /* number -> host name, NO_ID for claims */
    size_t host_text_capacity;
};

/* topology.c: creates label groups, then registers the anti-affinity of bound pods, then the pods to place. Hosts and
 * templates must exist. */
bool topology_init(scheduler *s);
/* Lists bound pods by label group, on first use. */
bool topology_list_bound(scheduler *s);
void topology_free(scheduler *s);

/* groups.c: computes the groups that own the view; creates and seeds new ones. */
bool topology_update(scheduler *s, uint32_t view_number);
/* Adds the required anti-affinity of a class to the inverse table. */
bool topology_register_inverse(scheduler *s, uint32_t class_number, toleration_list tolerations);
/* Whether the class owns this group of the inverse table. */
bool owns_inverse(const class_state *c, uint32_t group_number);
/* Whether the group's selector selects pods of the label group. */
bool group_selects(const scheduler *s, const group *g, const label_group *k);

bool group_in_namespace(const group *g, uint32_t name_space);
/* The group equal to `wanted`; created and seeded if there is none. NO_ID = out of memory. */
uint32_t group_obtain(scheduler *s, group *wanted, toleration_list tolerations);

/* seed.c: the counts that every round starts with. */
/* The value of a node's label for the key. Without Q-34 an older name of the key is read as well. NO_ID = none. */
uint32_t node_label(const scheduler *s, label_list labels, uint32_t key_index);
bool topology_seed(scheduler *s, uint32_t group_number);
/* The domain that a node registers, and the domain in which a bound pod is counted, in a group's seed; NO_ID = none. */
uint32_t seed_of_node(scheduler *s, const group *g, const state_node *n);
uint32_t seed_of_pod(scheduler *s, const group *g, uint32_t pod_number);

/* domains.c */
/* index in s->keys, created on first use; NO_ID = out of memory */
uint32_t domain_key_of(scheduler *s, uint32_t given);
/* created on first use; NO_ID = out of memory */
uint32_t domain_number(scheduler *s, uint32_t key_index, uint32_t text);
/* numbers of the domains that the requirement allows */
const uint64_t *domain_mask(scheduler *s, uint32_t key_index, uint32_t requirement_id);
/* Sets the bits of the domains that a NodePool makes known. *base: the requirement of the NodePool itself, NO_ID =
 * none. false = out of memory. */
bool pool_domain_bits(scheduler *s, uint32_t key_index, uint32_t pool, const type_table *table, uint64_t *bits,
                      uint32_t *base);
bool host_numbers_reserve(scheduler *s, size_t count); /* so many will be created; false = out of memory */
uint32_t host_number_of_text(scheduler *s, uint32_t text); /* created on first use; NO_ID = out of memory */
uint32_t host_number_new(scheduler *s); /* for a claim */
void group_register(scheduler *s, group *g, uint32_t domain); /* makes the domain known; its count stays the same */
void group_count(scheduler *s, group *g, uint32_t domain); /* count + 1 */
void group_unregister(group *g, uint32_t domain); /* undo these two */
void group_uncount(scheduler *s, group *g, uint32_t domain);

/* A possible place for a pod, as topology sees it. */
typedef struct pod_place {
    uint32_t set; /* requirements without the host name */
    uint32_t host; /* host number */
    uint32_t host_text; /* host name, HOST_FRESH for a new node */
    taint_list taints;
    bool lenient; /* new nodes: undefined well-known labels are allowed */
    bool host_admits; /* topology_admits_host() has accepted it */
} pod_place;

/* topology_admit.c */
static inline int32_t group_count_at(const group *g, uint32_t domain)
{
    return domain - g->base < g->capacity ? g->counts[domain - g->base] : 0;
}
/* Whether the group knows the domain. Its key is not the host name. */
static inline bool group_knows(const group *g, size_t domain) { return domain < g->capacity && g->sources[domain] > 0; }
/* The number of pods on a host that the group selects. */
int32_t pods_on_host(const scheduler *s, const group *g, uint32_t number);
/* The count from which maxSkew is measured: the smallest over the domains that the pod allows (`own`), or 0 while these
 * are fewer than minDomains. SPREAD_NO_DOMAIN = it allows none. */
#define SPREAD_NO_DOMAIN INT32_MAX
int64_t spread_least(const group *g, const uint64_t *own, size_t count);
/* Whether one of the domains that the pod allows has a pod of the group. */
bool group_occupied(const group *g, const uint64_t *own, size_t count);
/* Sets in `out` the bits of the domains that a group allows. `own` and `there` are the domains that the requirements of
 * the pod and of the place allow. Its key is not the host name. */
void topology_choose(const scheduler *s, const group *g, const uint64_t *own, const uint64_t *there, bool self,
                     uint64_t *out);
/* The only value that a place's requirement (`there`) on the group's key allows, and the number of that domain; NO_TEXT
 * = several, or a value that is not one of the key's domains. */
uint32_t topology_only_value(const scheduler *s, const group *g, uint32_t there, uint32_t *domain);
/* Whether a group that applies to the pod has no domain left in requirements that were already narrowed for it. */
bool topology_contradicts(scheduler *s, const view *v, uint32_t set);
/* Narrows *set to what every group allows. false when a group allows nothing or the result contradicts the
 * place. */
bool topology_admit(scheduler *s, const view *v, const pod_place *at, uint32_t *set);
/* How far a rejection by a host remains valid until the end of the round. Counts only grow, but a preference can be
 * relaxed. */
enum host_refusal { REFUSED_ONCE, REFUSED_THE_VIEW, REFUSED_THE_CLASS };
/* Only the groups about host names, as a fast test that a pod has to pass. *lasting is written when it fails. */
bool topology_admits_host(const scheduler *s, const view *v, uint32_t number, uint32_t host_text,
                          enum host_refusal *lasting);
/* Whether counts keep the view's pods from every launch of the round, until the end of the round. */
bool topology_bars_launches(const scheduler *s, const view *v);

/* topology.c */
/* If at least so many groups select a pod, those about host names share one entry of the round's log. */
enum { COUNTED_TOGETHER = 16 };
/* Counts the pod at its place. */
void topology_record(scheduler *s, const view *v, const pod_place *at);
/* Counts the pods that the round has already placed in a new group (Q-5 off). */
void topology_count_placed(scheduler *s, uint32_t group_number);

/* Marks for a host name that is not a text id: the place has none, or a new one. */
#define HOST_ABSENT UINT32_MAX
#define HOST_FRESH (UINT32_MAX - 1)

/* Whether a requirement allows the host name: a text id, or one of the two marks. */
bool host_allowed(const scheduler *s, uint32_t requirement_id, uint32_t host_text);

/* label_groups.c: determines the wide group of a group that is being created, if that saves work. false = out of
 * memory. */
bool group_widen(scheduler *s, group *wanted, toleration_list tolerations);
/* Whether the group counts pods of the label group: pods that it selects, or that it excludes from its wide group. */
bool group_counts(const scheduler *s, const group *g, const label_group *k);
