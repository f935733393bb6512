/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/document.h>
#include <replay/engine.h>
#include <replay/objects.h>
#include <replay/story.h>

#include <base/bisect.h>
#include <io/notes.h>
#include <stdio.h>

#include <karp/library.h>

karp_status story_fail(story *s, karp_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfail(&s->error, status, format, arguments);
    va_end(arguments);
    return status;
}

karp_status story_fail_at(story *s, karp_status status, const char *field, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfail(&s->error, status, format, arguments);
    va_end(arguments);
    error_set_field(&s->error, "%s", field);
    io_place at = io_place_of_field(&s->place, s->root, field);
    io_error_place(&s->error, &at);
    return status;
}

karp_status story_fail_step(story *s, size_t index, const char *member, karp_status status, const char *message)
{
    char field[64];
    (void)snprintf(field, sizeof field, "steps[%zu]%s%s", index, *member ? "." : "", member);
    return story_fail_at(s, status, field, "%s", message);
}

karp_status story_nomem(story *s) { return fail_nomem(&s->error); }

karp_status story_init(story *s, karp_context *context)
{
    memset(s, 0, sizeof *s);
    karp_error_init(&s->error, sizeof s->error);
    s->context = context;
    s->validate_at = s->unblocked_at = s->opens_at = s->played.base.starts = KARP_NO_TIME;
    strbuf_init(&s->proposed, context);
    strbuf_init(&s->step_events, context);
    strbuf_init(&s->out, context);
    trace_init(&s->played.base.trace, context);
    s->trace = &s->played.base.trace;
    io_table_init(&s->object_index, context);
    karp_status status = karp_reader_new(context, NULL, &s->reader, &s->error);
    if (status) return status;
    s->t = &s->reader->trees;
    s->base = tree_new(s->t, TREE_LIST);
    return s->base ? KARP_OK : story_nomem(s);
}

void story_free(story *s)
{
    for (size_t i = 0; i < s->workload_count; i++)
        karp_free(s->context, s->workloads[i].owned, s->workloads[i].owned_capacity * sizeof(karp_str));
    karp_text_free(&s->played.cluster);
    karp_free(s->context, s->marks.list, s->marks.capacity * sizeof *s->marks.list);
    karp_free(s->context, s->files, s->file_capacity * sizeof *s->files);
    karp_free(s->context, s->objects, s->object_capacity * sizeof *s->objects);
    io_table_free(&s->object_index);
    karp_free(s->context, s->steps, s->step_capacity * sizeof *s->steps);
    karp_free(s->context, s->workloads, s->workload_capacity * sizeof *s->workloads);
    mem_free(s->context, s->nodes, s->node_capacity * sizeof *s->nodes);
    if (s->e) engine_free(s->e);
    mem_free(s->context, s->e, sizeof *s->e);
    trace_free(&s->played.base.trace);
    strbuf_free(&s->proposed);
    strbuf_free(&s->step_events);
    strbuf_free(&s->out);
    karp_reader_free(s->reader);
}

#define STORY_NAMES "karp plan reads manifests, and a story names them in files"
#define STORY_IS "a story is one YAML document of kind Story; " STORY_NAMES

/* ---- files ------------------------------------------------------------------------------------------------------- */

static karp_status read_documents(story *s, const char *path, karp_str text,
                                  karp_status (*take)(karp_reader *, tree *, const io_place *, void *), void *user)
{
    s->reader->take = take;
    s->reader->take_user = user;
    karp_status status = text.ptr ? io_reader_text(s->reader, str(path), text, NULL) : io_read_path(s->reader, path);
    if (status) s->error = s->reader->error;
    return status;
}

/* Copies the positions of a document, which last until the next one is read. */
static karp_status add_positions(story *s, tree *root, const io_place *place)
{
    const io_marks *from = place->marks;
    io_marks *to = &s->marks;
    if (s->file_count == 0 || s->files[s->file_count - 1].name.ptr != place->document.ptr) {
        if (!grow(s->context, (void **)&s->files, &s->file_capacity, s->file_count + 1, sizeof *s->files))
            return io_reader_nomem(s->reader);
        s->files[s->file_count++] = (story_file){ place->document, to->count };
    }
    if (!grow(s->context, (void **)&to->list, &to->capacity, to->count + from->count + 1, sizeof *to->list))
        return io_reader_nomem(s->reader);
    if (from->count > 0) memcpy(to->list + to->count, from->list, from->count * sizeof *to->list);
    io_shift_positions(root, to->count);
    to->count += from->count;
    return KARP_OK;
}

io_place story_place(const story *s, const tree *object)
{
    bisection b = bisect(s->file_count); /* until the first file after the object's; the first file begins at 0 */
    while (bisecting(&b)) bisect_step(&b, s->files[b.at].first <= object->at);
    io_place place = { .document = s->files[b.at - 1].name, .offset = KARP_NO_OFFSET, .marks = &s->marks };
    io_place_refine(&place, object, NULL, 0);
    return place;
}

/* Takes the story itself, with the positions of its fields. */
static karp_status take_story(karp_reader *reader, tree *root, const io_place *place, void *user)
{
    story *s = user;
    if (s->root) return fail(&reader->error, KARP_E_INVALID, STORY_IS);
    s->root = root;
    s->place = *place;
    s->place.marks = &s->marks;
    return add_positions(s, root, place);
}

/* Takes a document of another file. */
static karp_status take_document(karp_reader *reader, tree *root, const io_place *place, void *user)
{
    story *s = user;
    karp_status status = add_positions(s, root, place);
    return status ? status : replay_take(reader, root, place, s->into);
}

karp_status story_read_file(story *s, karp_str name, tree *into)
{
    karp_str directory = s->directory;
    s->into = into;
    if (s->is_text) return story_fail(s, KARP_E_UNSUPPORTED, "a story that names files is read from a file");
    strbuf path = strbuf_on(s->context);
    if (directory.len && (name.len == 0 || name.ptr[0] != '/')) {
        strbuf_add(&path, directory.ptr, directory.len);
        strbuf_addc(&path, '/');
    }
    strbuf_add(&path, name.ptr, name.len);
    karp_status status = path.failed ? story_nomem(s) : KARP_OK;
    if (!status) status = read_documents(s, path.ptr, (karp_str){ 0 }, take_document, s);
    strbuf_free(&path);
    return status;
}

/* ---- object data for the engine ---------------------------------------------------------------------------------- */

karp_status story_add_workload(story *s, tree *object)
{
    const tree *metadata = tree_get(object, "metadata"), *replicas = tree_get(tree_get(object, "spec"), "replicas");
    if (!grow(s->context, (void **)&s->workloads, &s->workload_capacity, s->workload_count + 1, sizeof *s->workloads))
        return story_nomem(s);
    int64_t count = 1;
    (void)tree_integer(replicas, &count);
    if (count < 0 || count > STORY_REPLICAS_MOST)
        return story_fail(s, KARP_E_INVALID, "a Deployment's replicas are not a number from 0 to 1000000");
    story_workload *w = &s->workloads[s->workload_count++];
    *w = (story_workload){ .object = object,
                           .namespace_ = tree_get_text(metadata, "namespace"),
                           .name = tree_get_text(metadata, "name"),
                           .autoscaler = IO_NONE,
                           .rollout = IO_NONE,
                           .replicas = (uint64_t)count };
    if (w->namespace_.len == 0) w->namespace_ = str("default");
    return KARP_OK;
}

static karp_status sort_out(story *s)
{
    karp_status opened = replay_open_snapshots(s->t, s->base, &s->head, &s->error);
    if (opened) return opened;
    tree *rest = tree_new(s->t, TREE_LIST);
    for (size_t i = 0; i < tree_count(s->base); i++) {
        tree *object = tree_item(s->base, i);
        karp_str kind = tree_get_text(object, "kind");
        if (!str_is(kind, "Deployment")) {
            tree_append(s->t, rest, object);
            continue;
        }
        karp_status status = story_add_workload(s, object);
        if (status) return status;
    }
    if (s->t->status) return story_nomem(s);
    tree_move_items(s->base, rest);
    return KARP_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

uint32_t story_find_workload(const story *s, karp_str name, karp_str namespace_)
{
    uint32_t found = IO_NONE;
    for (size_t i = 0; i < s->workload_count; i++) {
        const story_workload *w = &s->workloads[i];
        if (equal_str(w->name, name) && equal_str(w->namespace_, namespace_) && !w->gone) found = (uint32_t)i;
    }
    return found;
}

static karp_status read_scale(story *s, size_t index, const tree *given, story_step *step)
{
    karp_str name = tree_get_text(given, "deployment"), space = tree_get_text(given, "namespace");
    const tree *replicas = tree_get(given, "replicas");
    int64_t count = 0;
    if (!tree_integer(replicas, &count) || count < 0 || count > STORY_REPLICAS_MOST)
        return story_fail_step(s, index, "scale.replicas", KARP_E_INVALID, "not a number from 0 to 1000000");
    *step = (story_step){ .what = STORY_SCALE, .replicas = (uint64_t)count, .workload = IO_NONE };
    step->workload = story_find_workload(s, name, space.len ? space : str("default"));
    if (step->workload == IO_NONE)
        return story_fail_step(s, index, "scale.deployment", KARP_E_NOT_FOUND, "no such Deployment");
    if (s->workloads[step->workload].autoscaler == IO_NONE) return KARP_OK;
    return story_fail_step(s, index, "scale.deployment", KARP_E_INVALID,
                           "its HorizontalPodAutoscaler scales it since a step stated its usage");
}

/* The member of a step that changes objects; NULL = it has none. */
static const char *change_of(const tree *given)
{
    static const char *const members[] = { "apply", "replace", "delete" };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (tree_get(given, members[i])) return members[i];
    }
    return NULL;
}

/* Names the first word of the step that is none, and the one that may be meant. */
static karp_status refuse_step(story *s, size_t index, const tree *given)
{
    static const char *const steps[] = { "scale", "wait",  "expire",  "interrupt", "fail",
                                         "usage", "apply", "replace", "delete" };
    enum { STEPS = sizeof steps / sizeof steps[0] };
    char message[240] = "", meant[MEANT];
    for (size_t i = 0; tree_is(given, TREE_MAP) && i < tree_count(given) && message[0] == '\0'; i++) {
        karp_str word = tree_member_name(tree_member_at(given, i));
        nearest near = nearest_to(word);
        bool known = false;
        for (size_t k = 0; k < STEPS; k++) {
            known = known || str_is(word, steps[k]);
            nearest_offer(&near, str(steps[k]));
        }
        if (!known)
            str_append(message, sizeof message, "\"%.*s\" is no step%s%s ", str_shown(word, 40),
                       word.len ? word.ptr : "", io_meant(&near, meant), near.best.ptr ? "" : ";");
    }
    str_append(message, sizeof message,
               "expected one of scale, wait, expire, interrupt, fail, usage, apply, replace and delete");
    return story_fail_step(s, index, "", KARP_E_INVALID, message);
}

static karp_status read_step(story *s, size_t index, const tree *given)
{
    const tree *scale = tree_get(given, "scale"), *usage = tree_get(given, "usage"),
               *interrupt = tree_get(given, "interrupt"), *failing = tree_get(given, "fail");
    const char *change = change_of(given);
    karp_str wait = tree_get_text(given, "wait"), expire = tree_get_text(given, "expire");
    if (!grow(s->context, (void **)&s->steps, &s->step_capacity, s->step_count + 1, sizeof *s->steps))
        return story_nomem(s);
    story_step *step = &s->steps[s->step_count++];
    *step = (story_step){ .what = STORY_EXPIRE, .node = expire };
    if (tree_count(given) != 1) return refuse_step(s, index, given);
    if (scale) return read_scale(s, index, scale, step);
    if (usage) return story_read_usage(s, index, usage, step);
    if (interrupt) return story_read_interrupt(s, index, "interrupt", interrupt, step);
    if (failing) return story_read_interrupt(s, index, "fail", failing, step);
    if (change) return story_read_change(s, index, change, tree_get(given, change), step);
    if (expire.len) return KARP_OK;
    step->what = STORY_WAIT;
    if (wait.len == 0) return refuse_step(s, index, given);
    if (karp_duration_parse(wait, &step->duration) || step->duration < 0)
        return story_fail_step(s, index, "wait", KARP_E_INVALID, "not a duration like 10m");
    return KARP_OK;
}

karp_status story_add_rules(story *s, karp_reader *reader)
{
    return document_rules(reader, s->ignored_kinds, s->pods_from, &s->error);
}

static karp_status read_rules(story *s)
{
    const tree *rules = s->pods_from.len > 0 ? NULL : tree_get(s->root, "podsFrom");
    strbuf lines = strbuf_on(s->context);
    strbuf_addstr(&lines, s->pods_from);
    if (s->ignored_kinds.len == 0) s->ignored_kinds = tree_get_text(s->root, "ignoredKinds");
    for (size_t i = 0; i < tree_count(rules); i++) {
        strbuf_addstr(&lines, tree_text(tree_item(rules, i)));
        strbuf_addc(&lines, '\n');
    }
    s->pods_from = io_keep(s->reader, (karp_str){ lines.len ? lines.ptr : "", lines.len });
    bool kept = !lines.failed && s->pods_from.ptr;
    strbuf_free(&lines);
    return kept ? story_add_rules(s, s->reader) : story_nomem(s);
}

static karp_status read_head(story *s)
{
    karp_str start = tree_get_text(s->root, "start"), delay = tree_get_text(s->root, "nodeReadyAfter"),
             rules = tree_get_text(s->root, "semantics");
    s->is_load = str_is(tree_get_text(s->root, "kind"), "Load");
    if (!s->is_load && !str_is(tree_get_text(s->root, "kind"), "Story"))
        return story_fail_at(s, KARP_E_INVALID, "kind", "expected a document of kind Story; " STORY_NAMES);
    s->starts = start.len > 0;
    if (karp_time_parse(start.len ? start : str("2026-01-01T00:00:00Z"), &s->begins))
        return story_fail_at(s, KARP_E_INVALID, "start", "not a time");
    if (karp_duration_parse(delay.len ? delay : str("60s"), &s->delay) || s->delay < 0)
        return story_fail_at(s, KARP_E_INVALID, "nodeReadyAfter", "not a duration like 60s");
    if (rules.len && !str_is(rules, "v1") && !str_is(rules, "v1alpha5"))
        return story_fail_at(s, KARP_E_INVALID, "semantics", "v1 or v1alpha5");
    s->old_rules = str_is(rules, "v1alpha5");
    s->region = tree_get_text(s->root, "region");
    return read_rules(s);
}

static karp_str directory_of(const char *path)
{
    size_t n = strlen(path);
    while (n > 0 && path[n - 1] != '/') n--;
    return (karp_str){ path, n > 1 ? n - 1 : n };
}

karp_status story_read(story *s, const char *path, karp_str text, bool is_text)
{
    bool of_stream = text.ptr != NULL && !is_text;
    s->directory = of_stream ? str("") : directory_of(path);
    s->is_text = is_text;
    if (of_stream) s->reader->directory = str(".");
    karp_status status = read_documents(s, path, text, take_story, s);
    if (!status && !s->root) status = story_fail(s, KARP_E_INVALID, STORY_IS);
    if (!status) status = read_head(s);
    const tree *files = tree_get(s->root, "files"), *objects = tree_get(s->root, "objects"),
               *steps = tree_get(s->root, "steps");
    if (!status && is_text && tree_count(files))
        status = story_fail_at(s, KARP_E_UNSUPPORTED, "files", "a story that names files is read from a file");
    for (size_t i = 0; !status && i < tree_count(files); i++) {
        const tree *name = tree_item(files, i);
        char field[32];
        (void)snprintf(field, sizeof field, "files[%zu]", i);
        if (!tree_is(name, TREE_STRING)) status = story_fail_at(s, KARP_E_INVALID, field, "not a path");
        else status = story_read_file(s, tree_text(name), s->base);
    }
    for (size_t i = 0; !status && i < tree_count(objects); i++)
        replay_append(s->reader, s->base, tree_item(objects, i));
    if (!status && s->t->status) status = story_nomem(s);
    if (!status) status = sort_out(s);
    if (!status) status = story_take_jobs(s);
    for (size_t i = 0; !status && i < tree_count(steps); i++) status = read_step(s, i, tree_item(steps, i));
    if (!status && !trace_add_problems(s->trace, s->reader, 0)) status = story_nomem(s);
    if (!status && s->step_count == 0 && !s->is_load)
        status = story_fail_at(s, KARP_E_INVALID, "steps", "a story has steps");
    return status;
}
