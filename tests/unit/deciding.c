/* SPDX-License-Identifier: Apache-2.0 */
#include "deciding.h"

#include <stdbool.h>
#include <stdio.h>

#include <support/questions.h>

#include <karp/inspect.h>

static char text[8192];

static karp_str str(const char *s) { return (karp_str){ s, strlen(s) }; }

static void good(karp_status status, const karp_error *error)
{
    if (status == KARP_OK) return;
    fail_msg("%s at %s:%u: %s: %s: %s", karp_status_name(status), error->document, (unsigned)error->line, error->object,
             error->field, error->message);
}

static deciding read_all(karp_context *context, const char *catalogue, const char *document, va_list more)
{
    deciding d = { context, NULL };
    karp_error error;
    karp_reader *reader = NULL;
    karp_catalogue *types = NULL;
    karp_error_init(&error, sizeof error);
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.lenient = 1; /* Karpenter is asked, whatever the API server thinks of the pods */
    good(karp_reader_new(d.context, &options, &reader, &error), &error);
    if (catalogue == NULL) catalogue = CASES "types.yaml";
    if (document_is_path(catalogue)) good(karp_catalogue_read_file(d.context, catalogue, &types, &error), &error);
    else good(karp_catalogue_read(d.context, str("types"), str(catalogue), &types, &error), &error);
    good(karp_reader_add_catalogue(reader, types, &error), &error);
    karp_catalogue_unref(types);
    const char *documents[8];
    size_t count = 0;
    for (; document != NULL && count < 8; document = va_arg(more, const char *)) {
        documents[count++] = document;
        if (document_is_path(document)) good(karp_reader_add_path(reader, document, &error), &error);
        else good(karp_reader_add(reader, str("test"), str(document), &error), &error);
    }
    assert_null(document);
    good(karp_reader_finish(reader, &d.snapshot, &error), &error);
    karp_reader_free(reader);
    assert_true(refuse_if_wanted(catalogue, documents, count));
    return d;
}

deciding decide_in(karp_context *context, const char *catalogue, const char *document, ...)
{
    va_list more;
    va_start(more, document);
    deciding d = read_all(context, catalogue, document, more);
    va_end(more);
    return d;
}

deciding decide_on(const char *catalogue, const char *document, ...)
{
    karp_context *context = NULL;
    karp_error error;
    va_list more;
    karp_error_init(&error, sizeof error);
    good(karp_context_new(NULL, &context, &error), &error);
    va_start(more, document);
    deciding d = read_all(context, catalogue, document, more);
    va_end(more);
    return d;
}

void deciding_free(deciding *d)
{
    karp_snapshot_unref(d->snapshot);
    karp_context_unref(d->context);
}

karp_decision *decide(const deciding *d, const karp_options *options)
{
    karp_error error;
    karp_decision *decision = NULL;
    karp_error_init(&error, sizeof error);
    good(karp_provision(d->snapshot, options, &decision, &error), &error);
    return decision;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void add(const char *words)
{
    size_t used = strlen(text);
    assert_true(used + strlen(words) + 1 < sizeof text);
    memcpy(text + used, words, strlen(words) + 1);
}

static void add_str(karp_str words)
{
    char copy[512];
    assert_true(words.len < sizeof copy);
    snprintf(copy, sizeof copy, "%.*s", (int)words.len, words.ptr);
    add(copy);
}

static void next(void)
{
    if (text[0] != '\0') add(" | ");
}

/* Pods of the namespace default go by their names alone. */
static void add_pod(const karp_decision *decision, uint32_t pod)
{
    karp_str name = karp_decision_pod_name(decision, pod);
    bool own = name.len > 8 && memcmp(name.ptr, "default/", 8) == 0;
    add_str(own ? (karp_str){ name.ptr + 8, name.len - 8 } : name);
}

static void add_values(const karp_launch *l, const char *key)
{
    for (size_t i = 0; i < l->requirement_count; i++) {
        const karp_requirement *r = &l->requirements[i];
        if (r->op != KARP_OP_IN || r->key.len != strlen(key) || memcmp(r->key.ptr, key, r->key.len) != 0) continue;
        for (size_t v = 0; v < r->value_count; v++) {
            add(v == 0 ? " " : ",");
            add_str(r->values[v]);
        }
    }
}

static void add_launches(const karp_decision *decision)
{
    for (size_t i = 0; i < karp_decision_launch_count(decision); i++) {
        karp_launch l = { .size = sizeof l };
        assert_int_equal(karp_decision_launch(decision, i, &l), KARP_OK);
        next();
        add_str(l.node_pool);
        add_values(&l, "topology.kubernetes.io/zone");
        add_values(&l, "karpenter.sh/capacity-type");
        add(":");
        for (size_t p = 0; p < l.pod_count; p++) {
            add(" ");
            add_pod(decision, l.pods[p]);
        }
    }
}

const char *decision_words(const karp_decision *decision)
{
    text[0] = '\0';
    add_launches(decision);
    for (size_t i = 0; i < karp_decision_placement_count(decision); i++) {
        karp_placement p = { .size = sizeof p };
        assert_int_equal(karp_decision_placement(decision, i, &p), KARP_OK);
        next();
        add_str(p.node);
        add(" <-");
        for (size_t k = 0; k < p.pod_count; k++) {
            add(" ");
            add_pod(decision, p.pods[k]);
        }
    }
    for (size_t i = 0; i < karp_decision_unschedulable_count(decision); i++) {
        karp_unschedulable u = { .size = sizeof u };
        assert_int_equal(karp_decision_unschedulable(decision, i, &u), KARP_OK);
        next();
        add("!");
        add_pod(decision, u.pod);
        add(" ");
        add(karp_reason_name(u.code));
    }
    for (size_t i = 0; i < karp_decision_ignored_count(decision); i++) {
        karp_ignored g = { .size = sizeof g };
        assert_int_equal(karp_decision_ignored(decision, i, &g), KARP_OK);
        next();
        add("?");
        add_pod(decision, g.pod);
        add(" ");
        add(karp_reason_name(g.code));
    }
    return text;
}

const char *words_of(const deciding *d, uint32_t profile, uint64_t flip_quirks)
{
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.profile = profile;
    options.flip_quirks = flip_quirks;
    karp_decision *decision = decide(d, &options);
    const char *words = decision_words(decision);
    karp_decision_unref(decision);
    return words;
}
