/* SPDX-License-Identifier: Apache-2.0 */
/* The present load times a factor: every workload has so many times its pods, at least one. */
#include <advise/tune.h>

#include <io/fill.h>
#include <io/owner.h>
#include <math.h>

typedef struct scaling {
    karp_tune *t;
    trees *memory;
    tree *scaled; /* the new list of objects */
    io_table pods, seen; /* by workload: how many pods it has, and how many were looked at */
    double factor;
} scaling;

/* "default/ReplicaSet/web-6d4f8b9c7", or "" for pods whose number is not theirs to choose. */
static bool workload_key(const tree *object, strbuf *key)
{
    key->len = 0;
    strbuf_adds(key, "");
    if (!str_is(tree_get_text(object, "kind"), "Pod") || io_pod_ended(object)) return !key->failed;
    const io_owner owner = io_controller(object);
    if (owner.kind[0] == '\0' || strcmp(owner.kind, "DaemonSet") == 0 || strcmp(owner.kind, "Node") == 0)
        return !key->failed;
    strbuf_addstr(key, io_namespace(object));
    strbuf_addc(key, '/');
    strbuf_adds(key, owner.kind);
    strbuf_addc(key, '/');
    strbuf_addstr(key, owner.name);
    return !key->failed;
}

/* A pod that waits, of another name. */
static bool add_copy(scaling *s, const tree *pod, uint32_t number)
{
    tree *copy = tree_deep_copy(s->memory, pod, true), *metadata = tree_own(s->memory, copy, "metadata", TREE_MAP);
    tree *spec = tree_own(s->memory, copy, "spec", TREE_MAP);
    strbuf name = strbuf_on(s->t->context);
    strbuf_addstr(&name, tree_get_text(metadata, "name"));
    strbuf_putu(&name, "-more-", number, "");
    bool good = !name.failed;
    if (good) tree_set_text(s->memory, metadata, "name", (karp_str){ name.ptr, name.len });
    tree_remove(s->memory, metadata, "uid");
    tree_remove(s->memory, spec, "nodeName");
    tree *status = tree_new(s->memory, TREE_MAP), *conditions = tree_new(s->memory, TREE_LIST);
    tree_set_text(s->memory, status, "phase", str("Pending"));
    tree_set(s->memory, status, "conditions", conditions);
    io_add_condition(s->memory, conditions, "PodScheduled", "False", "Unschedulable", io_creation(pod));
    tree_set(s->memory, copy, "status", status);
    tree_append(s->memory, s->scaled, copy);
    strbuf_free(&name);
    return good;
}

static bool take_object(scaling *s, tree *object, karp_str key)
{
    uint32_t *seen = key.len > 0 ? io_table_at(&s->seen, key) : NULL;
    if (key.len == 0) {
        tree_append(s->memory, s->scaled, object);
        return true;
    }
    if (!seen) return false;
    uint32_t number = *seen == IO_NONE ? 0 : *seen, all = io_table_get(&s->pods, key);
    uint32_t wanted = (uint32_t)fmin(fmax(round(all * s->factor), 1), UINT32_MAX / 2);
    *seen = number + 1;
    if (number < wanted) tree_append(s->memory, s->scaled, object);
    for (uint32_t more = all; number + 1 == all && more < wanted; more++) {
        if (!add_copy(s, object, more - all + 1) || s->memory->status) return false;
    }
    return true;
}

static bool scale_objects(scaling *s, const tree *objects)
{
    strbuf key = strbuf_on(s->t->context);
    bool good = true;
    for (size_t i = 0; i < tree_count(objects) && good; i++) {
        good = workload_key(tree_item(objects, i), &key);
        good = good && (key.len == 0 || io_table_count(&s->pods, (karp_str){ key.ptr, key.len }) > 0);
    }
    for (size_t i = 0; i < tree_count(objects) && good; i++)
        good = workload_key(tree_item(objects, i), &key) &&
               take_object(s, tree_item(objects, i), (karp_str){ key.ptr, key.len });
    strbuf_free(&key);
    return good && !s->memory->status;
}

static karp_status make_load(karp_tune *t, const tree *snapshot, double factor, karp_text *out, karp_error *error)
{
    trees memory = trees_on(t->context);
    scaling s = { .t = t, .memory = &memory, .factor = factor };
    write_buffer buffer = buffer_on(t->context);
    io_table_init(&s.pods, t->context);
    io_table_init(&s.seen, t->context);
    s.scaled = tree_new(&memory, TREE_LIST);
    tree *scaled = tree_copy(&memory, snapshot);
    bool good = scale_objects(&s, tree_get(snapshot, "objects"));
    if (good) tree_set(&memory, scaled, "objects", s.scaled);
    if (good) tree_write(&buffer.text, scaled);
    if (!good || memory.status) buffer.text.failed = true;
    io_table_free(&s.pods);
    io_table_free(&s.seen);
    trees_free(&memory);
    return buffer_finish(&buffer, out, error);
}

karp_status tune_make_loads(karp_tune *t, const tree *snapshot, const double *factors, size_t count, karp_error *error)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (!(factors[i] > 0 && factors[i] <= 100))
            return fail(error, KARP_E_INVALID, "a load is a factor above 0, at most 100");
        status = make_load(t, snapshot, factors[i], &t->loads[i], error);
        t->factors[i] = factors[i];
        t->load_count += !status;
    }
    return status;
}
