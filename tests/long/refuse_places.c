/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refuses memory in every place that asks for it, in whatever program runs. Linked by coverage.py into its build, where
 * the linker sends the core's requests (--wrap) through here. A place is a call on the way to a request. Some of the
 * times that one is come by, the first among them, by any of the programs that share the file KARP_PLACES, the process
 * forks: the child is refused and goes on until its test notices, the parent waits and gets its memory. So each check
 * of a refusal is taken, at the price of a few short children for a place. A checked sum or product of sizes is a
 * request, too: no test has the memory in which it overflows.
 *
 * Nothing is judged here but crashes: they are written into the file KARP_PLACES.crashes. Leaks and wrong answers under
 * refused memory are what tests/fault is for.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <base/hash.h>
#include <base/memory.h>
#include <base/sort.h>

enum { PLACES = 1 << 24, MOST_FRAMES = 64, MOST_FUNCTIONS = 1 << 17, KNOWN = 1 << 16 };

/* ---- names of places --------------------------------------------------------------------------------------------- */

/* Programs have the same code at different addresses: a place is called by its function, and how far into it. */
typedef struct function {
    uintptr_t start, end;
    uint64_t name;
} function;

static struct {
    bool ready, working, child;
    unsigned char *seen; /* PLACES bytes, shared */
    function *functions; /* ascending */
    size_t function_count;
    struct {
        uintptr_t address;
        uint64_t place;
    } known[KNOWN]; /* looked up already; 0 = not ours */
    uintptr_t stack_end, base; /* of the program */
    const char *folder;
    char program[4096];
} here;

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

static void add_symbols(const ElfW(Sym) * symbols, size_t count, const char *names, uintptr_t base)
{
    const char *file = "";
    for (size_t i = 0; i < count && here.function_count < MOST_FUNCTIONS; i++) {
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FILE) file = names + symbols[i].st_name;
        if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC || symbols[i].st_size == 0) continue;
        uint64_t name = hash_text(UINT64_C(14695981039346656037),
                                  ELF64_ST_BIND(symbols[i].st_info) == STB_LOCAL ? file : "");
        uintptr_t start = base + symbols[i].st_value;
        here.functions[here.function_count++] = (function){ start, start + symbols[i].st_size,
                                                            hash_text(name, names + symbols[i].st_name) };
    }
}

static void add_object(const char *path, uintptr_t base)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat s;
    if (fd < 0 || fstat(fd, &s) != 0) return;
    const char *file = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED) return;
    const ElfW(Ehdr) *head = (const void *)file;
    const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB) continue;
        const char *names = file + sections[sections[i].sh_link].sh_offset;
        add_symbols((const void *)(file + sections[i].sh_offset), sections[i].sh_size / sizeof(ElfW(Sym)), names, base);
    }
    munmap((void *)(uintptr_t)file, (size_t)s.st_size);
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    (void)user;
    const char *path = info->dlpi_name[0] == '\0' ? here.program : info->dlpi_name;
    if (path == here.program) here.base = info->dlpi_addr;
    if (strncmp(path, here.folder, strlen(here.folder)) == 0) add_object(path, info->dlpi_addr);
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const function *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* 0 = outside of what is built here. */
static uint64_t look_up(uintptr_t address)
{
    size_t low = 0, high = here.function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (here.functions[middle].start <= address) low = middle + 1;
        else high = middle;
    }
    if (low == 0 || address >= here.functions[low - 1].end) return 0;
    const function *f = &here.functions[low - 1];
    uint64_t place = (f->name ^ (address - f->start)) * UINT64_C(0x9e3779b97f4a7c15);
    return place >> 40 == 0 ? 1 : place >> 40;
}

static uint64_t place_of(uintptr_t address)
{
    size_t slot = (address * UINT64_C(0x9e3779b97f4a7c15)) >> 48;
    if (here.known[slot].address != address) {
        here.known[slot].address = address;
        here.known[slot].place = look_up(address);
    }
    return here.known[slot].place;
}

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

static void set_up(void)
{
    here.ready = true;
    const char *path = getenv("KARP_PLACES");
    here.folder = getenv("KARP_PLACES_OF");
    pthread_attr_t attributes;
    void *stack;
    size_t stack_bytes;
    if (path == NULL || here.folder == NULL || readlink("/proc/self/exe", here.program, sizeof here.program - 1) <= 0)
        return;
    if (strncmp(here.program, here.folder, strlen(here.folder)) != 0) return;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getstack(&attributes, &stack, &stack_bytes);
    pthread_attr_destroy(&attributes);
    here.stack_end = (uintptr_t)stack + stack_bytes;
    here.functions = mmap(NULL, MOST_FUNCTIONS * sizeof *here.functions, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || here.functions == MAP_FAILED) return;
    dl_iterate_phdr(visit_object, NULL);
    qsort(here.functions, here.function_count, sizeof *here.functions, by_start);
    void *seen = mmap(NULL, PLACES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (seen != MAP_FAILED) here.seen = seen;
}

/* ---- the child --------------------------------------------------------------------------------------------------- */

/* The parent's files keep their positions: the child has its own of what it may read, and nothing of what it may write.
 */
static void part_from_files(void)
{
    for (int fd = 0; fd < 64; fd++) {
        char path[32];
        struct stat s;
        int flags = fcntl(fd, F_GETFL);
        if (flags < 0 || fstat(fd, &s) != 0) continue;
        bool own = S_ISREG(s.st_mode) && (flags & O_ACCMODE) == O_RDONLY;
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        int other = open(own ? path : "/dev/null", own ? O_RDONLY : O_RDWR);
        if (other < 0) continue;
        if (own) lseek(other, lseek(fd, 0, SEEK_CUR), SEEK_SET);
        dup2(other, fd);
        close(other);
    }
}

static void leave(int signal)
{
    (void)signal;
    exit(0); /* writes the counts */
}

static void become_child(void)
{
    struct itimerval soon = { { 0, 0 }, { 0, 60000 } };
    here.child = true;
    setenv("KARP_PLACES_CHILD", "1", 1); /* the program has a copy of this file apart from the library's */
    part_from_files();
    signal(SIGPROF, leave);
    setitimer(ITIMER_PROF, &soon, NULL);
    alarm(30);
}

/* cmocka's: a test has failed, the child is done. */
void _fail(const char *file, int line);
void _fail(const char *file, int line)
{
    if (getenv("KARP_PLACES_CHILD") != NULL) exit(0);
    void (*fail)(const char *, int);
    void *symbol = dlsym(RTLD_NEXT, "_fail");
    memcpy(&fail, &symbol, sizeof fail);
    if (symbol != NULL) fail(file, line);
    abort();
}

static void wait_for(pid_t child, const uint64_t *places, size_t count)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (by != SIGSEGV && by != SIGBUS && by != SIGFPE && by != SIGILL) return;
    char path[4096], line[8192];
    snprintf(path, sizeof path, "%s.crashes", getenv("KARP_PLACES"));
    int length = snprintf(line, sizeof line, "signal %d: addr2line -fpe %s", by, here.program);
    for (size_t i = 0; i < count && length < (int)sizeof line - 32; i++)
        length += snprintf(line + length, 32, " %lx", (unsigned long)(places[i] - here.base));
    line[length++] = '\n';
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd >= 0 && write(fd, line, (size_t)length) < 0) abort();
    close(fd);
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

/* A child would wait for them in its parent's stead, or end them. */
static bool has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Whether a place is refused the time it is come by: early ones, and some when there is more around it. */
static bool has_turn(unsigned char *times)
{
    if (*times == UINT8_MAX) return false;
    unsigned char now = __atomic_add_fetch(times, 1, __ATOMIC_RELAXED);
    return now == 1 || now == 2 || now == 5 || now == 20;
}

/* Counts all calls on the way here; whether one of them has its turn. */
static bool is_due(uintptr_t *frame, uint64_t *places, size_t *count)
{
    bool due = false;
    while (*count < MOST_FRAMES) {
        uintptr_t address = frame[1], *older = (uintptr_t *)frame[0];
        uint64_t place = place_of(address - 1);
        if (place != 0) {
            places[(*count)++] = address;
            if (has_turn(&here.seen[place])) due = true;
        }
        if (older <= frame || (uintptr_t)older + 16 > here.stack_end || ((uintptr_t)older & 7) != 0) break;
        frame = older;
    }
    return due;
}

static bool refused(void *frame)
{
    if (!here.ready) set_up();
    if (here.seen == NULL || here.child || here.working || !__libc_single_threaded) return false;
    uint64_t places[MOST_FRAMES];
    size_t count = 0;
    here.working = true;
    bool due = is_due(frame, places, &count);
    pid_t child = -1;
    if (due && !has_children()) {
        child = fork();
        if (child == 0) become_child();
        else if (child > 0) wait_for(child, places, count);
    }
    here.working = false;
    return child == 0;
}

/* ---- the requests ------------------------------------------------------------------------------------------------ */

#define FRAME __builtin_frame_address(0)

__attribute__((weak)) void *__real_mem_alloc(karp_context *context, size_t bytes);
void *__wrap_mem_alloc(karp_context *context, size_t bytes);
void *__wrap_mem_alloc(karp_context *context, size_t bytes)
{
    return refused(FRAME) ? NULL : __real_mem_alloc(context, bytes);
}

__attribute__((weak)) void *__real_mem_zalloc(karp_context *context, size_t bytes);
void *__wrap_mem_zalloc(karp_context *context, size_t bytes);
void *__wrap_mem_zalloc(karp_context *context, size_t bytes)
{
    return refused(FRAME) ? NULL : __real_mem_zalloc(context, bytes);
}

__attribute__((weak)) void *__real_mem_realloc(karp_context *context, void *ptr, size_t old_bytes, size_t new_bytes);
void *__wrap_mem_realloc(karp_context *context, void *ptr, size_t old_bytes, size_t new_bytes);
void *__wrap_mem_realloc(karp_context *context, void *ptr, size_t old_bytes, size_t new_bytes)
{
    return refused(FRAME) ? NULL : __real_mem_realloc(context, ptr, old_bytes, new_bytes);
}

__attribute__((weak)) bool __real_grow(karp_context *context, void **data, size_t *capacity, size_t need, size_t elem);
bool __wrap_grow(karp_context *context, void **data, size_t *capacity, size_t need, size_t elem);
bool __wrap_grow(karp_context *context, void **data, size_t *capacity, size_t need, size_t elem)
{
    return refused(FRAME) ? false : __real_grow(context, data, capacity, need, elem);
}

__attribute__((weak)) void *__real_arena_alloc(arena *a, size_t bytes);
void *__wrap_arena_alloc(arena *a, size_t bytes);
void *__wrap_arena_alloc(arena *a, size_t bytes) { return refused(FRAME) ? NULL : __real_arena_alloc(a, bytes); }

__attribute__((weak)) void *__real_arena_alloc_aligned(arena *a, size_t bytes, size_t align);
void *__wrap_arena_alloc_aligned(arena *a, size_t bytes, size_t align);
void *__wrap_arena_alloc_aligned(arena *a, size_t bytes, size_t align)
{
    return refused(FRAME) ? NULL : __real_arena_alloc_aligned(a, bytes, align);
}

__attribute__((weak)) void *__real_arena_zalloc(arena *a, size_t bytes);
void *__wrap_arena_zalloc(arena *a, size_t bytes);
void *__wrap_arena_zalloc(arena *a, size_t bytes) { return refused(FRAME) ? NULL : __real_arena_zalloc(a, bytes); }

__attribute__((weak)) void *__real_arena_array(arena *a, size_t count, size_t elem);
void *__wrap_arena_array(arena *a, size_t count, size_t elem);
void *__wrap_arena_array(arena *a, size_t count, size_t elem)
{
    return refused(FRAME) ? NULL : __real_arena_array(a, count, elem);
}

__attribute__((weak)) void *__real_arena_copy(arena *a, const void *data, size_t bytes);
void *__wrap_arena_copy(arena *a, const void *data, size_t bytes);
void *__wrap_arena_copy(arena *a, const void *data, size_t bytes)
{
    return refused(FRAME) ? NULL : __real_arena_copy(a, data, bytes);
}

__attribute__((weak)) char *__real_arena_string(arena *a, const char *text, size_t length);
char *__wrap_arena_string(arena *a, const char *text, size_t length);
char *__wrap_arena_string(arena *a, const char *text, size_t length)
{
    return refused(FRAME) ? NULL : __real_arena_string(a, text, length);
}

__attribute__((weak)) bool __real_size_add(size_t a, size_t b, size_t *out);
bool __wrap_size_add(size_t a, size_t b, size_t *out);
bool __wrap_size_add(size_t a, size_t b, size_t *out) { return refused(FRAME) ? false : __real_size_add(a, b, out); }

__attribute__((weak)) bool __real_size_mul(size_t a, size_t b, size_t *out);
bool __wrap_size_mul(size_t a, size_t b, size_t *out);
bool __wrap_size_mul(size_t a, size_t b, size_t *out) { return refused(FRAME) ? false : __real_size_mul(a, b, out); }

/* ---- what asks for memory now and then --------------------------------------------------------------------------- */

__attribute__((weak)) bool __real_sort_stable(karp_context *context, void *base, size_t count, size_t size,
                                              compare_fn compare, const void *user);
bool __wrap_sort_stable(karp_context *context, void *base, size_t count, size_t size, compare_fn compare,
                        const void *user);
bool __wrap_sort_stable(karp_context *context, void *base, size_t count, size_t size, compare_fn compare,
                        const void *user)
{
    return refused(FRAME) ? false : __real_sort_stable(context, base, count, size, compare, user);
}

typedef int (*compare_ids_fn)(uint32_t a, uint32_t b, const void *user);

__attribute__((weak)) bool __real_sort_ids(karp_context *context, uint32_t *ids, size_t count, compare_ids_fn compare,
                                           const void *user);
bool __wrap_sort_ids(karp_context *context, uint32_t *ids, size_t count, compare_ids_fn compare, const void *user);
bool __wrap_sort_ids(karp_context *context, uint32_t *ids, size_t count, compare_ids_fn compare, const void *user)
{
    return refused(FRAME) ? false : __real_sort_ids(context, ids, count, compare, user);
}

__attribute__((weak)) uint32_t __real_strings_add(strings *s, const char *text, size_t length);
uint32_t __wrap_strings_add(strings *s, const char *text, size_t length);
uint32_t __wrap_strings_add(strings *s, const char *text, size_t length)
{
    return refused(FRAME) ? NO_ID : __real_strings_add(s, text, length);
}

__attribute__((weak)) uint32_t __real_words_add(words *w, const uint32_t *data, size_t count);
uint32_t __wrap_words_add(words *w, const uint32_t *data, size_t count);
uint32_t __wrap_words_add(words *w, const uint32_t *data, size_t count)
{
    return refused(FRAME) ? NO_ID : __real_words_add(w, data, count);
}

__attribute__((weak)) bool __real_map64_put(map64 *m, uint64_t key, uint32_t value);
bool __wrap_map64_put(map64 *m, uint64_t key, uint32_t value);
bool __wrap_map64_put(map64 *m, uint64_t key, uint32_t value)
{
    return refused(FRAME) ? false : __real_map64_put(m, key, value);
}
