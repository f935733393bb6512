/* SPDX-License-Identifier: Apache-2.0 */
/* karp_fit(): the rules of fit.h one by one, then on random requests what must hold of every answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/fit.h>
#include <support/fault.h>
#include <support/random.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define T(text) { text, sizeof(text) - 1 }
#define AMOUNT(resource, quantity) { .name = T(resource), .text = T(quantity) }

typedef struct world {
    fault fault;
    karp_context *context;
    karp_fit_request request;
    karp_error error;
} world;

static int set_up(void **state)
{
    static world w;
    memset(&w, 0, sizeof w);
    w.context = fault_context(&w.fault);
    karp_fit_request_init(&w.request, sizeof w.request);
    karp_error_init(&w.error, sizeof w.error);
    *state = &w;
    return w.context != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    world *w = *state;
    karp_context_free(w->context);
    return w->fault.live_blocks == 0 && w->fault.wrong_sizes == 0 ? 0 : -1;
}

static void ask(world *w, const karp_fit_type *types, size_t type_count, const karp_fit_node *nodes, size_t node_count,
                const karp_fit_demand *demands, size_t demand_count)
{
    w->request.types = types;
    w->request.type_count = type_count;
    w->request.nodes = nodes;
    w->request.node_count = node_count;
    w->request.demands = demands;
    w->request.demand_count = demand_count;
}

static karp_fitting *fit(world *w)
{
    karp_fitting *f = NULL;
    karp_status status = karp_fit(w->context, &w->request, &f, &w->error);
    if (status != KARP_OK) fail_msg("%s %s: %s", w->error.object, w->error.field, w->error.message);
    return f;
}

/* "0x2:0*4,1*1 new1x3:0*2 | left 1*5 TOO_LARGE!": nodes of existing 0, of new type 1; what each gets; "!" = permanent. */
static const char *words_of(const karp_fitting *f)
{
    static char text[2048];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < karp_fitting_load_count(f); i++) {
        karp_fit_load l = { .size = sizeof l };
        assert_int_equal(karp_fitting_load(f, i, &l), KARP_OK);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%ux%llu:", i > 0 ? " " : "", l.launched ? "new" : "", l.index, (unsigned long long)l.nodes);
        for (size_t k = 0; k < l.share_count; k++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u*%llu", k > 0 ? "," : "", l.shares[k].demand, (unsigned long long)l.shares[k].copies);
        }
        assert_true(n < sizeof text);
    }
    for (size_t i = 0; i < karp_fitting_left_count(f); i++) {
        karp_fit_left l = { .size = sizeof l };
        assert_int_equal(karp_fitting_left(f, i, &l), KARP_OK);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u*%llu %s%s", i > 0 ? ", " : n > 0 ? " | left " : "left ", l.demand,
                              (unsigned long long)l.copies, karp_fit_reason_name(l.reason), l.permanent ? "!" : "");
        assert_true(n < sizeof text);
    }
    return text;
}

static void assert_fit(world *w, const char *expected)
{
    karp_fitting *f = fit(w);
    assert_string_equal(words_of(f), expected);
    karp_fitting_free(f);
}

static const karp_resource cpu1[] = { AMOUNT("cpu", "1") }, cpu2[] = { AMOUNT("cpu", "2") }, cpu4[] = { AMOUNT("cpu", "4") },
                           cpu8[] = { AMOUNT("cpu", "8") }, cpu16_gpu[] = { AMOUNT("CPU", "16"), AMOUNT("GPU", "1") };

/* ---- the rules ---------------------------------------------------------------------------------------------------- */

static void many_equal_demands(void **state)
{
    world *w = *state;
    const karp_fit_type types[] = { { .name = T("g5.8xlarge"), .resources = cpu16_gpu, .resource_count = 2, .price = 2.448 } };
    const karp_fit_demand demands[] = { { .requests = cpu16_gpu, .request_count = 2, .count = 9838, .group = 1 } };
    ask(w, types, 1, NULL, 0, demands, 1);
    karp_fitting *f = fit(w);
    assert_string_equal(words_of(f), "new0x9838:0*1");
    assert_true(karp_fitting_launches(f, 0) == 9838);
    assert_true(karp_fitting_launches(f, 1) == 0);
    assert_true(karp_fitting_cost(f) == 2.448 * 9838);
    karp_fitting_free(f);
}

static void cheapest_per_copy(void **state)
{
    world *w = *state;
    karp_fit_type types[] = {
        { .resources = cpu2, .resource_count = 1, .price = 2 },
        { .resources = cpu8, .resource_count = 1, .price = 7 },
    };
    karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 10 } };
    ask(w, types, COUNT(types), NULL, 0, demands, 1);
    assert_fit(w, "new1x1:0*8 new0x1:0*2"); /* 7/8 a copy, then for two 1 and not 3.5 */
    types[1].price = 8;
    assert_fit(w, "new1x1:0*8 new0x1:0*2"); /* equal: the one that takes more */
    types[1].price = 9;
    assert_fit(w, "new0x5:0*2");
    types[0].max_nodes = 3;
    assert_fit(w, "new0x3:0*2 new1x1:0*4");
    types[1].max_nodes = 1;
    demands[0].count = 20;
    assert_fit(w, "new0x3:0*2 new1x1:0*8 | left 0*6 FULL");
    types[0].resources = cpu8;
    types[0].price = 9;
    types[0].max_nodes = 0;
    demands[0].count = 8;
    assert_fit(w, "new0x1:0*8"); /* equal in everything: the first */
}

static void nodes_first(void **state)
{
    world *w = *state;
    const karp_fit_node nodes[] = {
        { .free = cpu2, .free_count = 1, .count = 3 },
        { .free = cpu1, .free_count = 1 },
    };
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1, .min_nodes = 1 } };
    karp_fit_demand demands[] = {
        { .requests = cpu1, .request_count = 1, .count = 3 },
        { .requests = cpu2, .request_count = 1, .count = 1 },
    };
    ask(w, types, 1, nodes, 2, demands, 2);
    assert_fit(w, "0x1:1*1 0x1:0*2 0x1:0*1 new0x1:"); /* the larger demand goes first */
    demands[0].count = 12;
    assert_fit(w, "0x1:1*1 0x2:0*2 1x1:0*1 new0x1:0*4 new0x1:0*3");
    demands[0].priority = 1;
    assert_fit(w, "0x3:0*2 1x1:0*1 new0x1:0*4 new0x1:0*1,1*1");
}

static void spread_out(void **state)
{
    world *w = *state;
    const karp_fit_node nodes[] = { { .free = cpu4, .free_count = 1, .count = 2 } };
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1 } };
    karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 5, .max_per_node = 1 } };
    ask(w, types, 1, nodes, 1, demands, 1);
    assert_fit(w, "0x2:0*1 new0x3:0*1");
    demands[0].max_per_node = 2;
    assert_fit(w, "0x2:0*2 new0x1:0*1");
    demands[0].request_count = 0; /* takes nothing: only the number on one node counts */
    assert_fit(w, "0x2:0*2 new0x1:0*1");
    demands[0].max_per_node = 0;
    assert_fit(w, "0x1:0*5");
}

static void selectors(void **state)
{
    world *w = *state;
    const karp_label a[] = { { T("zone"), T("a") } }, b[] = { { T("zone"), T("b") } };
    const karp_str values[] = { T("b"), T("c") };
    karp_requirement in[] = { { .key = T("zone"), .op = KARP_OP_IN, .values = values, .value_count = 2 } };
    karp_selector picks = { .expressions = in, .expression_count = 1 };
    const karp_fit_type types[] = {
        { .resources = cpu4, .resource_count = 1, .price = 1, .labels = a, .label_count = 1 },
        { .resources = cpu2, .resource_count = 1, .price = 5, .labels = b, .label_count = 1 },
    };
    karp_fit_demand demands[] = { { .requests = cpu2, .request_count = 1, .count = 2, .selector = &picks } };
    ask(w, types, 2, NULL, 0, demands, 1);
    assert_fit(w, "new1x2:0*1");
    in[0].op = KARP_OP_NOT_IN;
    assert_fit(w, "new0x1:0*2");
    in[0].op = KARP_OP_DOES_NOT_EXIST;
    in[0].value_count = 0;
    assert_fit(w, "left 0*2 SELECTOR!");
    picks = (karp_selector){ .match_labels = b, .match_label_count = 1 };
    assert_fit(w, "new1x2:0*1");
    demands[0].requests = cpu4; /* fits a type, but none with the label */
    assert_fit(w, "left 0*2 TOO_LARGE!");
}

static void groups_whole_or_not(void **state)
{
    world *w = *state;
    const karp_fit_node nodes[] = { { .free = cpu2, .free_count = 1, .count = 2 } };
    karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1, .max_nodes = 2 } };
    karp_fit_demand demands[] = {
        { .requests = cpu4, .request_count = 1, .count = 3, .group = 7 }, /* one more than there can be */
        { .requests = cpu1, .request_count = 1, .count = 2, .group = 7 },
        { .requests = cpu2, .request_count = 1, .count = 3 },
        { .requests = cpu1, .request_count = 1, .count = 3, .group = 8 },
    };
    ask(w, types, 1, nodes, 1, demands, COUNT(demands));
    assert_fit(w, "0x2:2*1 new0x1:2*1,3*2 new0x1:3*1 | left 0*3 FULL, 1*2 GROUP");
    demands[0].count = 2;
    assert_fit(w, "0x1:1*2 0x1:2*1 new0x2:0*1 | left 2*2 FULL, 3*3 FULL");
    demands[0].count = 1;
    demands[0].requests = cpu8;
    assert_fit(w, "0x2:2*1 new0x1:2*1,3*2 new0x1:3*1 | left 0*1 TOO_LARGE!, 1*2 GROUP!");
    types[0].min_nodes = 2; /* what was launched in any case stays */
    assert_fit(w, "0x2:2*1 new0x1:2*1,3*2 new0x1:3*1 | left 0*1 TOO_LARGE!, 1*2 GROUP!");
}

/* A group that fails leaves no trace: the answer for the others is the same as without it. */
static void groups_leave_no_trace(void **state)
{
    world *w = *state;
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1, .max_nodes = 4 } };
    const karp_fit_demand with[] = {
        { .requests = cpu1, .request_count = 1, .count = 5 },
        { .requests = cpu2, .request_count = 1, .count = 9, .group = 1, .priority = 1 },
        { .requests = cpu1, .request_count = 1, .count = 3, .group = 2, .priority = -1 },
    };
    ask(w, types, 1, NULL, 0, with, 3);
    assert_fit(w, "new0x1:0*4 new0x1:0*1,2*3 | left 1*9 FULL");
    ask(w, types, 1, NULL, 0, NULL, 0);
    assert_fit(w, "");
}

static void nothing_to_choose_from(void **state)
{
    world *w = *state;
    const karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 1 }, { .count = 2 }, { .requests = cpu1, .request_count = 1 } };
    ask(w, NULL, 0, NULL, 0, demands, 3);
    assert_fit(w, "left 0*1 SELECTOR!, 1*2 SELECTOR!");
}

/* ---- exactness and limits ----------------------------------------------------------------------------------------- */

static void exact_amounts(void **state)
{
    world *w = *state;
    const karp_resource one[] = { AMOUNT("cpu", "1") }, tenth[] = { AMOUNT("cpu", "0.1") }, nano[] = { AMOUNT("cpu", "1n") };
    const karp_resource huge[] = { AMOUNT("cpu", "9e20") };
    const karp_fit_type types[] = { { .resources = one, .resource_count = 1 } };
    karp_fit_demand demands[] = { { .requests = tenth, .request_count = 1, .count = 20 }, { .requests = nano, .request_count = 1, .count = 1 } };
    ask(w, types, 1, NULL, 0, demands, 2);
    assert_fit(w, "new0x2:0*10 new0x1:1*1"); /* ten tenths are one, to the last nano */
    demands[1].requests = huge;
    karp_fitting *f = NULL;
    assert_int_equal(karp_fit(w->context, &w->request, &f, &w->error), KARP_E_RANGE);
    assert_non_null(strstr(w->error.message, "amounts of cpu"));
    demands[1] = (karp_fit_demand){ .requests = tenth, .request_count = 1, .count = UINT64_MAX - 5 };
    assert_int_equal(karp_fit(w->context, &w->request, &f, &w->error), KARP_E_RANGE);
    demands[1].count = (uint64_t)INT64_MAX - 20;
    ask(w, types, 1, NULL, 0, demands, 2);
    f = fit(w);
    assert_true(karp_fitting_launches(f, 0) == ((uint64_t)INT64_MAX + 9) / 10);
    karp_fitting_free(f);
}

static void refused(world *w, karp_status status, const char *object, const char *field)
{
    karp_fitting *f = NULL;
    karp_error_init(&w->error, sizeof w->error);
    assert_int_equal(karp_fit(w->context, &w->request, &f, &w->error), status);
    assert_string_equal(w->error.object, object);
    assert_string_equal(w->error.field, field);
    assert_true(w->error.message[0] != '\0');
    assert_null(f);
}

static void bad_requests(void **state)
{
    world *w = *state;
    const karp_resource negative[] = { AMOUNT("cpu", "-1") }, odd[] = { AMOUNT("cpu", "one") }, twice[] = { AMOUNT("cpu", "1"), AMOUNT("cpu", "1") };
    const karp_requirement gt[] = { { .key = T("zone"), .op = KARP_OP_GT } };
    const karp_selector greater = { .expressions = gt, .expression_count = 1 };
    karp_fit_type types[] = { { .name = T("big"), .resources = cpu4, .resource_count = 1, .price = 1 } };
    karp_fit_node nodes[] = { { .name = T("n"), .free = cpu1, .free_count = 1 } };
    karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 1 } };
    ask(w, types, 1, nodes, 1, demands, 1);
    types[0].price = -1;
    refused(w, KARP_E_INVALID, "Type big", "types[0].price");
    types[0].price = 1;
    types[0].price *= 1e308;
    types[0].price *= 1e308;
    refused(w, KARP_E_INVALID, "Type big", "types[0].price");
    types[0].price = 1e308;
    demands[0].count = 1000;
    demands[0].max_per_node = 1;
    refused(w, KARP_E_RANGE, "", ""); /* the sum of prices */
    types[0].price = 1;
    types[0].min_nodes = 2;
    types[0].max_nodes = 1;
    refused(w, KARP_E_INVALID, "Type big", "types[0].min_nodes");
    types[0].max_nodes = 0;
    types[0].min_nodes = UINT64_MAX;
    refused(w, KARP_E_RANGE, "", "");
    types[0].min_nodes = 0;
    types[0].resources = odd;
    refused(w, KARP_E_INVALID, "Type big", "types[0].resources[\"cpu\"]");
    types[0].resources = NULL;
    refused(w, KARP_E_INVALID, "Type big", "types[0].resources");
    types[0].resources = cpu4;
    nodes[0].free = negative;
    refused(w, KARP_E_INVALID, "Node n", "nodes[0].free[\"cpu\"]");
    nodes[0].free = cpu1;
    nodes[0].count = UINT64_MAX;
    refused(w, KARP_E_RANGE, "", "");
    nodes[0].count = 0;
    demands[0].requests = twice;
    demands[0].request_count = 2;
    refused(w, KARP_E_INVALID, "", "demands[0].requests[\"cpu\"]");
    demands[0].request_count = 1;
    demands[0].selector = &greater;
    refused(w, KARP_E_INVALID, "", "demands[0].selector.matchExpressions");
    demands[0].selector = NULL;
    w->request.demands = NULL;
    refused(w, KARP_E_INVALID, "", "demands");
    w->request.demands = demands;
    w->request.type_count = 100001;
    refused(w, KARP_E_LIMIT, "", "");
    w->request.type_count = 1;
    w->request.size = 8;
    refused(w, KARP_E_ABI_SIZE, "", "");
    assert_int_equal(karp_fit(w->context, NULL, NULL, &w->error), KARP_E_INVALID);
}

static int32_t stop_at_once(void *user)
{
    ++*(int *)user;
    return 1;
}

static void stopping(void **state)
{
    world *w = *state;
    static karp_fit_demand demands[3000];
    static karp_resource amounts[3000];
    static char texts[3000][8];
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1 } };
    int asked = 0;
    for (int i = 0; i < 3000; i++) {
        int n = snprintf(texts[i], sizeof texts[i], "%dm", 1000 + i);
        amounts[i] = (karp_resource){ .name = T("cpu"), .text = { texts[i], (size_t)n } };
        demands[i] = (karp_fit_demand){ .requests = &amounts[i], .request_count = 1, .count = 1, .group = i % 7 == 0 };
    }
    ask(w, types, 1, NULL, 0, demands, 3000);
    w->request.should_stop = stop_at_once;
    w->request.stop_user = &asked;
    refused(w, KARP_E_CANCELED, "", "");
    assert_int_equal(asked, 1);
    w->request.should_stop = NULL;
    karp_fitting_free(fit(w));
}

static int32_t count_polls(void *user)
{
    ++*(int *)user;
    return 0;
}

/* Each demand is told from the others, and nodes fill up: runs that are full are not looked at again. */
static void many_different_demands(void **state)
{
    enum { MANY = 20000 };
    world *w = *state;
    static karp_fit_demand demands[MANY];
    static karp_resource amounts[MANY];
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1 } };
    const karp_fit_node nodes[] = { { .free = cpu4, .free_count = 1, .count = 5000 } };
    uint64_t seed = 3;
    int polls = 0;
    for (int i = 0; i < MANY; i++) {
        amounts[i] = (karp_resource){ .name = T("cpu"), .value = 1000000 + (int64_t)random_below(&seed, 1500000), .scale = -6 };
        demands[i] = (karp_fit_demand){ .requests = &amounts[i], .request_count = 1, .count = 1, .group = i % 5 == 0 ? (uint32_t)i : 0 };
    }
    ask(w, types, 1, nodes, 1, demands, MANY);
    w->request.should_stop = count_polls;
    w->request.stop_user = &polls;
    karp_fitting *f = fit(w);
    assert_true(karp_fitting_left_count(f) == 0 && karp_fitting_launches(f, 0) > 1000);
    assert_in_range(polls, 10, MANY / 16); /* 64 steps a demand */
    karp_fitting_free(f);
    w->request.should_stop = NULL;
}

static void all_types_together(void **state)
{
    world *w = *state;
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1, .min_nodes = 1 }, { .resources = cpu1, .resource_count = 1, .price = 9 } };
    const karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 13, .max_per_node = 2 } };
    ask(w, types, 2, NULL, 0, demands, 1);
    w->request.max_launches = 3;
    karp_fitting *f = fit(w);
    assert_int_equal(karp_fitting_launches(f, 0), 3);
    karp_fit_left l = { .size = sizeof l };
    assert_int_equal(karp_fitting_left(f, 0, &l), KARP_OK);
    assert_true(l.copies == 7 && l.reason == KARP_FIT_FULL && !l.permanent);
    karp_fitting_free(f);
    const karp_fit_type more[] = { { .resources = cpu4, .resource_count = 1, .min_nodes = 2 }, { .resources = cpu1, .resource_count = 1, .min_nodes = 2 } };
    ask(w, more, 2, NULL, 0, NULL, 0);
    refused(w, KARP_E_INVALID, "", "");
    w->request.max_launches = 4;
    karp_fitting_free(fit(w));
    w->request.max_launches = 0;
}

static void out_structs(void **state)
{
    world *w = *state;
    const karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 1 } };
    ask(w, NULL, 0, NULL, 0, demands, 1);
    karp_fitting *f = fit(w);
    karp_fit_load load = { .size = sizeof load };
    karp_fit_left left = { .size = 4 };
    assert_int_equal(karp_fitting_load(f, 0, &load), KARP_E_NOT_FOUND);
    assert_int_equal(karp_fitting_left(f, 0, &left), KARP_E_ABI_SIZE);
    assert_int_equal(karp_fitting_left(f, 1, &left), KARP_E_NOT_FOUND);
    assert_int_equal(karp_fitting_left(f, 0, NULL), KARP_E_INVALID);
    assert_int_equal(karp_fitting_load(f, 0, NULL), KARP_E_INVALID);
    assert_string_equal(karp_fit_reason_name(0), "");
    assert_string_equal(karp_fit_reason_name(5), "");
    karp_fitting_free(f);
    karp_fitting_free(NULL);
}

/* ---- random requests ---------------------------------------------------------------------------------------------- */

enum { TYPES = 4, NODES = 3, DEMANDS = 8, RESOURCES = 3 };

typedef struct maker {
    karp_resource amounts[TYPES + NODES + DEMANDS][RESOURCES];
    karp_fit_type types[TYPES];
    karp_fit_node nodes[NODES];
    karp_fit_demand demands[DEMANDS];
    size_t type_count, node_count, demand_count;
    uint64_t max_launches;
} maker;

static const karp_str names[RESOURCES] = { T("cpu"), T("memory"), T("gpu") };

static size_t some_amounts(uint64_t *seed, karp_resource *list, int64_t least, int64_t most)
{
    size_t n = 0;
    for (size_t r = 0; r < RESOURCES; r++) {
        if (random_below(seed, 4) == 0) continue;
        list[n++] = (karp_resource){ .name = names[r], .value = least + (int64_t)random_below(seed, (uint64_t)(most - least + 1)), .scale = -1 };
    }
    return n;
}

static void make(maker *m, uint64_t *seed)
{
    memset(m, 0, sizeof *m);
    size_t a = 0;
    m->type_count = random_below(seed, TYPES + 1);
    m->node_count = random_below(seed, NODES + 1);
    m->demand_count = random_below(seed, DEMANDS + 1);
    for (size_t i = 0; i < m->type_count; i++, a++) {
        uint64_t most = random_below(seed, 6);
        m->types[i] = (karp_fit_type){ .resources = m->amounts[a], .resource_count = some_amounts(seed, m->amounts[a], 0, 60),
                                       .price = (double)random_below(seed, 5), .max_nodes = most, .min_nodes = most > 2 ? random_below(seed, 2) : 0 };
    }
    /* Often none; else at least what is launched in any case. */
    if (random_below(seed, 2) == 0) {
        m->max_launches = random_below(seed, 6);
        for (size_t i = 0; i < m->type_count && m->max_launches > 0; i++) m->max_launches += m->types[i].min_nodes;
    }
    for (size_t i = 0; i < m->node_count; i++, a++) {
        m->nodes[i] = (karp_fit_node){ .free = m->amounts[a], .free_count = some_amounts(seed, m->amounts[a], 0, 40), .count = random_below(seed, 4) };
    }
    for (size_t i = 0; i < m->demand_count; i++, a++) {
        m->demands[i] = (karp_fit_demand){ .requests = m->amounts[a], .request_count = some_amounts(seed, m->amounts[a], 0, 20),
                                           .count = random_below(seed, 12), .max_per_node = random_below(seed, 4),
                                           .group = (uint32_t)random_below(seed, 4), .priority = (int32_t)random_below(seed, 3) };
    }
}

static int64_t amount_in(const karp_resource *list, size_t count, size_t resource)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].name.ptr == names[resource].ptr) return list[i].value;
    }
    return 0;
}

/* No node holds more than it has, nor more copies of a demand than allowed. */
static void check_load(const maker *m, const karp_fit_load *l)
{
    for (size_t r = 0; r < RESOURCES; r++) {
        int64_t used = 0;
        for (size_t k = 0; k < l->share_count; k++) {
            const karp_fit_demand *d = &m->demands[l->shares[k].demand];
            used += (int64_t)l->shares[k].copies * amount_in(d->requests, d->request_count, r);
            assert_true(l->shares[k].copies > 0 && (d->max_per_node == 0 || l->shares[k].copies <= d->max_per_node));
        }
        if (l->launched) assert_true(used <= amount_in(m->types[l->index].resources, m->types[l->index].resource_count, r));
        else assert_true(used <= amount_in(m->nodes[l->index].free, m->nodes[l->index].free_count, r));
    }
}

static void check_answer(const maker *m, const karp_fitting *f)
{
    uint64_t placed[DEMANDS] = { 0 }, launched[TYPES] = { 0 }, used[NODES] = { 0 }, over[DEMANDS] = { 0 };
    double cost = 0;
    for (size_t i = 0; i < karp_fitting_load_count(f); i++) {
        karp_fit_load l = { .size = sizeof l };
        assert_int_equal(karp_fitting_load(f, i, &l), KARP_OK);
        assert_true(l.nodes > 0);
        check_load(m, &l);
        *(l.launched ? &launched[l.index] : &used[l.index]) += l.nodes;
        for (size_t k = 0; k < l.share_count; k++) placed[l.shares[k].demand] += l.shares[k].copies * l.nodes;
    }
    for (size_t t = 0; t < m->type_count; t++) {
        assert_true(launched[t] == karp_fitting_launches(f, t));
        assert_true(m->types[t].max_nodes == 0 || launched[t] <= m->types[t].max_nodes);
        assert_true(launched[t] >= m->types[t].min_nodes);
        cost += m->types[t].price * (double)launched[t];
    }
    assert_true(cost == karp_fitting_cost(f));
    uint64_t all = 0;
    for (size_t t = 0; t < m->type_count; t++) all += launched[t];
    assert_true(m->max_launches == 0 || all <= m->max_launches);
    for (size_t n = 0; n < m->node_count; n++) assert_true(used[n] <= (m->nodes[n].count != 0 ? m->nodes[n].count : 1));
    for (size_t i = 0; i < karp_fitting_left_count(f); i++) {
        karp_fit_left l = { .size = sizeof l };
        assert_int_equal(karp_fitting_left(f, i, &l), KARP_OK);
        assert_true(l.copies > 0 && karp_fit_reason_name(l.reason)[0] != '\0');
        over[l.demand] = l.copies;
    }
    for (size_t d = 0; d < m->demand_count; d++) {
        assert_true(placed[d] + over[d] == m->demands[d].count);
        for (size_t e = 0; e < m->demand_count; e++) { /* of a group all or none */
            if (m->demands[d].group == 0 || m->demands[d].group != m->demands[e].group) continue;
            assert_true(over[d] == 0 || placed[e] == 0);
        }
    }
}

/* ---- the rules once more, copy by copy and node by node ----------------------------------------------------------- */

enum { MOST_NODES = 256 };

typedef struct plain {
    const maker *m;
    struct plain_node { size_t source; int64_t room[RESOURCES]; uint64_t copies[DEMANDS]; } nodes[MOST_NODES];
    size_t node_count;
    uint64_t launched[TYPES], launched_all, left[DEMANDS];
} plain;

static void plain_add(plain *p, size_t source)
{
    bool launched = source >= p->m->node_count;
    struct plain_node *n = &p->nodes[p->node_count++];
    assert_true(p->node_count < MOST_NODES);
    memset(n, 0, sizeof *n);
    n->source = source;
    for (size_t r = 0; r < RESOURCES; r++) {
        if (launched) n->room[r] = amount_in(p->m->types[source - p->m->node_count].resources, p->m->types[source - p->m->node_count].resource_count, r);
        else n->room[r] = amount_in(p->m->nodes[source].free, p->m->nodes[source].free_count, r);
    }
    if (!launched) return;
    p->launched[source - p->m->node_count]++;
    p->launched_all++;
}

static bool plain_copy(const plain *p, struct plain_node *n, size_t d)
{
    const karp_fit_demand *demand = &p->m->demands[d];
    if (demand->max_per_node != 0 && n->copies[d] >= demand->max_per_node) return false;
    for (size_t r = 0; r < RESOURCES; r++) {
        if (amount_in(demand->requests, demand->request_count, r) > n->room[r]) return false;
    }
    for (size_t r = 0; r < RESOURCES; r++) n->room[r] -= amount_in(demand->requests, demand->request_count, r);
    n->copies[d]++;
    return true;
}

/* How many of `wanted` copies a new node of a type would take. */
static uint64_t plain_takes(plain *p, size_t type, size_t d, uint64_t wanted)
{
    static plain trial;
    trial.m = p->m;
    trial.node_count = 0;
    plain_add(&trial, p->m->node_count + type);
    uint64_t n = 0;
    while (n < wanted && plain_copy(&trial, &trial.nodes[0], d)) n++;
    return n;
}

static uint64_t plain_place(plain *p, size_t d)
{
    uint64_t wanted = p->m->demands[d].count;
    for (size_t n = 0; n < p->node_count; n++) {
        while (wanted > 0 && plain_copy(p, &p->nodes[n], d)) wanted--;
    }
    while (wanted > 0) {
        size_t best = TYPES;
        uint64_t most = 0;
        for (size_t t = 0; t < p->m->type_count; t++) {
            const karp_fit_type *type = &p->m->types[t];
            if (type->max_nodes != 0 && p->launched[t] >= type->max_nodes) continue;
            if (p->m->max_launches != 0 && p->launched_all >= p->m->max_launches) continue;
            uint64_t n = plain_takes(p, t, d, wanted);
            if (n == 0) continue;
            double mine = type->price * (double)most, other = best < TYPES ? p->m->types[best].price * (double)n : 0;
            if (best < TYPES && (mine > other || (mine >= other && n <= most))) continue;
            best = t;
            most = n;
        }
        if (best == TYPES) break;
        plain_add(p, p->m->node_count + best);
        while (wanted > 0 && plain_copy(p, &p->nodes[p->node_count - 1], d)) wanted--;
    }
    return wanted;
}

/* Whether demand x goes before y: priority, then size, each against the largest amount that anything has. */
static bool plain_before(const plain *p, size_t x, size_t y)
{
    double size[2] = { 0, 0 };
    const size_t both[2] = { x, y };
    if (p->m->demands[x].priority != p->m->demands[y].priority) return p->m->demands[x].priority > p->m->demands[y].priority;
    for (size_t r = 0; r < RESOURCES; r++) {
        int64_t most = 0;
        for (size_t t = 0; t < p->m->type_count; t++) {
            int64_t has = amount_in(p->m->types[t].resources, p->m->types[t].resource_count, r);
            most = has > most ? has : most;
        }
        for (size_t n = 0; n < p->m->node_count; n++) {
            int64_t has = amount_in(p->m->nodes[n].free, p->m->nodes[n].free_count, r);
            most = has > most ? has : most;
        }
        for (size_t k = 0; k < 2; k++) {
            int64_t need = amount_in(p->m->demands[both[k]].requests, p->m->demands[both[k]].request_count, r);
            double part = need == 0 ? 0 : most == 0 ? 1e9 : (double)need / (double)most; /* of small numbers: exact enough to compare */
            size[k] = part > size[k] ? part : size[k];
        }
    }
    return size[0] > size[1];
}

static void plain_fit(plain *p, const maker *m)
{
    size_t order[DEMANDS];
    bool done[DEMANDS] = { false };
    memset(p, 0, sizeof *p);
    p->m = m;
    for (size_t n = 0; n < m->node_count; n++) {
        for (uint64_t k = 0; k < (m->nodes[n].count != 0 ? m->nodes[n].count : 1); k++) plain_add(p, n);
    }
    for (size_t t = 0; t < m->type_count; t++) {
        for (uint64_t k = 0; k < m->types[t].min_nodes; k++) plain_add(p, m->node_count + t);
    }
    for (size_t d = 0; d < m->demand_count; d++) {
        size_t to = d;
        for (; to > 0 && plain_before(p, d, order[to - 1]); to--) order[to] = order[to - 1];
        order[to] = d;
    }
    for (size_t i = 0; i < m->demand_count; i++) {
        static plain before;
        uint32_t group = m->demands[order[i]].group;
        bool whole = true;
        if (done[order[i]]) continue;
        if (group == 0) {
            p->left[order[i]] = plain_place(p, order[i]);
            continue;
        }
        before = *p;
        for (size_t k = i; k < m->demand_count; k++) {
            if (m->demands[order[k]].group != group) continue;
            done[order[k]] = true;
            if (plain_place(p, order[k]) > 0) whole = false;
        }
        if (whole) continue;
        *p = before;
        for (size_t k = i; k < m->demand_count; k++) {
            if (m->demands[order[k]].group == group) p->left[order[k]] = m->demands[order[k]].count;
        }
    }
}

/* Equal nodes one after the other, as words_of() writes them without what is left over. */
static void plain_compare(const plain *p, const karp_fitting *f)
{
    size_t at = 0;
    for (size_t i = 0; i < karp_fitting_load_count(f); i++) {
        karp_fit_load l = { .size = sizeof l };
        assert_int_equal(karp_fitting_load(f, i, &l), KARP_OK);
        for (uint64_t k = 0; k < l.nodes; k++, at++) {
            uint64_t copies[DEMANDS] = { 0 };
            for (size_t c = 0; c < l.share_count; c++) copies[l.shares[c].demand] = l.shares[c].copies;
            /* nodes that exist and receive nothing are not listed */
            static const uint64_t nothing[DEMANDS];
            while (p->nodes[at].source < p->m->node_count && memcmp(p->nodes[at].copies, nothing, sizeof nothing) == 0) at++;
            assert_true(at < p->node_count);
            assert_int_equal(p->nodes[at].source, l.launched ? p->m->node_count + l.index : l.index);
            assert_memory_equal(p->nodes[at].copies, copies, sizeof copies);
        }
    }
    uint64_t left[DEMANDS] = { 0 };
    for (size_t i = 0; i < karp_fitting_left_count(f); i++) {
        karp_fit_left l = { .size = sizeof l };
        assert_int_equal(karp_fitting_left(f, i, &l), KARP_OK);
        left[l.demand] = l.copies;
    }
    assert_memory_equal(left, p->left, sizeof left);
}

/* Sound, the same twice, and node for node what the plain way finds. */
static void random_requests(void **state)
{
    world *w = *state;
    static maker m;
    static plain p;
    uint64_t seed = 11;
    size_t some_left = 0, all_placed = 0, limited = 0;
    for (int i = 0; i < 5000; i++) {
        make(&m, &seed);
        ask(w, m.types, m.type_count, m.nodes, m.node_count, m.demands, m.demand_count);
        w->request.max_launches = m.max_launches;
        limited += m.max_launches > 0;
        karp_fitting *f = fit(w), *again = fit(w);
        check_answer(&m, f);
        plain_fit(&p, &m);
        plain_compare(&p, f);
        char first[2048];
        snprintf(first, sizeof first, "%s", words_of(f));
        assert_string_equal(first, words_of(again));
        *(karp_fitting_left_count(f) > 0 ? &some_left : &all_placed) += 1;
        karp_fitting_free(f);
        karp_fitting_free(again);
    }
    assert_true(some_left > 500 && all_placed > 500 && limited > 500);
}

/* A group that failed is as if it had not been asked for: the loads are those of the request without it. */
static void random_failed_groups(void **state)
{
    world *w = *state;
    static maker m;
    uint64_t seed = 5;
    int compared = 0;
    for (int i = 0; i < 5000; i++) {
        make(&m, &seed);
        ask(w, m.types, m.type_count, m.nodes, m.node_count, m.demands, m.demand_count);
        w->request.max_launches = m.max_launches;
        karp_fitting *f = fit(w);
        uint64_t launches[TYPES];
        size_t loads = karp_fitting_load_count(f);
        for (size_t t = 0; t < m.type_count; t++) launches[t] = karp_fitting_launches(f, t);
        bool failed = false;
        for (size_t k = 0; k < karp_fitting_left_count(f); k++) {
            karp_fit_left l = { .size = sizeof l };
            assert_int_equal(karp_fitting_left(f, k, &l), KARP_OK);
            uint32_t group = m.demands[l.demand].group;
            failed = failed || group != 0;
            for (size_t d = 0; d < m.demand_count && group != 0; d++) {
                if (m.demands[d].group == group) m.demands[d].count = 0;
            }
        }
        karp_fitting_free(f);
        if (!failed) continue;
        compared++;
        f = fit(w);
        check_answer(&m, f);
        for (size_t t = 0; t < m.type_count; t++) assert_true(launches[t] == karp_fitting_launches(f, t));
        assert_int_equal(karp_fitting_load_count(f), loads);
        karp_fitting_free(f);
    }
    assert_true(compared > 500);
}

static void refused_memory(void **state)
{
    world *w = *state;
    static maker m;
    uint64_t seed = 3;
    int worth = 0;
    for (int i = 0; i < 12 || worth < 4; i++) {
        make(&m, &seed);
        ask(w, m.types, m.type_count, m.nodes, m.node_count, m.demands, m.demand_count);
        w->request.max_launches = m.max_launches;
        worth += m.type_count > 1 && m.demand_count > 3;
        for (size_t at = 1;; at++) {
            karp_fitting *f = NULL;
            fault_arm(&w->fault, at, i % 2 != 0);
            karp_status status = karp_fit(w->context, &w->request, &f, NULL);
            size_t hit = w->fault.refused;
            fault_arm(&w->fault, 0, false);
            if (hit == 0) {
                assert_int_equal(status, KARP_OK);
                check_answer(&m, f);
                karp_fitting_free(f);
                break;
            }
            assert_int_equal(status, KARP_E_NOMEM);
            assert_null(f);
            assert_int_equal(w->fault.live_blocks, 1); /* the context */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(many_equal_demands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cheapest_per_copy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nodes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(spread_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(selectors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_whole_or_not, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_leave_no_trace, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_to_choose_from, set_up, tear_down),
        cmocka_unit_test_setup_teardown(exact_amounts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_requests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stopping, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_different_demands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_types_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(out_structs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_requests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_failed_groups, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
