/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/step.h>

#include <records/copy.h>

static bool copy_state(karp_step *s, const karp_command_state *from)
{
    record_copier c = { .to = &s->data, .document = IN_COMMAND };
    record_copy(&c, &record_command_state, from, &s->state);
    memcpy(&s->nodes, &s->state.nodes, sizeof s->nodes);
    memcpy(&s->replacements, &s->state.replacements, sizeof s->replacements);
    return !c.failed;
}

karp_step *step_new(const karp_snapshot *snapshot, const karp_command_state *from, int64_t now)
{
    karp_step *s = made_new(snapshot->context, sizeof *s);
    if (s == NULL) return NULL;
    s->advice = advice_new(snapshot, now);
    if (s->advice != NULL && copy_state(s, from)) return s;
    karp_step_free(s);
    return NULL;
}

void karp_step_free(karp_step *step)
{
    if (step == NULL) return;
    karp_advice_free(step->advice);
    made_free(step, sizeof *step);
}

void step_keep_nodes(karp_step *s, const uint32_t *removed)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->state.node_count; i++) {
        if (removed[i]) s->nodes[kept++] = s->nodes[i];
    }
    s->state.node_count = kept;
}

karp_status karp_step_state(const karp_step *step, karp_command_state *out)
{
    return out != NULL ? struct_give(out, &step->state, sizeof *out, record_command_state.first) : KARP_E_INVALID;
}

const karp_advice *karp_step_advice(const karp_step *step) { return step->advice; }
