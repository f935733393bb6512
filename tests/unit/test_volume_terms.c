/* SPDX-License-Identifier: Apache-2.0 */
/* Where the volumes of a pod can be reached, and what labels say of host names. */
#include <support/building.h>

#include <karp/builder.h>
#include <karp/snapshot.h>
#include <model/prepare.h>
#include <model/snapshot.h>
#include <support/algebra_laws.h>

enum { VOLUMES = 6 };

static karp_str h1[] = { T("h1") }, h12[] = { T("h1"), T("h2") }, h2[] = { T("h2") }, z1[] = { T("z1") };
static const karp_requirement on_h1[] = { { T("kubernetes.io/hostname"), KARP_OP_IN, 0, h1, 1 } },
                              on_h12[] = { { T("kubernetes.io/hostname"), KARP_OP_IN, 0, h12, 2 } };
static const karp_requirement on_h2[] = { { T("kubernetes.io/hostname"), KARP_OP_IN, 0, h2, 1 } },
                              in_z1[] = { { T("zone"), KARP_OP_IN, 0, z1, 1 } };
static const karp_node_term terms_h1[] = { { on_h1, 1, 0, 0 } }, terms_h12[] = { { on_h12, 1, 0, 0 } },
                            terms_h2[] = { { on_h2, 1, 0, 0 } };
static const karp_node_term terms_z1[] = { { NULL, 0, 0, 0 }, { in_z1, 1, 0, 0 } },
                            terms_empty[] = { { NULL, 0, 0, 0 } };

static const struct {
    const char *name;
    const karp_node_term *terms;
    size_t count;
    bool local;
} volumes[VOLUMES] = {
    { "on-h1", terms_h1, 1, false }, { "on-h12", terms_h12, 1, false },  { "on-h2", terms_h2, 1, false },
    { "in-z1", terms_z1, 2, false }, { "empty", terms_empty, 1, false }, { "local-h2", terms_h2, 1, true },
};

typedef struct wanted {
    const char *first, *second; /* claims of the pod: of the volume with that name */
    uint32_t alternatives;
    const char *host; /* the only value it allows; NULL = says nothing */
    bool zone, contradictory;
} wanted;

static const wanted pods[] = {
    { "on-h1", NULL, 1, "h1", false, false },
    { "on-h1", "on-h12", 1, "h1", false, false },
    { "on-h12", "on-h2", 1, "h2", false, false },
    { "on-h1", "on-h2", 1, "", false, true },
    { "on-h1", "in-z1", 1, "h1", true, false },
    { "in-z1", "on-h1", 1, "h1", true, false },
    { "in-z1", "in-z1", 1, NULL, true, false },
    { "empty", "on-h1", 1, "h1", false, false }, /* a term that says nothing is none */
    { "empty", NULL, 0, NULL, false, false },
    { "local-h2", "on-h1", 1, "h1", false, false }, /* a local volume's host does not count */
};

static void add_volumes(building *f)
{
    for (size_t i = 0; i < VOLUMES; i++) {
        karp_persistent_volume v = { .size = sizeof v,
                                     .meta = { .name = str(volumes[i].name) },
                                     .csi_driver = T("d"),
                                     .local = volumes[i].local,
                                     .node_terms = volumes[i].terms,
                                     .node_term_count = volumes[i].count };
        karp_persistent_volume_claim c = { .size = sizeof c,
                                           .meta = { .name = str(volumes[i].name) },
                                           .volume_name = str(volumes[i].name) };
        good(f, karp_builder_add_persistent_volume(f->b, &v, &f->error));
        good(f, karp_builder_add_persistent_volume_claim(f->b, &c, &f->error));
    }
}

static void alternatives(void **state)
{
    building *f = *state;
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
    add_volumes(f);
    for (size_t i = 0; i < COUNT(pods); i++) {
        karp_pod_volume uses[] = { { .name = T("x"), .kind = KARP_VOLUME_CLAIM, .claim_name = str(pods[i].first) },
                                   { .name = T("y"), .kind = KARP_VOLUME_CLAIM } };
        if (pods[i].second != NULL) uses[1].claim_name = str(pods[i].second);
        karp_pod p = { .size = sizeof p,
                       .meta = { .name = str(names[i]) },
                       .volumes = uses,
                       .volume_count = pods[i].second != NULL ? 2 : 1 };
        good(f, karp_builder_add_pod(f->b, &p, &f->error));
    }
    karp_snapshot *s = NULL;
    good(f, karp_builder_finish(f->b, &s, &f->error));
    for (uint32_t i = 0; i < COUNT(pods); i++) {
        const pod_class *c = &s->classes[s->pod_class[i]];
        assert_true(c->volumes_found);
        assert_int_equal(c->alternative_count, pods[i].alternatives);
        assert_int_equal(c->contradictory, pods[i].contradictory);
        if (c->alternative_count == 0) continue;
        demand d = c->alternatives[0];
        assert_int_equal(d.host != NO_ID, pods[i].host != NULL);
        assert_int_equal(set_get(&s->algebra, d.set, strings_find(&s->raw.text, "zone", 4)) != NO_ID, pods[i].zone);
        if (d.host == NO_ID) continue;
        const requirement *host = requirement_get(&s->algebra, d.host);
        assert_int_equal(host->value_count, pods[i].host[0] != '\0');
        if (host->value_count > 0) assert_true(equal_str(text_of(s, host->values[0]), str(pods[i].host)));
    }
    karp_snapshot_unref(s);
}

/* Labels that stand for the host name under another key say so as well. */
static void host_names(void **state)
{
    (void)state;
    static law_world w;
    assert_true(law_world_open(&w));
    uint32_t host = law_word_id("kubernetes.io/hostname"), a = law_word_id("a"), b = law_word_id("b"),
             m = law_word_id("m");
    w.normalized[m] = host;
    label_pair both[] = { { host, a }, { m, b } }, same[] = { { host, a }, { m, a } };
    demand d = { EMPTY_SET, NO_ID };
    assert_true(demand_of_labels(&w.a, (label_list){ same, 2 }, &d));
    assert_int_equal(d.set, EMPTY_SET);
    assert_int_equal(d.host, requirement_in(&w.a, host, a));
    assert_true(demand_of_labels(&w.a, (label_list){ both, 2 }, &d));
    assert_int_equal(requirement_op(requirement_get(&w.a, d.host)), KARP_OP_DOES_NOT_EXIST);
    assert_int_equal(set_of_labels(&w.a, (label_list){ both, 2 }, NULL), EMPTY_SET);
    law_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(alternatives, building_set_up, building_tear_down),
        cmocka_unit_test(host_names),
    };
    return cmocka_run_group_tests_name("volume_terms", tests, NULL, NULL);
}
