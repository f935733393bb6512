/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of pods: scheduling.md section 3, and its print rule of section 4. */
#include <support/building.h>

enum { MOST = 3 };

/* A container, with what the kubelet says of it. */
typedef struct box {
    karp_resource requests[MOST], limits[MOST], in_force[MOST], allocated[MOST];
    int sidecar, has_status;
} box;

typedef struct request_case {
    const char *what, *expected;
    box containers[MOST], inits[MOST];
    karp_resource pod[MOST], overhead[MOST];
    int infeasible;
} request_case;

static size_t length_of(const karp_resource *list)
{
    size_t n = 0;
    while (n < MOST && list[n].name.len > 0) n++;
    return n;
}

static const request_case cases[] = {
    { .what = "nothing", .expected = "pods=1" },
    { .what = "containers are summed",
      .expected = "cpu=300m memory=1Gi pods=1",
      .containers = { { .requests = { AMOUNT("cpu", "100m") } },
                      { .requests = { AMOUNT("cpu", "200m"), AMOUNT("memory", "1Gi") } } } },
    { .what = "a zero stays",
      .expected = "pods=1 nvidia.com/gpu=0",
      .containers = { { .requests = { AMOUNT("nvidia.com/gpu", "0") } } } },
    { .what = "limits are no requests",
      .expected = "cpu=1 pods=1",
      .containers = { { .requests = { AMOUNT("cpu", "1") }, .limits = { AMOUNT("memory", "1Gi") } } } },
    { .what = "an init container wins where it is larger",
      .expected = "cpu=2 memory=1Gi pods=1",
      .containers = { { .requests = { AMOUNT("cpu", "1"), AMOUNT("memory", "1Gi") } } },
      .inits = { { .requests = { AMOUNT("cpu", "2"), AMOUNT("memory", "512Mi") } } } },
    { .what = "of equal amounts the container's is shown",
      .expected = "memory=1Gi pods=1",
      .containers = { { .requests = { AMOUNT("memory", "1Gi") } } },
      .inits = { { .requests = { AMOUNT("memory", "1073741824") } } } },
    { .what = "init containers are not summed",
      .expected = "cpu=2 pods=1",
      .inits = { { .requests = { AMOUNT("cpu", "2") } }, { .requests = { AMOUNT("cpu", "1") } } } },
    { .what = "a sidecar is added",
      .expected = "cpu=1500m pods=1",
      .containers = { { .requests = { AMOUNT("cpu", "1") } } },
      .inits = { { .requests = { AMOUNT("cpu", "500m") }, .sidecar = 1 } } },
    { .what = "an init container runs beside the sidecars before it",
      .expected = "cpu=5 pods=1",
      .containers = { { .requests = { AMOUNT("cpu", "1") } } },
      .inits = { { .requests = { AMOUNT("cpu", "2") }, .sidecar = 1 }, { .requests = { AMOUNT("cpu", "3") } } } },
    { .what = "and not beside those after it",
      .expected = "cpu=3 pods=1",
      .containers = { { .requests = { AMOUNT("cpu", "1") } } },
      .inits = { { .requests = { AMOUNT("cpu", "3") } }, { .requests = { AMOUNT("cpu", "2") }, .sidecar = 1 } } },
    { .what = "sidecars alone count in the largest",
      .expected = "cpu=3 pods=1",
      .inits = { { .requests = { AMOUNT("cpu", "1") }, .sidecar = 1 },
                 { .requests = { AMOUNT("cpu", "2") }, .sidecar = 1 } } },
    { .what = "the pod's own requests replace",
      .expected = "cpu=500m memory=1Gi pods=1 nvidia.com/gpu=1",
      .containers = { { .requests = { AMOUNT("cpu", "2"), AMOUNT("memory", "1Gi"), AMOUNT("nvidia.com/gpu", "1") } } },
      .pod = { AMOUNT("cpu", "500m"), AMOUNT("nvidia.com/gpu", "8") } },
    { .what = "huge pages are supported at pod level",
      .expected = "pods=1 hugepages-2Mi=4Mi",
      .pod = { AMOUNT("hugepages-2Mi", "4Mi"), AMOUNT("ephemeral-storage", "1Gi") } },
    { .what = "overhead comes on top",
      .expected = "cpu=600m pods=1 example.com/x=1",
      .containers = { { .requests = { AMOUNT("cpu", "2") } } },
      .pod = { AMOUNT("cpu", "500m") },
      .overhead = { AMOUNT("cpu", "100m"), AMOUNT("example.com/x", "1") } },
    { .what = "pods is overwritten", .expected = "pods=1", .containers = { { .requests = { AMOUNT("pods", "7") } } } },
    { .what = "what is in force counts when larger",
      .expected = "cpu=2 memory=3Gi pods=1",
      .containers = { { .requests = { AMOUNT("cpu", "1"), AMOUNT("memory", "1Gi") },
                        .has_status = 1,
                        .in_force = { AMOUNT("cpu", "2") },
                        .allocated = { AMOUNT("memory", "3Gi") } } } },
    { .what = "and the spec when that is larger",
      .expected = "cpu=4 pods=1",
      .containers = { { .requests = { AMOUNT("cpu", "4") }, .has_status = 1, .in_force = { AMOUNT("cpu", "2") } } } },
    { .what = "a resize that will not happen is left out",
      .expected = "cpu=2 pods=1",
      .infeasible = 1,
      .containers = { { .requests = { AMOUNT("cpu", "4") }, .has_status = 1, .in_force = { AMOUNT("cpu", "2") } } } },
    { .what = "but only where a status is known",
      .expected = "cpu=4 pods=1",
      .infeasible = 1,
      .containers = { { .requests = { AMOUNT("cpu", "4") } } } },
    { .what = "a status without resources says nothing",
      .expected = "cpu=1 pods=1",
      .containers = { { .requests = { AMOUNT("cpu", "1") }, .has_status = -1, .allocated = { AMOUNT("cpu", "3") } } } },
    { .what = "a sidecar's status counts",
      .expected = "cpu=3 pods=1",
      .inits = { { .requests = { AMOUNT("cpu", "1") },
                   .sidecar = 1,
                   .has_status = 1,
                   .in_force = { AMOUNT("cpu", "3") } } } },
    { .what = "a plain init container's does not",
      .expected = "cpu=1 pods=1",
      .inits = { { .requests = { AMOUNT("cpu", "1") }, .has_status = 1, .in_force = { AMOUNT("cpu", "3") } } } },
    { .what = "family of the first summand",
      .expected = "memory=1536Mi pods=1",
      .containers = { { .requests = { AMOUNT("memory", "1Gi") } },
                      { .requests = { AMOUNT("memory", "536870912") } } } },
    { .what = "decimal first",
      .expected = "memory=1610612736 pods=1",
      .containers = { { .requests = { AMOUNT("memory", "536870912") } },
                      { .requests = { AMOUNT("memory", "1Gi") } } } },
    { .what = "a zero has no family",
      .expected = "memory=1Gi pods=1",
      .containers = { { .requests = { AMOUNT("memory", "0") } }, { .requests = { AMOUNT("memory", "1Gi") } } } },
    { .what = "exact beyond 64 bits",
      .expected = "pods=1 example.com/x=20E",
      .containers = { { .requests = { AMOUNT("example.com/x", "10E") } },
                      { .requests = { AMOUNT("example.com/x", "10E") } } } },
    { .what = "finer than nano rounds up",
      .expected = "cpu=2n pods=1",
      .containers = { { .requests = { AMOUNT("cpu", "0.0000000011") } } } },
};

static const char *const names[2][MOST] = { { "a", "b", "c" }, { "i", "j", "k" } };

/* The last status of a name counts: a misleading one comes first. */
static size_t make_statuses(const box *boxes, const char *const *called, karp_container_status *out)
{
    size_t n = 0;
    for (size_t i = 0; i < MOST; i++) {
        if (boxes[i].has_status == 0) continue;
        static const karp_resource misleading[] = { AMOUNT("cpu", "99") };
        out[n++] = (karp_container_status){
            .name = str(called[i]), .has_resources = 1, .requests = misleading, .request_count = 1
        };
        out[n++] = (karp_container_status){
            .name = str(called[i]),
            .has_resources = boxes[i].has_status > 0,
            .requests = boxes[i].in_force,
            .request_count = length_of(boxes[i].in_force),
            .allocated = boxes[i].allocated,
            .allocated_count = length_of(boxes[i].allocated),
        };
    }
    return n;
}

static void make_containers(const box *boxes, const char *const *called, karp_container *out)
{
    for (size_t i = 0; i < MOST; i++) {
        out[i] = (karp_container){
            .name = str(called[i]),
            .requests = boxes[i].requests,
            .request_count = length_of(boxes[i].requests),
            .limits = boxes[i].limits,
            .limit_count = length_of(boxes[i].limits),
            .restart_always = (uint32_t)boxes[i].sidecar,
        };
    }
}

static const char *requests_of(building *f, const request_case *one, size_t number, size_t more_statuses)
{
    static const karp_condition pending[] = {
        { .type = T("PodResizePending"), .reason = T("Infeasible") },
        { .type = T("PodResizePending"), .reason = T("Deferred") },
    };
    karp_container containers[MOST], inits[MOST];
    karp_container_status statuses[4 * MOST + 100];
    karp_pod p = { .size = sizeof p, .container_count = MOST, .init_container_count = MOST };
    char name[16] = { (char)('a' + number % 26), (char)('a' + number / 26), more_statuses ? 'x' : 'y' };
    memset(statuses, 0, sizeof statuses);
    make_containers(one->containers, names[0], containers);
    make_containers(one->inits, names[1], inits);
    for (size_t i = 0; i < more_statuses; i++)
        statuses[i] = (karp_container_status){ .name = T("other"), .has_resources = 1 };
    size_t n = more_statuses;
    n += make_statuses(one->containers, names[0], statuses + n);
    n += make_statuses(one->inits, names[1], statuses + n);
    p.meta.name = str(name);
    p.containers = containers;
    p.init_containers = inits;
    p.container_statuses = statuses;
    p.container_status_count = n;
    p.pod_requests = one->pod;
    p.pod_request_count = length_of(one->pod);
    p.overhead = one->overhead;
    p.overhead_count = length_of(one->overhead);
    p.conditions = pending + (one->infeasible ? 0 : 1); /* the first of them decides */
    p.condition_count = one->infeasible ? 2 : 1;
    good(f, karp_builder_add_pod(f->b, &p, &f->error));
    const pod *added = pod_at(f->s, f->s->pods.count - 1);
    return list_text(f, f->s->shapes.items[added->shape].requests);
}

static void test_cases(void **state)
{
    /* Resource ids count in order of appearance: these come after the fixed ones whatever the case. */
    for (size_t i = 0; i < COUNT(cases); i++) {
        building *f = *state;
        for (size_t more = 0; more <= 100; more += 100) {
            const char *text = requests_of(f, &cases[i], i, more);
            if (strcmp(text, cases[i].expected) != 0) print_message("%s\n", cases[i].what);
            assert_string_equal(text, cases[i].expected);
        }
    }
}

static void refuse(building *f, const karp_pod *p, karp_status status, const char *field)
{
    size_t shapes = f->s->shapes.count, taken = f->s->taken.count;
    bad(f, karp_builder_add_pod(f->b, p, &f->error), status, "Pod default/web-0", field);
    assert_int_equal(f->s->pods.count, 0);
    assert_int_equal(f->s->shapes.count, shapes);
    assert_int_equal(f->s->taken.count, taken);
}

static void test_refusals(void **state)
{
    building *f = *state;
    karp_resource r = AMOUNT("cpu", "-1");
    karp_container k[2] = { { .name = T("a") }, { .name = T("b"), .requests = &r, .request_count = 1 } };
    karp_pod p = { .size = sizeof p, .meta = { .name = T("web-0") }, .containers = k, .container_count = 2 };
    refuse(f, &p, KARP_E_INVALID, "spec.containers[1].resources.requests[\"cpu\"]");
    assert_string_equal(f->error.message, "must not be negative");
    r.text = str("1 Gi");
    refuse(f, &p, KARP_E_INVALID, "spec.containers[1].resources.requests[\"cpu\"]");
    r.text = str("170141183460469231731687303715884105728");
    refuse(f, &p, KARP_E_RANGE, "spec.containers[1].resources.requests[\"cpu\"]");
    r.text = str("1");
    r.name = str("");
    refuse(f, &p, KARP_E_INVALID, "spec.containers[1].resources.requests[0]");

    karp_resource twice[] = { AMOUNT("cpu", "1"), AMOUNT("cpu", "2") };
    k[1].requests = twice;
    k[1].request_count = 2;
    refuse(f, &p, KARP_E_INVALID, "spec.containers[1].resources.requests[\"cpu\"]");

    karp_resource huge = AMOUNT("cpu", "100000000000000000000000000000"); /* 10^29, in units of 10^-9 */
    k[0].requests = k[1].requests = &huge;
    k[0].request_count = k[1].request_count = 1;
    refuse(f, &p, KARP_E_RANGE, "spec.containers[1]");

    k[0].request_count = k[1].request_count = 0;
    karp_resource negative = AMOUNT("memory", "-5");
    p.overhead = &negative;
    p.overhead_count = 1;
    refuse(f, &p, KARP_E_INVALID, "spec.overhead[\"memory\"]");
    p.overhead_count = 0;
    p.pod_requests = &negative;
    p.pod_request_count = 1;
    refuse(f, &p, KARP_E_INVALID, "spec.resources.requests[\"memory\"]");
    p.pod_request_count = 0;
    karp_container_status status = { .name = T("a"), .has_resources = 1, .allocated = &negative, .allocated_count = 1 };
    p.container_statuses = &status;
    p.container_status_count = 1;
    refuse(f, &p, KARP_E_INVALID, "status.containerStatuses[0].allocatedResources[\"memory\"]");
    p.container_status_count = 0;
    k[0].requests = NULL;
    k[0].request_count = 3;
    refuse(f, &p, KARP_E_INVALID, "spec.containers[0].resources.requests");
}

/* value and scale instead of text */
static void test_numbers(void **state)
{
    building *f = *state;
    karp_resource r[] = { { .name = T("cpu"), .value = 1500, .scale = -3 },
                          { .name = T("memory"), .value = 3, .scale = 9 } };
    karp_container k = { .name = T("a"), .requests = r, .request_count = 2 };
    karp_pod p = { .size = sizeof p, .meta = { .name = T("web-0") }, .containers = &k, .container_count = 1 };
    r[0].scale = -10;
    refuse(f, &p, KARP_E_INVALID, "spec.containers[0].resources.requests[\"cpu\"]");
    r[0].scale = -3;
    good(f, karp_builder_add_pod(f->b, &p, &f->error));
    assert_string_equal(list_text(f, f->s->shapes.items[0].requests), "cpu=1500m memory=3G pods=1");
}

/* Limits of a DaemonSet's template stand in for missing requests, of init containers too. */
static void test_daemon_limits(void **state)
{
    building *f = *state;
    karp_resource requests[] = { AMOUNT("cpu", "100m") };
    karp_resource limits[] = { AMOUNT("cpu", "1"), AMOUNT("memory", "64Mi") };
    karp_resource most[] = { AMOUNT("cpu", "2") };
    karp_container k = { .name = T("a"), .requests = requests, .request_count = 1, .limits = limits, .limit_count = 2 };
    karp_container init = { .name = T("i"), .limits = most, .limit_count = 1 };
    karp_daemon_set d = { .size = sizeof d, .meta = { .name = T("agent") } };
    d.template_.size = sizeof d.template_;
    d.template_.containers = &k;
    d.template_.container_count = 1;
    good(f, karp_builder_add_daemon_set(f->b, &d, &f->error));
    assert_string_equal(list_text(f, f->s->shapes.items[f->s->daemon_sets.items[0].shape].requests),
                        "cpu=100m memory=64Mi pods=1");
    d.template_.init_containers = &init;
    d.template_.init_container_count = 1;
    d.meta.name = str("other");
    good(f, karp_builder_add_daemon_set(f->b, &d, &f->error));
    assert_string_equal(list_text(f, f->s->shapes.items[f->s->daemon_sets.items[1].shape].requests),
                        "cpu=2 memory=64Mi pods=1");
}

static resource_list predicted_of(building *f, const karp_pod *p)
{
    good(f, karp_builder_add_pod(f->b, p, &f->error));
    return beside_of(&f->s->shapes.items[pod_at(f->s, f->s->pods.count - 1)->shape]).predicted;
}

/* Of two containers, a sidecar and an init container after it, the first and the sidecar are predicted. */
static void test_predicted(void **state)
{
    building *f = *state;
    const karp_resource a[] = { AMOUNT("cpu", "100m") }, b[] = { AMOUNT("cpu", "1"), AMOUNT("memory", "1Gi") },
                        s[] = { AMOUNT("cpu", "50m") }, i[] = { AMOUNT("cpu", "2") },
                        allocated[] = { AMOUNT("cpu", "8") }, more[] = { AMOUNT("cpu", "3") },
                        half[] = { AMOUNT("cpu", "500m") }, wrong[] = { AMOUNT("cpu", "x") };
    const karp_container containers[] = { { .name = T("a"), .requests = a, .request_count = 1 },
                                          { .name = T("b"), .requests = b, .request_count = 2 } },
                         inits[] = { { .name = T("s"), .requests = s, .request_count = 1, .restart_always = 1 },
                                     { .name = T("i"), .requests = i, .request_count = 1 } },
                         predicted[] = { { .name = T("a"), .requests = more, .request_count = 1 },
                                         { .name = T("s"), .requests = half, .request_count = 1 } },
                         same[] = { { .name = T("a"), .requests = a, .request_count = 1 } },
                         bad_one[] = { { .name = T("a"), .requests = wrong, .request_count = 1 } };
    const karp_container_status status = {
        .name = T("a"), .allocated = allocated, .allocated_count = 1, .has_resources = 1
    };
    karp_pod p = { .size = sizeof p,
                   .meta = { .name = T("one") },
                   .containers = containers,
                   .container_count = 2,
                   .init_containers = inits,
                   .init_container_count = 2,
                   .predicted_containers = predicted,
                   .predicted_container_count = 2 };
    assert_string_equal(list_text(f, predicted_of(f, &p)), "cpu=4500m memory=1Gi pods=1");
    assert_string_equal(list_text(f, f->s->shapes.items[pod_at(f->s, 0)->shape].requests),
                        "cpu=2050m memory=1Gi pods=1");
    p.meta.name = str("resized"); /* it will not be when it is created again */
    p.container_statuses = &status;
    p.container_status_count = 1;
    assert_string_equal(list_text(f, predicted_of(f, &p)), "cpu=4500m memory=1Gi pods=1");
    p.container_status_count = 0;
    p.meta.name = str("same");
    p.predicted_containers = same;
    p.predicted_container_count = 1;
    assert_int_equal(predicted_of(f, &p).count, 0);
    p.meta.name = str("wrong");
    p.predicted_containers = bad_one;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, "Pod default/wrong",
        "spec.containers[0].resources.requests[\"cpu\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cases, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_refusals, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_numbers, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_daemon_limits, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_predicted, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
