/* SPDX-License-Identifier: Apache-2.0 */
#include <io/change.h>
#include <io/notes.h>

#include <stdio.h>

static const char *const short_names[][2] = {
    { "po", "Pod" },
    { "no", "Node" },
    { "ns", "Namespace" },
    { "svc", "Service" },
    { "rc", "ReplicationController" },
    { "pv", "PersistentVolume" },
    { "pvc", "PersistentVolumeClaim" },
    { "deploy", "Deployment" },
    { "ds", "DaemonSet" },
    { "rs", "ReplicaSet" },
    { "sts", "StatefulSet" },
    { "pdb", "PodDisruptionBudget" },
    { "pc", "PriorityClass" },
    { "sc", "StorageClass" },
};

/* Whether the word names the kind, as kubectl accepts it: in any case, singular, plural or short name. */
static bool kind_is(karp_str word, karp_str kind)
{
    if (equal_letters(word, kind)) return true;
    for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++) {
        if (equal_letters(word, str(short_names[i][0]))) return str_is(kind, short_names[i][1]);
    }
    if (word.len < 3 || ascii_lower(word.ptr[word.len - 1]) != 's') return false;
    word.len--;
    if (equal_letters(word, kind)) return true;
    word.len -= ascii_lower(word.ptr[word.len - 1]) == 'e';
    return equal_letters(word, kind) && str_ends(kind, "s");
}

/* Whether the word is a kind of workload, which a reference may leave out. Names of namespaces have no capitals. */
static bool is_workload_word(karp_str word)
{
    if (word.len > 0 && word.ptr[0] >= 'A' && word.ptr[0] <= 'Z') return true;
    for (size_t i = 0; io_pod_kind_at(i); i++) {
        if (kind_is(word, str(io_pod_kind_at(i)->info.name))) return true;
    }
    static const char *const kinds[] = { "Deployment", "StatefulSet", "ReplicaSet",
                                         "Job",        "DaemonSet",   "ReplicationController" };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kind_is(word, str(kinds[i]))) return true;
    }
    return false;
}

bool io_reference_read(karp_str given, bool kind_needed, io_reference *out)
{
    karp_str parts[3];
    size_t count = 0, from = 0;
    *out = (io_reference){ given, { "", 0 }, { "", 0 }, { "", 0 } };
    for (size_t i = 0; i <= given.len; i++) {
        if (i < given.len && given.ptr[i] != '/') continue;
        if (count == 3 || i == from) return false;
        parts[count++] = (karp_str){ given.ptr + from, i - from };
        from = i + 1;
    }
    out->name = parts[count - 1];
    if (count == 3) {
        out->kind = parts[0];
        out->namespace_ = parts[1];
    } else if (count == 2 && (kind_needed || is_workload_word(parts[0]))) {
        out->kind = parts[0];
    } else if (count == 2) {
        out->namespace_ = parts[0];
    }
    return count > 1 || !kind_needed;
}

bool io_refers_to(const io_reference *to, karp_str kind, karp_str namespace_, karp_str name)
{
    return equal_str(to->name, name) && (to->kind.len == 0 || kind_is(to->kind, kind)) &&
           (to->namespace_.len == 0 || equal_str(to->namespace_, namespace_));
}

karp_str io_kind_of(const io_deferred *w)
{
    bool stated = w->info->kind == IO_KIND_NODE_CLASS || w->info->kind == IO_KIND_POD_MAKER;
    return stated ? tree_get_text(w->root, "kind") : str(w->info->name);
}

karp_status io_not_found(karp_reader *reader, const io_reference *to)
{
    char shown[200], meant[MEANT];
    nearest near = nearest_to(to->name);
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (!w->root || w->gone) continue;
        if (near.best.ptr == NULL && equal_str(w->name, to->name)) near.best = io_kind_of(w);
        bool workload = io_is_workload(w->info->kind) || w->info->kind == IO_KIND_OPERATED;
        if (to->kind.len > 0 ? kind_is(to->kind, io_kind_of(w)) : workload) nearest_offer(&near, w->name);
    }
    str_shorten(shown, sizeof shown, to->given);
    return fail(&reader->error, KARP_E_NOT_FOUND, "%s: the input has no such object%s", shown, io_meant(&near, meant));
}

karp_status io_ambiguous(karp_reader *reader, const io_reference *to, karp_str one, karp_str other)
{
    char shown[120], first[120], second[120];
    str_shorten(shown, sizeof shown, to->given);
    str_shorten(first, sizeof first, one);
    str_shorten(second, sizeof second, other);
    return fail(&reader->error, KARP_E_INVALID, "%s: the input has %s and %s; say KIND/NAMESPACE/NAME", shown, first,
                second);
}
