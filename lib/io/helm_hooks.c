/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helm's hooks, which `helm template` writes among the other objects: tests, and what runs before or after an install,
 * an upgrade or a removal. They do not run together with the release. Source: helm, pkg/release/v1/hook.go.
 */
#include <io/helm_hooks.h>

#include <io/fill.h>

#include <string.h>

static bool has_phase(karp_str phases, karp_str phase)
{
    while (phases.len) {
        karp_str one = str_until(&phases, ',');
        while (one.len && one.ptr[0] == ' ') one = (karp_str){ one.ptr + 1, one.len - 1 };
        while (one.len && one.ptr[one.len - 1] == ' ') one.len--;
        if (equal_str(one, phase)) return true;
    }
    return false;
}

static bool creates_pods(const io_deferred *w)
{
    io_kind kind = w->info->kind;
    return kind == IO_KIND_POD || kind == IO_KIND_DAEMON_SET || kind == IO_KIND_OPERATED || kind == IO_KIND_POD_MAKER ||
           io_is_workload(kind);
}

/* Bits of karp_reader.hook_phases. */
enum { PRE_INSTALL = 1, PRE_UPGRADE = 2, ONE_OF_THEM = 4 };

static karp_status leave_out(karp_reader *reader, io_deferred *w, karp_str phases)
{
    bool install = has_phase(phases, str("pre-install")), upgrade = has_phase(phases, str("pre-upgrade"));
    bool post = has_phase(phases, str("post-install"));
    const char *phase = install ? "pre-install" : upgrade ? "pre-upgrade" : "post-install";
    w->gone = true;
    reader->hook_phases |= (install ? PRE_INSTALL : 0u) | (upgrade ? PRE_UPGRADE : 0u);
    if (install != upgrade) reader->hook_phases |= ONE_OF_THEM;
    if (install || upgrade || post)
        return io_warn(reader,
                       "%s %.*s: a Helm hook (%.*s), which runs %s the other objects are created: it is left out of "
                       "their plan%s (--hooks %s: this round alone)",
                       w->info->name, str_shown(w->name, 100), w->name.ptr, str_shown(phases, 100), phases.ptr,
                       install || upgrade ? "and ends before" : "after",
                       install || upgrade ? ", and karp plan has a round of its own for it" : "", phase);
    return io_warn(reader, "%s %.*s: a Helm hook (%.*s), which an install does not run: left out", w->info->name,
                   str_shown(w->name, 100), w->name.ptr, str_shown(phases, 100), phases.ptr);
}

karp_str karp_reader_hooks(const karp_reader *reader)
{
    static const char *const rounds[] = { "", "pre-install", "pre-upgrade", "pre-install,pre-upgrade" };
    uint32_t both = PRE_INSTALL | PRE_UPGRADE, phases = reader ? reader->hook_phases : 0;
    if (phases == (both | ONE_OF_THEM)) return str("pre-install pre-upgrade");
    return str(rounds[phases & both]);
}

karp_status io_settle_hooks(karp_reader *reader)
{
    karp_str only = reader->options.hooks;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < reader->deferred_count && status == KARP_OK; i++) {
        io_deferred *w = &reader->deferred[i];
        if (w->gone || w->stated || !creates_pods(w)) continue;
        const tree *metadata = tree_get(w->root, "metadata");
        if (io_is_stated(metadata, "uid")) continue;
        karp_str phases = tree_get_text(tree_get(metadata, "annotations"), "helm.sh/hook");
        if (only.len == 0 && phases.len > 0) status = leave_out(reader, w, phases);
        if (only.len > 0 && w->info->kind != IO_KIND_DAEMON_SET && !has_phase(phases, only)) w->gone = true;
    }
    return status;
}
