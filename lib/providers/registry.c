/* SPDX-License-Identifier: Apache-2.0 */
/* The providers that can be opened by name. */
#include <providers/builtin.h>
#include <providers/provider.h>

#include <karp/library.h>

typedef struct registered {
    karp_provider_plugin plugin;
    void *object; /* shared object; NULL = built in */
    char *path; /* path of the object */
    size_t path_bytes;
} registered;

struct karp_provider_registry {
    karp_context *context;
    karp_catalogue *keep_alive; /* an empty catalogue, which keeps the context alive */
    registered *list;
    size_t count, capacity;
};

static registered *find(const karp_provider_registry *r, karp_str name)
{
    for (size_t i = 0; i < r->count; i++) {
        if (str_is(name, r->list[i].plugin.name)) return &r->list[i];
    }
    return NULL;
}

static karp_status add(karp_provider_registry *r, const karp_provider_plugin *plugin, karp_error *error)
{
    if (find(r, str(plugin->name)))
        return provider_fail(error, KARP_E_DUPLICATE, "name", "there is a provider %s already", plugin->name);
    if (!grow(r->context, (void **)&r->list, &r->capacity, r->count + 1, sizeof *r->list)) return fail_nomem(error);
    r->list[r->count++] = (registered){ .plugin = *plugin };
    return KARP_OK;
}

karp_status karp_provider_registry_new(karp_context *context, karp_provider_registry **out, karp_error *error)
{
    if (!context || !out) return fail_null(error, "context or out");
    karp_provider_registry *r = karp_alloc(context, sizeof *r);
    if (!r) return fail_nomem(error);
    memset(r, 0, sizeof *r);
    r->context = context;
    karp_status status = karp_catalogue_new(context, NULL, 0, &r->keep_alive, error);
    for (size_t i = 0; plugin_builtin(i) && status == KARP_OK; i++)
        status = karp_provider_registry_add(r, plugin_builtin(i)->plugin, error);
    if (status) karp_provider_registry_free(r);
    else *out = r;
    return status;
}

void karp_provider_registry_free(karp_provider_registry *registry)
{
    if (!registry) return;
    karp_context *context = registry->context;
    karp_catalogue *keep_alive = registry->keep_alive;
    for (size_t i = 0; i < registry->count; i++) {
        plugin_unload(registry->list[i].object);
        karp_free(context, registry->list[i].path, registry->list[i].path_bytes);
    }
    karp_free(context, registry->list, registry->capacity * sizeof *registry->list);
    karp_free(context, registry, sizeof *registry);
    karp_catalogue_unref(keep_alive);
}

karp_status karp_provider_registry_add(karp_provider_registry *registry, const karp_provider_plugin *plugin,
                                       karp_error *error)
{
    karp_provider_plugin checked;
    karp_status status = plugin_check(plugin, &checked, error);
    return status ? status : add(registry, &checked, error);
}

karp_status karp_provider_registry_load(karp_provider_registry *registry, const char *path, karp_str *name,
                                        karp_error *error)
{
    if (!registry || !path) return fail_null(error, "registry or path");
    karp_provider_plugin checked;
    void *object = NULL;
    karp_status status = plugin_load(path, &object, &checked, error);
    if (status) return status;
    size_t bytes = strlen(path) + 1;
    char *copy = karp_alloc(registry->context, bytes);
    status = copy ? add(registry, &checked, error) : fail_nomem(error);
    if (status) {
        karp_free(registry->context, copy, bytes);
        plugin_unload(object);
        return status;
    }
    registered *entry = &registry->list[registry->count - 1];
    memcpy(copy, path, bytes);
    entry->object = object;
    entry->path = copy;
    entry->path_bytes = bytes;
    if (name) *name = str(entry->plugin.name);
    return KARP_OK;
}

size_t karp_provider_registry_count(const karp_provider_registry *registry) { return registry->count; }

karp_str karp_provider_registry_name(const karp_provider_registry *registry, size_t index)
{
    karp_str none = { NULL, 0 };
    if (registry) return index < registry->count ? str(registry->list[index].plugin.name) : none;
    const builtin_plugin *builtin = plugin_builtin(index);
    return builtin ? str(builtin->plugin->name) : none;
}

static karp_status unknown(karp_error *error, karp_str name)
{
    char known[128] = "";
    for (size_t i = 0; plugin_builtin(i); i++)
        str_append(known, sizeof known, "%s%s", i ? ", " : "", plugin_builtin(i)->plugin->name);
    return provider_fail(error, KARP_E_NOT_FOUND, "", "there is no provider \"%.*s\"; built in are %s",
                         str_shown(name, 80), name.len ? name.ptr : "", known);
}

/* Each open provider has its own reference to the object. */
static karp_status open_object(karp_context *context, const char *path, const karp_provider_options *options,
                               karp_provider **out, karp_error *error)
{
    karp_provider_plugin checked;
    void *object = NULL;
    karp_status status = plugin_load(path, &object, &checked, error);
    return status ? status : provider_open(context, &checked, object, options, out, error);
}

karp_status karp_provider_registry_open(karp_provider_registry *registry, karp_str name,
                                        const karp_provider_options *options, karp_provider **out, karp_error *error)
{
    if (!str_given(name)) return fail_null(error, "name");
    if (!registry || !out) return fail_null(error, "registry or out");
    const registered *entry = find(registry, name);
    if (!entry) return unknown(error, name);
    if (entry->path) return open_object(registry->context, entry->path, options, out, error);
    return provider_open(registry->context, &entry->plugin, NULL, options, out, error);
}

static bool is_path(karp_str name)
{
    return (name.len && memchr(name.ptr, '/', name.len)) || (name.len > 3 && str_ends(name, ".so"));
}

karp_status karp_provider_open(karp_context *context, karp_str name, const karp_provider_options *options,
                               karp_provider **out, karp_error *error)
{
    if (!str_given(name)) return fail_null(error, "name");
    if (!context || !out) return fail_null(error, "context or out");
    if (is_path(name)) {
        char *path = karp_alloc(context, name.len + 1);
        if (!path) return fail_nomem(error);
        memcpy(path, name.ptr, name.len);
        path[name.len] = '\0';
        karp_status status = open_object(context, path, options, out, error);
        karp_free(context, path, name.len + 1);
        return status;
    }
    const builtin_plugin *builtin = plugin_builtin_named(name);
    return builtin ? provider_open(context, builtin->plugin, NULL, options, out, error) : unknown(error, name);
}
