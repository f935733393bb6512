/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shuffle [--from N] [--count N] [--times N] [--show]
 *
 * Puts the objects of random worlds into another order, a few times each, and compares what the library writes about
 * them, byte by byte and in both profiles: a decision may not depend on the order in which it learns of things. --show
 * prints both Plans of the first world on which that fails. Exit status: 0 equal, 1 different, 2 trouble.
 */
#include <jansson.h>
#include <karp/io.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <support/random.h>

#include "worlds.h"

static karp_str str(const char *text) { return (karp_str){ text, strlen(text) }; }

/* ---- order ------------------------------------------------------------------------------------------------------- */

static void shuffle_list(json_t *list, uint64_t *seed)
{
    for (size_t n = json_array_size(list); n > 1; n--) {
        size_t k = random_below(seed, n);
        json_t *last = json_incref(json_array_get(list, n - 1)), *other = json_incref(json_array_get(list, k));
        if (json_array_set_new(list, k, last) != 0 || json_array_set_new(list, n - 1, other) != 0) exit(2);
    }
}

/* What has an order that means something stays: the pods to place (the first of a group stands for it), types (daemons
 * are looked at type by type) and everything inside objects. */
static void shuffle_world(json_t *world, uint64_t *seed)
{
    shuffle_list(json_object_get(world, "objects"), seed);
    shuffle_list(json_object_get(json_object_get(world, "state"), "nodes"), seed);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static void check(karp_status status, const karp_error *error)
{
    if (status == KARP_OK) return;
    fprintf(stderr, "shuffle: %s: %s %s %s\n", karp_status_name(status), error->object, error->field, error->message);
    exit(2);
}

/* To be freed with karp_text_free(). */
static karp_text plan_of(karp_context *context, const json_t *world, uint32_t profile)
{
    karp_error error;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *decision = NULL;
    karp_text plan = { NULL, 0, NULL };
    karp_write_options format;
    karp_reader_options reading;
    karp_options options;
    char *text = json_dumps(world, JSON_COMPACT);
    if (text == NULL) exit(2);
    karp_error_init(&error, sizeof error);
    karp_write_options_init(&format, sizeof format);
    karp_reader_options_init(&reading, sizeof reading);
    karp_options_init(&options, sizeof options);
    options.profile = profile;
    options.explain = KARP_EXPLAIN_FULL;
    reading.keep_documents = 1;
    check(karp_reader_new(context, &reading, &reader, &error), &error);
    check(karp_reader_add(reader, str("world"), str(text), &error), &error);
    check(karp_reader_finish(reader, &snapshot, &error), &error);
    check(karp_provision(snapshot, &options, &decision, &error), &error);
    format.digest = karp_reader_digest(reader);
    check(karp_write_plan(context, decision, NULL, &format, &plan, &error), &error);
    karp_decision_unref(decision);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    free(text);
    return plan;
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

enum { MOST_FAILURES = 10 };

struct run {
    unsigned long from, count, times;
    bool show;
};

static bool world_holds(karp_context *context, unsigned long number, const struct run *run)
{
    json_t *world = world_make(number);
    uint64_t seed = number;
    bool holds = world != NULL;
    for (uint32_t profile = KARP_PROFILE_KARPENTER; holds && profile <= KARP_PROFILE_KARP; profile++) {
        karp_text plan = plan_of(context, world, profile);
        for (unsigned long i = 0; i < run->times && holds; i++) {
            shuffle_world(world, &seed);
            karp_text other = plan_of(context, world, profile);
            holds = other.len == plan.len && memcmp(other.ptr, plan.ptr, plan.len) == 0;
            if (!holds && run->show) printf("%s\n%s\n", plan.ptr, other.ptr);
            karp_text_free(&other);
        }
        karp_text_free(&plan);
    }
    json_decref(world);
    return holds;
}

static bool read_arguments(int count, char **arguments, struct run *run)
{
    for (int i = 1; i < count; i++) {
        const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
        unsigned long *number = strcmp(name, "--from") == 0    ? &run->from
                                : strcmp(name, "--count") == 0 ? &run->count
                                : strcmp(name, "--times") == 0 ? &run->times
                                                               : NULL;
        if (strcmp(name, "--show") == 0) {
            run->show = true;
            continue;
        }
        if (number == NULL || value == NULL) return false;
        char *end;
        *number = strtoul(value, &end, 10);
        if (*end != '\0') return false;
        i++;
    }
    return true;
}

int main(int count, char **arguments)
{
    struct run run = { .from = 1, .count = 300, .times = 3 };
    karp_context *context = NULL;
    unsigned long failures = 0;
    if (!read_arguments(count, arguments, &run)) {
        fputs("shuffle [--from N] [--count N] [--times N] [--show]\n", stderr);
        return 2;
    }
    if (karp_context_new(NULL, &context, NULL) != KARP_OK) return 2;
    unsigned long number = run.from;
    for (; number < run.from + run.count && failures < MOST_FAILURES; number++) {
        if (world_holds(context, number, &run)) continue;
        printf("world %lu depends on the order of its objects\n", number);
        run.show = false;
        failures++;
    }
    karp_context_unref(context);
    printf("%lu worlds, %lu failures\n", number - run.from, failures);
    return failures > 0;
}
