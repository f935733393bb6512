/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passes [--from N] [--count N] | --print N
 *
 * Disruption passes that tell commands alone (karp_disrupt_options.commands_only) leave simulations out where nodes
 * certainly stay. On random clusters, most of whose pods have no constraint but their size, they come to the commands
 * of passes that look at everything. --print: the cluster of that number as a Snapshot. Exit status: 0 they do, 1 they
 * do not, 2 trouble.
 */
#include <karp/disrupt.h>
#include <karp/io.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <support/random.h>
#include <support/same_commands.h>

#define NOW "2026-01-05T12:00:00Z"

/* ---- a cluster --------------------------------------------------------------------------------------------------- */

typedef struct cluster {
    uint64_t random;
    FILE *out;
    unsigned pools, nodes, constraints; /* how many of a hundred pods have one */
    unsigned loaded; /* of a hundred amounts of room those that are taken */
    bool taints;
} cluster;

static unsigned below(cluster *c, unsigned limit) { return (unsigned)random_below(&c->random, limit); }
static bool chance(cluster *c, unsigned percent) { return below(c, 100) < percent; }

static const unsigned cpus[] = { 1, 2, 4, 8, 16 };
enum { SIZES = sizeof cpus / sizeof *cpus };

static void say_offering(cluster *c, unsigned cpu, unsigned dear, unsigned zone, bool spot)
{
    double price = 0.05 * cpu * (100 + dear) / 100 * (spot ? 0.4 : 1) + 0.001 * zone;
    fprintf(c->out, "%s{\"zone\":\"z%u\",\"capacityType\":\"%s\",\"price\":%.4f,\"available\":%s}",
            zone > 1 || spot ? "," : "", zone, spot ? "spot" : "on-demand", price, chance(c, 92) ? "true" : "false");
}

static void say_types(cluster *c)
{
    fputs("\"catalogues\":[{\"instanceTypes\":[", c->out);
    for (unsigned i = 0; i < SIZES * 2; i++) {
        unsigned cpu = cpus[i / 2], dear = below(c, 20), pods = chance(c, 80) ? 30 : 3;
        fprintf(c->out,
                "%s{\"name\":\"t%u%c\",\"capacity\":{\"cpu\":\"%u\",\"memory\":\"%uGi\",\"pods\":\"%u\"},\"labels\":{"
                "\"kubernetes.io/"
                "arch\":[\"amd64\"],\"kubernetes.io/os\":[\"linux\"]},\"offerings\":[",
                i > 0 ? "," : "", cpu, i % 2 ? 'b' : 'a', cpu, cpu * (i % 2 ? 8 : 4), pods);
        for (unsigned zone = 1; zone <= 2; zone++) {
            say_offering(c, cpu, dear, zone, false);
            say_offering(c, cpu, dear, zone, true);
        }
        fputs("]}", c->out);
    }
    fputs("]}]", c->out);
}

static void say_pool(cluster *c, unsigned number)
{
    static const char *const kinds[] = { "\"on-demand\"", "\"spot\",\"on-demand\"" },
                             *const budgets[] = { "1", "2", "50%", "100%" },
                             *const policies[] = { "WhenEmptyOrUnderutilized", "WhenEmptyOrUnderutilized", "Balanced" };
    fprintf(c->out,
            ",{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"pool%u\"},\"spec\":{",
            number);
    unsigned weight = 1 + below(c, 9), most = 4 + below(c, 60);
    if (chance(c, 20)) fprintf(c->out, "\"weight\":%u,", weight);
    if (chance(c, 25)) fprintf(c->out, "\"limits\":{\"cpu\":\"%u\"},", most);
    const char *after = chance(c, 60) ? "0s" : "10m", *policy = policies[below(c, 3)];
    fprintf(
        c->out,
        "\"disruption\":{\"consolidateAfter\":\"%s\",\"consolidationPolicy\":\"%s\",\"budgets\":[{\"nodes\":\"%s\"}]},",
        after, policy, budgets[below(c, 4)]);
    fputs("\"template\":{\"spec\":{", c->out);
    const char *effect = chance(c, 60) ? "PreferNoSchedule" : "NoSchedule", *kind = kinds[below(c, 2)];
    if (c->taints && chance(c, 50))
        fprintf(c->out, "\"taints\":[{\"key\":\"team\",\"value\":\"a\",\"effect\":\"%s\"}],", effect);
    fprintf(c->out,
            "\"nodeClassRef\":{\"group\":\"karpenter.test\",\"kind\":\"TestNodeClass\",\"name\":\"default\"},"
            "\"requirements\":[{\"key\":\"karpenter.sh/"
            "capacity-type\",\"operator\":\"In\",\"values\":[%s]}%s]}}},\"status\":{\"conditions\":["
            "{\"type\":\"ValidationSucceeded\",\"status\":\"True\"},{\"type\":\"NodeClassReady\",\"status\":\"True\"},{"
            "\"type\":\"Ready\",\"status\":\"True\"}]}}",
            kind,
            chance(c, 20) ? ",{\"key\":\"node.kubernetes.io/instance-type\",\"operator\":\"Exists\",\"minValues\":2}"
                          : "");
}

static void say_condition(cluster *c, const char *type, unsigned percent)
{
    unsigned day = 2 + below(c, 3);
    if (chance(c, percent))
        fprintf(c->out, ",{\"type\":\"%s\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-0%uT00:00:00Z\"}", type,
                day);
}

static void say_pod(cluster *c, unsigned number, const char *node, unsigned zone, unsigned millis)
{
    unsigned second = below(c, 60);
    char app = chance(c, 50) ? 'a' : 'b';
    fprintf(c->out,
            ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%u\",\"namespace\":\"default\",\"uid\":"
            "\"u%u\","
            "\"creationTimestamp\":\"2026-01-01T00:00:%02uZ\",\"labels\":{\"app\":\"%c\"}%s",
            number, number, second, app,
            chance(c, 90) ? ",\"ownerReferences\":[{\"apiVersion\":\"apps/"
                            "v1\",\"kind\":\"ReplicaSet\",\"name\":\"r\",\"uid\":\"r\",\"controller\":true}]"
                          : "");
    if (chance(c, 3)) fputs(",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}", c->out);
    fputs("},\"spec\":{", c->out);
    if (node != NULL) fprintf(c->out, "\"nodeName\":\"%s\",", node);
    if (chance(c, 15)) fprintf(c->out, "\"nodeSelector\":{\"topology.kubernetes.io/zone\":\"z%u\"},", zone);
    if (chance(c, 30)) fputs("\"tolerations\":[{\"key\":\"team\",\"operator\":\"Exists\"}],", c->out);
    if (chance(c, c->constraints))
        fputs("\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":"
              "\"kubernetes.io/"
              "hostname\",\"labelSelector\":{\"matchLabels\":{\"app\":\"a\"}}}]}},",
              c->out);
    fprintf(c->out, "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%um\"}}}]}}", millis);
}

static unsigned say_pods_of(cluster *c, unsigned number, const char *node, unsigned zone, unsigned cpu)
{
    static const unsigned sizes[] = { 100, 250, 400, 900, 1500, 3000 };
    unsigned left = cpu * 10 * c->loaded, most = below(c, 7);
    for (unsigned i = 0; i < most; i++) {
        unsigned millis = sizes[below(c, 6)];
        if (millis > left) continue;
        left -= millis;
        say_pod(c, number++, node, zone, millis);
    }
    return number;
}

typedef struct node {
    char name[16], labels[400];
    unsigned number, size, zone; /* size: an index of cpus */
    bool initialized;
} node;

static node draw_node(cluster *c, unsigned number)
{
    node n = { .number = number, .size = below(c, SIZES) };
    unsigned pool = below(c, c->pools);
    char family = chance(c, 50) ? 'a' : 'b';
    const char *kind = chance(c, 75) ? "on-demand" : "spot";
    n.zone = 1 + below(c, 2);
    n.initialized = chance(c, 88);
    (void)snprintf(n.name, sizeof n.name, "n%u", number);
    (void)snprintf(
        n.labels, sizeof n.labels,
        "{\"karpenter.sh/nodepool\":\"pool%u\",\"node.kubernetes.io/instance-type\":\"t%u%c\",\"topology.kubernetes.io/"
        "zone\":\"z%u\",\"karpenter.sh/capacity-type\":\"%s\",\"kubernetes.io/hostname\":\"%s\",\"karpenter.sh/"
        "registered\":\"true\"%s}",
        pool, cpus[n.size], family, n.zone, kind, n.name,
        n.initialized ? ",\"karpenter.sh/initialized\":\"true\"" : "");
    return n;
}

static void say_node(cluster *c, const node *n)
{
    unsigned cpu = cpus[n->size];
    const char *ready = chance(c, 95) ? "True" : "False", *taints = "";
    if (c->taints && chance(c, 20))
        taints = ",\"taints\":[{\"key\":\"team\",\"value\":\"a\",\"effect\":\"PreferNoSchedule\"}]";
    fprintf(c->out,
            ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"labels\":%s},\"spec\":{"
            "\"providerID\":\"i-%u\"%s},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}],",
            n->name, n->labels, n->number, taints, ready);
    fprintf(c->out,
            "\"capacity\":{\"cpu\":\"%u\",\"memory\":\"%uGi\",\"pods\":\"30\"},"
            "\"allocatable\":{\"cpu\":\"%u\",\"memory\":\"%uGi\",\"pods\":\"30\"}}}",
            cpu, cpu * 4, cpu, cpu * 4);
}

static void say_claim(cluster *c, const node *n)
{
    const char *ends = chance(c, 4) ? ",\"deletionTimestamp\":\"2026-01-05T11:59:00Z\"" : "";
    fprintf(c->out,
            ",{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"%s\","
            "\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"labels\":%s%s},\"status\":{"
            "\"providerID\":\"i-%u\",\"nodeName\":\"%s\",\"conditions\":["
            "{\"type\":\"Launched\",\"status\":\"True\"},{\"type\":\"Registered\",\"status\":\"True\"}",
            n->name, n->labels, ends, n->number, n->name);
    say_condition(c, "Initialized", n->initialized ? 100 : 0);
    say_condition(c, "Consolidatable", 85);
    say_condition(c, "Drifted", 8);
    fputs("]}}", c->out);
}

static void say_daemons(cluster *c)
{
    fputs(",{\"apiVersion\":\"apps/"
          "v1\",\"kind\":\"DaemonSet\",\"metadata\":{\"name\":\"d\",\"namespace\":\"default\"},\"spec\":{\"template\":{"
          "\"spec\":{"
          "\"tolerations\":[{\"operator\":\"Exists\"}],\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{"
          "\"cpu\":\"150m\"}}}]}}}}",
          c->out);
}

static char *make(uint64_t seed)
{
    cluster c = { .random = seed };
    char *text = NULL;
    size_t length = 0;
    c.out = open_memstream(&text, &length);
    if (c.out == NULL) exit(2);
    c.pools = 1 + below(&c, 2);
    c.nodes = 2 + below(&c, 8);
    c.constraints = chance(&c, 20) ? 15 : 0;
    c.loaded = 30 + below(&c, 70);
    c.taints = chance(&c, 30);
    fprintf(
        c.out,
        "{\"apiVersion\":\"karp/"
        "v1\",\"kind\":\"Snapshot\",\"now\":\"%s\",\"settings\":{\"featureGates\":{\"SpotToSpotConsolidation\":%s}},",
        NOW, chance(&c, 50) ? "true" : "false");
    say_types(&c);
    fputs(",\"objects\":[{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"default\"}}", c.out);
    for (unsigned i = 0; i < c.pools; i++) say_pool(&c, i);
    if (chance(&c, 40)) say_daemons(&c);
    unsigned pods = 0, pending = chance(&c, 25) ? 1 + below(&c, 3) : 0;
    for (unsigned i = 0; i < c.nodes; i++) {
        node n = draw_node(&c, i);
        say_node(&c, &n);
        say_claim(&c, &n);
        pods = say_pods_of(&c, pods, n.name, n.zone, cpus[n.size]);
    }
    for (unsigned i = 0; i < pending; i++) {
        unsigned zone = 1 + below(&c, 2), millis = 200 * (1 + below(&c, 8));
        say_pod(&c, pods++, NULL, zone, millis);
    }
    fputs("]}", c.out);
    if (fclose(c.out) != 0) exit(2);
    return text;
}

/* ---- its passes -------------------------------------------------------------------------------------------------- */

typedef struct totals {
    unsigned long passes, commands, replaced, made, saved;
} totals;

static void check(karp_status status, const karp_error *error)
{
    if (status == KARP_OK) return;
    fprintf(stderr, "passes: %s: %s %s %s\n", karp_status_name(status), error->object, error->field, error->message);
    exit(2);
}

static karp_snapshot *read_world(karp_context *context, const char *text)
{
    karp_error error;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error_init(&error, sizeof error);
    check(karp_reader_new(context, NULL, &reader, &error), &error);
    check(karp_reader_add(reader, (karp_str){ "world", 5 }, (karp_str){ text, strlen(text) }, &error), &error);
    check(karp_reader_finish(reader, &snapshot, &error), &error);
    karp_reader_free(reader);
    return snapshot;
}

static bool try_pass(const karp_snapshot *snapshot, unsigned long seed, uint32_t method, totals *t)
{
    karp_decision *d[2] = { NULL, NULL };
    karp_disruption how[2] = { { .size = sizeof *how }, { .size = sizeof *how } };
    karp_error error;
    karp_error_init(&error, sizeof error);
    for (uint32_t i = 0; i < 2; i++) {
        karp_disrupt_options options;
        karp_disrupt_options_init(&options, sizeof options);
        options.method = method;
        options.commands_only = i;
        check(karp_disrupt(snapshot, &options, &d[i], &error), &error);
        check(karp_decision_disruption(d[i], &how[i]), &error);
    }
    const char *what = commands_differ(d[0], d[1]);
    if (what != NULL) printf("# world %lu, %s: %s\n", seed, karp_method_name(method), what);
    karp_command row = { .size = sizeof row };
    for (size_t i = 0; karp_decision_command(d[0], i, &row) == KARP_OK; i++) {
        t->commands++;
        t->replaced += row.launch_count > 0;
    }
    t->passes++;
    t->made += how[1].simulations;
    t->saved += how[0].simulations - how[1].simulations;
    for (uint32_t i = 0; i < 2; i++) karp_decision_unref(d[i]);
    return what == NULL;
}

static unsigned long number(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text == '\0' || *end != '\0') exit(2);
    return value;
}

static int print(unsigned long seed)
{
    char *text = make(seed);
    bool ok = puts(text) >= 0;
    free(text);
    return ok ? 0 : 2;
}

int main(int argc, char **argv)
{
    static const uint32_t methods[] = { KARP_METHOD_ANY, KARP_METHOD_MULTI_NODE, KARP_METHOD_SINGLE_NODE };
    unsigned long from = 1, count = 300, bad = 0;
    totals t = { 0 };
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--from") == 0) from = number(argv[i + 1]);
        else if (strcmp(argv[i], "--count") == 0) count = number(argv[i + 1]);
        else if (strcmp(argv[i], "--print") == 0) return print(number(argv[i + 1]));
        else return 2;
    }
    karp_context *context = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    check(karp_context_new(NULL, &context, &error), &error);
    for (unsigned long seed = from; seed < from + count; seed++) {
        char *text = make(seed);
        karp_snapshot *snapshot = read_world(context, text);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) bad += !try_pass(snapshot, seed, methods[i], &t);
        karp_snapshot_unref(snapshot);
        free(text);
    }
    karp_context_unref(context);
    bool meant = count < 100 || (t.replaced > 0 && t.saved > 0); /* else nothing was tried */
    printf("1..1\n%sok 1 - %lu passes of %lu clusters, %lu commands (%lu with a replacement), %lu simulations, %lu "
           "left out\n",
           bad > 0 || !meant ? "not " : "", t.passes, count, t.commands, t.replaced, t.made, t.saved);
    return bad > 0 || !meant;
}
