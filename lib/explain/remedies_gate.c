/* SPDX-License-Identifier: Apache-2.0 */
/* A feature gate that is off although the input has objects for it: whether the pod is placed if it is on. */
#include <explain/explain_pod.h>

#include <model/builder.h>
#include <schedule/options.h>

/* The catalogues with NodeOverlays are made when a snapshot is finished. */
static karp_status with_gate(const search *s, uint32_t gate, karp_snapshot **out)
{
    const karp_snapshot *owner = s->snapshot->lender != NULL ? s->snapshot->lender : s->snapshot;
    karp_builder *builder = NULL;
    karp_status status = karp_snapshot_edit(owner, &builder, s->error);
    if (status != KARP_OK) return status;
    builder->s.settings.gates |= gate;
    store_touch(&builder->s, TOUCHED_REST);
    status = karp_builder_finish(builder, out, s->error);
    karp_builder_free(builder);
    return status;
}

void try_gate(search *s)
{
    if (s->snapshot->raw.overlays.count == 0 || (s->snapshot->raw.settings.gates & KARP_GATE_NODE_OVERLAY) != 0) return;
    karp_snapshot *gated = NULL, view;
    overlay_view had = s->changed;
    s->status = with_gate(s, KARP_GATE_NODE_OVERLAY, &gated);
    if (s->status != KARP_OK) return;
    s->rounds++; /* it is tried in addition to the others */
    strbuf text = strbuf_on(s->snapshot->context);
    strbuf_adds(&text, "switch on the feature gate NodeOverlay");
    if (overlay_view_init(&s->changed, options_view(s->options, gated, &view)))
        (void)search_try(s, KARP_REMEDY_SWITCH_GATE, 1, &text);
    else s->status = KARP_E_NOMEM;
    overlay_view_free(&s->changed);
    strbuf_free(&text);
    s->changed = had;
    karp_snapshot_unref(gated);
}
