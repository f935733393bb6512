/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a scene as HTML: rows of nodes, each a box as wide as its CPU, and a legend of the colours. */
#ifndef IO_WRITE_SCENE_HTML_H
#define IO_WRITE_SCENE_HTML_H

#include "html.h"
#include "scene.h"

#define HTML_DOT " \xc2\xb7 "

/* Writes the CSS. It applies only inside ".karp", to light and dark screens, for widths from 390 pixels. */
void scene_html_style(write_buffer *b);

typedef struct scene_html {
    write_buffer *b;
    const scene *s;
    double widest; /* cores of the largest node */
    double least; /* cores of the smallest node */
} scene_html;

scene_html scene_html_begin(write_buffer *b, const scene *s);

/* The lane's title ("Before"), its totals, its nodes, and a bar of its cost relative to the dearer lane's. */
void scene_html_lane(const scene_html *p, const char *title, const scene_lane *lane, double cost, double dearest);
void scene_html_keys(const scene_html *p);
/* write_shares_html.c: the cost of each owner's requests after the decision. Writes nothing if nothing has a price. */
void scene_html_shares(const scene_html *p);
/* "style="width:40%", without the last quotation mark. */
void scene_html_part(write_buffer *b, double fraction);

#endif
