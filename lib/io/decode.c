/* SPDX-License-Identifier: Apache-2.0 */
#include <io/decode.h>

void io_decoder_init(io_decoder *d, arena *memory)
{
    d->arena = memory;
    d->status = KARP_OK;
    d->depth = 0; /* steps of the path beyond it are not read */
    d->template_ = false;
    d->document = 0;
    d->pod = NULL;
    karp_error_init(&d->error, sizeof d->error);
}

/* ---- failures and the path --------------------------------------------------------------------------------------- */

void io_path_text(const io_step *path, size_t depth, char *into, size_t room)
{
    into[0] = '\0';
    for (size_t i = 0; i < depth; i++) {
        const char *name = path[i].name;
        if (name) str_append(into, room, "%s%.*s", *into ? "." : "", (int)io_step_length(&path[i]), name);
        else str_append(into, room, "[%zu]", path[i].index);
    }
}

static size_t read_index(const char *at, const char *end)
{
    size_t value = 0;
    for (; at < end; at++) value = value * 10 + (size_t)(*at - '0');
    return value;
}

/* Steps are `name`, `[3]` and `["a name with dots"]`. If a decoder's own name contains dots, it is split there. Then
 * only the part of the path before it can be found. `names` receives the names, of at most `room` bytes. Returns the
 * number of steps. */
static size_t io_path_read(const char *text, char *names, size_t room, io_step path[IO_PATH_MOST])
{
    size_t n = 0, used = 0;
    while (*text != '\0' && n < IO_PATH_MOST) {
        size_t digits = *text == '[' ? strspn(text + 1, "0123456789") : 0;
        bool quoted = text[0] == '[' && text[1] == '"';
        size_t length = quoted ? strcspn(text + 2, "\"") : strcspn(text, ".[");
        if (*text == '.') {
            text++;
        } else if (quoted) {
            if (length >= room - used) break;
            memcpy(names + used, text + 2, length);
            names[used + length] = '\0';
            path[n++] = (io_step){ names + used, 0 };
            used += length + 1;
            text += 2 + length;
            text += text[0] == '"' && text[1] == ']' ? 2 : strlen(text);
        } else if (digits > 0 && digits < 10 && text[digits + 1] == ']') {
            path[n++] = (io_step){ NULL, read_index(text + 1, text + 1 + digits) };
            text += digits + 2;
        } else if (length > 0 && length < room - used) {
            memcpy(names + used, text, length);
            names[used + length] = '\0';
            path[n++] = (io_step){ names + used, 0 };
            used += length + 1;
            text += length;
        } else {
            break;
        }
    }
    return n;
}

io_place io_place_of_field(const io_place *place, const tree *root, const char *field)
{
    io_step path[IO_PATH_MOST];
    char names[sizeof((karp_error *)0)->field];
    io_place at = *place;
    io_place_refine(&at, root, path, io_path_read(field, names, sizeof names, path));
    return at;
}

void io_bad(io_decoder *d, karp_status status, const char *format, ...)
{
    if (d->status) return;
    va_list arguments;
    va_start(arguments, format);
    d->status = vfail(&d->error, status, format, arguments);
    va_end(arguments);
    size_t depth = d->depth < IO_PATH_MOST ? d->depth : IO_PATH_MOST;
    io_path_text(d->path, depth, d->error.field, sizeof d->error.field);
}

void io_bad_member(io_decoder *d, const char *name, karp_status status, const char *message)
{
    io_push(d, name);
    io_bad(d, status, "%s", message);
    io_pop(d);
}

/* After a failure the path does not change any more: it is the failed field's. */
void io_push(io_decoder *d, const char *name)
{
    if (d->status) return;
    if (d->depth < IO_PATH_MOST) d->path[d->depth] = (io_step){ name, 0 };
    d->depth++;
}

void io_push_key(io_decoder *d, karp_str key)
{
    if (d->status) return;
    /* A step whose length is 0 is NUL-terminated. */
    if (d->depth < IO_PATH_MOST) d->path[d->depth] = (io_step){ key.len ? key.ptr : "", key.len };
    d->depth++;
}

void io_push_index(io_decoder *d, size_t index)
{
    if (d->status) return;
    if (d->depth < IO_PATH_MOST) d->path[d->depth] = (io_step){ NULL, index };
    d->depth++;
}

void io_pop(io_decoder *d)
{
    if (!d->status && d->depth) d->depth--;
}

void *io_make(io_decoder *d, size_t count, size_t elem)
{
    if (d->status) return NULL;
    void *array = arena_array(d->arena, count, elem);
    if (!array) d->status = fail_nomem(&d->error);
    return array;
}

const char *io_c_string(io_decoder *d, karp_str text)
{
    const char *copy = d->status ? NULL : arena_string(d->arena, text.ptr, text.len);
    if (!copy && !d->status) d->status = fail_nomem(&d->error);
    return copy ? copy : "";
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

const tree *io_as_object(io_decoder *d, const tree *value, const char *name)
{
    if (tree_is(value, TREE_MAP)) return value;
    io_bad_member(d, name, KARP_E_INVALID, "must be an object");
    return NULL;
}

const tree *io_as_array(io_decoder *d, const tree *value, const char *name)
{
    if (tree_is(value, TREE_LIST)) return value;
    io_bad_member(d, name, KARP_E_INVALID, "must be a list");
    return NULL;
}

karp_str io_as_string(io_decoder *d, const tree *value, const char *name)
{
    if (tree_is(value, TREE_STRING)) return tree_text(value);
    bool many = tree_is(value, TREE_MAP) || tree_is(value, TREE_LIST);
    io_bad_member(d, name, KARP_E_INVALID, many ? "must be text" : "must be text: quote it");
    return (karp_str){ "", 0 };
}

karp_str io_required_string(io_decoder *d, const tree *object, const char *name)
{
    karp_str text = io_string(d, object, name);
    if (text.len == 0) io_bad_member(d, name, KARP_E_INVALID, "is missing");
    return text;
}

int64_t io_as_integer(io_decoder *d, const tree *value, const char *name, int64_t least, int64_t most)
{
    int64_t number = 0;
    double real = 0;
    if (!tree_integer(value, &number)) {
        if (!tree_double(value, &real) || real < -9e15 || real > 9e15 || (double)(int64_t)real != real) {
            io_bad_member(d, name, KARP_E_INVALID, "must be a whole number");
            return 0;
        }
        number = (int64_t)real;
    }
    if (number >= least && number <= most) return number;
    io_push(d, name);
    io_bad(d, KARP_E_INVALID, "must be between %lld and %lld", (long long)least, (long long)most);
    return 0;
}

bool io_as_boolean(io_decoder *d, const tree *value, const char *name)
{
    if (!tree_is_bool(value)) io_bad_member(d, name, KARP_E_INVALID, "must be true or false");
    return tree_is(value, TREE_TRUE);
}

int64_t io_as_time(io_decoder *d, const tree *value, const char *name)
{
    karp_str text = io_as_string(d, value, name);
    if (text.len == 0) return KARP_NO_TIME;
    int64_t instant = KARP_NO_TIME;
    karp_status status = karp_time_parse(text, &instant);
    if (status == KARP_OK) return instant;
    io_bad_member(d, name, status, "is not an RFC 3339 time between 1678 and 2261");
    return KARP_NO_TIME;
}

int64_t io_as_duration(io_decoder *d, const tree *value, const char *name, bool never)
{
    if (tree_is(value, TREE_INTEGER) || tree_is(value, TREE_REAL)) {
        io_bad_member(d, name, KARP_E_INVALID,
                      never ? "must be a duration with a unit (30s, 1h30m) or Never"
                            : "must be a duration with a unit (30s, 1h30m)");
        return KARP_DURATION_UNSET;
    }
    karp_str text = io_as_string(d, value, name);
    if (text.len == 0) return KARP_DURATION_UNSET;
    if (never && str_is(text, "Never")) return KARP_DURATION_NEVER;
    int64_t duration = KARP_DURATION_UNSET;
    karp_status status = karp_duration_parse(text, &duration);
    if (status == KARP_OK) return duration;
    io_bad_member(d, name, status, never ? "must be a duration (1h30m) or Never" : "must be a duration (1h30m)");
    return KARP_DURATION_UNSET;
}

uint32_t io_as_enum(io_decoder *d, const tree *value, const char *name, const record_word *choices, size_t count,
                    uint32_t absent)
{
    karp_str text = io_as_string(d, value, name);
    if (text.len == 0) return absent;
    for (size_t i = 0; i < count; i++) {
        if (str_is(text, choices[i].word)) return choices[i].value;
    }
    char shown[64], known[160] = "";
    str_shorten(shown, sizeof shown, text);
    for (size_t i = 0; i < count; i++) str_append(known, sizeof known, "%s%s", i > 0 ? ", " : "", choices[i].word);
    io_push(d, name);
    io_bad(d, KARP_E_INVALID, "\"%s\" is not one of %s", shown, known);
    return absent;
}

const tree *io_element(io_decoder *d, const tree *array, size_t index)
{
    io_push_index(d, index);
    if (d->status) return NULL;
    const tree *value = tree_item(array, index);
    if (tree_is(value, TREE_MAP)) return value;
    io_bad(d, KARP_E_INVALID, "must be an object");
    return NULL;
}

/* ---- lists and maps ---------------------------------------------------------------------------------------------- */

const void *io_as_elements(io_decoder *d, const tree *value, const char *name, size_t elem, io_decode_element *decode,
                           size_t *count)
{
    const tree *array = io_as_array(d, value, name);
    char *list = array ? io_make(d, tree_count(array), elem) : NULL;
    if (!list) return NULL;
    *count = tree_count(array);
    io_push(d, name);
    for (size_t i = 0; i < *count && !d->status; i++) {
        decode(d, io_element(d, array, i), list + i * elem);
        io_pop(d);
    }
    io_pop(d);
    return list;
}

const void *io_as_members(io_decoder *d, const tree *value, const char *name, size_t elem, io_decode_member *decode,
                          size_t *count)
{
    const tree *map = io_as_object(d, value, name);
    char *list = map ? io_make(d, tree_count(map), elem) : NULL;
    if (!list) return NULL;
    io_push(d, name);
    for (size_t i = 0; i < tree_count(map) && !d->status; i++) {
        const tree_member *member = tree_member_at(map, i);
        karp_str key = tree_member_name(member);
        io_push_key(d, key);
        decode(d, key, member->value, list + (*count)++ * elem);
        io_pop(d);
    }
    io_pop(d);
    return list;
}
