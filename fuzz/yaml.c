/* SPDX-License-Identifier: Apache-2.0 */
/* YAML documents: one or many; anchors, aliases, tags. */
#include "document.h"
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_document("input.yaml", data, size);
    return 0;
}
