/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, facts, node classes, instance types, labels. */
#include <providers/provider.h>
#include <providers/builtin.h>

#include <stdio.h>

#include <karp/library.h>

#include <json/tree.h>

/* ---- calls of the plugin ----------------------------------------------------------------------------------------- */

karp_provider_problem *provider_new_problem(karp_provider *p)
{
    memset(&p->problem, 0, sizeof p->problem);
    p->problem.size = sizeof p->problem;
    return &p->problem;
}

static karp_status status_of(uint32_t kind)
{
    switch (kind) {
    case KARP_PROVIDER_INVALID: return KARP_E_INVALID;
    case KARP_PROVIDER_NOT_FOUND: return KARP_E_NOT_FOUND;
    case KARP_PROVIDER_NO_MEMORY: return KARP_E_NOMEM;
    case KARP_PROVIDER_UNSUPPORTED: return KARP_E_UNSUPPORTED;
    default: return KARP_E_PROVIDER;
    }
}

/* NULL = the plugin is not built in. */
static const builtin_plugin *builtin_of(const karp_provider *p)
{
    return p->object ? NULL : plugin_builtin_named(str(p->plugin.name)); /* a registry has each name once */
}

karp_status provider_answer(karp_provider *p, uint32_t kind, karp_error *error)
{
    karp_provider_problem *problem = &p->problem;
    if (kind == KARP_PROVIDER_OK) return KARP_OK;
    /* Terminates texts that the plugin failed to terminate. */
    problem->reason[sizeof problem->reason - 1] = '\0';
    problem->object[sizeof problem->object - 1] = '\0';
    problem->field[sizeof problem->field - 1] = '\0';
    problem->message[sizeof problem->message - 1] = '\0';
    problem->kind = kind;
    if (kind > KARP_PROVIDER_UNSUPPORTED) return provider_bad_answer(p, error, "a status that does not exist");
    karp_status status = status_of(kind);
    const char *message = problem->message[0]               ? problem->message
                          : kind == KARP_PROVIDER_NO_MEMORY ? "out of memory"
                                                            : "failed";
    if (builtin_of(p)) (void)provider_fail(error, status, problem->field, "%s", message);
    else (void)provider_fail(error, status, problem->field, "provider %s: %s", p->plugin.name, message);
    if (ERROR_HAS(error, object)) {
        memcpy(error->object, problem->object, sizeof problem->object);
        error->line = problem->line;
    }
    return status;
}

karp_status provider_bad_answer(const karp_provider *p, karp_error *error, const char *what)
{
    return provider_fail(error, KARP_E_PROVIDER, "", "provider %s answered %s", p->plugin.name, what);
}

karp_status provider_lacks(const karp_provider *p, karp_error *error, const char *what)
{
    return provider_fail(error, KARP_E_UNSUPPORTED, "", "provider %s has no %s", p->plugin.name, what);
}

const karp_provider_problem *karp_provider_last_problem(const karp_provider *provider) { return &provider->problem; }

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

void karp_provider_options_init(karp_provider_options *options, size_t size)
{
    const karp_provider_options fresh = { 0 };
    struct_start(options, size, &fresh, sizeof fresh);
}

static void free_provider(karp_provider *p)
{
    karp_context *context = p->context;
    karp_catalogue *keep_alive = p->keep_alive;
    void *object = p->object;
    karp_catalogue_unref(p->plain.catalogue);
    karp_free(context, p, sizeof *p);
    karp_catalogue_unref(keep_alive);
    plugin_unload(object);
}

/* A zone is often given as the region. */
static karp_status check_region(const builtin_plugin *builtin, karp_str region, karp_error *error)
{
    size_t length = builtin ? plugin_region_length(builtin, region, true) : 0;
    if (length == 0) return KARP_OK;
    return provider_fail(error, KARP_E_INVALID, "region", "%.*s is a zone: use its region, --region %.*s",
                         str_shown(region, 64), region.ptr, str_shown((karp_str){ region.ptr, length }, 64),
                         region.ptr);
}

karp_status provider_open(karp_context *context, const karp_provider_plugin *plugin, void *object,
                          const karp_provider_options *options, karp_provider **out, karp_error *error)
{
    karp_provider_options own;
    karp_provider *p = NULL;
    karp_status status = struct_check(options, sizeof own, SIZE_THROUGH(karp_provider_options, setting_count), &own,
                                      "karp_provider_options", error);
    if (status == KARP_OK) status = STRUCT_CHECK_TEXTS("karp_provider_options", error, &own.region);
    if (status == KARP_OK && !object) status = check_region(plugin_builtin_named(str(plugin->name)), own.region, error);
    if (status == KARP_OK) {
        p = karp_alloc(context, sizeof *p);
        if (!p) status = fail_nomem(error);
    }
    if (status) {
        plugin_unload(object);
        return status;
    }
    memset(p, 0, sizeof *p);
    p->context = context;
    p->plugin = *plugin;
    p->object = object;
    status = karp_catalogue_new(context, NULL, 0, &p->keep_alive, error);
    if (status == KARP_OK) {
        const karp_allocator *allocator = karp_context_get_options(context)->allocator;
        status = provider_answer(p, plugin->open(allocator, &own, &p->handle, provider_new_problem(p)), error);
    }
    if (status) free_provider(p);
    else *out = p;
    return status;
}

void karp_provider_close(karp_provider *provider)
{
    if (!provider) return;
    provider->plugin.close(provider->handle);
    free_provider(provider);
}

static karp_str text_of(const char *text) { return text ? (karp_str){ text, strlen(text) } : (karp_str){ "", 0 }; }

karp_str karp_provider_name(const karp_provider *provider) { return text_of(provider->plugin.name); }

karp_str karp_provider_class_group(const karp_provider *provider) { return text_of(provider->plugin.class_group); }

karp_str karp_provider_class_kind(const karp_provider *provider) { return text_of(provider->plugin.class_kind); }

/* ---- a document as a list of its leaves, for plugins without a JSON parser --------------------------------------- */

enum { PATH_MOST = 4096 };

typedef struct walker {
    scratch *s;
    karp_provider_field *list;
    size_t count, capacity;
    uint32_t depth, most;
    char path[PATH_MOST];
    size_t length;
    bool too_deep;
} walker;

static void add(walker *w, uint32_t kind, karp_str value)
{
    if (!scratch_grow(w->s, (void **)&w->list, &w->capacity, w->count + 1, sizeof *w->list)) return;
    karp_str path = scratch_text(w->s, (karp_str){ w->path, w->length });
    karp_str text = scratch_text(w->s, value);
    if (!w->s->failed) w->list[w->count++] = (karp_provider_field){ .path = path, .value = text, .kind = kind };
}

static bool plain(karp_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (strchr(".[]\" /", name.ptr[i])) return false;
    }
    return name.len > 0;
}

/* Descends to a member, or to an element if there is no name; false = it does not fit. */
static bool enter(walker *w, const karp_str *name, size_t index)
{
    char *to = w->path + w->length;
    size_t room = sizeof w->path - w->length;
    if (w->depth == w->most || (name && name->len >= room)) {
        w->too_deep = true;
        return false;
    }
    int n = !name          ? snprintf(to, room, "[%zu]", index)
            : plain(*name) ? snprintf(to, room, "%s%.*s", w->length ? "." : "", (int)name->len, name->ptr)
                           : snprintf(to, room, "[\"%.*s\"]", (int)name->len, name->ptr);
    if (n < 0 || (size_t)n >= room) {
        w->too_deep = true;
        return false;
    }
    w->length += (size_t)n;
    w->depth++;
    return true;
}

static void walk(walker *w, const tree *value);

static void walk_inside(walker *w, const tree *value)
{
    size_t before = w->length;
    for (size_t i = 0; i < tree_count(value); i++) {
        bool is_map = tree_is(value, TREE_MAP);
        karp_str name = is_map ? tree_member_name(tree_member_at(value, i)) : str("");
        if (!enter(w, is_map ? &name : NULL, i)) return;
        walk(w, is_map ? tree_member_at(value, i)->value : tree_item(value, i));
        w->length = before;
        w->depth--;
    }
}

static void walk(walker *w, const tree *value)
{
    static const uint32_t kinds[] = {
        [TREE_NULL] = KARP_FIELD_NULL,      [TREE_FALSE] = KARP_FIELD_BOOLEAN, [TREE_TRUE] = KARP_FIELD_BOOLEAN,
        [TREE_INTEGER] = KARP_FIELD_NUMBER, [TREE_REAL] = KARP_FIELD_NUMBER,   [TREE_STRING] = KARP_FIELD_TEXT,
        [TREE_LIST] = KARP_FIELD_LIST,      [TREE_MAP] = KARP_FIELD_OBJECT
    };
    if (w->s->failed || w->too_deep) return;
    if (tree_count(value) > 0) {
        walk_inside(w, value);
        return;
    }
    karp_str text = tree_text_or_digits(value);
    if (tree_is_bool(value)) text = str(tree_is(value, TREE_TRUE) ? "true" : "false");
    add(w, kinds[value->type], text);
}

/* Errors: SYNTAX, LIMIT (nesting), NOMEM. The error contains the document's name. */
static karp_status fields_of(scratch *s, karp_str name, karp_str text, karp_provider_document *out, karp_error *error)
{
    tree *root = NULL;
    trees t = trees_on(s->context);
    karp_status status = tree_read(&t, name, text, &root, error);
    walker *w = status == KARP_OK ? scratch_array(s, 1, sizeof *w) : NULL;
    if (w) {
        w->s = s;
        w->most = karp_context_get_options(s->context)->max_nesting;
        walk(w, root);
    }
    trees_free(&t);
    if (status != KARP_OK) return status;
    if (s->failed || !w) return fail_nomem(error);
    if (w->too_deep) return provider_fail(error, KARP_E_LIMIT, "", "nested too deeply");
    *out = (karp_provider_document){
        .size = sizeof *out, .name = name, .text = text, .fields = w->list, .field_count = w->count
    };
    return KARP_OK;
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

static karp_status in_document(karp_error *error, karp_status status, karp_str name)
{
    if (status && name.len && ERROR_HAS(error, document))
        (void)snprintf(error->document, sizeof error->document, "%.*s", str_shown(name, 127), name.ptr);
    return status;
}

static karp_status make_document(karp_provider *p, scratch *s, karp_str name, karp_str text, bool fields,
                                 karp_provider_document *out, karp_error *error)
{
    uint64_t most = karp_context_get_options(p->context)->max_document_bytes;
    if (text.len > most)
        return provider_fail(error, KARP_E_LIMIT, "", "longer than %llu bytes", (unsigned long long)most);
    if (!text.ptr) text.ptr = "";
    *out = (karp_provider_document){ .size = sizeof *out, .name = name, .text = text };
    return fields ? fields_of(s, name, text, out, error) : KARP_OK;
}

karp_status karp_provider_load_facts(karp_provider *provider, karp_str kind, karp_str name, karp_str text,
                                     karp_error *error)
{
    if (!str_given(kind) || !str_given(name) || !str_given(text)) return fail_null(error, "kind, name or text");
    if (!provider) return fail_null(error, "provider");
    if (!provider->plugin.load_facts) return provider_lacks(provider, error, "facts to load");
    scratch s;
    karp_provider_document document;
    scratch_init(&s, provider->context);
    bool fields = provider->plugin.flags & KARP_PROVIDER_WANTS_FACT_FIELDS;
    karp_status status = make_document(provider, &s, name, text, fields, &document, error);
    if (status == KARP_OK) {
        status = provider_answer(
            provider, provider->plugin.load_facts(provider->handle, kind, &document, provider_new_problem(provider)),
            error);
    }
    scratch_free(&s);
    return in_document(error, status, name);
}

karp_status karp_provider_class_new(karp_provider *provider, karp_str name, karp_str text, karp_provider_class **out,
                                    karp_error *error)
{
    if (!str_given(name) || !str_given(text)) return fail_null(error, "name or text");
    if (!provider || !out) return fail_null(error, "provider or out");
    if (!provider->plugin.class_parse) return provider_lacks(provider, error, "node classes");
    karp_provider_class *made = karp_alloc(provider->context, sizeof *made);
    char *copy = karp_alloc(provider->context, text.len + 1);
    scratch s;
    karp_provider_document document;
    scratch_init(&s, provider->context);
    karp_status status = made && copy ? KARP_OK : fail_nomem(error);
    bool fields = provider->plugin.flags & KARP_PROVIDER_WANTS_FIELDS;
    if (status == KARP_OK) status = make_document(provider, &s, name, text, fields, &document, error);
    void *data = NULL;
    if (status == KARP_OK) {
        status = provider_answer(
            provider, provider->plugin.class_parse(provider->handle, &document, &data, provider_new_problem(provider)),
            error);
    }
    scratch_free(&s);
    if (status) {
        karp_free(provider->context, made, sizeof *made);
        karp_free(provider->context, copy, text.len + 1);
        return in_document(error, status, name);
    }
    if (text.len) memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *made = (karp_provider_class){
        .provider = provider, .data = data, .text = copy, .text_length = text.len, .next = provider->node_classes
    };
    provider->node_classes = made;
    *out = made;
    return KARP_OK;
}

static karp_status class_of_written(karp_provider *provider, karp_str name, const tree *root, karp_provider_class **out,
                                    karp_error *error)
{
    strbuf text = strbuf_on(provider->context);
    tree_write(&text, root);
    karp_status status = text.failed
                             ? fail_nomem(error)
                             : karp_provider_class_new(provider, name, (karp_str){ text.ptr, text.len }, out, error);
    strbuf_free(&text);
    return status;
}

karp_status provider_class_of_tree(karp_provider *provider, karp_str name, const tree *root, karp_provider_class **out,
                                   karp_error *error)
{
    const builtin_plugin *builtin = builtin_of(provider);
    if (!provider->plugin.class_parse) return provider_lacks(provider, error, "node classes");
    if (!builtin) return class_of_written(provider, name, root, out, error);
    void *data = NULL;
    karp_provider_class *made = karp_alloc(provider->context, sizeof *made);
    karp_status status = made ? KARP_OK : fail_nomem(error);
    if (status == KARP_OK)
        status = provider_answer(
            provider, plugin_read_class(provider->handle, root, &data, provider_new_problem(provider)), error);
    if (status) {
        karp_free(provider->context, made, sizeof *made);
        return in_document(error, status, name);
    }
    *made = (karp_provider_class){ .provider = provider, .data = data, .next = provider->node_classes };
    provider->node_classes = made;
    *out = made;
    return KARP_OK;
}

void karp_provider_class_free(karp_provider_class *node_class)
{
    if (!node_class) return;
    karp_provider *p = node_class->provider;
    karp_provider_class **at = &p->node_classes;
    while (*at != node_class) at = &(*at)->next;
    *at = node_class->next;
    p->plugin.class_free(p->handle, node_class->data);
    karp_catalogue_unref(node_class->types.catalogue);
    karp_free(p->context, node_class->text, node_class->text_length + 1);
    karp_free(p->context, node_class, sizeof *node_class);
}

uint32_t karp_provider_class_equal(const karp_provider *provider, const karp_provider_class *a,
                                   const karp_provider_class *b)
{
    if (a == b) return 1;
    if (provider->plugin.class_equal)
        return provider->plugin.class_equal(provider->handle, provider_class_data(a), provider_class_data(b)) != 0;
    return a && b && a->text_length == b->text_length && memcmp(a->text, b->text, a->text_length) == 0;
}

/* ---- instance types, kept as long as nothing changes ------------------------------------------------------------- */

static uint64_t generation_of(const karp_provider *p)
{
    return p->plugin.generation ? p->plugin.generation(p->handle) : 0;
}

/* The types of the class itself, or of an equal class. */
static const provider_types *find_types(const karp_provider *p, const karp_provider_class *node_class,
                                        const provider_types *own, uint64_t generation)
{
    if (own->catalogue && own->generation == generation) return own;
    for (const karp_provider_class *c = p->node_classes; c && node_class; c = c->next) {
        if (!c->types.catalogue || c->types.generation != generation) continue;
        if (karp_provider_class_equal(p, c, node_class)) return &c->types;
    }
    return NULL;
}

/* Memory owned by a catalogue. */
typedef struct kept {
    scratch s;
    karp_context *context;
} kept;

static void free_kept(void *user)
{
    kept *k = user;
    karp_context *context = k->context;
    scratch_free(&k->s);
    karp_free(context, k, sizeof *k);
}

/* Whether the types may be kept in place: data of a shared object must not outlive it. */
static bool may_keep(const karp_provider *p)
{
    return (p->plugin.flags & KARP_PROVIDER_TYPES_SELF_CONTAINED) && !p->object;
}

/* Checks the plugin's types like any other input, but reports a mistake as the plugin's. On success the catalogue may
 * own `k`. */
static karp_status take_types(karp_provider *p, kept *k, const karp_instance_type *types, size_t count,
                              karp_catalogue **out, karp_error *error)
{
    karp_error own = { .size = sizeof own };
    karp_status status = may_keep(p) ? karp_catalogue_adopt(p->context, types, count, free_kept, k, out, &own)
                                     : karp_catalogue_new(p->context, types, count, out, &own);
    if (status == KARP_OK) return KARP_OK;
    if (status != KARP_E_NOMEM && status != KARP_E_LIMIT) status = KARP_E_PROVIDER;
    (void)provider_fail(error, status, own.field, "provider %s: %s", p->plugin.name, own.message);
    if (ERROR_HAS(error, object)) memcpy(error->object, own.object, sizeof own.object);
    return status;
}

static karp_status make_catalogue(karp_provider *p, const karp_provider_class *node_class, karp_catalogue **out,
                                  karp_error *error)
{
    kept *k = karp_alloc(p->context, sizeof *k);
    if (!k) return fail_nomem(error);
    k->context = p->context;
    scratch_init(&k->s, p->context);
    karp_provider_memory memory;
    memory_of_scratch(&k->s, &memory);
    const karp_instance_type *types = NULL;
    size_t count = 0;
    uint32_t kind = p->plugin.instance_types(p->handle, provider_class_data(node_class), &memory, &types, &count,
                                             provider_new_problem(p));
    karp_status status = provider_answer(p, kind, error);
    if (status == KARP_OK && count > 0 && !types) status = provider_bad_answer(p, error, "no list of instance types");
    if (status == KARP_OK) status = take_types(p, k, types, count, out, error);
    if (status || !may_keep(p)) free_kept(k);
    return status;
}

karp_status karp_provider_catalogue(karp_provider *provider, const karp_provider_class *node_class,
                                    karp_catalogue **out, karp_error *error)
{
    if (!provider || !out) return fail_null(error, "provider or out");
    uint64_t generation = generation_of(provider);
    provider_types *own = &provider->plain;
    for (karp_provider_class *c = provider->node_classes; c && node_class; c = c->next) {
        if (c == node_class) own = &c->types;
    }
    const provider_types *known = find_types(provider, node_class, own, generation);
    karp_catalogue *made = known ? karp_catalogue_ref(known->catalogue) : NULL;
    karp_status status = made ? KARP_OK : make_catalogue(provider, node_class, &made, error);
    if (status) return status;
    if (known != own) {
        karp_catalogue_unref(own->catalogue);
        *own = (provider_types){ karp_catalogue_ref(made), generation };
    }
    *out = made;
    return KARP_OK;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

#define FIRST_LABELS SIZE_THROUGH(karp_provider_labels, exotic_count)

karp_status karp_provider_get_labels(karp_provider *provider, karp_provider_labels *out, karp_error *error)
{
    if (!provider || !out) return fail_null(error, "provider or out");
    karp_provider_labels labels = { .size = sizeof labels };
    karp_status status = struct_check_size(out, FIRST_LABELS, "karp_provider_labels", error);
    if (status) return status;
    if (provider->plugin.labels) {
        status = provider_answer(
            provider, provider->plugin.labels(provider->handle, &labels, provider_new_problem(provider)), error);
        if (status) return status;
    }
    return struct_give(out, &labels, sizeof labels, FIRST_LABELS);
}

karp_status karp_provider_settings(karp_provider *provider, karp_settings *into, karp_error *error)
{
    if (!provider || !into) return fail_null(error, "provider or into");
    karp_provider_labels labels = { .size = sizeof labels };
    karp_status status = struct_check_size(into, SIZE_THROUGH(karp_settings, reservation_id_label), "karp_settings",
                                           error);
    if (status == KARP_OK) status = karp_provider_get_labels(provider, &labels, error);
    if (status) return status;
    into->well_known = labels.well_known;
    into->well_known_count = labels.well_known_count;
    into->restricted_domains = labels.restricted_domains;
    into->restricted_domain_count = labels.restricted_domain_count;
    into->normalized = labels.normalized;
    into->normalized_count = labels.normalized_count;
    into->reservation_id_label = labels.reservation_id;
    return KARP_OK;
}
