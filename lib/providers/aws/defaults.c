/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/defaults.h>

#include <string.h>

#include <providers/aws/decode.h>
#include <providers/aws/labels.h>
#include <providers/memory.h>

const aws_default aws_metadata_defaults[AWS_METADATA_DEFAULTS] = {
    { "httpEndpoint", "enabled", 0 },
    { "httpProtocolIPv6", "disabled", 0 },
    { "httpPutResponseHopLimit", NULL, 1 },
    { "httpTokens", "required", 0 },
};

/* ---- pools ----------------------------------------------------------------------------------- */

static bool constrains(const karp_requirement *list, size_t count, const char *key)
{
    return match_find(list, count, key) != NULL;
}

size_t aws_pool_defaults(const karp_requirement *given, size_t count, karp_requirement added[AWS_POOL_DEFAULTS])
{
    static const karp_str system[] = { TEXT("linux") }, amd64[] = { TEXT("amd64") },
                          on_demand[] = { TEXT("on-demand") };
    static const karp_str categories[] = { TEXT("c"), TEXT("m"), TEXT("r") }, two[] = { TEXT("2") };
    static const karp_requirement usual[] = {
        { TEXT("kubernetes.io/os"), KARP_OP_IN, 0, system, 1 },
        { TEXT("kubernetes.io/arch"), KARP_OP_IN, 0, amd64, 1 },
        { TEXT("karpenter.sh/capacity-type"), KARP_OP_IN, 0, on_demand, 1 },
    };
    static const karp_requirement wide[] = {
        { TEXT(AWS_GROUP "instance-category"), KARP_OP_IN, 0, categories, 3 },
        { TEXT(AWS_GROUP "instance-generation"), KARP_OP_GT, 0, two, 1 },
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (!constrains(given, count, usual[i].key.ptr)) added[n++] = usual[i];
    }
    bool narrowed = constrains(given, count, "node.kubernetes.io/instance-type") ||
                    constrains(given, count, AWS_GROUP "instance-family") ||
                    constrains(given, count, AWS_GROUP "instance-category") ||
                    constrains(given, count, AWS_GROUP "instance-generation");
    for (size_t i = 0; !narrowed && i < sizeof wide / sizeof *wide; i++) added[n++] = wide[i];
    return n;
}

/* ---- node classes ---------------------------------------------------------------------------- */

static bool complete(json_t *options)
{
    bool ok = options != NULL;
    for (size_t i = 0; ok && i < AWS_METADATA_DEFAULTS; i++) {
        const aws_default *d = &aws_metadata_defaults[i];
        if (decode_member(options, d->name)) continue;
        ok = json_object_set_new(options, d->name, d->text ? json_string(d->text) : json_integer(d->number)) == 0;
    }
    return ok;
}

static bool complete_spec(json_t *tree)
{
    json_t *spec = json_object_get(tree, "spec");
    if (!json_is_object(spec)) return true;
    json_t *options = json_object_get(spec, "metadataOptions");
    if (json_is_object(options)) return complete(options);
    json_t *fresh = json_object();
    bool ok = complete(fresh) && json_object_set(spec, "metadataOptions", fresh) == 0;
    json_decref(fresh);
    return ok;
}

uint32_t aws_class_defaults(void *handle, const karp_provider_document *document, const karp_provider_memory *memory,
                            karp_str *completed, karp_provider_problem *problem)
{
    (void)handle;
    karp_error error;
    karp_error_init(&error, sizeof error);
    decoder d = { .error = &error };
    json_t *tree = decode_tree(&d, document->text, "an EC2NodeClass");
    if (!tree) return provider_problem_of(problem, &error);
    bool failed = !complete_spec(tree);
    size_t length = failed ? 0 : json_dumpb(tree, NULL, 0, JSON_COMPACT);
    char *text = memory_piece(memory, length + 1, 1, &failed);
    if (text && !failed) failed = length == 0 || json_dumpb(tree, text, length, JSON_COMPACT) != length;
    json_decref(tree);
    if (failed) return provider_problem(problem, KARP_PROVIDER_NO_MEMORY, "", "out of memory");
    *completed = (karp_str){ text, length };
    return KARP_PROVIDER_OK;
}
