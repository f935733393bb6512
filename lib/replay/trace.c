/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/trace.h>

#include <io/convert.h>

void trace_init(trace *t, karp_context *context)
{
    *t = (trace){ .context = context,
                  .begins = KARP_NO_TIME,
                  .ends = KARP_NO_TIME,
                  .boot = KARP_DURATION_UNSET,
                  .cluster_at = KARP_NO_TIME };
    arena_init(&t->memory, context);
    strings_init(&t->shapes, context);
    strings_init(&t->documents, context);
    io_table_init(&t->dumped, context);
    io_table_init(&t->machine_types, context);
}

void trace_free(trace *t)
{
    mem_free(t->context, t->events, t->capacity * sizeof *t->events);
    mem_free(t->context, t->objects, t->object_capacity * sizeof *t->objects);
    mem_free(t->context, t->autoscalers, t->autoscaler_capacity * sizeof *t->autoscalers);
    mem_free(t->context, t->rollouts, t->rollout_capacity * sizeof *t->rollouts);
    mem_free(t->context, t->jobs, t->job_capacity * sizeof *t->jobs);
    mem_free(t->context, t->daemons, t->daemon_capacity * sizeof *t->daemons);
    mem_free(t->context, t->dumped_pods, t->dumped_capacity * sizeof *t->dumped_pods);
    io_table_free(&t->dumped);
    io_table_free(&t->machine_types);
    strings_free(&t->shapes);
    strings_free(&t->documents);
    arena_free(&t->memory);
    *t = (trace){ .context = t->context };
}

karp_str trace_keep(trace *t, karp_str text)
{
    char *copy = arena_copy(&t->memory, text.ptr, text.len);
    return (karp_str){ copy, copy ? text.len : 0 };
}

uint32_t trace_shape(trace *t, karp_str pod) { return strings_add(&t->shapes, pod.ptr, pod.len); }

uint32_t trace_shape_of(trace *t, const trees *memory, const tree *pod)
{
    strbuf text = strbuf_on(t->context);
    tree_write(&text, pod);
    if (!text.failed && text.len > 0) io_auto_mode_rename(text.ptr, text.len);
    uint32_t shape = memory->status || text.failed ? NO_ID : trace_shape(t, (karp_str){ text.ptr, text.len });
    strbuf_free(&text);
    return shape;
}

bool trace_add(trace *t, const trace_event *event)
{
    if (!grow(t->context, (void **)&t->events, &t->capacity, t->count + 1, sizeof *t->events)) return false;
    t->events[t->count++] = *event;
    return true;
}

bool trace_add_object(trace *t, const trace_object *object)
{
    trace_object kept = { trace_keep(t, object->text), trace_keep(t, object->document), object->line };
    if (!kept.text.ptr || !kept.document.ptr ||
        !grow(t->context, (void **)&t->objects, &t->object_capacity, t->object_count + 1, sizeof kept))
        return false;
    t->objects[t->object_count++] = kept;
    return true;
}

bool trace_add_problems(trace *t, const karp_reader *reader, size_t from)
{
    for (size_t i = from; i < karp_reader_problem_count(reader); i++) {
        karp_str kept = trace_keep(t, karp_reader_warning(reader, i));
        if (!kept.ptr ||
            !arena_grow(&t->memory, (void **)&t->problems, &t->problem_capacity, t->problem_count + 1, sizeof kept))
            return false;
        t->problems[t->problem_count++] = kept;
    }
    return true;
}

/* ---- completion -------------------------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b, const void *user)
{
    const trace_event *x = a, *y = b;
    (void)user;
    return x->at < y->at ? -1 : x->at > y->at;
}

static const char *fault_of_pod(io_table *there, const trace_event *e, strbuf *key, bool *refused)
{
    strbuf_clear(key);
    strbuf_addname(key, e->of.pod.namespace_, e->of.pod.name);
    if (key->failed) {
        *refused = true;
        return NULL;
    }
    karp_str name = { key->ptr, key->len };
    bool exists = io_table_get(there, name) == 1, created = e->kind == TRACE_POD_CREATED;
    if (created && e->of.pod.name.len == 0) return "a pod without a name";
    if (created && exists) return "a pod is created that exists already";
    if (!created && !exists) return "a pod is deleted that does not exist";
    if (!io_table_put(there, name, created)) *refused = true;
    return NULL;
}

static const char *fault_of(io_table *there, const trace_event *e, strbuf *key, bool *refused)
{
    if (e->at == KARP_NO_TIME) return "an event without a time";
    if (e->lasts < 0 && e->lasts != KARP_DURATION_UNSET) return "a negative duration";
    if (e->kind == TRACE_POD_CREATED || e->kind == TRACE_POD_DELETED) return fault_of_pod(there, e, key, refused);
    return NULL;
}

static karp_status trace_fail(const trace_event *e, const char *why, karp_error *error)
{
    karp_status status = fail(error, KARP_E_INVALID, "%s", why);
    error_set_place(error, e->document, e->line, 0, KARP_NO_OFFSET);
    if (e->kind == TRACE_POD_CREATED || e->kind == TRACE_POD_DELETED)
        error_set_object(error, "Pod", e->of.pod.namespace_, e->of.pod.name);
    return status;
}

static karp_status check_events(trace *t, bool lenient, io_table *there, strbuf *key, karp_error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++) {
        bool refused = false;
        const char *why = fault_of(there, &t->events[i], key, &refused);
        if (refused) return fail_nomem(error);
        if (why && !lenient) return trace_fail(&t->events[i], why, error);
        if (why) t->notes++;
        else t->events[kept++] = t->events[i];
    }
    t->count = kept;
    return KARP_OK;
}

karp_status trace_sort(trace *t, karp_error *error)
{
    return sort_stable(t->context, t->events, t->count, sizeof *t->events, by_time, NULL) ? KARP_OK : fail_nomem(error);
}

karp_status trace_finish(trace *t, bool lenient, karp_error *error)
{
    io_table there;
    karp_status sorted = trace_sort(t, error);
    if (sorted) return sorted;
    io_table_init(&there, t->context);
    strbuf key = strbuf_on(t->context);
    karp_status status = check_events(t, lenient, &there, &key, error);
    io_table_free(&there);
    strbuf_free(&key);
    if (status) return status;
    if (t->begins == KARP_NO_TIME) t->begins = t->count ? t->events[0].at : 0;
    if (t->ends == KARP_NO_TIME) t->ends = t->count ? t->events[t->count - 1].at : t->begins;
    return KARP_OK;
}
