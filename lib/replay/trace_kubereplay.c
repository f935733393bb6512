/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubereplay's replay.json: Deployments and Jobs that were created, scaled and deleted according to an EKS audit log.
 */
#include <replay/trace_read.h>
#include <replay/common.h>
#include <replay/trace_workloads.h>

static int64_t deadline(void *user, const workload *w, const tree *object, uint64_t number)
{
    int64_t seconds = 0;
    (void)user;
    (void)w;
    (void)number;
    bool has_deadline = tree_integer(tree_get(tree_get(object, "spec"), "activeDeadlineSeconds"), &seconds);
    return has_deadline && seconds >= 0 && seconds < INT64_C(300000000) ? seconds * SECOND : KARP_DURATION_UNSET;
}

/* In kubereplay's files objects lack their kind: the event has it. */
static karp_status create(workloads *w, int64_t at, const tree *event, karp_str kind)
{
    tree *object = tree_get(event, str_is(kind, "Job") ? "job" : "deployment");
    if (!tree_is(object, TREE_MAP))
        return workloads_fault(w, event, "deployment", "a workload is created without its object");
    tree *typed = tree_new(&w->memory, TREE_MAP);
    static const char *const kept[] = { "metadata", "spec" };
    for (size_t i = 0; i < 2; i++) {
        tree *member = tree_get(object, kept[i]);
        if (member) tree_set(&w->memory, typed, kept[i], member);
    }
    tree_set_text(&w->memory, typed, "kind", kind);
    if (!typed) return fail_nomem(w->error);
    typed->at = object->at;
    return workloads_apply(w, at, typed, NULL);
}

static karp_status take_event(workloads *w, const tree *event)
{
    karp_str type = tree_get_text(event, "type"), kind = tree_get_text(event, "kind"),
             key = tree_get_text(event, "key");
    int64_t at = 0, replicas = 0;
    if (karp_time_parse(tree_get_text(event, "timestamp"), &at))
        return workloads_fault(w, event, "timestamp", "not a time like 2026-11-21T10:00:00Z");
    if (!str_is(kind, "Deployment") && !str_is(kind, "Job"))
        return workloads_fault(w, event, "kind", "not Deployment or Job");
    if (w->t->begins == KARP_NO_TIME || at < w->t->begins) w->t->begins = at;
    if (at > w->t->ends) w->t->ends = at;
    if (str_is(type, "create")) return create(w, at, event, kind);
    if (str_is(type, "scale")) {
        if (!tree_integer(tree_get(event, "replicas"), &replicas))
            return workloads_fault(w, event, "replicas", "not a number from 0 to 1000000");
        return workloads_scale(w, at, event, kind, key, replicas);
    }
    if (!str_is(type, "delete")) return workloads_fault(w, event, "type", "not create, scale or delete");
    const char *slash = key.len ? memchr(key.ptr, '/', key.len) : NULL;
    size_t length = slash ? (size_t)(slash - key.ptr) : 0;
    if (!slash) return workloads_fault(w, event, "key", "not a key like default/web");
    return workloads_delete(w, at, event, "key", kind, (karp_str){ key.ptr, length },
                            (karp_str){ slash + 1, key.len - length - 1 });
}

static int by_time(const void *a, const void *b, const void *user)
{
    int64_t x = 0, y = 0;
    (void)user;
    (void)karp_time_parse(tree_get_text(*(const tree *const *)a, "timestamp"), &x);
    (void)karp_time_parse(tree_get_text(*(const tree *const *)b, "timestamp"), &y);
    return x < y ? -1 : x > y;
}

karp_status trace_read_kubereplay(trace *t, karp_str name, karp_str text, bool lenient, karp_error *error)
{
    workloads w;
    tree *root = NULL;
    karp_status status = workloads_init(&w, t, name, text, lenient, error);
    w.lasts = deadline;
    if (!status) status = tree_read(&w.memory, name, text, &root, error);
    const tree *events = tree_get(root, "events");
    size_t count = tree_is(events, TREE_LIST) ? tree_count(events) : 0;
    w.lenient = false;
    if (!status && !tree_is(events, TREE_LIST)) status = workloads_fault(&w, root, "events", "a replay log has events");
    w.lenient = lenient;
    /* Sorts the events by time, as kubereplay does: scale events come from another query of the log. */
    const tree **order = status ? NULL : mem_alloc(t->context, count * sizeof *order);
    if (!status && !order) status = fail_nomem(error);
    for (size_t i = 0; i < count && order; i++) order[i] = tree_item(events, i);
    if (!status && !sort_stable(t->context, order, count, sizeof *order, by_time, NULL)) status = fail_nomem(error);
    for (size_t i = 0; i < count && !status; i++) status = take_event(&w, order[i]);
    if (!status && w.memory.status) status = fail_nomem(error);
    mem_free(t->context, order, count * sizeof *order);
    workloads_free(&w);
    return status;
}
