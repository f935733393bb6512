/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/karp.h>

#include <base/operators.h>

const char *operator_name(uint32_t op)
{
    static const char *const names[] = {
        [KARP_OP_UNKNOWN] = "?",
        [KARP_OP_IN] = "In",
        [KARP_OP_NOT_IN] = "NotIn",
        [KARP_OP_EXISTS] = "Exists",
        [KARP_OP_DOES_NOT_EXIST] = "DoesNotExist",
        [KARP_OP_GT] = "Gt",
        [KARP_OP_LT] = "Lt",
        [KARP_OP_GTE] = "Gte",
        [KARP_OP_LTE] = "Lte",
    };
    return op < sizeof names / sizeof *names ? names[op] : "?";
}
