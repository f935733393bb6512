/* SPDX-License-Identifier: Apache-2.0 */
#include <io/cells.h>

#include <base/str.h>

karp_str cell_trimmed(karp_str text)
{
    while (text.len > 0 && cell_space(text.ptr[0])) text = (karp_str){ text.ptr + 1, text.len - 1 };
    while (text.len > 0 && cell_space(text.ptr[text.len - 1])) text.len--;
    return text;
}

bool cell_next(karp_str *line, karp_str *cell)
{
    *line = cell_trimmed(*line);
    if (line->len == 0 || line->ptr[0] != '"') {
        *cell = cell_trimmed(str_until(line, ','));
        return true;
    }
    karp_str inside = { line->ptr + 1, line->len - 1 };
    *cell = str_until(&inside, '"');
    if (cell->ptr + cell->len == line->ptr + line->len) return false;
    *line = inside;
    return cell_trimmed(str_until(line, ',')).len == 0;
}
