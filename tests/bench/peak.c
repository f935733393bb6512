/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command and prints its peak resident size in kilobytes:   peak COMMAND ARGUMENT...
 *
 * A process starts with the peak of the one that starts it. This one is small, a test in Python is not.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere < 0 || dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0) _exit(126);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &used) != 0) return 2;
    printf("%ld\n", used.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
