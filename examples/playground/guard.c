/* SPDX-License-Identifier: Apache-2.0 */
/* What Debian's runtime library of clang for WebAssembly asks for: it is compiled with guards of the stack, and
 * wasi-libc has none. */
#include <stdint.h>

extern uintptr_t __stack_chk_guard;
_Noreturn void __stack_chk_fail(void);

uintptr_t __stack_chk_guard = 0x2b992ddf;

void __stack_chk_fail(void) { __builtin_trap(); }
