/* SPDX-License-Identifier: Apache-2.0 */
/* Which requirements are not valid, rule by rule. */
#include <support/building.h>

#include <stdio.h>

#include <karp/settings.h>
#include <karp/snapshot.h>
#include <model/label_rules.h>

/* Words that begin and end a name of the greatest length, and one more. */
#define TEN "abcdefghij"
#define SIXTY TEN TEN TEN TEN TEN TEN
#define SUBDOMAIN SIXTY "." SIXTY "." SIXTY "." SIXTY "." /* 244 */

enum rule { FINE, OPERATOR, RESTRICTED, NO_KNOWN, FEW_KNOWN, NO_NAME, BAD_VALUE, TOO_FEW, NO_INTEGER };

static const char *const starts[] = { NULL,
                                      "has an unsupported operator",
                                      "is restricted",
                                      "lists no known value",
                                      "lists fewer known values than its minValues",
                                      "is not a qualified name",
                                      "has an invalid value",
                                      "has too few values",
                                      "needs one non-negative integer" };

typedef struct example {
    const char *key;
    uint32_t op;
    const char *values[3];
    uint32_t min_values;
    enum rule broken;
} example;

/* Everything of the examples in a snapshot, as a pod's node selector. */
static karp_snapshot *snapshot_of(building *f, const example *list, size_t count)
{
    static karp_label pairs[400];
    static karp_str domains[] = { T("corp.example"), T("x.io"), T("") }, labels[] = { T("mine") };
    size_t n = 0;
    char key[24];
    for (size_t i = 0; i < count; i++) {
        snprintf(key, sizeof key, "k%zu", i);
        pairs[n++] = (karp_label){ str(list[i].key), str("") };
        for (size_t v = 0; v < 3 && list[i].values[v] != NULL; v++)
            pairs[n++] = (karp_label){ str(list[i].values[v]), str("") };
        assert_true(n + 4 < COUNT(pairs));
    }
    karp_settings settings;
    karp_settings_init(&settings, sizeof settings);
    settings.restricted_domains = domains;
    settings.restricted_domain_count = 3; /* an empty one is none */
    settings.restricted = labels;
    settings.restricted_count = 1;
    good(f, karp_builder_set_settings(f->b, &settings, &f->error));
    for (size_t i = 0; i < n; i++) { /* a selector has each key once */
        karp_pod p = {
            .size = sizeof p, .meta = { .name = { key, 0 } }, .node_selector = &pairs[i], .node_selector_count = 1
        };
        p.meta.name.len = (size_t)snprintf(key, sizeof key, "p%zu", i);
        good(f, karp_builder_add_pod(f->b, &p, &f->error));
    }
    karp_snapshot *s = NULL;
    good(f, karp_builder_finish(f->b, &s, &f->error));
    return s;
}

static uint32_t id_of(const karp_snapshot *s, const char *text)
{
    uint32_t id = strings_find(&s->raw.text, text, strlen(text));
    assert_int_not_equal(id, NO_ID);
    return id;
}

static void check(building *f, const example *list, size_t count)
{
    karp_snapshot *s = snapshot_of(f, list, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t values[3], n = 0;
        while (n < 3 && list[i].values[n] != NULL) {
            values[n] = id_of(s, list[i].values[n]);
            n++;
        }
        const char *said = requirement_wrong(s, id_of(s, list[i].key), list[i].op, values, n, list[i].min_values),
                   *wanted = starts[list[i].broken];
        bool right = wanted == NULL ? said == NULL : said != NULL && strncmp(said, wanted, strlen(wanted)) == 0;
        if (!right) fail_msg("%s %s: %s", list[i].key, n > 0 ? list[i].values[0] : "", said != NULL ? said : "is fine");
    }
    karp_snapshot_unref(s);
}

static void keys(void **state)
{
    static const example list[] = {
        { "a", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { "a-b_c.D9", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { "Z", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { SIXTY "123", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { SIXTY "1234", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "-a", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a-", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a/", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "/a", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a/b/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        /* on either side of the characters that are allowed */
        { "a b", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a:b", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a@b", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a[b", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a`b", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a{b", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a\xc3\xa4", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        /* the domain */
        { "a-1.b2/C", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { "9/a", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { SUBDOMAIN "123456789/a", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { SUBDOMAIN "1234567890/a", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "A.b/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a_b/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { ".a/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a./c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a..b/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "-a/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a-/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a.-b/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a-.b/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a:b/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a{b/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
        { "a!b/c", KARP_OP_EXISTS, { NULL }, 0, NO_NAME },
    };
    check(*state, list, COUNT(list));
}

/* What is well known is allowed whatever its domain. */
static void restricted(void **state)
{
    static const example list[] = {
        { "karpenter.sh/capacity-type", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { "karpenter.sh/other", KARP_OP_EXISTS, { NULL }, 0, RESTRICTED },
        { "sub.karpenter.sh/other", KARP_OP_EXISTS, { NULL }, 0, RESTRICTED },
        { "notkarpenter.sh/other", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { "karpenter.sh.example/other", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { "sh/other", KARP_OP_EXISTS, { NULL }, 0, FINE },
        { "corp.example/a", KARP_OP_EXISTS, { NULL }, 0, RESTRICTED },
        { "team.corp.example/a", KARP_OP_EXISTS, { NULL }, 0, RESTRICTED },
        { "x.io/a", KARP_OP_EXISTS, { NULL }, 0, RESTRICTED },
        { "corp.example", KARP_OP_EXISTS, { NULL }, 0, FINE }, /* a name, not a domain */
        { "kubernetes.io/hostname", KARP_OP_EXISTS, { NULL }, 0, RESTRICTED },
        { "mine", KARP_OP_EXISTS, { NULL }, 0, RESTRICTED },
        { "mine/a", KARP_OP_EXISTS, { NULL }, 0, FINE },
    };
    check(*state, list, COUNT(list));
}

static void operators_and_values(void **state)
{
    static const example list[] = {
        { "a", KARP_OP_UNKNOWN, { NULL }, 0, OPERATOR },
        { "a", KARP_OP_LTE + 1, { "1" }, 0, OPERATOR },
        { "a", KARP_OP_IN, { "1", "v", "" }, 0, FINE },
        { "a", KARP_OP_IN, { NULL }, 0, TOO_FEW },
        { "a", KARP_OP_IN, { "1" }, 1, FINE },
        { "a", KARP_OP_IN, { "1" }, 2, TOO_FEW },
        { "a", KARP_OP_IN, { "1", "v" }, 2, FINE },
        { "a", KARP_OP_NOT_IN, { NULL }, 2, FINE },
        { "a", KARP_OP_NOT_IN, { "v", "-v" }, 0, BAD_VALUE },
        { "a", KARP_OP_IN, { "a/b" }, 0, BAD_VALUE },
        { "a", KARP_OP_GT, { "0" }, 0, FINE },
        { "a", KARP_OP_LTE, { "7" }, 0, FINE },
        { "a", KARP_OP_LT, { NULL }, 0, NO_INTEGER },
        { "a", KARP_OP_GTE, { "1", "7" }, 0, NO_INTEGER },
        { "a", KARP_OP_GT, { "v" }, 0, NO_INTEGER },
        { "a", KARP_OP_GT, { "1.5" }, 0, NO_INTEGER },
        { "a", KARP_OP_GT, { "-7" }, 0, BAD_VALUE }, /* no label value either */
        /* Of a key whose values are known one has to be among them, or as many as are asked. */
        { "karpenter.sh/capacity-type", KARP_OP_IN, { "spot" }, 0, FINE },
        { "karpenter.sh/capacity-type", KARP_OP_IN, { "on-demand", "other" }, 0, FINE },
        { "karpenter.sh/capacity-type", KARP_OP_IN, { "reserved", "other" }, 2, FEW_KNOWN },
        { "karpenter.sh/capacity-type", KARP_OP_IN, { "reserved", "spot", "other" }, 2, FINE },
        { "karpenter.sh/capacity-type", KARP_OP_IN, { "other" }, 0, NO_KNOWN },
        { "karpenter.sh/capacity-type", KARP_OP_NOT_IN, { "other" }, 0, FINE },
    };
    check(*state, list, COUNT(list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keys, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(restricted, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(operators_and_values, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests_name("label_rules", tests, NULL, NULL);
}
