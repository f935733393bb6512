/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of pods that start together, in plans of profile KARP: a group has its minimum in one domain of its topology
 * key, or the plan places none of its pods.
 */

#include <base/strbuf.h>
#include <verify/kinds.h>
#include <karp/groups.h>
#include <model/groups.h>

/* What the plan has of a group. */
typedef struct tally {
    uint32_t bound, placed; /* pods; of a composite: groups that run already, and that start */
    uint32_t pods; /* of a composite: pods below it that run or start */
    uint32_t required, required_start; /* of a composite: groups that it needs, and those that run or start */
    uint32_t gated;
    bool priorities; /* all pods have that of the group */
    bool part; /* the plan places some of its pods, or of groups below it */
    bool torn; /* its pods are not in one domain */
    uint32_t domain; /* of the members seen so far; NO_ID = none */
} tally;

typedef struct group_check {
    verifier *v;
    const struct group_index *all;
    tally *of; /* by group */
} group_check;

static uint32_t least_of(const group_check *c, const member_group *g)
{
    const pod_group *o = group_object(c->v->snapshot, g);
    return o == NULL || !o->gang ? 1 : (uint32_t)o->min_count;
}

static bool stays_bound(const verifier *v, uint32_t pod_number)
{
    return v->snapshot->pod_node[pod_number] != NO_ID && !v->waits[pod_number];
}

static tally count_pods(const group_check *c, const member_group *g)
{
    const verifier *v = c->v;
    const pod_group *o = group_object(v->snapshot, g);
    tally t = { .bound = g->source == KARP_GROUP_VOLCANO ? g->succeeded : 0, .priorities = true, .domain = NO_ID };
    for (uint32_t i = 0; i < g->pod_count; i++) {
        uint32_t p = g->pods[i];
        const shape *h = pod_shape(v, p);
        bool there = stays_bound(v, p);
        t.bound += there;
        t.placed += !there && v->at[p] != NO_ID;
        t.gated += !there && store_marks(&v->snapshot->raw, pod_at(&v->snapshot->raw, p))->gated;
        if (o != NULL && (h->has_priority ? h->priority : 0) != (o->has_priority ? o->priority : 0))
            t.priorities = false;
    }
    return t;
}

/* Adds the group's state to its composite. Composites come after the groups of a name, so that depth matters: see
 * count_all(). */
static void add_to_parent(group_check *c, uint32_t number)
{
    const member_group *g = &c->all->items[number];
    const tally *t = &c->of[number];
    bool runs = t->bound >= least_of(c, g), starts = t->placed > 0 && t->bound + t->placed >= least_of(c, g);
    const pod_group *o = group_object(c->v->snapshot, g);
    if (g->parent == NO_ID) return;
    c->of[g->parent].bound += runs;
    c->of[g->parent].placed += !runs && starts;
    c->of[g->parent].gated += t->gated;
    c->of[g->parent].priorities = c->of[g->parent].priorities && t->priorities;
    c->of[g->parent].pods += g->composite ? t->pods : t->bound + t->placed;
    c->of[g->parent].required += o != NULL && o->required;
    c->of[g->parent].required_start += o != NULL && o->required && (runs || starts);
}

static uint32_t depth_of(const group_check *c, uint32_t number)
{
    uint32_t depth = 0;
    for (uint32_t at = c->all->items[number].parent; at != NO_ID && depth < MOST_COMPOSITES;
         at = c->all->items[at].parent)
        depth++;
    return depth;
}

static void count_all(group_check *c)
{
    for (uint32_t i = 0; i < c->all->count; i++) {
        c->of[i] = c->all->items[i].composite ? (tally){ .priorities = true, .domain = NO_ID }
                                              : count_pods(c, &c->all->items[i]);
    }
    for (uint32_t depth = MOST_COMPOSITES; depth > 0; depth--) { /* the deepest first */
        for (uint32_t i = 0; i < c->all->count; i++) {
            if (depth_of(c, i) == depth) add_to_parent(c, i);
        }
    }
}

static karp_str group_named(verifier *v, uint32_t number)
{
    const karp_snapshot *s = v->snapshot;
    const member_group *g = &s->groups->items[number];
    strbuf b = strbuf_on(v->context);
    strbuf_addname(&b, text_of(s, g->name_space), name_of(s, g->name));
    if (b.failed) v->failed = true;
    karp_str name = object_name(v, g->composite ? "composite group" : "group", (karp_str){ b.ptr, b.len });
    strbuf_free(&b);
    return name;
}

static karp_str name_it(group_check *c, uint32_t number) { return group_named(c->v, number); }

/* Whether the plan places a pod of the group, or of one below it. */
static bool is_taken(const verifier *v, uint32_t number)
{
    const struct group_index *all = v->snapshot->groups;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t above = i;
        for (uint32_t depth = 0; above != NO_ID && above != number && depth <= MOST_COMPOSITES; depth++)
            above = all->items[above].parent;
        for (uint32_t k = 0; above == number && k < all->items[i].pod_count; k++) {
            if (v->at[all->items[i].pods[k]] != NO_ID) return true;
        }
    }
    return false;
}

/* The alternative, among those beside the group, that the plan takes; NO_ID = none. */
static uint32_t other_taken(const verifier *v, uint32_t number)
{
    const struct group_index *all = v->snapshot->groups;
    uint32_t above = all->items[number].parent;
    const pod_group *o = above == NO_ID ? NULL : group_object(v->snapshot, &all->items[above]);
    for (uint32_t i = 0; o != NULL && o->one_of && i < all->count; i++) {
        if (i != number && all->items[i].parent == above && is_taken(v, i)) return i;
    }
    return NO_ID;
}

bool pod_is_spare(const verifier *v, uint32_t pod_number)
{
    const struct group_index *all = v->snapshot->groups;
    uint32_t id = all == NULL || v->quirks ? NO_ID : all->of_pod[pod_number];
    for (uint32_t depth = 0; id != NO_ID && depth <= MOST_COMPOSITES; depth++, id = all->items[id].parent) {
        if (other_taken(v, id) != NO_ID) return true;
    }
    return false;
}

/* ---- domains ----------------------------------------------------------------------------------------------------- */

/* The value of the key where the member is. NO_ID = it is not certain, or there is none. */
static uint32_t domain_of(const group_check *c, uint32_t pod_number, uint32_t key)
{
    const verifier *v = c->v;
    const karp_snapshot *s = v->snapshot;
    if (stays_bound(v, pod_number)) {
        uint32_t at = s->pod_node[pod_number];
        return label_get(s->raw.nodes.items[at].meta.labels, key);
    }
    const target *t = &v->targets[v->at[pod_number]];
    if (!t->is_launch && t->node == NO_ID) return NO_ID;
    spot_domains d = domains_of(v, t, s->facts.normalized[key]);
    return !d.open && d.count == 1 ? domain_at(&d, 0) : NO_ID;
}

/* Compares the member's domain with that of the members before. `subject` is a group that has it. */
static void check_member(group_check *c, uint32_t number, uint32_t pod_number)
{
    verifier *v = c->v;
    const pod_group *o = group_object(v->snapshot, &c->all->items[number]);
    if (o == NULL || o->topology_key == NO_TEXT || c->of[number].torn) return;
    uint32_t domain = domain_of(c, pod_number, o->topology_key);
    bool none = domain == NO_ID || domain == NO_TEXT;
    c->of[number].torn = none || (c->of[number].domain != NO_ID && c->of[number].domain != domain);
    c->of[number].domain = domain;
    if (none)
        note(v, KARP_FINDING_GROUP, name_it(c, number), "pod %.*s is in no certain domain of %.*s",
             SHOW(pod_name(v->snapshot, pod_number)), SHOW(text_of(v->snapshot, o->topology_key)));
    else if (c->of[number].torn)
        note(v, KARP_FINDING_GROUP, name_it(c, number), "its pods are in more than one domain of %.*s",
             SHOW(text_of(v->snapshot, o->topology_key)));
}

/* Compares domains in the group and in those above it. */
static void check_domains(group_check *c, uint32_t number)
{
    const member_group *g = &c->all->items[number];
    for (uint32_t i = 0; i < g->pod_count && !c->v->failed; i++) {
        uint32_t above = number;
        if (!stays_bound(c->v, g->pods[i]) && c->v->at[g->pods[i]] == NO_ID) continue;
        for (uint32_t depth = 0; above != NO_ID && depth <= MOST_COMPOSITES;
             depth++, above = c->all->items[above].parent) {
            if (c->of[above].part) check_member(c, above, g->pods[i]);
        }
    }
}

/* ---- one group --------------------------------------------------------------------------------------------------- */

static void check_group(group_check *c, uint32_t number)
{
    verifier *v = c->v;
    const member_group *g = &c->all->items[number];
    const pod_group *o = group_object(v->snapshot, g);
    const tally *t = &c->of[number];
    bool kubernetes = g->source == KARP_GROUP_KUBERNETES;
    uint32_t least = least_of(c, g);
    karp_str subject = name_it(c, number);
    if (o == NULL || (o->parent != NO_TEXT && g->parent == NO_ID))
        note(v, KARP_FINDING_GROUP, subject, "it starts, although it or the one above it does not exist");
    if (kubernetes && t->gated > 0)
        note(v, KARP_FINDING_GROUP, subject, "it starts, although a pod of it has a scheduling gate");
    if (kubernetes && o != NULL && !t->priorities)
        note(v, KARP_FINDING_GROUP, subject, "it starts, although a pod of it differs from it in priority");
    if (t->bound + t->placed < least)
        note(v, KARP_FINDING_GROUP, subject, "it starts with %lu %s, and its minimum is %lu",
             (unsigned long)t->bound + t->placed, g->composite ? "groups" : "pods", (unsigned long)least);
    if (o != NULL && o->refused != NO_TEXT)
        note(v, KARP_FINDING_GROUP, subject, "it starts, although it may not: %.*s",
             SHOW(text_of(v->snapshot, o->refused)));
    if (other_taken(v, number) != NO_ID)
        note(v, KARP_FINDING_GROUP, subject, "it starts beside another alternative of the group above");
    if (t->required_start < t->required)
        note(v, KARP_FINDING_GROUP, subject, "it starts without %lu of the groups that it needs",
             (unsigned long)t->required - t->required_start);
    if (o != NULL && t->pods < (uint32_t)o->min_pods)
        note(v, KARP_FINDING_GROUP, subject, "it starts with %lu pods, and its minimum is %lu", (unsigned long)t->pods,
             (unsigned long)o->min_pods);
}

/* Marks the groups of which the plan places pods, and those above them. */
static void mark_parts(group_check *c)
{
    for (uint32_t i = 0; i < c->all->count; i++) {
        uint32_t above = i;
        if (c->all->items[i].composite || c->of[i].placed == 0) continue;
        for (uint32_t depth = 0; above != NO_ID && depth <= MOST_COMPOSITES;
             depth++, above = c->all->items[above].parent)
            c->of[above].part = true;
    }
}

__attribute__((cold)) void check_groups(verifier *v)
{
    group_check c = { .v = v, .all = v->snapshot->groups };
    if (c.all == NULL || v->quirks) return;
    c.of = verifier_alloc(v, c.all->count + (size_t)1, sizeof *c.of);
    if (c.of == NULL) return;
    count_all(&c);
    mark_parts(&c);
    for (uint32_t i = 0; i < c.all->count && verifier_worked(v, 64 * (c.all->items[i].pod_count + (size_t)1)); i++) {
        if (c.of[i].part) check_group(&c, i);
        if (!c.all->items[i].composite) check_domains(&c, i);
    }
}

/* ---- disruption -------------------------------------------------------------------------------------------------- */

/* The highest group in disruption mode "all" of those that the pod is in; NO_ID = none is. */
static uint32_t in_one_piece(const karp_snapshot *s, uint32_t pod_number)
{
    uint32_t found = NO_ID, id = s->groups->of_pod[pod_number];
    for (uint32_t depth = 0; id != NO_ID && depth <= MOST_COMPOSITES; depth++, id = s->groups->items[id].parent) {
        const pod_group *o = group_object(s, &s->groups->items[id]);
        if (o != NULL && o->disruption_all) found = id;
    }
    return found;
}

__attribute__((cold)) void check_whole_groups(verifier *v, const uint8_t *going, const uint8_t *moved, size_t step)
{
    const karp_snapshot *s = v->snapshot;
    if (s->groups == NULL) return;
    struct halves {
        uint32_t go, stay;
    } *of = verifier_alloc(v, s->groups->count + (size_t)1, sizeof *of);
    for (uint32_t p = 0; of != NULL && p < s->raw.pods.count; p++) {
        uint32_t id = moved[p] ? NO_ID : in_one_piece(s, p), on = id == NO_ID ? NO_ID : s->pod_node[p];
        if (on == NO_ID) continue;
        of[id].go += going[on];
        of[id].stay += !going[on];
    }
    for (uint32_t i = 0; of != NULL && i < s->groups->count; i++) {
        if (of[i].go == 0 || of[i].stay == 0) continue;
        note(v, KARP_FINDING_GROUP, group_named(v, i),
             "step %u disrupts %u of its pods and leaves %u, although its disruption mode is \"all\"",
             (unsigned)step + 1, (unsigned)of[i].go, (unsigned)of[i].stay);
    }
}
