/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes in objects are found after the defaults are filled in: each is reported where it is, and none is lost. */
#include "io_reading.h"

#define POOL "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
#define PRIORITY "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n"

static karp_str str(const char *text) { return (karp_str){ text, strlen(text) }; }

static void assert_mistake(const char *text, uint32_t line, const char *field)
{
    reading r = read_text(text);
    assert_refused(&r, KARP_E_INVALID, line, field);
    assert_string_equal(r.error.document, "input");
    reading_free(&r);
}

static void test_where_it_is(void **state)
{
    (void)state;
    /* The claim gets the pool's taints, and the pods get the priority of their class. */
    assert_mistake("apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: c, labels: {karpenter.sh/nodepool: "
                   "default}}\n---\n" POOL "spec:\n  template:\n    spec:\n      taints: [{key: 5}]\n",
                   11, "spec.template.spec.taints[0].key");
    assert_mistake("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {priorityClassName: high, containers: []}\n"
                   "---\n" PRIORITY "value: 3000000000\n",
                   9, "value");
    assert_mistake("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  hostNetwork: true\n  containers:\n  "
                   "- name: c\n    ports: [{containerPort: web}]\n",
                   8, "spec.containers[0].ports[0].containerPort");
}

static void test_a_wrong_value_is_not_replaced(void **state)
{
    (void)state;
    assert_mistake("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {providerID: 5}\n", 4, "spec.providerID");
    assert_mistake("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {conditions: {}}\n", 4,
                   "status.conditions");
    assert_mistake(POOL "status: {conditions: none}\n", 4, "status.conditions");
    assert_mistake("apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: c}\nstatus: {providerID: []}\n", 4,
                   "status.providerID");
    assert_mistake("apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: old}\nspec: {}\n---\n"
                   "apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n  labels:\n    "
                   "karpenter.sh/provisioner-name: 5\n    karpenter.sh/nodepool: old\n",
                   11, "metadata.labels.karpenter.sh/provisioner-name");
}

static void test_the_first_is_reported(void **state)
{
    (void)state;
    /* Before a mistake in a later object, and before whatever stops the reading. */
    assert_mistake("apiVersion: v1\nkind: Namespace\nmetadata: {name: 1}\n---\n" PRIORITY "value: x\n", 3,
                   "metadata.name");
    assert_mistake(PRIORITY "value: x\n---\n" PRIORITY, 4, "value");
    assert_mistake(PRIORITY "value: x\n---\n]\n", 4, "value");
    reading r = read_texts(NULL, "one.yaml", PRIORITY "value: x\n", "two.json", "{\"kind\": \"Pod\"}", NULL);
    assert_refused(&r, KARP_E_INVALID, 4, "value");
    assert_string_equal(r.error.document, "one.yaml");
    reading_free(&r);
}

static void test_kinds_that_are_only_checked(void **state)
{
    (void)state;
    assert_mistake("apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {suspend: 1}\n", 4, "spec.suspend");
    assert_mistake("{\"apiVersion\": \"karp/v1\", \"kind\": \"Snapshot\", \"objects\": [\n"
                   "{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"metadata\": {\"name\": \"j\"},\n"
                   "\"spec\": {\"suspend\": 1}}]}",
                   3, "spec.suspend");
    assert_mistake("apiVersion: karp/v1\nkind: Prices\nmetadata: {name: p}\nspec: {rules: [{requirements:\n"
                   "  [{key: karpenter.k8s.aws/instance-cpu, operator: Gt, values: [x]}]}]}\n",
                   1, "");
}

/* An old object in a Snapshot is converted to objects that outlive its text. */
static void test_old_objects_in_a_snapshot(void **state)
{
    (void)state;
    reading r = read_text("{\"apiVersion\": \"karp/v1\", \"kind\": \"Snapshot\", \"objects\": [\n"
                          "{\"apiVersion\": \"karpenter.sh/v1alpha5\", \"kind\": \"Provisioner\", \"metadata\": "
                          "{\"name\": \"old\"}, \"spec\": {\"labels\": {\"team\": \"x\"}}},\n"
                          "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"n\"}}]}");
    assert_read(&r);
    assert_string_equal(text_at(object_of(&r, "NodePool", NULL, "old"), "spec/template/metadata/labels/team"), "x");
    reading_free(&r);
}

typedef karp_status change(karp_reader *reader, karp_error *error);

static karp_status replace(karp_reader *reader, karp_error *error)
{
    return karp_reader_replace(reader, str("other"), str(POOL), error);
}

static karp_status delete_it(karp_reader *reader, karp_error *error)
{
    return karp_reader_delete(reader, str("nodepool/default"), error);
}

static karp_status scale_another(karp_reader *reader, karp_error *error)
{
    return karp_reader_scale(reader, str("absent"), 3, error);
}

static void test_of_changed_objects(void **state)
{
    (void)state;
    static change *const changes[] = { replace, delete_it, scale_another };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        karp_context *context = NULL;
        karp_reader *reader = NULL;
        karp_reader_options options;
        karp_error error;
        karp_error_init(&error, sizeof error);
        karp_reader_options_init(&options, sizeof options);
        options.editable = 1;
        assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
        assert_int_equal(karp_reader_new(context, &options, &reader, NULL), KARP_OK);
        assert_int_equal(karp_reader_add(reader, str("input"), str(POOL "spec: {weight: x}\n"), NULL), KARP_OK);
        assert_int_equal(changes[i](reader, &error), KARP_E_INVALID);
        assert_string_equal(error.field, "spec.weight");
        assert_string_equal(error.document, "input");
        assert_int_equal(error.line, 4);
        karp_reader_free(reader);
        karp_context_unref(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where_it_is),
        cmocka_unit_test(test_a_wrong_value_is_not_replaced),
        cmocka_unit_test(test_the_first_is_reported),
        cmocka_unit_test(test_kinds_that_are_only_checked),
        cmocka_unit_test(test_old_objects_in_a_snapshot),
        cmocka_unit_test(test_of_changed_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
