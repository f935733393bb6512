/* SPDX-License-Identifier: Apache-2.0 */
#include <io/story.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_REPLICAS = 1000000 };

karp_status story_fail(story *s, karp_status status, const char *format, ...)
{
    char message[sizeof s->error.message];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return io_fail(&s->error, status, "%s", message);
}

karp_status story_nomem(story *s) { return io_nomem(&s->error); }

/* ---- files ------------------------------------------------------------------------------------------------------------ */

static karp_status take_into(karp_reader *reader, json_t *tree, const io_place *place, void *user)
{
    json_t *list = user, *items = io_get(tree, "items");
    (void)place;
    if (!json_is_array(items)) return json_array_append(list, tree) == 0 ? KARP_OK : io_reader_nomem(reader);
    return json_array_extend(list, items) == 0 ? KARP_OK : io_reader_nomem(reader);
}

static karp_status read_documents(story *s, const char *path, json_t *list)
{
    s->reader->take = take_into;
    s->reader->take_user = list;
    karp_status status = io_read_path(s->reader, path);
    if (status) s->error = s->reader->error;
    return status;
}

static karp_status read_named(story *s, karp_str directory, karp_str name)
{
    io_text path;
    io_text_init(&path, s->context);
    if (directory.len && (name.len == 0 || name.ptr[0] != '/')) {
        io_text_add(&path, directory.ptr, directory.len);
        io_text_addc(&path, '/');
    }
    io_text_add(&path, name.ptr, name.len);
    karp_status status = path.failed ? story_nomem(s) : KARP_OK;
    if (!status && io_str_ends(name, ".json")) status = story_fail(s, KARP_E_UNSUPPORTED, "a story's files are YAML");
    if (!status) status = read_documents(s, path.ptr, s->base);
    io_text_free(&path);
    return status;
}

/* ---- what the engine has to know of the objects ------------------------------------------------------------------------- */

static karp_status add_workload(story *s, json_t *object)
{
    void *data = s->workloads;
    const json_t *metadata = io_get(object, "metadata"), *replicas = io_get(io_get(object, "spec"), "replicas");
    if (!io_grow(s->context, &data, &s->workload_capacity, s->workload_count + 1, sizeof *s->workloads))
        return story_nomem(s);
    s->workloads = data;
    json_int_t count = json_is_integer(replicas) ? json_integer_value(replicas) : 1;
    if (count < 0 || count > MOST_REPLICAS)
        return story_fail(s, KARP_E_INVALID, "a Deployment's replicas are not a number from 0 to 1000000");
    story_workload *w = &s->workloads[s->workload_count++];
    *w = (story_workload){ .object = object,
                           .namespace_ = io_get_text(metadata, "namespace"),
                           .name = io_get_text(metadata, "name"),
                           .replicas = (uint64_t)count };
    if (w->namespace_.len == 0) w->namespace_ = io_str("default");
    return json_array_append(s->workload_objects, object) == 0 ? KARP_OK : story_nomem(s);
}

/* How long a node of the pool has to be left alone before it may be consolidated. */
static int64_t window_of(const json_t *object)
{
    const json_t *spec = io_get(object, "spec"), *ttl = io_get(spec, "ttlSecondsAfterEmpty");
    int64_t window = 0;
    if (io_str_is(io_get_text(object, "kind"), "Provisioner")) {
        if (json_is_integer(ttl) && json_integer_value(ttl) >= 0 && json_integer_value(ttl) < INT32_MAX)
            return (int64_t)json_integer_value(ttl) * INT64_C(1000000000);
        return json_is_true(io_get(io_get(spec, "consolidation"), "enabled")) ? 0 : KARP_DURATION_NEVER;
    }
    karp_str after = io_get_text(io_get(spec, "disruption"), "consolidateAfter");
    if (after.len == 0) return 0;
    return karp_duration_parse(after, &window) == KARP_OK ? window : KARP_DURATION_NEVER;
}

static karp_status add_pool(story *s, const json_t *object)
{
    void *data = s->pools;
    if (!io_grow(s->context, &data, &s->pool_capacity, s->pool_count + 1, sizeof *s->pools)) return story_nomem(s);
    s->pools = data;
    s->pools[s->pool_count++] = (story_pool){ io_get_text(io_get(object, "metadata"), "name"), window_of(object) };
    return KARP_OK;
}

static karp_status sort_out(story *s)
{
    for (size_t i = 0; i < json_array_size(s->base);) {
        json_t *object = json_array_get(s->base, i);
        karp_str kind = io_get_text(object, "kind");
        karp_status status = KARP_OK;
        bool workload = io_str_is(kind, "Deployment");
        if (workload) status = add_workload(s, object);
        else if (io_str_is(kind, "NodePool") || io_str_is(kind, "Provisioner")) status = add_pool(s, object);
        else if (io_str_is(kind, "Snapshot"))
            status = story_fail(s, KARP_E_UNSUPPORTED, "a story begins with objects, not with a Snapshot");
        if (status) return status;
        if (workload) (void)json_array_remove(s->base, i);
        else i++;
    }
    return KARP_OK;
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

static karp_status read_scale(story *s, size_t index, const json_t *given, story_step *step)
{
    karp_str name = io_get_text(given, "deployment"), space = io_get_text(given, "namespace");
    const json_t *replicas = io_get(given, "replicas");
    if (!json_is_integer(replicas) || json_integer_value(replicas) < 0 ||
        json_integer_value(replicas) > MOST_REPLICAS) {
        return story_fail(s, KARP_E_INVALID, "steps[%zu].scale.replicas: not a number from 0 to 1000000", index);
    }
    *step = (story_step){ .what = STORY_SCALE,
                          .replicas = (uint64_t)json_integer_value(replicas),
                          .workload = IO_NONE };
    if (space.len == 0) space = io_str("default");
    for (size_t i = 0; i < s->workload_count; i++) {
        if (io_str_equal(s->workloads[i].name, name) && io_str_equal(s->workloads[i].namespace_, space))
            step->workload = (uint32_t)i;
    }
    return step->workload != IO_NONE
               ? KARP_OK
               : story_fail(s, KARP_E_NOT_FOUND, "steps[%zu].scale.deployment: no such Deployment", index);
}

static karp_status read_step(story *s, size_t index, const json_t *given)
{
    void *data = s->steps;
    const json_t *scale = io_get(given, "scale");
    karp_str wait = io_get_text(given, "wait"), expire = io_get_text(given, "expire");
    if (!io_grow(s->context, &data, &s->step_capacity, s->step_count + 1, sizeof *s->steps)) return story_nomem(s);
    s->steps = data;
    story_step *step = &s->steps[s->step_count++];
    *step = (story_step){ .what = STORY_EXPIRE, .node = expire };
    if (json_object_size(given) != 1)
        return story_fail(s, KARP_E_INVALID, "steps[%zu]: one of scale, wait and expire is wanted", index);
    if (scale) return read_scale(s, index, scale, step);
    if (expire.len) return KARP_OK;
    step->what = STORY_WAIT;
    if (wait.len == 0)
        return story_fail(s, KARP_E_INVALID, "steps[%zu]: one of scale, wait and expire is wanted", index);
    if (karp_duration_parse(wait, &step->duration) || step->duration < 0) {
        return story_fail(s, KARP_E_INVALID, "steps[%zu].wait: not a duration like 10m", index);
    }
    return KARP_OK;
}

static karp_status read_head(story *s)
{
    karp_str start = io_get_text(s->root, "start"), delay = io_get_text(s->root, "nodeReadyAfter"),
             rules = io_get_text(s->root, "semantics");
    if (!io_str_is(io_get_text(s->root, "kind"), "Story"))
        return story_fail(s, KARP_E_INVALID, "a document of kind Story is wanted");
    if (karp_time_parse(start.len ? start : io_str("2026-01-01T00:00:00Z"), &s->now))
        return story_fail(s, KARP_E_INVALID, "start: not a time");
    if (karp_duration_parse(delay.len ? delay : io_str("60s"), &s->delay) || s->delay < 0) {
        return story_fail(s, KARP_E_INVALID, "nodeReadyAfter: not a duration like 60s");
    }
    if (rules.len && !io_str_is(rules, "v1") && !io_str_is(rules, "v1alpha5"))
        return story_fail(s, KARP_E_INVALID, "semantics: v1 or v1alpha5");
    s->old_rules = io_str_is(rules, "v1alpha5");
    s->region = io_get_text(s->root, "region");
    return KARP_OK;
}

static karp_str directory_of(const char *path)
{
    size_t n = strlen(path);
    while (n > 0 && path[n - 1] != '/') n--;
    return (karp_str){ path, n > 1 ? n - 1 : n };
}

karp_status story_read(story *s, const char *path)
{
    json_t *documents = io_list();
    karp_status status = documents ? read_documents(s, path, documents) : story_nomem(s);
    if (!status && json_array_size(documents) != 1)
        status = story_fail(s, KARP_E_INVALID, "a story is one YAML document");
    if (!status) s->root = json_incref(json_array_get(documents, 0));
    json_decref(documents);
    if (!status) status = read_head(s);
    const json_t *files = io_get(s->root, "files"), *objects = io_get(s->root, "objects"),
                 *steps = io_get(s->root, "steps");
    for (size_t i = 0; !status && i < json_array_size(files); i++) {
        const json_t *name = json_array_get(files, i);
        if (!json_is_string(name)) status = story_fail(s, KARP_E_INVALID, "files[%zu]: not a path", i);
        else
            status = read_named(s, directory_of(path), (karp_str){ json_string_value(name), json_string_length(name) });
    }
    for (size_t i = 0; !status && i < json_array_size(objects); i++) {
        if (json_array_append(s->base, json_array_get(objects, i)) != 0) status = story_nomem(s);
    }
    if (!status) status = sort_out(s);
    for (size_t i = 0; !status && i < json_array_size(steps); i++) status = read_step(s, i, json_array_get(steps, i));
    if (!status && s->step_count == 0) status = story_fail(s, KARP_E_INVALID, "a story has steps");
    return status;
}
