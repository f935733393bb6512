/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/library.h>
#include <replay/trace_workloads.h>

#include <replay/objects.h>

#include <base/bisect.h>

enum { MOST_REPLICAS = 1000000 };

karp_status workloads_init(workloads *w, trace *t, karp_str document, karp_str text, bool lenient, karp_error *error)
{
    *w = (workloads){ .t = t, .error = error, .text = text, .lenient = lenient };
    uint32_t id = strings_add(&t->documents, document.ptr, document.len);
    trees_init(&w->memory, t->context);
    io_table_init(&w->index, t->context);
    io_table_init(&w->names, t->context);
    if (id == NO_ID) return fail_nomem(error);
    w->document = strings_get(&t->documents, id);
    return KARP_OK;
}

void workloads_free(workloads *w)
{
    mem_free(w->t->context, w->list, w->capacity * sizeof *w->list);
    io_table_free(&w->index);
    io_table_free(&w->names);
    trees_free(&w->memory);
}

static void find_line_ends(workloads *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->text.len; i++) count += w->text.ptr[i] == '\n';
    w->line_ends = arena_array(&w->memory.memory, count + 1, sizeof *w->line_ends);
    for (size_t i = 0; w->line_ends && i < w->text.len; i++) {
        if (w->text.ptr[i] == '\n') w->line_ends[w->line_count++] = i;
    }
}

/* The line of a tree of the text, from 1; 0 = unknown. Events are in the order of time, which need not be the text's.
 */
static uint32_t line_of(workloads *w, const tree *at)
{
    if (!at || at->at == TREE_NOWHERE || at->at >= w->text.len) return 0;
    if (!w->line_ends) find_line_ends(w);
    bisection b = bisect(w->line_count);
    while (bisecting(&b)) bisect_step(&b, w->line_ends[b.at] < at->at);
    return w->line_ends ? (uint32_t)b.at + 1 : 0;
}

karp_status workloads_fault(workloads *w, const tree *at, const char *field, const char *why)
{
    if (w->lenient) {
        w->t->notes++;
        return KARP_OK;
    }
    karp_status status = fail(w->error, KARP_E_INVALID, "%s", why);
    error_set_place(w->error, w->document, line_of(w, at), 0, KARP_NO_OFFSET);
    if (field) error_set_field(w->error, "%s%s", w->event, field);
    return status;
}

/* ---- one workload ------------------------------------------------------------------------------------------------ */

/* Whether the name is that of an earlier workload. */
static bool name_taken(workloads *w, karp_str name)
{
    uint32_t *taken = io_table_at(&w->names, name);
    bool was = taken && *taken != IO_NONE;
    if (taken) *taken = 1;
    else w->memory.status = KARP_E_NOMEM;
    return was;
}

static workload *find(workloads *w, karp_str kind, karp_str namespace_, karp_str name)
{
    strbuf key = strbuf_on(w->t->context);
    strbuf_addstr(&key, kind);
    strbuf_addc(&key, ' ');
    strbuf_addname(&key, namespace_, name);
    uint32_t found = key.failed ? IO_NONE : io_table_get(&w->index, (karp_str){ key.ptr, key.len });
    if (found == IO_NONE && !key.failed &&
        grow(w->t->context, (void **)&w->list, &w->capacity, w->count + 1, sizeof *w->list)) {
        workload *one = &w->list[w->count];
        *one = (workload){ .kind = trace_keep(w->t, kind),
                           .namespace_ = trace_keep(w->t, namespace_),
                           .name = trace_keep(w->t, name),
                           .shape = NO_ID,
                           .shares_name = name_taken(w, (karp_str){ key.ptr + kind.len + 1, key.len - kind.len - 1 }) };
        if (one->kind.ptr && one->namespace_.ptr && one->name.ptr &&
            io_table_put(&w->index, (karp_str){ key.ptr, key.len }, (uint32_t)w->count))
            found = (uint32_t)w->count++;
    }
    strbuf_free(&key);
    return found == IO_NONE ? NULL : &w->list[found];
}

/* Kinds that have a number of replicas: first those whose pods are equal to each other. */
static const char *const scaled[] = { "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet" };
enum { SCALED = sizeof scaled / sizeof *scaled, REPLICATED = SCALED - 1 };

static bool add_event(workloads *w, const workload *one, int64_t at, uint64_t number, uint32_t kind, int64_t lasts,
                      const tree *source)
{
    trace_event event = {
        .at = at, .kind = kind, .shape = one->shape, .lasts = lasts, .document = w->document, .line = line_of(w, source)
    };
    strbuf name = strbuf_on(w->t->context);
    strbuf_addstr(&name, one->name);
    if (one->shares_name) strbuf_addc(&name, '-');
    for (size_t i = 0; one->shares_name && i < one->kind.len; i++) strbuf_addc(&name, ascii_lower(one->kind.ptr[i]));
    if (one->round) strbuf_adds(&name, "-v");
    if (one->round) strbuf_addu(&name, one->round);
    if (!str_is(one->kind, "Pod")) strbuf_addc(&name, '-');
    if (!str_is(one->kind, "Pod")) strbuf_addu(&name, number);
    event.of.pod.namespace_ = one->namespace_;
    event.of.pod.ordered = kind == TRACE_POD_CREATED && one->ordered;
    event.of.pod.surplus = kind == TRACE_POD_DELETED && str_in_words(one->kind, scaled, REPLICATED);
    event.of.pod.name = name.failed ? (karp_str){ NULL, 0 } : trace_keep(w->t, (karp_str){ name.ptr, name.len });
    strbuf_free(&name);
    return karp_context_work(w->t->context, 16) && event.of.pod.name.ptr && trace_add(w->t, &event);
}

static bool scale(workloads *w, workload *one, int64_t at, uint64_t replicas, const tree *source)
{
    bool fine = true;
    while (one->pods < replicas && fine)
        fine = add_event(w, one, at, one->pods++, TRACE_POD_CREATED, KARP_DURATION_UNSET, source);
    while (one->pods > replicas && fine)
        fine = add_event(w, one, at, --one->pods, TRACE_POD_DELETED, KARP_DURATION_UNSET, source);
    return fine;
}

/* Changes the template: deletes all pods of the old one and creates as many of the new one. */
static bool take_shape(workloads *w, workload *one, int64_t at, uint32_t shape, const tree *source)
{
    if (shape == NO_ID) return false;
    bool fine = one->shape == shape || scale(w, one, at, 0, source);
    if (one->shape != shape && one->shape != NO_ID) one->round++;
    one->shape = shape;
    return fine;
}

karp_status workloads_set(workloads *w, int64_t at, const tree *source, karp_str kind, karp_str namespace_,
                          karp_str name, tree *pod, uint64_t replicas, int64_t lasts)
{
    workload *one = find(w, kind, namespace_, name);
    bool fine = one && take_shape(w, one, at, trace_shape_of(w->t, &w->memory, pod), source);
    if (one) one->there = true;
    if (fine && lasts == KARP_DURATION_UNSET) fine = scale(w, one, at, replicas, source);
    for (uint64_t i = one ? one->pods : 0; fine && lasts != KARP_DURATION_UNSET && i < replicas; i++) {
        fine = add_event(w, one, at, i, TRACE_POD_CREATED, lasts, source);
        one->pods = i + 1;
    }
    return fine ? KARP_OK : fail_nomem(w->error);
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* Kinds that decisions read besides pods and nodes. */
static bool is_read(karp_str kind)
{
    static const char kinds[] =
        "NodePool DaemonSet PodDisruptionBudget NodeOverlay StorageClass PersistentVolume PriorityClass "
        "CSINode PersistentVolumeClaim Namespace VerticalPodAutoscaler";
    return str_in_list(kind, kinds) || str_ends(kind, "NodeClass"); /* each cloud has its own */
}

static const tree *at_path(const tree *object, const char *path)
{
    while (object && *path == '/') {
        size_t length = strcspn(path + 1, "/");
        char name[64];
        if (length >= sizeof name) return NULL;
        memcpy(name, path + 1, length);
        name[length] = '\0';
        object = tree_get(object, name);
        path += length + 1;
    }
    return object;
}

static karp_status keep_object(workloads *w, int64_t at, const tree *object)
{
    strbuf text = strbuf_on(w->t->context);
    tree_write(&text, object);
    karp_str given = { text.ptr, text.len };
    bool first = w->t->begins == KARP_NO_TIME || at <= w->t->begins ||
                 str_is(tree_get_text(object, "kind"), "PodDisruptionBudget");
    trace_event event = { .at = at,
                          .kind = TRACE_OBJECT_APPLIED,
                          .lasts = KARP_DURATION_UNSET,
                          .document = w->document,
                          .line = line_of(w, object) };
    bool fine = !text.failed;
    if (fine && first) fine = trace_add_object(w->t, &(trace_object){ given, event.document, event.line });
    else if (fine) fine = (event.of.text = trace_keep(w->t, given)).ptr && trace_add(w->t, &event);
    strbuf_free(&text);
    return fine ? KARP_OK : fail_nomem(w->error);
}

static karp_status count_of(workloads *w, const tree *spec, const char *name, int64_t absent, int64_t *out)
{
    const tree *value = tree_get(spec, name);
    *out = absent;
    if (tree_is_null(value)) return KARP_OK;
    if (tree_integer(value, out) && *out >= 0 && *out <= MOST_REPLICAS) return KARP_OK;
    *out = 0;
    return workloads_fault(w, value, name, "not a number from 0 to 1000000");
}

/* Checks the maximum run time of a Job. */
static karp_status check_deadline(workloads *w, const tree *spec)
{
    static const char name[] = "activeDeadlineSeconds";
    const tree *value = tree_get(spec, name);
    int64_t seconds = 0;
    if (tree_is_null(value) || (tree_integer(value, &seconds) && seconds >= 0)) return KARP_OK;
    return workloads_fault(w, value, name, "not a number of seconds");
}

/* A Job's pods end by themselves: up to `parallelism` at a time, until there were enough completions. */
static karp_status apply_job(workloads *w, int64_t at, const tree *object, workload *one)
{
    const tree *spec = tree_get(object, "spec");
    int64_t at_once = 0, wanted = 0;
    karp_status status = check_deadline(w, spec);
    if (!status) status = count_of(w, spec, "parallelism", 1, &at_once);
    if (!status) status = count_of(w, spec, "completions", at_once, &wanted);
    if (at_once == 0 || status) return status;
    for (uint64_t i = one->pods; i < (uint64_t)wanted; i++) {
        int64_t lasts = w->lasts ? w->lasts(w->user, one, object, i) : KARP_DURATION_UNSET;
        int64_t wave = lasts == KARP_DURATION_UNSET ? 0 : lasts, starts = 0;
        if (lasts == KARP_DURATION_UNSET && i >= (uint64_t)at_once) break;
        if (__builtin_mul_overflow((int64_t)(i / (uint64_t)at_once), wave, &starts) ||
            __builtin_add_overflow(at, starts, &starts))
            return workloads_fault(w, object, "spec.completions", "the last pods start more than 292 years after 1970");
        if (!add_event(w, one, starts, i, TRACE_POD_CREATED, lasts, object)) return fail_nomem(w->error);
        one->pods = i + 1;
    }
    return KARP_OK;
}

karp_status workloads_apply(workloads *w, int64_t at, const tree *object, const char *template_path)
{
    const tree *metadata = tree_get(object, "metadata"), *spec = tree_get(object, "spec");
    karp_str kind = tree_get_text(object, "kind"), name = tree_get_text(metadata, "name"),
             namespace_ = tree_get_text(metadata, "namespace");
    if (kind.len == 0) return workloads_fault(w, object, "kind", "an object without a kind");
    if (is_read(kind)) return keep_object(w, at, object);
    bool is_pod = str_is(kind, "Pod"), is_job = str_is(kind, "Job");
    if (!is_pod && !is_job && !str_in_words(kind, scaled, SCALED) && !template_path) return KARP_OK;
    if (name.len == 0) return workloads_fault(w, object, "metadata.name", "an object without a name");
    if (namespace_.len == 0) namespace_ = str("default");
    const tree *template_ = template_path ? at_path(object, template_path)
                            : is_pod      ? object
                                          : tree_get(spec, "template");
    if (!template_) return workloads_fault(w, object, "spec.template", "a workload without a pod template");
    int64_t replicas = 0;
    karp_status status = count_of(w, spec, "replicas", 1, &replicas);
    if (status) return status;
    tree *pod = is_pod ? replay_lean_pod(&w->memory, object)
                       : replay_template_pod(&w->memory, kind, name, template_, namespace_);
    if (str_is(kind, "StatefulSet")) {
        workload *set = find(w, kind, namespace_, name);
        if (!set) return fail_nomem(w->error);
        set->ordered = !str_is(tree_get_text(spec, "podManagementPolicy"), "Parallel");
    }
    if (!is_pod && !is_job)
        return workloads_set(w, at, object, kind, namespace_, name, pod, (uint64_t)replicas, KARP_DURATION_UNSET);
    workload *one = find(w, kind, namespace_, name);
    if (!one || !take_shape(w, one, at, trace_shape_of(w->t, &w->memory, pod), object)) return fail_nomem(w->error);
    one->there = true;
    if (is_job) return apply_job(w, at, object, one);
    int64_t lasts = w->lasts ? w->lasts(w->user, one, object, 0) : KARP_DURATION_UNSET;
    return workloads_set(w, at, object, kind, namespace_, name, pod, 1, lasts);
}

karp_status workloads_scale(workloads *w, int64_t at, const tree *source, karp_str kind, karp_str key, int64_t replicas)
{
    const char *slash = key.len ? memchr(key.ptr, '/', key.len) : NULL;
    size_t length = slash ? (size_t)(slash - key.ptr) : 0;
    if (!slash) return workloads_fault(w, source, "key", "not a key like default/web");
    if (replicas < 0 || replicas > MOST_REPLICAS)
        return workloads_fault(w, source, "replicas", "not a number from 0 to 1000000");
    workload *one = find(w, kind, (karp_str){ key.ptr, length }, (karp_str){ slash + 1, key.len - length - 1 });
    if (!one) return fail_nomem(w->error);
    if (!one->there) return workloads_fault(w, source, "key", "a workload is scaled that does not exist");
    return scale(w, one, at, (uint64_t)replicas, source) ? KARP_OK : fail_nomem(w->error);
}

karp_status workloads_delete(workloads *w, int64_t at, const tree *source, const char *field, karp_str kind,
                             karp_str namespace_, karp_str name)
{
    bool makes_pods = str_is(kind, "Pod") || str_is(kind, "Job") || str_in_words(kind, scaled, SCALED);
    workload *one = find(w, kind, namespace_.len ? namespace_ : str("default"), name);
    if (!one) return fail_nomem(w->error);
    if (!one->there && makes_pods)
        return workloads_fault(w, source, field, "a workload is deleted that does not exist");
    if (!one->there) return KARP_OK;
    one->there = false;
    return scale(w, one, at, 0, source) ? KARP_OK : fail_nomem(w->error);
}
