/* SPDX-License-Identifier: Apache-2.0 */
/* Spread, pod affinity and anti-affinity (scheduling.md §14). */
#ifndef SCHEDULE_TOPOLOGY_H
#define SCHEDULE_TOPOLOGY_H

#include <base/bits.h>
#include <model/selector.h>
#include <schedule/filters.h>
#include <schedule/label_groups.h>
#include <schedule/pods.h>
#include <schedule/views.h>

/* A label key that some group is about; its values get dense numbers. */
typedef struct domain_key {
    uint32_t key; /* as written */
    uint32_t normalized;
    bool is_host;
    uint32_t *values; /* number -> text id */
    uint32_t count, capacity;
    map64 numbers; /* text id -> number */
    /* universe (§14.1): domains the pools can provide, and the taints they come with */
    struct universe_domain {
        uint32_t number;
        uint32_t *taint_ids;
        uint32_t taint_count;
    } * universe;
    uint32_t universe_count, universe_capacity;
    map64 masks; /* requirement -> index in mask_list */
    LIST_OF(uint64_t *) mask_list;
    uint32_t mask_domains; /* the masks speak of the first mask_domains numbers */
} domain_key;

enum { GROUP_SPREAD, GROUP_AFFINITY, GROUP_ANTI, GROUP_WIDE /* see wide_groups.h */ };

/* What the groups of a spread constraint select, whatever the step of the ladder. */
typedef struct spread_selection {
    label_list extra; /* from matchLabelKeys */
    uint32_t
        identities[2]; /* 1 + that of the selector with these, as the peer sees it and in full; 0 = not asked for yet */
    uint32_t *label_groups; /* those selected, ascending; NULL = not listed */
    uint32_t label_group_count;
} spread_selection;

struct group {
    uint8_t kind;
    bool inverse;
    uint32_t key; /* index in keys */
    int32_t max_skew, min_domains; /* min_domains 0 = absent */
    bool has_filter;
    bool selective; /* its filter may refuse a node */
    node_filter filter;
    const uint32_t *namespaces; /* text ids, ascending */
    uint32_t namespace_count, namespace_list; /* where they are not one, equal lists have equal numbers */
    const selector *selects; /* NULL = nil */
    label_list extra; /* from matchLabelKeys */
    spread_selection *selection; /* NULL = not of a spread */
    int32_t *counts; /* by domain number; for the host key by host number */
    int32_t *sources; /* likewise: how many pods, nodes and pools the domain is known from; 0 = the group does not know
                         it. NULL for the host key, of which every host is known */
    uint32_t base, capacity; /* the first domain of both, 0 but for the host key; their length */
    uint32_t occupied; /* domains with a count above 0 */
    uint32_t launches; /* those among them that are of launches */
    bool host; /* about host names */
    uint32_t wider; /* the wide group that this one counts the rest of: see wide_groups.h; NO_ID */
    label_group_list left_out; /* whom it does not select of the wide group's, ascending */
    uint32_t whole; /* all in which creators can differ, for simulations */
    uint64_t owner; /* the update in which it last got an owner: topology.updates */
    uint32_t version; /* changes with what decides: for spread with the counts, else with which of them are 0 */
    struct group_summary { /* what it said of all domains last, for pods that ask the same of its key */
        bool known, occupied; /* affinity: some domain has a pod of the group */
        uint32_t version, own, count; /* of the key's domains */
        int64_t least; /* spread: what maxSkew is measured from */
    } summary;
    struct group_answer { /* what it allowed last, for the few different questions that one pod asks of many places */
        uint32_t version, own, place, requirement;
        bool self;
    } answers[4];
};

/* It counts pods by host name, whatever the host is. */
static inline bool counts_every_host(const group *g) { return g->host && !g->selective; }

struct topology {
    domain_key *keys;
    uint32_t key_count, key_capacity;
    map64 key_numbers; /* key -> index */
    LIST_OF(group) groups;
    map64 group_of_identity;
    words group_keys; /* identities and their parts … */
    LIST_OF(uint32_t) parts; /* … while they are made */
    words filter_keys; /* identities of filters and their parts */
    map64 namespace_lists; /* what a term says of namespaces -> list of them, both among the parts */
    struct last_tolerations {
        const toleration *items;
        uint32_t identity;
    } last_tolerations[2]; /* the tolerations that were part of an identity last */
    uint64_t updates; /* how many lists of owned groups were made */
    bool conflated; /* some group stands for pods that only a quirk lets it stand for: see rounds.h */

    LIST_OF(label_group) label_groups;
    words label_group_keys;
    struct label_index {
        map64 numbers; /* (key, value), or (key, NO_ID) -> number of a label, or a key, that label groups have */
        uint32_t *first; /* [numbers + 1] into label_groups; NULL until the first group asks */
        uint32_t *label_groups; /* by number */
    } by_label, by_key;
    uint32_t *bound_first; /* [label groups + 1] into bound_pods */
    uint32_t *bound_pods; /* bound pods that count, by label group */

    uint32_t next_host_number;
    uint32_t *host_of_text; /* by text, and one more for a name that no text has: 1 + its number; 0 = it has none yet */
    uint32_t *host_text; /* number -> host name, NO_ID for claims */
    size_t host_text_capacity;
};

/* topology.c: makes label groups, registers bound pods' anti-affinity, then the pods to place. Hosts and templates must exist. */
bool topology_init(scheduler *s);
/* Lists bound pods by label group, for the first who asks. */
bool topology_list_bound(scheduler *s);
void topology_free(scheduler *s);

/* groups.c: computes the groups that own the view, creating and seeding those that are new (§14.4). */
bool topology_update(scheduler *s, uint32_t view_number);
/* Puts the required anti-affinity of a class into the inverse table (§14.6). */
bool topology_register_inverse(scheduler *s, uint32_t class_number, toleration_list tolerations);
/* Whether the class owns that group of the inverse table. */
bool owns_inverse(const class_state *c, uint32_t group_number);
/* Whether the group's selector selects pods of the label group. */
bool group_selects(const scheduler *s, const group *g, const label_group *k);

bool group_in_namespace(const group *g, uint32_t name_space);
/* The group equal to `wanted`, made and seeded if there is none. NO_ID = out of memory. */
uint32_t group_obtain(scheduler *s, group *wanted, toleration_list tolerations);

/* seed.c: counts of what is there in every round (§14.3). */
/* What a node says of a key: the label's value, or without Q-34 that of a label by an older name of the key. NO_ID = nothing. */
uint32_t node_says(const scheduler *s, label_list labels, uint32_t key_index);
bool topology_seed(scheduler *s, uint32_t group_number);
/* What a node (registering its domain) and a bound pod (counting) contribute to a group's seed; NO_ID = nothing. */
uint32_t seed_of_node(scheduler *s, const group *g, const state_node *n);
uint32_t seed_of_pod(scheduler *s, const group *g, uint32_t pod_number);

/* domains.c */
uint32_t domain_key_of(scheduler *s, uint32_t given); /* index in s->keys, made when new; NO_ID */
uint32_t domain_number(scheduler *s, uint32_t key_index, uint32_t text); /* made when new; NO_ID */
const uint64_t *domain_mask(scheduler *s, uint32_t key_index, uint32_t requirement_id); /* numbers it allows */
uint32_t host_number_of_text(scheduler *s, uint32_t text); /* made when new; NO_ID */
uint32_t host_number_new(scheduler *s); /* of a claim */
void group_register(scheduler *s, group *g, uint32_t domain); /* known, count unchanged */
void group_count(scheduler *s, group *g, uint32_t domain); /* count + 1 */
void group_unregister(group *g, uint32_t domain); /* the two undone */
void group_uncount(scheduler *s, group *g, uint32_t domain);

/* A place a pod might go to, as topology sees it. */
typedef struct spot {
    uint32_t set; /* requirements without the host name */
    uint32_t host; /* host number */
    uint32_t host_text; /* its name, HOST_FRESH for a new node */
    taint_list taints;
    bool lenient; /* new nodes: undefined well-known labels are acceptable */
    bool host_admits; /* topology_admits_host() has said so */
} spot;

/* Whether a group that has a say about the pod is left without a domain in requirements it was tightened to. */
bool topology_contradicts(scheduler *s, const view *v, uint32_t set);
/* §14.7: tightens *set by what every group allows; false when one allows nothing or the result contradicts the spot. */
bool topology_admit(scheduler *s, const view *v, const spot *at, uint32_t *set);
/* For whom a refusal by a host holds as long as the round lasts. Counts only grow, but a preference can be given up. */
enum host_refusal { REFUSED_ONCE, REFUSED_THE_VIEW, REFUSED_THE_CLASS };
/* The host part alone, a quick necessary test. *lasting is written when it refuses. */
bool topology_admits_host(const scheduler *s, const view *v, uint32_t number, uint32_t host_text,
                          enum host_refusal *lasting);
/* Whether a count refuses the view on each launch of the round, and would for as long as the round lasts. */
bool topology_bars_launches(const scheduler *s, const view *v);
/* §14.5: the pod is there now. */
void topology_record(scheduler *s, const view *v, const spot *at);
/* Counts what the round has placed already in a group that is new (Q-5 off). */
void topology_count_placed(scheduler *s, uint32_t group_number);

/* What the requirements of a place say about its host name, beside a text id. */
#define HOST_ABSENT UINT32_MAX
#define HOST_FRESH (UINT32_MAX - 1)

/* Whether a demand on the host name is met: a text id, or one of the two marks. */
bool host_allowed(const scheduler *s, uint32_t requirement_id, uint32_t host_text);

#endif
