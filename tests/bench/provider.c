/* SPDX-License-Identifier: Apache-2.0 */
/* How long a provider takes for all of a region's types with their offerings: processor time (user and system) from
 * opening it, its facts packed, to the catalogue, the least and the middle of many runs; and what it takes to free all
 * of it again.
 *
 *   provider [RUNS [REGION]]        runs in one process; of the first one page faults, too. REGION is of aws, or
 * CLOUD/REGION provider --cold [RUNS [REGION]] each run is the first call of a process of its own
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <karp/inspect.h>
#include <karp/karp.h>
#include <karp/provider.h>

enum { RUNS_MOST = 1000 };

static double now_ms(void)
{
    struct timespec t = { 0 };
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What one run says. */
typedef struct run {
    size_t types, offerings;
    double build, release; /* ms */
    long faults;
} run;

static karp_status once(const char *region, run *out, karp_error *error)
{
    const char *slash = strchr(region, '/');
    karp_str name = slash ? (karp_str){ region, (size_t)(slash - region) } : (karp_str){ "aws", 3 };
    const char *place = slash ? slash + 1 : region;
    karp_context *context = NULL;
    karp_provider *provider = NULL;
    karp_catalogue *types = NULL;
    karp_provider_options options;
    long before = faults();
    double start = now_ms();
    karp_provider_options_init(&options, sizeof options);
    options.region = (karp_str){ place, strlen(place) };
    karp_status status = karp_context_new(NULL, &context, error);
    if (status == KARP_OK) status = karp_provider_open(context, name, &options, &provider, error);
    if (status == KARP_OK) status = karp_provider_catalogue(provider, NULL, &types, error);
    out->build = now_ms() - start;
    out->faults = faults() - before;
    out->types = status == KARP_OK ? karp_catalogue_count(types) : 0;
    out->offerings = 0;
    for (size_t i = 0; i < out->types; i++) out->offerings += karp_catalogue_type(types, i)->offering_count;
    start = now_ms();
    karp_catalogue_unref(types);
    karp_provider_close(provider);
    karp_context_unref(context);
    out->release = now_ms() - start;
    return status;
}

/* The same in a new process, which answers by a pipe: this program anew, so that nothing of it is loaded and bound
 * before. */
static int once_cold(const char *program, const char *region, run *out)
{
    char command[4096];
    int n = snprintf(command, sizeof command, "'%s' --one '%s'", program, region);
    FILE *answer = n > 0 && (size_t)n < sizeof command ? popen(command, "r") : NULL;
    if (!answer) return 1;
    n = fscanf(answer, "%zu %zu %lf %lf %ld", &out->types, &out->offerings, &out->build, &out->release, &out->faults);
    return pclose(answer) != 0 || n != 5;
}

static int print_one(const char *region)
{
    run r;
    karp_error error;
    karp_error_init(&error, sizeof error);
    if (once(region, &r, &error) != KARP_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%zu %zu %.17g %.17g %ld\n", r.types, r.offerings, r.build, r.release, r.faults);
    return 0;
}

int main(int argc, char **argv)
{
    static double builds[RUNS_MOST], releases[RUNS_MOST];
    int cold = argc > 1 && strcmp(argv[1], "--cold") == 0, at = cold ? 2 : 1;
    if (argc == 3 && strcmp(argv[1], "--one") == 0) return print_one(argv[2]);
    const char *region = argc > at + 1 ? argv[at + 1] : "us-west-2";
    long runs = argc > at ? strtol(argv[at], NULL, 10) : 100;
    run r, first = { 0, 0, 0, 0, 0 };
    karp_error error;
    if (runs < 1 || runs > RUNS_MOST) {
        fprintf(stderr, "provider [--cold] [RUNS [REGION]]: from 1 to %d runs\n", RUNS_MOST);
        return 2;
    }
    karp_error_init(&error, sizeof error);
    for (long i = 0; i < runs; i++) {
        if (cold ? once_cold(argv[0], region, &r) : once(region, &r, &error) != KARP_OK) {
            fprintf(stderr, "%s\n", cold ? "the other process failed" : error.message);
            return 1;
        }
        if (i == 0) first = r;
        builds[i] = r.build;
        releases[i] = r.release;
    }
    qsort(builds, (size_t)runs, sizeof *builds, by_value);
    qsort(releases, (size_t)runs, sizeof *releases, by_value);
    printf("%s: %zu types, %zu offerings; ms of processor time, %ld %s: first %.2f, least %.2f, middle %.2f; to free "
           "it %.2f; "
           "%ld page faults in the first\n",
           region, r.types, r.offerings, runs, cold ? "processes" : "runs", first.build, builds[0],
           builds[(size_t)runs / 2], releases[(size_t)runs / 2], first.faults);
    return r.types == 0 || r.offerings < r.types;
}
