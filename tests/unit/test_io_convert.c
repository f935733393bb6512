/* SPDX-License-Identifier: Apache-2.0 */
/* Provisioner and AWSNodeTemplate as NodePool and EC2NodeClass. */
#include "io_reading.h"

#include <stdio.h>

#define PROVISIONER "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: foo}\nspec:\n"
#define TEMPLATE "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: tpl}\nspec:\n"

static const json_t *requirement(const json_t *pool, const char *key)
{
    size_t i;
    json_t *one;
    json_array_foreach(at(pool, "spec/template/spec/requirements"), i, one)
    {
        if (strcmp(text_at(one, "key"), key) == 0) return one;
    }
    return NULL;
}

static void test_all_fields(void **state)
{
    (void)state;
    reading r = read_text(PROVISIONER "  providerRef: {name: tpl}\n  labels: {team: x}\n  annotations: {owner: y1}\n  "
                                      "taints: [{key: a, effect: NoSchedule}]\n"
                                      "  startupTaints: [{key: b, effect: NoSchedule}]\n  weight: 10\n  limits: "
                                      "{resources: {cpu: '1000', memory: 1000Gi}}\n"
                                      "  requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}, "
                                      "{key: karpenter.k8s.aws/instance-family, operator: In, values: [m5]}]\n"
                                      "  consolidation: {enabled: true}\n  ttlSecondsUntilExpired: 2592000\n");
    assert_read(&r);
    const json_t *p = object_of(&r, "NodePool", NULL, "foo");
    assert_string_equal(text_at(p, "apiVersion"), "karpenter.sh/v1");
    assert_string_equal(text_at(p, "spec/template/metadata/labels/team"), "x");
    assert_string_equal(text_at(p, "spec/template/metadata/annotations/owner"), "y1");
    assert_string_equal(text_at(p, "spec/template/spec/taints/0/key"), "a");
    assert_string_equal(text_at(p, "spec/template/spec/startupTaints/0/key"), "b");
    assert_string_equal(text_at(p, "spec/template/spec/expireAfter"), "2592000s");
    assert_string_equal(text_at(p, "spec/template/spec/nodeClassRef/name"), "tpl");
    assert_string_equal(text_at(p, "spec/template/spec/nodeClassRef/kind"), "EC2NodeClass");
    assert_string_equal(text_at(p, "spec/template/spec/nodeClassRef/group"), "karpenter.k8s.aws");
    assert_string_equal(text_at(p, "spec/limits/memory"), "1000Gi");
    assert_int_equal(number_at(p, "spec/weight"), 10);
    assert_string_equal(text_at(p, "spec/disruption/consolidationPolicy"), "WhenEmptyOrUnderutilized");
    assert_string_equal(text_at(p, "spec/disruption/consolidateAfter"), "0s");
    assert_string_equal(text_at(p, "spec/disruption/budgets/0/nodes"), "100%");
    /* The webhook's requirements, where nothing else was said. */
    assert_string_equal(text_at(requirement(p, "kubernetes.io/arch"), "values/0"), "arm64");
    assert_string_equal(text_at(requirement(p, "kubernetes.io/os"), "values/0"), "linux");
    assert_string_equal(text_at(requirement(p, "karpenter.sh/capacity-type"), "values/0"), "on-demand");
    assert_null(requirement(p, "karpenter.k8s.aws/instance-category"));
    assert_int_equal(r.warning_count, 1); /* that it is read as a NodePool */
    reading_free(&r);
}

static void test_absent_fields(void **state)
{
    (void)state;
    reading r = read_text(PROVISIONER "  provider: {subnetSelector: {a: b}}\n");
    assert_read(&r);
    const json_t *p = object_of(&r, "NodePool", NULL, "foo");
    assert_string_equal(text_at(p, "spec/template/spec/expireAfter"), "Never");
    assert_string_equal(text_at(p, "spec/disruption/consolidateAfter"), "Never");
    assert_string_equal(text_at(requirement(p, "karpenter.k8s.aws/instance-category"), "values/2"), "r");
    assert_string_equal(text_at(requirement(p, "karpenter.k8s.aws/instance-generation"), "operator"), "Gt");
    assert_string_equal(text_at(p, "spec/template/spec/nodeClassRef/name"), "foo");
    const json_t *c = object_of(&r, "EC2NodeClass", NULL, "foo");
    assert_string_equal(text_at(c, "spec/subnetSelectorTerms/0/tags/a"), "b");
    assert_non_null(strstr(r.warnings, "Provisioner foo: spec.provider.subnetSelector has no effect"));
    reading_free(&r);

    r = read_text(PROVISIONER "  ttlSecondsAfterEmpty: 30\n");
    assert_read(&r);
    p = object_of(&r, "NodePool", NULL, "foo");
    assert_string_equal(text_at(p, "spec/disruption/consolidationPolicy"), "WhenEmpty");
    assert_string_equal(text_at(p, "spec/disruption/consolidateAfter"), "30s");
    assert_string_equal(text_at(p, "spec/template/spec/nodeClassRef/name"), "default");
    reading_free(&r);
}

static void test_kubelet_moves_to_a_class(void **state)
{
    (void)state;
    static const char provisioner[] = PROVISIONER
        "  providerRef: {name: tpl}\n  kubeletConfiguration: {maxPods: 20, podsPerCore: 2, containerRuntime: dockerd, "
        "clusterDNS: [10.0.1.100],"
        " systemReserved: {cpu: 100m}, kubeReserved: {cpu: 200m}, evictionHard: {memory.available: 5%}, cpuCFSQuota: "
        "true, nonsense: 1}\n";
    static const char template_[] = TEMPLATE
        "  amiFamily: Bottlerocket\n  blockDeviceMappings: [{deviceName: /dev/xvda}]\n";
    for (int order = 0; order < 2; order++) {
        reading r = read_texts(NULL, "a", order ? template_ : provisioner, "b", order ? provisioner : template_, NULL);
        assert_read(&r);
        const json_t *c = object_of(&r, "EC2NodeClass", NULL, "tpl-foo");
        assert_string_equal(text_at(object_of(&r, "NodePool", NULL, "foo"), "spec/template/spec/nodeClassRef/name"),
                            "tpl-foo");
        assert_int_equal(number_at(c, "spec/kubelet/maxPods"), 20);
        assert_string_equal(text_at(c, "spec/kubelet/kubeReserved/cpu"), "200m");
        assert_null(at(c, "spec/kubelet/containerRuntime"));
        assert_string_equal(text_at(c, "spec/amiFamily"), "Bottlerocket");
        assert_string_equal(text_at(c, "spec/blockDeviceMappings/0/deviceName"), "/dev/xvda");
        assert_null(at(c, "metadata/annotations"));
        assert_null(at(object_of(&r, "EC2NodeClass", NULL, "tpl"), "spec/kubelet"));
        static const char *const idle[] = { "clusterDNS", "cpuCFSQuota", "containerRuntime", "nonsense" };
        for (size_t i = 0; i < 4; i++) {
            char warning[128];
            snprintf(warning, sizeof warning, "Provisioner foo: spec.kubeletConfiguration.%s has no effect", idle[i]);
            assert_non_null(strstr(r.warnings, warning));
        }
        assert_int_equal(r.warning_count, 6);
        reading_free(&r);
    }
}

static void test_templates(void **state)
{
    (void)state;
    reading r = read_text(
        TEMPLATE
        "  subnetSelector: {Name: 'a, b', zone: ''}\n  securityGroupSelector: {aws-ids: 'sg-1,sg-2', Name: x}\n"
        "  amiSelector: {'aws::name': 'n1,n2', 'aws::owners': self}\n  tags: {t: u}\n  metadataOptions: {httpEndpoint: "
        "enabled}\n"
        "  associatePublicIpAddress: true\n  userData: hello\n");
    assert_read(&r);
    const json_t *c = object_of(&r, "EC2NodeClass", NULL, "tpl");
    assert_string_equal(text_at(c, "apiVersion"), "karpenter.k8s.aws/v1");
    assert_int_equal(json_array_size(at(c, "spec/subnetSelectorTerms")), 2);
    assert_string_equal(text_at(c, "spec/subnetSelectorTerms/0/tags/Name"), "a");
    assert_string_equal(text_at(c, "spec/subnetSelectorTerms/1/tags/Name"), "b");
    assert_string_equal(text_at(c, "spec/subnetSelectorTerms/1/tags/zone"), "*");
    assert_string_equal(text_at(c, "spec/securityGroupSelectorTerms/1/id"), "sg-2");
    assert_null(at(c, "spec/securityGroupSelectorTerms/0/tags"));
    assert_string_equal(text_at(c, "spec/amiSelectorTerms/1/name"), "n2");
    assert_string_equal(text_at(c, "spec/amiSelectorTerms/1/owner"), "self");
    assert_string_equal(text_at(c, "spec/tags/t"), "u");
    assert_string_equal(text_at(c, "spec/metadataOptions/httpTokens"), "optional");
    assert_true(json_is_true(at(c, "spec/associatePublicIPAddress")));
    assert_string_equal(text_at(c, "spec/amiFamily"), "AL2");
    assert_int_equal(r.warning_count, 8);
    reading_free(&r);

    r = read_text(TEMPLATE "  amiFamily: Bottlerocket\n");
    assert_read(&r);
    c = object_of(&r, "EC2NodeClass", NULL, "tpl");
    assert_string_equal(text_at(c, "spec/amiSelectorTerms/0/alias"), "bottlerocket@latest");
    assert_int_equal(number_at(c, "spec/metadataOptions/httpPutResponseHopLimit"), 2);
    reading_free(&r);
}

static void test_errors_name_the_old_fields(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        karp_status status;
        uint32_t line;
        const char *field;
    } cases[] = {
        { PROVISIONER "  requirements:\n  - key: a\n    values: [1]\n", KARP_E_INVALID, 7,
          "spec.requirements[0].values[0]" },
        { PROVISIONER "  consolidation:\n    enabled: true\n  ttlSecondsAfterEmpty: 30\n", KARP_E_INVALID, 6,
          "spec.consolidation.enabled" },
        { PROVISIONER "  limits:\n    resources:\n      cpu: lots\n", KARP_E_INVALID, 7, "spec.limits.resources.cpu" },
        { PROVISIONER "  weight: 101\n", KARP_E_INVALID, 5, "spec.weight" },
        { PROVISIONER "  ttlSecondsAfterEmpty: -1\n", KARP_E_INVALID, 5, "spec.ttlSecondsAfterEmpty" },
        { PROVISIONER "  ttlSecondsUntilExpired: 9223372036854775807\n", KARP_E_INVALID, 5,
          "spec.ttlSecondsUntilExpired" },
        { PROVISIONER "  kubeletConfiguration:\n    kubeReserved:\n      cpu: []\n", KARP_E_INVALID, 7,
          "spec.kubeletConfiguration.kubeReserved.cpu" },
        { PROVISIONER "  providerRef: {name: a}\n  provider: {}\n", KARP_E_INVALID, 6, "spec.provider" },
        { PROVISIONER "  provider:\n    tags: {a: 1}\n", KARP_E_INVALID, 6, "spec.provider.tags.a" },
        { PROVISIONER "  providerRef: {}\n", KARP_E_INVALID, 5, "spec.providerRef.name" },
        { TEMPLATE "  amiFamily: AL2\n  launchTemplate: x\n", KARP_E_UNSUPPORTED, 6, "spec.launchTemplate" },
        { TEMPLATE "  subnetSelector:\n    a: [b]\n", KARP_E_INVALID, 6, "spec.subnetSelector.a" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reading r = read_text(cases[i].text);
        assert_refused(&r, cases[i].status, cases[i].line, cases[i].field);
        assert_string_equal(r.error.object,
                            strstr(cases[i].text, "Provisioner") ? "Provisioner foo" : "AWSNodeTemplate tpl");
        reading_free(&r);
    }
    /* Comma lists multiply. */
    char text[2048] = TEMPLATE "  subnetSelector: {";
    for (int i = 0; i < 12; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "k%d: 'a,b,c,d,e,f,g,h', ", i);
    snprintf(text + strlen(text), sizeof text - strlen(text), "z: x}\n");
    reading r = read_text(text);
    assert_refused(&r, KARP_E_LIMIT, 5, "spec.subnetSelector");
    reading_free(&r);
}

static void test_old_names_elsewhere(void **state)
{
    (void)state;
    static const char objects[] =
        "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {karpenter.sh/provisioner-name: foo}, annotations: "
        "{karpenter.sh/do-not-consolidate: 'true'}}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: a, annotations: {karpenter.sh/do-not-evict: 'true'}}, spec: "
        "{nodeSelector: {karpenter.sh/provisioner-name: foo},"
        " affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: karpenter.sh/provisioner-name, operator: Exists}]}]}}}}}";
    reading r = read_texts(NULL, "a", PROVISIONER "  weight: 1\n", "b", objects, NULL);
    assert_read(&r);
    const json_t *node = object_of(&r, "Node", NULL, "n1"), *pod = object_of(&r, "Pod", "default", "a");
    assert_string_equal(text_at(node, "metadata/labels/karpenter.sh~nodepool"), "foo");
    assert_null(at(node, "metadata/labels/karpenter.sh~provisioner-name"));
    assert_string_equal(text_at(node, "metadata/annotations/karpenter.sh~do-not-disrupt"), "true");
    assert_non_null(object_of(&r, "NodeClaim", NULL, "n1"));
    assert_string_equal(text_at(pod, "metadata/annotations/karpenter.sh~do-not-disrupt"), "true");
    assert_string_equal(text_at(pod, "spec/nodeSelector/karpenter.sh~nodepool"), "foo");
    assert_string_equal(text_at(pod, "spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
                                     "nodeSelectorTerms/0/matchExpressions/0/key"),
                        "karpenter.sh/nodepool");
    reading_free(&r);

    /* Without an object of that time the names mean nothing. */
    r = read_text(objects);
    assert_read(&r);
    assert_null(at(object_of(&r, "Node", NULL, "n1"), "metadata/labels/karpenter.sh~nodepool"));
    assert_null(at(object_of(&r, "Pod", "default", "a"), "metadata/annotations/karpenter.sh~do-not-disrupt"));
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fields),
        cmocka_unit_test(test_absent_fields),
        cmocka_unit_test(test_kubelet_moves_to_a_class),
        cmocka_unit_test(test_templates),
        cmocka_unit_test(test_errors_name_the_old_fields),
        cmocka_unit_test(test_old_names_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
