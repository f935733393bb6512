/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 with the processor's SHA instructions, if it has them. */
#ifndef MODEL_DIGEST_X86_H
#define MODEL_DIGEST_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds whole blocks of 64 bytes to the state. false = not supported by this processor, and the state is unchanged. */
bool digest_blocks_x86(uint32_t state[8], const unsigned char *from, size_t blocks, const uint32_t constants[64]);

#endif
