/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a recording: the objects of a cluster, and what changes of them. */
#include <karp/library.h>
#include <karp/recording.h>

#include <io/owner.h>
#include <io/write_buffer.h>
#include <replay/patch.h>

#include <replay/common.h>
#include <replay/document.h>

enum { NAMES_OF_A_PATCH = 200 }; /* about as many bytes */

typedef struct recorded {
    char *text; /* its JSON as in the recording; NULL = it does not exist */
    size_t length;
    uint64_t seen, changed; /* numbers of the looks that saw it last, and that saw it change last */
    size_t turn; /* of the changes of that look */
    uint64_t version; /* metadata.resourceVersion; 0 = unknown */
    uint32_t kin; /* number of its family, 1 and so on; 0 = none */
} recorded;

struct karp_recorder {
    karp_context *context;
    io_table index; /* "Kind/namespace/name" -> list */
    recorded *list;
    size_t count, capacity;
    io_table families; /* objects that are much alike: pods of one controller, nodes of one NodePool */
    uint32_t *heads; /* the member of each that others are compared with */
    size_t family_count, family_capacity;
    uint64_t looks;
    int64_t written_at; /* KARP_NO_TIME = nothing yet */
};

/* ---- what is recorded of an object ------------------------------------------------------------------------------- */

static void remove_all(trees *t, tree *map, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) tree_remove(t, map, names[i]);
}

/* Keeps only these members. */
static void keep(trees *t, tree *object, const char *member, const char *const *names, size_t count)
{
    const tree *given = tree_get(object, member);
    if (!given) return;
    tree *kept = tree_new(t, TREE_MAP);
    for (size_t i = 0; i < count; i++) {
        tree *value = tree_get(given, names[i]);
        if (value) tree_set(t, kept, names[i], value);
    }
    tree_set(t, object, member, kept);
}

#define NAMES(list) list, sizeof(list) / sizeof *(list)

static void trim_containers(trees *t, tree *spec, const char *member)
{
    static const char *const kept[] = { "name", "resources", "ports", "restartPolicy", "resizePolicy" };
    const tree *list = tree_get(spec, member);
    if (!list) return;
    tree *out = tree_new(t, TREE_LIST), *holder = tree_new(t, TREE_MAP);
    for (size_t i = 0; i < tree_count(list); i++) {
        tree_set(t, holder, "c", tree_item(list, i));
        keep(t, holder, "c", NAMES(kept));
        tree_append(t, out, tree_get(holder, "c"));
    }
    tree_set(t, spec, member, out);
}

/* Of conditions only those that decisions read, without what is said to people. */
static void trim_conditions(trees *t, tree *object)
{
    static const char *const unread[] = { "Initialized", "ContainersReady", "PodReadyToStartContainers" },
                             *const said[] = { "message", "lastProbeTime", "observedGeneration" };
    const tree *given = tree_get(tree_get(object, "status"), "conditions");
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < tree_count(given); i++) {
        tree *one = tree_copy(t, tree_item(given, i));
        if (str_in_words(tree_get_text(one, "type"), NAMES(unread))) continue;
        remove_all(t, one, NAMES(said));
        tree_append(t, list, one);
    }
    if (given) tree_set(t, tree_own(t, object, "status", TREE_MAP), "conditions", list);
}

static void trim_pod(trees *t, tree *object)
{
    static const char *const of_status[] = {
        "phase", "reason", "conditions", "startTime", "nominatedNodeName", "resize", "resourceClaimStatuses"
    };
    tree *spec = tree_own(t, object, "spec", TREE_MAP);
    trim_containers(t, spec, "containers");
    trim_containers(t, spec, "initContainers");
    tree_remove(t, spec, "ephemeralContainers");
    keep(t, object, "status", NAMES(of_status));
    trim_conditions(t, object);
}

/* Heartbeats change all the time. */
static void trim_node(trees *t, tree *object)
{
    static const char *const of_status[] = { "allocatable", "capacity", "conditions", "phase", "volumesAttached" };
    keep(t, object, "status", NAMES(of_status));
    tree *status = tree_own(t, object, "status", TREE_MAP), *list = tree_new(t, TREE_LIST);
    const tree *conditions = tree_get(status, "conditions");
    for (size_t i = 0; i < tree_count(conditions); i++) {
        tree *one = tree_copy(t, tree_item(conditions, i));
        tree_remove(t, one, "lastHeartbeatTime");
        tree_append(t, list, one);
    }
    if (conditions) tree_set(t, status, "conditions", list);
}

/* Events are many: only Karpenter's are kept. */
static bool is_kept(const tree *object)
{
    karp_str by = tree_get_text(object, "reportingComponent"),
             source = tree_get_text(tree_get(object, "source"), "component");
    return !str_is(tree_get_text(object, "kind"), "Event") || str_is(by, "karpenter") || str_is(source, "karpenter");
}

static tree *trimmed(trees *t, const tree *object)
{
    static const char *const noise[] = { "managedFields", "resourceVersion", "selfLink", "generation", "generateName" };
    tree *out = tree_copy(t, object), *metadata = tree_own(t, out, "metadata", TREE_MAP);
    karp_str kind = tree_get_text(object, "kind");
    remove_all(t, metadata, NAMES(noise));
    if (tree_get(metadata, "annotations"))
        tree_remove(t, tree_own(t, metadata, "annotations", TREE_MAP),
                    "kubectl.kubernetes.io/last-applied-configuration");
    if (str_is(kind, "Pod")) trim_pod(t, out);
    if (str_is(kind, "Node")) trim_node(t, out);
    return out;
}

/* ---- one look ---------------------------------------------------------------------------------------------------- */

typedef struct look {
    karp_recorder *r;
    trees t;
    strbuf key, text;
    write_buffer line, patched;
    uint32_t *rows; /* of the objects that have changed */
    char **texts; /* their JSON; NULL = gone */
    size_t *lengths;
    size_t changes, row_capacity, text_capacity, length_capacity;
    bool whole;
    bool events; /* the documents are events of a watch: what they do not name is there as before */
    karp_error *error;
} look;

static karp_status no_memory(look *l) { return fail_nomem(l->error); }

static karp_status note_change(look *l, uint32_t row, const char *text, size_t length)
{
    karp_context *context = l->r->context;
    if (!grow(context, (void **)&l->rows, &l->row_capacity, l->changes + 1, sizeof *l->rows) ||
        !grow(context, (void **)&l->texts, &l->text_capacity, l->changes + 1, sizeof *l->texts) ||
        !grow(context, (void **)&l->lengths, &l->length_capacity, l->changes + 1, sizeof *l->lengths))
        return no_memory(l);
    char *kept = text ? mem_alloc(context, length + 1) : NULL;
    if (text && !kept) return no_memory(l);
    if (kept) memcpy(kept, text, length);
    l->rows[l->changes] = row;
    l->lengths[l->changes] = length;
    l->texts[l->changes++] = kept;
    return KARP_OK;
}

/* Its place in the recorder's list. */
static recorded *place_of(look *l, const tree *object)
{
    karp_recorder *r = l->r;
    strbuf_clear(&l->key);
    strbuf_addstr(&l->key, tree_get_text(object, "kind"));
    strbuf_addc(&l->key, '/');
    strbuf_addname(&l->key, io_namespace(object), tree_get_text(tree_get(object, "metadata"), "name"));
    uint32_t *row = l->key.failed ? NULL : io_table_at(&r->index, (karp_str){ l->key.ptr, l->key.len });
    if (!row) return NULL;
    if (*row == IO_NONE) {
        if (!grow(r->context, (void **)&r->list, &r->capacity, r->count + 1, sizeof *r->list)) return NULL;
        r->list[r->count] = (recorded){ 0 };
        *row = (uint32_t)r->count++;
    }
    return &r->list[*row];
}

/* The number of its family. */
static uint32_t kin_of(look *l, const tree *object)
{
    karp_recorder *r = l->r;
    io_owner owner = io_controller(object);
    karp_str pool = tree_get_text(tree_get(tree_get(object, "metadata"), "labels"), "karpenter.sh/nodepool");
    if (!owner.kind[0] && pool.len == 0) return 0;
    strbuf_clear(&l->key);
    strbuf_addstr(&l->key, tree_get_text(object, "kind"));
    strbuf_addc(&l->key, '/');
    strbuf_addstr(&l->key, owner.kind[0] ? str(owner.kind) : pool);
    strbuf_addc(&l->key, '/');
    strbuf_addname(&l->key, io_namespace(object), owner.name);
    uint32_t *number = l->key.failed ? NULL : io_table_at(&r->families, (karp_str){ l->key.ptr, l->key.len });
    if (number && *number == IO_NONE) {
        if (!grow(r->context, (void **)&r->heads, &r->family_capacity, r->family_count + 1, sizeof *r->heads)) return 0;
        r->heads[r->family_count] = IO_NONE;
        *number = (uint32_t)++r->family_count;
    }
    return number ? *number : 0;
}

static karp_status refuse(look *l, karp_str document, const char *why)
{
    karp_status status = fail(l->error, KARP_E_INVALID, "%s", why);
    error_set_place(l->error, document, 0, 0, KARP_NO_OFFSET);
    return status;
}

/* 0 = it has none, or one that is no number. */
static uint64_t version_of(const tree *object)
{
    karp_str text = tree_get_text(tree_get(object, "metadata"), "resourceVersion");
    uint64_t out = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || out > UINT64_MAX / 100) return 0;
        out = 10 * out + (uint64_t)(text.ptr[i] - '0');
    }
    return out;
}

/* What an earlier event of the same look said of the object does not count. */
static karp_status note_again(look *l, recorded *one, const char *text, size_t length)
{
    char *kept = text ? mem_alloc(l->r->context, length + 1) : NULL;
    if (text && !kept) return no_memory(l);
    if (kept) memcpy(kept, text, length);
    if (l->texts[one->turn]) mem_free(l->r->context, l->texts[one->turn], l->lengths[one->turn] + 1);
    l->texts[one->turn] = kept;
    l->lengths[one->turn] = length;
    return KARP_OK;
}

/* The object is this text now; NULL = it does not exist any more. */
static karp_status note_object(look *l, recorded *one, const tree *object, const char *text, size_t length)
{
    bool again = one->changed == l->r->looks;
    one->seen = text ? l->r->looks : 0;
    if (again) return note_again(l, one, text, length);
    if (text ? one->text && one->length == length && memcmp(one->text, text, length) == 0 : !one->text) return KARP_OK;
    one->changed = l->r->looks;
    one->turn = l->changes;
    if (text && !one->kin) one->kin = kin_of(l, object);
    return note_change(l, (uint32_t)(one - l->r->list), text, length);
}

static karp_status take_object(look *l, karp_str document, const tree *object, bool deleted)
{
    if (tree_get_text(object, "kind").len == 0 || tree_get_text(tree_get(object, "metadata"), "name").len == 0)
        return refuse(l, document, "an object without a kind or a name");
    if (!is_kept(object)) return KARP_OK;
    recorded *one = place_of(l, object);
    uint64_t version = version_of(object);
    if (!one) return no_memory(l);
    if (l->events && version > 0 && version <= one->version) return KARP_OK; /* it was listed since */
    if (!l->events && one->seen == l->r->looks) return KARP_OK; /* kubectl lists some objects under two names */
    one->version = version;
    if (deleted) return note_object(l, one, object, NULL, 0);
    strbuf_clear(&l->text);
    tree_write(&l->text, trimmed(&l->t, object));
    if (l->text.failed || l->t.status) return no_memory(l);
    return note_object(l, one, object, l->text.ptr, l->text.len);
}

/* As `kubectl get --watch --output-watch-events` writes it. */
static karp_status take_event(look *l, karp_str document, const tree *event)
{
    karp_str type = tree_get_text(event, "type");
    const tree *object = tree_get(event, "object");
    if (str_is(type, "BOOKMARK")) return KARP_OK;
    if (!str_is(type, "ADDED") && !str_is(type, "MODIFIED") && !str_is(type, "DELETED"))
        return refuse(l, document, "an event of a watch that is none of ADDED, MODIFIED, DELETED and BOOKMARK");
    return take_object(l, document, object, str_is(type, "DELETED"));
}

static karp_status take_document(look *l, const karp_replay_document *document)
{
    strbuf read;
    tree *root = NULL;
    karp_str text;
    karp_status status = document_text(l->r->context, document, &read, &text, l->error);
    trees_clear(&l->t);
    if (!status) status = tree_read(&l->t, document->name, text, &root, l->error);
    const tree *items = tree_get(root, "items");
    bool list = tree_is(items, TREE_LIST) && !l->events;
    if (!status && l->events) status = take_event(l, document->name, root);
    else if (!status && !list) status = take_object(l, document->name, root, false);
    for (size_t i = 0; list && i < tree_count(items) && !status; i++)
        status = take_object(l, document->name, tree_item(items, i), false);
    strbuf_free(&read);
    return status;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

static void put_text(write_buffer *out, bool *first, const char *text, size_t length)
{
    if (!*first) buffer_char(out, ',');
    *first = false;
    buffer_bytes(out, text, length);
}

/* The object after this look; ptr NULL = it does not exist. */
static karp_str text_after(const look *l, const recorded *one)
{
    if (one->seen != l->r->looks || !one->text) {
        bool is_new = one->seen == l->r->looks && one->changed == l->r->looks;
        return is_new ? (karp_str){ l->texts[one->turn], l->lengths[one->turn] } : (karp_str){ NULL, 0 };
    }
    if (one->changed == l->r->looks) return (karp_str){ l->texts[one->turn], l->lengths[one->turn] };
    return (karp_str){ one->text, one->length };
}

static void put_name(look *l, const char *member, uint32_t row)
{
    buffer_text(&l->patched, member);
    strbuf_clear(&l->text);
    tree_write_string(&l->text, strings_get(&l->r->index.names, row));
    buffer_bytes(&l->patched, l->text.ptr, l->text.len);
}

/* Adds how the object differs from `from`, what it was or what another one is. false = that is not shorter. */
static bool put_patch(look *l, bool *first, uint32_t row, uint32_t like, karp_str from, karp_str to)
{
    tree *before = NULL, *after = NULL;
    karp_error error = { .size = sizeof error };
    trees_clear(&l->t);
    if (tree_read(&l->t, str(""), from, &before, &error) || tree_read(&l->t, str(""), to, &after, &error)) return false;
    strbuf patch = strbuf_on(l->r->context);
    tree_write(&patch, patch_between(&l->t, before, after));
    bool shorter = !patch.failed && !l->t.status && patch.len + NAMES_OF_A_PATCH < to.len;
    if (shorter) {
        put_text(&l->patched, first, "{", 1);
        put_name(l, "\"object\":", row);
        if (like != row) put_name(l, ",\"like\":", like);
        buffer_text(&l->patched, ",\"patch\":");
        buffer_bytes(&l->patched, patch.ptr, patch.len);
        buffer_char(&l->patched, '}');
    }
    strbuf_free(&patch);
    return shorter;
}

/* The object that this one is compared with, and what it is when a reader comes to this one; IO_NONE = there is none,
 * and it is the one for others. */
static uint32_t head_for(look *l, uint32_t row, karp_str *text)
{
    const recorded *one = &l->r->list[row], *head = NULL;
    if (!one->kin) return IO_NONE;
    uint32_t *place = &l->r->heads[one->kin - 1];
    if (*place != IO_NONE) head = &l->r->list[*place];
    *text = head ? text_after(l, head) : (karp_str){ NULL, 0 };
    bool known = text->ptr && *place != row;
    if (known && !l->whole && head->changed == l->r->looks && head->turn > one->turn) known = false;
    if (known) return *place;
    *place = row;
    return IO_NONE;
}

static void put_object(look *l, bool firsts[2], uint32_t row, karp_str text)
{
    karp_str from = { 0 };
    uint32_t like = row;
    const recorded *one = &l->r->list[row];
    if (!l->whole && one->text) from = (karp_str){ one->text, one->length };
    else like = head_for(l, row, &from);
    if (like != IO_NONE && put_patch(l, &firsts[1], row, like, from, text)) return;
    put_text(&l->line, &firsts[0], text.ptr, text.len);
}

/* The objects as they are after this look: whole, or how they differ from those that a reader knows. */
static void put_objects(look *l)
{
    const karp_recorder *r = l->r;
    bool firsts[2] = { true, true };
    buffer_text(&l->line, l->whole ? ",\"objects\":[" : ",\"changed\":[");
    for (uint32_t i = 0; l->whole && i < r->count; i++) {
        karp_str text = text_after(l, &r->list[i]);
        if (text.ptr) put_object(l, firsts, i, text);
    }
    for (size_t k = 0; !l->whole && k < l->changes; k++) {
        if (l->texts[k]) put_object(l, firsts, l->rows[k], (karp_str){ l->texts[k], l->lengths[k] });
    }
    buffer_char(&l->line, ']');
    if (firsts[1]) return;
    buffer_text(&l->line, ",\"patched\":[");
    buffer_str(&l->line, buffer_content(&l->patched));
    buffer_char(&l->line, ']');
}

static void put_gone(look *l)
{
    bool first = true;
    for (size_t k = 0; k < l->changes; k++) {
        if (l->texts[k] || !l->r->list[l->rows[k]].text) continue;
        karp_str key = strings_get(&l->r->index.names, l->rows[k]);
        if (first) buffer_text(&l->line, ",\"gone\":[");
        strbuf_clear(&l->text);
        tree_write(&l->text, tree_new_slice(&l->t, TREE_STRING, key));
        put_text(&l->line, &first, l->text.ptr, l->text.len);
    }
    if (!first) buffer_char(&l->line, ']');
}

static void put_line(look *l, int64_t now)
{
    char text[KARP_VALUE_TEXT];
    karp_time_format(now, text);
    buffer_text(&l->line, l->whole ? "{\"apiVersion\":\"karp/v1\",\"kind\":\"Recording\",\"now\":\"" : "{\"now\":\"");
    buffer_text(&l->line, text);
    buffer_char(&l->line, '"');
    if (l->changes || l->whole) put_objects(l);
    if (!l->whole) put_gone(l);
    buffer_text(&l->line, "}\n");
}

static karp_status note_gone(look *l)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < l->r->count && !status; i++) {
        if (l->r->list[i].text && l->r->list[i].seen != l->r->looks) status = note_change(l, (uint32_t)i, NULL, 0);
    }
    return status;
}

/* The objects are now those of this look. */
static void commit(look *l, int64_t now)
{
    karp_recorder *r = l->r;
    for (size_t k = 0; k < l->changes; k++) {
        recorded *one = &r->list[l->rows[k]];
        if (one->text) mem_free(r->context, one->text, one->length + 1);
        one->text = l->texts[k];
        one->length = l->lengths[k];
        l->texts[k] = NULL;
    }
    r->written_at = now;
}

static void look_free(look *l)
{
    karp_context *context = l->r->context;
    for (size_t k = 0; k < l->changes; k++) {
        if (l->texts[k]) mem_free(context, l->texts[k], l->lengths[k] + 1);
    }
    mem_free(context, l->rows, l->row_capacity * sizeof *l->rows);
    mem_free(context, l->texts, l->text_capacity * sizeof *l->texts);
    mem_free(context, l->lengths, l->length_capacity * sizeof *l->lengths);
    strbuf_free(&l->key);
    strbuf_free(&l->text);
    trees_free(&l->t);
    buffer_free(&l->line);
    buffer_free(&l->patched);
}

static karp_status take_all(look *l, const karp_replay_document *documents, size_t count, int64_t now, karp_text *out)
{
    enum { QUIET = 60 };
    karp_status status = KARP_OK;
    for (size_t i = 0; l->events && i < l->r->count; i++) {
        if (l->r->list[i].text) l->r->list[i].seen = l->r->looks;
    }
    for (size_t i = 0; i < count && !status; i++) status = take_document(l, &documents[i]);
    if (!status && !l->events) status = note_gone(l);
    bool quiet = l->changes == 0 && !l->whole &&
                 (uint64_t)now - (uint64_t)l->r->written_at < (uint64_t)(QUIET * SECOND);
    if (!status && !quiet) put_line(l, now);
    if (!status && (l->t.status || l->text.failed)) status = no_memory(l);
    if (!status) status = buffer_finish(&l->line, out, l->error);
    if (!status && !quiet) commit(l, now);
    return status;
}

/* ---- public functions -------------------------------------------------------------------------------------------- */

karp_status karp_recorder_new(karp_context *context, karp_recorder **out, karp_error *error)
{
    karp_error own = { .size = sizeof own };
    karp_recorder *r = context && out ? mem_alloc(context, sizeof *r) : NULL;
    if (!context || !out) (void)fail(&own, KARP_E_INVALID, "a context and a place for the recorder are needed");
    else if (!r) (void)fail_nomem(&own);
    if (!r) return error_give(&own, error);
    *r = (karp_recorder){ .context = karp_context_ref(context), .written_at = KARP_NO_TIME };
    io_table_init(&r->index, context);
    io_table_init(&r->families, context);
    *out = r;
    return KARP_OK;
}

void karp_recorder_free(karp_recorder *recorder)
{
    if (!recorder) return;
    karp_context *context = recorder->context;
    for (size_t i = 0; i < recorder->count; i++) {
        if (recorder->list[i].text) mem_free(context, recorder->list[i].text, recorder->list[i].length + 1);
    }
    mem_free(context, recorder->list, recorder->capacity * sizeof *recorder->list);
    mem_free(context, recorder->heads, recorder->family_capacity * sizeof *recorder->heads);
    io_table_free(&recorder->index);
    io_table_free(&recorder->families);
    mem_free(context, recorder, sizeof *recorder);
    karp_context_unref(context);
}

static karp_status take(karp_recorder *recorder, const karp_replay_document *documents, size_t count, int64_t now,
                        bool whole, bool events, karp_text *out, karp_error *error)
{
    karp_error own = { .size = sizeof own };
    if (!recorder || !out || (count > 0 && !documents)) {
        (void)fail(&own, KARP_E_INVALID, "a recorder, documents and a place for the text are needed");
        return error_give(&own, error);
    }
    if (recorder->written_at != KARP_NO_TIME && now <= recorder->written_at) {
        (void)fail(&own, KARP_E_INVALID, "the time is not after that of the line before");
        return error_give(&own, error);
    }
    if (events && recorder->written_at == KARP_NO_TIME) {
        (void)fail(&own, KARP_E_INVALID, "events of a watch follow a list of what there is");
        return error_give(&own, error);
    }
    look l = { .r = recorder, .whole = whole || recorder->written_at == KARP_NO_TIME, .events = events, .error = &own };
    recorder->looks++;
    trees_init(&l.t, recorder->context);
    strbuf_init(&l.key, recorder->context);
    strbuf_init(&l.text, recorder->context);
    buffer_init(&l.line, recorder->context);
    buffer_init(&l.patched, recorder->context);
    karp_status status = take_all(&l, documents, count, now, out);
    look_free(&l);
    if (!status) return KARP_OK;
    own.status = karp_context_refusal(recorder->context, status, &own);
    return error_give(&own, error);
}

karp_status karp_recorder_take(karp_recorder *recorder, const karp_replay_document *documents, size_t count,
                               int64_t now, uint32_t whole, karp_text *out, karp_error *error)
{
    return take(recorder, documents, count, now, whole != 0, false, out, error);
}

karp_status karp_recorder_watch(karp_recorder *recorder, const karp_replay_document *events, size_t count, int64_t now,
                                uint32_t whole, karp_text *out, karp_error *error)
{
    return take(recorder, events, count, now, whole != 0, true, out, error);
}
