/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helm's hooks, which `helm template` writes among the other objects: tests, and what runs before or after an install,
 * an upgrade or a removal. They do not run together with the release. Source: helm, pkg/release/v1/hook.go.
 */

#include <io/fill.h>
#include <io/notes.h>

/* ---- phases ------------------------------------------------------------------------------------------------------ */

/* The last two are those of Helm 2: test-success is one name of test, and Helm 3 skips the hooks of the others. */
static const char *const known[] = { "pre-install",  "post-install",  "pre-upgrade", "post-upgrade",
                                     "pre-rollback", "post-rollback", "pre-delete",  "post-delete",
                                     "test",         "test-success",  "crd-install", "test-failure" };
enum { KNOWN = sizeof known / sizeof *known, ALIVE = 9 };

/* The next phase of the annotation's value. */
static karp_str next_phase(karp_str *phases)
{
    karp_str one = str_until(phases, ',');
    while (one.len && one.ptr[0] == ' ') one = (karp_str){ one.ptr + 1, one.len - 1 };
    while (one.len && one.ptr[one.len - 1] == ' ') one.len--;
    return one;
}

/* Helm ignores the case of letters. */
static bool has_phase(karp_str phases, karp_str phase)
{
    while (phases.len) {
        if (equal_letters(next_phase(&phases), phase)) return true;
    }
    return false;
}

/* The first phase that no Helm knows; "" = all are known. */
static karp_str unknown_phase(karp_str phases)
{
    while (phases.len) {
        karp_str one = next_phase(&phases);
        size_t i = 0;
        while (i < KNOWN && !equal_letters(one, str(known[i]))) i++;
        if (i == KNOWN) return one;
    }
    return str("");
}

static bool creates_pods(const io_deferred *w)
{
    io_kind kind = w->info->kind;
    return kind == IO_KIND_POD || kind == IO_KIND_DAEMON_SET || kind == IO_KIND_OPERATED || kind == IO_KIND_POD_MAKER ||
           io_is_workload(kind);
}

/* Bits of karp_reader.hook_phases. */
enum { PRE_INSTALL = 1, PRE_UPGRADE = 2, ONE_OF_THEM = 4 };

/* Helm skips a hook if it does not know one of its phases. */
static karp_status note_unknown(karp_reader *reader, io_deferred *w, karp_str phase)
{
    char meant[MEANT];
    nearest near = nearest_to(phase);
    for (size_t i = 0; i < ALIVE; i++) nearest_offer(&near, str(known[i]));
    w->gone = true;
    return io_not_understood(reader,
                             "%s %.*s: metadata.annotations[\"helm.sh/hook\"]: Helm has no hooks of %.*s and skips the "
                             "object: left out%s",
                             w->info->name, str_shown(w->name, 100), w->name.ptr, str_shown(phase, 60), phase.ptr,
                             io_meant(&near, meant));
}

static karp_status leave_out(karp_reader *reader, io_deferred *w, karp_str phases)
{
    bool install = has_phase(phases, str("pre-install")), upgrade = has_phase(phases, str("pre-upgrade"));
    bool post = has_phase(phases, str("post-install"));
    const char *phase = install ? "pre-install" : upgrade ? "pre-upgrade" : "post-install";
    w->gone = true;
    reader->mode.hook_phases |= (install ? PRE_INSTALL : 0u) | (upgrade ? PRE_UPGRADE : 0u);
    if (install != upgrade) reader->mode.hook_phases |= ONE_OF_THEM;
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
    uint32_t both = PRE_INSTALL | PRE_UPGRADE, phases = reader ? reader->mode.hook_phases : 0;
    if (phases == (both | ONE_OF_THEM)) return str("pre-install pre-upgrade");
    return str(rounds[phases & both]);
}

/* No hook has the phase of the option. `seen`: bits of the known phases that hooks have. */
static karp_status no_hooks(karp_reader *reader, uint32_t seen)
{
    karp_str only = reader->options.hooks;
    char list[160] = "", meant[MEANT];
    nearest near = nearest_to(only);
    for (size_t i = 0; i < KNOWN; i++) {
        if (seen >> i & 1) str_append(list, sizeof list, "%s%s", list[0] ? ", " : "", known[i]);
        if ((seen >> i & 1) || i < ALIVE) nearest_offer(&near, str(known[i]));
    }
    return fail(&reader->error, KARP_E_NOT_FOUND, "no Helm hook of %.*s creates pods; the input has %s%s%s",
                str_shown(only, 60), only.ptr, list[0] ? "hooks of " : "no such hooks", list, io_meant(&near, meant));
}

static uint32_t bits_of(karp_str phases)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < KNOWN; i++) bits |= (uint32_t)has_phase(phases, str(known[i])) << i;
    return bits;
}

karp_status io_settle_hooks(karp_reader *reader)
{
    karp_str only = reader->options.hooks;
    karp_status status = KARP_OK;
    uint32_t seen = 0;
    bool found = false;
    for (size_t i = 0; i < reader->deferred_count && status == KARP_OK; i++) {
        io_deferred *w = &reader->deferred[i];
        if (w->gone || w->stated || w->created || !creates_pods(w)) continue;
        const tree *metadata = tree_get(w->root, "metadata");
        if (io_is_stated(metadata, "uid")) continue;
        karp_str phases = tree_get_text(tree_get(metadata, "annotations"), "helm.sh/hook");
        karp_str unknown = unknown_phase(phases);
        bool wanted = has_phase(phases, only);
        if (unknown.len > 0) status = note_unknown(reader, w, unknown);
        else if (only.len == 0 && phases.len > 0) status = leave_out(reader, w, phases);
        else if (only.len > 0 && w->info->kind != IO_KIND_DAEMON_SET && !wanted) w->gone = true;
        seen |= unknown.len > 0 ? 0 : bits_of(phases);
        found = found || (wanted && unknown.len == 0);
    }
    return status || only.len == 0 || found ? status : no_hooks(reader, seen);
}
