/* SPDX-License-Identifier: Apache-2.0 */
/* Pods of one workload, whose equal values are parsed once: what is read is the same as of every pod by itself. */
#include <model/snapshot.h> /* before cmocka, which has a macro of the name fail */

#include "io_reading.h"

#include <stdbool.h>
#include <stdio.h>
#include <base/str.h>
#include <stdlib.h>
#include <support/fault.h>
#include <support/random.h>

enum { PODS = 200, ROOM = 500000 };

static uint64_t numbers;

static uint64_t below(uint64_t n) { return random_below(&numbers, n); }

/* Mostly the first text, which most pods then have in common; sometimes one of the others. */
static const char *mostly(const char *const *texts)
{
    size_t count = 0;
    while (texts[count]) count++;
    return below(12) ? texts[0] : texts[below(count)];
}

#define MOSTLY(...) mostly((const char *const[]){ __VA_ARGS__, NULL })

static size_t write_pod(char *into, size_t room, int number)
{
    int set = (int)below(4);
    const char *port = MOSTLY("", ",\"protocol\":\"UDP\"", ",\"hostPort\":80", ",\"protocol\":null");
    const char *host = MOSTLY("", "\"hostNetwork\":true,", "\"hostNetwork\":false,");
    const char *beside = MOSTLY("", "\"nodeName\":\"n\",", "\"priorityClassName\":\"high\",", "\"priority\":null,",
                                "\"priorityClassName\":\"system-node-critical\",", "\"containres\":1,",
                                "\"schedulingGates\":[{\"name\":\"g\"}],");
    const char *labels = MOSTLY("", ",\"tier\":\"web\"", ",\"app\":\"other\"");
    const char *chosen = MOSTLY("", "\"nodeSelector\":{\"kubernetes.io/arch\":\"arm64\"},",
                                "\"nodeSelector\":{\"karpenter.sh/provisioner-name\":\"d\"},",
                                "\"nodeSelector\":{\"eks.amazonaws.com/instance-family\":\"m5\"},");
    const char *env = MOSTLY("[{\"name\":\"A\",\"value\":\"1\"}]", "[{\"name\":\"A\",\"value\":\"2\"}]", "[]", "null");
    const char *status = MOSTLY(
        "\"phase\":\"Pending\"", "\"phase\":null,\"conditions\":[]", "\"conditions\":null",
        "\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}]", "\"phase\":\"Succeeded\"",
        "\"phase\":\"Running\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\"}]",
        "\"phase\":\"Running\",\"conditions\":[{\"type\":\"PodResizePending\",\"status\":\"True\","
        "\"reason\":\"Infeasible\"}]");
    const char *tolerations = MOSTLY("[{\"key\":\"a\",\"operator\":\"Exists\"}]",
                                     "[{\"key\":\"a\",\"value\":\"\\u0062\"}]", "[]");
    const char *kind = MOSTLY("\"kind\":\"Pod\"", "\"kind\":\"Node\",\"kind\":\"Pod\"");
    const char *affinity = MOSTLY(
        "{}",
        "{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
        "\"topologyKey\":\"eks.amazonaws.com/instance-size\",\"labelSelector\":{\"matchLabels\":{"
        "\"app\":\"x\"}}}]}}",
        "{\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":0,"
        "\"preference\":{}}]}}");
    const char *own = MOSTLY("", "\"namespace\":\"other\",",
                             "\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"},",
                             "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",", "\"uid\":\"u\",", "\"namespace\":null,",
                             "\"creationTimestamp\":\"2026-01-01T00:00:00Z\",");
    const char *volumes = MOSTLY(
        "", "\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"c\"}}],",
        "\"volumes\":[{\"name\":\"v\",\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":{}}}}],",
        "\"resourceClaims\":[{\"name\":\"d\",\"resourceClaimTemplateName\":\"t\"}],", "\"volumes\":[],");
    const char *containers = MOSTLY(
        "", ",\"containerStatuses\":[{\"name\":\"main\",\"containerID\":\"x\"}]",
        ",\"containerStatuses\":[{\"name\":\"main\",\"resources\":{\"requests\":{\"cpu\":\"3\"}}}]",
        ",\"containerStatuses\":[{\"name\":\"main\",\"allocatedResources\":{\"cpu\":\"2\"}}]",
        ",\"resourceClaimStatuses\":[{\"name\":\"d\",\"resourceClaimName\":\"made\"}]", ",\"nominatedNodeName\":\"n\"",
        ",\"startTime\":\"2026-01-01T00:00:00Z\"");
    int length = snprintf(into, room,
                          "{\"apiVersion\":\"v1\",%s,\"metadata\":{%s\"name\":\"p%03d\",\"labels\":{\"app\":\"a%d\"%s},"
                          "\"ownerReferences\":[{"
                          "\"apiVersion\":\"apps/"
                          "v1\",\"kind\":\"ReplicaSet\",\"name\":\"a%d-5d4f9\",\"uid\":\"u%d\",\"controller\":true}]},"
                          "\"spec\":{%s%s%s%s\"affinity\":%s,\"containers\":[{\"name\":\"main\",\"env\":%s,\"ports\":[{"
                          "\"containerPort\":80%s}],"
                          "\"resources\":{\"requests\":{\"cpu\":\"%d00m\"}}}],\"tolerations\":%s},\"status\":{%s%s}}",
                          kind, own, number, set, labels, set, set, host, beside, chosen, volumes, affinity, env, port,
                          set + 1, tolerations, status, containers);
    assert_true(length > 0 && (size_t)length < room);
    return (size_t)length;
}

/* The spec of a pod that runs: its node and the name of the volume with its token are its own. */
static void write_running(char *into, size_t room, int number)
{
    const char *sources = MOSTLY("{\"sources\":[{\"path\":\"token\"}]}", "{\"sources\":[]}", "null");
    const char *kind = MOSTLY("projected", "persistentVolumeClaim", "ephemeral");
    bool plain = strcmp(kind, "projected") == 0;
    snprintf(into, room,
             "\"nodeName\":\"%s%d\",%s\"terminationGracePeriodSeconds\":%s,\"volumes\":[{\"name\":\"config\","
             "\"configMap\":{}},{"
             "\"name\":\"kube-api-access-%03d\",\"%s\":%s}],\"initContainers\":[{\"name\":\"%s\",\"ports\":[{"
             "\"containerPort\":%s,"
             "\"protocol\":\"TCP\"}],\"volumeMounts\":[{\"name\":\"kube-api-access-%03d\"}],\"resources\":{\"limits\":{"
             "\"cpu\":%s}}}],",
             MOSTLY("n", "\\u006e", ""), number % 7,
             MOSTLY("", "\"hostNetwork\":false,", "\"overhead\":{\"cpu\":\"1\"},"), MOSTLY("30", "31", "null"), number,
             kind,
             plain                            ? sources
             : strcmp(kind, "ephemeral") == 0 ? "{\"volumeClaimTemplate\":{\"spec\":{}}}"
                                              : "{\"claimName\":\"c\"}",
             MOSTLY("i", "j"), MOSTLY("80", "81"), number, MOSTLY("\"1\"", "1", "\"2\""));
}

/* Pods as the API server and kube-scheduler leave them, most of which differ from others of their set in name, uid and
 * age alone; of those that run, also in what their node and volumes are called. */
static size_t write_created_pod(char *into, size_t room, int number, bool running)
{
    int set = (int)below(4);
    char uid[40], name[24], own[1000] = "";
    if (running) write_running(own, sizeof own, number);
    snprintf(uid, sizeof uid, "\"uid\":\"%08d-1111\",", number);
    snprintf(name, sizeof name, "\"name\":\"%s%03d\",", MOSTLY("p", "\\u0070"), number);
    bool turned = below(12) == 0;
    const char *age = MOSTLY("\"creationTimestamp\":\"2026-01-01T00:00:00Z\",",
                             "\"creationTimestamp\":\"2026-01-01T00:00:01Z\",", "\"creationTimestamp\":null,", "");
    const char *space = MOSTLY("\"namespace\":\"x\",", "\"namespace\":\"y\",", "\"namespace\":null,", "");
    const char *more = MOSTLY("", "\"uid\":\"\",", "\"uid\":null,", "\"resourceVersion\":\"7\",",
                              "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",", "\"deletionTimestamp\":null,",
                              "\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"},",
                              "\"labels\":{\"app\":\"other\"},");
    const char *spec = MOSTLY("", "\"priorityClassName\":\"high\",", "\"schedulingGates\":[{\"name\":\"g\"}],",
                              "\"nodeName\":\"n\",", "\"nodeSelector\":{\"kubernetes.io/arch\":\"arm64\"},",
                              "\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"c\"}}],",
                              "\"volumes\":[{\"name\":\"v\",\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":{}}}}],",
                              "\"tolerations\":[{\"key\":\"a\",\"operator\":\"Exists\"}],");
    const char *status = MOSTLY(
        "\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":"
        "\"Unschedulable\"}]",
        "\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\"}]",
        "\"phase\":\"Pending\"", "\"phase\":\"Succeeded\"", "\"nominatedNodeName\":\"n\"",
        "\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}]",
        "\"phase\":\"Pending\",\"containerStatuses\":[{\"name\":\"main\",\"resources\":{\"requests\":{\"cpu\":\"3\"}}}"
        "]");
    int length = snprintf(
        into, room,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{%s%s%s%s\"labels\":{\"app\":\"a%d\"},%s"
        "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"a%d-5d4f9\","
        "\"uid\":\"u%d\",\"controller\":true}]},\"spec\":{%s%s\"containers\":[{\"name\":\"main\",\"resources\":"
        "{\"requests\":{\"cpu\":\"%d00m\"}}}]},\"status\":{%s}}",
        turned ? uid : name, turned ? name : uid, age, space, set, more, set, set, own, spec, set + 1, status);
    assert_true(length > 0 && (size_t)length < room);
    return (size_t)length;
}

/* What pods are filled in from, or what is computed of them, behind all pods. */
static const char later[] =
    "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":\"b\",\"namespace\":\"x\"},"
    "\"spec\":{\"maxUnavailable\":1,\"selector\":{\"matchLabels\":{\"app\":\"a1\"}}}},\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"y\",\"labels\":{\"a\":\"b\"}}},\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"LimitRange\",\"metadata\":{\"name\":\"l\",\"namespace\":\"x\"},\"spec\":{"
    "\"limits\":["
    "{\"type\":\"Container\",\"defaultRequest\":{\"cpu\":\"2\",\"memory\":\"1Gi\"}}]}},\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"ResourceQuota\",\"metadata\":{\"name\":\"q\",\"namespace\":\"x\"},\"spec\":{"
    "\"hard\":"
    "{\"pods\":\"9\"}}},\n"
    "{\"apiVersion\":\"scheduling.k8s.io/"
    "v1\",\"kind\":\"PriorityClass\",\"metadata\":{\"name\":\"all\"},\"value\":3%s}";

static const char class[] =
    "{\"apiVersion\":\"scheduling.k8s.io/v1\",\"kind\":\"PriorityClass\",\"metadata\":{\"name\":\"high\"},"
    "\"value\":7}";
/* With it old labels are renamed. */
static const char provisioner[] =
    "{\"apiVersion\":\"karpenter.sh/v1alpha5\",\"kind\":\"Provisioner\",\"metadata\":{\"name\":\"d\"},"
    "\"spec\":{}}";

/* The same pods as a List, and as documents of their own, which share nothing. Every pod has the same line in both. */
static void write_pods(bool old, char *list, char *documents)
{
    size_t used = (size_t)snprintf(list, ROOM, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[%s,\n",
                                   old ? provisioner : class);
    size_t own = (size_t)snprintf(documents, ROOM, "%s\n", old ? provisioner : class);
    for (int i = 0; i < PODS; i++) {
        char text[3000];
        size_t length = write_pod(text, sizeof text, i);
        assert_true(used + length + 10 < ROOM);
        used += (size_t)snprintf(list + used, ROOM - used, "%s%s\n", text, i + 1 < PODS ? "," : "]}");
        own += (size_t)snprintf(documents + own, ROOM - own, "%s\n", text);
    }
}

/* The same of created pods, before `later`, in which all pods have a priority in some rounds. */
static void write_created_pods(bool prioritized, bool running, char *list, char *documents)
{
    char last[2000], *comma;
    size_t used = (size_t)snprintf(list, ROOM, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[%s,\n", class);
    size_t own = (size_t)snprintf(documents, ROOM, "%s\n", class);
    for (int i = 0; i < PODS; i++) {
        char text[3000];
        size_t length = write_created_pod(text, sizeof text, i, running);
        assert_true(used + length + sizeof last < ROOM);
        used += (size_t)snprintf(list + used, ROOM - used, "%s,\n", text);
        own += (size_t)snprintf(documents + own, ROOM - own, "%s\n", text);
    }
    snprintf(last, sizeof last, later, prioritized ? ",\"globalDefault\":true" : "");
    snprintf(list + used, ROOM - used, "%s\n]}", last);
    while ((comma = strstr(last, "},\n")) != NULL) comma[1] = ' ';
    snprintf(documents + own, ROOM - own, "%s\n", last);
}

static char digest[65]; /* of the snapshot read last, if documents are kept */

static karp_status read_snapshot(karp_context *context, const karp_reader_options *options, const char *text,
                                 karp_snapshot **out)
{
    karp_reader *reader = NULL;
    karp_catalogue *none = NULL;
    *out = NULL;
    karp_status status = karp_reader_new(context, options, &reader, NULL);
    if (status == KARP_OK) status = karp_catalogue_new(context, NULL, 0, &none, NULL);
    if (status == KARP_OK) status = karp_reader_add_catalogue(reader, none, NULL);
    if (status == KARP_OK) status = karp_reader_add(reader, str("pods"), str(text), NULL);
    if (status == KARP_OK) status = karp_reader_finish(reader, out, NULL);
    if (status == KARP_OK && options->keep_documents)
        snprintf(digest, sizeof digest, "%s", karp_reader_digest(reader).ptr);
    karp_catalogue_unref(none);
    karp_reader_free(reader);
    return status;
}

/* Equal objects, numbered alike. */
static void expect_same_pods(const store *a, const store *b)
{
    assert_int_equal(a->pods.count, b->pods.count);
    assert_int_equal(a->shapes.count, b->shapes.count);
    assert_int_equal(a->names.count, b->names.count);
    assert_int_equal(a->text.count, b->text.count);
    for (size_t i = 0; i < a->pods.count; i++) {
        const pod *x = pod_at(a, i), *y = pod_at(b, i);
        assert_int_equal(x->uid_len, y->uid_len);
        assert_memory_equal(x->uid, y->uid, x->uid_len);
        pod other = *y;
        other.uid = x->uid;
        assert_memory_equal(x, &other, offsetof(pod, flags) + sizeof x->flags);
    }
}

static void expect_same_snapshots(const karp_reader_options *options, const char *one, const char *other)
{
    karp_context *context = NULL;
    karp_snapshot *a = NULL, *b = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(read_snapshot(context, options, one, &a), KARP_OK);
    assert_int_equal(read_snapshot(context, options, other, &b), KARP_OK);
    expect_same_pods(&a->raw, &b->raw);
    for (size_t i = 0; i < a->raw.pods.count; i++) assert_int_equal(a->pod_class[i], b->pod_class[i]);
    karp_snapshot_unref(a);
    karp_snapshot_unref(b);
    karp_context_unref(context);
}

static void expect_same(const reading *a, const reading *b)
{
    assert_read(a);
    assert_read(b);
    assert_string_equal(a->warnings, b->warnings);
    assert_string_equal(a->digest, b->digest);
    assert_true(json_equal(a->dump, b->dump));
    assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
}

/* A Snapshot against itself with "kind" spelt so that nothing is shared. */
static void expect_same_stated(const char *dump)
{
    static const char kind[] = "\"kind\": \"Pod\"", escaped[] = "\"kind\": \"\\u0050od\"";
    size_t length = strlen(dump), used = 0;
    karp_reader_options options;
    char *plain = malloc(length * 2);
    assert_non_null(plain);
    for (const char *at = dump; *at != '\0';) {
        bool here = strncmp(at, kind, sizeof kind - 1) == 0;
        size_t bytes = here ? sizeof escaped - 1 : 1;
        memcpy(plain + used, here ? escaped : at, bytes);
        used += bytes;
        at += here ? sizeof kind - 1 : 1;
    }
    plain[used] = '\0';
    assert_true(used > length);
    karp_reader_options_init(&options, sizeof options);
    expect_same_snapshots(&options, dump, plain);
    free(plain);
}

static void test_same(void **state)
{
    (void)state;
    char *list = malloc(ROOM), *documents = malloc(ROOM);
    assert_true(list && documents);
    for (int round = 0; round < 40; round++) {
        karp_reader_options options;
        karp_reader_options_init(&options, sizeof options);
        options.strict = (uint32_t)(round % 4 == 3);
        numbers = (uint64_t)round;
        write_pods(round % 4 == 2, list, documents);
        reading together = read_texts(&options, "pods", list, NULL),
                apart = read_texts(&options, "pods", documents, NULL);
        expect_same(&together, &apart);
        expect_same_snapshots(&options, list, documents);
        assert_int_equal(together.counts.pods, PODS);
        /* Its dump, which is a Snapshot. */
        char *dump = json_dumps(together.dump, 0);
        reading again = read_texts(NULL, "pods", dump, NULL);
        assert_read(&again);
        assert_string_equal(again.digest, together.digest);
        expect_same_stated(dump);
        assert_true(json_equal(again.dump, together.dump));
        free(dump);
        reading_free(&together);
        reading_free(&apart);
        reading_free(&again);
    }
    free(list);
    free(documents);
}

static void test_created(void **state)
{
    (void)state;
    char *list = malloc(ROOM), *documents = malloc(ROOM);
    assert_true(list && documents);
    for (int round = 0; round < 40; round++) {
        karp_reader_options options;
        karp_reader_options_init(&options, sizeof options);
        options.strict = (uint32_t)(round % 4 == 3);
        options.queued = (uint32_t)(round % 8 == 2);
        numbers = (uint64_t)round + 1000;
        write_created_pods(round % 2 == 1, round % 5 > 2, list, documents);
        reading together = read_texts(&options, "pods", list, NULL),
                apart = read_texts(&options, "pods", documents, NULL);
        expect_same(&together, &apart);
        expect_same_snapshots(&options, documents, list);
        assert_true(together.counts.pods >= PODS);
        reading_free(&together);
        reading_free(&apart);
    }
    free(list);
    free(documents);
}

#define WORKLOAD                                                                                                       \
    "\"labels\":{\"app\":\"a\"},\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\"}]}"
#define POD(name)                                                                                                      \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\"," WORKLOAD                            \
    ",\n\"spec\":{\n\"containers\":[{\n"                                                                               \
    "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"tolerations\":[{\"key\":\"k\"}]}}"
#define LIST(items) "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n" items "]}"

/* What is wrong with the second pod is said at its own line, also in or behind what it has in common with the first. */
#define RUNNING(name, node)                                                                                            \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\",\"uid\":\"" name "\"," WORKLOAD       \
    ",\n\"spec\":{\n\"nodeName\":" node ",\"containers\":[{\n\"name\":\"c\"}]}}"

static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *second, *field;
        uint32_t line;
    } cases[] = {
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"," WORKLOAD
          ",\n\"spec\":{\n\"containers\":[{\n"
          "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"tolerations\":[{\"key\":\"k\"}]},\n\"status\":{\n\"phase\":"
          "\n7}}",
          "status.phase", 18 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"," WORKLOAD
          ",\n\"spec\":{\n\"containers\":[{\n"
          "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"tolerations\":[{\"key\":\"k\"}],\n\"nodeSelector\":{"
          "\n\"k\":1}}}",
          "spec.nodeSelector.k", 17 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"," WORKLOAD
          ",\n\"spec\":{\n\"containers\":[{\n"
          "\"resources\":{\"requests\":{\n\"cpu\":\"x\"}}}],\"tolerations\":[{\"key\":\"k\"}]}}",
          "spec.containers[0].resources.requests.cpu", 16 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"," WORKLOAD
          ",\n\"spec\":{\n\"containers\":[{\n"
          "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"tolerations\":[{\"key\":\"k\"}]},\"status\":{"
          "\n\"startTime\":\"x\"}}",
          "status.startTime", 16 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\n\"uid\":7,\"name\":\"b\"," WORKLOAD
          ",\"spec\":{\n\"containers\":[{\n\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"tolerations\":[{\"key\":"
          "\"k\"}]}}",
          "metadata.uid", 13 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\n\"name\":\"a\"," WORKLOAD
          ",\n\"spec\":{\n\"containers\":[{\n\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"tolerations\":[{\"key\":"
          "\"k\"}]}}",
          "metadata.name", 13 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\n\"name\":\"a\"," WORKLOAD ",\"spec\":{}}",
          "metadata.name", 13 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4000];
        snprintf(text, sizeof text, LIST("%s,%s,%s,\n%s"), POD("a"), POD("c"), POD("d"), cases[i].second);
        reading r = read_text(text);
        if (r.error.line != cases[i].line || strcmp(r.error.field, cases[i].field) != 0)
            fail_msg("case %zu: line %u, field %s: %s", i, (unsigned)r.error.line, r.error.field, r.error.message);
        assert_string_equal(r.error.object, i >= 5 ? "Pod default/a" : "Pod default/b");
    }
}

/* The same of specs that differ in the node alone. */
static void test_nodes(void **state)
{
    (void)state;
    reading r = read_text(LIST(RUNNING("a", "\"n1\"") "," RUNNING("b", "\"n2\"") "," RUNNING("c", "\"n3\"")));
    assert_read(&r);
    assert_int_equal(r.counts.pods, 3);
    reading_free(&r);
    r = read_text(
        LIST(RUNNING("a", "\"n1\"") "," RUNNING("b", "\"n2\"") "," RUNNING("c", "\"n3\"") "," RUNNING("d", "4")));
    assert_int_equal(r.error.line, 13);
    assert_string_equal(r.error.field, "spec.nodeName");
    assert_string_equal(r.error.object, "Pod default/d");
}

/* A note names the line of the field that is unknown, in a value that was kept before. */
static void test_notes(void **state)
{
    (void)state;
    reading r = read_text(LIST(POD("a") ",\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                                        "\"b\"},\"spec\":{\"containers\":[{\n\"resources\":{\n\"request\":{}}}]}}"));
    assert_read(&r);
    assert_non_null(strstr(r.warnings, "input:8: Pod b: a Pod has no field spec.containers[0].resources.request"));
    reading_free(&r);
}

/* An object whose kind is a Pod's first and then another one is of the other kind. */
static void test_last_kind(void **state)
{
    (void)state;
    reading r = read_text(LIST(POD("a") ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"kind\":\"Namespace\",\"metadata\":{"
                                        "\"name\":\"n\",\"labels\":{\"app\":\"a\"}}}"));
    assert_read(&r);
    assert_int_equal(r.counts.pods, 1);
    assert_string_equal(text_at(object_of(&r, "Namespace", NULL, "n"), "metadata/labels/app"), "a");
    reading_free(&r);
}

#define CLAIMING(name, made)                                                                                           \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name                                           \
    "\"},\"spec\":{\"resourceClaims\":[{\"name\":\"d\","                                                               \
    "\"resourceClaimTemplateName\":\"t\"}]},\"status\":{\"resourceClaimStatuses\":[{\"name\":\"d\","                   \
    "\"resourceClaimName\":\"" made "\"}]}}"

/* The names of generated claims are in the status, and differ where the spec does not. */
static void test_generated_claims(void **state)
{
    (void)state;
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    expect_same_snapshots(&options,
                          LIST(CLAIMING("a", "x") "," CLAIMING("b", "y") "," CLAIMING("c", "z") "," CLAIMING("d", "w")),
                          CLAIMING("a", "x") CLAIMING("b", "y") CLAIMING("c", "z") CLAIMING("d", "w"));
}

#define SET(space)                                                                                                     \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"metadata\":{\"name\":\"web\",\"namespace\":\"" space        \
    "\"},\"spec\":{\"replicas\":9,\"selector\":{\"matchLabels\":{\"app\":\"web\"}},\"template\":{\"metadata\":{"       \
    "\"labels\":{"                                                                                                     \
    "\"app\":\"web\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}"

/* Pods with the same ownerReferences count for the ReplicaSet of their namespace, unless they have ended: it creates
 * those that it lacks. */
static void test_owned(void **state)
{
    (void)state;
    char list[8000], documents[8000];
    size_t used = (size_t)snprintf(list, sizeof list, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    size_t own = 0;
    for (int i = 0; i < 12; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%d\",\"namespace\":\"%s\","
                 "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"web\","
                 "\"controller\":true}]},\"spec\":{\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"%s\"}}",
                 i, i % 2 ? "y" : "x", i % 5 ? "Running" : "Succeeded");
        used += (size_t)snprintf(list + used, sizeof list - used, "%s,", text);
        own += (size_t)snprintf(documents + own, sizeof documents - own, "%s\n", text);
    }
    snprintf(list + used, sizeof list - used, "%s", SET("x") "," SET("y") "]}");
    snprintf(documents + own, sizeof documents - own, "%s", SET("x") SET("y"));
    reading together = read_text(list), apart = read_text(documents);
    expect_same(&together, &apart);
    assert_int_equal(together.counts.pods, 12 + (9 - 4) + (9 - 5));
    reading_free(&together);
    reading_free(&apart);
}

/* Each allocation refused: no memory, or the same snapshot. */
static void test_refused(void **state)
{
    (void)state;
    static const char text[] = LIST(POD("a") "," POD("b") "," POD("c") "," POD("d") "," POD("e"));
    fault faults;
    karp_reader_options options;
    karp_snapshot *whole = NULL;
    karp_context *plain = NULL;
    size_t refusals = 0;
    char expected[sizeof digest];
    karp_reader_options_init(&options, sizeof options);
    options.keep_documents = 1;
    assert_int_equal(karp_context_new(NULL, &plain, NULL), KARP_OK);
    assert_int_equal(read_snapshot(plain, &options, text, &whole), KARP_OK);
    memcpy(expected, digest, sizeof expected);
    assert_int_equal(strlen(expected), 64);
    for (int lasting = 0; lasting < 2; lasting++) {
        for (size_t nth = 1;; nth++) {
            memset(&faults, 0, sizeof faults);
            karp_context *context = fault_context(&faults);
            karp_snapshot *snapshot;
            assert_non_null(context);
            fault_arm(&faults, nth, lasting != 0);
            karp_status status = read_snapshot(context, &options, text, &snapshot);
            bool refused = faults.refused > 0;
            fault_arm(&faults, 0, false);
            if (status == KARP_OK) {
                expect_same_pods(&snapshot->raw, &whole->raw);
                if (digest[0]) assert_string_equal(digest, expected);
            } else assert_int_equal(status, KARP_E_NOMEM);
            refusals += status != KARP_OK;
            karp_snapshot_unref(snapshot);
            karp_context_unref(context);
            assert_int_equal(faults.live_blocks, 0);
            assert_int_equal(faults.wrong_sizes, 0);
            if (!refused) break;
        }
    }
    assert_true(refusals > 20);
    karp_snapshot_unref(whole);
    karp_context_unref(plain);
}

/* So many pods that their trees are freed batch by batch, with names in escapes, other kinds between them, and a pod of
 * another API. */
static void test_batches(void **state)
{
    (void)state;
    enum { MANY = 5000, BYTES = 400 };
    char *list = malloc((size_t)MANY * BYTES), *documents = malloc((size_t)MANY * BYTES);
    assert_true(list && documents);
    size_t used = (size_t)sprintf(list, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n"), own = 0;
    for (int i = 0; i < MANY; i++) {
        char text[BYTES], name[40];
        snprintf(name, sizeof name, "%s%d", i / 1700 == 1 && i % 50 == 0 ? "\\u0070" : "p", i);
        if (i % 900 == 899)
            snprintf(text, sizeof text,
                     "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%s\"},\"spec\":{}}",
                     i % 1800 == 899 ? "v1" : "example.com/v1", i % 1800 == 899 ? "Namespace" : "Pod", name);
        else
            snprintf(text, sizeof text,
                     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"n%d\","
                     "\"labels\":{\"app\":\"a%d\"}},\"spec\":{\"containers\":[{\"name\":\"c\"}]},\"status\":{}}",
                     name, i % 3, i % 7);
        used += (size_t)sprintf(list + used, "%s%s\n", text, i + 1 < MANY ? "," : "]}");
        own += (size_t)sprintf(documents + own, "%s%s\n", i > 0 ? "" : "\n", text);
    }
    reading together = read_texts(NULL, "pods", list, NULL), apart = read_texts(NULL, "pods", documents, NULL);
    expect_same(&together, &apart);
    reading_free(&together);
    reading_free(&apart);
    free(list);
    free(documents);
}

static karp_snapshot *read_once(const char *path, const char *text, size_t length)
{
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
    if (path) assert_int_equal(karp_reader_add_path(reader, path, NULL), KARP_OK);
    else assert_int_equal(karp_reader_add(reader, str("text"), (karp_str){ text, length }, NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    karp_reader_free(reader);
    karp_context_unref(context);
    return snapshot;
}

/* A file's text becomes the reader's, with a mark before it and a document after its List. */
static void test_file(void **state)
{
    static const char text[] = "\xEF\xBB\xBF{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
                               "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{}}]}\n"
                               "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"},\"spec\":{}}\n";
    char path[] = "/tmp/karp-test-XXXXXX";
    int made = mkstemp(path);
    FILE *file = made < 0 ? NULL : fdopen(made, "wb");
    (void)state;
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, sizeof text - 1, file), sizeof text - 1);
    assert_int_equal(fclose(file), 0);
    karp_snapshot *of_file = read_once(path, NULL, 0), *of_text = read_once(NULL, text, sizeof text - 1);
    assert_int_equal(remove(path), 0);
    assert_int_equal(of_file->raw.pods.count, 2);
    expect_same_pods(&of_file->raw, &of_text->raw);
    karp_snapshot_unref(of_file);
    karp_snapshot_unref(of_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_created),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_last_kind),
        cmocka_unit_test(test_generated_claims),
        cmocka_unit_test(test_owned),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
