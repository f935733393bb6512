/* SPDX-License-Identifier: Apache-2.0 */
#include <io/fill.h>

static bool count(io_waiting_group *group, karp_reader *reader, const tree *pod, karp_str gate)
{
    const tree *metadata = tree_get(pod, "metadata");
    if (group->count++ > 0) return true;
    group->space = io_keep(reader, tree_get_text(metadata, "namespace"));
    group->name = io_keep(reader, tree_get_text(metadata, "name"));
    group->gate = io_keep(reader, gate);
    return group->space.ptr && group->name.ptr && group->gate.ptr;
}

/* Only strict mode leaves pods silent: otherwise the condition is filled in. */
bool io_count_waiting(io_waiting_pods *waiting, karp_reader *reader, const tree *pod)
{
    const tree *spec = tree_get(pod, "spec"), *status = tree_get(pod, "status"), *gates;
    karp_str phase = tree_get_text(status, "phase");
    if (tree_get_text(spec, "nodeName").len > 0 || (phase.len > 0 && !str_is(phase, "Pending"))) return true;
    gates = tree_get(spec, "schedulingGates");
    if (tree_count(gates) > 0) return count(&waiting->gated, reader, pod, tree_get_text(tree_item(gates, 0), "name"));
    if (!reader->options.strict || io_condition_status(tree_get(status, "conditions"), "PodScheduled").len > 0)
        return true;
    return count(&waiting->silent, reader, pod, str(""));
}

/* "default/web-0", "default/web-0 and 4 more" */
static void describe(const io_waiting_group *group, char *into, size_t room)
{
    into[0] = '\0';
    str_append(into, room, "%.*s%s%.*s", str_shown(group->space, 64), group->space.ptr, group->space.len ? "/" : "",
               str_shown(group->name, 64), group->name.ptr);
    if (group->count > 1) str_append(into, room, " and %llu more", (unsigned long long)(group->count - 1));
}

karp_status io_warn_of_waiting(const io_waiting_pods *waiting, karp_reader *reader)
{
    char shown[192];
    const io_waiting_group *gated = &waiting->gated, *silent = &waiting->silent;
    karp_status status = KARP_OK;
    if (gated->count > 0) {
        bool one = gated->count == 1;
        describe(gated, shown, sizeof shown);
        status = io_warn(reader,
                         "Pod %s: gated: Karpenter launches no node for %s before %s scheduling gates are removed "
                         "(%.*s)",
                         shown, one ? "it" : "them", one ? "its" : "their", str_shown(gated->gate, 100),
                         gated->gate.ptr);
    }
    if (status || silent->count == 0) return status;
    bool one = silent->count == 1;
    describe(silent, shown, sizeof shown);
    return io_warn(reader,
                   "Pod %s: %s no node and no condition PodScheduled: Karpenter does not provision for %s (strict)",
                   shown, one ? "it has" : "they have", one ? "it" : "them");
}
