/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces convert.c in a library that is built with -Dv1alpha5=false. */
#include <io/convert.h>

karp_status io_convert(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place)
{
    karp_status status = io_reader_fail(reader, KARP_E_UNSUPPORTED, place, "kind",
                                        "this libkarp-io was built without %s (-Dv1alpha5=false)", info->name);
    io_reader_name(reader, str(info->name), (karp_str){ "", 0 }, tree_get_text(tree_get(root, "metadata"), "name"));
    return status;
}

/* No object is converted, so there is nothing to rename or complete. */
void io_rename_old(trees *t, const io_kind_info *info, tree *root) { (void)t, (void)info, (void)root; }

void io_complete_class(trees *t, tree *root, const tree *base) { (void)t, (void)root, (void)base; }
