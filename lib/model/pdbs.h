/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which PodDisruptionBudgets cover a pod. Where there are many, they are found by a label that they ask for, so that a
 * pod is not compared with all of them.
 */
#pragma once

#include <model/snapshot.h>

/* The budgets that cover a pod:
 *
 *     pdb_walk walk = pdbs_of(s, p);
 *     for (uint32_t i; (i = pdb_next(&walk)) != NO_ID;) …
 *
 * in no particular order. */
typedef struct pdb_walk {
    const karp_snapshot *s;
    const pod *p;
    label_list labels;
    uint32_t label; /* the next one to look up; after the last one come budgets that ask for no label */
    uint32_t key, value;
    size_t at;
} pdb_walk;

pdb_walk pdbs_of(const karp_snapshot *s, const pod *p);
uint32_t pdb_next(pdb_walk *walk); /* NO_ID = there are no more */
