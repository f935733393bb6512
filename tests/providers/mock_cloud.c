/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/mock_cloud.h>

#include <stdio.h>
#include <string.h>

#define STR(literal)                                                                                                   \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }

mock_behaviour mock;

static const karp_str name[] = { STR("one") }, zone[] = { STR("z") }, on_demand[] = { STR("on-demand") };
static const karp_requirement labels[] = { { STR("node.kubernetes.io/instance-type"), KARP_OP_IN, 0, name, 1 } };
static const karp_requirement offer[] = { { STR("topology.kubernetes.io/zone"), KARP_OP_IN, 0, zone, 1 },
                                          { STR("karpenter.sh/capacity-type"), KARP_OP_IN, 0, on_demand, 1 } };
static const karp_resource capacity[] = { { .name = STR("cpu"), .text = STR("4") } };
static const karp_resource no_amount[] = { { .name = STR("cpu"), .text = STR("four") } };
static const karp_offering offering = { .requirements = offer, .requirement_count = 2, .price = 1, .available = 1 };

typedef struct cloud {
    const karp_allocator *allocator;
} cloud;

static uint32_t mock_open(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                          karp_provider_problem *problem)
{
    (void)options;
    (void)problem;
    cloud *c = allocator->alloc(sizeof *c, allocator->user);
    if (!c) return KARP_PROVIDER_NO_MEMORY;
    c->allocator = allocator;
    mock.open_handles++;
    *handle = c;
    return KARP_PROVIDER_OK;
}

static void mock_close(void *handle)
{
    cloud *c = handle;
    mock.open_handles--;
    c->allocator->free(c, sizeof *c, c->allocator->user);
}

static uint64_t mock_generation(const void *handle)
{
    (void)handle;
    return mock.generation;
}

static uint32_t mock_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                           const karp_instance_type **types, size_t *count, karp_provider_problem *problem)
{
    (void)handle;
    (void)node_class;
    mock.calls++;
    if (mock.kind) {
        (void)snprintf(problem->object, sizeof problem->object, "InstanceType one");
        (void)snprintf(problem->field, sizeof problem->field, "spec.size");
        (void)snprintf(problem->message, sizeof problem->message, "is too large");
        return mock.kind;
    }
    karp_instance_type *list = memory->alloc(sizeof *list, memory->user);
    if (!list) return KARP_PROVIDER_NO_MEMORY;
    *list = (karp_instance_type){ .size = sizeof *list,
                                  .name = name[0],
                                  .requirements = labels,
                                  .requirement_count = 1,
                                  .capacity = capacity,
                                  .capacity_count = 1,
                                  .offerings = &offering,
                                  .offering_count = 1 };
    if (mock.nameless == 1) list->name = (karp_str){ NULL, 0 };
    if (mock.nameless == 3) list->capacity = no_amount;
    *types = mock.nameless == 2 ? NULL : list;
    *count = 1;
    return KARP_PROVIDER_OK;
}

static uint32_t mock_filter(void *handle, const void *node_class, const karp_provider_memory *memory,
                            karp_provider_launch *launch, karp_provider_problem *problem)
{
    (void)handle;
    (void)node_class;
    (void)memory;
    (void)problem;
    if (mock.filter == 1) launch->candidates[0].offering = 7;
    if (mock.filter == 2) launch->candidate_count = 0;
    launch->capacity_type = on_demand[0];
    return KARP_PROVIDER_OK;
}

static uint32_t mock_pick(void *handle, const void *node_class, const karp_provider_launch *launch,
                          karp_provider_candidate *picked, karp_provider_problem *problem)
{
    (void)handle;
    (void)node_class;
    (void)problem;
    *picked = launch->candidates[0];
    if (mock.pick == 1) picked->type = 9;
    return KARP_PROVIDER_OK;
}

/* ---- the part that acts: one line asked, one line answered ------------------------------------------------------- */

static uint32_t send(const karp_provider_http *http, const char *method, karp_str path,
                     const karp_provider_memory *memory, karp_str *answer, karp_provider_problem *problem)
{
    static const karp_label headers[] = { { STR("content-type"), STR("text/plain") } };
    char url[256];
    uint32_t status = 0;
    (void)snprintf(url, sizeof url, "https://cloud.example/machines/%.*s", (int)path.len, path.len ? path.ptr : "");
    uint32_t kind = http->send((karp_str){ method, strlen(method) }, (karp_str){ url, strlen(url) }, headers, 1,
                               (karp_str){ "", 0 }, memory, &status, answer, http->user);
    if (kind) return kind;
    if (status == 404) return KARP_PROVIDER_NOT_FOUND;
    if (status == 409) return KARP_PROVIDER_NO_CAPACITY;
    if (status < 300) return KARP_PROVIDER_OK;
    (void)snprintf(problem->reason, sizeof problem->reason, "CloudRefuses");
    (void)snprintf(problem->message, sizeof problem->message, "the cloud answers %u", status);
    return KARP_PROVIDER_CREATE_FAILED;
}

static uint32_t mock_create(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str claim,
                            const karp_provider_http *http, const karp_provider_memory *memory,
                            karp_provider_node *node, karp_provider_problem *problem)
{
    (void)handle;
    (void)node_class;
    node->instance_type = launch->types[launch->candidates[0].type]->name;
    return send(http, "PUT", claim, memory, &node->provider_id, problem);
}

static uint32_t mock_delete(void *handle, karp_str provider_id, const karp_provider_http *http,
                            const karp_provider_memory *memory, karp_provider_problem *problem)
{
    karp_str answer;
    (void)handle;
    return send(http, "DELETE", provider_id, memory, &answer, problem);
}

static uint32_t mock_get(void *handle, karp_str provider_id, const karp_provider_http *http,
                         const karp_provider_memory *memory, karp_provider_node *node, karp_provider_problem *problem)
{
    (void)handle;
    return send(http, "GET", provider_id, memory, &node->provider_id, problem);
}

/* Every word of the answer is a machine. */
static uint32_t mock_list(void *handle, const karp_provider_http *http, const karp_provider_memory *memory,
                          const karp_provider_node **nodes, size_t *count, karp_provider_problem *problem)
{
    karp_str answer = { "", 0 };
    (void)handle;
    uint32_t kind = send(http, "GET", (karp_str){ "", 0 }, memory, &answer, problem);
    if (kind) return kind;
    karp_provider_node *list = memory->alloc((answer.len + 1) * sizeof *list, memory->user);
    if (!list) return KARP_PROVIDER_NO_MEMORY;
    *count = 0;
    for (size_t at = 0; at < answer.len;) {
        const char *space = memchr(answer.ptr + at, ' ', answer.len - at);
        size_t end = space ? (size_t)(space - answer.ptr) : answer.len;
        list[(*count)++] = (karp_provider_node){ .size = sizeof *list, .provider_id = { answer.ptr + at, end - at } };
        at = end + 1;
    }
    *nodes = list;
    return KARP_PROVIDER_OK;
}

const karp_provider_plugin mock_plugin = {
    .abi_version = KARP_PROVIDER_ABI,
    .size = sizeof(karp_provider_plugin),
    .name = "mock",
    .open = mock_open,
    .close = mock_close,
    .generation = mock_generation,
    .instance_types = mock_types,
    .filter_launch = mock_filter,
    .pick = mock_pick,
    .create = mock_create,
    .delete_ = mock_delete,
    .get = mock_get,
    .list = mock_list,
};
