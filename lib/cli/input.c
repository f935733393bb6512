/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <time.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <karp/inspect.h>
#include <karp/library.h>

/* Notes on a separate catalogue file are printed on standard error. A reader collects the notes on its input. */
static karp_status read_catalogue_file(const cli_options *options, const char *path, karp_catalogue **out,
                                       karp_error *error)
{
    *options->log_notes = true;
    karp_status status = karp_catalogue_read_file(options->context, path, out, error);
    *options->log_notes = false;
    return status;
}

static bool add_paths(karp_reader *reader, const cli_list *paths, karp_error *error)
{
    for (size_t i = 0; i < paths->count; i++) {
        if (karp_reader_add_path(reader, paths->items[i], error) != KARP_OK) return false;
    }
    return true;
}

bool rules_text(const cli_options *options, karp_str *out)
{
    size_t length = 1;
    for (size_t i = 0; i < options->pods_from.count; i++) length += strlen(options->pods_from.items[i]) + 1;
    char *text = karp_alloc(options->context, length);
    *out = (karp_str){ text, 0 };
    for (size_t i = 0; text != NULL && i < options->pods_from.count; i++) {
        size_t n = strlen(options->pods_from.items[i]);
        memcpy(text + out->len, options->pods_from.items[i], n);
        text[out->len + n] = '\n';
        out->len += n + 1;
    }
    if (text == NULL) print_problem(NULL, "out of memory");
    return text != NULL;
}

void rules_free(const cli_options *options, karp_str text)
{
    karp_free(options->context, (void *)(uintptr_t)text.ptr, text.len + 1);
}

static bool add_rules(karp_reader *reader, const cli_list *rules, karp_error *error)
{
    for (size_t i = 0; i < rules->count; i++) {
        if (karp_reader_add_pod_kind(reader, str(rules->items[i]), error) != KARP_OK) return false;
    }
    return true;
}

/* Like add_paths(), and keeps the texts of files that can be read only once; or adds such texts. */
static bool add_files(const cli_options *options, cli_input *input, karp_error *error, bool *told)
{
    const cli_list *paths = &options->files;
    if (!options->rounds_of_hooks) return add_paths(input->reader, paths, error);
    size_t bytes = paths->count * sizeof(strbuf);
    cli_kept *kept = &input->kept;
    if (options->kept == NULL && paths->count > 0) {
        kept->texts = karp_alloc(options->context, bytes);
        if (kept->texts == NULL) return fail_nomem(error) == KARP_OK;
        for (size_t i = 0; i < paths->count; i++) strbuf_init(&kept->texts[i], options->context);
        kept->count = paths->count;
    }
    for (size_t i = 0; i < paths->count; i++) {
        const char *path = paths->items[i];
        const strbuf *text = options->kept != NULL ? &options->kept->texts[i] : &kept->texts[i];
        if (text_file_is_stream(path) && options->kept == NULL) {
            *told = !text_file_read(options, path, &kept->texts[i]);
            if (*told) return false;
        }
        karp_status status = !text_file_is_stream(path)
                                 ? karp_reader_add_path(input->reader, path, error)
                                 : karp_reader_add(input->reader, str(path),
                                                   (karp_str){ text->len ? text->ptr : "", text->len }, error);
        if (status != KARP_OK) return false;
    }
    return true;
}

static bool fill_reader(const cli_options *options, cli_input *input, karp_error *error, bool *told)
{
    karp_reader *reader = input->reader;
    for (size_t i = 0; i < options->catalogues.count; i++) {
        karp_catalogue *catalogue = NULL;
        if (read_catalogue_file(options, options->catalogues.items[i], &catalogue, error) != KARP_OK) return false;
        karp_status status = karp_reader_add_catalogue(reader, catalogue, error);
        karp_catalogue_unref(catalogue);
        if (status != KARP_OK) return false;
    }
    if (!add_files(options, input, error, told)) return false;
    for (size_t i = 0; i < options->prices.count; i++) {
        if (karp_reader_add_prices_path(reader, options->prices.items[i], error) != KARP_OK) return false;
    }
    return true;
}

/* "shop/api=20" */
static karp_status scale(karp_reader *reader, const char *given, karp_error *error)
{
    const char *sign = strrchr(given, '=');
    uint64_t replicas = 0;
    if (sign == NULL || !parse_count(sign + 1, &replicas))
        return fail(error, KARP_E_INVALID, "--scale %.200s: expected WORKLOAD=N, as in web=5", given);
    return karp_reader_scale(reader, (karp_str){ given, (size_t)(sign - given) }, replicas, error);
}

/* Applies the changes to the input: whole objects first, so that they can be deleted and scaled. */
static bool change_reader(const cli_options *options, karp_reader *reader, karp_error *error)
{
    for (size_t i = 0; i < options->replaced.count; i++) {
        if (karp_reader_replace_path(reader, options->replaced.items[i], error) != KARP_OK) return false;
    }
    for (size_t i = 0; i < options->deleted.count; i++) {
        if (karp_reader_delete(reader, str(options->deleted.items[i]), error) != KARP_OK) return false;
    }
    for (size_t i = 0; i < options->scaled.count; i++) {
        if (scale(reader, options->scaled.items[i], error) != KARP_OK) return false;
    }
    const cli_difference *laid = options->laid;
    return laid == NULL ||
           karp_reader_apply_difference(reader, laid->before, laid->after, laid->number, error) == KARP_OK;
}

/* --verbose */
static void print_counts(const cli_input *input)
{
    karp_snapshot_counts counts = { .size = sizeof(counts) };
    karp_reader_cloud cloud = { .size = sizeof(cloud) };
    /* Without a cloud the types are given. */
    (void)karp_reader_get_cloud(input->reader, 0, &cloud, NULL);
    karp_snapshot_get_counts(input->snapshot, &counts);
    fprintf(stderr,
            "karp: read: %zu NodePools, %zu nodes, %zu pods (%zu of them pending, %zu kinds), %zu instance types with "
            "%zu offerings%s%.*s\n",
            counts.node_pools, counts.nodes, counts.pods, counts.pods_to_place, counts.pod_classes,
            counts.instance_types, counts.offerings, cloud.region.len > 0 ? " of " : "", (int)cloud.region.len,
            cloud.region.len > 0 ? cloud.region.ptr : "");
}

static bool collect_warnings(const cli_options *options, cli_input *input)
{
    size_t count = karp_reader_warning_count(input->reader);
    if (count + input->note_count == 0) return true;
    count += input->note_count;
    input->warnings = count > SIZE_MAX / 2 / sizeof(karp_str) ? NULL
                                                              : karp_alloc(options->context, count * sizeof(karp_str));
    if (input->warnings == NULL) return false;
    input->warning_count = count;
    input->problem_count = karp_reader_problem_count(input->reader);
    const char *note = input->notes.ptr;
    size_t of_reader = 0, i = 0;
    while (i < input->problem_count) input->warnings[i++] = karp_reader_warning(input->reader, of_reader++);
    for (size_t k = 0; k < input->note_count; k++) {
        input->warnings[i++] = str(note);
        note += strlen(note) + 1;
    }
    while (i < count) input->warnings[i++] = karp_reader_warning(input->reader, of_reader++);
    return true;
}

bool input_incomplete(const cli_input *input, char text[INCOMPLETE_TEXT])
{
    size_t parts = 0;
    for (size_t i = 0; i < input->problem_count; i++) parts += str_starts(input->warnings[i], KARP_NOT_UNDERSTOOD);
    incomplete_text(input->problem_count - parts, parts, text);
    return input->problem_count > 0;
}

/* The current time, in whole seconds. It is used for a cluster, which is read in its current state; files state their
 * own time. */
static int64_t clock_now(void) { return (int64_t)time(NULL) * 1000000000; }

static void print_read_error(const cli_options *options, const cli_input *input, const karp_error *error)
{
    print_error(error);
    /* A file does not replace its own objects. */
    if (error->status == KARP_E_DUPLICATE && strstr(error->message, error->document) == NULL) {
        char hint[sizeof error->document + 96];
        const char *file = error->document[0] != '\0' ? error->document : "FILE";
        (void)snprintf(hint, sizeof hint, "use --replace %s instead of -f to replace objects that were read before",
                       file);
        print_problem("hint", hint);
    }
    if (!options->skip_unknown && error->object[0] != '\0' &&
        (error->status == KARP_E_INVALID || error->status == KARP_E_RANGE))
        print_problem("hint",
                      "--skip-unknown leaves it out, lists it and plans the other objects; no gate passes then");
    if (error->status == KARP_E_NOT_FOUND && strcmp(error->field, "region") == 0) {
        facts_hint(options, input->reader);
    }
}

/* A provider with facts or settings is opened last: the objects show whose they are. false after printing the error. */
static bool set_provider(const cli_options *options, cli_input *input)
{
    if (provider_is_plain(options)) return true;
    input->provider = provider_open(options, input->reader);
    return input->provider != NULL && karp_reader_set_provider(input->reader, input->provider, NULL) == KARP_OK;
}

static bool give_up(const cli_options *options, cli_input *input, bool out_of_memory)
{
    input_free(options, input);
    input->out_of_memory = out_of_memory;
    return false;
}

static void reader_options_of(const cli_options *options, bool keep_documents, karp_reader_options *out)
{
    karp_reader_options_init(out, sizeof *out);
    out->strict = options->strict;
    out->hooks = str(options->hooks);
    out->lenient = options->lenient;
    out->queued = options->queued;
    out->keep_documents = keep_documents;
    out->editable = options->replaced.count + options->deleted.count + options->scaled.count > 0 ||
                    options->laid != NULL || options->requests.recommended != 0;
    out->note_changes = options->note_changes;
    out->no_lint_notes = options->no_lint_notes;
    out->now = options->cluster && options->now == 0 ? clock_now() : options->now;
    out->now_later = options->now_later;
    out->recursive = options->recursive;
    out->skip_unknown = options->skip_unknown;
    out->strict_storage = options->strict_storage;
    out->replicas_from = options->replicas_from;
    out->dra_requests = options->dra_requests;
    out->legacy_node_repair = options->legacy_node_repair;
    out->peer_version = options->peer_version;
    out->previews = options->preview;
    out->feature_gates = str(options->feature_gates);
    out->ignored_kinds = str(options->ignored_kinds);
    /* A plan of least cost is compared with Karpenter's, which respects them. */
    if (options->objective.kind != KARP_OBJECTIVE_COST) out->preferences = options->preferences;
    out->region = str(options->region);
    out->provider = str(options->provider);
}

static void forget_kept(const cli_options *options, cli_kept *kept)
{
    for (size_t i = 0; i < kept->count; i++) strbuf_free(&kept->texts[i]);
    karp_free(options->context, kept->texts, kept->count * sizeof(strbuf));
    *kept = (cli_kept){ 0 };
}

/* What cannot be launched, as one list; of karp whatif it is a change of the plan instead. */
static void list_unavailable(const cli_options *options, strbuf *list)
{
    for (size_t i = 0; i < options->unavailable.count && options->takes_away; i++) {
        if (i > 0) strbuf_addc(list, ',');
        strbuf_adds(list, options->unavailable.items[i]);
    }
}

/* While an input is read, memory that is freed goes back to the system, because other memory takes its place at once.
 * By itself, glibc keeps blocks of a size that was freed once, which decisions gain from. */
static void keep_freed(bool keep)
{
#if defined(__GLIBC__)
    (void)mallopt(M_MMAP_THRESHOLD, keep ? 1 << 25 : 1 << 18);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 26);
#else
    (void)keep;
#endif
}

bool input_read(const cli_options *options, bool keep_documents, cli_input *input)
{
    *input = (cli_input){ 0 };
    if (options->files.count == 0 && !options->cluster)
        return print_problem(NULL, "no input: give files, directories or - (standard input) with -f");
    karp_error error = { .size = sizeof error };
    karp_reader_options reader_options;
    reader_options_of(options, keep_documents, &reader_options);
    strbuf unavailable = strbuf_on(options->context);
    list_unavailable(options, &unavailable);
    reader_options.unavailable = (karp_str){ unavailable.len > 0 ? unavailable.ptr : "", unavailable.len };
    progress_begin("reading");
    keep_freed(false);
    if (unavailable.failed) error.status = KARP_E_NOMEM;
    else (void)karp_reader_new(options->context, &reader_options, &input->reader, &error);
    strbuf_free(&unavailable);
    bool good = error.status == KARP_OK && requests_read(&options->requests, input->reader, &error) &&
                add_rules(input->reader, &options->pods_from, &error);
    bool told = good && options->cluster && !cluster_read(options, input);
    good = good && !told && fill_reader(options, input, &error, &told) && change_reader(options, input->reader, &error);
    told = told || (good && !set_provider(options, input));
    good = good && !told && karp_reader_finish(input->reader, &input->snapshot, &error) == KARP_OK;
    keep_freed(true);
    progress_end();
    if (!good) {
        if (!told) print_read_error(options, input, &error);
        return give_up(options, input, !told && error.status == KARP_E_NOMEM);
    }
    if (karp_reader_hooks(input->reader).len == 0) forget_kept(options, &input->kept);
    /* The title and the digest are computed once. If this ran out of memory, answers would silently lack them. */
    const char *lacks = NULL;
    if (!collect_warnings(options, input)) lacks = "its notes";
    else if (karp_reader_catalogue_title(input->reader).ptr == NULL) lacks = "the name of its catalogue";
    else if (keep_documents && digest_wanted(options) && karp_reader_digest(input->reader).len == 0)
        lacks = "its digest";
    if (lacks != NULL) {
        char text[80];
        (void)snprintf(text, sizeof text, "there is not enough memory for %s", lacks);
        print_problem("input", text);
        return give_up(options, input, true);
    }
    if (options->verbose) print_counts(input);
    return true;
}

double input_price(karp_str instance_type, karp_str zone, karp_str capacity_type, void *user)
{
    return karp_reader_price(user, instance_type, zone, capacity_type);
}

void input_free(const cli_options *options, cli_input *input)
{
    karp_free(options->context, input->warnings, input->warning_count * sizeof(karp_str));
    karp_snapshot_unref(input->snapshot);
    karp_reader_free(input->reader);
    karp_provider_close(input->provider);
    strbuf_free(&input->notes);
    forget_kept(options, &input->kept);
    *input = (cli_input){ 0 };
}

bool input_add_notes(const cli_options *options, cli_input *input, const karp_decision *decision)
{
    size_t more = decision_note_count(decision);
    if (more == 0) return true;
    karp_str *all = karp_alloc(options->context, (input->warning_count + more) * sizeof *all);
    if (all == NULL) return false;
    if (input->warning_count > 0) memcpy(all, input->warnings, input->warning_count * sizeof *all);
    for (size_t i = 0; i < more; i++) all[input->warning_count + i] = karp_decision_warning(decision, i);
    karp_free(options->context, input->warnings, input->warning_count * sizeof *all);
    input->warnings = all;
    input->warning_count += more;
    return true;
}

/* Joins several catalogues to one. Their types are borrowed until it is created. */
static karp_status join(const cli_options *options, karp_catalogue **parts, size_t part_count, karp_catalogue **out,
                        karp_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < part_count; i++) count += karp_catalogue_count(parts[i]);
    size_t bytes = (count == 0 ? 1 : count) * sizeof(karp_instance_type);
    karp_instance_type *types = karp_alloc(options->context, bytes);
    if (types == NULL) {
        error->status = KARP_E_NOMEM;
        return KARP_E_NOMEM;
    }
    size_t used = 0;
    for (size_t i = 0; i < part_count; i++) {
        for (size_t k = 0; k < karp_catalogue_count(parts[i]); k++) types[used++] = *karp_catalogue_type(parts[i], k);
    }
    karp_status status = karp_catalogue_new(options->context, types, used, out, error);
    karp_free(options->context, types, bytes);
    return status;
}

/* The provider's instance types, under a node class if one is given. */
static karp_catalogue *builtin_catalogue(const cli_options *options)
{
    strbuf file = { 0 };
    karp_str name = { 0 }, text = { 0 };
    if (options->files.count > 1) {
        print_problem(NULL, "-f takes one file with one node class here");
        return NULL;
    }
    if (options->files.count == 1) {
        name = str(options->files.items[0]);
        if (!text_file_read(options, options->files.items[0], &file)) return NULL;
        /* An empty file is different from no file. */
        text = file.len > 0 ? (karp_str){ file.ptr, file.len } : str("\n");
    }
    *options->log_notes = true;
    karp_catalogue *result = provider_catalogue(options, name, text);
    *options->log_notes = false;
    strbuf_free(&file);
    return result;
}

karp_catalogue *catalogue_read(const cli_options *options)
{
    karp_error error = { .size = sizeof error };
    karp_catalogue *result = NULL;
    size_t count = options->catalogues.count;
    if (count == 0) return builtin_catalogue(options);
    if (options->files.count > 0 || options->reserved_enis > 0 || options->vm_memory_overhead_given ||
        options->all_types || !provider_is_plain(options)) {
        print_problem(NULL, "--catalogue has everything about its types: -f, --reserved-enis, --vm-memory-overhead, "
                            "--all-types, --facts and --set apply to built-in types only");
        return NULL;
    }
    karp_catalogue **parts = karp_alloc(options->context, count * sizeof(*parts));
    if (parts == NULL) {
        print_problem(NULL, "out of memory");
        return NULL;
    }
    size_t read = 0;
    karp_status status = KARP_OK;
    while (read < count && status == KARP_OK) {
        status = read_catalogue_file(options, options->catalogues.items[read], &parts[read], &error);
        read += status == KARP_OK;
    }
    if (status == KARP_OK && count == 1) result = karp_catalogue_ref(parts[0]);
    else if (status == KARP_OK) status = join(options, parts, count, &result, &error);
    if (status != KARP_OK) print_error(&error);
    for (size_t i = 0; i < read; i++) karp_catalogue_unref(parts[i]);
    karp_free(options->context, parts, count * sizeof(*parts));
    return result;
}

karp_options decision_options(const cli_options *options)
{
    karp_options out;
    karp_options_init(&out, sizeof(out));
    out.now = options->now_later != 0 ? 0 : options->now; /* the snapshot's time includes --now +… */
    out.profile = options->profile;
    out.peer_version = options->peer_version;
    out.flip_rules = options->preview;
    out.claim_order = options->claim_order;
    out.explain = options->explain;
    out.max_steps = options->max_steps;
    out.keep_partial = 1;
    if (options->deadline != 0) {
        out.should_stop = deadline_is_over;
        out.stop_user = (void *)(uintptr_t)options;
    }
    out.objective = options->objective.kind != KARP_OBJECTIVE_COMPATIBLE ? &options->objective : NULL;
    if (options->objective.kind != KARP_OBJECTIVE_COST) out.preferences = options->preferences;
    return out;
}
