/* SPDX-License-Identifier: Apache-2.0 */
#include "picture_owners.h"

#include <io/owner.h>

#include <string.h>

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
    strbuf_addstr(room, word_at(&o->space, pod));
    strbuf_addc(room, '/');
    strbuf_addstr(room, owner);
    return (karp_str){ room->ptr, room->len };
}
