/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for pods that the program has as json_t, and reads the plan as json_t. */
#include <jansson.h>
#include <stdio.h>

#include <karp/jansson.h>
#include <karp/karp.h>

static json_t *make_pool(void)
{
    return json_pack("{s:s, s:s, s:{s:s}, s:{s:{s:{s:{s:s, s:s, s:s}}}}}", "apiVersion", "karpenter.sh/v1", "kind",
                     "NodePool", "metadata", "name", "default", "spec", "template", "spec", "nodeClassRef", "group",
                     "karpenter.k8s.aws", "kind", "EC2NodeClass", "name", "default");
}

/* All pods share one spec, as they do in many programs. */
static json_t *make_pods(int count)
{
    json_t *spec = json_pack("{s:[{s:s, s:{s:{s:f, s:s}}}]}", "containers", "name", "main", "resources", "requests",
                             "cpu", 0.5, "memory", "1Gi");
    json_t *items = json_array();
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "web-%d", i);
        json_array_append_new(items, json_pack("{s:s, s:s, s:{s:s}, s:O}", "apiVersion", "v1", "kind", "Pod",
                                               "metadata", "name", name, "spec", spec));
    }
    json_decref(spec);
    return json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", items);
}

static void print_plan(const json_t *plan)
{
    const json_t *launches = json_object_get(plan, "launches"), *launch, *pod;
    size_t i, k;
    json_array_foreach(launches, i, launch)
    {
        const json_t *type = json_object_get(json_object_get(launch, "choice"), "instanceType");
        json_array_foreach(json_object_get(launch, "pods"), k, pod)
            printf("%s -> %s\n", json_string_value(pod), json_string_value(type));
    }
}

int main(void)
{
    karp_error error;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *decision = NULL;
    karp_write_options options;
    karp_json_document plan;
    json_t *pool = make_pool(), *pods = make_pods(3);

    karp_error_init(&error, sizeof error);
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = karp_reader_new(context, NULL, &reader, &error);
    if (status == KARP_OK) status = karp_reader_add_json(reader, (karp_str){ "pool", 4 }, pool, &error);
    if (status == KARP_OK) status = karp_reader_add_json(reader, (karp_str){ "pods", 4 }, pods, &error);
    json_decref(pool);
    json_decref(pods);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    if (status == KARP_OK) status = karp_provision(snapshot, NULL, &decision, &error);

    karp_write_options_init(&options, sizeof options);
    karp_json_document_init(&plan, sizeof plan);
    options.values = &plan.sink;
    if (status == KARP_OK) status = karp_write_plan(context, decision, NULL, &options, NULL, &error);
    if (status == KARP_OK) print_plan(plan.root);
    else fprintf(stderr, "%s %s: %s\n", error.document, error.object, error.message);

    json_decref(plan.root);
    karp_decision_unref(decision);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return status == KARP_OK ? 0 : 1;
}
