/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a reboot: fence, drain, ask, wait for the node; what it does when something fails. */
#include <support/advising.h>

#define REQUESTED "RebootRequested\",\"lastTransitionTime\":\"2026-01-05T12:00:00Z"
#define ISSUED "RebootIssued\",\"lastTransitionTime\":\"2026-01-05T12:00:00Z"
#define UNKNOWN_SINCE(time) ",{\"type\":\"Initialized\",\"status\":\"Unknown\",\"lastTransitionTime\":\"" time "\"}"
#define FENCE ",\"taints\":[{\"key\":\"karpenter.sh/rebooting\",\"effect\":\"NoSchedule\"}]"
#define READY "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]"
#define BOOT(id) "\"karpenter.sh/reboot-pre-boot-id\":\"" id "\""
#define GRACE(time) "\"karpenter.sh/reboot-termination-grace-period\":\"" time "\""
#define INITIALIZED ",\"karpenter.sh/initialized\":\"true\""
#define ISSUE_IT "set n Rebooting=RebootIssued; unknown n Initialized=Rebooting"

struct row {
    const char *now; /* time of day */
    const char *annotations, *reason, *more; /* of the claim */
    const char *label, *taints, *status; /* of the node; status NULL = there is none */
    bool pod;
    const char *boot_id, *asked; /* asked: time of day, NULL = not yet */
    uint32_t provider;
    const char *expected;
};

static int64_t at(const char *time_of_day)
{
    char text[32];
    int64_t out;
    (void)snprintf(text, sizeof text, "2026-01-05T%sZ", time_of_day);
    assert_int_equal(karp_time_parse((karp_str){ text, strlen(text) }, &out), KARP_OK);
    return out;
}

static void make(cluster *c, const struct row *r)
{
    cluster_begin(c, 1, "");
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"n\",\"labels\":"
        "{\"karpenter.sh/nodepool\":\"default\"},\"annotations\":{%s}},\"spec\":{\"nodeClassRef\":{\"group\":\"g\","
        "\"kind\":\"k\",\"name\":\"n\"},\"requirements\":[]},\"status\":{\"providerID\":\"p-n\",\"nodeName\":\"n\","
        "\"conditions\":[{\"type\":\"Launched\",\"status\":\"True\"},{\"type\":\"Registered\",\"status\":\"True\"},"
        "{\"type\":\"Rebooting\",\"status\":\"True\",\"reason\":\"%s\"}%s]}}",
        r->annotations, r->reason, r->more);
    if (r->status != NULL)
        add(c,
            ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"labels\":"
            "{\"karpenter.sh/nodepool\":\"default\",\"node.kubernetes.io/"
            "instance-type\":\"t01\"%s}},\"spec\":{\"providerID\":\"p-n\"%s},\"status\":{%s}}",
            r->label, r->taints, r->status);
    if (r->pod)
        add(c, ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\"},"
               "\"spec\":{\"nodeName\":\"n\",\"containers\":[]},\"status\":{\"phase\":\"Running\"}}");
    cluster_ready(c);
}

static const struct row rows[] = {
    /* requested: fenced first, and drained by evictions */
    { "12:00:01", "", REQUESTED, "", INITIALIZED, "", READY, true, "one", NULL, 0,
      "evict default/p; taint n karpenter.sh/rebooting; again 2026-01-05T12:00:16Z" },
    { "12:00:01", GRACE("8s"), REQUESTED, "", INITIALIZED, FENCE, READY, true, "one", NULL, 0,
      "evict default/p; again 2026-01-05T12:00:08Z" },
    /* nobody is left: five seconds all the same */
    { "12:00:01", "", REQUESTED, "", "", FENCE, READY, false, "one", NULL, 0, "again 2026-01-05T12:00:05Z" },
    { "12:00:05", "", REQUESTED, "", "", FENCE, READY, false, "one", NULL, 0,
      "annotate n karpenter.sh/reboot-pre-boot-id=one; reboot n one; again 2026-01-05T12:00:05Z" },
    /* the time is up, be it shorter than five seconds, or none at all: who is left rides along */
    { "12:00:08", GRACE("8s"), REQUESTED, "", "", FENCE, READY, true, "one", NULL, 0,
      "annotate n karpenter.sh/reboot-pre-boot-id=one; reboot n one; again 2026-01-05T12:00:08Z" },
    { "12:00:04", GRACE("1s"), REQUESTED, "", "", FENCE, READY, true, "one", NULL, 0,
      "evict default/p; again 2026-01-05T12:00:05Z" },
    { "12:00:01", GRACE("0s"), REQUESTED, "", "", FENCE, READY, true, "one", NULL, 0,
      "annotate n karpenter.sh/reboot-pre-boot-id=one; reboot n one; again 2026-01-05T12:00:01Z" },
    /* a request that cannot be read ends, and the node stays */
    { "12:00:01", GRACE("soon"), REQUESTED, "", "", FENCE, READY, true, "one", NULL, 0,
      "untaint n karpenter.sh/rebooting; false n Rebooting=RebootFailed" },
    { "12:00:01", GRACE("-1s"), REQUESTED, "", "", "", READY, true, "one", NULL, 0, "false n Rebooting=RebootFailed" },
    /* the provider is asked again, accepts, or refuses; for five minutes */
    { "12:01:00", BOOT("one"), REQUESTED, "", "", FENCE, READY, true, "one", "12:00:30", KARP_REBOOT_NOT_ASKED,
      "reboot n one; again 2026-01-05T12:01:00Z" },
    { "12:01:00", BOOT("one"), REQUESTED, "", INITIALIZED, FENCE, READY, true, "one", "12:00:30", KARP_REBOOT_ACCEPTED,
      ISSUE_IT "; unlabel n karpenter.sh/initialized; again 2026-01-05T12:01:15Z" },
    { "12:01:00", BOOT("one") "," GRACE("10s"), REQUESTED, "", "", FENCE, READY, true, "one", "12:00:30",
      KARP_REBOOT_REFUSED,
      "untaint n karpenter.sh/rebooting; annotate n "
      "karpenter.sh/nodeclaim-termination-timestamp=2026-01-05T12:01:10Z; delete n=RebootFailed" },
    { "12:05:30", BOOT("one"), REQUESTED, "", "", FENCE, READY, true, "one", "12:00:30", 0,
      "reboot n one; again 2026-01-05T12:05:30Z" },
    { "12:05:31", BOOT("one"), REQUESTED, "", "", FENCE, READY, true, "one", "12:00:30", 0,
      "untaint n karpenter.sh/rebooting; delete n=RebootFailed" },
    /* it has booted already: a controller that was restarted does not ask twice */
    { "12:01:00", BOOT("one"), REQUESTED, "", "", FENCE, READY, true, "two", "12:00:30", 0,
      ISSUE_IT "; again 2026-01-05T12:01:15Z" },
    /* issued: back and Ready; back; not back within 20 minutes */
    { "12:03:00", BOOT("one"), ISSUED, UNKNOWN_SINCE("2026-01-05T12:01:00Z"), "", FENCE, READY, true, "two", NULL, 0,
      "untaint n karpenter.sh/rebooting; unannotate n karpenter.sh/reboot-pre-boot-id; false n "
      "Rebooting=RebootSucceeded" },
    { "12:03:00", BOOT("one"), ISSUED, UNKNOWN_SINCE("2026-01-05T12:01:00Z"), INITIALIZED, FENCE, "", true, "two", NULL,
      0, "unlabel n karpenter.sh/initialized; untaint n karpenter.sh/rebooting; again 2026-01-05T12:03:15Z" },
    { "12:21:00", BOOT("one"), ISSUED, UNKNOWN_SINCE("2026-01-05T12:01:00Z"), "", FENCE, READY, true, "one", NULL, 0,
      "again 2026-01-05T12:21:15Z" },
    { "12:21:01", BOOT("one"), ISSUED, UNKNOWN_SINCE("2026-01-05T12:01:00Z"), "", FENCE, READY, true, "two", NULL, 0,
      "untaint n karpenter.sh/rebooting; delete n=RebootFailed" },
    /* no Node: it may come back */
    { "12:05:00", "", REQUESTED, "", "", "", NULL, false, "", NULL, 0, "again 2026-01-05T12:05:15Z" },
    { "12:05:01", "", REQUESTED, "", "", "", NULL, false, "", NULL, 0, "delete n=RebootFailed" },
    { "12:05:01", BOOT("one"), ISSUED, UNKNOWN_SINCE("2026-01-05T12:01:00Z"), "", "", NULL, false, "", NULL, 0,
      "again 2026-01-05T12:05:16Z" },
    /* a reason that nobody knows */
    { "12:05:01", "", "Whatever", "", "", FENCE, READY, true, "one", NULL, 0, "" },
};

static void steps(void **state)
{
    cluster *c = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        char got[2000];
        karp_advice *a = NULL;
        make(c, r);
        const karp_reboot_answer answers[] = { { .claim = { "nobody", 6 }, .boot_id = { "", 0 } },
                                               { .claim = { "n", 1 },
                                                 .boot_id = { r->boot_id, strlen(r->boot_id) },
                                                 .asked = r->asked != NULL ? at(r->asked) : KARP_NO_TIME,
                                                 .provider = r->provider } };
        assert_int_equal(karp_advise_reboots(c->snapshot, at(r->now), answers, 2, &a, &c->error), KARP_OK);
        advice_words(a, got, sizeof got);
        karp_advice_free(a);
        if (strcmp(got, r->expected) != 0) fail_msg("row %zu:\n%s\nnot\n%s", i, got, r->expected);
    }
}

static void left_alone(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    make(c, &rows[0]);
    assert_int_equal(karp_advise_reboots(c->snapshot, 0, NULL, 0, &a, &c->error), KARP_OK);
    assert_int_equal(karp_advice_action_count(a), 0);
    karp_advice_free(a);
    karp_reboot_answer answer = { .claim = { NULL, 1 } };
    assert_int_equal(karp_advise_reboots(c->snapshot, 0, &answer, 1, &a, &c->error), KARP_E_INVALID);
    answer = (karp_reboot_answer){ .claim = { "n", 1 }, .boot_id = { NULL, 2 } };
    assert_int_equal(karp_advise_reboots(c->snapshot, 0, &answer, 1, &a, &c->error), KARP_E_INVALID);
    answer = (karp_reboot_answer){ .claim = { "n", 1 }, .boot_id = { "", 0 }, .provider = 3 };
    assert_int_equal(karp_advise_reboots(c->snapshot, 0, &answer, 1, &a, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_advise_reboots(c->snapshot, 0, NULL, 1, &a, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_advise_reboots(NULL, 0, NULL, 0, &a, &c->error), KARP_E_INVALID);
}

static void refused_memory(void **state)
{
    cluster *c = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make(c, &rows[i]);
        const karp_reboot_answer answer = { .claim = { "n", 1 },
                                            .boot_id = { rows[i].boot_id, strlen(rows[i].boot_id) },
                                            .asked = KARP_NO_TIME,
                                            .provider = rows[i].provider };
        for (size_t n = 1;; n++) {
            size_t blocks = c->fault.live_blocks;
            karp_advice *a = NULL;
            fault_arm(&c->fault, n, n % 2 == 0);
            karp_status status = karp_advise_reboots(c->snapshot, at(rows[i].now), &answer, 1, &a, &c->error);
            bool refused = c->fault.refused > 0;
            fault_arm(&c->fault, 0, false);
            if (status == KARP_OK) karp_advice_free(a);
            else assert_int_equal(status, KARP_E_NOMEM);
            assert_int_equal(c->fault.live_blocks, blocks);
            if (!refused) break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(steps), cmocka_unit_test(left_alone),
                                        cmocka_unit_test(refused_memory) };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
