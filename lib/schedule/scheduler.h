/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of one scheduling run, shared by the files of this room. A run goes
 *
 *     admission  which pods                      relax      the ladder of preferences
 *     templates  what each pool could start      topology   spread, affinity, anti-affinity
 *     views      a pod class as relaxed so far   hosts      nodes that exist
 *     solve      the loop over the queue         claims     nodes to be started
 *
 * "Host" is whatever can have a host name here: a node or a claim. All amounts are vectors in the snapshot's
 * units, over the resources that some pod requests.
 * A refused allocation sets `failed`; answers after that are meaningless, and the loop stops on it.
 */
#ifndef SCHEDULE_SCHEDULER_H
#define SCHEDULE_SCHEDULER_H

#include <decision/pod_run.h>
#include <karp/schedule.h>
#include <model/peer.h>
#include <model/snapshot.h>

/* ---- type sets: which variants of a template are still possible -------------------------------------------------- */

typedef struct typeset {
    uint32_t template_;
    uint64_t *bits; /* variants */
    uint32_t *maximal; /* variants whose room no other one exceeds in every resource; they decide what fits */
    uint32_t maximal_count; /* NO_ID = not computed yet */
    int64_t *most; /* per resource, the most room of any: a quick test. NULL until computed */
    uint32_t *biggest; /* per limited resource of the pool, the variant with most capacity. NULL until computed */
} typeset;

/* Types with the same daemons (§12.2). */
typedef struct daemon_group {
    uint64_t *bits; /* variants */
    resource_list overhead; /* empty for no daemons */
    struct port_use *ports; /* of the daemons, each recorded under the daemon's name */
    uint32_t port_count, first_type;
} daemon_group;

/* ---- templates (§11) ----------------------------------------------------------------------------------------------- */

typedef struct template_ {
    uint32_t pool; /* store index */
    uint32_t order; /* among all usable pools, by weight */
    const type_table *table;
    uint32_t table_number;
    uint32_t set; /* requirements */
    bool host_possible; /* the requirements allow a new host name */
    taint_list taints;
    uint32_t taints_id; /* equal lists have equal ids */
    const uint64_t *filtered; /* variants left by the pre-filter */
    uint32_t types_start; /* how many types that is */
    uint32_t initial; /* typeset of those that hold their daemons */
    int64_t *room; /* [variant * dims]: allocatable minus the overhead of its daemon group */
    struct room_order *room_orders; /* by resource; see rooms.c. NULL until asked for */
    uint32_t *group_of; /* variant -> daemon group */
    daemon_group *groups;
    uint32_t group_count;
    bool group_ports; /* some group's daemons use host ports … */
    bool named_ports; /* … under a name that a pod has */
    int64_t *largest; /* per limited resource of the pool, the most capacity of any type */
    bool last_relaxed; /* the claim opened last had a minValues lowered */
    uint32_t dropped_reason; /* why the pre-filter left nothing; such templates are kept aside */
} template_;

/* Limits of a pool (§23): what is left, for the resources it limits. */
typedef struct pool_limit {
    uint32_t count;
    const uint32_t *resources;
    int64_t *left, *initial;
} pool_limit;

/* Types in price order: see pricing.c. */
struct price_order {
    uint32_t *types; /* all types of the table; those without an offering come last */
    double *prices; /* by type: the least */
};

/* ---- topology (§14) -------------------------------------------------------------------------------------------------- */

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

enum { GROUP_SPREAD, GROUP_AFFINITY, GROUP_ANTI };

/* What the filters of a class's spread constraints go by: an OR-entry for each required term. A step of the ladder leaves those from
 * some entry on, so that questions are answered for all steps at once. */
typedef struct filter_terms {
    demand *entries;
    uint32_t count;
    uint32_t *identities[2]; /* of the entries from each on: as the peer sees them, in full; NULL = not asked for yet */
    uint32_t *of_node; /* by Node, 1 + what filters.c calls accepted; 0 = not asked for yet */
    struct filter_answer { /* the one that was given last */
        uint32_t set, host_text, accepted;
    } recent;
} filter_terms;

typedef struct node_filter {
    bool honor_affinity, honor_taints;
    toleration_list tolerations;
    filter_terms *terms;
    uint32_t first; /* entries dropped */
} node_filter;

/* Whom the groups of a spread constraint select, whatever the step of the ladder. */
typedef struct spread_selection {
    label_list extra; /* from matchLabelKeys */
    uint32_t
        identities[2]; /* 1 + that of the selector with these, as the peer sees it and in full; 0 = not asked for yet */
    uint32_t *kins; /* those selected, ascending; NULL = not listed */
    uint32_t kin_count;
} spread_selection;

typedef struct group {
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
    int32_t *
        sources; /* likewise: how many pods, nodes and pools the domain is known from; 0 = the group does not know it */
    uint32_t capacity; /* of both, in domains */
    uint32_t occupied; /* domains with a count above 0 */
    bool host; /* about host names */
    uint32_t whole; /* all in which creators can differ, for simulations */
    uint64_t owner; /* the update in which it last got an owner: scheduler.updates */
    uint32_t version; /* changes with what decides: for spread with the counts, else with which of them are 0 */
    struct group_answer { /* what it allowed last, for the few different questions that one pod asks of many places */
        uint32_t version, own, place, requirement;
        bool self;
    } answers[4];
} group;

/* Pods that every selector sees alike: a namespace and the labels that selectors read. */
typedef struct kin {
    uint32_t name_space, labels;
    uint32_t *counted_by; /* groups that select it, for recording (not the inverse ones) */
    uint32_t counted_count, counted_capacity;
    uint32_t *barred_by; /* inverse groups that select it */
    uint32_t barred_count, barred_capacity;
    bool barred_elsewhere; /* some of them are about other keys than host names */
} kin;

/* ---- pods ------------------------------------------------------------------------------------------------------------ */

/* A class after some steps of the relaxation ladder (§26). */
typedef struct view {
    uint32_t class_, step;
    uint32_t next; /* view of the next step; NO_ID = not made yet; LAST_VIEW = nothing left to give up */
    const char *gave_up; /* what the step that led here dropped; NULL for step 0 */
    uint32_t required_first; /* OR-terms dropped so far */
    const node_term *preferred; /* by weight */
    uint32_t preferred_count;
    pod_term_list preferred_affinity, preferred_anti; /* by weight */
    uint32_t *affinity_groups,
        *anti_groups; /* of these, term by term, NO_ID = not looked up yet; the views of a class share them */
    spread_list spread; /* all of the class */
    uint32_t *spread_left; /* numbers of those not given up yet, in the peer's order */
    uint32_t spread_count;
    uint32_t *
        spread_groups; /* of `spread`, NO_ID = not looked up yet; views with the same terms and tolerations share them */
    toleration_list tolerations;
    demand full, strict; /* §6.2, §17.1 */
    struct owned_group {
        uint32_t group;
        int32_t most; /* host groups other than affinity: the highest count at which one more pod may come */
        bool self; /* the group selects the pods that own it */
        bool host; /* it is about host names */
    } * owned; /* groups that own it; valid when updated */
    uint32_t owned_count;
    bool updated;
    bool elsewhere; /* some of them are about other keys than host names */
    bool settled; /* no step of the ladder changes its groups */
    uint64_t *tolerated; /* templates whose taints it tolerates */
} view;

#define LAST_VIEW (UINT32_MAX - 1)

typedef struct class_state {
    int64_t *requests; /* vector */
    uint32_t first_view; /* NO_ID = not made yet */
    uint32_t kin;
    uint32_t like; /* the first class with the same rules and kin; itself if there is none before it */
    uint32_t *inverse_owned; /* inverse groups it owns */
    uint32_t inverse_count;
    bool registered; /* its required anti-affinity is in the inverse table */
    bool tracked; /* topology knows it: false for pods whose volumes were not found, until they fail */
    filter_terms *filter_terms; /* NULL = not made yet … */
    spread_selection *selections; /* … nor these, by spread constraint */
    struct class_volumes *volumes; /* see volumes.h; NULL = not made yet */
    spread_list default_spread; /* §15, when the pods have no constraints of their own */
    uint64_t failed_at; /* version of the run at which the whole ladder failed last */
    uint32_t failed_reason, failed_view;
    struct claim_bits {
        uint64_t *bits;
        uint32_t words;
    } refused, /* claims that can never take it again in this round, … */
        barred; /* … and those whose host can never take it or a class like it: of the first of these */
    uint64_t *refused_hosts; /* nodes that cannot, even as every round finds them … */
    uint64_t *closed_hosts; /* … and those that cannot any more in this round */
    uint32_t round; /* the round that these and `failed_at` speak of */
} class_state;

/* ---- targets ----------------------------------------------------------------------------------------------------------- */

/* A node that exists, as a target (§16.4, §18). */
typedef struct host {
    uint32_t node; /* state node */
    uint32_t number; /* host number, as host groups count it */
    uint32_t set;
    int64_t *left; /* remaining */
    bool negative; /* some entry was below zero from the start: it takes nothing */
    bool shielded; /* under consolidateAfter, for a simulation */
    uint32_t received; /* pods placed by this round */
    bool touched; /* it has received pods, so the round's end has to restore it */
    int64_t *saved; /* what `left` was before */
    bool ports_loaded, volumes_loaded; /* bound pods' ports and volumes are read when first asked for */
    struct port_use *ports; /* see ports.h */
    uint32_t port_count, port_capacity, ports_bound; /* ports_bound: those of bound pods */
    struct node_volumes *volumes; /* see volumes.h; NULL = the node has no limits, or they are not loaded */
} host;

/* Turns from … to, the last left out, in which there is no room; none when both are equal. See claim_rest.h. */
struct rest {
    uint32_t from, to;
};

/* A node to be started (§20, §21). */
typedef struct claim {
    uint32_t template_;
    uint32_t number; /* host number */
    uint32_t set; /* requirements, without the host name */
    uint32_t types; /* typeset */
    int64_t *requests; /* without daemons */
    int64_t *slack; /* per resource, the most that any type left could still take: a quick necessary test */
    uint8_t *binary; /* per resource: print family, 2 = nothing yet */
    uint32_t pods;
    uint32_t lane; /* see claim_order.h … */
    uint32_t next, prev; /* … and its neighbours in the bucket of its pod count there; NO_ID ends */
    int64_t stamp; /* among claims with as many pods, the smallest comes first */
    struct rest rest;
    uint32_t before, more; /* while a run goes over many claims: its pods before, and how many more it takes */
    bool retired; /* no pod of the round can fit any more: it is in no bucket */
    bool relaxed_min_values, dropped;
    struct port_use *ports;
    uint32_t port_count, port_capacity;
    uint32_t *reserved; /* reservation numbers held */
    uint32_t reserved_count;
    const struct volume_use *volumes; /* of its pods, each once; see launch_volumes.h */
    uint32_t volume_count;
} claim;

typedef struct bucket {
    uint32_t first, last;
    struct rest rest; /* what all its claims have in common */
} bucket;

/* A place in a lane: behind everything in the buckets below `count`, at a claim of that bucket (NO_ID = at its end). */
typedef struct lane_spot {
    uint32_t count, claim;
} lane_spot;

/* Open claims with equal requirements; what is not about hosts or amounts answers alike for all of them. */
typedef struct lane {
    uint32_t set; /* NO_ID = the last lane, for all sets that found no lane of their own */
    bucket *buckets; /* by pod count; in the round's arena … */
    uint64_t *filled; /* … and which of them have claims */
    uint32_t bucket_count;
    lane_spot from; /* all claims before it refuse every pod of the run */
    lane_spot at; /* where the search for this pod stands */
    bool apart; /* `at` has passed a claim that may take the next pod of the run */
    bool closed, passed; /* all of it refuses, what is left of it: the run; this pod */
} lane;

/* Where a pod is. */
enum { PLACE_NONE = 0, PLACE_HOST = 1, PLACE_CLAIM = 2 };
typedef struct place {
    uint32_t target; /* host or claim */
    uint8_t where;
} place;

typedef struct scheduler scheduler;

/* A pod that fits nowhere. */
typedef struct failure {
    uint32_t pod,
        view; /* the last view that was tried; NO_ID = none was, or the pod was placed, and then refused by what follows the loop */
    uint32_t reason;
} failure;

struct scheduler {
    const karp_snapshot *snapshot;
    karp_context *context;
    algebra algebra;
    arena data; /* what lasts as long as the scheduler */
    arena round_data; /* what lasts as long as a round */
    bool failed;
    uint32_t dims; /* resources that some pod requests: vectors of this room have only these */
    uint32_t *active; /* which ones: resource ids; cpu, memory and pods come first */
    uint32_t *place_of_resource; /* resource id -> place in such a vector, NO_ID = nobody requests it */
    int64_t *zero, *total; /* the empty vector; scratch for sums */
    int64_t now;
    uint64_t quirks; /* bit n−1: S-Qn is reproduced */
    uint64_t rules; /* of later versions: bit i for enum peer_rule */
    bool simulation; /* inside a disruption: §32.5 */
    bool exact_budgets; /* see budgets_closed() */
    bool shield; /* consolidateAfter protects nodes */
    bool reserved_fallback;
    bool best_effort; /* minValues */
    bool ignore_preferences;
    bool tolerate_prefer_no_schedule; /* the last rung of the ladder exists */
    const karp_options *options;

    template_ *templates; /* in the order they are tried */
    uint32_t template_count;
    template_ *dropped; /* pools whose types the pre-filter removed, for reasons */
    uint32_t dropped_count;
    pool_limit *limits; /* by store pool */
    uint32_t usable_pools;
    words taint_lists;
    struct daemon_view {
        toleration_list tolerations;
        uint32_t first_term;
        demand *terms;
        uint32_t term_count;
        bool refused;
    } * daemons;

    LIST_OF(typeset) typesets;
    words typeset_keys;
    map64 narrowed; /* (typeset, set) -> typeset */
    struct type_masks *masks; /* by table: see types.c */
    LIST_OF(struct price_order) price_orders;
    map64 price_order_of; /* (table, set) -> index */

    domain_key *keys;
    uint32_t key_count, key_capacity;
    map64 key_numbers; /* key -> index */
    LIST_OF(group) groups;
    words group_keys; /* identities and their parts … */
    LIST_OF(uint32_t) part_words; /* … while they are made */
    struct told {
        const toleration *items;
        uint32_t identity;
    } told[2]; /* the tolerations that were part of one last */
    words filter_keys; /* identities of filters and their parts */
    map64 group_of_identity;
    map64 namespaces_asked; /* what a term says of namespaces -> list of them, both among the parts */
    LIST_OF(kin) kins;
    words kin_keys;
    map64 kin_label_numbers; /* (key, value) -> number of a label that kins have; made when label_first is */
    uint32_t *label_first; /* [labels + 1] into label_kins: kins by label; NULL until the first group asks */
    uint32_t *label_kins;
    uint32_t host_numbers; /* next free one */
    map64 host_of_text; /* host name -> number */
    uint32_t *host_text; /* number -> host name, NO_ID for claims */
    size_t host_text_capacity;
    uint8_t *excluded; /* by pod: see exclusion(); NULL = all are, in every round */
    uint32_t *kin_first; /* [kins + 1] into kin_pods: bound pods that count, by kin */
    uint32_t *kin_pods;

    LIST_OF(view) views;
    class_state *classes;

    host *hosts;
    uint32_t host_count;
    uint32_t *host_of_node; /* state node -> host, NO_ID = not offered in any round */
    uint64_t *marked_nodes; /* by store node: being deleted */
    uint64_t *
        marked_names; /* by names id: what state nodes that are being deleted are called; NULL unless nodes are shielded */

    LIST_OF(claim) claims;
    LIST_OF(lane) lanes; /* the open claims that are not retired */
    int64_t front, back; /* stamps of the claims moved to the front and to the back last */
    int64_t *least; /* per resource, the smallest request of any pod of the round */
    /* A run of equal pods: claims that refused one of them for good refuse the next, so the search goes on where it stood. */
    struct claim_run {
        uint32_t view; /* NO_ID = none */
        uint32_t
            only; /* the one claim left to try, which the run opened: all others have refused. NO_ID = all of them */
        uint32_t lane; /* of the claim being tried; NO_ID = none has been tried yet … */
        const claim *second; /* … and the head of the other lanes that comes first, NULL = they are done */
        uint32_t turn; /* of its class */
    } run;
    struct turns { /* claim_rest.h */
        uint32_t count; /* of this round; 0 = no claim rests */
        uint32_t *by_size; /* all classes, NULL = not ordered yet */
        uint32_t *of_class;
        int64_t *sizes; /* [turn * dims] */
    } turns;

    struct reservations {
        uint32_t count;
        int64_t *left, *initial;
        uint32_t *texts; /* number -> text id */
        map64 numbers; /* text id -> number */
    } reservations;

    struct volume_counts *volume_counts; /* see launch_volumes.c */
    uint32_t limited_drivers; /* that some type limits, when that matters */
    bool limits_volumes; /* some node or type may */

    const uint32_t *pods; /* to place, in list order */
    uint32_t *listed; /* where they are written when no list says it already */
    uint32_t pod_count;
    const uint32_t *waiting, *leaving; /* of every round: pending pods, pods of nodes being deleted */
    uint32_t waiting_count, leaving_count;
    LIST_OF(struct ignored_pod {
        uint32_t pod;
        uint32_t reason;
        const char *detail;
    })
    ignored;
    place *places; /* by pod; see places.h, as for … */
    LIST_OF(pod_run) runs;
    bool in_runs; /* … these, which then say it all */
    uint8_t went; /* where the pod placed last is */
    LIST_OF(failure) failures;
    struct pod_outcome {
        uint32_t last_length, reason, view;
    } * outcomes; /* by pod, for the loop; made when the first pod fails */
    uint32_t *entered; /* by class: the round it has come into last */
    struct round_log *log; /* see rounds.c */
    struct devices *devices; /* see devices.h; NULL = no pod's devices are allocated */
    uint32_t round; /* numbers rounds from 1 */
    uint64_t *offered; /* hosts that are not removed in this round */
    uint64_t updates; /* how many lists of owned groups were made */
    bool conflated; /* some group stands for pods that only a quirk lets it stand for: see rounds.h */
    uint64_t version; /* counts successes */
    bool solving; /* the loop is running */
    uint64_t steps;
    bool stopped; /* a budget or the caller ended the loop */
    words launch_keys; /* what launches that share their rows agree in … */
    LIST_OF(uint32_t) launch_likes; /* … and the first launch of each kind */
    karp_str *launch_ids; /* by claim, once the result names them */
};

/* Whether a pod is being scheduled now, so not counted where it is: 1 = in every round, 2 = in this one. */
static inline unsigned exclusion(const scheduler *s, uint32_t pod_number)
{
    return s->excluded == NULL ? 1 : s->excluded[pod_number];
}

/* Whether S-Qn is in force. */
static inline bool quirk(const scheduler *s, unsigned n) { return (s->quirks >> (n - 1)) & 1; }
/* Whether the rule of a later version is. */
static inline bool in_force(const scheduler *s, enum peer_rule rule) { return rule_of(s->rules, rule); }

#endif
