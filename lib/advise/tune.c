/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of a search, but for those about results. */
#include <io/reader.h>
#include <advise/tune.h>

#include <karp/library.h>

void karp_tune_options_init(karp_tune_options *options, size_t size)
{
    const karp_tune_options fresh = { 0 };
    struct_start(options, size, &fresh, sizeof fresh);
}

/* ---- the NodePools ----------------------------------------------------------------------------------------------- */

/* What the server adds, and what another NodePool would have otherwise, is left out. */
static void strip(trees *memory, tree *pool)
{
    static const char *const kept[] = { "name", "labels", "annotations" };
    static const char *const dropped[] = { "karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version",
                                           "kubectl.kubernetes.io/last-applied-configuration" };
    tree *given = tree_get(pool, "metadata"), *metadata = tree_new(memory, TREE_MAP);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        tree *value = tree_get(given, kept[i]);
        if (value) tree_set(memory, metadata, kept[i], value);
    }
    tree *annotations = tree_get(metadata, "annotations");
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) tree_remove(memory, annotations, dropped[i]);
    if (annotations && tree_count(annotations) == 0) tree_remove(memory, metadata, "annotations");
    tree_set(memory, pool, "metadata", metadata);
    tree_remove(memory, pool, "status");
}

static karp_status take_pools(karp_tune *t, const tree *snapshot, karp_error *error)
{
    const tree *objects = tree_get(snapshot, "objects");
    t->pools = tree_new(&t->trees, TREE_LIST);
    t->well_known = tree_deep_copy(&t->trees, tree_get(tree_get(snapshot, "labels"), "wellKnown"), true);
    for (size_t i = 0; i < tree_count(objects); i++) {
        if (!str_is(tree_get_text(tree_item(objects, i), "kind"), "NodePool")) continue;
        tree *pool = tree_deep_copy(&t->trees, tree_item(objects, i), true);
        strip(&t->trees, pool);
        tree_append(&t->trees, t->pools, pool);
    }
    if (t->trees.status) return fail_nomem(error);
    return tree_count(t->pools) ? KARP_OK : fail(error, KARP_E_NOT_FOUND, "the input has no NodePool");
}

/* The dump has the NodePools of every kind of input, with their defaults. */
static karp_status read_pools(karp_tune *t, const karp_reader *reader, const karp_tune_options *options,
                              karp_error *error)
{
    tree *snapshot = NULL;
    t->previews = reader->options.previews;
    karp_status status = karp_reader_dump(reader, &t->dump, error);
    if (status) return status;
    trees read = trees_on(t->context);
    status = tree_read(&read, str("the input"), (karp_str){ t->dump.ptr, t->dump.len }, &snapshot, error);
    if (!status) status = take_pools(t, snapshot, error);
    if (!status) status = tune_read_images(t, options->image_architectures, tree_get(snapshot, "objects"), error);
    if (!status) status = tune_make_loads(t, snapshot, options->loads, options->load_count, error);
    trees_free(&read);
    if (t->replay) karp_text_free(&t->dump);
    return status;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static karp_status check_options(const karp_tune_options *given, karp_tune_options *copy, karp_error *error)
{
    karp_status status = struct_check(given, sizeof *copy, SIZE_THROUGH(karp_tune_options, cap_count), copy,
                                      "karp_tune_options", error);
    if (status) return status;
    if (copy->axis_count > 0 && !copy->axes) return fail_null(error, "karp_tune_options.axes");
    if (copy->cap_count > 0 && !copy->caps) return fail_null(error, "karp_tune_options.caps");
    if (copy->load_count > 0 && !copy->loads) return fail_null(error, "karp_tune_options.loads");
    if (copy->load_count > TUNE_LOADS || (copy->load_count > 0 && copy->replay))
        return fail(error, KARP_E_INVALID, "at most 16 loads are of settled designs; a replay has its own");
    if (!str_given(copy->image_architectures))
        return fail(error, KARP_E_INVALID, "the table of image architectures has a length, but no text");
    if (copy->restart_loss < 0 || (copy->restart_loss > 0 && !copy->replay))
        return fail(error, KARP_E_INVALID, "what a restart loses is of replays, and not negative");
    if (copy->most_designs > TUNE_MOST) return fail(error, KARP_E_INVALID, "at most 10000 designs can be tried");
    return KARP_OK;
}

karp_status karp_tune_new(karp_context *context, const karp_reader *reader, const karp_tune_options *options,
                          karp_tune **out, karp_error *error)
{
    karp_tune_options copy;
    if (!context || !reader || !out) return fail_null(error, "context, reader or out");
    karp_status status = check_options(options, &copy, error);
    if (status) return status;
    karp_tune *t = mem_zalloc(context, sizeof *t);
    if (!t) return karp_context_refusal(context, fail_nomem(error), error);
    t->context = karp_context_ref(context);
    arena_init(&t->data, context);
    trees_init(&t->trees, context);
    t->most = copy.most_designs ? copy.most_designs : TUNE_USUAL;
    t->random = t->seed = copy.seed;
    t->replay = copy.replay != 0;
    t->peer_version = copy.peer_version;
    t->single_value = 1;
    t->restart_loss = copy.restart_loss;
    status = tune_read_caps(t, copy.caps, copy.cap_count, error);
    if (!status) status = read_pools(t, reader, &copy, error);
    if (!status) status = tune_find_axes(t, &copy, error);
    if (!status) t->odometer = arena_array(&t->data, t->axis_count + 1, sizeof *t->odometer);
    if (!status && !t->odometer) status = fail_nomem(error);
    if (status) karp_tune_free(t);
    else *out = t;
    return karp_context_refusal(context, status, error);
}

void karp_tune_free(karp_tune *t)
{
    if (!t) return;
    karp_context *context = t->context;
    for (size_t i = 0; i < t->design_count; i++) tune_forget_days(t, &t->designs[i]);
    mem_free(context, t->axes, t->axis_room * sizeof *t->axes);
    mem_free(context, t->designs, t->design_room * sizeof *t->designs);
    trees_free(&t->trees);
    karp_text_free(&t->dump);
    for (size_t i = 0; i < t->load_count; i++) karp_text_free(&t->loads[i]);
    arena_free(&t->data);
    mem_free(context, t, sizeof *t);
    karp_context_unref(context);
}

size_t karp_tune_axis_count(const karp_tune *tune) { return tune ? tune->axis_count : 0; }

karp_status karp_tune_get_axis(const karp_tune *tune, size_t index, karp_tune_axis *out)
{
    if (!tune || !out) return KARP_E_INVALID;
    if (index >= tune->axis_count) return KARP_E_NOT_FOUND;
    return struct_give(out, &tune->axes[index].shown, sizeof *out, SIZE_THROUGH(karp_tune_axis, value_count));
}

/* ---- the NodePools of a design ----------------------------------------------------------------------------------- */

/* Changes the copy of a NodePool. *changed: some value is not as the input has it. */
static void change(const karp_tune *t, size_t design, trees *memory, tree *pool, bool *changed)
{
    for (size_t a = 0; a < t->axis_count; a++) {
        const tune_axis *axis = &t->axes[a];
        size_t value = design == KARP_TUNE_LOOSEST ? 1 : t->designs[design].values[a];
        if (value == 0 || !tune_is_of(axis, pool)) continue;
        tune_apply(memory, axis, design == KARP_TUNE_LOOSEST ? (karp_str){ NULL, 0 } : axis->values[value], pool);
        *changed = true;
    }
}

static void write_pools(const karp_tune *t, size_t design, trees *memory, strbuf *out)
{
    for (size_t i = 0; i < tree_count(t->pools); i++) {
        bool changed = false;
        tree *pool = tree_deep_copy(memory, tree_item(t->pools, i), false);
        change(t, design, memory, pool, &changed);
        if (!changed) continue;
        if (out->len > 0) strbuf_adds(out, "---\n");
        tree_write_yaml(out, pool);
    }
    out->failed = out->failed || memory->status != KARP_OK;
}

karp_status karp_tune_pools(const karp_tune *tune, size_t design, karp_text *out, karp_error *error)
{
    if (!tune || !out) return fail_null(error, "tune or out");
    if (design != KARP_TUNE_LOOSEST && design >= tune->design_count)
        return fail(error, KARP_E_NOT_FOUND, "no such design");
    write_buffer buffer = buffer_on(tune->context);
    trees memory = trees_on(tune->context);
    write_pools(tune, design, &memory, &buffer.text);
    trees_free(&memory);
    return buffer_finish(&buffer, out, error);
}

karp_status tune_make_snapshot(karp_context *context, const karp_tune *tune, size_t design, size_t load,
                               karp_snapshot **out, karp_error *error)
{
    const karp_text *dump = load < tune->load_count ? &tune->loads[load] : &tune->dump;
    karp_text pools = { NULL, 0, NULL };
    karp_reader_options options;
    karp_reader *reader = NULL;
    if (!tune->dump.ptr) return fail(error, KARP_E_STATE, "a search for replays has no snapshots");
    karp_status status = karp_tune_pools(tune, design, &pools, error);
    if (status) return status;
    karp_reader_options_init(&options, sizeof options);
    options.editable = 1;
    options.peer_version = tune->peer_version;
    options.previews = tune->previews;
    status = karp_reader_new(context, &options, &reader, error);
    if (!status) status = karp_reader_add(reader, str("the input"), (karp_str){ dump->ptr, dump->len }, error);
    if (!status && pools.len > 0)
        status = karp_reader_replace(reader, str("the design"), (karp_str){ pools.ptr, pools.len }, error);
    if (!status) status = karp_reader_finish(reader, out, error);
    karp_reader_free(reader);
    karp_text_free(&pools);
    return status;
}

karp_status karp_tune_snapshot(const karp_tune *tune, size_t design, karp_snapshot **out, karp_error *error)
{
    if (!tune || !out) return fail_null(error, "tune or out");
    return tune_make_snapshot(tune->context, tune, design, SIZE_MAX, out, error);
}
