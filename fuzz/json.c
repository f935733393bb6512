/* SPDX-License-Identifier: Apache-2.0 */
/* JSON documents: one, or one per line. */
#include "document.h"
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_document("input.json", data, size);
    return 0;
}
