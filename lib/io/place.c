/* SPDX-License-Identifier: Apache-2.0 */
#include <io/place.h>

#include <string.h>

io_place io_place_of(karp_str document, const io_cursor *json)
{
    return (io_place){ .document = document,
                       .line = json->line,
                       .column = io_cursor_column(json),
                       .offset = json->pos,
                       .text = io_cursor_text(json) };
}

size_t io_step_length(const io_step *step) { return step->index ? step->index : strlen(step->name); }

static void move_in_text(io_place *place, uint32_t at)
{
    uint32_t line, column;
    tree_position(place->text, at, &line, &column);
    place->column = line == 1 ? place->column + column - 1 : column;
    place->line += line - 1;
    place->offset += at;
    place->text.ptr += at;
    place->text.len -= at;
}

void io_place_refine(io_place *place, const tree *root, const io_step *path, size_t depth)
{
    uint32_t at = TREE_NOWHERE, base = 0;
    for (size_t i = 0; root; i++) {
        if (root->at != TREE_NOWHERE) at = base + root->at;
        if (root->repeated) base = at;
        if (i == depth) break;
        root = path[i].name ? tree_find(root, path[i].name, io_step_length(&path[i])) : tree_item(root, path[i].index);
    }
    if (at == TREE_NOWHERE) return;
    if (place->text.ptr && at < place->text.len) {
        move_in_text(place, at);
    } else if (place->marks && at < place->marks->count) {
        place->line = place->marks->list[at].line;
        place->column = place->marks->list[at].column;
        place->offset = KARP_NO_OFFSET;
    }
}

void io_shift_positions(tree *value, size_t by)
{
    value->at = value->at + by < TREE_NOWHERE ? (uint32_t)(value->at + by) : TREE_NOWHERE;
    for (size_t i = 0; i < tree_count(value); i++)
        io_shift_positions(tree_is(value, TREE_LIST) ? tree_item(value, i) : tree_member_at(value, i)->value, by);
}

void io_error_place(karp_error *error, const io_place *place)
{
    error_set_place(error, place->document, place->line, place->column, place->offset);
}
