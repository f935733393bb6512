/* SPDX-License-Identifier: Apache-2.0 */
/* karp_admit(): one round over a queue of workloads, and what it comes to for each of them. */

#include <base/context.h>
#include <base/error.h>
#include <explain/changes.h>
#include <explain/queue_view.h>
#include <explain/request_conditions.h>
#include <schedule/options.h>
#include <schedule/report.h>

typedef struct answer {
    karp_admitted row;
    karp_flavour *flavours;
    karp_pod_explanation *changes; /* NULL = none were looked for */
    karp_request_condition conditions[MOST_CONDITIONS];
} answer;

struct karp_admission {
    karp_context *context;
    arena data;
    karp_decision *decision;
    answer *answers;
    size_t count;
};

#define BOOT INT64_C(60000000000)

static const karp_str nothing = { "", 0 };

const char *karp_admit_name(uint32_t verdict)
{
    static const char *const names[] = { "unknown", "now", "launch", "never" };
    return names[verdict <= KARP_ADMIT_NEVER ? verdict : 0];
}

void karp_admit_options_init(karp_admit_options *options, size_t size)
{
    const karp_admit_options fresh = { .size = sizeof fresh };
    struct_start(options, size, &fresh, sizeof fresh);
}

/* ---- what the decision says of each workload --------------------------------------------------------------------- */

typedef struct answering {
    karp_admission *out;
    queue_view *q;
    const karp_decision *d;
    const karp_admit_options *options;
    uint32_t *row_of; /* by group: 1 + its row in the decision */
    uint32_t *left_of; /* by root: 1 + the row of its first pod without a place */
    uint32_t *ignored_of; /* and of its first pod that was not considered */
    uint32_t *pods, *placed; /* by root */
    uint32_t *node_first; /* by root, and one more: where its nodes begin */
    karp_str *nodes;
    strbuf text;
    bool failed; /* some text was lost */
} answering;

/* The workload of a pod; NO_ID = of none. */
static uint32_t root_of_pod(const answering *a, uint32_t pod_number)
{
    uint32_t group = a->q->view.groups->of_pod[pod_number];
    return group == NO_ID ? NO_ID : queue_view_root(a->q, group);
}

/* The rows of groups are in the order of the index. */
static bool find_rows(answering *a)
{
    const karp_snapshot *s = &a->q->view;
    size_t row = 0;
    for (uint32_t i = 0; i < s->groups->count && row < a->d->groups.count; i++) {
        const member_group *g = &s->groups->items[i];
        const karp_group_outcome *o = &a->d->groups.items[row];
        strbuf_clear(&a->text);
        strbuf_addname(&a->text, text_of(s, g->name_space), name_of(s, g->name));
        if (a->text.failed) return false;
        if (o->source == g->source && (o->composite != 0) == g->composite &&
            equal_str(o->name, (karp_str){ a->text.ptr, a->text.len }))
            a->row_of[i] = (uint32_t)++row;
    }
    return true;
}

/* Counts the node for the workload of each of its pods; `into` is where they are listed, NULL = they are counted. */
static void put_node(answering *a, karp_str name, const uint32_t *pods, size_t count, uint32_t *seen, uint32_t number,
                     karp_str *into)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t root = root_of_pod(a, pods[i]);
        if (root == NO_ID) continue;
        if (into == NULL) a->placed[root]++;
        if (seen[root] == number) continue;
        seen[root] = number;
        if (into != NULL) into[a->node_first[root]] = name;
        a->node_first[root]++;
    }
}

static void put_nodes(answering *a, uint32_t *seen, uint32_t number, karp_str *into)
{
    for (size_t i = 0; i < a->d->launches.count; i++) {
        const karp_launch *l = &a->d->launches.items[i];
        put_node(a, l->id, l->pods, l->pod_count, seen, ++number, into);
    }
    for (size_t i = 0; i < a->d->placements.count; i++) {
        const karp_placement *p = &a->d->placements.items[i];
        put_node(a, p->node, p->pods, p->pod_count, seen, ++number, into);
    }
}

/* Lists the nodes of all workloads in one array. */
static bool list_nodes(answering *a)
{
    uint32_t groups = a->q->view.groups->count, rows = (uint32_t)(a->d->launches.count + a->d->placements.count);
    uint32_t *seen = arena_array(&a->q->data, groups + (size_t)1, sizeof *seen);
    if (seen == NULL) return false;
    put_nodes(a, seen, 0, NULL);
    uint32_t total = 0;
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t count = a->node_first[i];
        a->node_first[i] = total;
        total += count;
    }
    a->nodes = arena_array(&a->out->data, total + (size_t)1, sizeof *a->nodes);
    if (a->nodes == NULL) return false;
    put_nodes(a, seen, rows, a->nodes);
    for (uint32_t i = groups; i > 0; i--) a->node_first[i] = a->node_first[i - 1]; /* each was advanced to its end */
    a->node_first[0] = 0;
    return true;
}

/* Whether alternative x is tried before y. */
static bool comes_first(const queue_view *q, uint32_t x, uint32_t y)
{
    const struct group_index *all = q->view.groups;
    const pod_group *a = group_object(&q->view, &all->items[x]), *b = group_object(&q->view, &all->items[y]);
    return a != NULL && b != NULL && a->meta.creation < b->meta.creation;
}

/* Counts the pods of each workload; of alternatives those of the first. */
static bool count_pods(answering *a)
{
    const queue_view *q = a->q;
    const struct group_index *all = q->view.groups;
    uint32_t *first = arena_array(&a->q->data, all->count + (size_t)1, sizeof *first); /* 1 + the first alternative */
    if (first == NULL) return false;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t above = all->items[i].parent;
        const pod_group *o = above == NO_ID ? NULL : group_object(&q->view, &all->items[above]);
        if (o == NULL || !o->one_of) continue;
        if (first[above] == 0 || comes_first(q, i, first[above] - 1)) first[above] = i + 1;
    }
    for (uint32_t i = 0; i < q->pending_count; i++) {
        uint32_t at = all->of_pod[q->pending[i]], root = queue_view_root(q, at);
        bool counts = true;
        for (uint32_t depth = 0; at != root && counts && depth <= MOST_COMPOSITES; depth++, at = all->items[at].parent)
            counts = first[all->items[at].parent] == 0 || first[all->items[at].parent] == at + 1;
        a->pods[root] += counts;
    }
    return true;
}

static bool gather(answering *a)
{
    queue_view *q = a->q;
    size_t groups = q->view.groups->count + (size_t)2;
    a->row_of = arena_array(&q->data, groups, sizeof *a->row_of);
    a->left_of = arena_array(&q->data, groups, sizeof *a->left_of);
    a->ignored_of = arena_array(&q->data, groups, sizeof *a->ignored_of);
    a->pods = arena_array(&q->data, groups, sizeof *a->pods);
    a->placed = arena_array(&q->data, groups, sizeof *a->placed);
    a->node_first = arena_array(&q->data, groups, sizeof *a->node_first);
    if (a->row_of == NULL || a->left_of == NULL || a->ignored_of == NULL || a->pods == NULL || a->placed == NULL ||
        a->node_first == NULL)
        return false;
    if (!count_pods(a)) return false;
    for (size_t i = a->d->unschedulable.count; i-- > 0;) {
        uint32_t root = root_of_pod(a, a->d->unschedulable.items[i].pod);
        if (root != NO_ID) a->left_of[root] = (uint32_t)i + 1;
    }
    for (size_t i = a->d->ignored.count; i-- > 0;) {
        uint32_t root = root_of_pod(a, a->d->ignored.items[i].pod);
        if (root != NO_ID) a->ignored_of[root] = (uint32_t)i + 1;
    }
    bool found = find_rows(a);
    strbuf_clear(&a->text);
    return found && list_nodes(a);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static karp_str keep(answering *a, karp_str text)
{
    karp_str copy = { arena_string(&a->out->data, text.ptr, text.len), text.len };
    if (copy.ptr == NULL) a->failed = true;
    return copy;
}

/* The text that was built, which becomes empty. */
static karp_str take(answering *a)
{
    karp_str text = keep(a, (karp_str){ a->text.len > 0 ? a->text.ptr : "", a->text.len });
    a->failed = a->failed || a->text.failed;
    strbuf_clear(&a->text);
    return text;
}

static const karp_group_outcome *group_row(const answering *a, uint32_t group)
{
    return a->row_of[group] == 0 ? NULL : &a->d->groups.items[a->row_of[group] - 1];
}

/* The first group below a composite that keeps it from starting. */
static const karp_group_outcome *failed_below(const answering *a, uint32_t group)
{
    const struct group_index *all = a->q->view.groups;
    for (uint32_t i = 0; i < all->count; i++) {
        const karp_group_outcome *row = group_row(a, i);
        uint32_t above = i, depth = 0;
        if (i == group || all->items[i].composite || row == NULL || row->code == KARP_REASON_NONE) continue;
        while (above != NO_ID && above != group && depth++ <= MOST_COMPOSITES) above = all->items[above].parent;
        if (above == group) return row;
    }
    return NULL;
}

/* "ResourceFlavor spot: 5 of 8 fit; ResourceFlavor on-demand: …" Returns whether the workload has alternatives. */
static bool explain_alternatives(answering *a, uint32_t root)
{
    const queue_view *q = a->q;
    const queued *w = &q->workloads.items[root];
    for (uint32_t f = 0; f < w->resource_count; f++) {
        strbuf_adds(&a->text, f > 0 ? "; ResourceFlavor " : "ResourceFlavor ");
        strbuf_put(&a->text, "", text_of(&q->view, w->resources[f].flavor), ": ");
        strbuf_adds(&a->text, w->resources[f].at.why[0] != '\0' ? w->resources[f].at.why : "not all of it fits");
    }
    return w->resource_count > 0;
}

static void explain_failure(answering *a, uint32_t root, karp_admitted *row)
{
    const karp_group_outcome *g = group_row(a, root), *below = NULL;
    const karp_unschedulable *left = a->left_of[root] == 0 ? NULL : &a->d->unschedulable.items[a->left_of[root] - 1];
    const char *why = a->q->workloads.items[root].now.why;
    bool through = a->q->view.groups->items[root].child_count == 1; /* a composite with one group is as that group */
    const karp_ignored *ignored = a->ignored_of[root] == 0 ? NULL : &a->d->ignored.items[a->ignored_of[root] - 1];
    row->code = left != NULL ? left->code : ignored != NULL ? ignored->code : KARP_REASON_NOT_REACHED;
    if (g != NULL && g->code != KARP_REASON_NONE) {
        row->code = g->code;
        bool listed = explain_alternatives(a, root);
        if (!listed) strbuf_addstr(&a->text, *why != '\0' ? str(why) : g->detail);
        below = g->composite && !listed && (!through || *why == '\0') ? failed_below(a, root) : NULL;
        if (below != NULL) {
            strbuf_adds(&a->text, a->text.len > 0 ? "; " : "");
            strbuf_addstr(&a->text, below->name);
            strbuf_put(&a->text, ": ", below->detail, "");
        }
    } else {
        strbuf_addu(&a->text, row->placed);
        strbuf_putu(&a->text, " of ", row->pods, "");
        strbuf_put(&a->text,
                   " fit: ", left == NULL && ignored != NULL ? ignored->message : str(karp_reason_text(row->code)), "");
    }
    row->detail = take(a);
}

static uint32_t verdict_of(const workload_try *t)
{
    if (!t->starts) return KARP_ADMIT_NEVER;
    return t->waiting > 0 || t->launches > 0 ? KARP_ADMIT_LAUNCH : KARP_ADMIT_NOW;
}

/* "block-1/rack-2": the domains of the workload and of the only group below it that has places. */
static void add_domain(answering *a, uint32_t group)
{
    const struct group_index *all = a->q->view.groups;
    while (group != NO_ID) {
        const karp_group_outcome *o = group_row(a, group);
        uint32_t only = NO_ID, starting = 0;
        if (o != NULL && o->domain.len > 0) {
            strbuf_adds(&a->text, a->text.len > 0 ? "/" : "");
            strbuf_addstr(&a->text, o->domain);
        }
        for (uint32_t i = 0; i < all->count && all->items[group].composite; i++) {
            const karp_group_outcome *row = group_row(a, i);
            if (all->items[i].parent != group || row == NULL || row->placed == 0) continue;
            only = i;
            starting++;
        }
        group = starting == 1 ? only : NO_ID;
    }
}

static bool booked(const queue_view *q, uint32_t root)
{
    const pod_group *o = group_object(&q->view, &q->view.groups->items[root]);
    return o != NULL && o->booked;
}

static void fill_row(answering *a, uint32_t root, karp_admitted *row)
{
    const karp_snapshot *s = &a->q->view;
    const member_group *g = &s->groups->items[root];
    const queued *w = &a->q->workloads.items[root];
    int64_t boot = a->options->boot > 0 ? a->options->boot : BOOT;
    *row = (karp_admitted){ .size = sizeof *row,
                            .kind = keep(a, a->q->kinds[root]),
                            .verdict = verdict_of(&w->now),
                            .detail = nothing,
                            .priority = booked(a->q, root) ? 0 : s->groups->turns[root].priority,
                            .pods = a->pods[root],
                            .placed = a->placed[root],
                            .waiting = w->now.waiting,
                            .launches = w->now.launches,
                            .cost = w->now.cost,
                            .nodes = a->nodes + a->node_first[root],
                            .node_count = a->node_first[root + 1] - a->node_first[root] };
    strbuf_addname(&a->text, text_of(s, g->name_space), name_of(s, g->name));
    row->name = take(a);
    add_domain(a, root);
    row->domain = take(a);
    if (row->placed < w->now.placed && w->whole) row->verdict = KARP_ADMIT_NEVER; /* a launch was dropped */
    if (row->verdict == KARP_ADMIT_LAUNCH) row->ready_after = boot;
    if (row->verdict != KARP_ADMIT_NEVER) return;
    row->starts_alone = w->starts_alone;
    explain_failure(a, root, row);
}

static karp_str shown(answering *a, uint32_t id) { return id == NO_ID ? nothing : keep(a, text_of(&a->q->view, id)); }

static karp_flavour flavour_row(answering *a, const workload_try *t)
{
    return (karp_flavour){ .size = sizeof(karp_flavour),
                           .node_pool = nothing,
                           .zone = nothing,
                           .capacity_type = nothing,
                           .reservation = nothing,
                           .resource_flavor = nothing,
                           .verdict = verdict_of(t),
                           .placed = t->placed,
                           .launches = t->launches,
                           .cost = t->cost,
                           .detail = keep(a, str(t->why)) };
}

static bool fill_flavours(answering *a, uint32_t root, answer *out)
{
    const struct workloads *all = &a->q->workloads;
    const queued *w = &all->items[root];
    uint32_t others = w->flavours == NULL ? 0 : all->flavour_count, count = w->resource_count + others;
    if (count == 0) return true;
    out->flavours = arena_array(&a->out->data, count, sizeof *out->flavours);
    if (out->flavours == NULL) return false;
    out->row.flavour_count = count;
    for (uint32_t i = 0; i < w->resource_count; i++) {
        out->flavours[i] = flavour_row(a, &w->resources[i].at);
        out->flavours[i].resource_flavor = shown(a, w->resources[i].flavor);
    }
    for (uint32_t i = 0; i < others; i++) {
        const flavour *f = &all->flavours[i];
        karp_flavour *row = &out->flavours[w->resource_count + i];
        *row = flavour_row(a, &w->flavours[i]);
        row->node_pool = shown(a, f->pool);
        row->zone = shown(a, f->zone);
        row->capacity_type = shown(a, f->capacity_type);
        row->reservation = shown(a, f->reservation);
    }
    return true;
}

static void fill_conditions(const answering *a, uint32_t root, answer *out)
{
    const karp_snapshot *s = &a->q->view;
    const pod_group *o = group_object(s, &s->groups->items[root]);
    if (str_is(out->row.kind, "CapacityBuffer")) {
        out->row.condition_count = buffer_conditions(&out->row, a->q->workloads.items[root].offered, out->conditions);
        return;
    }
    if (o == NULL || o->source != KARP_GROUP_PROVISIONING_REQUEST || o->booked) return;
    const request_facts facts = { .class_name = text_of(s, o->request_class),
                                  .no_retry = o->no_retry,
                                  .refused = o->refused != NO_TEXT,
                                  .verdict = out->row.verdict };
    out->row.condition_count = request_conditions(&facts, out->conditions);
}

static bool fill(answering *a)
{
    karp_admission *out = a->out;
    out->answers = arena_array(&out->data, a->q->root_count + (size_t)1, sizeof *out->answers);
    if (out->answers == NULL || !gather(a)) return false;
    for (uint32_t i = 0; i < a->q->root_count; i++) {
        fill_row(a, a->q->roots[i], &out->answers[i].row);
        fill_conditions(a, a->q->roots[i], &out->answers[i]);
        if (!fill_flavours(a, a->q->roots[i], &out->answers[i]) || a->failed) return false;
    }
    out->count = a->q->root_count;
    return true;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* Finds out which of the workloads that do not start would start alone. */
static karp_status try_alone(scheduler *s, queue_view *q, karp_error *error)
{
    bool some = false;
    for (uint32_t i = 0; i < q->root_count && q->root_count > 1; i++) {
        queued *w = &q->workloads.items[q->roots[i]];
        w->alone = w->asked && w->tried && !w->now.starts;
        some = some || w->alone;
    }
    if (!some) return KARP_OK;
    q->workloads.alone = true;
    return scheduler_round(s, NULL, 0, NULL, 0, error);
}

/* Finds out for which capacity buffers no NodePool has anything, whatever is available now. */
static karp_status look_at_offers(scheduler *s, queue_view *q)
{
    for (uint32_t i = 0; i < q->root_count; i++) {
        queued *w = &q->workloads.items[q->roots[i]];
        const member_group *g = &q->view.groups->items[q->roots[i]];
        bool buffer = str_is(q->kinds[q->roots[i]], "CapacityBuffer") && g->pod_count > 0;
        if (buffer && !scheduler_is_offered(s, g->pods[0], &w->offered)) return KARP_E_NOMEM;
    }
    return KARP_OK;
}

static karp_status run(scheduler *s, queue_view *q, karp_decision **out, karp_error *error)
{
    scheduler_set_workloads(s, &q->workloads);
    karp_status status = scheduler_round(s, NULL, 0, NULL, 0, error);
    karp_decision *d = status == KARP_OK ? decision_new(&q->view) : NULL;
    if (status == KARP_OK) status = d != NULL ? report_plan(s, d) : KARP_E_NOMEM;
    if (status == KARP_OK && !report_limited(s, d)) status = KARP_E_NOMEM;
    if (status == KARP_OK) status = scheduler_stopped(s, error);
    *out = d;
    return status;
}

static karp_status find_all_changes(answering *a, const karp_options *options, karp_error *error)
{
    uint32_t left = a->options->most_changes;
    for (size_t i = 0; i < a->out->count && left > 0; i++) {
        answer *one = &a->out->answers[i];
        uint32_t root = a->q->roots[i], pod_number = a->q->workloads.items[root].left;
        if (one->row.verdict != KARP_ADMIT_NEVER) continue;
        if (pod_number == NO_ID && a->left_of[root] != 0)
            pod_number = a->d->unschedulable.items[a->left_of[root] - 1].pod;
        if (pod_number == NO_ID) continue;
        left--;
        karp_status status = find_changes(&a->q->view, options, a->out->decision, pod_number, &one->changes, error);
        if (status != KARP_OK) return status;
        one->row.change_count = karp_pod_explanation_remedy_count(one->changes);
    }
    return KARP_OK;
}

static karp_status admit(karp_admission *out, queue_view *q, const karp_admit_options *options,
                         const karp_options *common, karp_error *error)
{
    const run_options how = { .options = common };
    answering a = { .out = out, .q = q, .options = options };
    scheduler *s = NULL;
    q->workloads.by = options->flavours;
    if (options->flavours_up_to > 0 && q->root_count > options->flavours_up_to) q->workloads.by = 0;
    if (q->workloads.by & KARP_FLAVOUR_RESERVATION) q->workloads.by |= KARP_FLAVOUR_CAPACITY_TYPE;
    if (q->workloads.by & (KARP_FLAVOUR_ZONE | KARP_FLAVOUR_CAPACITY_TYPE)) q->workloads.by |= KARP_FLAVOUR_NODE_POOL;
    karp_status status = options->only.len > 0 ? queue_view_ask_only(q, options->only, error) : KARP_OK;
    if (status == KARP_OK) status = scheduler_new(&q->view, &how, &s, error);
    if (status != KARP_OK) return status;
    status = run(s, q, &out->decision, error);
    if (status == KARP_OK) status = try_alone(s, q, error);
    if (status == KARP_OK) status = look_at_offers(s, q);
    queue_view_drop_others(q);
    a.d = out->decision;
    strbuf_init(&a.text, out->context);
    if (status == KARP_OK && !fill(&a)) status = KARP_E_NOMEM;
    strbuf_free(&a.text);
    scheduler_free(s);
    return status == KARP_OK ? find_all_changes(&a, common, error) : status;
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

static karp_status check(const karp_admit_options *given, karp_admit_options *own, karp_options *common,
                         karp_error *error)
{
    karp_status status = struct_check(given, sizeof *own, SIZE_THROUGH(karp_admit_options, most_changes), own,
                                      "karp_admit_options", error);
    if (status == KARP_OK) status = options_check(own->common, common, error);
    if (status != KARP_OK) return status;
    if ((own->flavours & ~(uint32_t)KARP_FLAVOUR_ALL) != 0)
        return fail(error, KARP_E_INVALID, "unknown flavours of karp_admit_options: %u", (unsigned)own->flavours);
    if (own->reserved != 0) return fail_reserved(error, "karp_admit_options");
    if (!str_given(own->only)) return fail_null(error, "karp_admit_options.only");
    if (own->boot < 0) return fail(error, KARP_E_INVALID, "karp_admit_options: boot is negative");
    common->profile = KARP_PROFILE_KARP;
    common->objective = NULL;
    common->keep_partial = 0;
    return KARP_OK;
}

karp_status karp_admit(const karp_snapshot *snapshot, const karp_admit_options *options, karp_admission **out,
                       karp_error *error)
{
    karp_admit_options own;
    karp_options common;
    karp_snapshot seen;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the answers are needed");
    karp_status status = check(options, &own, &common, error);
    if (status != KARP_OK) return status;
    karp_admission *made = made_new(snapshot->context, sizeof *made);
    if (made == NULL) return context_nomem(snapshot->context, error);
    queue_view q;
    status = queue_view_init(&q, options_view(&common, snapshot, &seen)) ? admit(made, &q, &own, &common, error)
                                                                         : KARP_E_NOMEM;
    queue_view_free(&q);
    if (status == KARP_OK) {
        *out = made;
        return KARP_OK;
    }
    karp_admission_free(made);
    if (status == KARP_E_NOMEM) status = fail_nomem(error);
    return context_refusal(snapshot->context, status, error);
}

void karp_admission_free(karp_admission *admission)
{
    if (admission == NULL) return;
    for (size_t i = 0; i < admission->count; i++) karp_pod_explanation_free(admission->answers[i].changes);
    karp_decision_unref(admission->decision);
    made_free(admission, sizeof *admission);
}

const karp_decision *karp_admission_decision(const karp_admission *admission) { return admission->decision; }

size_t karp_admission_count(const karp_admission *admission) { return admission->count; }

karp_status karp_admission_at(const karp_admission *admission, size_t index, karp_admitted *out)
{
    if (index >= admission->count) return KARP_E_NOT_FOUND;
    return struct_give(out, &admission->answers[index].row, sizeof *out, SIZE_THROUGH(karp_admitted, change_count));
}

karp_status karp_admission_condition(const karp_admission *admission, size_t number, size_t index,
                                     karp_request_condition *out)
{
    if (number >= admission->count || index >= admission->answers[number].row.condition_count) return KARP_E_NOT_FOUND;
    return struct_give(out, &admission->answers[number].conditions[index], sizeof *out,
                       SIZE_THROUGH(karp_request_condition, message));
}

karp_status karp_admission_flavour(const karp_admission *admission, size_t number, size_t index, karp_flavour *out)
{
    if (number >= admission->count || index >= admission->answers[number].row.flavour_count) return KARP_E_NOT_FOUND;
    return struct_give(out, &admission->answers[number].flavours[index], sizeof *out,
                       SIZE_THROUGH(karp_flavour, detail));
}

karp_status karp_admission_change(const karp_admission *admission, size_t number, size_t index, karp_remedy *out)
{
    if (number >= admission->count || admission->answers[number].changes == NULL) return KARP_E_NOT_FOUND;
    return karp_pod_explanation_remedy(admission->answers[number].changes, index, out);
}
