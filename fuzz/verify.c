/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan of a random world is written, read and verified: the text has the findings that the decision has. Then two
 * bytes choose how the document is spoiled: a plan without one of its pods, or with one twice, is never right, and no
 * other makes the verifier fail.
 */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#include <property/worlds.h>

enum { NOT_READ = -1 };

static long count(karp_status status, karp_verification *found, const karp_error *error)
{
    check_result(status, found, error);
    long n = found == NULL ? NOT_READ : (long)karp_verification_count(found);
    karp_verification_free(found);
    return n;
}

static long findings_of_decision(const fuzz_world *w, const karp_decision *decision)
{
    karp_verification *found = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_verify_decision(w->snapshot, decision, &found, &error);
    return count(status, found, &error);
}

/* NOT_READ = the text is no plan. */
static long findings_of_text(const fuzz_world *w, karp_str text)
{
    karp_plan_document *document = NULL;
    karp_verification *found = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_plan_read(w->context, fuzz_str("plan.json"), text, &document, &error);
    check_result(status, document, &error);
    if (status != KARP_OK) return NOT_READ;
    status = karp_verify(w->snapshot, karp_plan_document_plan(document), &found, &error);
    long n = count(status, found, &error);
    karp_plan_document_free(document);
    return n;
}

/* ---- spoiling ---------------------------------------------------------------------------------------------------- */

/* The n-th value of the tree, depth first; NULL = it has not so many. */
static json_t *nth(json_t *value, unsigned *n)
{
    const char *name;
    size_t i;
    json_t *part, *found = NULL;
    if ((*n)-- == 0) return value;
    json_object_foreach(value, name, part)
    {
        if (found == NULL) found = nth(part, n);
    }
    json_array_foreach(value, i, part)
    {
        if (found == NULL) found = nth(part, n);
    }
    return found;
}

/* Whatever the value is, it becomes something else. */
static void spoil_value(json_t *value, unsigned how)
{
    static const char *const words[] = { "", "default/p", "new-1", "a/b/c", "z1", "kubernetes.io/hostname" };
    if (json_is_array(value) && how % 2) json_array_clear(value);
    else if (json_is_array(value)) json_array_append_new(value, json_string(words[how % 6]));
    else if (json_is_object(value)) json_object_set_new(value, how % 2 ? "pods" : "node", json_string(words[how % 6]));
    else if (json_is_string(value)) json_string_set(value, words[how % 6]);
    else if (json_is_real(value)) json_real_set(value, how % 2 ? -1 : 1e300);
}

/* The pods of a launch or placement that the number chooses; NULL = nothing is placed. */
static json_t *some_pods(json_t *plan, unsigned number)
{
    json_t *launches = json_object_get(plan, "launches"), *placements = json_object_get(plan, "placements");
    size_t both = json_array_size(launches) + json_array_size(placements), at = both == 0 ? 0 : number % both;
    json_t *target = at < json_array_size(launches) ? json_array_get(launches, at)
                                                    : json_array_get(placements, at - json_array_size(launches));
    json_t *pods = json_object_get(target, "pods");
    return json_array_size(pods) == 0 ? NULL : pods;
}

/* Returns whether the plan is certainly wrong now. */
static int spoil(json_t *plan, unsigned how, unsigned where)
{
    json_t *pods = some_pods(plan, where);
    if (how % 4 == 0 && pods != NULL) return json_array_remove(pods, 0) == 0;
    if (how % 4 == 1 && pods != NULL) return json_array_append(pods, json_array_get(pods, 0)) == 0;
    unsigned n = where;
    json_t *value = nth(plan, &n);
    if (value != NULL) spoil_value(value, how / 4);
    return 0;
}

static void check_spoiled(const fuzz_world *w, const karp_text *text, unsigned how, unsigned where)
{
    json_t *plan = json_loadb(text->ptr, text->len, 0, NULL);
    if (plan == NULL) broken("a plan is JSON");
    int wrong = spoil(plan, how, where);
    char *spoiled = json_dumps(plan, JSON_COMPACT);
    if (spoiled != NULL && findings_of_text(w, fuzz_str(spoiled)) == 0 && wrong)
        broken("a plan without a pod, or with one twice, is not right");
    free(spoiled);
    json_decref(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) return 0;
    fuzz_world w;
    fuzz_world_open(&w, world_make_from(data + 3, size - 3));
    karp_decision *decision = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = w.snapshot == NULL ? KARP_E_LIMIT : karp_provision(w.snapshot, NULL, &decision, &error);
    if (w.snapshot != NULL) check_result(status, decision, &error);
    if (status == KARP_OK) {
        status = karp_write_plan(w.context, decision, NULL, NULL, &text, &error);
        check_result(status, text.ptr, &error);
    }
    if (status == KARP_OK) {
        if (findings_of_text(&w, (karp_str){ text.ptr, text.len }) != findings_of_decision(&w, decision))
            broken("a plan that was written is the decision");
        check_spoiled(&w, &text, data[0], data[1] * 256U + data[2]);
    }
    karp_text_free(&text);
    karp_decision_unref(decision);
    fuzz_world_close(&w);
    return 0;
}
