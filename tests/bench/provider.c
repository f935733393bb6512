/* SPDX-License-Identifier: Apache-2.0 */
/* How long a provider takes for all of a region's types with their offerings: processor time (user and system), the least and
 * the middle of many runs, and page faults of one. A run opens the provider, so that its facts are unpacked in it.
 *
 *   provider [RUNS [REGION]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <karp/karp.h>
#include <karp/provider.h>

enum { RUNS_MOST = 1000 };

static double now_ms(void)
{
    struct timespec t = {0};
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

typedef struct counts {
    size_t types, offerings;
} counts;

static karp_status once(const char *region, counts *out, karp_error *error)
{
    static const char name[] = "aws";
    karp_context *context = NULL;
    karp_provider *provider = NULL;
    karp_catalogue *types = NULL;
    karp_provider_options options;
    karp_provider_options_init(&options, sizeof options);
    options.region = (karp_str){ region, strlen(region) };
    karp_status status = karp_context_new(NULL, &context, error);
    if (status == KARP_OK) status = karp_provider_open(context, (karp_str){ name, sizeof name - 1 }, &options, &provider, error);
    if (status == KARP_OK) status = karp_provider_catalogue(provider, NULL, &types, error);
    out->types = status == KARP_OK ? karp_catalogue_count(types) : 0;
    out->offerings = 0;
    for (size_t i = 0; i < out->types; i++) out->offerings += karp_catalogue_type(types, i)->offering_count;
    karp_catalogue_unref(types);
    karp_provider_close(provider);
    karp_context_free(context);
    return status;
}

int main(int argc, char **argv)
{
    static double times[RUNS_MOST];
    const char *region = argc > 2 ? argv[2] : "us-west-2";
    long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 100, first = 0;
    counts found = { 0, 0 };
    karp_error error;
    if (runs < 1 || runs > RUNS_MOST) {
        fprintf(stderr, "provider [RUNS [REGION]]: from 1 to %d runs\n", RUNS_MOST);
        return 2;
    }
    karp_error_init(&error, sizeof error);
    for (long i = 0; i < runs; i++) {
        long before = faults();
        double start = now_ms();
        if (once(region, &found, &error) != KARP_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        times[i] = now_ms() - start;
        if (i == 0) first = faults() - before;
    }
    double cold = times[0];
    qsort(times, (size_t)runs, sizeof *times, by_value);
    printf("%s: %zu types, %zu offerings; ms of processor time: first %.2f, least %.2f, middle %.2f of %ld; %ld page faults in the first\n", region,
           found.types, found.offerings, cold, times[0], times[(size_t)runs / 2], runs, first);
    return found.types == 0 || found.offerings < found.types;
}
