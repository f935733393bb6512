/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/plugin.h>

#if (defined(_WIN32) || defined(__wasi__)) && !defined(KARP_NO_PLUGINS)
#define KARP_NO_PLUGINS
#endif
#if !defined(KARP_NO_PLUGINS)
#include <dlfcn.h>
#endif
#include <stdio.h>

#include <json/tree.h>
#include <karp/library.h>

/* A larger size is garbage rather than a newer plugin. */
enum { LARGEST = 4096 };
#define SMALLEST                                                                                                       \
    (offsetof(karp_provider_plugin, instance_types) + sizeof(((karp_provider_plugin *)NULL)->instance_types))

static bool good_name(const char *name)
{
    size_t n = name ? strlen(name) : 0;
    for (size_t i = 0; i < n; i++) {
        char c = name[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-') return false;
    }
    return n > 0 && n < 64;
}

/* The name of a required call that is missing. */
static const char *missing(const karp_provider_plugin *p)
{
    if (!p->open) return "open";
    if (!p->close) return "close";
    if (!p->instance_types) return "instance_types";
    if (p->class_parse && !p->class_free) return "class_free";
    if (p->class_parse && !(p->class_kind && p->class_kind[0])) return "class_kind";
    if ((p->load_facts || p->mark) && !p->generation) return "generation";
    if (p->mark && !p->expire) return "expire";
    return NULL;
}

karp_status plugin_check(const karp_provider_plugin *given, karp_provider_plugin *copy, karp_error *error)
{
    if (!given) return provider_fail(error, KARP_E_INVALID, "", "the plugin has no table");
    if (given->abi_version != KARP_PROVIDER_ABI) {
        bool old = given->abi_version < KARP_PROVIDER_ABI;
        return provider_fail(error, old ? KARP_E_ABI_OLD : KARP_E_ABI_NEW, "abi_version",
                             "the plugin is made for version %u of the interface, this library has %u",
                             given->abi_version, (unsigned)KARP_PROVIDER_ABI);
    }
    if (given->size < SMALLEST || given->size > LARGEST || given->size % sizeof(void *) != 0)
        return provider_fail(error, KARP_E_ABI_SIZE, "size", "the plugin's table has a size of %zu bytes", given->size);
    memset(copy, 0, sizeof *copy);
    memcpy(copy, given, given->size < sizeof *copy ? given->size : sizeof *copy);
    if (!good_name(copy->name))
        return provider_fail(error, KARP_E_INVALID, "name", "a provider's name has small letters, digits and dashes");
    const char *without = missing(copy);
    if (!without) return KARP_OK;
    return provider_fail(error, KARP_E_INVALID, without, "provider %s lacks it", copy->name);
}

/* ---- parts of the built-in plugins ------------------------------------------------------------------------------- */

void *plugin_handle_new(const karp_allocator *allocator, size_t bytes, const plugin_kind *kind)
{
    karp_context_options options;
    karp_context *context = NULL;
    karp_context_options_init(&options, sizeof options);
    options.allocator = allocator;
    if (karp_context_new(&options, &context, NULL) != KARP_OK) return NULL;
    plugin_handle *h = karp_alloc(context, bytes);
    if (!h) {
        karp_context_unref(context);
        return NULL;
    }
    memset(h, 0, bytes);
    h->context = context;
    h->bytes = bytes;
    h->kind = kind;
    return h;
}

void plugin_handle_free(plugin_handle *handle)
{
    karp_context *context = handle->context;
    karp_free(context, handle, handle->bytes);
    karp_context_unref(context);
}

uint64_t plugin_generation(const void *handle) { return ((const plugin_handle *)handle)->generation; }

uint32_t plugin_read_class(void *handle, const struct tree *root, void **node_class, karp_provider_problem *problem)
{
    const plugin_handle *h = handle;
    karp_error error = { .size = sizeof error };
    void *c = karp_alloc(h->context, h->kind->class_bytes);
    if (!c) return provider_no_memory(problem);
    if (h->kind->read(h->context, root, c, &error)) {
        karp_free(h->context, c, h->kind->class_bytes);
        return provider_problem_of(problem, &error);
    }
    *node_class = c;
    return KARP_PROVIDER_OK;
}

uint32_t plugin_class_parse(void *handle, const karp_provider_document *document, void **node_class,
                            karp_provider_problem *problem)
{
    tree *root = NULL;
    karp_error error = { .size = sizeof error };
    trees t = trees_on(((const plugin_handle *)handle)->context);
    karp_status status = tree_read(&t, str(""), document->text, &root, &error);
    uint32_t answer = status ? provider_problem_of(problem, &error)
                             : plugin_read_class(handle, root, node_class, problem);
    trees_free(&t);
    return answer;
}

void plugin_class_free(void *handle, void *node_class)
{
    const plugin_handle *h = handle;
    scratch_free(&((plugin_class *)node_class)->s);
    karp_free(h->context, node_class, h->kind->class_bytes);
}

uint32_t plugin_labels(const void *handle, karp_provider_labels *labels, karp_provider_problem *problem)
{
    (void)problem;
    ((const plugin_handle *)handle)->kind->labels(labels);
    return KARP_PROVIDER_OK;
}

uint32_t plugin_repair_policies(const void *handle, const karp_repair_policy **policies, size_t *count)
{
    const plugin_kind *kind = ((const plugin_handle *)handle)->kind;
    *policies = kind->policies;
    *count = kind->policy_count;
    return KARP_PROVIDER_OK;
}

enum { HASH_TEXT = 24 };

/* The hash in decimal digits. */
static karp_str hash_text(uint64_t hash, char out[HASH_TEXT])
{
    int n = snprintf(out, HASH_TEXT, "%llu", (unsigned long long)hash);
    return (karp_str){ out, n > 0 ? (size_t)n : 0 };
}

uint32_t plugin_class_hash(void *handle, const void *node_class, const karp_provider_memory *memory, karp_str *version,
                           karp_str *hash, karp_provider_problem *problem)
{
    char text[HASH_TEXT];
    scratch s;
    if (!node_class)
        return provider_problem(problem, KARP_PROVIDER_INVALID, "", "a node class without a document has no hash");
    scratch_init_on(&s, memory);
    karp_str copy = scratch_text(&s, hash_text(((const plugin_class *)node_class)->hash, text));
    if (s.failed) return provider_no_memory(problem);
    *version = str(((const plugin_handle *)handle)->kind->hash_version);
    *hash = copy;
    return KARP_PROVIDER_OK;
}

bool plugin_is_hash(karp_str text, uint64_t hash)
{
    char own[HASH_TEXT];
    return equal_str(text, hash_text(hash, own));
}

bool plugin_class_changed(const void *handle, const void *node_class, const karp_provider_node *node)
{
    const plugin_kind *kind = ((const plugin_handle *)handle)->kind;
    karp_str hash = label_or_none(node->annotations, node->annotation_count, kind->hash_key);
    karp_str version = label_or_none(node->annotations, node->annotation_count, kind->hash_version_key);
    return hash.len > 0 && str_is(version, kind->hash_version) &&
           !plugin_is_hash(hash, ((const plugin_class *)node_class)->hash);
}

/* ---- shared objects ---------------------------------------------------------------------------------------------- */

static karp_status at_file(karp_error *error, karp_status status, const char *path)
{
    if (status && ERROR_HAS(error, document))
        (void)snprintf(error->document, sizeof error->document, "%.*s", (int)sizeof error->document - 1, path);
    return status;
}

#if defined(KARP_NO_PLUGINS)

karp_status plugin_load(const char *path, void **object, karp_provider_plugin *copy, karp_error *error)
{
    (void)object;
    (void)copy;
    return at_file(error, provider_fail(error, KARP_E_UNSUPPORTED, "", "this build of libkarp loads no plugins"), path);
}

void plugin_unload(void *object) { (void)object; }

#else

/* Prefixes "./" to a name without a slash, because dlopen() would search for it elsewhere. */
static void *open_object(const char *path)
{
    char here[4096];
    if (strchr(path, '/')) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int n = snprintf(here, sizeof here, "./%s", path);
    return n > 0 && (size_t)n < sizeof here ? dlopen(here, RTLD_NOW | RTLD_LOCAL) : NULL;
}

karp_status plugin_load(const char *path, void **object, karp_provider_plugin *copy, karp_error *error)
{
    karp_provider_entry_function entry = NULL;
    void *opened = open_object(path);
    if (!opened) {
        const char *why = dlerror();
        return at_file(error,
                       provider_fail(error, KARP_E_IO, "", "cannot be loaded: %s", why ? why : "the path is too long"),
                       path);
    }
    /* Pointers to functions and to objects have the same size in POSIX, but C does not convert between them. */
    void *symbol = dlsym(opened, "karp_provider_entry");
    _Static_assert(sizeof symbol == sizeof entry, "pointers to functions are as large as others");
    memcpy(&entry, &symbol, sizeof entry);
    karp_status status = entry ? plugin_check(entry(), copy, error)
                               : provider_fail(error, KARP_E_INVALID, "",
                                               "is no provider: it has no karp_provider_entry");
    if (status == KARP_OK) *object = opened;
    else (void)dlclose(opened);
    return at_file(error, status, path);
}

void plugin_unload(void *object)
{
    if (object) (void)dlclose(object);
}

#endif
