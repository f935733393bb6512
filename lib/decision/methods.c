/* SPDX-License-Identifier: Apache-2.0 */
#include <decision/methods.h>

static const struct {
    const char *name, *reason;
    uint32_t flags;
} methods[] = {
#define ROW(number, name, reason, budget, claims, flags, eligible, run, offered)                                       \
    [KARP_METHOD_##number] = { name, reason, (flags) & (METHOD_EVENTUAL - 1) },
    METHOD_ROWS(ROW)
#undef ROW
};

static int known(uint32_t method) { return method < sizeof methods / sizeof *methods && methods[method].name != NULL; }

const char *karp_method_name(uint32_t method) { return known(method) ? methods[method].name : ""; }
const char *karp_method_reason(uint32_t method) { return known(method) ? methods[method].reason : ""; }
uint32_t karp_method_flags(uint32_t method) { return known(method) ? methods[method].flags : 0; }
