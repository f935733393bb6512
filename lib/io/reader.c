/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of the reader, its errors and warnings. */
#include <io/notes.h>
#include <io/previews.h>
#include <io/verticals.h>
#include <io/change.h>
#include <io/clouds.h>
#include <io/foreign.h>
#include <io/sizes.h>

#include <stdio.h>

#include <karp/library.h>

void karp_reader_options_init(karp_reader_options *options, size_t size)
{
    const karp_reader_options fresh = { 0 };
    struct_start(options, size, &fresh, sizeof fresh);
}

karp_status karp_reader_new(karp_context *context, const karp_reader_options *options, karp_reader **out,
                            karp_error *error)
{
    if (!context || !out) return fail_null(error, "context or out");
    karp_reader_options given;
    karp_status status = struct_check(options, sizeof given, SIZE_THROUGH(karp_reader_options, provider), &given,
                                      "karp_reader_options", error);
    if (!status)
        status = STRUCT_CHECK_TEXTS("karp_reader_options", error, &given.region, &given.base_directory, &given.provider,
                                    &given.feature_gates, &given.hooks, &given.ignored_kinds, &given.unavailable);
    if (!status && given.replicas_from > KARP_REPLICAS_MOST)
        status = fail(error, KARP_E_INVALID, "karp_reader_options: replicas_from is none of KARP_REPLICAS_*");
    if (!status && given.dra_requests > KARP_READ_DRA_PLAN)
        status = fail(error, KARP_E_INVALID, "karp_reader_options: dra_requests is none of KARP_READ_DRA_*");
    if (!status && given.preferences > KARP_READ_PREFERENCES_IGNORE)
        status = fail(error, KARP_E_INVALID, "karp_reader_options: preferences is none of KARP_READ_PREFERENCES_*");
    if (!status && given.queued > 1) status = fail(error, KARP_E_INVALID, "karp_reader_options: queued is not 0 or 1");
    if (status) return status;
    karp_builder *builder = NULL;
    status = karp_builder_new(context, &builder, error);
    if (status) return status;
    karp_reader *reader = karp_alloc(context, sizeof *reader);
    if (!reader) {
        karp_builder_free(builder);
        return karp_context_refusal(context, fail_nomem(error), error);
    }
    memset(reader, 0, sizeof *reader);
    const karp_context_options *limits = karp_context_get_options(context);
    reader->context = context;
    reader->builder = builder;
    reader->options = given;
    /* Pods are added when all autoscalers are known. */
    if (io_preview(given.previews, "vpa-prediction")) reader->options.editable = 1;
    reader->limits.nesting = limits->max_nesting;
    reader->limits.aliases = limits->max_aliases;
    reader->limits.bytes = limits->max_document_bytes;
    reader->limits.pods = limits->max_pods;
    reader->asked.latest = KARP_NO_TIME;
    io_clouds_init(reader);
    karp_error_init(&reader->error, sizeof reader->error);
    arena_init(&reader->keep, context);
    arena_init(&reader->scratch, context);
    trees_init(&reader->trees, context);
    trees_init(&reader->passing, context);
    io_pod_templates_init(&reader->pod_templates, context);
    io_pod_likes_init(&reader->pod_likes, context);
    io_packing_init(&reader->packing, context);
    io_table_init(&reader->catalogues.files, context);
    io_table_init(&reader->names, context);
    io_table_init(&reader->attachments.nodes, context);
    io_table_init(&reader->told.warned, context);
    io_table_init(&reader->survey.kind_names, context);
    io_table_init(&reader->clouds.zones.names, context);
    io_table_init(&reader->clouds.asked_zones.names, context);
    io_table_init(&reader->templates, context);
    reader->options.region = io_keep(reader, given.region);
    reader->options.base_directory = io_keep(reader, given.base_directory);
    reader->options.provider = io_keep(reader, given.provider);
    reader->options.feature_gates = io_keep(reader, given.feature_gates);
    reader->options.hooks = io_keep(reader, given.hooks);
    reader->options.ignored_kinds = io_keep(reader, given.ignored_kinds);
    reader->options.unavailable = io_keep(reader, given.unavailable);
    reader->gates.on = KARP_GATE_RESERVED_CAPACITY;
    reader->canonical = arena_alloc(&reader->keep, sizeof *reader->canonical);
    if (reader->canonical) *reader->canonical = (io_canonical){ NULL, "" };
    if (!reader->canonical || !reader->options.region.ptr || !reader->options.base_directory.ptr ||
        !reader->options.provider.ptr || !reader->options.feature_gates.ptr || !reader->options.hooks.ptr ||
        !reader->options.ignored_kinds.ptr || !reader->options.unavailable.ptr) {
        karp_reader_free(reader);
        return karp_context_refusal(context, fail_nomem(error), error);
    }
    status = io_gates_read(reader);
    if (status == KARP_OK) status = io_ignored_read(reader);
    reader->gates.on = (reader->gates.on & ~reader->gates.given) | reader->gates.given_on;
    /* A provider that does not exist is reported now. */
    if (status == KARP_OK) status = io_clouds_check(reader);
    if (status) {
        (void)error_give(&reader->error, error);
        karp_reader_free(reader);
        return status;
    }
    *out = reader;
    return KARP_OK;
}

static void free_zones(karp_context *context, io_zones *zones)
{
    io_table_free(&zones->names);
    karp_free(context, zones->list, zones->capacity * sizeof *zones->list);
}

void karp_reader_free(karp_reader *reader)
{
    if (!reader) return;
    karp_context *context = reader->context;
    io_clouds_free(reader);
    io_sizes_free(reader);
    io_predictions_free(reader);
    for (size_t i = 0; i < reader->catalogues.count; i++) karp_catalogue_unref(reader->catalogues.list[i].catalogue);
    karp_free(context, reader->catalogues.list, reader->catalogues.capacity * sizeof *reader->catalogues.list);
    karp_free(context, reader->survey.kinds, reader->survey.kind_capacity * sizeof *reader->survey.kinds);
    karp_free(context, reader->survey.statics, reader->survey.static_capacity * sizeof *reader->survey.statics);
    karp_free(context, reader->survey.pool_values,
              reader->survey.pool_value_capacity * sizeof *reader->survey.pool_values);
    karp_free(context, reader->sets, reader->set_capacity * sizeof *reader->sets);
    io_table_free(&reader->attachments.nodes);
    karp_free(context, reader->attachments.list, reader->attachments.capacity * sizeof *reader->attachments.list);
    karp_free(context, reader->replaced.list, reader->replaced.capacity * sizeof *reader->replaced.list);
    karp_free(context, reader->deferred, reader->deferred_capacity * sizeof *reader->deferred);
    if (reader->canonical)
        karp_free(context, reader->canonical->order, reader->kept_count * sizeof *reader->canonical->order);
    karp_free(context, reader->kept, reader->kept_capacity * sizeof *reader->kept);
    for (size_t i = 0; i < reader->file_count; i++) strbuf_free(&reader->files[i]);
    karp_free(context, reader->files, reader->file_capacity * sizeof *reader->files);
    karp_free(context, reader->told.warnings, reader->told.warning_capacity * sizeof *reader->told.warnings);
    karp_free(context, reader->told.problems, reader->told.problem_capacity * sizeof *reader->told.problems);
    io_table_free(&reader->catalogues.files);
    io_table_free(&reader->names);
    io_table_free(&reader->told.warned);
    io_table_free(&reader->survey.kind_names);
    free_zones(context, &reader->clouds.zones);
    free_zones(context, &reader->clouds.asked_zones);
    io_table_free(&reader->templates);
    arena_free(&reader->keep);
    arena_free(&reader->scratch);
    io_pod_trees_end(reader);
    trees_free(&reader->trees);
    trees_free(&reader->passing);
    io_pod_templates_clear(&reader->pod_templates);
    io_pod_likes_free(&reader->pod_likes);
    io_packing_free(&reader->packing);
    karp_builder *builder = reader->builder;
    karp_free(context, reader, sizeof *reader);
    karp_builder_free(builder); /* last, because this may free the context */
}

/* The beginning of a call; end_call() is its end. */
static karp_status begin_call(karp_reader *reader, karp_error *error)
{
    karp_status status = in_use_begin(&reader->use, reader->context, "reader", error);
    if (status) return status;
    if (!reader->failed && !reader->finished) return KARP_OK;
    in_use_end(&reader->use);
    return fail(error, KARP_E_STATE,
                reader->failed ? "an earlier call failed: the reader can only be freed" : "the reader is finished");
}

static karp_status end_call(karp_reader *reader, karp_status status, karp_error *error)
{
    in_use_end(&reader->use);
    if (status == KARP_OK) return KARP_OK;
    reader->failed = true;
    io_foreign_explain_object(reader);
    status = karp_context_refusal(reader->context, status, &reader->error);
    reader->error.status = status;
    return error_give(&reader->error, error);
}

/* Ends a call that reads or changes objects. */
static karp_status end_reading(karp_reader *reader, karp_status status, karp_error *error)
{
    if (status) status = io_first_mistake(reader, reader->deferred_count, status);
    return end_call(reader, status, error);
}

static karp_str without_mark(karp_str text)
{
    if (str_starts(text, "\xEF\xBB\xBF")) return (karp_str){ text.ptr + 3, text.len - 3 };
    return text;
}

/* Whether a text is read as JSON: if it starts with '{' followed by a member or '}'. (A YAML flow mapping may start
 * with '{' too.) */
static bool looks_like_json(karp_str name, karp_str text)
{
    size_t i = 0;
    while (i < text.len && memchr(" \t\r\n", text.ptr[i], 4)) i++;
    if (i == text.len || (text.ptr[i] != '{' && text.ptr[i] != '[')) return false;
    if (str_ends(name, ".json")) return true;
    if (str_ends(name, ".yaml") || str_ends(name, ".yml")) return false;
    for (i++; i < text.len && memchr(" \t\r\n", text.ptr[i], 4);) i++;
    return i < text.len && memchr("\"}[{]", text.ptr[i], 5) != NULL;
}

karp_status io_reader_text(karp_reader *reader, karp_str name, karp_str text, strbuf *file)
{
    karp_str document = io_keep(reader, name);
    if (!document.ptr) return io_reader_nomem(reader);
    io_place place = { .document = document };
    if (text.len > reader->limits.bytes) {
        return io_reader_fail(reader, KARP_E_LIMIT, &place, NULL, "the document has %zu bytes, more than the limit",
                              text.len);
    }
    text = without_mark(text);
    if (text.len == 0) return io_warn(reader, "%.400s is empty", document.ptr);
    char binary[300] = "";
    bool planned = !reader->take && !reader->mode.replacing && !reader->catalogues.only_prices;
    /* What is in it is unknown, so a plan without it is not of the whole input. */
    if (io_foreign_binary(document, text, planned, binary, sizeof binary))
        return reader->options.skip_unknown ? io_problem_left_out(reader, document, 1, binary)
                                            : io_reader_fail(reader, KARP_E_SYNTAX, &place, NULL, "%s", binary);
    if (!io_foreign_note(reader, document, text)) return io_reader_nomem(reader);
    uint64_t used = reader->survey.used;
    /* `take` receives documents as trees, which only the YAML reader provides. JSON is YAML, too. */
    karp_status status = !reader->take && looks_like_json(name, text) ? io_read_json(reader, document, text, file)
                                                                      : io_read_yaml(reader, document, text);
    bool unparsed = (status == KARP_E_SYNTAX || status == KARP_E_INVALID) && used == reader->survey.used &&
                    !reader->take;
    if (unparsed) return io_foreign_text(reader, document, text);
    bool parsing = status == KARP_E_SYNTAX || (status == KARP_E_INVALID && reader->error.object[0] == '\0');
    if (parsing) io_foreign_explain_line(reader, document, text);
    return status;
}

karp_status karp_reader_add(karp_reader *reader, karp_str name, karp_str text, karp_error *error)
{
    if (!str_given(name) || !str_given(text)) return fail_null(error, "name or text");
    if (!reader) return fail_null(error, "reader");
    karp_status status = begin_call(reader, error);
    if (status) return status;
    reader->directory = reader->options.base_directory;
    return end_reading(reader, io_reader_text(reader, name, text, NULL), error);
}

static karp_status read_values(karp_reader *reader, karp_str name, const karp_value_source *source, const void *root,
                               bool replacing, karp_error *error)
{
    karp_value_source given;
    karp_status status = struct_check(source, sizeof given, SIZE_THROUGH(karp_value_source, next), &given,
                                      "karp_value_source", error);
    if (status) return status;
    if (!given.read || !given.next) return fail_null(error, "read or next");
    reader->directory = reader->options.base_directory;
    reader->mode.replacing = replacing;
    status = io_read_values(reader, name, &given, root);
    reader->mode.replacing = false;
    return end_reading(reader, status, error);
}

karp_status karp_reader_add_values(karp_reader *reader, karp_str name, const karp_value_source *source,
                                   const void *root, karp_error *error)
{
    if (!str_given(name)) return fail_null(error, "name");
    if (!reader || !source || !root) return fail_null(error, "reader, source or root");
    karp_status status = begin_call(reader, error);
    return status ? status : read_values(reader, name, source, root, false, error);
}

karp_status karp_reader_add_path(karp_reader *reader, const char *path, karp_error *error)
{
    if (!reader || !path) return fail_null(error, "reader or path");
    karp_status status = begin_call(reader, error);
    if (status) return status;
    return end_reading(reader, io_read_path(reader, path), error);
}

static size_t count_prices(const karp_reader *reader)
{
    size_t count = 0;
    for (size_t i = 0; i < reader->deferred_count; i++) count += reader->deferred[i].info->kind == IO_KIND_PRICES;
    return count;
}

karp_status karp_reader_add_prices_path(karp_reader *reader, const char *path, karp_error *error)
{
    if (!reader || !path) return fail_null(error, "reader or path");
    karp_status status = begin_call(reader, error);
    if (status) return status;
    size_t before = count_prices(reader);
    reader->catalogues.only_prices = true;
    status = io_read_path(reader, path);
    reader->catalogues.only_prices = false;
    io_place place = { .document = str(path) };
    if (status == KARP_OK && count_prices(reader) == before)
        status = io_reader_fail(reader, KARP_E_INVALID, &place, NULL,
                                "has no object of kind Prices (apiVersion: karp/v1), as prices have to be given");
    return end_reading(reader, status, error);
}

karp_status karp_reader_add_catalogue(karp_reader *reader, karp_catalogue *catalogue, karp_error *error)
{
    if (!reader || !catalogue) return fail_null(error, "reader or catalogue");
    karp_status status = begin_call(reader, error);
    if (status) return status;
    /* The catalogues of a Snapshot that was read before are replaced. */
    if (!reader->catalogues.own) {
        for (size_t i = 0; i < reader->catalogues.count; i++)
            karp_catalogue_unref(reader->catalogues.list[i].catalogue);
        reader->catalogues.count = 0;
        reader->catalogues.own = true;
    }
    return end_call(reader, io_give_catalogue(reader, karp_catalogue_ref(catalogue), NULL, 0), error);
}

static karp_status begin_change(karp_reader *reader, karp_error *error)
{
    if (!reader) return fail_null(error, "reader");
    karp_status status = begin_call(reader, error);
    if (status) return status;
    if (reader->options.editable) return KARP_OK;
    in_use_end(&reader->use);
    return fail(error, KARP_E_STATE, "the reader is not editable");
}

karp_status karp_reader_replace(karp_reader *reader, karp_str name, karp_str text, karp_error *error)
{
    if (!str_given(name) || !str_given(text)) return fail_null(error, "name or text");
    karp_status status = begin_change(reader, error);
    if (status) return status;
    reader->directory = reader->options.base_directory;
    reader->mode.replacing = true;
    status = io_reader_text(reader, name, text, NULL);
    reader->mode.replacing = false;
    return end_reading(reader, status, error);
}

karp_status karp_reader_replace_values(karp_reader *reader, karp_str name, const karp_value_source *source,
                                       const void *root, karp_error *error)
{
    if (!str_given(name)) return fail_null(error, "name");
    if (!source || !root) return fail_null(error, "source or root");
    karp_status status = begin_change(reader, error);
    return status ? status : read_values(reader, name, source, root, true, error);
}

karp_status karp_reader_replace_path(karp_reader *reader, const char *path, karp_error *error)
{
    if (!path) return fail_null(error, "path");
    karp_status status = begin_change(reader, error);
    if (status) return status;
    reader->mode.replacing = true;
    status = io_read_path(reader, path);
    reader->mode.replacing = false;
    return end_reading(reader, status, error);
}

karp_status karp_reader_delete(karp_reader *reader, karp_str object, karp_error *error)
{
    if (!str_given(object)) return fail_null(error, "object");
    karp_status status = begin_change(reader, error);
    return status ? status : end_reading(reader, io_delete(reader, object), error);
}

karp_status karp_reader_scale(karp_reader *reader, karp_str workload, uint64_t replicas, karp_error *error)
{
    if (!str_given(workload)) return fail_null(error, "workload");
    karp_status status = begin_change(reader, error);
    return status ? status : end_reading(reader, io_scale(reader, workload, replicas), error);
}

karp_status karp_reader_finish(karp_reader *reader, karp_snapshot **out, karp_error *error)
{
    if (!reader || !out) return fail_null(error, "reader or out");
    karp_status status = begin_call(reader, error);
    if (status) return status;
    status = io_finish(reader, out);
    if (status == KARP_OK) reader->finished = true;
    return end_call(reader, status, error);
}

size_t karp_reader_warning_count(const karp_reader *reader)
{
    return reader->told.problem_count + reader->told.warning_count;
}

size_t karp_reader_problem_count(const karp_reader *reader) { return reader->told.problem_count; }

karp_str karp_reader_warning(const karp_reader *reader, size_t index)
{
    if (index < reader->told.problem_count) return reader->told.problems[index].text;
    index -= reader->told.problem_count;
    return index < reader->told.warning_count ? reader->told.warnings[index] : (karp_str){ NULL, 0 };
}

uint32_t karp_reader_method(const karp_reader *reader) { return reader->asked.method; }

/* ---- errors and warnings ----------------------------------------------------------------------------------------- */

karp_status io_reader_nomem(karp_reader *reader) { return fail_nomem(&reader->error); }

void io_reader_name(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name)
{
    char shown_kind[64], shown_space[64], shown_name[64];
    str_shorten(shown_kind, sizeof shown_kind, kind);
    str_shorten(shown_space, sizeof shown_space, namespace_);
    str_shorten(shown_name, sizeof shown_name, name);
    (void)snprintf(reader->error.object, sizeof reader->error.object, "%s%s%s%s%s", shown_kind,
                   name.len || namespace_.len ? " " : "", shown_space, namespace_.len ? "/" : "", shown_name);
}

karp_status io_reader_bad(karp_reader *reader, const io_decoder *d, const io_place *place, const tree *root)
{
    io_place at = *place;
    reader->error = d->error;
    if (d->status == KARP_E_NOMEM) return d->status;
    io_place_refine(&at, root, d->path, d->depth < IO_PATH_MOST ? d->depth : IO_PATH_MOST);
    io_error_place(&reader->error, &at);
    return d->status;
}

karp_status io_reader_fail(karp_reader *reader, karp_status status, const io_place *place, const char *field,
                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfail(&reader->error, status, format, arguments);
    va_end(arguments);
    io_error_place(&reader->error, place);
    if (field) str_shorten(reader->error.field, sizeof reader->error.field, str(field));
    return status;
}

karp_str io_keep(karp_reader *reader, karp_str text)
{
    return (karp_str){ arena_string(&reader->keep, text.ptr, text.len), text.len };
}

karp_str io_keep_json(karp_reader *reader, const tree *root)
{
    strbuf out = strbuf_on(reader->context);
    tree_write(&out, root);
    karp_str kept = { NULL, 0 };
    if (!out.failed) kept = io_keep(reader, (karp_str){ out.ptr, out.len });
    strbuf_free(&out);
    return kept;
}

static void log_note(const karp_reader *reader, karp_str text)
{
    const karp_context_options *options = karp_context_get_options(reader->context);
    if (options->log) options->log(KARP_LOG_WARNING, text, options->log_user);
}

/* Takes part of a text out. */
typedef struct text_part {
    size_t from, length;
} text_part;

static karp_str bare_of(karp_reader *reader, karp_str text, text_part place)
{
    char bare[1200] = "";
    size_t prefix = sizeof KARP_PROBLEM - 1, end = place.from + place.length;
    if (place.length == 0) return (karp_str){ text.ptr + prefix, text.len - prefix };
    str_append(bare, sizeof bare, "%.*s%s", (int)(place.from - prefix), text.ptr + prefix, text.ptr + end);
    return io_keep(reader, str(bare));
}

/* `place`: where the message says the object is. */
static karp_status keep_problem(karp_reader *reader, const char *message, text_part place)
{
    karp_str kept = io_keep(reader, str(message));
    if (!kept.ptr || !grow(reader->context, (void **)&reader->told.problems, &reader->told.problem_capacity,
                           reader->told.problem_count + 1, sizeof *reader->told.problems))
        return io_reader_nomem(reader);
    karp_str bare = bare_of(reader, kept, place);
    if (!bare.ptr) return io_reader_nomem(reader);
    reader->told.problems[reader->told.problem_count++] = (io_problem_note){ kept, bare, false };
    log_note(reader, kept);
    return KARP_OK;
}

static karp_status keep_warning(karp_reader *reader, const char *message)
{
    karp_str kept = io_keep(reader, str(message));
    if (!kept.ptr || !grow(reader->context, (void **)&reader->told.warnings, &reader->told.warning_capacity,
                           reader->told.warning_count + 1, sizeof kept))
        return io_reader_nomem(reader);
    reader->told.warnings[reader->told.warning_count++] = kept;
    log_note(reader, kept);
    return KARP_OK;
}

/* What a note begins with, and whether it is made once. */
typedef struct note_kind {
    const char *prefix; /* NULL = a warning */
    bool once;
    const io_place *place; /* stands before the text; NULL = none */
} note_kind;

static karp_status __attribute__((format(printf, 3, 0)))
note(karp_reader *reader, note_kind kind, const char *format, va_list arguments)
{
    char message[1000] = "", where[IO_PLACE_TEXT];
    text_part place = { 0, 0 };
    if (kind.prefix) str_append(message, sizeof message, "%s", kind.prefix);
    place.from = strlen(message);
    if (kind.place) str_append(message, sizeof message, "%s: ", io_place_text(kind.place, where));
    size_t before = strlen(message);
    place.length = before - place.from;
    (void)vsnprintf(message + before, 512, format, arguments);
    if (kind.once) {
        if (io_table_get(&reader->told.warned, str(message)) != IO_NONE) return KARP_OK;
        if (!io_table_put(&reader->told.warned, str(message), 1)) return io_reader_nomem(reader);
    }
    return kind.prefix ? keep_problem(reader, message, place) : keep_warning(reader, message);
}

static karp_status problem(karp_reader *reader, const io_deferred *w, const char *what, const char *why,
                           const char *next)
{
    char message[1000] = KARP_PROBLEM, name[300], where[IO_PLACE_TEXT];
    const tree *metadata = tree_get(w->root, "metadata");
    karp_str kind = io_kind_of(w), space = tree_get_text(metadata, "namespace");
    str_shorten(name, sizeof name, w->name.len ? w->name : str("without a name"));
    str_append(message, sizeof message, "%.*s %.*s%s%s %s", str_shown(kind, 64), kind.ptr, str_shown(space, 64),
               space.ptr, space.len ? "/" : "", name, what);
    text_part place = { strlen(message), 0 };
    if (w->place.document.len > 0) str_append(message, sizeof message, " (%s)", io_place_text(&w->place, where));
    place.length = strlen(message) - place.from;
    str_append(message, sizeof message, ": %s%s", why, next);
    return keep_problem(reader, message, place);
}

karp_status io_problem(karp_reader *reader, const io_deferred *w, const char *why)
{
    return problem(reader, w, "creates pods that are not planned", why, "");
}

karp_status io_problem_left_out(karp_reader *reader, karp_str document, unsigned long line, const char *why)
{
    char message[1000] = KARP_PROBLEM;
    text_part place = { sizeof KARP_PROBLEM - 1, 0 };
    str_append(message, sizeof message, "%.*s:%lu: ", str_shown(document, 300), document.len ? document.ptr : "", line);
    place.length = strlen(message) - place.from;
    str_append(message, sizeof message, "left out: %s", why);
    return keep_problem(reader, message, place);
}

karp_status io_problem_carried(karp_reader *reader, karp_str text)
{
    char message[1200] = KARP_PROBLEM;
    str_append(message, sizeof message, "%.*s", str_shown(text, 1100), text.len ? text.ptr : "");
    return keep_problem(reader, message, (text_part){ 0, 0 });
}

karp_status io_refused(karp_reader *reader, const io_deferred *w, const char *why)
{
    return problem(reader, w, "is not planned, as the API server refuses it", why, " (--lenient plans it)");
}

#define NOTE(prefix, once, place)                                                                                      \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    karp_status status = note(reader, (note_kind){ prefix, once, place }, format, arguments);                          \
    va_end(arguments);                                                                                                 \
    return status

karp_status io_warn(karp_reader *reader, const char *format, ...) { NOTE(NULL, false, NULL); }

karp_status io_warn_once(karp_reader *reader, const char *format, ...) { NOTE(NULL, true, NULL); }

karp_status io_not_understood(karp_reader *reader, const char *format, ...) { NOTE(KARP_NOT_UNDERSTOOD, false, NULL); }

karp_status io_not_understood_once(karp_reader *reader, const char *format, ...)
{
    NOTE(KARP_NOT_UNDERSTOOD, true, NULL);
}

karp_status io_not_understood_at(karp_reader *reader, const io_place *place, const char *format, ...)
{
    NOTE(KARP_NOT_UNDERSTOOD, false, place);
}
