/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes for a batch of training jobs, without a Kubernetes object: demands, types of machines and karp_fit(). The
 * workers of a job start together or not at all.
 */
#include <inttypes.h>
#include <stdio.h>

#include <karp/fit.h>
#include <karp/karp.h>

#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }
#define AMOUNT(resource, quantity)                                                                                     \
    {                                                                                                                  \
        .name = TEXT(resource), .text = TEXT(quantity)                                                                 \
    }

static const karp_resource small[] = { AMOUNT("CPU", "8"), AMOUNT("memory", "32Gi") };
static const karp_resource accelerated[] = { AMOUNT("CPU", "32"), AMOUNT("memory", "128Gi"), AMOUNT("GPU", "1") };

static const karp_fit_type types[] = {
    { .name = TEXT("small"), .resources = small, .resource_count = 2, .price = 0.4 },
    { .name = TEXT("accelerated"), .resources = accelerated, .resource_count = 3, .price = 2.5, .max_nodes = 10 },
};

static const karp_resource worker[] = { AMOUNT("CPU", "16"), AMOUNT("GPU", "1") };
static const karp_resource loader[] = { AMOUNT("CPU", "2"), AMOUNT("memory", "6Gi") };
static const karp_resource giant[] = { AMOUNT("CPU", "64") };

/* Two jobs of 8 and 4 workers with their loaders, and something that no machine can hold. */
static const karp_fit_demand demands[] = {
    { .requests = worker, .request_count = 2, .count = 8, .group = 1, .priority = 1 },
    { .requests = loader, .request_count = 2, .count = 20, .group = 1, .priority = 1 },
    { .requests = worker, .request_count = 2, .count = 4, .group = 2 },
    { .requests = giant, .request_count = 1, .count = 1 },
};

static void show(const karp_fitting *fitting)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        printf("start %" PRIu64 " %s\n", karp_fitting_launches(fitting, i), types[i].name.ptr);
    }
    for (size_t i = 0; i < karp_fitting_load_count(fitting); i++) {
        karp_fit_load load = { .size = sizeof load };
        if (karp_fitting_load(fitting, i, &load) != KARP_OK) return;
        printf("%" PRIu64 " x %s:", load.nodes, types[load.index].name.ptr);
        for (size_t k = 0; k < load.share_count; k++)
            printf(" %" PRIu64 " of demand %u", load.shares[k].copies, (unsigned)load.shares[k].demand);
        printf("\n");
    }
    for (size_t i = 0; i < karp_fitting_left_count(fitting); i++) {
        karp_fit_left left = { .size = sizeof left };
        if (karp_fitting_left(fitting, i, &left) != KARP_OK) return;
        printf("left over: %" PRIu64 " of demand %u, %s%s\n", left.copies, (unsigned)left.demand,
               karp_fit_reason_name(left.reason), left.permanent ? ", for good" : "");
    }
    printf("%.2f per hour\n", karp_fitting_cost(fitting));
}

int main(void)
{
    karp_context *context = NULL;
    karp_fitting *fitting = NULL;
    karp_error error;
    karp_fit_request request;

    karp_error_init(&error, sizeof error);
    karp_fit_request_init(&request, sizeof request);
    request.types = types;
    request.type_count = sizeof types / sizeof *types;
    request.demands = demands;
    request.demand_count = sizeof demands / sizeof *demands;
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = karp_fit(context, &request, &fitting, &error);
    if (status == KARP_OK) show(fitting);
    else fprintf(stderr, "%s %s: %s\n", error.object, error.field, error.message);
    karp_fitting_free(fitting);
    karp_context_unref(context);
    return status == KARP_OK ? 0 : 1;
}
