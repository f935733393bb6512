/* SPDX-License-Identifier: Apache-2.0 */
/* Cron schedules of disruption budgets and CronJobs: five fields, or a descriptor such as "@daily". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cron {
    uint64_t minutes, hours, days, months, weekdays; /* bit n = the value n */
    bool any_day, any_weekday; /* the field is "*": then both day fields have to match */
    int64_t every; /* seconds of "@every"; 0 = the fields above apply */
} cron;

/* *out is written only on success. */
bool cron_parse(const char *text, size_t len, cron *out);

/* Whether the five fields match this time, in seconds since 1970. */
bool cron_has(const cron *schedule, int64_t seconds);

/* The first time in UTC, in whole seconds, that matches strictly after after_ns. false = none until the end of the
 * fifth calendar year after it. INT64_MAX = the time is out of range. */
bool cron_next(const cron *schedule, int64_t after_ns, int64_t *hit_ns);
