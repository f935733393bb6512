/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#if defined(__wasi__) /* WASI has no alarm signal */

void progress_begin(const char *what) { (void)what; }

void progress_part(uint64_t done, uint64_t all)
{
    (void)done;
    (void)all;
}

void progress_round(uint32_t number) { (void)number; }

void progress_end(void) {}

#else

#include <signal.h>
#include <unistd.h>

enum { NO_PART = -1 }; /* the total amount is not known */

static const char *volatile doing;
static volatile sig_atomic_t seconds, percent = NO_PART, round_number; /* round_number: 0 = no rounds */

static void say(const char *text)
{
    size_t length = strlen(text);
    while (length > 0) {
        ssize_t written = write(STDERR_FILENO, text, length);
        if (written <= 0) return;
        text += written;
        length -= (size_t)written;
    }
}

static void print_number(int number)
{
    char digits[21];
    digits[write_digits(digits, (uint64_t)number)] = '\0';
    say(digits);
}

/* Uses only functions that are safe in a signal handler. */
static void tick(int signal_number)
{
    (void)signal_number;
    int elapsed = seconds + 1, part = percent;
    seconds = elapsed;
    say("\r\033[Kkarp: ");
    say(doing);
    say(" \xe2\x80\xa6 ");
    if (round_number > 0) {
        say("round ");
        print_number(round_number);
        say(", ");
    }
    if (part != NO_PART) {
        print_number(part);
        say("%, ");
    }
    print_number(elapsed);
    say(" s");
    alarm(1);
}

void progress_part(uint64_t done, uint64_t all)
{
    double part = all > 0 ? (double)done / (double)all : 0;
    percent = part < 1 ? (int)(part * 100) : 100;
}

void progress_round(uint32_t number) { round_number = number < 1000000 ? (int)number : 1000000; }

void progress_begin(const char *what)
{
    if (!isatty(STDERR_FILENO) || output_is_quiet()) return;
    doing = what;
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = tick;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) == 0) alarm(1);
}

void progress_end(void)
{
    alarm(0);
    percent = NO_PART;
    round_number = 0;
    if (seconds > 0) {
        say("\r\033[K");
        seconds = 0;
    }
}

#endif
