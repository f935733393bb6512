/* SPDX-License-Identifier: Apache-2.0 */
/* A search of designs: its parts, and what each file of this folder does. */
#pragma once

#include <io/write_buffer.h>
#include <json/tree.h>
#include <karp/tune.h>

enum { TUNE_USUAL = 64, TUNE_MOST = 10000, TUNE_CAPS = 7, TUNE_LOADS = 16 };

/* What an axis varies. */
typedef enum tune_field {
    TUNE_CONSOLIDATE_AFTER,
    TUNE_CONSOLIDATION_POLICY,
    TUNE_BUDGET,
    TUNE_EXPIRE_AFTER,
    TUNE_WEIGHT,
    TUNE_LIMIT,
    TUNE_REQUIREMENT
} tune_field;

typedef struct tune_axis {
    karp_tune_axis shown;
    karp_str *values; /* that shown.values points to */
    karp_str key; /* of a requirement its label, of a limit its resource */
    tune_field field;
} tune_axis;

typedef struct tune_design {
    size_t *values;
    karp_tune_design result; /* without what follows from other designs */
    double *days; /* $ of the replay on each day; allocated from the context */
    int64_t first_day; /* since 1970 */
    size_t day_count;
} tune_design;

/* What designs are compared by, in the order of their weight. */
typedef enum tune_figure {
    TUNE_COST,
    TUNE_EVICTIONS,
    TUNE_PENDING,
    TUNE_EXPOSURE,
    TUNE_LEFT,
    TUNE_FIGURES
} tune_figure;

struct karp_tune {
    karp_context *context;
    arena data;
    trees trees;
    tree *pools; /* a list */
    tree *well_known; /* a list of labels, or NULL */
    tune_axis *axes;
    size_t axis_count, axis_room;
    tune_design *designs;
    size_t design_count, design_room;
    uint64_t most, seed, random;
    double caps[TUNE_CAPS];
    bool capped[TUNE_CAPS];
    double floor; /* $/h; 0 = not known, or not asked for */
    bool replay;
    uint32_t peer_version;
    karp_text dump; /* of the input; empty for replays */
    karp_text loads[TUNE_LOADS]; /* the same with other loads, by which designs are judged; none = with its own */
    double factors[TUNE_LOADS];
    size_t load_count;
    uint64_t previews; /* of the reader */
    int64_t restart_loss; /* as in the options */
    karp_str architectures; /* that all images are made for, "amd64+arm64"; ptr NULL = there was no table */
    karp_str *images; /* that are not made for all of them */
    size_t image_count, image_room;
    karp_str *problems; /* of the replay of design 0 */
    size_t problem_count;
    size_t *odometer; /* the design of the grid that was looked at last */
    size_t single_axis, single_value; /* the next design with one change */
    size_t center; /* of the neighbours that are handed out */
    bool together; /* designs that depend on results which are not known yet are not handed out */
};

/* tune.c: karp_tune_snapshot() in the memory of this context, of a load or (SIZE_MAX) of the input. */
karp_status tune_make_snapshot(karp_context *context, const karp_tune *t, size_t design, size_t load,
                               karp_snapshot **out, karp_error *error);

/* tune_loads.c: the input with so many times its pods. Errors: INVALID, NOMEM, LIMIT. */
karp_status tune_make_loads(karp_tune *t, const tree *snapshot, const double *factors, size_t count, karp_error *error);

/* tune_axes.c: the axes of the options, or those that follow from the NodePools. */
karp_status tune_find_axes(karp_tune *t, const karp_tune_options *options, karp_error *error);

/* tune_pools.c: whether the axis is about this NodePool. */
bool tune_is_of(const tune_axis *axis, const tree *pool);
/* The requirements of its template; NULL = it has none. */
const tree *tune_requirements_of(const tree *pool);
/* What the NodePool has on the axis, as a value is written; "" = several of it; ptr NULL = out of memory. */
karp_str tune_value_now(karp_tune *t, const tune_axis *axis, const tree *pool);
/* Whether "a+b" has the word. */
bool tune_has_word(karp_str words, karp_str word);
/* Whether two values of the axis are the same: sets of words in any order. */
bool tune_same_value(const tune_axis *axis, karp_str a, karp_str b);
/* Changes the NodePool, in the memory of `trees`. value.ptr NULL = as in KARP_TUNE_LOOSEST. */
void tune_apply(trees *memory, const tune_axis *axis, karp_str value, tree *pool);

/* tune_images.c: reads the table of images, and the images of the objects. Errors: INVALID, NOMEM. */
karp_status tune_read_images(karp_tune *t, karp_str text, const tree *objects, karp_error *error);

/* tune_caps.c: the caps of the options. */
karp_status tune_read_caps(karp_tune *t, const karp_str *list, size_t count, karp_error *error);
/* Whether a known result is beyond a cap. */
bool tune_is_beyond(const karp_tune *t, const karp_tune_design *r);

/* tune_judge.c: adds the result of a design with one of several loads: means, but for the largest share and what does
 * not fit with any. */
karp_status tune_add_settlement(karp_tune *t, karp_tune_design *sum, const karp_settlement *settlement,
                                karp_error *error);
void tune_set_sum(karp_tune *t, size_t design, karp_tune_design sum, size_t loads);

/* tune_share.c: the largest part of a workload of several pods that is on one offering of spot capacity. */
karp_status tune_spot_share(karp_context *context, const karp_settlement *settlement, double *share, karp_error *error);

/* tune_days.c: keeps what the design cost by day. false = out of memory. */
bool tune_take_days(karp_tune *t, tune_design *d, const tree *series);
void tune_forget_days(karp_tune *t, tune_design *d);

/* tune_judge.c: the figures of a result. */
void tune_figures_of(const karp_tune_design *r, double out[TUNE_FIGURES]);
/* Whether design a is better than b. One whose result is not known is worse than any other. */
bool tune_is_better(const karp_tune *t, size_t a, size_t b);

karp_tune_design tune_design_at(const karp_tune *t, size_t index); /* write_tune.c */
/* write_tune_html.c: writes the page. */
void tune_write_html(const karp_tune *t, const karp_write_options *options, write_buffer *b);
