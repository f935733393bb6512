/* SPDX-License-Identifier: Apache-2.0 */
#include <model/prepare.h>
#include <string.h>

static bool any_prediction(const karp_snapshot *s)
{
    for (size_t i = 0; i < s->raw.shapes.count; i++) {
        if (beside_of(&s->raw.shapes.items[i]).predicted.count > 0) return true;
    }
    return false;
}

const karp_snapshot *snapshot_predicted(const karp_snapshot *s, arena *a, karp_snapshot *view)
{
    if (!any_prediction(s)) return s;
    snapshot_borrow(view, s);
    view->pool_templates = s->pool_templates;
    shape *shapes = arena_copy(a, s->raw.shapes.items, s->raw.shapes.count * sizeof *shapes);
    pod_class *classes = arena_copy(a, s->classes, s->class_count * sizeof *classes);
    if (shapes == NULL || classes == NULL) return NULL;
    for (size_t i = 0; i < s->raw.shapes.count; i++) {
        const resource_list predicted = beside_of(&shapes[i]).predicted;
        if (predicted.count > 0) shapes[i].requests = predicted;
    }
    for (uint32_t c = 0; c < s->class_count; c++) {
        const resource_list predicted = beside_of(&s->raw.shapes.items[classes[c].shape]).predicted;
        if (predicted.count == 0) continue;
        int64_t *vector = arena_array(a, s->dims, sizeof *vector);
        if (vector == NULL) return NULL;
        vector_of(s, predicted, vector);
        classes[c].requests = vector;
    }
    view->raw.shapes.items = shapes;
    view->classes = classes;
    view->held = s->classes;
    return queue_of_view(view, a) ? view : NULL;
}
