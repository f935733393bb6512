/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/replay.h>

#include <io/sizes.h>

/* ---- what the reader is told ------------------------------------------------------------------------------------- */

static karp_status add_usage(replay *r, karp_reader *reader, const karp_replay_usage *usage)
{
    enum { PATH_ROOM = 4096 };
    char path[PATH_ROOM];
    karp_str name = usage->document.name;
    if (usage->document.text.ptr)
        return karp_reader_add_usage(reader, name, usage->document.text, usage->resource, &r->error);
    if (name.len >= PATH_ROOM) return fail(&r->error, KARP_E_INVALID, "a path that is too long");
    str_shorten(path, sizeof path, name);
    return karp_reader_add_usage_path(reader, path, usage->resource, &r->error);
}

/* The pod of a shape, in memory that is cleared for it. NULL = a failure. */
static tree *read_shape(const trace *t, trees *memory, uint32_t shape)
{
    tree *pod = NULL;
    karp_error error = { .size = sizeof error };
    trees_clear(memory);
    (void)tree_read(memory, str("a pod of the trace"), strings_get(&t->shapes, shape), &pod, &error);
    return pod;
}

/* Names the trace's pods, so that a table of usage finds their workloads. */
static bool name_pods(const trace *t, karp_reader *reader)
{
    size_t shapes = t->shapes.count, bytes = (shapes + 1) * sizeof(uint32_t);
    uint32_t *numbers = mem_alloc(t->context, bytes);
    trees memory = trees_on(t->context);
    bool fine = numbers != NULL;
    for (uint32_t i = 0; i < shapes && fine; i++) {
        const tree *pod = read_shape(t, &memory, i);
        fine = pod != NULL;
        if (fine) numbers[i] = io_size_elsewhere(reader, pod);
        fine = fine && reader->sizes->status == KARP_OK;
    }
    for (size_t i = 0; i < t->count && fine; i++) {
        const trace_event *e = &t->events[i];
        if (e->kind == TRACE_POD_CREATED && numbers[e->shape] != IO_NONE)
            fine = io_size_name_elsewhere(reader, numbers[e->shape], e->of.pod.namespace_, e->of.pod.name);
    }
    trees_free(&memory);
    mem_free(t->context, numbers, bytes);
    return fine;
}

/* ---- the pods of the trace --------------------------------------------------------------------------------------- */

typedef struct resizing {
    replay *r;
    karp_reader *reader;
    trees memory;
    strings shapes; /* the new ones */
    uint32_t *map, *workloads; /* by the number of the old one */
} resizing;

static bool resize_shape(resizing *z, uint32_t shape)
{
    const trace *t = &z->r->base.trace;
    tree *pod = read_shape(t, &z->memory, shape);
    if (!pod) return false;
    z->workloads[shape] = io_sized_elsewhere(z->reader, pod);
    tree *spec = z->workloads[shape] == IO_NONE
                     ? NULL
                     : io_resized_spec(z->reader, &z->memory, z->workloads[shape], tree_get(pod, "spec"));
    strbuf text = strbuf_on(t->context);
    if (spec) tree_set(&z->memory, pod, "spec", spec);
    tree_write(&text, pod);
    if (!text.failed && !z->memory.status) z->map[shape] = strings_add(&z->shapes, text.ptr, text.len);
    strbuf_free(&text);
    return z->map[shape] != NO_ID;
}

static void move(const resizing *z, uint32_t *shape)
{
    if (*shape != NO_ID) *shape = z->map[*shape];
}

static void move_shapes(const resizing *z, trace *t)
{
    for (size_t i = 0; i < t->count; i++) {
        trace_event *e = &t->events[i];
        uint32_t workload = e->kind == TRACE_POD_CREATED ? z->workloads[e->shape] : IO_NONE;
        if (workload != IO_NONE) z->reader->sizes->sized[workload].pods++;
        if (e->kind == TRACE_POD_CREATED || e->kind == TRACE_POD_DELETED) move(z, &e->shape);
    }
    for (size_t i = 0; i < t->daemon_count; i++) move(z, &t->daemons[i].shape);
    for (size_t i = 0; i < t->autoscaler_count; i++) move(z, &t->autoscalers[i].shape);
    for (size_t i = 0; i < t->rollout_count; i++) {
        for (size_t k = 0; k < t->rollouts[i].count; k++) {
            move(z, &t->rollouts[i].stated[k]);
            move(z, &t->rollouts[i].shapes[k]);
        }
    }
}

static bool resize_shapes(resizing *z, trace *t)
{
    for (uint32_t i = 0; i < t->shapes.count; i++) {
        z->map[i] = NO_ID;
        if (!resize_shape(z, i)) return false;
    }
    move_shapes(z, t);
    const strings old = t->shapes;
    t->shapes = z->shapes;
    z->shapes = old;
    return true;
}

/* The object with its new requests, if it is a DaemonSet that has some. */
static void resize_daemons(karp_reader *reader, trees *t, tree *object)
{
    const tree *metadata = tree_get(object, "metadata");
    karp_str kind = tree_get_text(object, "kind"), space = tree_get_text(metadata, "namespace");
    if (!str_is(kind, "DaemonSet")) return;
    uint32_t workload = io_sized_of(reader, kind, space.len ? space : str("default"), tree_get_text(metadata, "name"));
    tree *template_ = tree_get(tree_get(object, "spec"), "template");
    tree *spec = workload == IO_NONE ? NULL : io_resized_spec(reader, t, workload, tree_get(template_, "spec"));
    if (spec) tree_set(t, template_, "spec", spec);
}

/* DaemonSets that the trace applies later on. */
static bool resize_applied(resizing *z, trace *t)
{
    bool fine = true;
    for (size_t i = 0; i < t->count && fine; i++) {
        trace_event *e = &t->events[i];
        tree *object = NULL;
        strbuf text;
        karp_error error = { .size = sizeof error };
        if (e->kind != TRACE_OBJECT_APPLIED) continue;
        trees_clear(&z->memory);
        if (tree_read(&z->memory, e->document, e->of.text, &object, &error) != KARP_OK) continue;
        if (!str_is(tree_get_text(object, "kind"), "DaemonSet")) continue;
        resize_daemons(z->reader, &z->memory, object);
        strbuf_init(&text, t->context);
        tree_write(&text, object);
        e->of.text = trace_keep(t, (karp_str){ text.ptr, text.len });
        fine = !text.failed && !z->memory.status && e->of.text.ptr;
        strbuf_free(&text);
    }
    return fine;
}

static karp_status resize_trace(karp_reader *reader, void *user)
{
    replay *r = user;
    trace *t = &r->base.trace;
    resizing z = { .r = r, .reader = reader };
    size_t bytes = (t->shapes.count + 1) * sizeof *z.map;
    z.map = mem_alloc(t->context, bytes);
    z.workloads = mem_alloc(t->context, bytes);
    trees_init(&z.memory, t->context);
    strings_init(&z.shapes, t->context);
    bool fine = z.map && z.workloads && resize_shapes(&z, t) && resize_applied(&z, t);
    trees_free(&z.memory);
    strings_free(&z.shapes);
    mem_free(t->context, z.map, bytes);
    mem_free(t->context, z.workloads, bytes);
    return fine || reader->sizes->status ? reader->sizes->status : io_reader_nomem(reader);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

karp_status replay_read_requests(replay *r, karp_reader *reader)
{
    const karp_replay_options *o = &r->options;
    if (!o->requests) return KARP_OK;
    karp_status status = karp_reader_recommend_requests(reader, o->requests, &r->error);
    for (size_t i = 0; i < o->usage_count && !status; i++) status = add_usage(r, reader, &o->usage[i]);
    if (status) return status;
    reader->sizes->resize_elsewhere = resize_trace;
    reader->sizes->user = r;
    return name_pods(&r->base.trace, reader) ? KARP_OK : fail_nomem(&r->error);
}

karp_status replay_resize_objects(replay *r)
{
    karp_reader *reader = r->sized;
    trees *t = &r->base.reader->trees;
    if (!reader || r->cluster.ptr) return KARP_OK; /* the cluster is what the reader made of them */
    for (size_t i = 0; i < tree_count(r->base.objects); i++) {
        tree *object = tree_item(r->base.objects, i);
        bool is_pod = str_is(tree_get_text(object, "kind"), "Pod");
        uint32_t workload = is_pod ? io_sized_of_pod(reader, object) : IO_NONE;
        tree *spec = workload == IO_NONE ? NULL : io_resized_spec(reader, t, workload, tree_get(object, "spec"));
        if (spec) tree_set(t, object, "spec", spec);
        else if (!is_pod) resize_daemons(reader, t, object);
    }
    return t->status || reader->sizes->status ? fail_nomem(&r->error) : KARP_OK;
}
