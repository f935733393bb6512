/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs commands of karp, each in a child process of its own, so that valgrind starts once for all of them:
 *
 *     valgrind --tool=cachegrind --log-file=LOG ... counted <jobs
 *
 * A line of standard input is a command: the file of its standard error and the arguments of karp, separated by tabs. A
 * line for each says how it ended: the process that ran it and its exit status, negative for a signal. The log of
 * valgrind has the instructions of each process; they include those of this process up to the fork.
 * "-" for the file runs the command in this process: what valgrind translates then, no child translates again. An empty
 * line starts a child that does nothing.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 4096, WORDS = 64, SECONDS = 300 /* of the processor; the end of a command that would not end */ };

/* main() of lib/cli/main.c */
int karp_main(int argc, char **argv);

static int words_of(char *line, char **words)
{
    int count = 0;
    for (char *rest = line, *word; count < WORDS && (word = strsep(&rest, "\t")) != NULL;) words[count++] = word;
    return count;
}

static int run(int argc, char **words)
{
    static char name[] = "karp";
    char *argv[WORDS + 1] = { name };
    memcpy(argv + 1, words + 1, (size_t)(argc - 1) * sizeof *argv);
    optind = 0; /* getopt() begins anew */
    return karp_main(argc, argv);
}

static int redirect(const char *path, int flags, int to)
{
    int from = open(path, flags, 0600);
    if (from < 0 || dup2(from, to) < 0) return -1;
    return close(from);
}

static void child(int argc, char **words)
{
    const struct rlimit limit = { SECONDS, SECONDS };
    if (argc == 1) _exit(0);
    if (setrlimit(RLIMIT_CPU, &limit) != 0 || redirect("/dev/null", O_RDONLY, 0) != 0 ||
        redirect("/dev/null", O_WRONLY, 1) != 0 || redirect(words[0], O_WRONLY | O_CREAT | O_TRUNC, 2) != 0)
        _exit(126);
    exit(run(argc, words));
}

/* Standard output is put aside meanwhile. */
static int run_here(int argc, char **words)
{
    int out = dup(1);
    if (out < 0 || redirect("/dev/null", O_WRONLY, 1) != 0) return -1;
    int status = run(argc, words);
    return fflush(stdout) == 0 && dup2(out, 1) == 1 && close(out) == 0 ? status : -1;
}

int main(void)
{
    char line[LINE], *words[WORDS];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        int argc = words_of(line, words), status = 0;
        pid_t job = 0;
        if (strcmp(words[0], "-") == 0) {
            status = run_here(argc, words);
        } else {
            job = fork();
            if (job == 0) child(argc, words);
            if (job < 0 || waitpid(job, &status, 0) != job) return 2;
            status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        }
        printf("%ld\t%d\n", (long)job, status);
        if (fflush(stdout) != 0) return 2;
    }
    return 0;
}
