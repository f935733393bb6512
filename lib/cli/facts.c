/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a region: prints the commands that obtain them, and exports them to a file. */
#include "cli.h"

/* An open provider and the data about its facts. */
typedef struct facts_of {
    karp_provider *provider;
    karp_provider_memory *memory;
    karp_provider_facts_info info;
} facts_of;

static karp_status begin_facts(const cli_options *options, karp_provider *provider, facts_of *facts, karp_error *error)
{
    *facts = (facts_of){ .provider = provider, .info = { .size = sizeof(facts->info) } };
    karp_status status = karp_provider_memory_new(options->context, &facts->memory, error);
    return status == KARP_OK ? karp_provider_get_facts_info(provider, facts->memory, &facts->info, error) : status;
}

static void end(facts_of *facts)
{
    karp_provider_memory_free(facts->memory);
    karp_provider_close(facts->provider);
}

static void put(FILE *out, karp_str text) { (void)fwrite(text.ptr, 1, text.len, out); }

/* "karp VERB --provider P --region R --facts KIND=FILE ..." */
static void print_reading(const facts_of *facts, const char *verb, FILE *out)
{
    fprintf(out, "karp %s --provider ", verb);
    put(out, karp_provider_name(facts->provider));
    fputs(" --region ", out);
    put(out, facts->info.region);
    for (size_t i = 0; i < facts->info.kind_count; i++) {
        const karp_provider_facts_kind *kind = &facts->info.kinds[i];
        fputs(" --facts ", out);
        put(out, kind->kind);
        fputc('=', out);
        put(out, kind->file);
    }
}

static void print_commands(const facts_of *facts, FILE *out)
{
    const karp_provider_facts_info *info = &facts->info;
    fputs("# Facts of ", out);
    put(out, karp_provider_name(facts->provider));
    fputs(" in ", out);
    put(out, info->region);
    fputs("; built in are ", out);
    put(out, info->built_in);
    fputs(".\n", out);
    if (info->facts_as_of.len > 0) {
        fputs("# Dates of what is used: ", out);
        put(out, info->facts_as_of);
        fputs(".\n", out);
    }
    for (size_t i = 0; i < info->kind_count; i++) {
        const karp_provider_facts_kind *kind = &info->kinds[i];
        fprintf(out, "# %.*s: %.*s%s\n", (int)kind->kind.len, kind->kind.ptr, (int)kind->what.len, kind->what.ptr,
                kind->optional ? " (optional)" : "");
        if (kind->command.len > 0) {
            fprintf(out, "%.*s > %.*s\n", (int)kind->command.len, kind->command.ptr, (int)kind->file.len,
                    kind->file.ptr);
        }
    }
    fputs("# All of it in one file, for --facts:\n", out);
    print_reading(facts, "facts", out);
    fputs(" > ", out);
    put(out, info->region);
    fputs(".facts\n", out);
}

/* Prints which facts are missing. true = instance types can be created without them. */
static bool check_missing(const facts_of *facts)
{
    bool enough = true;
    for (size_t i = 0; i < facts->info.kind_count; i++) {
        const karp_provider_facts_kind *kind = &facts->info.kinds[i];
        if (kind->missing.len == 0) continue;
        fprintf(stderr, "karp: %s--facts %.*s=FILE: %.*s", kind->optional ? "note: without " : "", (int)kind->kind.len,
                kind->kind.ptr, (int)kind->missing.len, kind->missing.ptr);
        if (!kind->optional) {
            enough = false;
            karp_str how = kind->command.len > 0 ? kind->command : kind->what;
            fprintf(stderr, "; %.*s", (int)how.len, how.ptr);
        }
        fputc('\n', stderr);
    }
    return enough;
}

static int write_facts(const facts_of *facts)
{
    karp_str text = { "", 0 };
    karp_error error = { .size = sizeof error };
    if (!check_missing(facts)) return EXIT_ERROR;
    if (karp_provider_write_facts(facts->provider, facts->memory, &text, &error) != KARP_OK) {
        print_error(&error);
        return EXIT_ERROR;
    }
    return print_output(text) ? EXIT_OK : EXIT_ERROR;
}

static int answer(const cli_options *options, bool write)
{
    facts_of facts;
    karp_error error = { .size = sizeof error };
    karp_reader *reader = provider_reader(options);
    karp_provider *provider = reader != NULL ? provider_open(options, reader) : NULL;
    karp_reader_free(reader);
    if (provider == NULL) return EXIT_ERROR;
    int result = EXIT_OK;
    if (begin_facts(options, provider, &facts, &error) != KARP_OK) {
        print_error(&error);
        result = EXIT_ERROR;
    } else if (facts.info.kind_count == 0) {
        fprintf(stderr, "karp: %.*s has no facts to fetch: it has one list of instance types, and reads no other\n",
                (int)karp_provider_name(provider).len, karp_provider_name(provider).ptr);
        result = EXIT_ERROR;
    } else if (write) {
        result = write_facts(&facts);
    } else {
        print_commands(&facts, stdout);
        result = standard_output_written();
    }
    end(&facts);
    return result;
}

int facts_export(const cli_options *options) { return answer(options, true); }

/* Whether the list "a, b, c" has the name. */
static bool is_listed(karp_str list, karp_str name)
{
    while (list.len > 0) {
        if (equal_str(str_until(&list, ','), name)) return true;
        if (str_starts(list, " ")) list = (karp_str){ list.ptr + 1, list.len - 1 };
    }
    return false;
}

static void print_other_region(const cli_options *options, karp_str name)
{
    facts_of usual;
    karp_provider *provider = NULL;
    if (karp_provider_open(options->context, name, NULL, &provider, NULL) != KARP_OK) return;
    if (begin_facts(options, provider, &usual, NULL) == KARP_OK)
        fprintf(stderr, "karp: hint: or plan with another region's types and prices: --region %.*s\n",
                (int)usual.info.region.len, usual.info.region.ptr);
    end(&usual);
}

void facts_hint(const cli_options *options, karp_reader *reader)
{
    size_t count = karp_reader_cloud_count(reader);
    for (size_t i = 0; i < count; i++) {
        facts_of facts;
        karp_provider *provider = NULL;
        karp_provider_options open;
        karp_reader_cloud cloud = { .size = sizeof(cloud) };
        karp_provider_options_init(&open, sizeof(open));
        if (karp_reader_get_cloud(reader, i, &cloud, NULL) != KARP_OK) return;
        open.region = cloud.region;
        if (karp_provider_open(options->context, cloud.provider, &open, &provider, NULL) != KARP_OK) continue;
        bool known = begin_facts(options, provider, &facts, NULL) != KARP_OK ||
                     is_listed(facts.info.built_in, cloud.region);
        if (!known) {
            fputs("karp: these commands print them:\n", stderr);
            print_commands(&facts, stderr);
            print_other_region(options, cloud.provider);
        }
        end(&facts);
    }
}

enum { SOURCES_INDENT = 2 };

static void print_built_in(const facts_of *facts)
{
    karp_str rest = facts->info.sources, name = karp_provider_name(facts->provider);
    char line[400];
    (void)snprintf(line, sizeof(line), "%.*s: %.*s%s%.*s", (int)name.len, name.ptr, (int)facts->info.built_in.len,
                   facts->info.built_in.ptr, facts->info.built_in.len > 0 ? "; " : "", (int)facts->info.as_of.len,
                   facts->info.as_of.ptr);
    print_words(stdout, line, 0, SOURCES_INDENT);
    while (rest.len > 0) {
        const char *line_end = memchr(rest.ptr, '\n', rest.len);
        size_t length = line_end == NULL ? rest.len : (size_t)(line_end - rest.ptr) + 1;
        (void)snprintf(line, sizeof(line), "%.*s", (int)length, rest.ptr);
        fputs("  ", stdout);
        print_words(stdout, line, SOURCES_INDENT, 2 * SOURCES_INDENT);
        rest.ptr += length;
        rest.len -= length;
    }
}

static void print_regions(const facts_of *facts)
{
    karp_str list = facts->info.built_in; /* "a, b, c" */
    for (size_t i = 0; i < list.len; i++) {
        if (i == 0) putchar(' ');
        if (list.ptr[i] != ',') putchar(list.ptr[i]);
    }
}

/* Calls `print` for every built-in provider that has facts. false = out of memory. */
static bool print_each(const cli_options *options, void (*print)(const facts_of *facts))
{
    karp_provider_registry *registry = NULL;
    karp_status status = karp_provider_registry_new(options->context, &registry, NULL);
    for (size_t i = 0; status != KARP_E_NOMEM && i < karp_provider_registry_count(registry); i++) {
        facts_of facts;
        karp_provider *provider = NULL;
        karp_str name = karp_provider_registry_name(registry, i);
        status = karp_provider_open(options->context, name, NULL, &provider, NULL);
        if (status != KARP_OK) continue;
        status = begin_facts(options, provider, &facts, NULL);
        if (status == KARP_OK) print(&facts);
        end(&facts);
    }
    karp_provider_registry_free(registry);
    return status != KARP_E_NOMEM;
}

bool facts_print_built_in(const cli_options *options)
{
    fputs("Facts and prices of the clouds:\n", stdout);
    return print_each(options, print_built_in);
}

bool facts_print_regions(const cli_options *options) { return print_each(options, print_regions); }

static int run_facts(const cli_options *options) { return answer(options, options->facts.count > 0); }

const cli_verb verb_facts = {
    .name = "facts",
    .arguments = "",
    .summary = "which commands fetch the facts of a cloud's region, and one file of them",
    .details =
        "Prints the commands of the cloud's own tools (aws, az, gcloud) that list the instance types and prices of\n"
        "--region. With --facts KIND=FILE it reads their output and writes one facts file, which every command takes\n"
        "as --facts FILE. If something is missing, it says what, and writes nothing.",
    .options = CLI_OPTION_FACTS,
    .run = run_facts,
};
