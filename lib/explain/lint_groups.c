/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about groups of pods that start together (karp/groups.h). */
#include <explain/lint.h>

#include <karp/admit.h>

#include <base/bits.h>
#include <explain/queue_view.h>

static void note_group(linting *l, enum lint_rule rule, const member_group *g, const char *field)
{
    const karp_snapshot *s = l->snapshot;
    strbuf name = strbuf_on(s->context);
    strbuf_addname(&name, text_of(s, g->name_space), name_of(s, g->name));
    strbuf_adds(&l->field, field);
    lint_note(l, rule, g->composite ? "CompositePodGroup" : "PodGroup", (karp_str){ name.ptr, name.len });
    l->refused = l->refused || name.failed;
    strbuf_free(&name);
}

/* "minCount" of Kubernetes, and "minMember" elsewhere. */
static const char *field_of_minimum(const member_group *g)
{
    if (g->composite) return "spec.schedulingPolicy.gang.minGroupCount";
    return g->source == KARP_GROUP_KUBERNETES ? "spec.schedulingPolicy.gang.minCount" : "spec.minMember";
}

/* Each check returns whether it found something. */
static bool check_minimum(linting *l, const member_group *g, const pod_group *o)
{
    uint32_t there = g->composite ? g->child_count : g->pod_count;
    if (g->source == KARP_GROUP_VOLCANO) there += g->succeeded;
    if (!o->gang || there == 0 || there >= (uint32_t)o->min_count)
        return false; /* without members it may be waiting for them */
    strbuf_putu(&l->text, "its minimum is ", (uint32_t)o->min_count, ", and only ");
    strbuf_addu(&l->text, there);
    strbuf_adds(&l->text,
                g->composite ? " groups name it, so none of them starts" : " pods name it, so none of them starts");
    strbuf_putu(&l->remedy, "a minimum of at most ", there, "");
    strbuf_adds(&l->remedy, g->composite ? ", or more groups" : ", or more pods");
    note_group(l, LINT_GROUP_TOO_SMALL, g, field_of_minimum(g));
    return true;
}

/* kube-scheduler schedules none of the pods of a group if one differs from it in priority. */
static bool check_priority(linting *l, const member_group *g, const pod_group *o)
{
    const karp_snapshot *s = l->snapshot;
    int32_t its = o->has_priority ? o->priority : 0;
    for (uint32_t i = 0; i < g->pod_count && g->source == KARP_GROUP_KUBERNETES; i++) {
        const shape *h = shape_of(s, s->pod_class[g->pods[i]]);
        int32_t priority = h->has_priority ? h->priority : 0;
        if (priority == its) continue;
        strbuf_put(&l->text, "pod ", pod_name(s, g->pods[i]),
                   " has another priority than the group, so that none of its pods is scheduled");
        strbuf_adds(&l->remedy, "one priority class for the group and its pods");
        note_group(l, LINT_GROUP_PRIORITY_DIFFERS, g, "spec.priorityClassName");
        return true;
    }
    return false;
}

static bool check_key(linting *l, const member_group *g, const pod_group *o)
{
    if (o->topology_key == NO_TEXT || !lint_has_nodes(l) || lint_key_is_known(l, o->topology_key)) return false;
    strbuf_put(&l->text, "no node, NodePool or instance type has the label ", text_of(l->snapshot, o->topology_key),
               ", so that the group has no domain to start in");
    lint_suggest_key(l, o->topology_key);
    note_group(l, LINT_GROUP_KEY_UNKNOWN, g, "spec.schedulingConstraints.topology[0].key");
    return true;
}

/* ---- groups that have no room ------------------------------------------------------------------------------------ */

static bool is_answer_for(const karp_snapshot *s, const member_group *g, const karp_admitted *row)
{
    return str_is(row->kind, queue_view_kind(g)) && equal_str(str_before(row->name, '/'), text_of(s, g->name_space)) &&
           equal_str(str_after(row->name, '/'), name_of(s, g->name));
}

/* Notes a group that does not start even if nothing of the queue comes before it. */
static void check_answer(linting *l, const uint64_t *told, const karp_admitted *row)
{
    const struct group_index *all = l->snapshot->groups;
    if (row->verdict != KARP_ADMIT_NEVER || row->code != KARP_REASON_GROUP_MINIMUM || row->starts_alone != 0) return;
    for (uint32_t i = 0; i < all->count && !l->refused; i++) {
        const member_group *g = &all->items[i];
        if (bits_test(told, i) || g->parent != NO_ID || !is_answer_for(l->snapshot, g, row)) continue;
        strbuf_put(&l->text, "it never starts: ", row->detail, "");
        strbuf_put(&l->remedy, "more room or a lower minimum; karp explain group ", row->name,
                   " looks for the smallest change");
        note_group(l, LINT_GROUP_NEVER_STARTS, g, field_of_minimum(g));
    }
}

/* Looks for groups that have too little room, of those that no other rule has told about. */
static void check_room(linting *l, const uint64_t *told)
{
    const karp_admit_options options = { .size = sizeof options };
    karp_admission *found = NULL;
    if (!lint_has_nodes(l) || l->refused) return;
    l->unplanned = karp_admit(l->snapshot, &options, &found, l->error);
    l->refused = l->unplanned != KARP_OK;
    karp_admitted row = { .size = sizeof row };
    for (size_t i = 0; found != NULL && karp_admission_at(found, i, &row) == KARP_OK; i++) check_answer(l, told, &row);
    karp_admission_free(found);
}

/* What keeps a group from starting keeps those above it from starting, too. */
static void tell(const struct group_index *all, uint32_t group, uint64_t *told)
{
    for (uint32_t id = group; id != NO_ID && !bits_test(told, id); id = all->items[id].parent) bits_set(told, id);
}

void lint_pod_groups(linting *l)
{
    const struct group_index *all = l->snapshot->groups;
    if (all == NULL) return;
    size_t bytes = bits_words(all->count + (size_t)1) * sizeof(uint64_t);
    uint64_t *told = mem_zalloc(l->snapshot->context, bytes);
    l->refused = l->refused || told == NULL;
    for (uint32_t i = 0; i < all->count && !l->refused; i++) {
        const member_group *g = &all->items[i];
        const pod_group *o = group_object(l->snapshot, g);
        if (o == NULL) continue;
        bool found = check_minimum(l, g, o);
        found = (!g->composite && check_priority(l, g, o)) || found;
        found = check_key(l, g, o) || found;
        if (found) tell(all, i, told);
    }
    check_room(l, told);
    mem_free(l->snapshot->context, told, bytes);
}
