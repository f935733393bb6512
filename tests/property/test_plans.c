/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_plans [--from N] [--count N] | [--file SNAPSHOT.json]...
 *
 * The library's own plans for random worlds (or for the files named) before the verifier: it must find nothing.
 */
#include <jansson.h>
#include <karp/explain.h>
#include <karp/io.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worlds.h"

static karp_str str_of_text(const char *text) { return (karp_str){ text, strlen(text) }; }

static size_t print_findings(const char *name, const karp_verification *found)
{
    size_t count = karp_verification_count(found);
    for (size_t i = 0; i < count; i++) {
        karp_finding row = { .size = sizeof row };
        karp_verification_at(found, i, &row);
        printf("# %s: %s %s: %s\n", name, karp_finding_name(row.code), row.object.ptr, row.detail.ptr);
    }
    return count;
}

/** What the verifier says to a plan that went through its document. */
static karp_status verify(karp_context *context, const karp_snapshot *snapshot, const karp_decision *decision,
                          karp_verification **found, karp_error *error)
{
    karp_text text = { NULL, 0, NULL };
    karp_plan_document *document = NULL;
    karp_status status = karp_write_plan(context, decision, NULL, NULL, &text, error);
    if (status == KARP_OK) {
        status = karp_plan_read(context, str_of_text("plan.json"), (karp_str){ text.ptr, text.len }, &document, error);
    }
    if (status == KARP_OK) {
        status = karp_verify(snapshot, karp_plan_document_plan(document), found, error);
    }
    karp_plan_document_free(document);
    karp_text_free(&text);
    return status;
}

/** The number of findings; a failure counts as one. */
static size_t check(const char *name, karp_context *context, karp_reader *reader, karp_error *error, uint32_t profile)
{
    karp_snapshot *snapshot = NULL;
    karp_decision *decision = NULL;
    karp_verification *found = NULL, *directly = NULL;
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.profile = profile;
    karp_status status = karp_reader_finish(reader, &snapshot, error);
    if (status == KARP_OK) {
        status = karp_provision(snapshot, &options, &decision, error);
    }
    if (status == KARP_OK) {
        status = verify(context, snapshot, decision, &found, error);
    }
    if (status == KARP_OK) {
        status = karp_verify_decision(snapshot, decision, &directly, error);
    }
    size_t count = status == KARP_OK ? print_findings(name, found) : 1;
    if (status != KARP_OK) {
        printf("# %s: %s %s\n", name, karp_status_name(status), error->message);
    } else if (directly != NULL && karp_verification_count(directly) != count) {
        printf("# %s: %zu findings on the decision, %zu on its document\n", name, karp_verification_count(directly),
               count);
        count++;
    }
    karp_verification_free(directly);
    karp_verification_free(found);
    karp_decision_unref(decision);
    karp_snapshot_unref(snapshot);
    return count;
}

static size_t check_source(const char *name, const char *text, uint32_t profile)
{
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_reader_options options;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_reader_options_init(&options, sizeof options);
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) {
        status = karp_reader_new(context, &options, &reader, &error);
    }
    if (status == KARP_OK) {
        status = text != NULL ? karp_reader_add(reader, str_of_text(name), str_of_text(text), &error)
                              : karp_reader_add_path(reader, name, &error);
    }
    size_t count = 1;
    if (status == KARP_OK) {
        count = check(name, context, reader, &error, profile);
    } else {
        printf("# %s: %s %s\n", name, karp_status_name(status), error.message);
    }
    karp_reader_free(reader);
    karp_context_unref(context);
    return count;
}

static size_t check_world(unsigned long seed, uint32_t profile)
{
    char name[64];
    char *text = world_text(seed);
    snprintf(name, sizeof name, "world %lu%s", seed, profile == KARP_PROFILE_KARP ? " (karp)" : "");
    size_t count = check_source(name, text, profile);
    free(text);
    return count;
}

int main(int argc, char **argv)
{
    unsigned long from = 1, count = 200, bad = 0, files = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--from") == 0) {
            from = strtoul(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--count") == 0) {
            count = strtoul(argv[i + 1], NULL, 10);
        } else {
            bad += check_source(argv[i + 1], NULL, KARP_PROFILE_KARPENTER) > 0;
            files++;
        }
    }
    for (unsigned long seed = from; files == 0 && seed < from + count; seed++) {
        bad += check_world(seed, KARP_PROFILE_KARPENTER) > 0;
        bad += check_world(seed, KARP_PROFILE_KARP) > 0;
    }
    printf("1..1\n%s 1 - plans without findings (%lu bad)\n", bad == 0 ? "ok" : "not ok", bad);
    return bad == 0 ? 0 : 1;
}
