/* SPDX-License-Identifier: Apache-2.0 */
/* Changing the status of a NodeClaim is removing the claim and adding it again with that status. */
#include <support/building.h>

#include <karp/builder.h>
#include <karp/disrupt.h>
#include <karp/inspect.h>
#include <karp/library.h>
#include <karp/snapshot.h>
#include <model/snapshot.h>

#define LABEL(key, value)                                                                                              \
    {                                                                                                                  \
        T(key), T(value)                                                                                               \
    }
#define CONDITION(type, value, since)                                                                                  \
    {                                                                                                                  \
        T(type), T(value), T(type), since                                                                              \
    }

#define HOUR INT64_C(3600000000000)

static const char *const names[] = { "a", "b", "c" };
static const karp_label labels[] = {
    LABEL("karpenter.sh/nodepool", "pool"),           LABEL("karpenter.sh/registered", "true"),
    LABEL("karpenter.sh/initialized", "true"),        LABEL("node.kubernetes.io/instance-type", "t"),
    LABEL("karpenter.sh/capacity-type", "on-demand"), LABEL("topology.kubernetes.io/zone", "z")
};
static const karp_resource amounts[] = { AMOUNT("cpu", "2"), AMOUNT("memory", "4Gi"), AMOUNT("pods", "10") };
static const karp_condition young[] = { CONDITION("Launched", "True", 1), CONDITION("Initialized", "True", HOUR) };
static const karp_condition old[] = { CONDITION("Launched", "True", 1), CONDITION("Consolidatable", "True", HOUR),
                                      CONDITION("Drifted", "True", 2), CONDITION("Unheard", "Of", KARP_NO_TIME) };

/* Conditions and times that follow each other. */
static const karp_node_claim_status statuses[] = {
    { sizeof(karp_node_claim_status), young, 2, HOUR, KARP_NO_TIME },
    { sizeof(karp_node_claim_status), old, 4, 0, 0 },
    { sizeof(karp_node_claim_status), old, 2, KARP_NO_TIME, 7 * HOUR },
    { sizeof(karp_node_claim_status), NULL, 0, 5, KARP_NO_TIME },
};

static karp_status add_claim(building *f, const char *name, const karp_node_claim_status *status)
{
    karp_node_claim c = { .size = sizeof c,
                          .meta = { .name = str(name),
                                    .labels = labels,
                                    .label_count = COUNT(labels),
                                    .annotations = labels,
                                    .annotation_count = 1,
                                    .deletion = status->deletion },
                          .provider_id = str(name),
                          .capacity = amounts,
                          .capacity_count = 3,
                          .allocatable = amounts,
                          .allocatable_count = 3,
                          .conditions = status->conditions,
                          .condition_count = status->condition_count,
                          .last_pod_event = status->last_pod_event,
                          .expire_after = KARP_DURATION_NEVER,
                          .termination_grace_period = KARP_DURATION_UNSET };
    return karp_builder_add_node_claim(f->b, &c, &f->error);
}

static void add_nodes(building *f)
{
    const karp_budget all = { .nodes = T("100%") };
    const karp_condition ready[] = { CONDITION("Ready", "True", 1), CONDITION("ValidationSucceeded", "True", 1),
                                     CONDITION("NodeClassReady", "True", 1) };
    const karp_node_pool pool = { .size = sizeof pool,
                                  .meta = { .name = T("pool") },
                                  .conditions = ready,
                                  .condition_count = 3,
                                  .budgets = &all,
                                  .budget_count = 1,
                                  .replicas = -1,
                                  .expire_after = KARP_DURATION_NEVER,
                                  .termination_grace_period = KARP_DURATION_UNSET };
    good(f, karp_builder_set_now(f->b, 10 * HOUR, &f->error));
    good(f, karp_builder_add_node_pool(f->b, &pool, &f->error));
    for (size_t i = 0; i < COUNT(names); i++) {
        const karp_node n = { .size = sizeof n,
                              .meta = { .name = str(names[i]), .labels = labels, .label_count = COUNT(labels) },
                              .provider_id = str(names[i]),
                              .capacity = amounts,
                              .capacity_count = 3,
                              .allocatable = amounts,
                              .allocatable_count = 3,
                              .conditions = ready,
                              .condition_count = 1 };
        good(f, karp_builder_add_node(f->b, &n, &f->error));
        good(f, add_claim(f, names[i], &statuses[0]));
    }
}

static karp_snapshot *finish(building *f)
{
    karp_snapshot *s = NULL;
    good(f, karp_builder_finish(f->b, &s, &f->error));
    karp_builder_free(f->b);
    f->b = NULL;
    return s;
}

static void edit(building *f, const karp_snapshot *s)
{
    karp_builder_free(f->b);
    f->b = NULL;
    good(f, karp_snapshot_edit(s, &f->b, &f->error));
    f->s = &f->b->s;
}

static karp_status set_status(building *f, const char *name, const karp_node_claim_status *status)
{
    return karp_builder_set_node_claim_status(f->b, str(name), status, &f->error);
}

static void replace(building *f, const char *name, const karp_node_claim_status *status)
{
    good(f, karp_builder_remove(f->b, str("NodeClaim"), str(""), str(name), &f->error));
    good(f, add_claim(f, name, status));
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void expect_labels(label_list a, label_list b)
{
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.items, b.items, a.count * sizeof *a.items);
}

static void expect_resources(resource_list a, resource_list b)
{
    assert_int_equal(a.count, b.count);
    for (uint32_t i = 0; i < a.count; i++) {
        assert_int_equal(a.items[i].resource, b.items[i].resource);
        assert_int_equal(amount_cmp(a.items[i].value, b.items[i].value), 0);
    }
}

static void expect_claim(const node_claim *a, const node_claim *b)
{
    assert_int_equal(a->meta.name, b->meta.name);
    assert_int_equal(a->meta.uid, b->meta.uid);
    assert_int_equal(a->meta.creation, b->meta.creation);
    assert_true(a->meta.deletion == b->meta.deletion);
    assert_int_equal(a->provider_id, b->provider_id);
    expect_labels(a->meta.labels, b->meta.labels);
    expect_labels(a->meta.annotations, b->meta.annotations);
    expect_resources(a->capacity, b->capacity);
    expect_resources(a->allocatable, b->allocatable);
    assert_true(a->last_pod_event == b->last_pod_event);
    assert_true(a->expire_after == b->expire_after);
    assert_int_equal(a->conditions.count, b->conditions.count);
    for (uint32_t i = 0; i < a->conditions.count; i++) {
        const condition *x = &a->conditions.items[i], *y = &b->conditions.items[i];
        assert_int_equal(x->type, y->type);
        assert_int_equal(x->status, y->status);
        assert_int_equal(x->reason, y->reason);
        assert_true(x->since == y->since);
    }
}

static void expect_store(const store *a, const store *b)
{
    assert_int_equal(a->claims.count, b->claims.count);
    for (size_t i = 0; i < a->claims.count; i++) expect_claim(&a->claims.items[i], &b->claims.items[i]);
    assert_int_equal(a->text.count, b->text.count);
    assert_int_equal(a->names.count, b->names.count);
    assert_int_equal(a->touched, b->touched);
    assert_int_equal(a->changed_objects.count, b->changed_objects.count);
    for (size_t i = 0; i < a->changed_objects.count; i++)
        assert_true(a->changed_objects.items[i] == b->changed_objects.items[i]);
}

static void expect_decision(const karp_snapshot *a, const karp_snapshot *b)
{
    const karp_snapshot *const both[] = { a, b };
    char hashes[2][KARP_DIGEST_TEXT];
    for (size_t i = 0; i < 2; i++) {
        karp_decision *d = NULL;
        assert_int_equal(karp_disrupt(both[i], NULL, &d, NULL), KARP_OK);
        karp_decision_hash(d, hashes[i]);
        karp_decision_unref(d);
    }
    assert_string_equal(hashes[0], hashes[1]);
}

static void expect_nodes(const karp_snapshot *a, const karp_snapshot *b)
{
    assert_int_equal(a->node_count, b->node_count);
    for (uint32_t i = 0; i < a->node_count; i++) {
        const state_node *x = &a->nodes[i], *y = &b->nodes[i];
        assert_int_equal(x->name, y->name);
        assert_int_equal(x->node, y->node);
        assert_int_equal(x->claim, y->claim);
        assert_int_equal(x->set, y->set);
        assert_int_equal(x->marked, y->marked);
        assert_int_equal(x->consolidatable, y->consolidatable);
        assert_int_equal(x->drifted, y->drifted);
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Edits of edits: each snapshot is the one that replacing the claims makes. The one before does not change. */
static void test_edits(void **state)
{
    building *f = *state;
    add_nodes(f);
    karp_snapshot *set = finish(f), *replaced = karp_snapshot_ref(set);
    for (size_t i = 0; i < 12; i++) {
        const karp_node_claim_status *next = &statuses[i % 4], *more = &statuses[(i + 1) % 4];
        const char *name = names[i % 3], *other = names[(i + 1) % 3];
        building r = *f;
        r.b = NULL;
        edit(&r, replaced);
        replace(&r, name, next);
        if (i % 2) replace(&r, other, more);
        edit(f, set);
        const node_claim was = set->raw.claims.items[i % 3];
        good(f, set_status(f, name, next));
        if (i % 2) good(f, set_status(f, other, more));
        expect_store(f->s, r.s);
        karp_snapshot *set_next = finish(f), *replaced_next = finish(&r);
        expect_claim(&set->raw.claims.items[i % 3], &was);
        karp_snapshot_unref(set);
        karp_snapshot_unref(replaced);
        set = set_next;
        replaced = replaced_next;
        expect_nodes(set, replaced);
        expect_decision(set, replaced);
    }
    karp_snapshot_unref(set);
    karp_snapshot_unref(replaced);
}

/* Where nobody else has the snapshot before, its list of claims is used again: status by status, and for a claim that
 * is added. The result is that of an edit of a snapshot that somebody keeps. */
static void test_alone(void **state)
{
    building *f = *state, r = *f;
    add_nodes(f);
    karp_snapshot *kept = finish(f), *one = NULL;
    for (size_t i = 0; i < 4; i++) {
        const node_claim was = kept->raw.claims.items[i % 3];
        const char *added = i == 1 ? "d" : i == 2 ? "e" : NULL;
        edit(f, i == 0 ? kept : one);
        karp_snapshot_unref(one);
        const node_claim *list = f->s->claims.items;
        good(f, set_status(f, names[i % 3], &statuses[1 + i % 3]));
        if (added != NULL) good(f, add_claim(f, added, &statuses[1]));
        if (i > 0) assert_ptr_equal(f->s->claims.items, list);
        else assert_ptr_not_equal(f->s->claims.items, list);
        one = finish(f);
        expect_claim(&kept->raw.claims.items[i % 3], &was);
        assert_int_equal(kept->raw.claims.count, 3);
    }
    r.b = NULL;
    edit(&r, kept);
    for (size_t i = 0; i < 4; i++) replace(&r, names[i % 3], &statuses[1 + i % 3]);
    good(&r, add_claim(&r, "d", &statuses[1]));
    good(&r, add_claim(&r, "e", &statuses[1]));
    karp_snapshot *other = finish(&r);
    for (size_t i = 0; i < 5; i++) expect_claim(&one->raw.claims.items[i], &other->raw.claims.items[i]);
    expect_nodes(one, other);
    expect_decision(one, other);
    karp_snapshot_unref(other);
    karp_snapshot_unref(one);
    karp_snapshot_unref(kept);
}

/* An edit that changes nothing has the same list as the snapshot before: while somebody keeps that, it is copied. */
static void test_list_of_three(void **state)
{
    building *f = *state;
    add_nodes(f);
    karp_snapshot *kept = finish(f);
    edit(f, kept);
    karp_snapshot *same = finish(f);
    assert_ptr_equal(same->raw.claims.items, kept->raw.claims.items);
    const node_claim was = kept->raw.claims.items[0];
    edit(f, same);
    karp_snapshot_unref(same);
    good(f, set_status(f, "a", &statuses[1]));
    good(f, add_claim(f, "d", &statuses[1]));
    expect_claim(&kept->raw.claims.items[0], &was);
    karp_snapshot *last = finish(f);
    expect_claim(&kept->raw.claims.items[0], &was);
    assert_int_equal(store_find(&kept->raw, KIND_NODE_CLAIM, NO_TEXT, last->raw.claims.items[3].meta.name), NO_ID);
    karp_snapshot_unref(last);
    karp_snapshot_unref(kept);
}

/* A claim that was added to the same builder, before or after it was removed. */
static void test_added(void **state)
{
    building *f = *state;
    add_nodes(f);
    good(f, set_status(f, "b", &statuses[1]));
    good(f, set_status(f, "b", &statuses[2]));
    assert_int_equal(f->s->claims.items[1].conditions.count, 2);
    assert_true(f->s->claims.items[1].meta.deletion == statuses[2].deletion);
    good(f, set_status(f, "b", NULL));
    assert_int_equal(f->s->claims.items[1].conditions.count, 0);
    assert_true(f->s->claims.items[1].last_pod_event == KARP_NO_TIME);
    karp_snapshot *s = finish(f);
    edit(f, s);
    good(f, karp_builder_remove(f->b, str("NodeClaim"), str(""), str("a"), &f->error));
    bad(f, set_status(f, "a", &statuses[1]), KARP_E_NOT_FOUND, "NodeClaim a", "");
    good(f, add_claim(f, "a", &statuses[0]));
    good(f, set_status(f, "a", &statuses[1]));
    assert_int_equal(f->s->claims.items[0].conditions.count, 4);
    karp_snapshot_unref(s);
}

static void test_errors(void **state)
{
    building *f = *state;
    karp_node_claim_status wrong = { .size = sizeof wrong, .condition_count = 1 };
    add_nodes(f);
    bad(f, set_status(f, "d", &statuses[1]), KARP_E_NOT_FOUND, "NodeClaim d", "");
    bad(f, set_status(f, "pool", &statuses[1]), KARP_E_NOT_FOUND, "NodeClaim pool", "");
    bad(f, set_status(f, "", &statuses[1]), KARP_E_NOT_FOUND, "NodeClaim", "");
    bad(f, set_status(f, "a", &wrong), KARP_E_INVALID, "NodeClaim a", "status.conditions");
    assert_int_equal(f->s->claims.items[0].conditions.count, 2);
    wrong.size = 8;
    assert_int_equal(set_status(f, "a", &wrong), KARP_E_ABI_SIZE);
    assert_int_equal(karp_builder_set_node_claim_status(NULL, str("a"), NULL, &f->error), KARP_E_INVALID);
    assert_int_equal(karp_builder_set_node_claim_status(f->b, (karp_str){ NULL, 1 }, NULL, &f->error), KARP_E_INVALID);
}

/* Every request for memory is refused in turn: the claim stays as it was, and the call succeeds when repeated. */
static void test_refused(void **state)
{
    building *f = *state;
    add_nodes(f);
    karp_snapshot *s = finish(f);
    size_t refused = 1;
    for (size_t at = 1; refused > 0; at++) {
        edit(f, s);
        const node_claim was = f->s->claims.items[1];
        fault_arm(&f->fault, at, at % 2 == 0);
        karp_status status = set_status(f, "b", &statuses[1]);
        refused = f->fault.refused;
        fault_arm(&f->fault, 0, false);
        assert_int_equal(status, refused > 0 ? KARP_E_NOMEM : KARP_OK);
        if (refused > 0) {
            expect_claim(&f->s->claims.items[1], &was);
            assert_int_equal(f->s->touched, 0);
            assert_int_equal(f->s->changed_objects.count, 0);
            good(f, set_status(f, "b", &statuses[1]));
        }
        assert_int_equal(f->s->claims.items[1].conditions.count, 4);
        assert_int_equal(f->s->changed_objects.count, 1);
        assert_true(at < 100);
    }
    karp_snapshot_unref(s);
}

/* Likewise for the end of an edit of a snapshot that nobody else has: repeated, it makes the same snapshot. */
static void test_end_refused(void **state)
{
    building *f = *state;
    size_t refused = 1;
    add_nodes(f);
    karp_snapshot *kept = finish(f), *expected = NULL;
    for (size_t at = 0; refused > 0; at++) {
        karp_snapshot *own = NULL, *next = NULL;
        edit(f, kept);
        good(f, set_status(f, "a", &statuses[3]));
        own = finish(f); /* has nodes of its own */
        edit(f, own);
        karp_snapshot_unref(own);
        good(f, set_status(f, "b", &statuses[1]));
        fault_arm(&f->fault, at, at % 2 == 0);
        karp_status status = karp_builder_finish(f->b, &next, &f->error);
        refused = at == 0 ? 1 : f->fault.refused;
        fault_arm(&f->fault, 0, false);
        if (status != KARP_OK) {
            assert_int_equal(status, KARP_E_NOMEM);
            good(f, set_status(f, "b", &statuses[1]));
            good(f, karp_builder_finish(f->b, &next, &f->error));
        }
        if (at == 0) expected = karp_snapshot_ref(next);
        expect_nodes(next, expected);
        expect_decision(next, expected);
        karp_snapshot_unref(next);
        assert_true(at < 1000);
    }
    karp_snapshot_unref(expected);
    karp_snapshot_unref(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_edits, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_alone, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_list_of_three, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_added, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_errors, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_refused, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_end_refused, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
