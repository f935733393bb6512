/* SPDX-License-Identifier: Apache-2.0 */
/* Zones of time as files of the system describe them (RFC 9636), for the timeZone of CronJobs. */
#pragma once

#include <base/memory.h>

/* From some time on the clock is so far ahead of UTC. */
typedef struct zone_turn {
    int64_t from; /* seconds since 1970; the first one INT64_MIN */
    int64_t ahead; /* seconds */
} zone_turn;

/* A day on which the clock is turned, every year. */
typedef struct zone_rule {
    char kind; /* 'M' = month, week and weekday; 'J' = day of the year without 29 February; '0' = day from 0 */
    int64_t month, week, day, time; /* time: seconds after midnight */
} zone_rule;

typedef struct zone {
    zone_turn *turns; /* in the arena */
    size_t count;
    int64_t standard, summer; /* after the last turn: seconds ahead */
    zone_rule begins, ends; /* of summer */
    bool has_summer;
} zone;

/* What the file says. Errors: INVALID (it is not one of version 2 or later), NOMEM. */
karp_status zone_parse(zone *z, arena *memory, karp_str text);
/* Seconds that the clock is ahead of UTC at this time, in seconds since 1970. */
int64_t zone_ahead(const zone *z, int64_t at);
/* Whether the name may be that of a zone: letters, digits and -_+, in parts with slashes between. */
bool zone_is_name(karp_str name);
