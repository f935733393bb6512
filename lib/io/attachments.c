/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes that are still attached to nodes which are being deleted: Karpenter terminates an instance when its node is
 * drained and its volumes are detached. Source: Karpenter 1.15, node termination controller, awaitVolumeDetachment. */
#include <io/notes.h>

#include <stdio.h>

karp_status io_note_attachment(karp_reader *reader, const tree *root)
{
    io_attachments *a = &reader->attachments;
    const tree *spec = tree_get(root, "spec");
    karp_str node = tree_get_text(spec, "nodeName"),
             volume = tree_get_text(tree_get(spec, "source"), "persistentVolumeName");
    if (node.len == 0) return KARP_OK;
    uint32_t *number = io_table_at(&a->nodes, node);
    if (!number || !grow(reader->context, (void **)&a->list, &a->capacity, a->count + 1, sizeof *a->list))
        return io_reader_nomem(reader);
    if (*number == IO_NONE) {
        *number = (uint32_t)a->count;
        a->list[a->count++] = (io_attachment){ .first = io_keep(reader, volume) };
    }
    io_attachment *one = &a->list[*number];
    one->count++;
    return one->first.ptr ? KARP_OK : io_reader_nomem(reader);
}

/* The note on a NodeClaim that is being deleted. */
static karp_status note_claim(karp_reader *reader, const tree *claim)
{
    karp_str node = tree_get_text(tree_get(claim, "status"), "nodeName"),
             grace = tree_get_text(tree_get(claim, "spec"), "terminationGracePeriod");
    char more[40] = "";
    uint32_t number = io_table_get(&reader->attachments.nodes, node);
    if (number == IO_NONE) return KARP_OK;
    const io_attachment *a = &reader->attachments.list[number];
    if (a->count > 1) (void)snprintf(more, sizeof more, " and %zu more", a->count - 1);
    return io_warn(reader,
                   "%.*s is being deleted, and a VolumeAttachment says that volume %.*s%s is still attached to it: "
                   "Karpenter terminates the instance when its volumes are detached, %s%.*s; if no pod of the node "
                   "uses the volume, look at its CSI driver",
                   str_shown(node, 100), node.ptr, str_shown(a->first, 100), a->first.ptr, more,
                   grace.len > 0 ? "or after its terminationGracePeriod of "
                                 : "and nothing ends the wait, as the NodeClaim has no terminationGracePeriod",
                   str_shown(grace, 40), grace.len > 0 ? grace.ptr : "");
}

karp_status io_attachments_note(karp_reader *reader)
{
    karp_status status = KARP_OK;
    for (size_t i = io_other(reader, 0);
         i < reader->deferred_count && reader->attachments.count > 0 && status == KARP_OK;
         i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        bool leaves = w->info->kind == IO_KIND_NODE_CLAIM && w->root && !w->gone &&
                      tree_get_text(tree_get(w->root, "metadata"), "deletionTimestamp").len > 0;
        if (leaves) status = note_claim(reader, w->root);
    }
    return status;
}
