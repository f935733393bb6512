/* SPDX-License-Identifier: Apache-2.0 */
/* A Plan document (docs/formats.md) as the struct that karp_verify() takes. */
#include <io/one_document.h>
#include <base/error.h>

/* What a document says: the plan, and of which input. */
struct stated {
    karp_plan plan;
    karp_str digest;
    double cost; /* negative = it does not say */
};

struct karp_plan_document {
    io_document document; /* first */
    struct stated stated;
};

static void launch(io_decoder *d, const tree *value, void *into)
{
    karp_plan_launch *out = into;
    out->id = io_string(d, value, "id");
    out->node_pool = io_required_string(d, value, "nodePool");
    out->pods = io_strings(d, value, "pods", &out->pod_count);
    out->instance_types = io_strings(d, value, "instanceTypes", &out->instance_type_count);
    out->requirements = io_requirements(d, value, "requirements", IO_FOR_POOL, &out->requirement_count);
}

static void placement(io_decoder *d, const tree *value, void *into)
{
    karp_plan_placement *out = into;
    out->node = io_required_string(d, value, "node");
    out->pods = io_strings(d, value, "pods", &out->pod_count);
}

/* The pods of both lists of those that are placed nowhere. */
static const karp_str *read_left(io_decoder *d, const tree *root, size_t *count)
{
    static const char *const names[] = { "unschedulable", "ignored" };
    const tree *arrays[2];
    size_t counts[2], n = 0;
    for (size_t k = 0; k < 2; k++) arrays[k] = io_array(d, root, names[k], &counts[k]);
    karp_str *list = io_make(d, counts[0] + counts[1], sizeof *list);
    for (size_t k = 0; k < 2; k++) {
        io_push(d, names[k]);
        for (size_t i = 0; list && i < counts[k] && !d->status; i++) {
            list[n++] = io_required_string(d, io_element(d, arrays[k], i), "pod");
            io_pop(d);
        }
        io_pop(d);
    }
    *count = n;
    return list;
}

static void read_plan(io_decoder *d, const tree *root, void *out)
{
    struct stated *stated = out;
    karp_plan *plan = &stated->plan;
    static const io_word kinds[] = { { "Plan", 1 } };
    static const io_word profiles[] = { { "karpenter", KARP_PROFILE_KARPENTER }, { "karp", KARP_PROFILE_KARP } };
    static const io_word versions[] = { { "1.14", KARP_PEER_1_14 }, { "1.15", KARP_PEER_1_15 } };
    plan->size = sizeof *plan;
    (void)io_enum(d, root, "kind", kinds, 1, 1);
    plan->profile = io_enum(d, root, "profile", profiles, 2, KARP_PROFILE_KARPENTER);
    plan->peer_version = io_enum(d, root, "peerVersion", versions, 2, KARP_PEER_NEWEST);
    plan->launches = io_elements(d, root, "launches", sizeof(karp_plan_launch), launch, &plan->launch_count);
    plan->placements = io_elements(d, root, "placements", sizeof(karp_plan_placement), placement,
                                   &plan->placement_count);
    plan->left = read_left(d, root, &plan->left_count);
    const tree *after = tree_get(tree_get(root, "cost"), "after");
    karp_str price = tree_is(after, TREE_STRING) ? tree_text(after) : tree_digits(after);
    if (price.len == 0 || karp_double_parse(price, &stated->cost) || !(stated->cost >= 0)) stated->cost = -1;
    stated->digest = io_string(d, io_enter(d, root, "input"), "sha256");
    io_pop(d);
}

static const io_document_kind kind = { "a plan", sizeof(karp_plan_document), offsetof(karp_plan_document, stated),
                                       read_plan };

karp_status karp_plan_read(karp_context *context, karp_str name, karp_str text, karp_plan_document **out,
                           karp_error *error)
{
    if (!str_given(name) || !str_given(text)) return fail_null(error, "name or text");
    if (!context || !out) return fail_null(error, "context or out");
    io_document *read = NULL;
    karp_status status = io_document_read(context, &kind, name, text, &read, error);
    if (status == KARP_OK) *out = (karp_plan_document *)read;
    return status;
}

karp_status karp_plan_read_file(karp_context *context, const char *path, karp_plan_document **out, karp_error *error)
{
    if (!context || !path || !out) return fail_null(error, "context, path or out");
    io_document *read = NULL;
    karp_status status = io_document_read_file(context, &kind, path, &read, error);
    if (status == KARP_OK) *out = (karp_plan_document *)read;
    return status;
}

const karp_plan *karp_plan_document_plan(const karp_plan_document *document)
{
    return document ? &document->stated.plan : NULL;
}

karp_str karp_plan_document_digest(const karp_plan_document *document) { return document->stated.digest; }

void karp_plan_document_free(karp_plan_document *document) { io_document_free(document ? &document->document : NULL); }

double karp_plan_document_cost(const karp_plan_document *document) { return document->stated.cost; }
