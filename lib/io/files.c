/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files, directories and standard input. */
#include <io/files.h>

#include <dirent.h>
#include <errno.h>
#include <io/foreign.h>
#include <io/reader.h>
#include <stdio.h>
#include <sys/stat.h>
#if !defined(_WIN32) && !defined(__wasi__)
#include <fcntl.h>
#include <unistd.h>
#endif

#include <karp/library.h>

/* ---- opening ----------------------------------------------------------------------------------------------------- */

#if defined(_WIN32) || defined(__wasi__)

static FILE *open_file(const char *path) { return fopen(path, "rb"); }

#else

static bool is_inherited(const char *path)
{
    karp_str name = str(path);
    return str_is(name, "/dev/stdin") || str_starts(name, "/dev/fd/") || str_starts(name, "/proc/self/fd/");
}

/* Opens a regular file for reading. Opening a FIFO could block, and a device could be endless, so the type is checked
 * once it is open. Files that the program was started with (/dev/stdin, /dev/fd/3) may be of any type. NULL = it cannot
 * be read; errno is the reason, 0 = it is of another type. */
static FILE *open_file(const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | (is_inherited(path) ? 0 : O_NONBLOCK));
    if (file < 0) return NULL;
    if (fstat(file, &about) != 0 || !(S_ISREG(about.st_mode) || is_inherited(path))) {
        (void)close(file);
        errno = 0;
        return NULL;
    }
    FILE *stream = fdopen(file, "rb");
    if (!stream) (void)close(file);
    return stream;
}

#endif

/* ---- whole files and streams ------------------------------------------------------------------------------------- */

static bool grow_text(karp_context *context, strbuf *text, size_t bytes)
{
    return grow(context, (void **)&text->ptr, &text->capacity, bytes, 1);
}

/* The size of a file that the limit permits; 0 = unknown. */
static size_t known_size(FILE *file, uint64_t most)
{
    struct stat about;
    if (fstat(fileno(file), &about) != 0 || about.st_size <= 0) return 0;
    uint64_t size = (uint64_t)about.st_size;
    return size > most || size > SIZE_MAX - 2 ? 0 : (size_t)size;
}

/* Appends the rest of a stream to `text` and a NUL after it. Reading stops just beyond `most` bytes. Errors: IO, whose
 * reason is errno, and NOMEM. */
static karp_status read_rest(karp_context *context, FILE *file, uint64_t most, strbuf *text)
{
    enum { PIECE = 65536 };
    if (!grow_text(context, text, known_size(file, most) + 2)) return KARP_E_NOMEM; /* a byte and the NUL */
    for (size_t n = 1; n > 0 && text->len <= most;) {
        bool full = text->capacity < text->len + 2;
        if ((full && !grow_text(context, text, text->len + PIECE + 1)) || !mem_work(context, PIECE))
            return KARP_E_NOMEM;
        size_t space = text->capacity - text->len - 1;
        n = fread(text->ptr + text->len, 1, space < PIECE ? space : PIECE, file);
        text->len += n;
        text->ptr[text->len] = '\0';
        if (n == 0 && ferror(file)) return KARP_E_IO;
    }
    return KARP_OK;
}

static karp_status cannot(const char *path, karp_status status, const char *what, karp_error *error)
{
    (void)fail(error, status, "%s", what);
    if (error) str_shorten(error->document, sizeof error->document, str(path));
    return status;
}

static karp_status whole_file(karp_context *context, const char *path, strbuf *text, karp_error *error)
{
    bool standard_input = strcmp(path, "-") == 0;
    FILE *file = standard_input ? stdin : open_file(path);
    if (!file) return cannot(path, KARP_E_IO, errno ? "cannot be opened" : "is not a regular file", error);
    karp_status status = read_rest(context, file, karp_context_get_options(context)->max_document_bytes, text);
    if (status == KARP_E_NOMEM) status = fail_nomem(error);
    if (status == KARP_E_IO) status = cannot(path, KARP_E_IO, "cannot be read", error);
    char binary[300] = "";
    if (status == KARP_OK &&
        io_foreign_binary(str(path), (karp_str){ text->ptr, text->len }, false, binary, sizeof binary))
        status = cannot(path, KARP_E_SYNTAX, binary, error);
    if (!standard_input) (void)fclose(file);
    return status;
}

karp_status io_whole_file(karp_context *context, karp_str path, strbuf *text, karp_error *error)
{
    strbuf_init(text, context);
    strbuf name = strbuf_on(context);
    strbuf_addstr(&name, path);
    karp_status status = name.failed ? fail_nomem(error) : whole_file(context, name.ptr, text, error);
    strbuf_free(&name);
    return status;
}

/* ---- what a reader is given -------------------------------------------------------------------------------------- */

static int describe(int why, char *out, size_t size)
{
#if defined(_WIN32)
    return strerror_s(out, size, why);
#else
    return strerror_r(why, out, size);
#endif
}

static karp_status file_failed(karp_reader *reader, karp_str path, const char *what, int why)
{
    char reason[128] = "";
    if (describe(why, reason, sizeof reason) != 0) reason[0] = '\0';
    io_place place = { .document = path };
    return io_reader_fail(reader, KARP_E_IO, &place, NULL, "%s: %s", what, reason);
}

static karp_str directory_of(karp_reader *reader, karp_str path)
{
    size_t n = path.len;
    while (n > 0 && path.ptr[n - 1] != '/') n--;
    if (n == 0) return io_keep(reader, str("."));
    while (n > 1 && path.ptr[n - 1] == '/') n--;
    return io_keep(reader, (karp_str){ path.ptr, n });
}

static karp_status read_stream(karp_reader *reader, FILE *file, karp_str path)
{
    strbuf text = strbuf_on(reader->context);
    karp_status status = read_rest(reader->context, file, reader->limits.bytes, &text);
    if (status == KARP_E_NOMEM) {
        status = io_reader_nomem(reader);
    } else if (status != KARP_OK) {
        status = file_failed(reader, path, "cannot be read", errno);
    } else if (text.len > reader->limits.bytes) {
        io_place place = { .document = path };
        status = io_reader_fail(reader, KARP_E_LIMIT, &place, NULL, "more bytes than the limit of a document");
    } else {
        status = io_reader_text(reader, path, (karp_str){ text.ptr, text.len }, &text);
    }
    strbuf_free(&text);
    return status;
}

static karp_status read_file(karp_reader *reader, const char *path)
{
    karp_str name = str(path);
    reader->directory = directory_of(reader, name);
    if (!reader->directory.ptr) return io_reader_nomem(reader);
    FILE *file = open_file(path);
    if (!file && errno == 0) {
        io_place place = { .document = name };
        return io_reader_fail(reader, KARP_E_IO, &place, NULL, "is not a regular file");
    }
    if (!file) return file_failed(reader, name, "cannot be opened", errno);
    karp_status status = read_stream(reader, file, name);
    (void)fclose(file);
    return status;
}

/* ---- directories ------------------------------------------------------------------------------------------------- */

static int compare_paths(const void *a, const void *b) { return strcmp(a, b); }

static bool is_document(const char *name)
{
    karp_str n = str(name);
    return str_ends(n, ".yaml") || str_ends(n, ".yml") || str_ends(n, ".json");
}

static bool is_directory(const char *path)
{
    struct stat about;
#if defined(_WIN32)
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
#else
    return lstat(path, &about) == 0 && S_ISDIR(about.st_mode);
#endif
}

/* Subdirectories of a directory that is not read recursively. */
enum { PASSED_KEPT = 64 };

typedef struct passed_over {
    size_t count;
    const char *first; /* the first by name */
    const char *paths[PASSED_KEPT]; /* of some of them */
} passed_over;

static void note_inner(passed_over *passed, const char *path)
{
    if (passed->count < PASSED_KEPT) passed->paths[passed->count] = path;
    if (passed->count++ == 0 || strcmp(path, passed->first) < 0) passed->first = path;
}

static const char *last_of_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether the beginning of the file looks like an object. */
static bool holds_object(const char *path)
{
    char text[4096];
    FILE *file = open_file(path);
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    if (file) (void)fclose(file);
    karp_str shown = { text, length };
    return str_contains(shown, str("apiVersion")) && str_contains(shown, str("kind"));
}

enum { DEEPEST_LOOK = 8, MOST_ENTRIES = 10000 };

/* Counts files with objects in the directory and below it, among so many entries. */
static karp_status count_objects(karp_reader *reader, const char *path, unsigned depth, size_t *left, size_t *count)
{
    DIR *directory = depth < DEEPEST_LOOK ? opendir(path) : NULL;
    karp_status status = KARP_OK;
    const struct dirent *entry;
    while (directory && status == KARP_OK && *left > 0 && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        (*left)--;
        strbuf full = strbuf_on(reader->context);
        strbuf_adds(&full, path);
        strbuf_addc(&full, '/');
        strbuf_adds(&full, entry->d_name);
        if (full.failed) status = io_reader_nomem(reader);
        else if (is_directory(full.ptr)) status = count_objects(reader, full.ptr, depth + 1, left, count);
        else if (is_document(entry->d_name)) *count += holds_object(full.ptr);
        strbuf_free(&full);
    }
    if (directory) (void)closedir(directory);
    return status;
}

/* kubectl does not read them without -R either, but a plan without them looks like one with them. */
static karp_status note_passed(karp_reader *reader, const char *path, const passed_over *passed)
{
    size_t left = MOST_ENTRIES, objects = 0;
    bool one = passed->count == 1;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < passed->count && i < PASSED_KEPT && status == KARP_OK; i++)
        status = count_objects(reader, passed->paths[i], 0, &left, &objects);
    if (status) return status;
    if (objects == 0)
        return io_warn(reader, "%.300s: %zu director%s in it (%.100s%s) %s not read; -R reads %s", path, passed->count,
                       one ? "y" : "ies", last_of_path(passed->first), one ? "" : ", ...", one ? "is" : "are",
                       one ? "it" : "them");
    return io_not_understood(reader,
                             "%.300s: %zu file%s with objects in its subdirector%s (%.100s%s) %s not read; -R reads %s",
                             path, objects, objects == 1 ? "" : "s", one ? "y" : "ies", last_of_path(passed->first),
                             one ? "" : ", ...", objects == 1 ? "is" : "are", objects == 1 ? "it" : "them");
}

/* Lists the paths of the directory's documents, sorted by name; if requested, also of its subdirectories. */
static karp_status list_directory(karp_reader *reader, const char *path, const void ***list, size_t *capacity,
                                  size_t *count, passed_over *passed)
{
    DIR *directory = opendir(path);
    if (!directory) return file_failed(reader, str(path), "cannot be listed", errno);
    karp_status status = KARP_OK;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (!entry) {
            if (errno) status = file_failed(reader, str(path), "cannot be listed", errno);
            break;
        }
        bool inner = entry->d_name[0] != '.'; /* hidden directories such as .git contain no manifests */
        if (!inner && !is_document(entry->d_name)) continue;
        strbuf full = strbuf_on(reader->context);
        strbuf_adds(&full, path);
        if (!str_ends(str(path), "/")) strbuf_addc(&full, '/');
        strbuf_adds(&full, entry->d_name);
        void *data = *list;
        char *copy = full.failed ? NULL : arena_string(&reader->keep, full.ptr, full.len);
        strbuf_free(&full);
        if (copy && inner && !is_document(entry->d_name)) {
            bool within = is_directory(copy);
            if (within) note_inner(passed, copy);
            if (!within || !reader->options.recursive) continue;
        }
        if (!copy || !grow(reader->context, &data, capacity, *count + 1, sizeof copy)) {
            status = io_reader_nomem(reader);
            break;
        }
        *list = data;
        (*list)[(*count)++] = copy;
    }
    (void)closedir(directory);
    if (status == KARP_OK && !sort_pointers(reader->context, *list, *count, compare_paths))
        status = io_reader_nomem(reader);
    return status;
}

/* Limits the depth of directories, so that the stack cannot overflow. No repository is that deep. */
enum { DEEPEST_DIRECTORY = 64 };

static karp_status read_directory(karp_reader *reader, const char *path, unsigned depth)
{
    const void **list = NULL;
    size_t capacity = 0, count = 0;
    if (depth == DEEPEST_DIRECTORY) {
        io_place place = { .document = str(path) };
        return io_reader_fail(reader, KARP_E_LIMIT, &place, NULL, "directories nested deeper than %u",
                              (unsigned)DEEPEST_DIRECTORY);
    }
    passed_over passed = { .first = "" };
    karp_status status = list_directory(reader, path, &list, &capacity, &count, &passed);
    for (size_t i = 0; i < count && status == KARP_OK; i++) {
        struct stat about;
        /* A directory may have a name like x.yaml. Without recursion it is skipped like every subdirectory. */
        bool inside = stat(list[i], &about) == 0 && S_ISDIR(about.st_mode);
        if (inside && !reader->options.recursive) note_inner(&passed, list[i]);
        if (inside && (!reader->options.recursive || !is_directory(list[i]))) continue;
        status = inside ? read_directory(reader, list[i], depth + 1) : read_file(reader, list[i]);
    }
    karp_free(reader->context, list, capacity * sizeof *list);
    if (status == KARP_OK && passed.count > 0 && !reader->options.recursive)
        status = note_passed(reader, path, &passed);
    if (status == KARP_OK && count == 0 && depth == 0)
        status = io_warn(reader, "%.400s has no *.yaml, *.yml or *.json", path);
    return status;
}

bool io_reads_once(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

karp_status io_read_path(karp_reader *reader, const char *path)
{
    struct stat about;
    if (strcmp(path, "-") == 0) {
        reader->directory = str(".");
        return read_stream(reader, stdin, str("-"));
    }
    if (stat(path, &about) != 0) return file_failed(reader, str(path), "cannot be opened", errno);
    return S_ISDIR(about.st_mode) ? read_directory(reader, path, 0) : read_file(reader, path);
}
