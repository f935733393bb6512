/* SPDX-License-Identifier: Apache-2.0 */
#include <io/pods_rules.h>

#include <stdio.h>

#include <karp/library.h>

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static karp_str __attribute__((format(printf, 2, 0))) text_of(io_pods *p, const char *format, va_list arguments)
{
    char text[600];
    (void)vsnprintf(text, sizeof text, format, arguments);
    return tree_text(tree_new_text(p->t, str(text)));
}

karp_str io_pods_text(io_pods *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    karp_str text = text_of(p, format, arguments);
    va_end(arguments);
    return text;
}

void io_pods_note(io_pods *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!p->notes) p->notes = tree_new(p->t, TREE_LIST);
    karp_str text = text_of(p, format, arguments);
    va_end(arguments);
    tree_append(p->t, p->notes, tree_new_text(p->t, text));
}

void io_pods_problem(io_pods *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (p->problem.len == 0) p->problem = text_of(p, format, arguments);
    va_end(arguments);
}

void io_pods_refused(io_pods *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (p->refused.len == 0) p->refused = text_of(p, format, arguments);
    va_end(arguments);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

io_pod_set *io_pods_add(io_pods *p, const tree *template_, karp_str name, uint64_t count)
{
    trees *t = p->t;
    if (p->d->status || !grow(p->context, (void **)&p->sets, &p->capacity, p->count + 1, sizeof *p->sets)) {
        t->status = p->d->status ? t->status : KARP_E_NOMEM;
        return NULL;
    }
    tree *own = tree_copy_or_new(t, template_, TREE_MAP);
    (void)tree_own(t, tree_own(t, own, "metadata", TREE_MAP), "labels", TREE_MAP);
    (void)tree_own(t, own, "spec", TREE_MAP);
    if (t->status) return NULL;
    p->sets[p->count] = (io_pod_set){ .template_ = own, .name = name, .count = count };
    return &p->sets[p->count++];
}

void io_pods_add_group(io_pods *p, karp_pod_group group)
{
    if (p->d->status || !grow(p->context, (void **)&p->groups, &p->group_capacity, p->group_count + 1, sizeof group)) {
        p->t->status = p->d->status ? p->t->status : KARP_E_NOMEM;
        return;
    }
    p->groups[p->group_count++] = group;
}

tree *io_set_spec(io_pods *p, const io_pod_set *set)
{
    return set ? tree_get_or_make(p->t, set->template_, "spec") : NULL;
}

void io_set_label(io_pods *p, const io_pod_set *set, const char *key, karp_str value)
{
    if (!set) return;
    tree *metadata = tree_get_or_make(p->t, set->template_, "metadata");
    tree_default_text(p->t, tree_get_or_make(p->t, metadata, "labels"), key, value);
}

void io_set_container(io_pods *p, const io_pod_set *set, const char *list, const char *name, karp_str cpu,
                      karp_str memory)
{
    trees *t = p->t;
    tree *container = tree_new(t, TREE_MAP);
    tree_set_text(t, container, "name", str(name));
    tree *requests = tree_get_or_make(t, tree_get_or_make(t, container, "resources"), "requests");
    if (cpu.len) tree_set_text(t, requests, "cpu", cpu);
    if (memory.len) tree_set_text(t, requests, "memory", memory);
    tree_append(t, tree_own(t, io_set_spec(p, set), list, TREE_LIST), container); /* the decoder reports other types */
}

static void add_found(io_decoder *d, const io_found_template *found, void *user)
{
    io_pods *p = user;
    (void)d;
    karp_str name = p->name;
    if (found->name.len) {
        name = io_pods_text(p, "%.*s-%.*s", str_shown(p->name, 250), p->name.ptr, str_shown(found->name, 250),
                            found->name.ptr);
    } else if (found->element) {
        name = io_pods_text(p, "%.*s-%zu", str_shown(p->name, 250), p->name.ptr, p->count);
    }
    io_pod_set *set = io_pods_add(p, found->template_, name, found->count);
    if (set && p->kind->claims) set->claims = io_at_path(p->object, p->kind->claims);
}

uint64_t io_pods_scaled(io_pods *p, karp_str part, uint64_t now, uint64_t least, uint64_t most)
{
    bool largest = p->replicas_from == KARP_REPLICAS_MOST;
    uint64_t count = largest ? most : p->replicas_from == KARP_REPLICAS_LEAST ? least : now;
    if (count == UINT64_MAX) {
        io_pods_note(p, "%s %.*s: %.*s states no maximum, so %llu %s planned (--replicas-from hpa-max)",
                     p->kind->info.name, str_shown(p->name, 100), p->name.ptr, str_shown(part, 100), part.ptr,
                     (unsigned long long)now, now == 1 ? "is" : "are");
        return now;
    }
    if (count != now)
        io_pods_note(p, "%s %.*s: %llu %.*s instead of %llu, by its %s (--replicas-from spec: %llu)",
                     p->kind->info.name, str_shown(p->name, 100), p->name.ptr, (unsigned long long)count,
                     str_shown(part, 100), part.ptr, (unsigned long long)now, largest ? "maximum" : "minimum",
                     (unsigned long long)now);
    return count;
}

void io_pods_add_places(io_pods *p)
{
    for (size_t i = 0; i < IO_POD_PLACES && p->kind->places[i].template_; i++)
        io_find_templates(p->d, p->object, &p->kind->places[i], add_found, p);
}

int64_t io_pods_integer(io_pods *p, const char *path, int64_t least, int64_t absent)
{
    const char *name = strrchr(path, '/');
    char before[128] = "";
    str_append(before, sizeof before, "%.*s", (int)(name - path), path);
    const tree *parent = io_at_path(p->object, before);
    size_t depth = p->d->depth;
    io_push_path(p->d, path, name);
    int64_t value = io_integer(p->d, parent, name + 1, least, INT32_MAX, absent);
    if (!p->d->status) p->d->depth = depth;
    return value;
}

/* ---- the whole object -------------------------------------------------------------------------------------------- */

static bool is_suspended(io_pods *p)
{
    const char *field = p->kind->suspend;
    if (!field || p->queued || !tree_is(io_at_path(p->object, field), TREE_TRUE)) return false;
    char shown[80];
    io_show_path(field, shown, sizeof shown);
    io_pods_note(p, "%s %.*s: suspended (%s), so no pods; without it they are planned for", p->kind->info.name,
                 str_shown(p->name, 100), p->name.ptr, shown);
    return true;
}

karp_status io_pods_of(io_pods *p)
{
    if (!is_suspended(p)) {
        if (p->kind->make) p->kind->make(p);
        else io_pods_add_places(p);
        io_pods_as_kai(p);
        io_pods_as_kueue(p);
    }
    if (p->t->status && !p->d->status) {
        p->d->status = fail(&p->d->error, p->t->status, "out of memory");
    }
    return p->d->status;
}

void io_pods_free(io_pods *p)
{
    karp_free(p->context, p->sets, p->capacity * sizeof *p->sets);
    karp_free(p->context, p->groups, p->group_capacity * sizeof *p->groups);
    p->sets = NULL;
    p->groups = NULL;
    p->count = p->capacity = p->group_count = p->group_capacity = 0;
}
