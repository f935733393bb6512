/* SPDX-License-Identifier: Apache-2.0 */
/* When a CronJob is due: its schedule in a zone of time. */
#pragma once

#include <base/cron.h>
#include <replay/zone.h>

typedef struct cron_schedule {
    cron when;
    zone where; /* without turns UTC */
} cron_schedule;

/* false = it is none. */
bool schedule_read(cron_schedule *s, karp_str text);
/* Its zone by name, from the files of this machine. Errors: INVALID (not the name of a zone), NOT_FOUND, NOMEM. */
karp_status schedule_read_zone(cron_schedule *s, karp_context *context, arena *memory, karp_str name);
const char *schedule_zone_wrong(karp_status status);
/* Whether this minute, in nanoseconds since 1970, is one of the schedule. */
bool schedule_is_due(const cron_schedule *s, int64_t at);
/* The last such minute after `after`, at `now` at the latest; KARP_NO_TIME = none, or too much work. */
int64_t schedule_last(karp_context *context, const cron_schedule *s, int64_t after, int64_t now);
/* The first such minute after `after`; INT64_MAX = none within a year. */
int64_t schedule_next(karp_context *context, const cron_schedule *s, int64_t after);
