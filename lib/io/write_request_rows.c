/* SPDX-License-Identifier: Apache-2.0 */
#include <base/sort.h>
#include <io/write_requests.h>
#include <records/rows.h>

#include <karp/library.h>

#include "write_text.h"

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

typedef struct shown_request {
    karp_request_change change;
    double saved;
    uint32_t priced;
} shown_request;

#define REQUEST_ROWS(of)                                                                                               \
    OPEN({ TEXT("after", shown_request, change.of##_after) },                                                          \
         { TEXT("before", shown_request, change.of##_before), GIVEN },                                                 \
         { TEXT("limit", shown_request, change.of##_limit), GIVEN },                                                   \
         { TEXT("source", shown_request, change.of##_source), GIVEN })
static const record request_cpu = { REQUEST_ROWS(cpu) };
static const record request_memory = { REQUEST_ROWS(memory) };

static const record record_request = { OPEN(
    { TEXT("kind", shown_request, change.kind) }, { TEXT("namespace", shown_request, change.namespace_), GIVEN },
    { TEXT("name", shown_request, change.name), GIVEN }, { TEXT("container", shown_request, change.container), GIVEN },
    { OBJECT("cpu", request_cpu), FLAT, GIVEN }, { OBJECT("memory", request_memory), FLAT, GIVEN },
    { UINT32("pods", shown_request, change.pods) }, { UINT32("resized", shown_request, change.resized) },
    { UINT32("deferred", shown_request, change.deferred) }, { UINT32("infeasible", shown_request, change.infeasible) },
    { UINT32("notResizable", shown_request, change.not_resizable) },
    { MONEY("savedPerHour", shown_request, saved), WHEN(shown_request, priced) }) };

void requests_as_json(const encoder *e, const karp_reader *reader, const double *saved)
{
    size_t count = reader ? karp_reader_request_change_count(reader) : 0;
    if (count == 0) return;
    uint32_t *order = write_array(e->job, count, sizeof *order);
    for (uint32_t i = 0; order != NULL && i < count; i++) order[i] = i;
    if (order != NULL && saved != NULL && !sort_ids(e->job->context, order, count, by_falling, saved))
        write_refuse(e->job, KARP_E_NOMEM, "out of memory");
    json_member_array(e->json, "requests");
    for (size_t i = 0; order != NULL && i < count; i++) {
        shown_request shown = { { .size = sizeof shown.change }, saved ? saved[order[i]] : 0, saved != NULL };
        write_refuse(e->job, karp_reader_request_change(reader, order[i], &shown.change),
                     "a change of requests cannot be read");
        encode_object(e, &record_request, &shown);
    }
    json_end(e->json);
    karp_free(e->job->context, order, count * sizeof *order);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* "cpu 500m → 120m" */
static void amount_words(write_buffer *b, const char *resource, karp_str before, karp_str after, bool more)
{
    if (after.len == 0) return;
    buffer_text(b, more ? ", " : "");
    buffer_text(b, resource);
    buffer_char(b, ' ');
    if (before.len > 0) text_clean(b, before);
    else buffer_text(b, "\xe2\x80\x93");
    text_between(b, " \xe2\x86\x92 ", after, "");
}

void requests_as_text(write_buffer *b, const karp_reader *reader)
{
    enum { SHOWN_MOST = 40 };
    size_t count = reader ? karp_reader_request_change_count(reader) : 0;
    if (count > 0) buffer_text(b, "\nRequests\n");
    for (size_t i = 0; i < count && i < SHOWN_MOST; i++) {
        karp_request_change c = { .size = sizeof c };
        if (karp_reader_request_change(reader, i, &c) != KARP_OK) continue;
        text_between(b, "  ", c.kind, "");
        buffer_char(b, ' ');
        text_clean(b, c.namespace_);
        buffer_char(b, '/');
        text_clean(b, c.name);
        text_between(b, ", container ", c.container, ": ");
        amount_words(b, "cpu", c.cpu_before, c.cpu_after, false);
        amount_words(b, "memory", c.memory_before, c.memory_after, c.cpu_after.len > 0);
        buffer_between_u(b, "; ", c.pods, "");
        buffer_text(b, c.pods == 1 ? " pod" : " pods");
        buffer_text(b, c.larger ? " (larger)\n" : "\n");
    }
    if (count <= SHOWN_MOST) return;
    buffer_between_u(b, "  and ", count - SHOWN_MOST, " more (-o json has all)\n");
}
