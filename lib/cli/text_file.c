/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <karp/library.h>

bool text_file_is_stream(const char *path)
{
    karp_str name = str(path);
    return str_is(name, "-") || str_is(name, "/dev/stdin") || str_starts(name, "/dev/fd/") ||
           str_starts(name, "/proc/self/fd/");
}

/* Reads until the text is longer than the library accepts, so that the library reports the error. */
static bool read_all(const cli_options *options, const char *path, FILE *file, strbuf *text)
{
    uint64_t most = karp_context_get_options(options->context)->max_document_bytes;
    char piece[16384];
    size_t got = 1;
    while (got > 0 && text->len <= most && !text->failed) {
        got = fread(piece, 1, sizeof(piece), file);
        strbuf_add(text, piece, got);
    }
    if (text->failed) return print_problem(NULL, "out of memory");
    if (ferror(file)) return print_problem(path, strerror(errno));
    return true;
}

/* Opens a regular file. Opening a FIFO could block, and a device could be endless. Files that the program was started
 * with may be of any type. */
static FILE *open_regular(const char *path)
{
    struct stat about;
    bool handed = strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | (handed ? 0 : O_NONBLOCK));
    if (file < 0) return NULL;
    if (fstat(file, &about) != 0 || !(S_ISREG(about.st_mode) || handed)) {
        (void)close(file);
        errno = 0;
        return NULL;
    }
    FILE *stream = fdopen(file, "rb");
    if (stream == NULL) (void)close(file);
    return stream;
}

bool text_file_read(const cli_options *options, const char *path, strbuf *text)
{
    strbuf_init(text, options->context);
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : open_regular(path);
    if (file == NULL) return print_problem(path, errno == 0 ? "is not a regular file" : strerror(errno));
    bool good = read_all(options, path, file, text);
    if (!standard) (void)fclose(file);
    if (!good) strbuf_free(text);
    return good;
}

static karp_status io_failure(const char *path, const char *why, karp_error *error)
{
    (void)fail(error, KARP_E_IO, "%s", why);
    error_set_place(error, str(path), 0, 0, 0);
    return KARP_E_IO;
}

/* Creates a file that must not exist yet. */
static int create(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST && remove(path) == 0) { /* left by a program that was killed while it wrote */
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    return file;
}

static karp_status write_whole(const char *path, const karp_text *text, karp_error *error)
{
    int number = create(path);
    FILE *file = number < 0 ? NULL : fdopen(number, "wb");
    bool good = file != NULL && fwrite(text->ptr, 1, text->len, file) == text->len;
    int reason = errno;
    if (file == NULL && number >= 0) (void)close(number);
    if (file != NULL && fclose(file) != 0 && good) {
        reason = errno;
        good = false;
    }
    return good ? KARP_OK : io_failure(path, strerror(reason), error);
}

/* Writes a new file first, so that other programs never read half of it, and the old file remains when the disk is
 * full. */
karp_status text_file_replace(karp_context *context, const char *path, const karp_text *text, karp_error *error)
{
    static const char suffix[] = ".new";
    struct stat about;
    size_t length = strlen(path);
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return io_failure(
            path, S_ISLNK(about.st_mode) ? "is a symbolic link: name the file itself" : "is not a regular file", error);
    }
    char *beside = karp_alloc(context, length + sizeof(suffix));
    if (beside == NULL) {
        error->status = KARP_E_NOMEM;
        return KARP_E_NOMEM;
    }
    memcpy(beside, path, length);
    memcpy(beside + length, suffix, sizeof(suffix));
    karp_status status = write_whole(beside, text, error);
    if (status == KARP_OK && rename(beside, path) != 0) {
        status = io_failure(path, strerror(errno), error);
        (void)remove(beside);
    }
    karp_free(context, beside, length + sizeof(suffix));
    return status;
}
