/* SPDX-License-Identifier: Apache-2.0 */
#include <support/node_class.h>

#include <json/tree.h>

karp_status read_node_class(scratch *s, karp_str text, aws_node_class *out, karp_error *error)
{
    trees t;
    tree *root = NULL;
    trees_init(&t, s->context);
    karp_status status = tree_read(&t, (karp_str){ "", 0 }, text, &root, error);
    if (status == KARP_OK) status = aws_node_class_read(s, root, out, error);
    trees_free(&t);
    return status;
}
