/* SPDX-License-Identifier: Apache-2.0 */
/* Text files of tests/data, line by line. Tests run in the source folder. */
#ifndef SUPPORT_LINES_H
#define SUPPORT_LINES_H

#include <stdio.h>
#include <string.h>

#define LINE_ROOM 512

/* The next line without its end; 0 at the end of the file. */
static inline int next_line(FILE *file, char line[LINE_ROOM])
{
    if (!fgets(line, LINE_ROOM, file)) return 0;
    line[strcspn(line, "\n")] = '\0';
    return 1;
}

/* Copies what stands between `before` and `after` (NULL: the end) in `line`; 0 when either is not there. */
static inline int between(const char *line, const char *before, const char *after, char out[LINE_ROOM])
{
    const char *start = strstr(line, before);
    if (!start) return 0;
    start += strlen(before);
    const char *end = after ? strstr(start, after) : start + strlen(start);
    if (!end || (size_t)(end - start) >= LINE_ROOM) return 0;
    memcpy(out, start, (size_t)(end - start));
    out[end - start] = '\0';
    return 1;
}

#endif
