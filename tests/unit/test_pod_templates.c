/* SPDX-License-Identifier: Apache-2.0 */
/* Pods of a template are the pods that karp_builder_add_pod() would have added. */
#include <karp/builder.h>
#include <karp/inspect.h>
#include <support/building.h>

static karp_label labels[] = { { T("app"), T("web") }, { T("tier"), T("front") } };
static karp_label marks[] = { { T("karpenter.sh/do-not-disrupt"), T("true") }, { T("note"), T("x") } };
static karp_owner owner = { T("apps/v1"), T("StatefulSet"), T("web"), T("u-web"), 1, 0 };
static karp_resource amounts[] = { AMOUNT("cpu", "2"), AMOUNT("memory", "1Gi") };
static karp_container box = { .name = T("a"), .requests = amounts, .request_count = 2 };
static karp_toleration tolerated = { T("k"), T("v"), T("NoSchedule"), 0, 1, 300 };
static karp_pod_volume shared_volume = { T("data"), T("claim"), KARP_VOLUME_CLAIM, 0 };
static karp_pod_volume own_volume = { T("tmp"), T(""), KARP_VOLUME_EPHEMERAL, 0 };
static karp_condition waits = { T("PodScheduled"), T("False"), T("Unschedulable"), 0 };

static karp_pod workload(void)
{
    karp_pod p = { .size = sizeof p,
                   .meta = { .namespace_ = T("shop"),
                             .labels = labels,
                             .label_count = 2,
                             .annotations = marks,
                             .annotation_count = 2,
                             .owners = &owner,
                             .owner_count = 1,
                             .creation = KARP_NO_TIME,
                             .deletion = KARP_NO_TIME },
                   .containers = &box,
                   .container_count = 1,
                   .tolerations = &tolerated,
                   .toleration_count = 1,
                   .volumes = &shared_volume,
                   .volume_count = 1,
                   .termination_grace_seconds = 30,
                   .start_time = KARP_NO_TIME };
    return p;
}

static const karp_templated_pod owns[] = {
    { .size = sizeof owns[0],
      .name = T("a"),
      .creation = KARP_NO_TIME,
      .deletion = KARP_NO_TIME,
      .start_time = KARP_NO_TIME,
      .phase = KARP_PHASE_PENDING,
      .conditions = &waits,
      .condition_count = 1 },
    { .size = sizeof owns[0],
      .name = T("b"),
      .uid = T("u-b"),
      .node_name = T("node-1"),
      .creation = 7,
      .deletion = 8,
      .start_time = 9,
      .phase = KARP_PHASE_RUNNING },
    { .size = sizeof owns[0],
      .name = T("c"),
      .nominated_node_name = T("node-1"),
      .creation = 1,
      .deletion = KARP_NO_TIME,
      .start_time = 0 },
};

static karp_status add_whole(building *f, const karp_templated_pod *own)
{
    karp_pod p = workload();
    p.meta.name = own->name;
    p.meta.uid = own->uid;
    p.meta.creation = own->creation;
    p.meta.deletion = own->deletion;
    p.node_name = own->node_name;
    p.nominated_node_name = own->nominated_node_name;
    p.start_time = own->start_time;
    p.conditions = own->conditions;
    p.condition_count = own->condition_count;
    p.phase = own->phase;
    return karp_builder_add_pod(f->b, &p, &f->error);
}

static void same_pods(const pod *x, const pod *y)
{
    assert_int_equal(x->name_space, y->name_space);
    assert_int_equal(x->name, y->name);
    assert_int_equal(x->shape, y->shape);
    assert_int_equal(x->labels, y->labels);
    assert_int_equal(x->volumes, y->volumes);
    assert_int_equal(x->marks, y->marks);
    assert_int_equal(x->node, y->node);
    assert_int_equal(x->uid_len, y->uid_len);
    assert_memory_equal(x->uid, y->uid, x->uid_len);
    assert_int_equal(x->creation, y->creation);
    assert_int_equal(x->deletion, y->deletion);
    assert_int_equal(x->start, y->start);
    assert_int_equal(x->phase, y->phase);
    assert_int_equal(x->flags, y->flags);
    assert_int_equal(x->claims, y->claims);
}

static void test_same_pods(void **state)
{
    building *f = *state;
    uint32_t template_ = 9;
    karp_pod p = workload();
    pod whole[COUNT(owns)];
    for (size_t i = 0; i < COUNT(owns); i++) {
        good(f, add_whole(f, &owns[i]));
        whole[i] = *pod_at(f->s, i);
    }
    for (size_t i = 0; i < COUNT(owns); i++) {
        good(f, karp_builder_remove(f->b, str("Pod"), str("shop"), owns[i].name, &f->error));
    }
    good(f, karp_builder_add_pod_template(f->b, &p, &template_, &f->error));
    assert_int_equal(template_, 0);
    assert_int_equal(f->s->pods.count, COUNT(owns)); /* a template is no pod */
    for (size_t i = 0; i < COUNT(owns); i++) {
        good(f, karp_builder_add_templated_pod(f->b, template_, &owns[i], &f->error));
        same_pods(pod_at(f->s, i), &whole[i]); /* each where the one of its name was */
    }
    assert_int_equal(whole[1].flags, POD_OF_STATEFUL_SET); /* one pod's conditions are not the next one's */
}

static void test_several(void **state)
{
    building *f = *state;
    uint32_t large = 0, small = 0;
    karp_pod p = workload();
    good(f, karp_builder_add_pod_template(f->b, &p, &large, &f->error));
    p.meta.namespace_ = str("");
    p.container_count = 0;
    good(f, karp_builder_add_pod_template(f->b, &p, &small, &f->error));
    assert_int_not_equal(large, small);
    good(f, karp_builder_add_templated_pod(f->b, small, &owns[0], &f->error));
    good(f, karp_builder_add_templated_pod(f->b, large, &owns[0], &f->error)); /* in another namespace */
    assert_int_not_equal(pod_at(f->s, 0)->shape, pod_at(f->s, 1)->shape);
    bad(f, karp_builder_add_templated_pod(f->b, small, &owns[0], &f->error), KARP_E_DUPLICATE, "Pod default/a",
        "metadata.name");
}

static void test_refusals(void **state)
{
    building *f = *state;
    uint32_t template_ = 9;
    karp_pod p = workload();
    karp_templated_pod own = owns[0];
    assert_int_equal(karp_builder_add_templated_pod(f->b, 0, &own, &f->error), KARP_E_NOT_FOUND);
    p.volumes = &own_volume;
    bad(f, karp_builder_add_pod_template(f->b, &p, &template_, &f->error), KARP_E_INVALID, "Pod shop/",
        "spec.volumes[0].ephemeral");
    assert_int_equal(template_, 9);
    p = workload();
    p.tolerations = NULL;
    assert_int_equal(karp_builder_add_pod_template(f->b, &p, &template_, &f->error), KARP_E_INVALID);
    p = workload();
    good(f, karp_builder_add_pod_template(f->b, &p, &template_, &f->error));
    own.name = str("");
    bad(f, karp_builder_add_templated_pod(f->b, template_, &own, &f->error), KARP_E_INVALID, "Pod", "metadata.name");
    own = owns[0];
    own.phase = 6;
    bad(f, karp_builder_add_templated_pod(f->b, template_, &own, &f->error), KARP_E_INVALID, "Pod shop/a",
        "status.phase");
    own = owns[0];
    own.conditions = NULL;
    assert_int_equal(karp_builder_add_templated_pod(f->b, template_, &own, &f->error), KARP_E_INVALID);
    assert_int_equal(f->s->pods.count, 0);
    good(f, karp_builder_add_templated_pod(f->b, template_, &owns[0], &f->error)); /* nothing of it stayed */
}

/* A builder that was finished is empty: templates are gone as well, from it. */
static void test_finished(void **state)
{
    building *f = *state;
    uint32_t template_ = 9;
    karp_snapshot *snapshot = NULL;
    karp_pod p = workload();
    good(f, karp_builder_add_pod_template(f->b, &p, &template_, &f->error));
    good(f, karp_builder_add_templated_pod(f->b, template_, &owns[0], &f->error));
    good(f, karp_builder_finish(f->b, &snapshot, &f->error));
    assert_string_equal(karp_snapshot_pod_name(snapshot, 0).ptr, "shop/a");
    assert_int_equal(karp_builder_add_templated_pod(f->b, template_, &owns[1], &f->error), KARP_E_NOT_FOUND);
    karp_snapshot_unref(snapshot);
}

static karp_snapshot *add_in_edit(building *f, karp_snapshot *from, uint32_t template_, const karp_templated_pod *own)
{
    karp_builder_free(f->b);
    f->b = NULL;
    good(f, karp_snapshot_edit(from, &f->b, &f->error));
    karp_snapshot_unref(from);
    f->s = &f->b->s;
    good(f, karp_builder_add_templated_pod(f->b, template_, own, &f->error));
    good(f, karp_builder_finish(f->b, &from, &f->error));
    return from;
}

/* Edits know the templates of the builders before them: their pods are those that are added whole. */
static void test_edits(void **state)
{
    building *f = *state;
    uint32_t template_ = 9, again = 9, other = 9;
    karp_snapshot *snapshot = NULL;
    karp_pod p = workload(), q = workload();
    good(f, karp_builder_add_pod_template(f->b, &p, &template_, &f->error));
    good(f, karp_builder_finish(f->b, &snapshot, &f->error));
    for (size_t i = 0; i < COUNT(owns); i++) snapshot = add_in_edit(f, snapshot, template_, &owns[i]);
    karp_builder_free(f->b);
    f->b = NULL;
    good(f, karp_snapshot_edit(snapshot, &f->b, &f->error));
    f->s = &f->b->s;
    q.container_count = 0;
    good(f, karp_builder_add_pod_template(f->b, &p, &again, &f->error));
    good(f, karp_builder_add_pod_template(f->b, &q, &other, &f->error));
    assert_int_equal(again, template_);
    assert_int_not_equal(other, template_);
    for (size_t i = 0; i < COUNT(owns); i++) {
        const pod edited = *pod_at(f->s, i);
        good(f, karp_builder_remove(f->b, str("Pod"), str("shop"), owns[i].name, &f->error));
        good(f, add_whole(f, &owns[i]));
        same_pods(pod_at(f->s, i), &edited);
    }
    karp_snapshot_unref(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_pods, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_several, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_refusals, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_finished, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_edits, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
