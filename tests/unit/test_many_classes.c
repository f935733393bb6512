/* SPDX-License-Identifier: Apache-2.0 */
/* Many kinds of pods: claims that are found full are not asked again until smaller pods come (they "rest"). The same as
 * if each pod asked every claim: the claim with the fewest pods first, else a new one. */
#include <support/disrupting.h>

#include <stdlib.h>

#include <karp/schedule.h>

/* No more claims than 12: equal ones keep their order so far (scheduling.md, appendix A). */
enum { KINDS = 20, EACH = 21, TYPES = 14, CORES = 2 * TYPES * 1000, MEMORY = 64, MOST_CLAIMS = 12 };

struct size {
    int cpu, memory; /* millicores, Gi */
};

struct full {
    int pods, cpu, memory;
};

/* Two sizes of memory to each of the processor; the smallest are listed first. */
static struct size size_of(int kind) { return (struct size){ 200 + 100 * (kind / 2), 1 + kind % 2 }; }

static void pending(cluster *c, int kind, int number)
{
    struct size z = size_of(kind);
    add(c,
        ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p-%d-%d\",\"namespace\":\"default\"},"
        "\"spec\":{\"containers\":[{\"name\":\"m\",\"resources\":{\"requests\":"
        "{\"cpu\":\"%dm\",\"memory\":\"%dGi\"}}}]},\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":"
        "\"PodScheduled\",\"status\":\"False\",\"reason\":\"Unschedulable\"}]}}",
        kind, number, z.cpu, z.memory);
}

static void many(cluster *c)
{
    cluster_begin(c, TYPES, "");
    add_pool(c, "pool", "", "");
    /* A kind that runs already, of a size between those that wait. */
    add(c, ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"own\",\"labels\":{\"kubernetes.io/"
           "hostname\":\"own\"}},\"spec\":{\"providerID\":\"p-own\"},"
           "\"status\":{\"allocatable\":{\"cpu\":\"700m\",\"memory\":\"1Gi\",\"pods\":\"1\"},\"conditions\":[{\"type\":"
           "\"Ready\",\"status\":\"True\"}]}}");
    add_pod(c, "runs", "own", "650m");
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < EACH; i++) pending(c, kind, i);
    }
    cluster_ready(c);
}

/* Fewest pods first, and otherwise as before. */
static void order(struct full *claims, int count)
{
    for (int i = 1; i < count; i++) {
        for (int k = i; k > 0 && claims[k].pods < claims[k - 1].pods; k--) {
            struct full one = claims[k];
            claims[k] = claims[k - 1];
            claims[k - 1] = one;
        }
    }
}

static int place(struct full *claims, int count, struct size z)
{
    order(claims, count);
    for (int i = 0; i < count; i++) {
        if (claims[i].cpu + z.cpu > CORES || claims[i].memory + z.memory > MEMORY || claims[i].pods == 110) continue;
        claims[i].pods++;
        claims[i].cpu += z.cpu;
        claims[i].memory += z.memory;
        return count;
    }
    assert_true(count < MOST_CLAIMS);
    claims[count] = (struct full){ 1, z.cpu, z.memory };
    return count + 1;
}

static int by_amounts(const void *x, const void *y)
{
    const struct full *a = x, *b = y;
    if (a->cpu != b->cpu) return a->cpu - b->cpu;
    return a->pods != b->pods ? a->pods - b->pods : a->memory - b->memory;
}

/* What the pods of a launch ask for, by their names. */
static struct full asked(const cluster *c, size_t launch)
{
    karp_launch l = launch_at(c, launch);
    struct full f = { (int)l.pod_count, 0, 0 };
    for (size_t i = 0; i < l.pod_count; i++) {
        struct size z = size_of(atoi(karp_decision_pod_name(c->decision, l.pods[i]).ptr + strlen("default/p-")));
        f.cpu += z.cpu;
        f.memory += z.memory;
    }
    return f;
}

static void test_full_claims_rest(void **state)
{
    cluster *c = *state;
    struct full claims[MOST_CLAIMS], got[MOST_CLAIMS];
    int count = 0;
    many(c);
    for (int kind = KINDS - 2; kind >= 0; kind -= 2) { /* by the processor, then by memory, the largest first */
        for (int i = 0; i < EACH; i++) count = place(claims, count, size_of(kind + 1));
        for (int i = 0; i < EACH; i++) count = place(claims, count, size_of(kind));
    }
    assert_int_equal(karp_provision(c->snapshot, NULL, &c->decision, &c->error), KARP_OK);
    assert_int_equal(karp_decision_unschedulable_count(c->decision), 0);
    assert_int_equal(karp_decision_launch_count(c->decision), count);
    for (int i = 0; i < count; i++) got[i] = asked(c, (size_t)i);
    qsort(claims, (size_t)count, sizeof *claims, by_amounts);
    qsort(got, (size_t)count, sizeof *got, by_amounts);
    for (int i = 0; i < count; i++) {
        assert_int_equal(got[i].pods, claims[i].pods);
        assert_int_equal(got[i].cpu, claims[i].cpu);
        assert_int_equal(got[i].memory, claims[i].memory);
    }
}

/* Memory that is refused where the sizes are put in order. */
static void test_refused(void **state)
{
    cluster *c = *state;
    many(c);
    karp_status status = KARP_E_NOMEM;
    size_t n = 1;
    for (; status == KARP_E_NOMEM; n++) {
        fault_arm(&c->fault, n, false);
        status = karp_provision(c->snapshot, NULL, &c->decision, &c->error);
    }
    assert_int_equal(status, KARP_OK);
    assert_int_equal(c->fault.refused, 0);
    assert_true(n > 10);
}

/* Each of many daemons takes its part of every type. */
static void test_many_daemons(void **state)
{
    enum { DAEMONS = 40 };
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", "");
    for (int i = 0; i < DAEMONS; i++) {
        add(c,
            ",{\"apiVersion\":\"apps/"
            "v1\",\"kind\":\"DaemonSet\",\"metadata\":{\"name\":\"d%d\",\"namespace\":\"default\"},\"spec\":{"
            "\"selector\":{},\"template\":{\"spec\":"
            "{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"50m\"}}}]}}}}",
            i);
    }
    pending(c, 18, 0); /* 1100m and 1000m beside 2000m: more than the 4 cores of t02 */
    pending(c, 16, 0);
    cluster_ready(c);
    assert_int_equal(karp_provision(c->snapshot, NULL, &c->decision, &c->error), KARP_OK);
    assert_int_equal(karp_decision_launch_count(c->decision), 1);
    assert_int_equal(launch_at(c, 0).instance_type_count, 2);
    assert_string_equal(launch_at(c, 0).instance_types[0].ptr, "t03");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_full_claims_rest, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_refused, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_many_daemons, cluster_set_up, cluster_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
