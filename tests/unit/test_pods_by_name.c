/* SPDX-License-Identifier: Apache-2.0 */
/* Launches list their pods by name, whether names ascend in the order of scheduling, in stretches of it, or not at all;
 * and where they fall in that order is known after any edit. */
#include <support/disrupting.h>

#include <base/sort.h>
#include <karp/builder.h>
#include <karp/schedule.h>
#include <model/snapshot.h>
#include <stdlib.h>
#include <support/random.h>

enum { PODS = 2200 }; /* 20 launches of 110 pods */

static const char *const sizes[] = { "10m", "30m", "70m", "110m" };

typedef unsigned (*numbering)(unsigned i);

static unsigned ascending(unsigned i) { return 10000 + i; }
static unsigned unpadded(unsigned i) { return i; }
static unsigned descending(unsigned i) { return 90000 - i; }
static unsigned scattered(unsigned i) { return 10000 + i * 7919 % 5003; } /* 5003 is a prime */
/* Every second size has its names behind those of the others. */
static unsigned apart(unsigned i) { return i % 2 * 50000 + 10000 + i; }
static unsigned some_swapped(unsigned i) { return 10000 + (i % 100 == 0 ? i + 4 : i % 100 == 4 ? i - 4 : i); }

/* Pods of four sizes, one after the other by age. */
static void begin(cluster *c, numbering number)
{
    cluster_begin(c, 24, "");
    add_pool(c, "pool", "", "");
    for (unsigned i = 0; i < PODS; i++) {
        add(c,
            ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%u\",\"namespace\":\"default\",\"uid\":"
            "\"u%05u\"},\"spec\":{\"containers\":[{\"name\":\"m\",\"resources\":{\"requests\":{\"cpu\":\"%s\"}}}]},"
            "\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
            "\"reason\":\"Unschedulable\"}]}}",
            number(i), i, sizes[i % 4]);
    }
    cluster_ready(c);
}

static bool is_slice(const karp_snapshot *w, const uint32_t *pods)
{
    bool inside = false;
    for (size_t i = 0; i < w->raw.pods.count && !inside; i++) inside = pods == w->queue + i;
    return inside;
}

/* Every launch's list ascends, every pod is in one, and what a launch asks for is the sum of its pods. Returns how many
 * lists are slices of the queue. */
static size_t check_plan(cluster *c, size_t pods)
{
    karp_decision_unref(c->decision);
    c->decision = NULL;
    assert_int_equal(karp_provision(c->snapshot, NULL, &c->decision, &c->error), KARP_OK);
    assert_int_equal(karp_decision_unschedulable_count(c->decision), 0);
    bool *seen = calloc(pods, sizeof *seen);
    size_t listed = 0, slices = 0;
    assert_true(seen != NULL && karp_decision_launch_count(c->decision) > 3);
    for (size_t i = 0; i < karp_decision_launch_count(c->decision); i++) {
        karp_launch l = { .size = sizeof l };
        assert_int_equal(karp_decision_launch(c->decision, i, &l), KARP_OK);
        int64_t cpu = 0;
        for (size_t k = 0; k < l.pod_count; k++) {
            assert_true(l.pods[k] < pods && !seen[l.pods[k]]);
            seen[l.pods[k]] = true;
            const karp_snapshot *w = c->snapshot;
            cpu += w->classes[w->pod_class[l.pods[k]]].requests[RESOURCE_CPU];
            if (k > 0)
                assert_true(compare_str(karp_decision_pod_name(c->decision, l.pods[k - 1]),
                                        karp_decision_pod_name(c->decision, l.pods[k])) < 0);
        }
        listed += l.pod_count;
        slices += is_slice(c->snapshot, l.pods);
        char text[40];
        int length = snprintf(text, sizeof text, cpu % 100 == 0 ? "%lld" : "%lld0m",
                              (long long)(cpu % 100 == 0 ? cpu / 100 : cpu));
        assert_int_equal(length, l.requests[0].text.len);
        assert_memory_equal(text, l.requests[0].text.ptr, l.requests[0].text.len);
    }
    assert_int_equal(listed, pods);
    free(seen);
    return slices;
}

static void test_lists(void **state)
{
    cluster *c = *state;
    static const struct {
        numbering number;
        size_t slices; /* at least */
    } all[] = { { ascending, 10 },   { unpadded, 10 },  { apart, 10 },
                { some_swapped, 0 }, { descending, 0 }, { scattered, 0 } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        begin(c, all[i].number);
        size_t slices = check_plan(c, PODS);
        assert_true(slices >= all[i].slices && (slices > 0) == (all[i].slices > 0));
    }
}

static void check_falls(const karp_snapshot *w)
{
    for (size_t i = 1; i < w->raw.pods.count; i++) {
        assert_int_equal(w->queue_falls[i], w->pod_rank[w->queue[i]] < w->pod_rank[w->queue[i - 1]]);
    }
}

static karp_str number_text(char room[24], char letter, unsigned number)
{
    int length = snprintf(room, 24, letter == 'u' ? "u%05u" : "p%u", number);
    return (karp_str){ room, (size_t)length };
}

static void remove_pod(cluster *c, karp_builder *b, unsigned number)
{
    char name[24];
    assert_int_equal(karp_builder_remove(b, str("Pod"), str("default"), number_text(name, 'p', number), &c->error),
                     KARP_OK);
}

static void put_pod(cluster *c, karp_builder *b, unsigned number, unsigned age, const char *cpu)
{
    static const karp_condition waits[] = {
        { .type = { "PodScheduled", 12 }, .status = { "False", 5 }, .reason = { "Unschedulable", 13 } }
    };
    char name[24], uid[24];
    karp_resource request = { .name = str("cpu"), .text = str(cpu) };
    karp_container m = { .requests = &request, .request_count = 1 };
    karp_pod p = { .size = sizeof p,
                   .meta = { .name = number_text(name, 'p', number), .uid = number_text(uid, 'u', age) },
                   .containers = &m,
                   .container_count = 1,
                   .conditions = waits,
                   .condition_count = 1,
                   .termination_grace_seconds = -1 };
    assert_int_equal(karp_builder_add_pod(b, &p, &c->error), KARP_OK);
}

/* Some pods go; some come under the names that went, at their ages or others, some under new ones. */
static void edit(cluster *c, unsigned *numbers, unsigned *ages, size_t *count, uint64_t *seed)
{
    karp_builder *b = NULL;
    karp_snapshot *next = NULL;
    assert_int_equal(karp_snapshot_edit(c->snapshot, &b, &c->error), KARP_OK);
    size_t changes = 1 + random_below(seed, 4);
    for (size_t k = 0; k < changes; k++) {
        size_t at = random_below(seed, *count);
        remove_pod(c, b, numbers[at]);
        switch (random_below(seed, 4)) {
        case 0:
            numbers[at] = numbers[*count - 1];
            ages[at] = ages[*count - 1];
            --*count;
            continue;
        case 1:
            numbers[at] = 100000 + (unsigned)(random_below(seed, 900000) * PODS + at);
            break; /* another name, as old */
        case 2: ages[at] = (unsigned)random_below(seed, 2 * PODS); break; /* the same name, younger or older */
        default: break; /* perhaps of another size */
        }
        put_pod(c, b, numbers[at], ages[at], sizes[random_below(seed, 4)]);
    }
    assert_int_equal(karp_builder_finish(b, &next, &c->error), KARP_OK);
    karp_builder_free(b);
    karp_snapshot_unref(c->snapshot);
    c->snapshot = next;
}

static void test_edits(void **state)
{
    cluster *c = *state;
    static unsigned numbers[PODS], ages[PODS];
    static const numbering all[] = { ascending, scattered };
    for (size_t n = 0; n < 2; n++) {
        begin(c, all[n]);
        size_t count = PODS;
        uint64_t seed = n;
        for (unsigned i = 0; i < PODS; i++) {
            numbers[i] = all[n](i);
            ages[i] = i;
        }
        check_falls(c->snapshot);
        for (int step = 0; step < 60; step++) {
            edit(c, numbers, ages, &count, &seed);
            check_falls(c->snapshot);
            if (step == 2) assert_int_equal(check_plan(c, count) > 0, n == 0);
        }
        (void)check_plan(c, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lists, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_edits, cluster_set_up, cluster_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
