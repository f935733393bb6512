/* SPDX-License-Identifier: Apache-2.0 */
/* The change of a group that may make it start: a lower minimum. */
#include <explain/explain_pod.h>

#include <base/str.h>
#include <decision/decision.h>
#include <model/groups.h>

static const karp_str nothing = { "", 0 };

static bool is_named(const search *s, const member_group *g, karp_str name)
{
    strbuf b = strbuf_on(s->snapshot->context);
    strbuf_addname(&b, text_of(s->snapshot, g->name_space), name_of(s->snapshot, g->name));
    bool same = !b.failed && equal_str((karp_str){ b.ptr, b.len }, name);
    strbuf_free(&b);
    return same;
}

/* The groups of the view with another minimum of this one. false = out of memory. */
static bool set_minimum(search *s, uint32_t index, int32_t least)
{
    const store *raw = &s->snapshot->raw;
    pod_group *groups = search_copy(s, raw->groups.items, raw->groups.count, sizeof *groups);
    if (groups == NULL) return false;
    groups[index].min_count = least;
    s->changed.view.raw.groups.items = groups;
    return true;
}

/* Whether the group starts in the changed view, and fewer pods are without a place. */
static bool starts(search *s, const member_group *g)
{
    karp_decision *d = search_decide(s);
    bool found = false;
    if (d == NULL) return false;
    for (size_t i = 0; i < d->groups.count && !found; i++) {
        const karp_group_outcome *row = &d->groups.items[i];
        found = row->code == KARP_REASON_NONE && row->composite == g->composite && row->source == g->source &&
                is_named(s, g, row->name);
    }
    found = found && d->complete && d->unschedulable.count < s->waiting;
    karp_decision_unref(d);
    return found;
}

/* The largest minimum below its own with which the group starts; 0 = none. */
static int32_t largest_minimum(search *s, const member_group *g, int32_t own)
{
    int32_t works = 0, fails = own;
    while (fails - works > 1 && !search_over(s)) {
        int32_t least = works + (fails - works) / 2;
        if (set_minimum(s, g->object, least) && starts(s, g)) works = least;
        else fails = least;
    }
    return works;
}

static karp_str describe(search *s, const member_group *g, int32_t from, int32_t to)
{
    bool made = g->source == KARP_GROUP_WORKLOAD;
    strbuf b = strbuf_on(s->snapshot->context);
    strbuf_adds(&b, made ? "run " : "lower the minimum of ");
    if (!made) strbuf_addname(&b, text_of(s->snapshot, g->name_space), name_of(s->snapshot, g->name));
    if (!made) strbuf_adds(&b, " from ");
    strbuf_addi(&b, made ? to : from);
    strbuf_adds(&b, made ? " of its " : " to ");
    strbuf_addi(&b, made ? from : to);
    if (made) strbuf_adds(&b, " pods");
    if (b.failed) s->status = KARP_E_NOMEM;
    karp_str text = search_keep(s, (karp_str){ b.ptr, b.len });
    strbuf_free(&b);
    return text;
}

void try_minimum(search *s)
{
    const struct group_index *all = s->snapshot->groups;
    uint32_t id = all == NULL || s->options->profile != KARP_PROFILE_KARP ? NO_ID : all->of_pod[s->pod];
    const member_group *g = id == NO_ID ? NULL : &all->items[id];
    const pod_group *o = g == NULL ? NULL : group_object(s->snapshot, g);
    if (o == NULL || !o->gang || o->min_count < 2) return;
    int32_t least = largest_minimum(s, g, o->min_count);
    s->changed.view.raw.groups.items = s->snapshot->raw.groups.items;
    if (least == 0 || s->status != KARP_OK) return;
    karp_remedy *row = search_memory(s, list_push(s->out->context, &s->out->remedies, sizeof *row));
    if (row == NULL) return;
    *row = (karp_remedy){ .size = sizeof *row, .kind = KARP_REMEDY_LOWER_MINIMUM, .changes = 1 };
    row->node_pool = row->node = row->choice.instance_type = row->choice.zone = row->choice.capacity_type = nothing;
    row->text = describe(s, g, o->min_count, least);
}
