/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#if defined(__wasi__) /* WASI programs cannot start other programs */

void process_run(const cli_options *options, const char *const *words, int64_t patience, cli_process *process)
{
    (void)options;
    (void)words;
    (void)patience;
    *process = (cli_process){ .status = -1, .said = "no program can be started here" };
}

bool stream_start(const cli_options *options, const char *const *words, cli_stream *stream)
{
    process_run(options, words, 0, &stream->process);
    return false;
}

bool streams_wait(cli_stream *list, size_t count, int64_t milliseconds)
{
    (void)list;
    (void)count;
    (void)milliseconds;
    return false;
}

void stream_end(cli_stream *stream) { strbuf_free(&stream->process.out); }

bool streams_interrupted(void) { return false; }

void streams_catch_signals(bool catches) { (void)catches; }

#else

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <karp/library.h>

enum { NANOSECONDS_A_MILLISECOND = 1000000, PIECE = 65536, REAP_EVERY_MS = 20, MOST_MESSAGES = 64 << 20 };

extern char **environ;

typedef cli_stream watch;

static int64_t clock_milliseconds(void)
{
    struct timespec now = { 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / NANOSECONDS_A_MILLISECOND;
}

static void say(cli_process *process, const char *what)
{
    (void)snprintf(process->said, sizeof(process->said), "%s", what);
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

static void close_both(int ends[2])
{
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* A pipe that other programs do not inherit. Reading from it never blocks. */
static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0) return false;
    if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 &&
        fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) {
        return true;
    }
    close_both(ends);
    return false;
}

/* Returns the error number, 0 = the program runs. */
static int spawn(const char *const *words, int out, int err, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) return failed;
    failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (failed == 0) failed = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (failed == 0) failed = posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    /* The words are not changed: the parameter's type predates const. */
    union {
        const char *const *given;
        char *const *wanted;
    } list = { words };
    if (failed == 0) failed = posix_spawnp(pid, words[0], &actions, NULL, list.wanted, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static int start(watch *w, const char *const *words)
{
    int out[2], err[2];
    if (!make_pipe(out)) return errno;
    if (!make_pipe(err)) {
        int failed = errno;
        close_both(out);
        return failed;
    }
    /* The parent may have set SIGCHLD to be ignored, and then waitpid() would fail. */
    (void)signal(SIGCHLD, SIG_DFL);
    int failed = spawn(words, out[1], err[1], &w->pid);
    (void)close(out[1]);
    (void)close(err[1]);
    if (failed != 0) {
        (void)close(out[0]);
        (void)close(err[0]);
        return failed;
    }
    w->out = out[0];
    w->err = err[0];
    return 0;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static bool blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') return false;
    }
    return true;
}

static void end_line(watch *w)
{
    w->line[w->line_length] = '\0';
    if (!blank(w->line, w->line_length)) say(&w->process, w->line);
    w->line_length = 0;
}

static void take_error(watch *w, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\n') end_line(w);
        else if (w->line_length + 1 < sizeof(w->line) && bytes[i] != '\0') w->line[w->line_length++] = bytes[i];
    }
}

/* Reads everything that is available. false when it cannot be stored; then the reason is recorded. */
static bool drain(watch *w, int *from)
{
    static const char no_memory[] = "its output does not fit into memory",
                      too_long[] = "its output is longer than the limit of a document";
    char piece[PIECE];
    uint64_t most = karp_context_get_options(w->options->context)->max_document_bytes;
    while (*from >= 0) {
        ssize_t got = read(*from, piece, sizeof(piece));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return true;
        if (got <= 0) {
            (void)close(*from);
            *from = -1;
        } else if (from == &w->err) {
            take_error(w, piece, (size_t)got);
            w->error_length += (uint64_t)got;
            if (w->error_length <= MOST_MESSAGES) continue;
            say(&w->process, "its messages on standard error do not end");
            return false;
        } else if (w->process.out.len + (size_t)got > most) {
            say(&w->process, too_long);
            return false;
        } else {
            strbuf_add(&w->process.out, piece, (size_t)got);
            if (w->process.out.failed) {
                say(&w->process, no_memory);
                return false;
            }
        }
    }
    return true;
}

/* ---- waiting for the end ----------------------------------------------------------------------------------------- */

static void reap(watch *w, int flags)
{
    pid_t found = 0;
    do {
        found = waitpid(w->pid, &w->how, flags);
    } while (found < 0 && errno == EINTR);
    w->ended = found != 0;
}

/* Waits for output or the program's end. false = nothing came before the deadline. Processes that the program has
 * started may keep its output open for longer than it runs, so the program's end counts. */
static bool wait_for_more(watch *w, int64_t deadline)
{
    for (;;) {
        struct pollfd both[2] = { { .fd = w->out, .events = POLLIN }, { .fd = w->err, .events = POLLIN } };
        int ready = poll(both, 2, REAP_EVERY_MS);
        if (ready > 0) return true;
        reap(w, WNOHANG);
        if (w->ended) return true;
        if (clock_milliseconds() >= deadline) return false;
    }
}

static bool watch_it(watch *w, int64_t patience)
{
    while (!w->ended) {
        if (!wait_for_more(w, clock_milliseconds() + patience)) {
            say(&w->process, "it was silent for too long and has been ended");
            return false;
        }
        if (!drain(w, &w->out) || !drain(w, &w->err)) return false;
        if (w->out < 0 && w->err < 0) reap(w, WNOHANG);
    }
    return drain(w, &w->out) && drain(w, &w->err);
}

static void close_ends(watch *w)
{
    if (w->out >= 0) (void)close(w->out);
    if (w->err >= 0) (void)close(w->err);
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted; /* the signal; 0 = none */

static void on_signal(int number) { interrupted = number; }

bool streams_interrupted(void) { return interrupted != 0; }

void streams_catch_signals(bool catches)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    static struct sigaction before[sizeof signals / sizeof *signals];
    const struct sigaction own = { .sa_handler = on_signal };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        (void)sigaction(signals[i], catches ? &own : &before[i], catches ? &before[i] : NULL);
    if (!catches && interrupted) (void)raise(interrupted);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

bool stream_start(const cli_options *options, const char *const *words, cli_stream *stream)
{
    *stream = (cli_stream){
        .process = { .out = { .context = options->context }, .status = -1 }, .options = options, .out = -1, .err = -1
    };
    int failed = start(stream, words);
    if (failed != 0) say(&stream->process, failed == ENOENT ? "is not on the PATH" : strerror(failed));
    stream->runs = failed == 0;
    return stream->runs;
}

/* Notes how it ended. */
static void finish(watch *w)
{
    end_line(w);
    w->runs = false;
    if (WIFEXITED(w->how)) w->process.status = WEXITSTATUS(w->how);
    else (void)snprintf(w->process.said, sizeof(w->process.said), "it was ended by signal %d", WTERMSIG(w->how));
}

bool streams_wait(cli_stream *list, size_t count, int64_t milliseconds)
{
    struct pollfd fds[2 * STREAMS_MOST];
    int64_t end = clock_milliseconds() + milliseconds;
    for (;;) {
        int64_t left = end - clock_milliseconds();
        for (size_t i = 0; i < count; i++) {
            fds[2 * i] = (struct pollfd){ .fd = list[i].out, .events = POLLIN };
            fds[2 * i + 1] = (struct pollfd){ .fd = list[i].err, .events = POLLIN };
        }
        int ready = poll(fds, (nfds_t)(2 * count), left < 0 ? 0 : (int)(left < REAP_EVERY_MS ? left : REAP_EVERY_MS));
        if (ready < 0 || interrupted) return false;
        bool good = true;
        for (size_t i = 0; i < count; i++) {
            good = drain(&list[i], &list[i].out) && drain(&list[i], &list[i].err) && good;
            if (list[i].runs) reap(&list[i], WNOHANG);
            if (list[i].runs && list[i].ended) {
                (void)(drain(&list[i], &list[i].out) && drain(&list[i], &list[i].err));
                finish(&list[i]);
            }
            good = good && list[i].runs;
        }
        if (!good || left <= 0) return good;
    }
}

void stream_end(cli_stream *stream)
{
    if (stream->runs) {
        (void)kill(stream->pid, SIGKILL);
        reap(stream, 0);
    }
    close_ends(stream);
    strbuf_free(&stream->process.out);
    *stream = (cli_stream){ .out = -1, .err = -1 };
}

void process_run(const cli_options *options, const char *const *words, int64_t patience, cli_process *process)
{
    watch w;
    if (stream_start(options, words, &w)) {
        if (watch_it(&w, patience / NANOSECONDS_A_MILLISECOND)) {
            finish(&w);
        } else {
            (void)kill(w.pid, SIGKILL);
            reap(&w, 0);
        }
        close_ends(&w);
    }
    *process = w.process;
}

#endif
