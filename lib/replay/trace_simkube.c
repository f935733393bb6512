/* SPDX-License-Identifier: Apache-2.0 */
/* SimKube's exported traces, version 2: applied and deleted objects with their times, and the run times of pods. */
#include <replay/trace_read.h>
#include <replay/common.h>
#include <replay/trace_workloads.h>

#include <stdio.h>

/* One owner of pods in the trace, with their lives over all hashes of pod templates. */
typedef struct lives {
    karp_str kind; /* "" = not stated */
    uint32_t next; /* another owner of the same namespace and name; IO_NONE = the last */
    size_t count;
    const tree **list;
} lives;

typedef struct simkube {
    workloads w;
    const tree *root;
    io_table owners; /* namespace/name -> lives */
    lives *lives;
    size_t lives_count;
    int64_t before; /* the previous time */
} simkube;

/* ---- run times of pods ------------------------------------------------------------------------------------------- */

static bool separates(char c) { return memchr(" :,\"'().", c, 8) != NULL; }

/* Splits the key of an owner, "group/version.Kind:namespace/name" or similar. */
static karp_str owner_of(karp_str key, karp_str *kind)
{
    while (key.len && separates(key.ptr[key.len - 1])) key.len--;
    size_t first = key.len;
    /* names may have dots */
    while (first && (key.ptr[first - 1] == '.' || !separates(key.ptr[first - 1]))) first--;
    size_t end = first;
    while (end && separates(key.ptr[end - 1])) end--;
    size_t start = end;
    while (start && !separates(key.ptr[start - 1]) && key.ptr[start - 1] != '/') start--;
    *kind = (karp_str){ key.ptr + start, end - start };
    return (karp_str){ key.ptr + first, key.len - first };
}

/* {start_ts, end_ts}, [start, end], or {Finished: [start, end]}; false = no end. */
static bool ended(const tree *life, int64_t *lasts)
{
    int64_t start = 0, end = 0;
    const tree *finished = tree_get(life, "Finished");
    const tree *pair = finished ? finished : life;
    bool both = tree_is(pair, TREE_LIST)
                    ? tree_integer(tree_item(pair, 0), &start) && tree_integer(tree_item(pair, 1), &end)
                    : tree_integer(tree_get(life, "start_ts"), &start) && tree_integer(tree_get(life, "end_ts"), &end);
    if (!both || end < start || end - start > INT64_C(300000000)) return false;
    *lasts = (end - start) * SECOND;
    return true;
}

static const lives *lives_of(simkube *s, const workload *w)
{
    strbuf key = strbuf_on(s->w.t->context);
    strbuf_addname(&key, w->namespace_, w->name);
    uint32_t found = key.failed ? IO_NONE : io_table_get(&s->owners, (karp_str){ key.ptr, key.len });
    if (key.failed) s->w.memory.status = KARP_E_NOMEM;
    strbuf_free(&key);
    while (found != IO_NONE && s->lives[found].kind.len && !equal_str(s->lives[found].kind, w->kind))
        found = s->lives[found].next;
    return found == IO_NONE ? NULL : &s->lives[found];
}

/* The pod's run time from the trace: the lives of its owner are repeated if it has more pods, as SimKube does. Without
 * one, the Job's activeDeadlineSeconds. */
static int64_t lasts_of(void *user, const workload *w, const tree *object, uint64_t number)
{
    simkube *s = user;
    const lives *found = lives_of(s, w);
    int64_t lasts = KARP_DURATION_UNSET, deadline = 0;
    if (found && found->count > 0)
        return ended(found->list[number % found->count], &lasts) ? lasts : KARP_DURATION_UNSET;
    if (tree_integer(tree_get(tree_get(object, "spec"), "activeDeadlineSeconds"), &deadline) && deadline >= 0 &&
        deadline < INT64_C(300000000))
        lasts = deadline * SECOND;
    return lasts;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* The path of the object's pod template in the tracer's configuration: "group/version.Kind". */
static bool template_path(const simkube *s, const tree *object, char path[256])
{
    strbuf kind = strbuf_on(s->w.t->context);
    strbuf_addstr(&kind, tree_get_text(object, "apiVersion"));
    strbuf_addc(&kind, '.');
    strbuf_addstr(&kind, tree_get_text(object, "kind"));
    const tree *tracked = tree_get(tree_get(s->root, "config"), "trackedObjects");
    const tree *how = kind.failed ? NULL : tree_get(tracked, kind.ptr);
    karp_str given = tree_get_text(how, "podSpecTemplatePath");
    if (given.len == 0) given = tree_text(tree_item(tree_get(how, "podSpecTemplatePaths"), 0));
    bool named = given.len > 0 && given.len < 256 && !str_is(tree_get_text(object, "kind"), "Job");
    if (named) {
        memcpy(path, given.ptr, given.len);
        path[given.len] = '\0';
    }
    strbuf_free(&kind);
    return named;
}

/* Checks a pod's life for contradictory numbers. */
static karp_status check_life(simkube *s, const tree *life)
{
    static const char field[] = "pod_lifecycles";
    const tree *finished = tree_get(life, "Finished"), *pair = finished ? finished : life;
    bool listed = tree_is(pair, TREE_LIST);
    const tree *start = listed ? tree_item(pair, 0) : tree_get(life, "start_ts"),
               *end = listed ? tree_item(pair, 1) : tree_get(life, "end_ts");
    int64_t from = 0, to = 0;
    if (tree_is_null(start) || tree_is_null(end)) return KARP_OK; /* still running */
    if (!tree_integer(start, &from) || !tree_integer(end, &to))
        return workloads_fault(&s->w, life, field, "not a number of seconds since 1970");
    return to < from ? workloads_fault(&s->w, life, field, "a pod ends before it begins") : KARP_OK;
}

/* Takes one owner's lives, of all hashes in their order. */
static karp_status take_lives(simkube *s, const tree_member *owner)
{
    lives *one = &s->lives[s->lives_count];
    const tree *hashes = owner->value;
    size_t room = 0;
    for (size_t k = 0; tree_is(hashes, TREE_MAP) && k < tree_count(hashes); k++) {
        const tree *list = tree_member_at(hashes, k)->value;
        if (tree_is(list, TREE_LIST)) room += tree_count(list);
    }
    *one = (lives){ .list = arena_array(&s->w.memory.memory, room + 1, sizeof *one->list) };
    if (!one->list) return fail_nomem(s->w.error);
    for (size_t k = 0; tree_is(hashes, TREE_MAP) && k < tree_count(hashes); k++) {
        const tree *list = tree_member_at(hashes, k)->value;
        for (size_t n = 0; tree_is(list, TREE_LIST) && n < tree_count(list); n++) {
            karp_status status = check_life(s, tree_item(list, n));
            if (status) return status;
            one->list[one->count++] = tree_item(list, n);
        }
    }
    karp_str name = owner_of(tree_member_name(owner), &one->kind);
    one->next = io_table_get(&s->owners, name);
    return io_table_put(&s->owners, name, (uint32_t)s->lives_count++) ? KARP_OK : fail_nomem(s->w.error);
}

static karp_status take_all_lives(simkube *s)
{
    const tree *owners = tree_get(s->root, "pod_lifecycles");
    size_t count = tree_is(owners, TREE_MAP) ? tree_count(owners) : 0;
    s->lives = arena_array(&s->w.memory.memory, count + 1, sizeof *s->lives);
    karp_status status = s->lives ? KARP_OK : fail_nomem(s->w.error);
    for (size_t i = 0; i < count && !status; i++) status = take_lives(s, tree_member_at(owners, i));
    return status;
}

static karp_status take_event(simkube *s, const tree *event)
{
    int64_t seconds = 0;
    char path[256];
    const tree *applied = tree_get(event, "applied_objs"), *deleted = tree_get(event, "deleted_objs");
    if (!tree_integer(tree_get(event, "ts"), &seconds) || seconds < 0 || seconds > INT64_C(9000000000))
        return workloads_fault(&s->w, event, "ts", "not a number of seconds since 1970");
    int64_t at = seconds * SECOND;
    if (at < s->before) return workloads_fault(&s->w, event, "ts", "time goes back");
    if (!tree_is(applied, TREE_LIST) || !tree_is(deleted, TREE_LIST))
        return workloads_fault(&s->w, event, "applied_objs", "an event has applied_objs and deleted_objs");
    s->before = at;
    if (s->w.t->begins == KARP_NO_TIME) s->w.t->begins = at;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(applied) && !status; i++) {
        const tree *object = tree_item(applied, i);
        status = workloads_apply(&s->w, at, object, template_path(s, object, path) ? path : NULL);
    }
    for (size_t i = 0; i < tree_count(deleted) && !status; i++) {
        const tree *object = tree_item(deleted, i), *metadata = tree_get(object, "metadata");
        status = workloads_delete(&s->w, at, object, "deleted_objs", tree_get_text(object, "kind"),
                                  tree_get_text(metadata, "namespace"), tree_get_text(metadata, "name"));
    }
    return status;
}

karp_status trace_read_simkube(trace *t, karp_str name, karp_str text, bool lenient, karp_error *error)
{
    simkube s = { .before = INT64_MIN };
    tree *root = NULL;
    int64_t version = 0;
    bool packed = text.len && (unsigned char)text.ptr[0] >= 0x80;
    karp_status status = workloads_init(&s.w, t, name, packed ? (karp_str){ "", 0 } : text, lenient, error);
    s.w.lasts = lasts_of;
    s.w.user = &s;
    if (!status)
        status = packed ? trace_unpack(&s.w.memory, name, text, &root, error)
                        : tree_read(&s.w.memory, name, text, &root, error);
    s.root = root;
    const tree *events = tree_get(root, "events");
    s.w.lenient = false;
    if (!status && (!tree_integer(tree_get(root, "version"), &version) || version != 2))
        status = workloads_fault(&s.w, root, "version", "expected a SimKube trace of version 2");
    if (!status && !tree_is(events, TREE_LIST))
        status = workloads_fault(&s.w, root, "events", "a SimKube trace has events");
    s.w.lenient = lenient;
    io_table_init(&s.owners, t->context);
    if (!status) status = take_all_lives(&s);
    for (size_t i = 0; i < tree_count(events) && !status; i++) {
        if (packed) (void)snprintf(s.w.event, sizeof s.w.event, "events[%zu].", i);
        status = take_event(&s, tree_item(events, i));
    }
    if (!status && s.before > t->ends) t->ends = s.before;
    if (!status && s.w.memory.status) status = fail_nomem(error);
    io_table_free(&s.owners);
    workloads_free(&s.w);
    return status;
}
