/* SPDX-License-Identifier: Apache-2.0 */
/* Facts from Azure's own tools: `az vm list-skus`, and responses of the Retail Prices API. */
#include <providers/azure/facts.h>

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* The value of a capability by name; "" = absent. */
static karp_str capability(const tree *list, const char *name)
{
    for (size_t i = 0; i < items_of(list); i++) {
        const tree *one = tree_item(list, i);
        if (str_is(tree_get_text(one, "name"), name)) return tree_get_text(one, "value");
    }
    return str("");
}

static bool is_true(const tree *list, const char *name) { return str_is(capability(list, name), "True"); }

static uint32_t zone_bits(const tree *list)
{
    uint32_t zones = 0;
    for (size_t i = 0; i < items_of(list); i++) {
        karp_str zone = tree_text(tree_item(list, i));
        if (zone.len == 1 && zone.ptr[0] >= '1' && zone.ptr[0] <= '9') zones |= UINT32_C(1) << (zone.ptr[0] - '0');
    }
    return zones;
}

/* The entry for the region; NULL = the size is not offered there. */
static const tree *place_of(const tree *sku, karp_str region)
{
    const tree *list = tree_get(sku, "locationInfo");
    for (size_t i = 0; i < items_of(list); i++) {
        if (equal_letters(tree_get_text(tree_item(list, i), "location"), region)) return tree_item(list, i);
    }
    return NULL;
}

/* Whether the subscription's restrictions exclude the whole region; removes restricted zones from *zones. */
static bool restricted(const tree *sku, uint32_t *zones)
{
    const tree *list = tree_get(sku, "restrictions");
    for (size_t i = 0; i < items_of(list); i++) {
        const tree *one = tree_item(list, i);
        if (str_is(tree_get_text(one, "type"), "Location")) return true;
        *zones &= ~zone_bits(tree_get(tree_get(one, "restrictionInfo"), "zones"));
    }
    return false;
}

static uint32_t ultra_zones(const tree *place, const tree *capabilities)
{
    const tree *details = tree_get(place, "zoneDetails");
    uint32_t zones = is_true(capabilities, "UltraSSDAvailable") ? 1 : 0;
    for (size_t i = 0; i < items_of(details); i++) {
        const tree *one = tree_item(details, i);
        if (is_true(tree_get(one, "capabilities"), "UltraSSDAvailable"))
            zones |= zone_bits(tree_get(one, tree_get(one, "Name") ? "Name" : "name"));
    }
    return zones;
}

/* Decimal GB of the largest ephemeral OS disk: on NVMe, otherwise in the cache, otherwise on the temporary disk. */
static int64_t ephemeral_of(const tree *list)
{
    int64_t nvme = 0, cache = 0, temporary = 0;
    if (!is_true(list, "EphemeralOSDiskSupported")) return 0;
    (void)cloud_whole(capability(list, "NvmeDiskSizeInMiB"), INT64_C(1) << 40, &nvme);
    (void)cloud_whole(capability(list, "CachedDiskBytes"), INT64_C(1) << 60, &cache);
    (void)cloud_whole(capability(list, "MaxResourceVolumeMB"), INT64_C(1) << 40, &temporary);
    karp_str places = capability(list, "SupportedEphemeralOSDiskPlacements");
    while (nvme > 0 && nvme < INT64_C(1) << 40 && places.len > 0) {
        if (str_is(str_until(&places, ','), "NvmeDisk")) return (nvme << 20) / 1000000000;
    }
    if (cache > 0) return cache / 1000000000;
    return temporary < INT64_C(1) << 40 ? (temporary << 20) / 1000000000 : 0;
}

static uint32_t flags_of(const tree *list)
{
    karp_str generations = capability(list, "HyperVGenerations");
    uint32_t flags = 0;
    while (generations.len > 0) {
        karp_str one = str_until(&generations, ',');
        flags |= str_is(one, "V1") ? AZURE_GENERATION_1 : str_is(one, "V2") ? AZURE_GENERATION_2 : 0;
    }
    if (str_is(capability(list, "CpuArchitectureType"), "Arm64")) flags |= AZURE_ARM64;
    if (is_true(list, "AcceleratedNetworkingEnabled")) flags |= AZURE_ACCELERATED_NETWORKING;
    if (is_true(list, "PremiumIO")) flags |= AZURE_PREMIUM;
    if (is_true(list, "EphemeralOSDiskSupported")) flags |= AZURE_EPHEMERAL_OS;
    if (is_true(list, "EncryptionAtHostSupported")) flags |= AZURE_ENCRYPTION_AT_HOST;
    if (is_true(list, "TrustedLaunchDisabled")) flags |= AZURE_NO_TRUSTED_LAUNCH;
    if (!is_true(list, "LowPriorityCapable")) flags |= AZURE_NO_SPOT;
    return flags;
}

/* false = the entry is ignored: another resource type, another region, or restricted. */
bool azure_read_sku(decoder *d, const cloud_facts *f, const tree *sku, void *size)
{
    azure_size *out = size;
    const tree *place = place_of(sku, f->region), *list = tree_get(sku, "capabilities");
    karp_str kind = tree_get_text(sku, "resourceType");
    if ((kind.len > 0 && !str_is(kind, "virtualMachines")) || !place) return false;
    out->base.name = decode_text(d, sku, "name");
    out->base.group = decode_text(d, sku, "family");
    out->base.zones = zone_bits(tree_get(place, "zones"));
    if (restricted(sku, &out->base.zones)) return false;
    if (!str_starts(out->base.name, "Standard_") && !str_starts(out->base.name, "Basic_"))
        decode_bad(d, "name", "is no VM size: it must begin with Standard_ or Basic_");
    if (!cloud_whole(capability(list, "vCPUs"), 4096, &out->base.vcpus) || out->base.vcpus == 0)
        decode_bad(d, "capabilities", "must have vCPUs, a whole number");
    if (!cloud_decimal(capability(list, "MemoryGB"), &out->memory_gib) || out->memory_gib <= 0 ||
        out->memory_gib > 1 << 20)
        decode_bad(d, "capabilities", "must have MemoryGB, a number");
    karp_str gpus = capability(list, "GPUs");
    if (gpus.len > 0 && !cloud_whole(gpus, 1024, &out->gpus))
        decode_bad(d, "capabilities", "must have GPUs as a whole number");
    out->flags = flags_of(list);
    out->ephemeral_gb = ephemeral_of(list);
    out->ultra_zones = ultra_zones(place, list);
    return d->status == KARP_OK;
}

/* ---- quotas ------------------------------------------------------------------------------------------------------ */

/* az prints some numbers as strings. */
static int64_t quota_number(decoder *d, const tree *entry, const char *name)
{
    int64_t value = 0;
    const tree *member = tree_get(entry, name);
    if (tree_integer(member, &value) || cloud_whole(tree_text(member), INT64_MAX, &value)) return value;
    decode_bad(d, name, "must be a whole number");
    return 0;
}

/* Output of `az vm list-usage`. */
karp_status azure_read_quotas(const cloud_facts *old, cloud_facts *f, karp_str text, karp_error *error)
{
    decoder d;
    tree *root = NULL;
    (void)old;
    decode_begin(&d, f->s.context, &f->s, error);
    d.status = tree_read(&d.trees, str(""), text, &root, error);
    if (d.status == KARP_OK && !is_list(root)) decode_bad(&d, "", "must be a list, as az vm list-usage prints it");
    cloud_quota *list = scratch_array(&f->s, items_of(root), sizeof *list);
    size_t count = 0;
    for (size_t i = 0; list && d.status == KARP_OK && i < items_of(root); i++) {
        const tree *entry = tree_item(root, i);
        decode_at_element(&d, "", i);
        karp_str family = decode_text(&d, decode_object(&d, entry, "name"), "value");
        if (family.len == 0) decode_bad(&d, "name.value", "is missing");
        int64_t limit = quota_number(&d, entry, "limit"), used = quota_number(&d, entry, "currentValue");
        if (d.status == KARP_OK) list[count++] = (cloud_quota){ family, used < limit ? limit - used : 0 };
    }
    karp_status status = d.status;
    decode_end(&d);
    f->quotas = list;
    f->quota_count = count;
    return status;
}

bool azure_quota_allows(const cloud_facts *f, const azure_size *size)
{
    for (size_t i = 0; i < f->quota_count; i++) {
        if (equal_letters(f->quotas[i].family, size->base.group)) return size->base.vcpus <= f->quotas[i].left;
    }
    return true;
}

/* ---- prices ------------------------------------------------------------------------------------------------------ */

/* Whether an item is about Linux machines. "Dasv5 Series Cloud Services" has the armSkuName of the "Virtual Machines
 * Dasv5 Series", and is dearer, as it includes Windows. */
static bool is_linux_machine(karp_str product, karp_str sku, karp_str meter)
{
    return str_starts(product, "Virtual Machines") && !str_ends(product, " Windows") &&
           !str_ends(sku, " Low Priority") && !str_ends(meter, " Low Priority");
}

/* Uses hourly prices. */
static void take_item(decoder *d, cloud_facts *f, const tree *item, size_t *taken)
{
    karp_str product = tree_get_text(item, "productName"), sku = tree_get_text(item, "skuName");
    karp_str meter = tree_get_text(item, "meterName");
    double price = 0;
    if (!cloud_price_of(tree_get(item, "retailPrice"), &price)) {
        decode_bad(d, "retailPrice", "must be a price that is not negative");
        return;
    }
    if (!equal_letters(tree_get_text(item, "armRegionName"), f->region) ||
        !str_is(tree_get_text(item, "type"), "Consumption"))
        return;
    if (!is_linux_machine(product, sku, meter)) return;
    cloud_machine *size = cloud_facts_find(f, tree_get_text(item, "armSkuName"));
    if (!size) return;
    bool spot = str_ends(sku, " Spot");
    *(spot ? &size->spot : &size->on_demand) = price;
    f->spot_known = f->spot_known || spot;
    ++*taken;
}

/* Reads one response, or a list with several pages. */
karp_status azure_read_prices(const cloud_facts *old, cloud_facts *f, karp_str text, karp_error *error)
{
    decoder d;
    tree *root = NULL;
    size_t taken = 0;
    (void)old;
    decode_begin(&d, f->s.context, &f->s, error);
    d.status = tree_read(&d.trees, str(""), text, &root, error);
    size_t pages = is_list(root) ? items_of(root) : 1;
    if (d.status == KARP_OK && f->count == 0)
        decode_bad(&d, "", "must come after the sizes of the region, which is not built in");
    for (size_t i = 0; i < f->count; i++)
        cloud_facts_at(f, i)->on_demand = cloud_facts_at(f, i)->spot = -1; /* the price list replaces all prices */
    for (size_t page = 0; d.status == KARP_OK && page < pages; page++) {
        const tree *items = tree_get(is_list(root) ? tree_item(root, page) : root, "Items");
        if (!is_list(items)) decode_bad(&d, "Items", "must list prices");
        for (size_t i = 0; d.status == KARP_OK && i < items_of(items); i++) {
            decode_at_element(&d, "Items", i);
            take_item(&d, f, tree_item(items, i), &taken);
        }
    }
    decode_at(&d, "");
    if (d.status == KARP_OK && taken == 0) decode_bad(&d, "Items", "has no price of a size in the region");
    karp_status status = d.status;
    decode_end(&d);
    return status;
}
