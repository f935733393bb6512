/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads of a picture: which pods are theirs, their colours, and what their requests cost. */
#include "picture.h"

#include <io/owner.h>

#include "write_text.h"

karp_status picture_owners_open(picture_owners *o, karp_table *pods)
{
    *o = (picture_owners){ { .size = sizeof o->space }, { .size = sizeof o->kind }, { .size = sizeof o->name } };
    karp_status status = karp_table_find(pods, str("namespace"), &o->space);
    if (status == KARP_OK) status = karp_table_find(pods, str("owner_kind"), &o->kind);
    if (status == KARP_OK) status = karp_table_find(pods, str("owner"), &o->name);
    return status;
}

static karp_str word_at(const karp_column *c, size_t row)
{
    uint32_t id = ((const uint32_t *)c->values)[row];
    return (karp_str){ c->dictionary + c->dictionary_offsets[id],
                       (size_t)(c->dictionary_offsets[id + 1] - c->dictionary_offsets[id]) };
}

bool picture_of_daemon(const picture_owners *o, size_t pod)
{
    karp_str kind = word_at(&o->kind, pod);
    return str_is(kind, "DaemonSet") || str_is(kind, "Node");
}

/* A CronJob names its Jobs after itself and the scheduled time in minutes since 1970. */
static karp_str cron_job_of(karp_str job)
{
    size_t digits = 0;
    while (digits < job.len && job.ptr[job.len - digits - 1] >= '0' && job.ptr[job.len - digits - 1] <= '9') digits++;
    bool minute = digits == 8 && job.len > digits + 1 && job.ptr[job.len - digits - 1] == '-';
    return minute ? (karp_str){ job.ptr, job.len - digits - 1 } : job;
}

/* A ReplicaSet that the reader created for a Deployment ends with ten hexadecimal digits. */
static karp_str deployment_of_made(karp_str set)
{
    enum { DIGITS = 10 };
    size_t name = set.len > DIGITS + 1 ? set.len - DIGITS - 1 : 0;
    if (name == 0 || set.ptr[name] != '-') return (karp_str){ "", 0 };
    for (size_t i = name + 1; i < set.len; i++) {
        if (memchr("0123456789abcdef", set.ptr[i], 16) == NULL) return (karp_str){ "", 0 };
    }
    return (karp_str){ set.ptr, name };
}

karp_str picture_workload_of(const picture_owners *o, size_t pod, karp_str pod_name, strbuf *room)
{
    karp_str kind = word_at(&o->kind, pod), owner = word_at(&o->name, pod);
    if (owner.len == 0 || str_is(kind, "Node")) return text_workload(pod_name);
    if (str_is(kind, "ReplicaSet")) {
        karp_str deployment = io_deployment_of_set(owner);
        if (deployment.len == 0) deployment = deployment_of_made(owner);
        if (deployment.len > 0) owner = deployment;
    } else if (kind.len == 0) {
        owner = cron_job_of(owner);
    }
    strbuf_clear(room);
    strbuf_addname(room, word_at(&o->space, pod), owner);
    return (karp_str){ room->ptr, room->len };
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

static uint32_t wanted_colour(karp_str name)
{
    uint32_t sum = UINT32_C(2166136261); /* FNV-1a: the same on every machine */
    for (size_t i = 0; i < name.len; i++) sum = (sum ^ (unsigned char)name.ptr[i]) * UINT32_C(16777619);
    return sum % PICTURE_COLOURS;
}

static void take_colour(picture_workload *workload, bool taken[PICTURE_COLOURS])
{
    uint32_t colour = wanted_colour(workload->name);
    while (taken[colour]) colour = (colour + 1) % PICTURE_COLOURS;
    taken[colour] = true;
    workload->colour = colour;
}

/* Running workloads choose first, because every design has them; the others follow in the order of their names. */
static bool chooses_before(const picture_workload *x, const picture_workload *y)
{
    if (x->running > 0 || y->running > 0) return x->running > 0 && (!(y->running > 0) || x->rank < y->rank);
    return compare_str(x->name, y->name) < 0;
}

void picture_give_colours(picture *s)
{
    picture_workload *first[PICTURE_COLOURS]; /* the largest workloads, in the order of choosing */
    bool taken[PICTURE_COLOURS] = { false };
    size_t count = 0;
    for (size_t i = 0; i < s->workload_count; i++) {
        picture_workload *workload = &s->workloads[i];
        workload->colour = PICTURE_COLOURS;
        if (workload->rank >= PICTURE_COLOURS) continue;
        size_t at = count++;
        for (; at > 0 && chooses_before(workload, first[at - 1]); at--) first[at] = first[at - 1];
        first[at] = workload;
    }
    for (size_t i = 0; i < count; i++) take_colour(first[i], taken);
}

/* ---- what their requests cost ------------------------------------------------------------------------------------ */

/* A node's price is distributed to the owners of its pods, in proportion to their requests of its CPU and memory. The
 * part that no pod requests is distributed in the same way. */

static double weight(const picture_node *node, double cpu, double memory)
{
    return picture_part(cpu, node->cpu) + picture_part(memory, node->memory);
}

static void give(picture_share *share, const picture_node *node, double part, double cpu, double memory)
{
    share->cpu += cpu;
    share->memory += memory;
    share->cost += node->price * part;
    share->idle += node->idle * part;
}

static void share_node(picture *s, const picture_node *node)
{
    double all = weight(node, node->cpu_used, node->memory_used);
    if (!(all > 0)) {
        give(&s->nobody, node, 1, 0, 0);
        return;
    }
    give(&s->daemons, node, weight(node, node->daemon_cpu, node->daemon_memory) / all, node->daemon_cpu,
         node->daemon_memory);
    for (size_t i = 0; i < node->run_count; i++) {
        const picture_run *run = &node->runs[i];
        picture_share *share = &s->workloads[run->workload].share;
        give(share, node, weight(node, run->cpu, run->memory) / all, run->cpu, run->memory);
        share->pods += run->pods;
    }
}

static int most_expensive_first(const void *a, const void *b)
{
    const picture_workload *x = a, *y = b;
    if (x->share.cost != y->share.cost) return x->share.cost > y->share.cost ? -1 : 1;
    return compare_str(x->name, y->name);
}

bool picture_share_costs(picture *s, karp_context *context)
{
    const void **order = arena_array(&s->arena, s->workload_count, sizeof(*order));
    if (order == NULL) return false;
    for (size_t i = 0; i < s->after.count; i++) share_node(s, &s->after.nodes[i]);
    for (size_t i = 0; i < s->workload_count; i++) {
        if (s->workloads[i].share.pods > 0) order[s->owner_count++] = &s->workloads[i];
    }
    s->owners = order;
    return sort_pointers(context, order, s->owner_count, most_expensive_first);
}
