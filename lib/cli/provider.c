/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the provider that the options describe: its name or file, region, settings and facts. */
#include "cli.h"

#include <karp/library.h>

bool provider_is_plain(const cli_options *options) { return options->facts.count == 0 && options->settings.count == 0; }

/* Splits NAME=VALUE; false after printing an error. */
static bool split(const char *option, const char *given, karp_str *name, karp_str *value)
{
    const char *equals = strchr(given, '=');
    if (equals == NULL || equals == given) return print_problem(option, "expected NAME=VALUE");
    *name = (karp_str){ given, (size_t)(equals - given) };
    *value = str(equals + 1);
    return true;
}

enum { SETTINGS_OF_OPTIONS = 5 };

/* Settings that have options of their own, and those given by name. */
typedef struct setting_list {
    karp_label *items;
    size_t count;
    char enis[24], overhead[KARP_VALUE_TEXT];
} setting_list;

static bool fill_settings(const cli_options *options, setting_list *list)
{
    if (options->reserved_enis > 0) {
        (void)snprintf(list->enis, sizeof(list->enis), "%lld", (long long)options->reserved_enis);
        list->items[list->count++] = (karp_label){ str("reservedENIs"), str(list->enis) };
    }
    if (options->vm_memory_overhead_given) {
        karp_double_format(options->vm_memory_overhead, list->overhead);
        list->items[list->count++] = (karp_label){ str("vmMemoryOverheadPercent"), str(list->overhead) };
    }
    if (options->all_types) {
        list->items[list->count++] = (karp_label){ str("allTypes"), str("true") };
    }
    for (size_t i = 0; i < options->settings.count; i++) {
        karp_label *setting = &list->items[list->count++];
        if (!split("--set", options->settings.items[i], &setting->key, &setting->value)) return false;
    }
    return true;
}

static bool load_facts(const cli_options *options, karp_provider *provider)
{
    karp_error error = { .size = sizeof error };
    for (size_t i = 0; i < options->facts.count; i++) {
        karp_str kind, path;
        const char *given = options->facts.items[i];
        if (strchr(given, '=') == NULL) { /* a whole table */
            kind = str("all");
            path = str(given);
        } else if (!split("--facts", given, &kind, &path)) {
            return false;
        }
        if (karp_provider_load_facts_file(options->context, provider, kind, path.ptr, &error) != KARP_OK)
            return print_error(&error);
    }
    return true;
}

/* The cloud of the reader's objects. Facts and settings are those of one provider. */
static bool find_cloud(karp_reader *reader, karp_reader_cloud *cloud)
{
    karp_error error = { .size = sizeof error };
    *cloud = (karp_reader_cloud){ .size = sizeof(*cloud) };
    if (karp_reader_cloud_count(reader) > 1)
        return print_problem("--provider", "the input has several clouds: name the one that --facts and --set are for");
    if (karp_reader_get_cloud(reader, 0, cloud, &error) == KARP_OK) return true;
    return print_error(&error);
}

static bool is_set(const setting_list *list, const char *key)
{
    for (size_t i = 0; i < list->count; i++) {
        if (str_is(list->items[i].key, key)) return true;
    }
    return false;
}

/* The provider's release for the version of --profile, unless --set names one. */
static void add_release(const cli_options *options, karp_str provider, setting_list *list)
{
    if (options->peer_version != KARP_PEER_1_14 || !str_is(provider, "aws") || is_set(list, "release")) return;
    list->items[list->count++] = (karp_label){ str("release"), str("1.14.3") };
}

static karp_provider *open_with(const cli_options *options, karp_reader *reader, setting_list *settings)
{
    karp_provider *provider = NULL;
    karp_provider_options open;
    karp_reader_cloud cloud;
    if (!find_cloud(reader, &cloud)) return NULL;
    karp_error error = { .size = sizeof error };
    karp_provider_options_init(&open, sizeof(open));
    open.region = options->region != NULL ? str(options->region) : cloud.region_assumed ? str("") : cloud.region;
    karp_str name = options->provider != NULL ? str(options->provider) : cloud.provider;
    add_release(options, name, settings);
    /* As the reader does where it opens the provider: zones that the input names are zones of the cluster. */
    if (cloud.zones.len > 0 && equal_str(name, cloud.provider) && !is_set(settings, "zones"))
        settings->items[settings->count++] = (karp_label){ str("zones"), cloud.zones };
    open.settings = settings->items;
    open.setting_count = settings->count;
    if (karp_provider_open(options->context, name, &open, &provider, &error) != KARP_OK) {
        print_error(&error);
        return NULL;
    }
    if (load_facts(options, provider)) return provider;
    karp_provider_close(provider);
    return NULL;
}

karp_provider *provider_open(const cli_options *options, karp_reader *reader)
{
    setting_list list = { .count = 0 };
    size_t bytes = (options->settings.count + SETTINGS_OF_OPTIONS) * sizeof(*list.items);
    list.items = karp_alloc(options->context, bytes);
    if (list.items == NULL) {
        print_problem(NULL, "out of memory");
        return NULL;
    }
    karp_provider *provider = fill_settings(options, &list) ? open_with(options, reader, &list) : NULL;
    karp_free(options->context, list.items, bytes);
    return provider;
}

karp_reader *provider_reader(const cli_options *options)
{
    karp_reader *reader = NULL;
    karp_reader_options reader_options;
    karp_error error = { .size = sizeof error };
    karp_reader_options_init(&reader_options, sizeof(reader_options));
    reader_options.region = str(options->region);
    reader_options.provider = str(options->provider);
    reader_options.peer_version = options->peer_version;
    if (karp_reader_new(options->context, &reader_options, &reader, &error) != KARP_OK) print_error(&error);
    return reader;
}

static karp_status make_catalogue(const cli_options *options, karp_provider *provider, karp_str class_name,
                                  karp_str class_text, karp_catalogue **out, karp_error *error)
{
    karp_provider_class *node_class = NULL;
    karp_status status = KARP_OK;
    if (class_text.len > 0)
        status = karp_provider_class_read(options->context, provider, class_name, class_text, &node_class, error);
    if (status == KARP_OK) status = karp_provider_catalogue(provider, node_class, out, error);
    karp_provider_class_free(node_class);
    return status;
}

karp_catalogue *provider_catalogue(const cli_options *options, karp_str class_name, karp_str class_text)
{
    karp_catalogue *catalogue = NULL;
    karp_provider *provider = NULL;
    karp_error error = { .size = sizeof error };
    karp_reader *reader = provider_reader(options);
    if (reader == NULL) return NULL;
    karp_status status = class_text.len > 0 ? karp_reader_add(reader, class_name, class_text, &error) : KARP_OK;
    if (status == KARP_OK) provider = provider_open(options, reader);
    if (provider != NULL) status = make_catalogue(options, provider, class_name, class_text, &catalogue, &error);
    if (status != KARP_OK) print_error(&error);
    karp_provider_close(provider);
    karp_reader_free(reader);
    return catalogue;
}
