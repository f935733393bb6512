/* SPDX-License-Identifier: Apache-2.0 */
#include "asked.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct asked {
    pid_t child;
    FILE *to, *from;
};

/** In the child: becomes the program. */
static void become(const char *program, const char *directory, const int in[2], const int out[2])
{
    if (dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0 && chdir(directory) == 0) {
        close(in[0]);
        close(in[1]);
        close(out[0]);
        close(out[1]);
        execl(program, program, (char *)NULL);
    }
    _exit(127);
}

struct asked *asked_start(const char *program, const char *directory)
{
    struct asked *a = calloc(1, sizeof *a);
    int in[2], out[2];
    if (a == NULL || pipe(in) != 0) {
        free(a);
        return NULL;
    }
    if (pipe(out) != 0) {
        close(in[0]);
        close(in[1]);
        free(a);
        return NULL;
    }
    signal(SIGPIPE, SIG_IGN); /* if it ends, writing fails */
    fflush(stdout);
    a->child = fork();
    if (a->child == 0) {
        become(program, directory, in, out);
    }
    close(in[0]);
    close(out[1]);
    a->to = fdopen(in[1], "w");
    a->from = fdopen(out[0], "r");
    if (a->child < 0 || a->to == NULL || a->from == NULL) {
        asked_end(a);
        return NULL;
    }
    return a;
}

/** What an answer that is no Plan says under @p field; NULL if there is none. To be freed. */
static char *complaint(const char *answer, const char *field)
{
    json_t *tree = json_loads(answer, 0, NULL);
    const char *text = json_string_value(json_object_get(tree, field));
    char *out = text != NULL ? malloc(strlen(text) + 1) : NULL;
    if (out != NULL) {
        memcpy(out, text, strlen(text) + 1);
    }
    json_decref(tree);
    return out;
}

char *asked_plan(struct asked *asked, const char *text, bool *covered, bool *failed)
{
    char *line = NULL, *why;
    size_t room = 0;
    *covered = true;
    *failed = false;
    if (strchr(text, '\n') != NULL || fprintf(asked->to, "%s\n", text) < 0 || fflush(asked->to) != 0 ||
        getline(&line, &room, asked->from) <= 0) {
        free(line);
        return NULL;
    }
    if ((why = complaint(line, "notCovered")) != NULL) {
        *covered = false;
    } else if ((why = complaint(line, "error")) != NULL) {
        *failed = true;
    } else {
        return line;
    }
    free(line);
    return why;
}

void asked_end(struct asked *asked)
{
    if (asked == NULL) {
        return;
    }
    if (asked->to != NULL) {
        fclose(asked->to);
    }
    if (asked->from != NULL) {
        fclose(asked->from);
    }
    if (asked->child > 0) {
        waitpid(asked->child, NULL, 0);
    }
    free(asked);
}
