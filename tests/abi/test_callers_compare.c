/* SPDX-License-Identifier: Apache-2.0 */
/* The structs of karp/compare.h, as callers of other versions pass them. */
#include <abi/callers_world.h>

#include <stdlib.h>

#include <karp/compare.h>
#include <karp/karp.h>

/* The same cluster with other weights, so that fields and the pod's place differ. */
static const char first_text[] = POOL("p", "10") POOL("q", "5") WAITING;
static const char second_text[] = POOL("p", "10") POOL("q", "50") WAITING;

static karp_context *context;
static karp_reader *readers[2];
static karp_snapshot *snapshots[2];
static karp_decision *plans[2];
static karp_settlement *settlement;
static karp_comparison *comparison;
static karp_diff *diff;
static karp_design design = { .size = sizeof design, .name = T("A") };
static karp_diff_side side = { .size = sizeof side, .name = T("A") };
static const karp_write_options json = { .size = sizeof json };

static void read_side(size_t number, const char *text, size_t length)
{
    const karp_reader_options keep = { .size = sizeof keep, .keep_documents = 1 };
    assert_int_equal(karp_reader_new(context, &keep, &readers[number], NULL), KARP_OK);
    assert_int_equal(karp_reader_add(readers[number], (karp_str)T("text"), (karp_str){ text, length }, NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(readers[number], &snapshots[number], NULL), KARP_OK);
    assert_int_equal(karp_provision(snapshots[number], NULL, &plans[number], NULL), KARP_OK);
}

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    read_side(0, first_text, sizeof first_text - 1);
    read_side(1, second_text, sizeof second_text - 1);
    karp_design both[2] = { design, { .size = sizeof design, .name = T("B") } };
    for (size_t i = 0; i < 2; i++) {
        both[i].reader = readers[i];
        both[i].snapshot = snapshots[i];
        both[i].plan = plans[i];
    }
    design.plan = plans[0];
    side.snapshot = snapshots[0];
    const karp_diff_side other = { .size = sizeof other, .name = T("B"), .snapshot = snapshots[1] };
    assert_int_equal(karp_settle(snapshots[0], NULL, &settlement, NULL), KARP_OK);
    assert_int_equal(karp_compare_designs(context, both, 2, &comparison, NULL), KARP_OK);
    assert_int_equal(karp_compare_decisions(context, &side, &other, &diff, NULL), KARP_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    karp_diff_free(diff);
    karp_comparison_free(comparison);
    karp_settlement_free(settlement);
    for (size_t i = 0; i < 2; i++) {
        karp_decision_unref(plans[i]);
        karp_snapshot_unref(snapshots[i]);
        karp_reader_free(readers[i]);
    }
    karp_context_unref(context);
    return 0;
}

static karp_status give_design(const void *s)
{
    karp_comparison *made = NULL;
    karp_status status = karp_compare_designs(context, s, 1, &made, NULL);
    karp_comparison_free(made);
    return status;
}
static karp_status give_side(const void *s)
{
    karp_diff *made = NULL;
    karp_status status = karp_compare_decisions(context, s, &side, &made, NULL);
    karp_diff_free(made);
    return status;
}
static karp_status give_write_comparison(const void *s)
{
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_write_comparison(context, comparison, s, &text, NULL);
    karp_text_free(&text);
    return status;
}
static karp_status give_write_diff(const void *s)
{
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_write_diff(context, diff, s, &text, NULL);
    karp_text_free(&text);
    return status;
}
static karp_status give_write_settlement(const void *s)
{
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_write_settlement(context, settlement, s, &text, NULL);
    karp_text_free(&text);
    return status;
}

static const struct given in[] = {
    IN(design, give_design),         IN(side, give_side), IN(json, give_write_comparison), IN(json, give_write_diff),
    IN(json, give_write_settlement),
};

static void structs_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(in); i++) check_given(&in[i]);
}

static karp_status ask_totals(void *out) { return karp_comparison_totals(comparison, 0, out); }
static karp_status ask_move(void *out) { return karp_comparison_move(comparison, 1, 0, out); }
static karp_status ask_field(void *out) { return karp_comparison_field(comparison, 1, 0, out); }
static karp_status ask_difference(void *out) { return karp_diff_at(diff, 0, out); }

static const struct asked out[] = {
    OUT(karp_design_totals, instance_type_count, ask_totals),
    OUT(karp_design_move, group_after, ask_move),
    OUT(karp_design_field, reserved, ask_field),
    OUT(karp_difference, rules, ask_difference),
};

static void structs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(out); i++) check_asked(&out[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(structs_in), cmocka_unit_test(structs_out) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
