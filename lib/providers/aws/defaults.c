/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/defaults.h>

#include <providers/decode.h>
#include <providers/aws/plugin.h>
#include <base/admit.h>

const aws_default aws_metadata_defaults[AWS_METADATA_DEFAULTS] = {
    { "httpEndpoint", "enabled", 0 },
    { "httpProtocolIPv6", "disabled", 0 },
    { "httpPutResponseHopLimit", NULL, 1 },
    { "httpTokens", "required", 0 },
};

/* ---- pools ------------------------------------------------------------------------------------------------------- */

static bool constrains(const karp_requirement *list, size_t count, const char *key)
{
    return requirement_find(list, count, str(key)) != NULL;
}

size_t aws_pool_defaults(const karp_requirement *given, size_t count, karp_requirement added[AWS_POOL_DEFAULTS])
{
    static const karp_str system[] = { TEXT("linux") }, amd64[] = { TEXT("amd64") },
                          on_demand[] = { TEXT("on-demand") };
    static const karp_str categories[] = { TEXT("c"), TEXT("m"), TEXT("r") }, two[] = { TEXT("2") };
    static const karp_requirement usual[] = {
        { TEXT(LABEL_OS), KARP_OP_IN, 0, system, 1 },
        { TEXT(LABEL_ARCH), KARP_OP_IN, 0, amd64, 1 },
        { TEXT(LABEL_CAPACITY_TYPE), KARP_OP_IN, 0, on_demand, 1 },
    };
    static const karp_requirement wide[] = {
        { TEXT(AWS_GROUP "instance-category"), KARP_OP_IN, 0, categories, 3 },
        { TEXT(AWS_GROUP "instance-generation"), KARP_OP_GT, 0, two, 1 },
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (!constrains(given, count, usual[i].key.ptr)) added[n++] = usual[i];
    }
    bool narrowed = constrains(given, count, LABEL_TYPE) || constrains(given, count, AWS_GROUP "instance-family") ||
                    constrains(given, count, AWS_GROUP "instance-category") ||
                    constrains(given, count, AWS_GROUP "instance-generation");
    for (size_t i = 0; !narrowed && i < sizeof wide / sizeof *wide; i++) added[n++] = wide[i];
    return n;
}

/* ---- node classes ------------------------------------------------------------------------------------------------ */

static void complete(trees *t, tree *options)
{
    for (size_t i = 0; i < AWS_METADATA_DEFAULTS; i++) {
        const aws_default *d = &aws_metadata_defaults[i];
        tree_default(t, options, d->name, d->text ? tree_new_text(t, str(d->text)) : tree_new_integer(t, d->number));
    }
}

static void complete_spec(trees *t, const tree *root)
{
    tree *spec = tree_get(root, "spec");
    if (!is_map(spec)) return;
    if (!is_map(tree_get(spec, "metadataOptions"))) tree_set(t, spec, "metadataOptions", tree_new(t, TREE_MAP));
    complete(t, tree_get(spec, "metadataOptions"));
}

uint32_t aws_class_defaults(void *handle, const karp_provider_document *document, const karp_provider_memory *memory,
                            karp_str *completed, karp_provider_problem *problem)
{
    karp_context *context = ((const aws_handle *)handle)->base.context;
    decoder d;
    karp_error error = { .size = sizeof error };
    decode_begin(&d, context, NULL, &error);
    strbuf out = strbuf_on(context);
    const tree *root = decode_tree(&d, document->text, "an EC2NodeClass");
    if (root) {
        complete_spec(&d.trees, root);
        tree_write(&out, root);
    }
    scratch s;
    scratch_init_on(&s, memory);
    s.failed = out.failed || d.trees.status != KARP_OK;
    decode_end(&d);
    karp_str text = root ? scratch_text(&s, (karp_str){ out.ptr, out.len }) : str("");
    strbuf_free(&out);
    if (!root) return provider_problem_of(problem, &error);
    if (s.failed) return provider_no_memory(problem);
    *completed = text;
    return KARP_PROVIDER_OK;
}
