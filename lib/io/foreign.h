/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that hold no Kubernetes objects yet: templates of Helm, kustomizations, Terraform, JSON5 … Errors say what they
 * are, and which command makes objects of them.
 */
#pragma once

#include <io/reader.h>

/* Whether the bytes are those of a compressed file, of an archive or of another file that is no text. Appends to `out`
 * what it is, and the command that unpacks it: for karp plan to read (`objects`) or into a file. */
bool io_foreign_binary(karp_str document, karp_str bytes, bool objects, char *out, size_t room);
/* Remembers what the text is if it can be seen before it is parsed. false = out of memory. */
bool io_foreign_note(karp_reader *reader, karp_str document, karp_str text);
/* A text could not be parsed, and no object of it was used. Adds to the error what it is, or with `skip_unknown` leaves
 * it out with a note, or as a problem if it looks like an object. Returns the reader's status. */
karp_status io_foreign_text(karp_reader *reader, karp_str document, karp_str text);
/* Adds to the error of a text whose first objects were read that its line is of a template, if it is. */
void io_foreign_explain_line(karp_reader *reader, karp_str document, karp_str text);
/* Adds to the error of an object that it is of a template. */
void io_foreign_explain_object(karp_reader *reader);

/* Whether objects of this apiVersion are none of Kubernetes, although they have a kind. */
bool io_foreign_version(karp_str api_version);
/* Refuses a tree that is no Kubernetes object but a part of something else, or with `skip_unknown` leaves it out with a
 * note; never a part of a Snapshot. */
karp_status io_foreign_refuse(karp_reader *reader, const tree *root, const io_place *place, bool stated,
                              const char *field, const char *why);

/* An object with a name, a label, an image or an amount that is a placeholder of a template, such as Helm's, is not
 * understood, and left out with `skip_unknown`. Other texts may be templates of other programs. *left_out receives
 * whether it was. */
karp_status io_foreign_object(karp_reader *reader, const tree *root, const io_place *place, bool *left_out);
