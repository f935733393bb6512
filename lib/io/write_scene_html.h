/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as HTML: rows of nodes, each a box as wide as its CPU, and what the colours mean. */
#ifndef IO_WRITE_SCENE_HTML_H
#define IO_WRITE_SCENE_HTML_H

#include "html.h"
#include "scene.h"

#define HTML_DOT " \xc2\xb7 "

/* Everything below holds inside ".karp" alone, for light and dark screens, and from 390 pixels on. */
void scene_html_style(write_buffer *b);

typedef struct scene_html {
    write_buffer *b;
    const scene *s;
    double widest; /* cores of the largest node */
    double least; /* and of the smallest */
} scene_html;

scene_html scene_html_begin(write_buffer *b, const scene *s);

/* "Before", its totals, a bar of its cost beside the dearer lane's, its nodes. */
void scene_html_lane(const scene_html *p, const char *title, const scene_lane *lane, double cost, double dearest);
void scene_html_keys(const scene_html *p);
/* write_shares_html.c: what each owner's requests cost afterwards; nothing where nothing has a price. */
void scene_html_shares(const scene_html *p);
/* "style="width:40%", without the last quotation mark. */
void scene_html_part(write_buffer *b, double fraction);

#endif
