/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/schedule.h>

#include <io/files.h>
#include <karp/library.h>
#include <replay/common.h>

#include <stdio.h>

#define MINUTE (60 * SECOND)
#define DAY (1440 * MINUTE)

bool schedule_read(cron_schedule *s, karp_str text)
{
    return cron_parse(text.ptr, text.len, &s->when) && !s->when.every;
}

karp_status schedule_read_zone(cron_schedule *s, karp_context *context, arena *memory, karp_str name)
{
    char path[128];
    karp_error error;
    strbuf text;
    if (!zone_is_name(name)) return KARP_E_INVALID;
    (void)snprintf(path, sizeof path, "/usr/share/zoneinfo/%.*s", (int)name.len, name.ptr);
    karp_error_init(&error, sizeof error);
    karp_status status = io_whole_file(context, str(path), &text, &error);
    if (!status) status = zone_parse(&s->where, memory, (karp_str){ text.ptr, text.len });
    strbuf_free(&text);
    return status && status != KARP_E_NOMEM ? KARP_E_NOT_FOUND : status;
}

const char *schedule_zone_wrong(karp_status status)
{
    return status == KARP_E_INVALID ? "not a zone of time like Europe/Berlin"
                                    : "this machine has no such zone in /usr/share/zoneinfo";
}

/* On the clock of the zone. Where it is turned back, the hour comes twice; where it is turned ahead, an hour is left
 * out. */
bool schedule_is_due(const cron_schedule *s, int64_t at)
{
    return cron_has(&s->when, at / SECOND + (s->where.count ? zone_ahead(&s->where, at / SECOND) : 0));
}

int64_t schedule_last(karp_context *context, const cron_schedule *s, int64_t after, int64_t now)
{
    for (int64_t at = now - now % MINUTE; at > after && karp_context_work(context, 1); at -= MINUTE) {
        if (schedule_is_due(s, at)) return at;
    }
    return KARP_NO_TIME;
}

int64_t schedule_next(karp_context *context, const cron_schedule *s, int64_t after)
{
    int64_t at = after - after % MINUTE;
    for (int64_t i = 0; i < 366 * DAY / MINUTE && karp_context_work(context, 1); i++) {
        at += MINUTE;
        if (schedule_is_due(s, at)) return at;
    }
    return INT64_MAX;
}
