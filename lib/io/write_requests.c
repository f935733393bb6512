/* SPDX-License-Identifier: Apache-2.0 */
/* What changes of requests are worth, and patches of the workloads, those that are worth most first. */
#include <base/money.h>
#include <io/sizes.h>

#include "write_json.h"

/* ---- what the changes are worth ---------------------------------------------------------------------------------- */

/* What a pod of the workload requests less, as a share of its node: the mean of cpu and memory. */
static double share_of(const io_size *s, const karp_listed_node *node)
{
    const double allocatable[SIZE_RESOURCES] = { node->cpu_allocatable, node->memory_allocatable };
    const karp_str before[SIZE_RESOURCES] = { s->change.cpu_before, s->change.memory_before };
    double sum = 0;
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        double had = 0;
        if (!s->sized[r] || allocatable[r] <= 0) continue;
        if (before[r].len > 0) (void)karp_quantity_double(before[r], &had);
        sum += (had - amount_double(s->wanted[r])) / allocatable[r];
    }
    return sum / (double)SIZE_RESOURCES;
}

karp_status karp_reader_price_requests(const karp_reader *reader, const karp_node_list *nodes, double *saved,
                                       size_t count, karp_error *error)
{
    if (!reader || !nodes || (!saved && count > 0)) return fail_null(error, "reader, nodes or saved");
    if (count != karp_reader_request_change_count(reader))
        return fail(error, KARP_E_INVALID, "there are %zu changes of requests, not %zu",
                    karp_reader_request_change_count(reader), count);
    const io_sizes *sizes = reader->sizes;
    double *worth = count > 0 ? mem_zalloc(reader->context, sizes->count * sizeof *worth) : NULL;
    if (count > 0 && !worth) return fail_nomem(error);
    for (size_t i = 0; count > 0 && i < karp_node_list_pod_count(nodes); i++) {
        karp_listed_pod pod = { .size = sizeof pod };
        karp_listed_node node = { .size = sizeof node };
        uint32_t workload = io_table_get(&sizes->pods, karp_node_list_pod_name(nodes, i));
        if (workload == IO_NONE || karp_node_list_pod(nodes, i, &pod) != KARP_OK ||
            karp_node_list_at(nodes, pod.node, &node) != KARP_OK)
            continue;
        for (uint32_t at = sizes->sized[workload].first; at; at = sizes->next[at - 1])
            worth[at - 1] += node.price * share_of(&sizes->list[at - 1], &node);
    }
    for (size_t i = 0; i < count; i++) saved[i] = worth[sizes->changed[i]];
    mem_free(reader->context, worth, sizes ? sizes->count * sizeof *worth : 0);
    return KARP_OK;
}

/* ---- the order of patches ---------------------------------------------------------------------------------------- */

/* A workload's changes, which are consecutive. */
typedef struct patch {
    size_t first, count;
    double saved;
} patch;

/* Kinds whose lists of containers are merged by name. */
typedef struct patched_kind {
    const char *kind, *version;
    const char *path; /* of the pod's spec; NULL = the object cannot be patched */
} patched_kind;

static const patched_kind *kind_of(karp_str kind)
{
    static const patched_kind kinds[] = { { "Deployment", "apps/v1", "spec.template.spec" },
                                          { "StatefulSet", "apps/v1", "spec.template.spec" },
                                          { "DaemonSet", "apps/v1", "spec.template.spec" },
                                          { "ReplicaSet", "apps/v1", "spec.template.spec" },
                                          { "ReplicationController", "v1", "spec.template.spec" },
                                          { "CronJob", "batch/v1", "spec.jobTemplate.spec.template.spec" },
                                          { "Job", "batch/v1", NULL },
                                          { "Pod", "v1", "spec" } };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (str_is(kind, kinds[i].kind)) return &kinds[i];
    }
    return NULL;
}

static const io_size *size_at(const karp_reader *reader, size_t change)
{
    return &reader->sizes->list[reader->sizes->changed[change]];
}

static int most_first(const void *a, const void *b, const void *user)
{
    const patch *x = a, *y = b;
    (void)user;
    return x->saved > y->saved ? -1 : x->saved < y->saved;
}

static bool same_workload(const io_size *a, const io_size *b)
{
    return equal_str(a->kind, b->kind) && equal_str(a->namespace_, b->namespace_) && equal_str(a->name, b->name);
}

static size_t list_patches(const karp_reader *reader, const double *saved, patch *list)
{
    size_t count = 0, changes = karp_reader_request_change_count(reader);
    for (size_t i = 0; i < changes; i++) {
        if (i == 0 || !same_workload(size_at(reader, i - 1), size_at(reader, i))) list[count++] = (patch){ i, 0, 0 };
        list[count - 1].count++;
        if (saved) list[count - 1].saved += saved[i];
    }
    return count;
}

/* ---- YAML -------------------------------------------------------------------------------------------------------- */

static void member(write_buffer *b, size_t indent, const char *key, karp_str value)
{
    buffer_repeat(b, " ", indent);
    buffer_text(b, key);
    buffer_text(b, ": ");
    buffer_json_string(b, value);
    buffer_char(b, '\n');
}

static void write_amounts(write_buffer *b, size_t indent, const char *list, karp_str cpu, karp_str memory)
{
    if (cpu.len + memory.len == 0) return;
    buffer_repeat(b, " ", indent);
    buffer_text(b, list);
    buffer_text(b, ":\n");
    if (cpu.len > 0) member(b, indent + 2, "cpu", cpu);
    if (memory.len > 0) member(b, indent + 2, "memory", memory);
}

static void write_containers(write_buffer *b, const karp_reader *reader, const patch *p, size_t indent, bool init)
{
    bool begun = false;
    for (size_t i = p->first; i < p->first + p->count; i++) {
        const io_size *s = size_at(reader, i);
        if (s->init != init) continue;
        if (!begun) buffer_repeat(b, " ", indent);
        if (!begun) buffer_text(b, init ? "initContainers:\n" : "containers:\n");
        begun = true;
        buffer_repeat(b, " ", indent);
        member(b, 0, "- name", s->change.container);
        buffer_repeat(b, " ", indent + 2);
        buffer_text(b, "resources:\n");
        write_amounts(b, indent + 4, "requests", s->change.cpu_after, s->change.memory_after);
        write_amounts(b, indent + 4, "limits", s->change.cpu_limit, s->change.memory_limit);
    }
}

/* Text of a comment: what is no plain letter, digit or sign of a name is left out. */
static void comment_name(write_buffer *b, karp_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        buffer_char(b, is_letter(c) || is_digit(c) || strchr("-._", c) ? c : '?');
    }
}

static void write_heading(write_buffer *b, const io_size *s, const patch *p, bool priced)
{
    char money[MONEY_TEXT];
    buffer_text(b, "# ");
    comment_name(b, s->kind);
    buffer_char(b, ' ');
    comment_name(b, s->namespace_);
    buffer_char(b, '/');
    comment_name(b, s->name);
    if (priced) {
        bool more = p->saved < 0;
        (void)money_dollars((more ? -p->saved : p->saved) * HOURS_A_MONTH, false, money);
        buffer_text(b, ": requests worth ");
        buffer_text(b, money);
        buffer_text(b, more ? "/month (730 h) more" : "/month (730 h) less");
    }
    buffer_char(b, '\n');
}

static void write_patch(write_buffer *b, const karp_reader *reader, const patch *p, bool priced)
{
    const io_size *s = size_at(reader, p->first);
    const patched_kind *kind = kind_of(s->kind);
    size_t indent = 0;
    write_heading(b, s, p, priced);
    if (!kind || !kind->path) {
        buffer_text(b, kind ? "# The template of a Job cannot be changed: change the manifest that it is made from.\n"
                            : "# A custom resource has no strategic merge: change its manifest.\n");
        return;
    }
    if (str_is(s->kind, "Pod")) buffer_text(b, "# A pod is resized by kubectl patch pod NAME --subresource resize\n");
    buffer_text(b, "apiVersion: ");
    buffer_text(b, kind->version);
    buffer_text(b, "\nkind: ");
    buffer_text(b, kind->kind);
    buffer_text(b, "\nmetadata:\n");
    member(b, 2, "name", s->name);
    member(b, 2, "namespace", s->namespace_);
    for (karp_str path = str(kind->path); path.len > 0; indent += 2) {
        buffer_repeat(b, " ", indent);
        buffer_str(b, str_until(&path, '.'));
        buffer_text(b, ":\n");
    }
    write_containers(b, reader, p, indent, true);
    write_containers(b, reader, p, indent, false);
}

karp_status karp_write_request_patches(karp_context *context, const karp_reader *reader, const double *saved,
                                       const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, reader, "a reader", 1u << KARP_FORMAT_PATCH);
    if (status) return status;
    size_t room = karp_reader_request_change_count(reader) + 1;
    patch *list = array_alloc(context, room, sizeof *list);
    size_t count = list ? list_patches(reader, saved, list) : 0;
    if (!list || !sort_stable(context, list, count, sizeof *list, most_first, NULL)) call.buffer.text.failed = true;
    buffer_text(&call.buffer, "# Each document is a strategic merge patch of one workload. To apply them all:\n"
                              "# kubectl apply --server-side --force-conflicts -f FILE\n");
    for (size_t i = 0; i < count && !call.buffer.text.failed; i++) {
        buffer_text(&call.buffer, "---\n");
        write_patch(&call.buffer, reader, &list[i], saved != NULL);
    }
    mem_free(context, list, room * sizeof *list);
    return write_end(&call);
}
