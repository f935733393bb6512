/* SPDX-License-Identifier: Apache-2.0 */
/* Catalogue documents: kwok's shape, the full shape and its shorthands, errors, warnings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <support/fault.h>
#include <support/plain.h>

static char logged[1024];
static unsigned log_count;

static void log_line(uint32_t level, karp_str message, void *user)
{
    (void)user;
    assert_int_equal(level, KARP_LOG_WARNING);
    snprintf(logged, sizeof logged, "%.*s", (int)message.len, message.ptr);
    log_count++;
}

static int set_up_small(void **state)
{
    (void)state;
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.log = log_line;
    options.max_instance_types = 4;
    return karp_context_new(&options, &context, NULL);
}

static karp_catalogue *read_named(const char *name, const char *text)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_catalogue *catalogue = NULL;
    log_count = 0;
    logged[0] = '\0';
    karp_status status = karp_catalogue_read(context, text_of(name), text_of(text), &catalogue, &error);
    if (status != KARP_OK)
        fail_msg("%s: %s %s: %s", karp_status_name(status), error.object, error.field, error.message);
    assert_non_null(catalogue);
    return catalogue;
}

static karp_catalogue *read(const char *text) { return read_named("types.json", text); }

/* The requirement on `key` as "In a,b", or "" when there is none. */
static const char *requirement(const karp_requirement *list, size_t count, const char *key)
{
    static char shown[512];
    static const char *const names[] = { "?", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte" };
    for (size_t i = 0; i < count; i++) {
        if (list[i].key.len != strlen(key) || memcmp(list[i].key.ptr, key, list[i].key.len) != 0) continue;
        int n = snprintf(shown, sizeof shown, "%s", names[list[i].op]);
        for (size_t k = 0; k < list[i].value_count; k++) {
            n += snprintf(shown + n, sizeof shown - (size_t)n, "%s%.*s", k ? "," : " ", (int)list[i].values[k].len,
                          list[i].values[k].ptr);
        }
        return shown;
    }
    return "";
}

static const char *label(const karp_instance_type *type, const char *key)
{
    return requirement(type->requirements, type->requirement_count, key);
}

static const char *offering_label(const karp_instance_type *type, size_t index, const char *key)
{
    assert_true(index < type->offering_count);
    return requirement(type->offerings[index].requirements, type->offerings[index].requirement_count, key);
}

static const char *amount(const karp_resource *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].name.len == strlen(name) && memcmp(list[i].name.ptr, name, list[i].name.len) == 0) {
            return list[i].text.ptr;
        }
    }
    return "";
}

static const char kwok_text[] =
    "[{\"name\":\"m5.2xlarge\",\"architecture\":\"amd64\",\"operatingSystems\":[\"linux\",\"windows\"],"
    "\"resources\":{\"cpu\":\"8000m\",\"memory\":\"32Gi\",\"ephemeral-storage\":\"20Gi\"},"
    "\"offerings\":[{\"Price\":0.384,\"Available\":false,\"Requirements\":["
    "{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[\"on-demand\"]},"
    "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"z-b\"]}]},"
    "{\"price\":\"0.1234\",\"ReservationCapacity\":3,\"requirements\":["
    "{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[\"spot\"]},"
    "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"z-a\"]}]},"
    "{\"Requirements\":["
    "{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[\"spot\"]},"
    "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"z-b\"]}]}]},"
    "{\"name\":\"n2-standard-4\",\"architecture\":\"arm64\",\"operatingSystems\":[\"linux\"],"
    "\"resources\":{\"cpu\":4,\"memory\":\"16Gi\",\"pods\":\"29\"},\"offerings\":[]}]";

static void kwok_shape(void **state)
{
    (void)state;
    karp_catalogue *catalogue = read(kwok_text);
    assert_int_equal(karp_catalogue_count(catalogue), 2);
    const karp_instance_type *m5 = karp_catalogue_type(catalogue, 0);
    assert_string_equal(m5->name.ptr, "m5.2xlarge");
    assert_int_equal(m5->requirement_count, 9);
    assert_string_equal(label(m5, "node.kubernetes.io/instance-type"), "In m5.2xlarge");
    assert_string_equal(label(m5, "kubernetes.io/arch"), "In amd64");
    assert_string_equal(label(m5, "kubernetes.io/os"), "In linux,windows");
    assert_string_equal(label(m5, "topology.kubernetes.io/zone"), "In z-a,z-b");
    assert_string_equal(label(m5, "karpenter.sh/capacity-type"), "In on-demand,spot");
    assert_string_equal(label(m5, "karpenter.kwok.sh/instance-size"), "In 2xlarge");
    assert_string_equal(label(m5, "karpenter.kwok.sh/instance-family"), "In m5");
    assert_string_equal(label(m5, "karpenter.kwok.sh/instance-cpu"), "In 8");
    assert_string_equal(label(m5, "karpenter.kwok.sh/instance-memory"), "In 32Gi");
    assert_string_equal(amount(m5->capacity, m5->capacity_count, "pods"), "110");
    assert_string_equal(amount(m5->capacity, m5->capacity_count, "cpu"), "8");
    assert_string_equal(amount(m5->overhead.kube_reserved, m5->overhead.kube_reserved_count, "cpu"), "100m");
    assert_string_equal(amount(m5->overhead.kube_reserved, m5->overhead.kube_reserved_count, "memory"), "10Mi");
    assert_int_equal(m5->overhead.kube_reserved_count, 2);
    assert_int_equal(m5->overhead.system_reserved_count + m5->overhead.eviction_threshold_count, 0);
    assert_int_equal(m5->offering_count, 3);
    assert_true(m5->offerings[0].price == 0.384);
    assert_true(m5->offerings[1].price == 0.1234);
    assert_true(m5->offerings[2].price == 0);
    assert_int_equal(m5->offerings[0].available, 1); /* kwok does not read it */
    assert_int_equal(m5->offerings[1].reservation_capacity, 3);
    assert_string_equal(offering_label(m5, 1, "topology.kubernetes.io/zone"), "In z-a");

    const karp_instance_type *n2 = karp_catalogue_type(catalogue, 1);
    assert_string_equal(label(n2, "karpenter.kwok.sh/instance-size"), "In 4");
    assert_string_equal(label(n2, "karpenter.kwok.sh/instance-family"), "In n2");
    assert_string_equal(amount(n2->capacity, n2->capacity_count, "pods"), "29");
    assert_string_equal(label(n2, "topology.kubernetes.io/zone"), "In");
    assert_int_equal(log_count, 1);
    assert_non_null(strstr(logged, "types.json: instance type m5.2xlarge"));
    karp_catalogue_unref(catalogue);
}

/* The size is a part of the name only where it looks like one of AWS's. */
static void kwok_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *size, *family;
    } cases[] = {
        { "m5.large", "large", "m5" },
        { "m5.xlarge", "xlarge", "m5" },
        { "m5.metal", "metal", "m5" },
        { "m5.metal-48xl", "2", "m5" },
        { "m7i-flex.large", "2", "m7i" },
        { "u_1.12xlarge", "12xlarge", "u_1" },
        { "large", "2", "l" },
        { ".large", "2", "" },
        { "Standard_D2_v5", "2", "S" },
        { "a.b.large", "2", "a" },
        { "t3.nano", "nano", "t3" },
        { "m5.x2xlarge", "2", "m5" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512], want[64];
        snprintf(text, sizeof text,
                 "[{\"name\":\"%s\",\"architecture\":\"amd64\",\"operatingSystems\":[\"linux\"],"
                 "\"resources\":{\"cpu\":\"2\",\"memory\":\"1Gi\"},\"offerings\":[]}]",
                 cases[i].name);
        karp_catalogue *catalogue = read(text);
        const karp_instance_type *type = karp_catalogue_type(catalogue, 0);
        snprintf(want, sizeof want, "In %s", cases[i].size);
        assert_string_equal(label(type, "karpenter.kwok.sh/instance-size"), want);
        snprintf(want, sizeof want, "In %s", cases[i].family);
        assert_string_equal(label(type, "karpenter.kwok.sh/instance-family"), want);
        karp_catalogue_unref(catalogue);
    }
}

static const char full_text[] =
    "[{\"name\":\"big\","
    "\"requirements\":[{\"key\":\"node.kubernetes.io/instance-type\",\"operator\":\"In\",\"values\":[\"big\"]},"
    "{\"key\":\"special\",\"operator\":\"DoesNotExist\"}],"
    "\"capacity\":{\"cpu\":4,\"memory\":\"4Gi\"},"
    "\"overhead\":{\"kubeReserved\":{\"cpu\":\"100m\"},\"SystemReserved\":{\"memory\":\"1Gi\"},"
    "\"evictionThreshold\":{\"memory\":\"100Mi\"}},"
    "\"offerings\":[{\"requirements\":["
    "{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[\"reserved\"]},"
    "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"z1\"]}],"
    "\"price\":\"1e-3\",\"available\":false,\"reservationCapacity\":7,"
    "\"capacityOverride\":{\"cpu\":\"6\"},\"overheadOverride\":{\"SystemReserved\":{\"memory\":\"2Gi\"}}},"
    "{\"requirements\":["
    "{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[\"spot\"]},"
    "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"z1\"]}],"
    "\"price\":2,\"capacityOverride\":{}}],"
    "\"volumeAttachmentLimits\":{\"ebs.csi.aws.com\":25}}]";

static void full_shape(void **state)
{
    (void)state;
    karp_catalogue *catalogue = read(full_text);
    const karp_instance_type *big = karp_catalogue_type(catalogue, 0);
    assert_int_equal(big->requirement_count, 2); /* nothing is derived */
    assert_string_equal(label(big, "special"), "DoesNotExist");
    assert_string_equal(amount(big->capacity, big->capacity_count, "cpu"), "4");
    assert_string_equal(amount(big->overhead.kube_reserved, big->overhead.kube_reserved_count, "cpu"), "100m");
    assert_string_equal(amount(big->overhead.system_reserved, big->overhead.system_reserved_count, "memory"), "1Gi");
    assert_string_equal(amount(big->overhead.eviction_threshold, big->overhead.eviction_threshold_count, "memory"),
                        "100Mi");
    assert_int_equal(big->offering_count, 2);
    const karp_offering *o = big->offerings;
    assert_true(o[0].price == 1e-3);
    assert_true(o[1].price == 2);
    assert_int_equal(o[0].available, 0);
    assert_int_equal(o[1].available, 1);
    assert_int_equal(o[0].reservation_capacity, 7);
    assert_int_equal(o[0].requirement_count, 2);
    assert_int_equal(o[1].requirement_count, 2);
    assert_int_equal(o[0].has_capacity_override, 1);
    assert_string_equal(amount(o[0].capacity_override, o[0].capacity_override_count, "cpu"), "6");
    assert_non_null(o[0].overhead_override);
    assert_string_equal(
        amount(o[0].overhead_override->system_reserved, o[0].overhead_override->system_reserved_count, "memory"),
        "2Gi");
    assert_int_equal(o[1].has_capacity_override, 1);
    assert_int_equal(o[1].capacity_override_count, 0);
    assert_null(o[1].overhead_override);
    assert_int_equal(big->volume_limit_count, 1);
    assert_string_equal(big->volume_limits[0].driver.ptr, "ebs.csi.aws.com");
    assert_int_equal(big->volume_limits[0].count, 25);
    karp_catalogue_unref(catalogue);
}

static void shorthands(void **state)
{
    (void)state;
    karp_catalogue *catalogue = read(
        "[{\"name\":\"a\",\"labels\":{\"kubernetes.io/arch\":[\"amd64\"],\"gpu\":[\"t4\",\"l4\"]},"
        "\"capacity\":{\"cpu\":\"1\"},"
        "\"offerings\":[{\"zone\":\"z2\",\"capacityType\":\"spot\",\"price\":1},"
        "{\"zone\":\"z1\",\"capacityType\":\"on-demand\",\"price\":2,\"labels\":{\"rack\":[\"r1\"]}}]},"
        "{\"name\":\"b\",\"labels\":{\"kubernetes.io/arch\":\"arm64\",\"topology.kubernetes.io/zone\":[\"z1\",\"z9\"]},"
        "\"capacity\":{\"cpu\":\"1\"},\"offerings\":[{\"zone\":\"z1\",\"capacityType\":\"reserved\",\"price\":0,"
        "\"reservationID\":\"cr-2\",\"reservationCapacity\":4},"
        "{\"zone\":\"z1\",\"capacityType\":\"reserved\",\"price\":0,\"reservationID\":\"cr-1\"},"
        "{\"zone\":\"z1\",\"capacityType\":\"spot\",\"price\":1}]}]");
    const karp_instance_type *a = karp_catalogue_type(catalogue, 0), *b = karp_catalogue_type(catalogue, 1);
    const char *reservation = "karpenter.k8s.aws/capacity-reservation-id";
    assert_string_equal(label(a, "kubernetes.io/arch"), "In amd64");
    assert_string_equal(label(a, "gpu"), "In t4,l4");
    assert_string_equal(label(a, "node.kubernetes.io/instance-type"), "In a");
    assert_string_equal(label(a, "topology.kubernetes.io/zone"), "In z1,z2");
    assert_string_equal(label(a, "karpenter.sh/capacity-type"), "In on-demand,spot");
    assert_string_equal(label(a, reservation), "In");
    assert_string_equal(offering_label(a, 0, "topology.kubernetes.io/zone"), "In z2");
    assert_string_equal(offering_label(a, 0, "karpenter.sh/capacity-type"), "In spot");
    assert_string_equal(offering_label(a, 0, reservation), "DoesNotExist");
    assert_string_equal(offering_label(a, 1, "rack"), "In r1");
    assert_string_equal(label(b, "kubernetes.io/arch"), "In arm64");
    assert_string_equal(label(b, "gpu"), "DoesNotExist");
    assert_string_equal(label(b, "topology.kubernetes.io/zone"), "In z1,z9"); /* as stated */
    assert_string_equal(label(b, reservation), "In cr-1,cr-2");
    assert_string_equal(label(b, "rack"), ""); /* a label of an offering is none of the type */
    assert_string_equal(offering_label(b, 0, reservation), "In cr-2");
    assert_string_equal(offering_label(b, 2, reservation), "DoesNotExist");
    assert_int_equal(b->offerings[0].reservation_capacity, 4);
    karp_catalogue_unref(catalogue);
}

/* Both shapes in one list; a list without reservations says nothing of them. */
static void mixed(void **state)
{
    (void)state;
    karp_catalogue *catalogue = read(
        " [ {\"name\":\"k\",\"architecture\":\"amd64\",\"operatingSystems\":[\"linux\"],\"resources\":{\"cpu\":\"1\"},"
        "\"offerings\":null},\n"
        "{\"name\":\"f\",\"labels\":{},\"capacity\":{\"cpu\":\"1\"},"
        "\"offerings\":[{\"zone\":\"z\",\"capacityType\":\"spot\",\"price\":1}]} ]\n");
    assert_string_equal(label(karp_catalogue_type(catalogue, 0), "karpenter.kwok.sh/instance-cpu"), "In 1");
    assert_string_equal(label(karp_catalogue_type(catalogue, 0), "karpenter.kwok.sh/instance-memory"), "In ");
    const karp_instance_type *f = karp_catalogue_type(catalogue, 1);
    assert_int_equal(f->requirement_count, 3);
    assert_int_equal(f->offerings[0].requirement_count, 2);
    karp_catalogue_unref(catalogue);
    karp_catalogue_unref(read("[]"));
    karp_catalogue_unref(read("\xEF\xBB\xBF []"));
}

static void allocatable(void **state)
{
    (void)state;
    karp_catalogue_unref(
        read("[{\"name\":\"a\",\"capacity\":{\"cpu\":\"2\",\"gpu\":\"0\"},"
             "\"overhead\":{\"kubeReserved\":{\"cpu\":\"70m\"}},\"allocatable\":{\"cpu\":\"1930m\"}}]"));
    assert_int_equal(log_count, 0);
    karp_catalogue_unref(read("[{\"name\":\"a\",\"capacity\":{\"cpu\":\"2\"},\"allocatable\":{\"cpu\":\"1930m\"}},"
                              "{\"name\":\"b\",\"capacity\":{\"cpu\":\"2\"},\"allocatable\":{}}]"));
    assert_int_equal(log_count, 1);
    assert_non_null(strstr(logged, "instance type a and 1 more"));
    assert_non_null(strstr(logged, "first: cpu"));
}

static const char yaml_text[] =
    "# types\n"
    "- name: a\n"
    "  labels: &labels\n"
    "    kubernetes.io/arch: [amd64]\n"
    "    gpu: [t4, \"1\"]\n"
    "  capacity: {cpu: 4, memory: 16Gi}\n"
    "  overhead:\n"
    "    kubeReserved: {cpu: 100m}\n"
    "  offerings:\n"
    "  - {zone: z1, capacityType: spot, price: 0.25, available: no}\n"
    "  - {zone: z1, capacityType: on-demand, price: \"1.5\"}\n"
    "- name: b\n"
    "  labels: *labels\n"
    "  capacity: {cpu: 500m}\n"
    "---\n"
    "- {name: k, architecture: arm64, operatingSystems: [linux], resources: {cpu: 2, memory: 1Gi}, offerings: []}\n";

static void assert_yaml(karp_catalogue *catalogue)
{
    assert_int_equal(karp_catalogue_count(catalogue), 3);
    const karp_instance_type *a = karp_catalogue_type(catalogue, 0), *b = karp_catalogue_type(catalogue, 1);
    assert_string_equal(label(a, "gpu"), "In t4,1");
    assert_string_equal(label(b, "kubernetes.io/arch"), "In amd64");
    assert_string_equal(amount(a->capacity, a->capacity_count, "cpu"), "4");
    assert_string_equal(amount(b->capacity, b->capacity_count, "cpu"), "500m");
    assert_true(a->offerings[0].price == 0.25);
    assert_int_equal(a->offerings[0].available, 0);
    assert_true(a->offerings[1].price == 1.5);
    assert_string_equal(label(karp_catalogue_type(catalogue, 2), "karpenter.kwok.sh/instance-cpu"), "In 2");
    karp_catalogue_unref(catalogue);
}

static void yaml(void **state)
{
    (void)state;
    assert_yaml(read_named("types.yaml", yaml_text));
    assert_yaml(read_named("-", yaml_text));
    karp_catalogue_unref(read_named("x.yml", kwok_text)); /* JSON under another name */
    karp_catalogue_unref(read_named("x.yaml", ""));
    karp_catalogue *catalogue = read_named("x.yml", "[{name: a, capacity: {cpu: 1}}]");
    assert_int_equal(karp_catalogue_count(catalogue), 1);
    karp_catalogue_unref(catalogue);
}

typedef struct bad_case {
    const char *text;
    karp_status status;
    uint32_t line;
    const char *object, *field, *message;
} bad_case;

static void errors(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        { "", KARP_E_SYNTAX, 1, "", "", "not JSON" },
        { "{}", KARP_E_SYNTAX, 1, "", "", "a list" },
        { "[\n{\"name\":\"a\",}]", KARP_E_SYNTAX, 2, "", "", "not JSON" },
        { "[] []", KARP_E_SYNTAX, 1, "", "", "follows" },
        { "[", KARP_E_SYNTAX, 1, "", "", "not JSON" },
        { "[1]", KARP_E_INVALID, 1, "InstanceType #1", "", "must be an object" },
        { "[\n\n{\"name\":\"a\"}]", KARP_E_INVALID, 3, "InstanceType a", "", "\"capacity\"" },
        { "[{\"capacity\":{}}]", KARP_E_INVALID, 1, "InstanceType #1", "name", "is missing" },
        { "[{\"name\":\"a\",\n\"capacity\":{\n\"cpu\":\"x\"}}]", KARP_E_INVALID, 3, "InstanceType a", "capacity.cpu",
          "quantity" },
        { "[{\"name\":\"a\",\"capacity\":{},\"offerings\":[\n{\"zone\":\"z\",\"capacityType\":\"spot\"}]}]",
          KARP_E_INVALID, 2, "InstanceType a", "offerings[0].price", "is missing" },
        { "[{\"name\":\"a\",\"capacity\":{},\"offerings\":[{\"zone\":\"z\",\"capacityType\":\"spot\",\"price\":-1}]}]",
          KARP_E_INVALID, 1, "InstanceType a", "offerings[0].price", "negative" },
        { "[{\"name\":\"a\",\"capacity\":{},\"offerings\":[{\"zone\":\"z\",\"capacityType\":\"spot\",\"price\":\"1,5\"}"
          "]}]",
          KARP_E_INVALID, 1, "InstanceType a", "offerings[0].price", "decimal" },
        { "[{\"name\":\"a\",\"capacity\":{},\"offerings\":[{\"zone\":\"z\",\"price\":1}]}]", KARP_E_INVALID, 1,
          "InstanceType a", "offerings[0].capacityType", "is missing" },
        { "[{\"name\":\"a\",\"capacity\":{},\"offerings\":[{\"capacityType\":\"spot\",\"price\":1}]}]", KARP_E_INVALID,
          1, "InstanceType a", "offerings[0].zone", "is missing" },
        { "[{\"name\":\"a\",\"capacity\":{},\"requirements\":[{\"key\":\"k\",\"operator\":\"Is\"}]}]", KARP_E_INVALID,
          1, "InstanceType a", "requirements[0].operator", "In, NotIn" },
        { "[{\"name\":\"a\",\"capacity\":{},\"labels\":{\"k\":[1]}}]", KARP_E_INVALID, 1, "InstanceType a",
          "labels.k[0]", "must be text" },
        { "[{\"name\":\"a\",\"resources\":{\"cpu\":\"1\"},\"offerings\":[{\"zone\":\"z\",\"price\":1}]}]",
          KARP_E_INVALID, 1, "InstanceType a", "offerings[0].zone", "older schema" },
        { "[{\"name\":\"a\",\"capacity\":{}},{\"name\":\"b\",\"capacity\":{}},{\"name\":\"c\",\"capacity\":{}},"
          "{\"name\":\"d\",\"capacity\":{}},\n{\"name\":\"e\",\"capacity\":{}}]",
          KARP_E_LIMIT, 2, "InstanceType e", "", "more than 4" },
        { "[{\"name\":\"a\",\"capacity\":{\"cpu\":\"1e60\"}}]", KARP_E_RANGE, 1, "InstanceType a", "capacity.cpu", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karp_error error;
        karp_error_init(&error, sizeof error);
        karp_catalogue *catalogue = NULL;
        karp_status status = karp_catalogue_read(context, text_of("t.json"), text_of(cases[i].text), &catalogue,
                                                 &error);
        if (status != cases[i].status || error.status != status || error.line != cases[i].line ||
            strcmp(error.document, "t.json") != 0 || strcmp(error.object, cases[i].object) != 0 ||
            strcmp(error.field, cases[i].field) != 0 || !strstr(error.message, cases[i].message)) {
            fail_msg("case %zu: %s, %s:%u:%u %s %s: %s", i, karp_status_name(status), error.document, error.line,
                     error.column, error.object, error.field, error.message);
        }
        assert_null(catalogue);
        assert_int_equal(karp_catalogue_read(context, text_of("t.json"), text_of(cases[i].text), &catalogue, NULL),
                         status);
    }
}

static void yaml_errors(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        { "name: a\n", KARP_E_SYNTAX, 1, "", "", "a list" },
        { "- name: [\n", KARP_E_SYNTAX, 2, "", "", "not YAML" },
        { "- name: a\n  capacity:\n    cpu: lots\n", KARP_E_INVALID, 3, "InstanceType a", "capacity.cpu", "quantity" },
        { "- name: a\n  capacity: {}\n  labels:\n    k: [1]\n", KARP_E_INVALID, 4, "InstanceType a", "labels.k[0]",
          "must be text" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karp_error error;
        karp_error_init(&error, sizeof error);
        karp_catalogue *catalogue = NULL;
        karp_status status = karp_catalogue_read(context, text_of("t.yaml"), text_of(cases[i].text), &catalogue,
                                                 &error);
        if (status != cases[i].status || error.status != status || error.line != cases[i].line ||
            strcmp(error.document, "t.yaml") != 0 || strcmp(error.object, cases[i].object) != 0 ||
            strcmp(error.field, cases[i].field) != 0 || !strstr(error.message, cases[i].message)) {
            fail_msg("case %zu: %s, %s:%u:%u %s %s: %s", i, karp_status_name(status), error.document, error.line,
                     error.column, error.object, error.field, error.message);
        }
        assert_int_equal(karp_catalogue_read(context, text_of("t.yaml"), text_of(cases[i].text), &catalogue, NULL),
                         status);
    }
}

/* Every request for memory of ours is refused once, and from there on. (jansson's and libyaml's are not ours.) */
static void refused_memory(void **state)
{
    (void)state;
    static const char *const texts[] = { kwok_text, full_text, yaml_text };
    fault f;
    memset(&f, 0, sizeof f);
    karp_context *own = fault_context(&f);
    assert_non_null(own);
    for (size_t i = 0; i < 6; i++) {
        karp_status status = KARP_E_NOMEM;
        for (size_t at = 1; status != KARP_OK; at++) {
            karp_catalogue *catalogue = NULL;
            karp_error error;
            karp_error_init(&error, sizeof error);
            fault_arm(&f, at, i % 2 == 1);
            size_t live = f.live_blocks;
            status = karp_catalogue_read(own, text_of("t"), text_of(texts[i / 2]), &catalogue, &error);
            fault_arm(&f, 0, false);
            if (status != KARP_OK) {
                assert_int_equal(status, KARP_E_NOMEM);
                assert_null(catalogue);
            }
            karp_catalogue_unref(catalogue);
            assert_int_equal(f.live_blocks, live);
        }
    }
    karp_context_unref(own);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

static void nesting(void **state)
{
    (void)state;
    char deep[512] = "[{\"name\":\"a\",\"capacity\":{},\"x\":";
    size_t n = strlen(deep);
    memset(deep + n, '[', 120);
    deep[n + 120] = '\0';
    karp_catalogue *catalogue = NULL;
    assert_int_equal(karp_catalogue_read(context, text_of("t"), text_of(deep), &catalogue, NULL), KARP_E_LIMIT);
}

static void files(void **state)
{
    (void)state;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_catalogue *catalogue = NULL;
    assert_int_equal(karp_catalogue_read_file(context, "no/such/file.json", &catalogue, &error), KARP_E_IO);
    assert_string_equal(error.document, "no/such/file.json");
    assert_int_equal(karp_catalogue_read_file(context, ".", &catalogue, &error), KARP_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kwok_shape), cmocka_unit_test(kwok_names),  cmocka_unit_test(full_shape),
        cmocka_unit_test(shorthands), cmocka_unit_test(mixed),       cmocka_unit_test(allocatable),
        cmocka_unit_test(errors),     cmocka_unit_test(nesting),     cmocka_unit_test(files),
        cmocka_unit_test(yaml),       cmocka_unit_test(yaml_errors), cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests(tests, set_up_small, tear_down);
}
