/* SPDX-License-Identifier: Apache-2.0 */
/* What pods of one shape have in common, and which nodes admit them. */
#pragma once

#include <replay/engine.h>

karp_status engine_shapes(engine *e); /* decodes the shapes, and reads their requests from the base snapshot */
/* Whether nodes of the kind admit pods of the shape. */
bool shape_judge(engine *e, uint32_t shape, uint32_t kind);
static inline bool shape_admitted(engine *e, uint32_t shape, const replay_node *node)
{
    const replay_shape *s = &e->pods.shapes[shape];
    if (node->kind < s->admit_capacity && s->admits[node->kind] != 0) return s->admits[node->kind] == 1;
    return shape_judge(e, shape, node->kind);
}
int64_t engine_whole(double amount, uint32_t resource); /* as the engine counts it */
int64_t engine_amount(const karp_resource *r, uint32_t resource);
uint32_t engine_resource(engine *e, karp_str name); /* REPLAY_NONE = no pod requests it */
