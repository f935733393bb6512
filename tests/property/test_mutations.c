/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mutations [--from N] [--count N]
 *
 * Plans for random worlds, made wrong in many ways, before the verifier: it must find each of them wrong, with the
 * right code where only one is possible.
 */
#include <jansson.h>
#include <karp/explain.h>
#include <karp/io.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"
#include "worlds.h"

static karp_str of_text(const char *text) { return (karp_str){ text, strlen(text) }; }

static karp_snapshot *read_world(karp_context *context, const char *text, karp_error *error)
{
    karp_reader *reader = NULL;
    karp_reader_options options;
    karp_snapshot *snapshot = NULL;
    karp_reader_options_init(&options, sizeof options);
    if (karp_reader_new(context, &options, &reader, error) == KARP_OK &&
        karp_reader_add(reader, of_text("world"), of_text(text), error) == KARP_OK) {
        (void)karp_reader_finish(reader, &snapshot, error);
    }
    karp_reader_free(reader);
    return snapshot;
}

static json_t *own_plan(karp_context *context, const karp_snapshot *snapshot, karp_error *error)
{
    karp_decision *decision = NULL;
    karp_text text = { NULL, 0, NULL };
    json_t *plan = NULL;
    if (karp_provision(snapshot, NULL, &decision, error) == KARP_OK &&
        karp_write_plan(context, decision, NULL, NULL, &text, error) == KARP_OK) {
        plan = json_loads(text.ptr, 0, NULL);
    }
    karp_text_free(&text);
    karp_decision_unref(decision);
    return plan;
}

/** The number of findings, and whether one has the code; a failure is none. */
static size_t findings(karp_context *context, const karp_snapshot *snapshot, const json_t *plan, const char *code,
                       bool *seen)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_plan_document *document = NULL;
    karp_verification *found = NULL;
    char *text = json_dumps(plan, JSON_COMPACT);
    karp_status status = karp_plan_read(context, of_text("plan.json"), of_text(text), &document, &error);
    if (status == KARP_OK) {
        status = karp_verify(snapshot, karp_plan_document_plan(document), &found, &error);
    }
    if (status != KARP_OK) {
        printf("# %s %s\n", karp_status_name(status), error.message);
    }
    size_t count = karp_verification_count(found);
    *seen = code == NULL;
    for (size_t i = 0; i < count; i++) {
        karp_finding row = { .size = sizeof row };
        (void)karp_verification_at(found, i, &row);
        *seen = *seen || strcmp(karp_finding_name(row.code), code) == 0;
    }
    karp_verification_free(found);
    karp_plan_document_free(document);
    free(text);
    return count;
}

struct tally {
    unsigned long made[MUTATIONS], missed[MUTATIONS];
};

static void check_world(unsigned long seed, struct tally *tally)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_context *context = NULL;
    json_t *world = world_make(seed);
    char *text = json_dumps(world, JSON_COMPACT);
    karp_snapshot *snapshot = karp_context_new(NULL, &context, &error) == KARP_OK ? read_world(context, text, &error)
                                                                                  : NULL;
    json_t *plan = snapshot == NULL ? NULL : own_plan(context, snapshot, &error);
    for (unsigned way = 0; way < MUTATIONS && plan != NULL; way++) {
        const char *code = NULL;
        bool seen = false;
        json_t *wrong = mutate(world, plan, way, seed, &code);
        if (wrong == NULL) {
            continue;
        }
        tally->made[way]++;
        if (findings(context, snapshot, wrong, code, &seen) == 0 || !seen) {
            tally->missed[way]++;
            printf("# world %lu, %s: %s\n", seed, mutation_name(way), code != NULL ? code : "nothing found");
        }
        json_decref(wrong);
    }
    json_decref(plan);
    free(text);
    json_decref(world);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
}

int main(int argc, char **argv)
{
    unsigned long from = 1, count = 400, missed = 0;
    static struct tally tally;
    for (int i = 1; i + 1 < argc; i += 2) {
        *(strcmp(argv[i], "--from") == 0 ? &from : &count) = strtoul(argv[i + 1], NULL, 10);
    }
    for (unsigned long seed = from; seed < from + count; seed++) {
        check_world(seed, &tally);
    }
    printf("1..%d\n", MUTATIONS);
    for (unsigned way = 0; way < MUTATIONS; way++) {
        bool ok = tally.missed[way] == 0 && tally.made[way] > 0;
        printf("%s %u - %s: %lu of %lu caught\n", ok ? "ok" : "not ok", way + 1, mutation_name(way),
               tally.made[way] - tally.missed[way], tally.made[way]);
        missed += !ok;
    }
    return missed == 0 ? 0 : 1;
}
