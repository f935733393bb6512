/* SPDX-License-Identifier: Apache-2.0 */
#include <base/context.h>

#include <stdlib.h>

#include <karp/library.h>

#include <base/error.h>
#include <base/hash.h>

static void *libc_alloc(size_t bytes, void *user)
{
    (void)user;
    return malloc(bytes);
}

static void *libc_realloc(void *ptr, size_t old_bytes, size_t new_bytes, void *user)
{
    (void)old_bytes;
    (void)user;
    return realloc(ptr, new_bytes);
}

static void libc_free(void *ptr, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(ptr);
}

static karp_allocator libc_allocator(void)
{
    karp_allocator a = { sizeof a, libc_alloc, libc_realloc, libc_free, NULL };
    return a;
}

karp_context *context_ref(karp_context *context)
{
    atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
    return context;
}

void context_unref(karp_context *context)
{
    if (!context) return;
    if (atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) != 1) return;
    /* The allocator is part of the memory that it frees. */
    karp_allocator allocator = context->allocator;
    allocator.free(context, sizeof *context, allocator.user);
}

void *made_new(karp_context *context, size_t bytes)
{
    made_head *made = mem_zalloc(context, bytes);
    if (made == NULL) return NULL;
    made->context = context_ref(context);
    arena_init(&made->data, context);
    return made;
}

void made_free(void *made, size_t bytes)
{
    made_head head;
    memcpy(&head, made, sizeof head);
    arena_free(&head.data);
    mem_free(head.context, made, bytes);
    context_unref(head.context);
}

void karp_error_init(karp_error *error, size_t size)
{
    if (!error) return;
    memset(error, 0, size);
    if (size >= sizeof error->size) error->size = size;
}

void karp_context_options_init(karp_context_options *options, size_t size)
{
    const karp_context_options fresh = { 0 };
    struct_start(options, size, &fresh, sizeof fresh);
}

static void fill_defaults(karp_context_options *options)
{
    if (options->max_pods == 0) options->max_pods = UINT64_C(10000000);
    if (options->max_nodes == 0) options->max_nodes = UINT64_C(1000000);
    if (options->max_instance_types == 0) options->max_instance_types = UINT64_C(100000);
    if (options->max_document_bytes == 0) options->max_document_bytes = UINT64_C(4) << 30;
    if (options->max_nesting == 0) options->max_nesting = 100;
    if (options->max_aliases == 0) options->max_aliases = UINT64_C(100000);
}

static karp_status choose_allocator(const karp_allocator *given, karp_allocator *out, karp_error *error)
{
    if (!given) {
        *out = libc_allocator();
        return KARP_OK;
    }
    karp_status status = struct_check(given, sizeof *out, SIZE_THROUGH(karp_allocator, user), out, "karp_allocator",
                                      error);
    if (status != KARP_OK) return status;
    if (!out->alloc || !out->free) return fail(error, KARP_E_ABI_OLD, "karp_allocator needs alloc and free");
    return KARP_OK;
}

static uint64_t seed_of_addresses(const karp_context *context)
{
    uint64_t seed = hash_mix((uint64_t)(uintptr_t)context);
    seed = hash_mix(seed ^ (uint64_t)(uintptr_t)context->allocator.user);
    return hash_mix(seed ^ (uint64_t)(uintptr_t)context->allocator.alloc) | 1;
}

static void *counted_alloc(size_t bytes, void *user) { return karp_alloc(user, bytes); }

static void counted_free(void *ptr, size_t bytes, void *user) { karp_free(user, ptr, bytes); }

karp_status karp_context_new(const karp_context_options *options, karp_context **out, karp_error *error)
{
    if (out == NULL) return fail_null(error, "out");
    karp_context_options own;
    karp_status status = struct_check(options, sizeof own, SIZE_THROUGH(karp_context_options, max_aliases), &own,
                                      "karp_context_options", error);
    if (status != KARP_OK) return status;
    if ((own.debug & ~(uint32_t)KARP_DEBUG_THREADS) != 0) return fail_bits(error, "karp_context_options.debug");
    karp_allocator allocator;
    status = choose_allocator(own.allocator, &allocator, error);
    if (status != KARP_OK) return status;

    karp_context *context = allocator.alloc(sizeof *context, allocator.user);
    if (!context) return fail_nomem(error);
    memset(context, 0, sizeof *context);
    atomic_init(&context->references, 1);
    context->allocator = allocator;
    fill_defaults(&own);
    own.size = sizeof own;
    context->root = context;
    context->guarded = own.max_memory != 0 || own.should_stop != NULL;
    context->counted = (karp_allocator){ sizeof context->counted, counted_alloc, NULL, counted_free, context };
    own.allocator = context->guarded ? &context->counted : &context->allocator;
    atomic_init(&context->used, 0);
    atomic_init(&context->unpolled, 0);
    atomic_init(&context->refusal, 0);
    if (own.hash_seed == 0) own.hash_seed = seed_of_addresses(context);
    context->options = own;
    *out = context;
    return KARP_OK;
}

void context_begin_run(karp_context *run, karp_context *parent, int32_t (*should_stop)(void *user), void *user)
{
    memset(run, 0, sizeof *run);
    atomic_init(&run->references, 1);
    atomic_init(&run->used, 0);
    atomic_init(&run->unpolled, 0);
    atomic_init(&run->refusal, 0);
    run->allocator = parent->allocator;
    run->options = parent->options;
    run->root = parent->root;
    run->is_run = true;
    if (should_stop != NULL) {
        run->options.should_stop = should_stop;
        run->options.stop_user = user;
    }
    run->guarded = run->options.max_memory != 0 || run->options.should_stop != NULL;
}

void context_limit_run(karp_context *run, uint64_t units)
{
    run->most_work = units;
    run->work = 0;
    run->guarded = units != 0 || run->options.max_memory != 0 || run->options.should_stop != NULL;
}

void context_stop_gently(karp_context *run) { run->gentle = true; }

void context_finish_run(karp_context *run)
{
    run->options.should_stop = NULL;
    run->stop_noted = false;
    run->most_work = 0;
}

karp_status context_refusal(karp_context *context, karp_status status, karp_error *error)
{
    if (status != KARP_E_NOMEM) return status;
    int why = atomic_exchange_explicit(&context->root->refusal, 0, memory_order_relaxed);
    if (why == KARP_E_CANCELED) return fail(error, KARP_E_CANCELED, "stopped by the caller");
    if (why != KARP_E_LIMIT) return status;
    return fail(error, KARP_E_LIMIT, "more memory is needed than the %llu bytes that the context allows (max_memory)",
                (unsigned long long)context->options.max_memory);
}

karp_status context_nomem(karp_context *context, karp_error *error)
{
    return context_refusal(context, fail_nomem(error), error);
}

karp_status karp_context_refusal(karp_context *context, karp_status status, karp_error *error)
{
    return context == NULL ? status : context_refusal(context, status, error);
}

uint64_t karp_context_memory(const karp_context *context)
{
    return context == NULL ? 0 : atomic_load_explicit(&context->root->used, memory_order_relaxed);
}

karp_context *karp_context_ref(karp_context *context) { return context ? context_ref(context) : NULL; }

void karp_context_unref(karp_context *context) { context_unref(context); }

const karp_context_options *karp_context_get_options(const karp_context *context) { return &context->options; }

void *karp_alloc(karp_context *context, size_t bytes)
{
    /* Objects larger than PTRDIFF_MAX have no valid pointer differences. */
    if (bytes > PTRDIFF_MAX || (context->guarded && !context_admit(context, allocated_size(bytes)))) return NULL;
    void *memory = context->allocator.alloc(allocated_size(bytes), context->allocator.user);
    if (!memory && context->guarded) context_give_back(context, allocated_size(bytes));
    return memory;
}

int32_t karp_context_work(karp_context *context, uint64_t units)
{
    return context_work(context, units > SIZE_MAX ? SIZE_MAX : (size_t)units);
}

void karp_free(karp_context *context, void *memory, size_t bytes)
{
    if (!memory) return;
    if (context->guarded) context_give_back(context, allocated_size(bytes));
    context->allocator.free(memory, allocated_size(bytes), context->allocator.user);
}

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *karp_version(void)
{
    return VERSION_TEXT(KARP_VERSION_MAJOR, KARP_VERSION_MINOR, KARP_VERSION_PATCH) KARP_VERSION_STAGE;
}

uint32_t karp_version_number(void) { return KARP_VERSION_NUMBER; }

const char *karp_status_name(karp_status status)
{
    switch (status) {
    case KARP_OK: return "KARP_OK";
    case KARP_E_INTERNAL: return "KARP_E_INTERNAL";
    case KARP_E_NOMEM: return "KARP_E_NOMEM";
    case KARP_E_INVALID: return "KARP_E_INVALID";
    case KARP_E_SYNTAX: return "KARP_E_SYNTAX";
    case KARP_E_LIMIT: return "KARP_E_LIMIT";
    case KARP_E_RANGE: return "KARP_E_RANGE";
    case KARP_E_CANCELED: return "KARP_E_CANCELED";
    case KARP_E_NOT_FOUND: return "KARP_E_NOT_FOUND";
    case KARP_E_DUPLICATE: return "KARP_E_DUPLICATE";
    case KARP_E_STATE: return "KARP_E_STATE";
    case KARP_E_ABI_SIZE: return "KARP_E_ABI_SIZE";
    case KARP_E_ABI_OLD: return "KARP_E_ABI_OLD";
    case KARP_E_ABI_NEW: return "KARP_E_ABI_NEW";
    case KARP_E_IO: return "KARP_E_IO";
    case KARP_E_UNSUPPORTED: return "KARP_E_UNSUPPORTED";
    case KARP_E_PROVIDER: return "KARP_E_PROVIDER";
    default: return "unknown status";
    }
}
