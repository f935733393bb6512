/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/methods.h>

#include <decision/methods.h>

static const disrupt_method methods[] = {
#define ROW(number, name, reason, budget, claims, flags, eligible, run, offered)                                       \
    { KARP_METHOD_##number,                                                                                            \
      budget,                                                                                                          \
      claims,                                                                                                          \
      ((flags)&METHOD_EVENTUAL) != 0,                                                                                  \
      ((flags)&METHOD_STATIC_POOLS) != 0,                                                                              \
      eligible,                                                                                                        \
      run,                                                                                                             \
      offered },
    METHOD_ROWS(ROW)
#undef ROW
};

const disrupt_method *method_at(size_t index)
{
    return index < sizeof methods / sizeof *methods ? &methods[index] : NULL;
}

const disrupt_method *method_numbered(uint32_t method)
{
    size_t i = 0;
    while (methods[i].number != method && method_at(i + 1) != NULL) i++;
    return &methods[i];
}

void pass_set_method(pass *p, uint32_t method)
{
    p->method = method;
    p->how = method_numbered(method);
}
