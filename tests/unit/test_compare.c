/* SPDX-License-Identifier: Apache-2.0 */
/* Answers side by side: decisions of two sides, designs, settlements. */
#include "planning.h"

#include <karp/compare.h>
#include <support/fault.h>

#include <stdio.h>
#include <string.h>

static const char cheap[] = SNAPSHOT("{}", TYPE("small", "0.2", "") TYPE("big", "0.4", "")) POD("a", "3", "");
static const char dear[] = SNAPSHOT("{}", TYPE("big", "0.4", "")) POD("a", "3", "") POD("b", "9", "");

typedef struct two_clusters {
    karp_context *context;
    karp_snapshot *snapshots[2];
    karp_decision *plans[2];
} two_clusters;

static karp_status read_both(two_clusters *both)
{
    static const char *const texts[] = { cheap, dear };
    karp_status status = KARP_OK;
    for (size_t i = 0; i < 2 && status == KARP_OK; i++) {
        status = world_of(both->context, "case", texts[i], &both->snapshots[i], NULL);
        if (status == KARP_OK) status = karp_provision(both->snapshots[i], NULL, &both->plans[i], NULL);
    }
    return status;
}

static void free_both(two_clusters *both)
{
    for (size_t i = 0; i < 2; i++) {
        karp_decision_unref(both->plans[i]);
        karp_snapshot_unref(both->snapshots[i]);
    }
}

__attribute__((format(printf, 3, 4))) static void put(char *into, size_t room, const char *format, ...)
{
    size_t used = strlen(into);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(into + used, room - used, format, arguments);
    va_end(arguments);
}

static const char *shown(karp_str text) { return text.ptr == NULL ? "-" : text.ptr; }

static karp_status put_differences(const two_clusters *both, char *into, size_t room)
{
    karp_diff *diff = NULL;
    karp_diff_side sides[2];
    for (size_t i = 0; i < 2; i++)
        sides[i] = (karp_diff_side){ .size = sizeof sides[i], .snapshot = both->snapshots[i] };
    karp_status status = karp_compare_decisions(both->context, &sides[0], &sides[1], &diff, NULL);
    for (size_t i = 0; status == KARP_OK && i < karp_diff_count(diff); i++) {
        karp_difference d = { .size = sizeof d };
        status = karp_diff_at(diff, i, &d);
        put(into, room, "%u %s: %.22s, %.22s\n", (unsigned)d.kind, d.subject.ptr, shown(d.before), shown(d.after));
    }
    karp_diff_free(diff);
    return status;
}

static karp_status put_designs(const two_clusters *both, char *into, size_t room)
{
    karp_comparison *comparison = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_design designs[2];
    for (size_t i = 0; i < 2; i++)
        designs[i] = (karp_design){ .size = sizeof designs[i], .snapshot = both->snapshots[i], .plan = both->plans[i] };
    karp_status status = karp_compare_designs(both->context, designs, 2, &comparison, NULL);
    for (size_t i = 0; status == KARP_OK && i < 2; i++) {
        karp_design_totals t = { .size = sizeof t };
        status = karp_comparison_totals(comparison, i, &t);
        put(into, room, "%zu nodes, $%.2f, %zu left\n", t.nodes, t.price, t.pods_left);
        for (size_t k = 0; k < karp_comparison_move_count(comparison, i); k++) {
            karp_design_move m = { .size = sizeof m };
            assert_int_equal(karp_comparison_move(comparison, i, k, &m), KARP_OK);
            put(into, room, "%.*s: %s, %.8s\n", (int)m.pod.len, m.pod.ptr, shown(m.before), shown(m.after));
        }
    }
    if (status == KARP_OK) status = karp_write_comparison(both->context, comparison, NULL, &text, NULL);
    if (status == KARP_OK) assert_non_null(strstr(text.ptr, "\"podsLeft\": 1"));
    karp_text_free(&text);
    karp_comparison_free(comparison);
    return status;
}

static karp_status put_settlement(const two_clusters *both, char *into, size_t room)
{
    karp_settlement *settlement = NULL;
    karp_comparison *comparison = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_settle(both->snapshots[0], NULL, &settlement, NULL);
    if (status == KARP_OK) status = karp_compare_settlement(both->context, settlement, &comparison, NULL);
    if (status == KARP_OK) status = karp_write_settlement(both->context, settlement, NULL, &text, NULL);
    for (size_t i = 0; status == KARP_OK && i < 2; i++) {
        karp_design_totals t = { .size = sizeof t };
        assert_int_equal(karp_comparison_totals(comparison, i, &t), KARP_OK);
        put(into, room, "%.*s: %zu nodes\n", (int)t.name.len, t.name.ptr, t.nodes);
    }
    if (status == KARP_OK) assert_non_null(strstr(text.ptr, "\"launched\": \"1 \xc3\x97 small\""));
    karp_text_free(&text);
    karp_comparison_free(comparison);
    karp_settlement_free(settlement);
    return status;
}

static karp_status put_all(karp_context *context, char *into, size_t room)
{
    two_clusters both = { .context = context };
    into[0] = '\0';
    karp_status status = read_both(&both);
    if (status == KARP_OK) status = put_differences(&both, into, room);
    if (status == KARP_OK) status = put_designs(&both, into, room);
    if (status == KARP_OK) status = put_settlement(&both, into, room);
    free_both(&both);
    return status;
}

static const char expected[] = "0 default: default/a: small a on-demand $0.2, big a on-demand $0.400\n"
                               "2 default/b: -, TUPLE\n"
                               "1 nodes, $0.20, 0 left\n"
                               "1 nodes, $0.40, 1 left\n"
                               "default/a: new small a on-demand of pool default, new big \n"
                               "default/b: -, no node:\n"
                               "first round: 1 nodes\nsettled: 1 nodes\n";

static void answers_of_two_clusters(void **state)
{
    (void)state;
    char found[2048];
    karp_error error;
    karp_context *context = context_of_case(&error);
    assert_int_equal(put_all(context, found, sizeof found), KARP_OK);
    assert_string_equal(found, expected);
    karp_context_unref(context);
}

/* Every refused allocation is NOMEM or costs nothing, and none leaks. */
static void refused_memory(void **state)
{
    (void)state;
    char found[2048];
    for (size_t n = 1;; n++) {
        fault f = { 0 };
        karp_context *context = fault_context(&f);
        assert_non_null(context);
        fault_arm(&f, n, false);
        karp_status status = put_all(context, found, sizeof found);
        karp_context_unref(context);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        if (status == KARP_OK) assert_string_equal(found, expected);
        else assert_int_equal(status, KARP_E_NOMEM);
        if (f.refused == 0) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_of_two_clusters), cmocka_unit_test(refused_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
