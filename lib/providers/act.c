/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes, defaults, marks, drift, and the optional calls in which the plugin acts: one public function for each call.
 */
#include <providers/provider.h>

karp_status karp_provider_class_hash(karp_provider *provider, const karp_provider_class *node_class,
                                     const karp_provider_memory *memory, karp_str *version, karp_str *hash,
                                     karp_error *error)
{
    if (!provider || !memory || !version || !hash) return fail_null(error, "provider, memory, version or hash");
    if (!provider->plugin.class_hash) return provider_lacks(provider, error, "hash of node classes");
    karp_str own_version = { "", 0 }, own_hash = { "", 0 };
    uint32_t kind = provider->plugin.class_hash(provider->handle, provider_class_data(node_class), memory, &own_version,
                                                &own_hash, provider_new_problem(provider));
    karp_status status = provider_answer(provider, kind, error);
    if (status) return status;
    *version = own_version;
    *hash = own_hash;
    return KARP_OK;
}

#define FIRST_FACTS_INFO SIZE_THROUGH(karp_provider_facts_info, kind_count)

karp_status karp_provider_get_facts_info(karp_provider *provider, const karp_provider_memory *memory,
                                         karp_provider_facts_info *out, karp_error *error)
{
    if (!provider || !memory || !out) return fail_null(error, "provider, memory or out");
    karp_status status = struct_check_size(out, FIRST_FACTS_INFO, "karp_provider_facts_info", error);
    if (status) return status;
    if (!provider->plugin.facts_info) return provider_lacks(provider, error, "facts of its own");
    karp_provider_facts_info info = { .size = sizeof info };
    uint32_t kind = provider->plugin.facts_info(provider->handle, memory, &info, provider_new_problem(provider));
    status = provider_answer(provider, kind, error);
    return status ? status : struct_give(out, &info, sizeof info, FIRST_FACTS_INFO);
}

/* The first missing kind of facts that decisions require. */
static const karp_provider_facts_kind *missing_kind(const karp_provider_facts_info *info)
{
    for (size_t i = 0; i < info->kind_count; i++) {
        if (info->kinds[i].missing.len > 0 && !info->kinds[i].optional) return &info->kinds[i];
    }
    return NULL;
}

karp_status karp_provider_write_facts(karp_provider *provider, const karp_provider_memory *memory, karp_str *text,
                                      karp_error *error)
{
    if (!provider || !memory || !text) return fail_null(error, "provider, memory or text");
    if (!provider->plugin.facts_write) return provider_lacks(provider, error, "table of facts");
    karp_provider_facts_info info = { .size = sizeof info };
    karp_status status = karp_provider_get_facts_info(provider, memory, &info, error);
    if (status) return status;
    const karp_provider_facts_kind *lacking = missing_kind(&info);
    if (lacking) {
        char field[64];
        str_shorten(field, sizeof field, lacking->kind);
        return provider_fail(error, KARP_E_NOT_FOUND, field, "%.*s", (int)lacking->missing.len, lacking->missing.ptr);
    }
    karp_str own = { "", 0 };
    uint32_t kind = provider->plugin.facts_write(provider->handle, memory, &own, provider_new_problem(provider));
    status = provider_answer(provider, kind, error);
    if (status == KARP_OK) *text = own;
    return status;
}

karp_status karp_provider_class_defaults(karp_provider *provider, karp_str name, karp_str text,
                                         const karp_provider_memory *memory, karp_str *out, karp_error *error)
{
    if (!str_given(name) || !str_given(text)) return fail_null(error, "name or text");
    if (!provider || !memory || !out) return fail_null(error, "provider, memory or out");
    karp_str completed = text;
    if (provider->plugin.class_defaults) {
        karp_provider_document document = { .size = sizeof document, .name = name, .text = text };
        uint32_t kind = provider->plugin.class_defaults(provider->handle, &document, memory, &completed,
                                                        provider_new_problem(provider));
        karp_status status = provider_answer(provider, kind, error);
        if (status) return status;
    }
    *out = completed;
    return KARP_OK;
}

karp_status karp_provider_pool_defaults(karp_provider *provider, const karp_requirement *requirements, size_t count,
                                        const karp_provider_memory *memory, const karp_requirement **added,
                                        size_t *added_count, karp_error *error)
{
    if (!provider || (!requirements && count) || !memory) return fail_null(error, "provider, requirements or memory");
    if (!added || !added_count) return fail_null(error, "added or added_count");
    const karp_requirement *list = NULL;
    size_t n = 0;
    if (provider->plugin.pool_defaults) {
        uint32_t kind = provider->plugin.pool_defaults(provider->handle, requirements, count, memory, &list, &n,
                                                       provider_new_problem(provider));
        karp_status status = provider_answer(provider, kind, error);
        if (status) return status;
    }
    *added = list;
    *added_count = n;
    return KARP_OK;
}

karp_status karp_provider_launch_request(karp_provider *provider, const karp_provider_class *node_class,
                                         const karp_provider_launch *launch, karp_str claim,
                                         const karp_provider_memory *memory, karp_str *request, karp_error *error)
{
    if (!str_given(claim)) return fail_null(error, "claim");
    if (!provider || !launch || !memory || !request) return fail_null(error, "provider, launch, memory or request");
    if (!provider->plugin.launch_request) return provider_lacks(provider, error, "requests as data");
    karp_str text = { "", 0 };
    karp_provider_launch own;
    karp_status status = provider_launch_check(launch, &own, error);
    if (status) return status;
    uint32_t kind = provider->plugin.launch_request(provider->handle, provider_class_data(node_class), &own, claim,
                                                    memory, &text, provider_new_problem(provider));
    status = provider_answer(provider, kind, error);
    if (status == KARP_OK) *request = text;
    return status;
}

karp_status karp_provider_launch_result(karp_provider *provider, const karp_provider_class *node_class,
                                        const karp_provider_launch *launch, karp_str answer, int64_t now,
                                        const karp_provider_memory *memory, karp_provider_node *node, karp_error *error)
{
    if (!str_given(answer)) return fail_null(error, "answer");
    if (!provider || !launch || !memory || !node) return fail_null(error, "provider, launch, memory or node");
    if (!provider->plugin.launch_result) return provider_lacks(provider, error, "requests as data");
    karp_provider_node made = { .size = sizeof made, .launched = KARP_NO_TIME };
    karp_provider_launch own;
    karp_status status = provider_launch_check(launch, &own, error);
    if (status == KARP_OK) status = provider_node_check_size(node, error);
    if (status) return status;
    uint32_t kind = provider->plugin.launch_result(provider->handle, provider_class_data(node_class), &own, answer, now,
                                                   memory, &made, provider_new_problem(provider));
    status = provider_answer(provider, kind, error);
    return status ? status : provider_node_give(node, &made);
}

karp_status karp_provider_mark(karp_provider *provider, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                               karp_error *error)
{
    if (!provider || !scope) return fail_null(error, "provider or scope");
    if (!provider->plugin.mark) return provider_lacks(provider, error, "marks of what is unavailable");
    karp_provider_scope own;
    karp_status status = struct_check(scope, sizeof own, SIZE_THROUGH(karp_provider_scope, family), &own,
                                      "karp_provider_scope", error);
    if (!status)
        status = STRUCT_CHECK_TEXTS("karp_provider_scope", error, &own.capacity_type, &own.instance_type, &own.zone,
                                    &own.group, &own.partition, &own.subnet, &own.family, &own.reservation);
    if (status) return status;
    if (ttl < 0 || now > INT64_MAX - ttl)
        return provider_fail(error, KARP_E_INVALID, "ttl", "must not be negative, nor end after the year 2262");
    return provider_answer(
        provider, provider->plugin.mark(provider->handle, &own, now, ttl, provider_new_problem(provider)), error);
}

void karp_provider_expire(karp_provider *provider, int64_t now)
{
    if (provider->plugin.expire) provider->plugin.expire(provider->handle, now);
}

karp_status karp_provider_drift(karp_provider *provider, const karp_provider_class *node_class,
                                const karp_provider_node *node, const karp_provider_memory *memory, karp_str *reason,
                                karp_error *error)
{
    if (!provider || !node || !memory || !reason) return fail_null(error, "provider, node, memory or reason");
    karp_str found = { "", 0 };
    karp_provider_node own;
    karp_status status = struct_check(node, sizeof own, FIRST_PROVIDER_NODE, &own, "karp_provider_node", error);
    if (!status)
        status = STRUCT_CHECK_TEXTS("karp_provider_node", error, &own.provider_id, &own.instance_type, &own.image_id,
                                    &own.subnet_id, &own.reservation_id, &own.phase, &own.kubelet_version);
    if (status) return status;
    if (provider->plugin.drift) {
        uint32_t kind = provider->plugin.drift(provider->handle, provider_class_data(node_class), &own, memory, &found,
                                               provider_new_problem(provider));
        status = provider_answer(provider, kind, error);
        if (status) return status;
    }
    *reason = found;
    return KARP_OK;
}

karp_status karp_provider_repair_policies(karp_provider *provider, const karp_repair_policy **out, size_t *count,
                                          karp_error *error)
{
    if (!provider || !out || !count) return fail_null(error, "provider, out or count");
    const karp_repair_policy *list = NULL;
    size_t n = 0;
    if (provider->plugin.repair_policies) {
        (void)provider_new_problem(provider);
        karp_status status = provider_answer(provider, provider->plugin.repair_policies(provider->handle, &list, &n),
                                             error);
        if (status) return status;
        for (size_t i = 0; i < n; i++) {
            if (list[i].toleration < 0) return provider_bad_answer(provider, error, "a toleration that is negative");
        }
    }
    *out = list;
    *count = n;
    return KARP_OK;
}

void karp_provider_set_gates(karp_provider *provider, uint32_t gates)
{
    if (provider && provider->plugin.set_gates) provider->plugin.set_gates(provider->handle, gates);
}

karp_status karp_provider_node_repairs(karp_provider *provider, uint32_t reboots, const karp_node_repair **out,
                                       size_t *count, karp_error *error)
{
    if (!provider || !out || !count) return fail_null(error, "provider, out or count");
    const karp_node_repair *list = NULL;
    size_t n = 0;
    if (provider->plugin.node_repairs) {
        (void)provider_new_problem(provider);
        uint32_t kind = provider->plugin.node_repairs(provider->handle, reboots, &list, &n);
        karp_status status = provider_answer(provider, kind, error);
        if (status) return status;
    }
    *out = list;
    *count = n;
    return KARP_OK;
}

/* ---- the optional calls ------------------------------------------------------------------------------------------ */

static karp_status http_check(const karp_provider_http *given, karp_provider_http *own, karp_error *error)
{
    return struct_check(given, sizeof *own, SIZE_THROUGH(karp_provider_http, user), own, "karp_provider_http", error);
}

static karp_status take_node(karp_provider *p, uint32_t kind, const karp_provider_node *made, karp_provider_node *out,
                             karp_error *error)
{
    karp_status status = provider_answer(p, kind, error);
    if (status) return status;
    if (made->provider_id.len == 0) return provider_bad_answer(p, error, "a machine without an id");
    return provider_node_give(out, made);
}

karp_status karp_provider_create(karp_provider *provider, const karp_provider_class *node_class,
                                 const karp_provider_launch *launch, karp_str claim, const karp_provider_http *http,
                                 const karp_provider_memory *memory, karp_provider_node *out, karp_error *error)
{
    if (!str_given(claim)) return fail_null(error, "claim");
    if (!provider) return fail_null(error, "provider");
    if (!provider->plugin.create) return provider_lacks(provider, error, "part that acts: create");
    if (!launch || !http || !memory || !out) return fail_null(error, "launch, http, memory or out");
    karp_provider_node made = { .size = sizeof made, .launched = KARP_NO_TIME };
    karp_provider_launch own;
    karp_provider_http net;
    karp_status status = provider_launch_check(launch, &own, error);
    if (status == KARP_OK) status = http_check(http, &net, error);
    if (status == KARP_OK) status = provider_node_check_size(out, error);
    if (status) return status;
    uint32_t kind = provider->plugin.create(provider->handle, provider_class_data(node_class), &own, claim, &net,
                                            memory, &made, provider_new_problem(provider));
    return take_node(provider, kind, &made, out, error);
}

karp_status karp_provider_delete(karp_provider *provider, karp_str provider_id, const karp_provider_http *http,
                                 const karp_provider_memory *memory, karp_error *error)
{
    if (!str_given(provider_id)) return fail_null(error, "provider_id");
    if (!provider) return fail_null(error, "provider");
    if (!provider->plugin.delete_) return provider_lacks(provider, error, "part that acts: delete");
    if (!http || !memory) return fail_null(error, "http or memory");
    karp_provider_http net;
    karp_status status = http_check(http, &net, error);
    if (status) return status;
    return provider_answer(
        provider, provider->plugin.delete_(provider->handle, provider_id, &net, memory, provider_new_problem(provider)),
        error);
}

karp_status karp_provider_get(karp_provider *provider, karp_str provider_id, const karp_provider_http *http,
                              const karp_provider_memory *memory, karp_provider_node *out, karp_error *error)
{
    if (!str_given(provider_id)) return fail_null(error, "provider_id");
    if (!provider) return fail_null(error, "provider");
    if (!provider->plugin.get) return provider_lacks(provider, error, "part that acts: get");
    if (!http || !memory || !out) return fail_null(error, "http, memory or out");
    karp_provider_node made = { .size = sizeof made, .launched = KARP_NO_TIME };
    karp_provider_http net;
    karp_status status = http_check(http, &net, error);
    if (status == KARP_OK) status = provider_node_check_size(out, error);
    if (status) return status;
    uint32_t kind = provider->plugin.get(provider->handle, provider_id, &net, memory, &made,
                                         provider_new_problem(provider));
    return take_node(provider, kind, &made, out, error);
}

karp_status karp_provider_list(karp_provider *provider, const karp_provider_http *http,
                               const karp_provider_memory *memory, const karp_provider_node **out, size_t *count,
                               karp_error *error)
{
    if (!provider) return fail_null(error, "provider");
    if (!provider->plugin.list) return provider_lacks(provider, error, "part that acts: list");
    if (!http || !memory || !out || !count) return fail_null(error, "http, memory, out or count");
    const karp_provider_node *list = NULL;
    size_t n = 0;
    karp_provider_http net;
    karp_status status = http_check(http, &net, error);
    if (status) return status;
    uint32_t kind = provider->plugin.list(provider->handle, &net, memory, &list, &n, provider_new_problem(provider));
    status = provider_answer(provider, kind, error);
    if (status) return status;
    if (n && !list) return provider_bad_answer(provider, error, "no list of machines");
    for (size_t i = 0; i < n; i++) {
        const karp_provider_node *one = (const void *)((const char *)list + i * list->size);
        if (one->size != list->size || one->size < FIRST_PROVIDER_NODE || one->size % sizeof(void *) != 0)
            return provider_bad_answer(provider, error, "machines of an impossible size");
        if (one->provider_id.len == 0) return provider_bad_answer(provider, error, "a machine without an id");
    }
    *out = list;
    *count = n;
    return KARP_OK;
}
