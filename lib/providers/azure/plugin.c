/* SPDX-License-Identifier: Apache-2.0 */
/* Azure behind the table that every provider fills. It reads documents by their fields, so it needs no JSON of its own. */
#include <providers/azure/plugin.h>

#include <stdio.h>
#include <string.h>

#include <providers/azure/azure.h>

const azure_class azure_plain = { 0, 0, 0 };

bool azure_is(karp_str text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.ptr, word, text.len) == 0;
}

uint32_t azure_problem(karp_provider_problem *problem, uint32_t kind, const char *field, const char *message)
{
    problem->kind = kind;
    (void)snprintf(problem->field, sizeof problem->field, "%s", field);
    (void)snprintf(problem->message, sizeof problem->message, "%s", message);
    return kind;
}

static void *take(const karp_allocator *a, size_t bytes)
{
    void *memory = a->alloc(bytes, a->user);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

static bool whole(karp_str text, int64_t most, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || *out > most) return false;
        *out = *out * 10 + (text.ptr[i] - '0');
    }
    return text.len > 0 && *out <= most;
}

/* A decimal like 0.096, of at most nine digits behind the point; negative = it is none. Whole billionths are exact. */
static double decimal(karp_str text)
{
    int64_t value = 0, scale = 0;
    bool point = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9' || value > INT64_C(90000000000000)) return -1;
        value = value * 10 + (c - '0');
        scale += point;
    }
    double unit = 1;
    for (int64_t i = 0; i < scale; i++) unit *= 10;
    return text.len > (size_t)point && scale <= 15 ? (double)value / unit : -1;
}

/* ---- open ------------------------------------------------------------------------------------ */

static void azure_close(void *handle)
{
    azure_handle *h = handle;
    const karp_allocator *a = h->allocator;
    if (h->on_demand) a->free(h->on_demand, azure_size_count * sizeof *h->on_demand, a->user);
    if (h->spot) a->free(h->spot, azure_size_count * sizeof *h->spot, a->user);
    if (h->marks) a->free(h->marks, h->mark_capacity * sizeof *h->marks, a->user);
    a->free(h, sizeof *h, a->user);
}

static uint32_t read_setting(azure_handle *h, const karp_label *setting, karp_provider_problem *problem)
{
    static const struct {
        const char *name;
        int64_t pods;
    } plugins[] = { { "azure", 30 }, { "kubenet", 110 }, { "azure-overlay", 250 } };
    if (azure_is(setting->key, "networkPlugin")) {
        for (size_t i = 0; i < 3; i++) {
            if (!azure_is(setting->value, plugins[i].name)) continue;
            h->max_pods = plugins[i].pods;
            return KARP_PROVIDER_OK;
        }
        return azure_problem(problem, KARP_PROVIDER_INVALID, "networkPlugin",
                             "must be azure, azure-overlay or kubenet");
    }
    if (azure_is(setting->key, "vmMemoryOverheadPercent")) {
        h->overhead = decimal(setting->value);
        if (h->overhead >= 0 && h->overhead < 1) return KARP_PROVIDER_OK;
        return azure_problem(problem, KARP_PROVIDER_INVALID, "vmMemoryOverheadPercent",
                             "must be at least 0 and less than 1");
    }
    return azure_problem(problem, KARP_PROVIDER_INVALID, "settings",
                         "azure has networkPlugin and vmMemoryOverheadPercent, and no other");
}

static uint32_t settle(azure_handle *h, const karp_provider_options *options, karp_provider_problem *problem)
{
    karp_str region = options->region;
    if (region.len == 0) region = (karp_str){ "eastus", 6 };
    if (region.len >= sizeof h->region)
        return azure_problem(problem, KARP_PROVIDER_NOT_FOUND, "region", "there is no such region");
    memcpy(h->region, region.ptr, region.len);
    for (int i = 0; i < AZURE_ZONES; i++) (void)snprintf(h->zones[i], sizeof h->zones[i], "%s-%d", h->region, i + 1);
    /* Prices are those of one region. Elsewhere they are unknown till they are loaded; spot prices are, always. */
    for (size_t i = 0; i < azure_size_count; i++) {
        h->on_demand[i] = azure_is(region, "eastus") ? azure_sizes[i].on_demand : -1;
        h->spot[i] = -1;
    }
    for (size_t i = 0; i < options->setting_count; i++) {
        uint32_t kind = read_setting(h, &options->settings[i], problem);
        if (kind) return kind;
    }
    return KARP_PROVIDER_OK;
}

static uint32_t azure_open(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                           karp_provider_problem *problem)
{
    azure_handle *h = take(allocator, sizeof *h);
    if (!h) return azure_problem(problem, KARP_PROVIDER_NO_MEMORY, "", "out of memory");
    h->allocator = allocator;
    h->max_pods = 250;
    h->overhead = 0.075;
    h->on_demand = take(allocator, azure_size_count * sizeof *h->on_demand);
    h->spot = take(allocator, azure_size_count * sizeof *h->spot);
    uint32_t kind = h->on_demand && h->spot ? settle(h, options, problem)
                                            : azure_problem(problem, KARP_PROVIDER_NO_MEMORY, "", "out of memory");
    if (kind) azure_close(h);
    else *handle = h;
    return kind;
}

static uint64_t azure_generation(const void *handle) { return ((const azure_handle *)handle)->generation; }

/* ---- prices ---------------------------------------------------------------------------------- */

/* Of Items[17].name the member's name and the index; false = it is none of them. */
static bool item_of(const karp_provider_field *field, int64_t *index, karp_str *name)
{
    static const char start[] = "Items[";
    karp_str path = field->path;
    if (path.len < sizeof start || memcmp(path.ptr, start, sizeof start - 1) != 0) return false;
    const char *from = path.ptr + sizeof start - 1;
    const char *to = memchr(from, ']', path.len - (sizeof start - 1));
    if (!to || !whole((karp_str){ from, (size_t)(to - from) }, INT64_C(1) << 40, index)) return false;
    *name = (karp_str){ to + 1, path.len - (size_t)(to + 1 - path.ptr) };
    return true;
}

/* One entry of the Retail Prices API. */
typedef struct price_item {
    int64_t index;
    karp_str size, sku, product, kind, region, price;
} price_item;

static bool ends(karp_str text, const char *word)
{
    size_t n = strlen(word);
    return text.len >= n && memcmp(text.ptr + text.len - n, word, n) == 0;
}

/* Linux by the hour; Windows and low priority are other products. */
static uint32_t take_item(azure_handle *h, const price_item *item, double *on_demand, double *spot,
                          karp_provider_problem *problem)
{
    double price = decimal(item->price);
    if (price < 0)
        return azure_problem(problem, KARP_PROVIDER_INVALID, "Items.retailPrice",
                             "must be a price that is not negative");
    if (!azure_is(item->region, h->region) || !azure_is(item->kind, "Consumption")) return KARP_PROVIDER_OK;
    if (ends(item->product, "Windows") || ends(item->sku, "Low Priority")) return KARP_PROVIDER_OK;
    for (size_t i = 0; i < azure_size_count; i++) {
        if (azure_is(item->size, azure_sizes[i].name)) *(ends(item->sku, "Spot") ? &spot[i] : &on_demand[i]) = price;
    }
    return KARP_PROVIDER_OK;
}

static void note(price_item *item, karp_str name, karp_str value)
{
    if (azure_is(name, ".armSkuName")) item->size = value;
    if (azure_is(name, ".skuName")) item->sku = value;
    if (azure_is(name, ".productName")) item->product = value;
    if (azure_is(name, ".type")) item->kind = value;
    if (azure_is(name, ".armRegionName")) item->region = value;
    if (azure_is(name, ".retailPrice")) item->price = value;
}

static uint32_t azure_load_facts(void *handle, karp_str kind, const karp_provider_document *facts,
                                 karp_provider_problem *problem)
{
    azure_handle *h = handle;
    const karp_allocator *a = h->allocator;
    if (!azure_is(kind, "prices"))
        return azure_problem(problem, KARP_PROVIDER_INVALID, "kind", "azure has facts of the kind prices");
    size_t bytes = azure_size_count * sizeof(double);
    double *on_demand = take(a, bytes), *spot = take(a, bytes);
    uint32_t result = on_demand && spot ? KARP_PROVIDER_OK
                                        : azure_problem(problem, KARP_PROVIDER_NO_MEMORY, "", "out of memory");
    if (result == KARP_PROVIDER_OK) {
        memcpy(on_demand, h->on_demand, bytes);
        memcpy(spot, h->spot, bytes);
    }
    price_item item = { .index = -1 };
    bool any = false;
    for (size_t i = 0; i < facts->field_count && result == KARP_PROVIDER_OK; i++) {
        int64_t index;
        karp_str name;
        if (!item_of(&facts->fields[i], &index, &name)) continue;
        if (any && index != item.index) result = take_item(h, &item, on_demand, spot, problem);
        if (index != item.index) item = (price_item){ .index = index };
        any = true;
        note(&item, name, facts->fields[i].value);
    }
    if (result == KARP_PROVIDER_OK && any) result = take_item(h, &item, on_demand, spot, problem);
    if (result == KARP_PROVIDER_OK && !any)
        result = azure_problem(problem, KARP_PROVIDER_INVALID, "Items", "must list prices");
    if (result == KARP_PROVIDER_OK) {
        memcpy(h->on_demand, on_demand, bytes);
        memcpy(h->spot, spot, bytes);
        h->generation++;
    }
    if (on_demand) a->free(on_demand, bytes, a->user);
    if (spot) a->free(spot, bytes, a->user);
    return result;
}

/* ---- node classes ---------------------------------------------------------------------------- */

static uint64_t fnv(uint64_t hash, karp_str text)
{
    for (size_t i = 0; i < text.len; i++) hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint32_t read_field(azure_class *c, const karp_provider_field *f, karp_provider_problem *problem)
{
    if (f->path.len > 5 && memcmp(f->path.ptr, "spec.", 5) == 0) {
        c->hash += fnv(fnv(UINT64_C(0xcbf29ce484222325), f->path),
                       f->value); /* a sum: the order of members means nothing */
    }
    if (azure_is(f->path, "spec.osDiskSizeGB") &&
        !(f->kind == KARP_FIELD_NUMBER && whole(f->value, 4096, &c->disk_gb) && c->disk_gb >= 30)) {
        return azure_problem(problem, KARP_PROVIDER_INVALID, "spec.osDiskSizeGB", "must be a number from 30 to 4096");
    }
    if (azure_is(f->path, "spec.maxPods") &&
        !(f->kind == KARP_FIELD_NUMBER && whole(f->value, 250, &c->max_pods) && c->max_pods >= 10)) {
        return azure_problem(problem, KARP_PROVIDER_INVALID, "spec.maxPods", "must be a number from 10 to 250");
    }
    if (azure_is(f->path, "spec.imageFamily") && !azure_is(f->value, "Ubuntu") && !azure_is(f->value, "Ubuntu2204") &&
        !azure_is(f->value, "Ubuntu2404") && !azure_is(f->value, "AzureLinux")) {
        return azure_problem(problem, KARP_PROVIDER_INVALID, "spec.imageFamily", "names no known family");
    }
    return KARP_PROVIDER_OK;
}

static void azure_class_free(void *handle, void *node_class)
{
    azure_handle *h = handle;
    h->allocator->free(node_class, sizeof(azure_class), h->allocator->user);
}

static uint32_t azure_class_parse(void *handle, const karp_provider_document *document, void **node_class,
                                  karp_provider_problem *problem)
{
    azure_handle *h = handle;
    azure_class *c = take(h->allocator, sizeof *c);
    if (!c) return azure_problem(problem, KARP_PROVIDER_NO_MEMORY, "", "out of memory");
    uint32_t kind = KARP_PROVIDER_OK;
    for (size_t i = 0; i < document->field_count && kind == KARP_PROVIDER_OK; i++)
        kind = read_field(c, &document->fields[i], problem);
    if (kind) azure_class_free(h, c);
    else *node_class = c;
    return kind;
}

static uint32_t azure_class_equal(const void *handle, const void *a, const void *b)
{
    const azure_class *x = a ? a : &azure_plain, *y = b ? b : &azure_plain;
    (void)handle;
    return x->disk_gb == y->disk_gb && x->max_pods == y->max_pods;
}

/* Not the number of Azure's own provider, hence a version of its own. */
#define HASH_VERSION "libkarp-1"

static size_t hash_text(const azure_class *c, char text[24])
{
    int n = snprintf(text, 24, "%llu", (unsigned long long)c->hash);
    return n > 0 ? (size_t)n : 0;
}

static uint32_t azure_class_hash(void *handle, const void *node_class, const karp_provider_memory *memory,
                                 karp_str *version, karp_str *hash, karp_provider_problem *problem)
{
    (void)handle;
    if (!node_class)
        return azure_problem(problem, KARP_PROVIDER_INVALID, "", "a class that is not written down has no hash");
    char *text = memory->alloc(24, memory->user);
    if (!text) return azure_problem(problem, KARP_PROVIDER_NO_MEMORY, "", "out of memory");
    *hash = (karp_str){ text, hash_text(node_class, text) };
    *version = (karp_str){ HASH_VERSION, sizeof HASH_VERSION - 1 };
    return KARP_PROVIDER_OK;
}

static karp_str annotation(const karp_provider_node *node, const char *key)
{
    for (size_t i = 0; i < node->annotation_count; i++) {
        if (azure_is(node->annotations[i].key, key)) return node->annotations[i].value;
    }
    return (karp_str){ "", 0 };
}

static uint32_t azure_drift(void *handle, const void *node_class, const karp_provider_node *node,
                            const karp_provider_memory *memory, karp_str *reason, karp_provider_problem *problem)
{
    char text[24];
    (void)handle;
    (void)memory;
    (void)problem;
    if (!node_class || !azure_is(annotation(node, AZURE_GROUP "aksnodeclass-hash-version"), HASH_VERSION))
        return KARP_PROVIDER_OK;
    (void)hash_text(node_class, text);
    if (!azure_is(annotation(node, AZURE_GROUP "aksnodeclass-hash"), text))
        *reason = (karp_str){ "NodeClassDrift", 14 };
    return KARP_PROVIDER_OK;
}

const karp_provider_plugin azure_plugin = {
    .abi_version = KARP_PROVIDER_ABI,
    .flags = KARP_PROVIDER_WANTS_FIELDS | KARP_PROVIDER_WANTS_FACT_FIELDS,
    .size = sizeof(karp_provider_plugin),
    .name = "azure",
    .class_group = "karpenter.azure.com",
    .class_kind = "AKSNodeClass",
    .open = azure_open,
    .close = azure_close,
    .load_facts = azure_load_facts,
    .generation = azure_generation,
    .class_parse = azure_class_parse,
    .class_free = azure_class_free,
    .class_hash = azure_class_hash,
    .class_equal = azure_class_equal,
    .instance_types = azure_instance_types,
    .labels = azure_labels,
    .mark = azure_mark_add,
    .expire = azure_marks_expire,
    .drift = azure_drift,
};
