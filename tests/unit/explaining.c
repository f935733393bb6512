/* SPDX-License-Identifier: Apache-2.0 */
#include "explaining.h"

#include <stdio.h>
#include <string.h>

#include <karp/explain.h>
#include <karp/io.h>

static karp_str of_text(const char *text) { return (karp_str){ text, strlen(text) }; }

karp_status remedies(karp_context *context, const char *world, const karp_options *options, const char *pod, char *into,
                     size_t room, karp_error *error)
{
    karp_snapshot *snapshot = NULL;
    karp_pod_explanation *explanation = NULL;
    karp_status status = world_of(context, "world", world, &snapshot, error);
    if (status == KARP_OK) status = karp_explain_pod(snapshot, options, of_text(pod), &explanation, error);
    size_t length = 0;
    into[0] = '\0';
    for (size_t i = 0; status == KARP_OK && i < karp_pod_explanation_remedy_count(explanation); i++) {
        karp_remedy r = { .size = sizeof r };
        char price[KARP_VALUE_TEXT];
        assert_int_equal(karp_pod_explanation_remedy(explanation, i, &r), KARP_OK);
        karp_double_format(r.choice.price, price);
        length += (size_t)snprintf(into + length, room - length, "%u %s %s -> %s%s%s%s%s%s\n", (unsigned)r.changes,
                                   karp_remedy_name(r.kind), r.text.ptr, r.node.ptr, r.choice.instance_type.ptr,
                                   r.node.len > 0 ? "" : ",", r.choice.zone.ptr, r.node.len > 0 ? "" : ",",
                                   r.node.len > 0 ? "" : price);
        assert_true(length < room);
    }
    if (status == KARP_OK) {
        karp_remedy r = { .size = sizeof r };
        assert_int_equal(karp_pod_explanation_remedy(explanation, karp_pod_explanation_remedy_count(explanation), &r),
                         KARP_E_NOT_FOUND);
        assert_string_equal(karp_pod_explanation_pod(explanation).ptr, pod);
        assert_non_null(karp_pod_explanation_decision(explanation));
    }
    karp_pod_explanation_free(explanation);
    karp_snapshot_unref(snapshot);
    return status;
}

void explain_pods(const struct explained *list, size_t count)
{
    char text[8192];
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        karp_error error;
        karp_context *context = context_of_case(&error);
        karp_status status = remedies(context, list[i].world, NULL, "default/a", text, sizeof text, &error);
        wrong += !as_expected(i, "default/a", status, &error, list[i].expected, text);
        karp_context_unref(context);
    }
    assert_int_equal(wrong, 0);
}

karp_status node_lines(karp_context *context, const char *world, const karp_disrupt_options *options, const char *node,
                       char *into, size_t room, karp_error *error)
{
    karp_snapshot *snapshot = NULL;
    karp_node_explanation *e = NULL;
    size_t length = 0;
    karp_status status = world_of(context, "world", world, &snapshot, error);
    if (status == KARP_OK) status = karp_explain_node(snapshot, options, of_text(node), &e, error);
    into[0] = '\0';
    if (status == KARP_OK && karp_node_explanation_disrupted(e) != 0) length += (size_t)snprintf(into, room, "goes\n");
    for (size_t i = 0; status == KARP_OK && i < karp_node_explanation_blocker_count(e); i++) {
        karp_blocker b = { .size = sizeof b };
        char until[KARP_VALUE_TEXT] = "";
        assert_int_equal(karp_node_explanation_blocker(e, i, &b), KARP_OK);
        if (b.until != KARP_NO_TIME) karp_time_format(b.until, until);
        length += (size_t)snprintf(into + length, room - length, "%s %s%s%s\n", karp_reason_name(b.code), b.detail.ptr,
                                   until[0] != '\0' ? " until " : "", until);
        assert_true(length < room);
    }
    karp_move m = { .size = sizeof m };
    if (status == KARP_OK && karp_node_explanation_disrupted(e) == 0 && karp_node_explanation_move(e, &m) == KARP_OK) {
        snprintf(into + length, room - length, "move of %u pods saves %g of %g, %u launches\n", (unsigned)m.moved,
                 m.savings, m.price, (unsigned)m.launches);
    }
    if (status == KARP_OK) assert_string_equal(karp_node_explanation_node(e).ptr, node);
    karp_node_explanation_free(e);
    karp_snapshot_unref(snapshot);
    return status;
}

void explain_nodes(const struct explained *list, size_t count, const karp_disrupt_options *options)
{
    static char text[65536];
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        karp_error error;
        karp_context *context = context_of_case(&error);
        karp_status status = node_lines(context, list[i].world, options, "n1", text, sizeof text, &error);
        wrong += !as_expected(i, "n1", status, &error, list[i].expected, text);
        assert_int_equal(node_lines(context, list[i].world, options, "n7", text, sizeof text, &error),
                         KARP_E_NOT_FOUND);
        karp_context_unref(context);
    }
    assert_int_equal(wrong, 0);
}
