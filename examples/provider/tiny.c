/* SPDX-License-Identifier: Apache-2.0 */
/* A whole provider: a cloud with a handful of machines, one zone, and facts in a file of lines
 *
 *     NAME CPUS MEMORY_MIB DOLLARS_AN_HOUR
 *
 *   cc -shared -fPIC -o tiny.so tiny.c
 *   karp plan --provider ./tiny.so --facts machines=machines.txt -f pods.yaml
 *
 * It includes one header and links nothing but the C library. docs/providers.md explains each step. */
#include <stdio.h>
#include <string.h>

#include <karp/provider.h>

enum { MOST = 64 };
#define STR(literal)                                                                                                   \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }
#define IN(label, value)                                                                                               \
    (karp_requirement) { .key = STR(label), .op = KARP_OP_IN, .values = value, .value_count = 1 }

typedef struct machine {
    char name[32], cpu[24], memory[24];
    karp_str name_value;
    karp_requirement requirements[5], offer[2];
    karp_resource capacity[3], reserved[1];
    karp_offering offering;
} machine;

typedef struct tiny {
    const karp_allocator *allocator;
    machine machines[MOST];
    size_t count;
    uint64_t generation;
} tiny;

static const karp_str zone[] = { STR("tiny-1") }, linux_[] = { STR("linux") }, amd64[] = { STR("amd64") },
                      on_demand[] = { STR("on-demand") };

static karp_str str(const char *text) { return (karp_str){ text, strlen(text) }; }

static uint32_t fail(karp_provider_problem *problem, uint32_t kind, uint32_t line, const char *message)
{
    problem->line = line;
    (void)snprintf(problem->message, sizeof problem->message, "%s", message);
    return kind;
}

/* 1. A handle, on the host's memory. */
static uint32_t tiny_open(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                          karp_provider_problem *problem)
{
    if (options->setting_count > 0) return fail(problem, KARP_PROVIDER_INVALID, 0, "tiny has no settings");
    tiny *t = allocator->alloc(sizeof *t, allocator->user);
    if (!t) return fail(problem, KARP_PROVIDER_NO_MEMORY, 0, "out of memory");
    *t = (tiny){ .allocator = allocator };
    *handle = t;
    return KARP_PROVIDER_OK;
}

static void tiny_close(void *handle)
{
    tiny *t = handle;
    t->allocator->free(t, sizeof *t, t->allocator->user);
}

/* 2. Facts: the lines of a file. Nothing is changed before all of them are good. */
static const char *word(const char *at, const char *end, char *to, size_t room)
{
    size_t n = 0;
    while (at < end && *at == ' ') at++;
    while (at < end && *at != ' ' && n + 1 < room) to[n++] = *at++;
    to[n] = '\0';
    return at;
}

/* A decimal number without a sign; negative = it is none. */
static double number(const char *text)
{
    double value = 0, unit = 1;
    if (!*text) return -1;
    for (int point = 0; *text; text++) {
        if (*text == '.' && !point++) continue;
        if (*text < '0' || *text > '9' || value > 1e12) return -1;
        if (point) unit *= 10;
        value = value * 10 + (*text - '0');
    }
    return value / unit;
}

static int read_line(machine *m, const char *at, const char *end)
{
    char memory[20], dollars[20];
    at = word(
        word(word(word(at, end, m->name, sizeof m->name), end, m->cpu, sizeof m->cpu), end, memory, sizeof memory), end,
        dollars, sizeof dollars);
    m->offering.price = number(dollars);
    (void)snprintf(m->memory, sizeof m->memory, "%sMi", memory);
    return at == end && m->name[0] && number(m->cpu) > 0 && number(memory) > 0 && m->offering.price >= 0;
}

static uint32_t tiny_load_facts(void *handle, karp_str kind, const karp_provider_document *facts,
                                karp_provider_problem *problem)
{
    tiny *t = handle, next = { .allocator = t->allocator, .generation = t->generation + 1 };
    uint32_t line = 0;
    if (kind.len != 8 || memcmp(kind.ptr, "machines", 8) != 0)
        return fail(problem, KARP_PROVIDER_INVALID, 0, "tiny has facts of the kind machines");
    for (const char *at = facts->text.ptr, *end = at + facts->text.len; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        line++;
        if (!stop) stop = end;
        if (next.count == MOST) return fail(problem, KARP_PROVIDER_INVALID, line, "more machines than tiny can have");
        if (stop > at && !read_line(&next.machines[next.count++], at, stop)) {
            return fail(problem, KARP_PROVIDER_INVALID, line, "NAME CPUS MEMORY_MIB DOLLARS_AN_HOUR is wanted");
        }
        at = stop + 1;
    }
    *t = next;
    return KARP_PROVIDER_OK;
}

/* 3. What tells the host that its types are out of date. */
static uint64_t tiny_generation(const void *handle) { return ((const tiny *)handle)->generation; }

/* 4. The types: labels, amounts, what is kept for the system, and each way to buy one. */
static uint32_t tiny_instance_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                                    const karp_instance_type **types, size_t *count, karp_provider_problem *problem)
{
    tiny *t = handle;
    (void)node_class;
    karp_instance_type *list = memory->alloc((t->count + 1) * sizeof *list, memory->user);
    if (!list) return fail(problem, KARP_PROVIDER_NO_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < t->count; i++) {
        machine *m = &t->machines[i];
        m->name_value = str(m->name);
        m->requirements[0] = IN("node.kubernetes.io/instance-type", &m->name_value);
        m->requirements[1] = IN("kubernetes.io/arch", amd64);
        m->requirements[2] = IN("kubernetes.io/os", linux_);
        m->requirements[3] = m->offer[0] = IN("topology.kubernetes.io/zone", zone);
        m->requirements[4] = m->offer[1] = IN("karpenter.sh/capacity-type", on_demand);
        m->capacity[0] = (karp_resource){ .name = STR("cpu"), .text = str(m->cpu) };
        m->capacity[1] = (karp_resource){ .name = STR("memory"), .text = str(m->memory) };
        m->capacity[2] = (karp_resource){ .name = STR("pods"), .text = STR("110") };
        m->reserved[0] = (karp_resource){ .name = STR("memory"), .text = STR("500Mi") };
        m->offering = (karp_offering){
            .requirements = m->offer, .requirement_count = 2, .price = m->offering.price, .available = 1
        };
        list[i] = (karp_instance_type){ .size = sizeof list[i],
                                        .name = m->name_value,
                                        .requirements = m->requirements,
                                        .requirement_count = 5,
                                        .capacity = m->capacity,
                                        .capacity_count = 3,
                                        .offerings = &m->offering,
                                        .offering_count = 1,
                                        .overhead = { .kube_reserved = m->reserved, .kube_reserved_count = 1 } };
    }
    *types = list;
    *count = t->count;
    return KARP_PROVIDER_OK;
}

/* 5. The table, and the one name that the host looks for. */
static const karp_provider_plugin plugin = {
    .abi_version = KARP_PROVIDER_ABI,
    .size = sizeof(karp_provider_plugin),
    .name = "tiny",
    .open = tiny_open,
    .close = tiny_close,
    .load_facts = tiny_load_facts,
    .generation = tiny_generation,
    .instance_types = tiny_instance_types,
};

const karp_provider_plugin *karp_provider_entry(void);
__attribute__((visibility("default"))) const karp_provider_plugin *karp_provider_entry(void) { return &plugin; }
