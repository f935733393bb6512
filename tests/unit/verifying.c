/* SPDX-License-Identifier: Apache-2.0 */
#include "verifying.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <karp/io.h>

static karp_str of_text(const char *text) { return (karp_str){ text, strlen(text) }; }

karp_status findings(karp_context *context, const char *world, const char *plan, char *into, size_t room,
                     karp_error *error)
{
    karp_snapshot *snapshot = NULL;
    karp_plan_document *document = NULL;
    karp_verification *found = NULL;
    karp_status status = world_of(context, "world", world, &snapshot, error);
    if (status == KARP_OK) status = karp_plan_read(context, of_text("plan"), of_text(plan), &document, error);
    if (status == KARP_OK) status = karp_verify(snapshot, karp_plan_document_plan(document), &found, error);
    size_t length = 0;
    into[0] = '\0';
    for (size_t i = 0; i < karp_verification_count(found); i++) {
        karp_finding row = { .size = sizeof row };
        assert_int_equal(karp_verification_at(found, i, &row), KARP_OK);
        assert_true(row.detail.len > 0);
        length += (size_t)snprintf(into + length, room - length, "%s %s\n", karp_finding_name(row.code),
                                   row.object.ptr);
        assert_true(length < room);
    }
    karp_verification_free(found);
    karp_plan_document_free(document);
    karp_snapshot_unref(snapshot);
    return status;
}

void verify_each(const struct check *list, size_t count)
{
    char text[4096];
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        karp_error error;
        karp_context *context = context_of_case(&error);
        karp_status status = findings(context, list[i].world, list[i].plan, text, sizeof text, &error);
        karp_context_unref(context);
        wrong += !as_expected(i, list[i].plan, status, &error, list[i].expected, text);
    }
    assert_int_equal(wrong, 0);
}
