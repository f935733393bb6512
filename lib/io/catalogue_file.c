/* SPDX-License-Identifier: Apache-2.0 */
/* karp_catalogue_read() and karp_catalogue_read_file(). */
#include <io/catalogue_read.h>
#include <io/reader.h>
#include <io/files.h>

#include <karp/library.h>

static karp_status read_json(catalogue_reader *reader, karp_str text, karp_error *error)
{
    io_cursor at;
    io_cursor_init(&at, text, reader->context);
    io_skip_space(&at);
    karp_status status = catalogue_reader_add_list(reader, &at, error);
    if (status != KARP_OK) return status;
    io_skip_space(&at);
    if (at.pos == at.end) return KARP_OK;
    io_place place = io_place_of(reader->document, &at);
    fail(error, KARP_E_SYNTAX, "something follows the list");
    if (error) io_error_place(error, &place);
    return KARP_E_SYNTAX;
}

/* ---- YAML -------------------------------------------------------------------------------------------------------- */

static karp_status take_yaml(karp_reader *yaml, tree *root, const io_place *place, void *user)
{
    catalogue_reader *reader = user;
    if (!tree_is(root, TREE_LIST))
        return io_reader_fail(yaml, KARP_E_SYNTAX, place, NULL, "a catalogue is a list of instance types");
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(root) && status == KARP_OK; i++)
        status = catalogue_reader_add(reader, tree_item(root, i), place, &yaml->error);
    return status;
}

static void log_warnings(const karp_reader *yaml)
{
    const karp_context_options *options = karp_context_get_options(yaml->context);
    for (size_t i = 0; options->log && i < yaml->told.warning_count; i++)
        options->log(KARP_LOG_WARNING, yaml->told.warnings[i], options->log_user);
}

/* Documents are read in the same way as by a karp_reader, but each of them is a list of types. */
static karp_status read_yaml(catalogue_reader *reader, karp_str text, karp_error *error)
{
    const karp_context_options *options = karp_context_get_options(reader->context);
    karp_reader yaml;
    memset(&yaml, 0, sizeof yaml);
    yaml.context = reader->context;
    yaml.limits.nesting = options->max_nesting;
    yaml.limits.aliases = options->max_aliases;
    yaml.take = take_yaml;
    yaml.take_user = reader;
    yaml.limits.bytes = options->max_document_bytes;
    karp_error_init(&yaml.error, sizeof yaml.error);
    trees_init(&yaml.trees, yaml.context);
    arena_init(&yaml.keep, yaml.context);
    arena_init(&yaml.scratch, yaml.context);
    io_table_init(&yaml.told.warned, reader->context);
    karp_status status = io_read_yaml(&yaml, reader->document, text);
    if (status != KARP_OK) (void)error_give(&yaml.error, error);
    log_warnings(&yaml);
    karp_free(yaml.context, yaml.told.warnings, yaml.told.warning_capacity * sizeof *yaml.told.warnings);
    io_table_free(&yaml.told.warned);
    arena_free(&yaml.scratch);
    arena_free(&yaml.keep);
    trees_free(&reader->trees);
    reader->trees = yaml.trees; /* it owns the entries' strings */
    return status;
}

/* ---- either format ----------------------------------------------------------------------------------------------- */

static size_t skip_space(karp_str text, size_t at)
{
    while (at < text.len && memchr(" \t\r\n", text.ptr[at], 4)) at++;
    return at;
}

/* Whether a text is read as JSON: if it begins like a JSON list of objects. A YAML list may also begin with a bracket,
 * but hardly with quoted keys. A file called .json is always read as JSON. */
static bool looks_like_json(karp_str name, karp_str text)
{
    if (str_ends(name, ".json")) return true;
    size_t at = skip_space(text, 0);
    if (at == text.len) return !str_ends(name, ".yaml") && !str_ends(name, ".yml");
    if (text.ptr[at] != '[') return false;
    at = skip_space(text, at + 1);
    if (at == text.len || text.ptr[at] == ']') return true;
    if (text.ptr[at] != '{') return false;
    at = skip_space(text, at + 1);
    return at < text.len && (text.ptr[at] == '"' || text.ptr[at] == '}');
}

karp_status karp_catalogue_read(karp_context *context, karp_str name, karp_str text, karp_catalogue **out,
                                karp_error *error)
{
    if (!str_given(name) || !str_given(text)) return fail_null(error, "name or text");
    if (!context || !out) return fail_null(error, "context or out");
    const karp_context_options *options = karp_context_get_options(context);
    if (text.len > options->max_document_bytes) {
        fail(error, KARP_E_LIMIT, "longer than %llu bytes", (unsigned long long)options->max_document_bytes);
        if (error) str_shorten(error->document, sizeof error->document, name);
        return KARP_E_LIMIT;
    }
    /* The byte order mark is skipped. */
    if (str_starts(text, "\xEF\xBB\xBF")) text = (karp_str){ text.ptr + 3, text.len - 3 };
    if (!text.ptr) text.ptr = "";
    catalogue_reader reader;
    catalogue_reader_init(&reader, context, name);
    karp_status status = str_ends(name, ".csv")        ? catalogue_read_csv(&reader, text, error)
                         : looks_like_json(name, text) ? read_json(&reader, text, error)
                                                       : read_yaml(&reader, text, error);
    if (status == KARP_OK) status = catalogue_reader_finish(&reader, out, error);
    catalogue_reader_free(&reader);
    return karp_context_refusal(context, status, error);
}

karp_status karp_catalogue_read_file(karp_context *context, const char *path, karp_catalogue **out, karp_error *error)
{
    if (!context || !path || !out) return fail_null(error, "context, path or out");
    strbuf text;
    karp_status status = io_whole_file(context, str(path), &text, error);
    if (status == KARP_OK)
        status = karp_catalogue_read(context, str(path), (karp_str){ text.ptr, text.len }, out, error);
    strbuf_free(&text);
    return status;
}
