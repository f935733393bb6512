/* SPDX-License-Identifier: Apache-2.0 */
#include <io/whole_file.h>

#include <errno.h>
#include <io/place.h>
#include <string.h>
#include <sys/stat.h>
#if !defined(_WIN32) && !defined(__wasi__)
#include <fcntl.h>
#include <unistd.h>
#endif

#include <karp/library.h>

/* ---- opening ----------------------------------------------------------------------------------------------------- */

#if defined(_WIN32) || defined(__wasi__)

FILE *io_open_file(const char *path) { return fopen(path, "rb"); }

#else

static bool is_inherited(const char *path)
{
    karp_str name = str(path);
    return str_is(name, "/dev/stdin") || str_starts(name, "/dev/fd/") || str_starts(name, "/proc/self/fd/");
}

/* Opens without blocking on a FIFO; the file type is checked once it is open. */
FILE *io_open_file(const char *path)
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

/* ---- reading ----------------------------------------------------------------------------------------------------- */

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

karp_status io_read_stream(karp_context *context, FILE *file, uint64_t most, strbuf *text)
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

static karp_status cannot(const char *path, const char *what, karp_error *error)
{
    karp_status status = fail(error, KARP_E_IO, "%s", what);
    if (error) str_shorten(error->document, sizeof error->document, str(path));
    return status;
}

karp_status io_whole_file(karp_context *context, const char *path, strbuf *text, karp_error *error)
{
    strbuf_init(text, context);
    bool standard_input = strcmp(path, "-") == 0;
    FILE *file = standard_input ? stdin : io_open_file(path);
    if (!file) return cannot(path, errno ? "cannot be opened" : "is not a regular file", error);
    karp_status status = io_read_stream(context, file, karp_context_get_options(context)->max_document_bytes, text);
    if (status == KARP_E_NOMEM) status = fail_nomem(error);
    if (status == KARP_E_IO) status = cannot(path, "cannot be read", error);
    if (!standard_input) (void)fclose(file);
    return status;
}
