/* SPDX-License-Identifier: Apache-2.0 */
/* What topology allows in its corners: domains with odd names, several groups on a key, hosts that a pod names, groups
 * made late. */
#include "deciding.h"

#define Q(n) (UINT64_C(1) << ((n)-1))
#define ZONE "topology.kubernetes.io/zone"
#define OLD_ZONE "failure-domain.beta.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"
#define WORLD CASES "world.yaml"

#define OF(app) "{matchLabels: {app: " app "}}"
#define SPREAD(key, skew, selector)                                                                                    \
    "{maxSkew: " skew ", topologyKey: " key ", whenUnsatisfiable: DoNotSchedule, labelSelector: " selector "}"
#define SPREADS(list) "topologySpreadConstraints: [" list "], "
#define TERM(key, selector) "{topologyKey: " key ", labelSelector: " selector "}"
#define NEAR(list) "podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" list "]}"
#define APART(list) "podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" list "]}"
#define WITH(rules) "affinity: {" rules "}, "
#define ON_NODES(key, op, values)                                                                                      \
    "nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "          \
    "[{key: " key ", operator: " op ", values: [" values "]}]}]}}"
#define CPU(n) REQUESTS("cpu: " n)
/* A node that goes, and a pod that has to leave it. */
#define LEAVING(name, labels)                                                                                          \
    "{apiVersion: v1, kind: Node, metadata: {name: " name                                                              \
    ", deletionTimestamp: \"2026-01-01T00:00:00Z\", finalizers: [karpenter.sh/termination], labels: {" HOST            \
    ": " name labels "}}, spec: {providerID: \"test://" name                                                           \
    "\"}, status: {capacity: {cpu: 8, memory: 8Gi, pods: 10}, allocatable: {cpu: 8, memory: 8Gi, pods: 10}}}" DOCUMENT
#define LOST_VOLUME "volumes: [{name: v, persistentVolumeClaim: {claimName: gone}}], "

static void decides(deciding d, uint32_t profile, uint64_t flip, const char *expected)
{
    assert_string_equal(words_of(&d, profile, flip), expected);
    deciding_free(&d);
}

#define AS_KARPENTER(expected, ...) decides(decide_on(NULL, __VA_ARGS__, NULL), KARP_PROFILE_KARPENTER, 0, expected)
#define WITHOUT(quirks, expected, ...)                                                                                 \
    decides(decide_on(NULL, __VA_ARGS__, NULL), KARP_PROFILE_KARPENTER, quirks, expected)
#define AS_KARP(expected, ...) decides(decide_on(NULL, __VA_ARGS__, NULL), KARP_PROFILE_KARP, 0, expected)

/* ---- domains ----------------------------------------------------------------------------------------------------- */

/* The domains of a pool are what its requirements and its template's labels leave together. */
static void pool_domains(void **state)
{
    (void)state;
#define POOL_LABELLED(name, label, zones)                                                                              \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name                                             \
    "}, spec: {template: {metadata: {labels: {" label                                                                  \
    "}}, spec: {nodeClassRef: {group: karpenter.test, kind: TestNodeClass, name: default}, "                           \
    "requirements: [{key: " ZONE ", operator: In, values: [" zones "]}]}}}}" DOCUMENT
#define TWO                                                                                                            \
    POD("a", "app: x", SPREADS(SPREAD(ZONE, "1", OF("x"))) CPU("1"))                                                   \
    POD("b", "app: x", SPREADS(SPREAD(ZONE, "1", OF("x"))) CPU("1"))
    AS_KARPENTER("p z1: a | p z2: b", POOL_LABELLED("p", "", "z1, z2") TWO);
    AS_KARPENTER("p z1: a b", POOL_LABELLED("p", ZONE ": z1", "z1, z2") TWO);
    /* So do two requirements on the key. */
    AS_KARPENTER("p z2: a b", POOL("p", ", requirements: [{key: " ZONE ", operator: In, values: [z1, z2]}, {key: " ZONE
                                        ", operator: NotIn, values: [z1]}]") TWO);
    /* A label by the old name of the key is the same. */
    AS_KARPENTER("p z2: a b", POOL_LABELLED("p", OLD_ZONE ": z2", "z1, z2") TWO);
}

/* A value that nobody has heard of before becomes a domain with the pod that asks for it: the other goes there too. */
static void domain_of_a_pod(void **state)
{
    (void)state;
#define TEAMS POOL("p", ", requirements: [{key: team, operator: Exists}]")
    AS_KARPENTER("p: a b", TEAMS POD("a", "app: x", "nodeSelector: {team: red}, " CPU("2"))
                               POD("b", "app: w", WITH(NEAR(TERM("team", OF("x")))) CPU("1")));
    AS_KARPENTER("p: a | !b TOPOLOGY",
                 TEAMS POD("a", "app: x", "nodeSelector: {team: red}, " CPU("2"))
                     POD("b", "app: w", "nodeSelector: {team: blue}, " WITH(NEAR(TERM("team", OF("x")))) CPU("1")));
    /* What else b asks of the key knows no domain, so that there is none where it could start. */
    AS_KARP("p: a | !b TOPOLOGY",
            TEAMS POD("a", "app: x", "nodeSelector: {team: red}, " CPU("2"))
                POD("b", "app: w", WITH(NEAR(TERM("team", OF("x")) "," TERM("team", OF("w")))) CPU("1")));
    AS_KARP("p: a | !b TOPOLOGY",
            TEAMS POD("a", "app: x", "nodeSelector: {team: red}, " CPU("2"))
                POD("b", "app: w", WITH(NEAR(TERM("team", OF("x")))) SPREADS(SPREAD("team", "1", OF("w"))) CPU("1")));
}

/* Pods that run bar others from their zones, but for those on a node that Karpenter cannot take in. */
static void barred_by_those_that_run(void **state)
{
    (void)state;
#define HALF_A_VOLUME                                                                                                  \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: half}, spec: {volumeName: nowhere}, status: "      \
    "{phase: Bound}}" DOCUMENT
#define GUARDED(name, zone)                                                                                            \
    NODE("n-" name, ZONE ": " zone, "1", "") BOUND(name, "app: w", "n-" name, WITH(APART(TERM(ZONE, OF("x")))) CPU("1"))
#define HOLDS_HALF                                                                                                     \
    BOUND("v", "", "n-g", "volumes: [{name: v, persistentVolumeClaim: {claimName: half}}], " REQUESTS(""))
    AS_KARPENTER("default z3: a", WORLD, GUARDED("g", "z1") GUARDED("h", "z2") POD("a", "app: x", CPU("2")));
    AS_KARPENTER("default z1,z3: a", WORLD,
                 HALF_A_VOLUME HOLDS_HALF GUARDED("g", "z1") GUARDED("h", "z2") POD("a", "app: x", CPU("2")));
    AS_KARP("default z3: a", WORLD,
            HALF_A_VOLUME HOLDS_HALF GUARDED("g", "z1") GUARDED("h", "z2") POD("a", "app: x", CPU("2")));
}

/* One of the group may start anywhere, another may not, though all else is the same for them. */
static void start_of_a_group(void **state)
{
    (void)state;
    AS_KARPENTER("!a TYPE_RESOURCES | !b TOPOLOGY", WORLD,
                 POD("a", "app: x", WITH(NEAR(TERM(ZONE, OF("x")))) CPU("999"))
                     POD("b", "app: w", WITH(NEAR(TERM(ZONE, OF("x")))) CPU("1")));
}

/* A domain without a name may be the best; then there is none. */
static void nameless_domain(void **state)
{
    (void)state;
#define NAMELESS NODE("n0", ZONE ": \"\"", "1", "")
    AS_KARPENTER("!a TOPOLOGY", WORLD, NAMELESS POD("a", "app: x", SPREADS(SPREAD(ZONE, "1", OF("x"))) CPU("2")));
    /* Not when there is a pod already: another zone is better. */
    AS_KARPENTER("default z1: a", WORLD,
                 NAMELESS BOUND("r", "app: x", "n0", CPU("1"))
                     POD("a", "app: x", SPREADS(SPREAD(ZONE, "1", OF("x"))) CPU("2")));
    /* The same with two constraints on the key. */
    AS_KARP("!a TOPOLOGY", WORLD,
            NAMELESS POD("a", "app: x, of: w",
                         SPREADS(SPREAD(ZONE, "1", OF("x")) "," SPREAD(ZONE, "2", "{matchLabels: {of: w}}")) CPU("2")));
    AS_KARP("default z1: a", WORLD,
            NAMELESS BOUND("r", "app: x", "n0", CPU("1"))
                POD("a", "app: x, of: w",
                    SPREADS(SPREAD(ZONE, "1", OF("x")) "," SPREAD(ZONE, "2", "{matchLabels: {of: w}}")) CPU("2")));
}

/* Keys that stand for others, by the settings; without Q-34 a node may say where it is by any of the names. */
static void names_of_keys(void **state)
{
    (void)state;
#define SETTINGS(labels)                                                                                               \
    "{apiVersion: karp/v1, kind: Snapshot, now: \"2026-01-01T12:00:00Z\", labels: {normalized: {" labels               \
    "}}, objects: []}" DOCUMENT
#define NAMES SETTINGS("a.example/zone: " ZONE ", b.example/zone: " ZONE)
#define AWAY POD("a", "app: x", SPREADS(SPREAD(ZONE, "1", OF("x"))) CPU("2"))
    /* Of two older names the first counts, whatever the order of the labels; the key itself counts before all. */
    WITHOUT(Q(34), "default z1: a", WORLD,
            NAMES NODE("n1", "b.example/zone: z1, a.example/zone: z2", "1", "") BOUND("r", "app: x", "n1", CPU("1"))
                AWAY);
    WITHOUT(Q(34), "default z2: a", WORLD,
            NAMES NODE("n1", "a.example/zone: z1, b.example/zone: z2", "1", "") BOUND("r", "app: x", "n1", CPU("1"))
                AWAY);
    WITHOUT(Q(34), "default z2: a", WORLD,
            NAMES NODE("n1", "a.example/zone: z2, b.example/zone: z2, " ZONE ": z1", "1", "")
                BOUND("r", "app: x", "n1", CPU("1")) AWAY);
    /* With it the pod is not seen there: z1 is as good as any. */
    AS_KARPENTER("default z1: a", WORLD,
                 NAMES NODE("n1", "a.example/zone: z1, b.example/zone: z2", "1", "")
                     BOUND("r", "app: x", "n1", CPU("1")) AWAY);
    /* A key that stands for the host name: the constraint knows the label of that name, and what it asks is asked of
     * the host. */
#define HOST_NAME SETTINGS("rack.example/host: " HOST)
    AS_KARPENTER("n2 <- a", WORLD,
                 HOST_NAME NODE("n1", "rack.example/host: n1", "4", "") NODE("n2", "rack.example/host: n2", "4", "")
                     BOUND("r", "app: x", "n1", CPU("1"))
                         POD("a", "app: x", SPREADS(SPREAD("rack.example/host", "1", OF("x"))) CPU("2")));
}

/* ---- several groups on one key (without Q-32) -------------------------------------------------------------------- */

/* A domain that only one of the groups has heard of: where a pod of it still is, on a node that goes. */
static void unknown_to_one(void **state)
{
    (void)state;
#define FAR LEAVING("old", ", " ZONE ": z9") BOUND("last", "app: x", "old", REQUESTS(""))
    /* z9 is known to the group of x, with a pod, and not to that of y. */
    AS_KARP("default z1: a last", WORLD,
            FAR POD("a", "app: x, of: w",
                    SPREADS(SPREAD(ZONE, "1", OF("x")) "," SPREAD(ZONE, "1", "{matchLabels: {of: w}}")) CPU("1")));
    /* To start beside oneself: anywhere that the pod may be and the group knows. */
#define BESIDE WITH(NEAR(TERM(ZONE, "{matchLabels: {of: w}}"))) SPREADS(SPREAD(ZONE, "1", OF("x")))
    AS_KARP("default z1: a last", WORLD, FAR POD("a", "app: x, of: w", BESIDE CPU("1")));
    AS_KARP("default z2: a last", WORLD,
            FAR POD("a", "app: x, of: w", "nodeSelector: {" ZONE ": z2}, " BESIDE CPU("1")));
    /* Its like are where the pod may be, yet not where the spread lets it go: not anywhere else. */
    AS_KARP("!a TOPOLOGY", WORLD,
            NODE("n1", ZONE ": z1", "1", "") NODE("n2", ZONE ": z2", "1", "") NODE("n3", ZONE ": z3", "1", "")
                BOUND("r", "app: x, of: w", "n1", CPU("1")) POD("a", "app: x, of: w", BESIDE CPU("2")));
    /* They are where it may not be: then it starts anew. */
    AS_KARP("default z2: a", WORLD,
            NODE("n1", ZONE ": z1", "1", "") BOUND("r", "app: x, of: w", "n1", CPU("1"))
                POD("a", "app: x, of: w", "nodeSelector: {" ZONE ": z2}, " BESIDE CPU("2")));
}

/* The domain with the fewest pods of the first group, then of the next; then by name. */
static void best_of_all(void **state)
{
    (void)state;
#define THREE_ZONES NODE("n1", ZONE ": z1", "1", "") NODE("n2", ZONE ": z2", "1", "") NODE("n3", ZONE ": z3", "1", "")
#define BOTH(skew)                                                                                                     \
    POD("a", "app: x, of: w",                                                                                          \
        SPREADS(SPREAD(ZONE, skew, OF("x")) "," SPREAD(ZONE, skew, "{matchLabels: {of: w}}")) CPU("2"))
    AS_KARP("default z1: a", WORLD, THREE_ZONES BOTH("3"));
    AS_KARP("default z1: a", WORLD,
            THREE_ZONES BOUND("r", "app: x", "n2", CPU("1")) BOUND("s", "of: w", "n3", CPU("1")) BOTH("3"));
    AS_KARP("default z3: a", WORLD,
            THREE_ZONES BOUND("r", "app: x", "n1", CPU("1")) BOUND("s", "of: w", "n2", CPU("1")) BOTH("3"));
    AS_KARP("default z2: a", WORLD,
            THREE_ZONES BOUND("r", "app: x", "n1", CPU("1")) BOUND("s", "of: w", "n3", CPU("1")) BOTH("3"));
    AS_KARP("default z2: a", WORLD,
            THREE_ZONES BOUND("r", "app: x", "n1", CPU("1")) BOUND("s", "app: x", "n3", CPU("1")) BOTH("3"));
    /* A node that is in no zone is no place for it; one in a zone is. */
    AS_KARP("default z1: a", WORLD, NODE("n1", "", "4", "") BOTH("3"));
    AS_KARP("n1 <- a", WORLD, NODE("n1", ZONE ": z1", "4", "") BOTH("3"));
    /* The other group leaves one zone only. */
    AS_KARP("default z3: a", WORLD,
            THREE_ZONES BOUND("r", "app: x", "n1", CPU("1")) BOUND("s", "app: x", "n2", CPU("1"))
                BOUND("t", "of: w", "n1", REQUESTS("")) BOUND("u", "of: w", "n2", REQUESTS("")) BOTH("1"));
    /* The two leave none. */
    AS_KARP("!a TOPOLOGY", WORLD,
            THREE_ZONES BOUND("r", "app: x", "n1", CPU("1")) BOUND("s", "app: x", "n2", CPU("1"))
                BOUND("t", "of: w", "n3", CPU("1")) BOTH("1"));
}

/* ---- hosts ------------------------------------------------------------------------------------------------------- */

/* A pod that may be on certain hosts, and beside its like: one of them is there already, or none is. */
static void beside_on_named_hosts(void **state)
{
    (void)state;
#define TWO_NODES NODE("n1", "", "4", "") NODE("n2", "", "4", "")
#define NAMED(op, hosts) WITH(NEAR(TERM(HOST, OF("x"))) ", " ON_NODES(HOST, op, hosts))
    WITHOUT(Q(26), "n1 <- a", WORLD, TWO_NODES POD("a", "app: x", NAMED("In", "n1, n2") CPU("1")));
    WITHOUT(Q(26), "n2 <- a", WORLD,
            TWO_NODES BOUND("r", "app: x", "n2", CPU("1")) POD("a", "app: x", NAMED("In", "n1, n2") CPU("1")));
    WITHOUT(Q(26), "n1 <- a", WORLD,
            TWO_NODES BOUND("r", "app: x", "n2", CPU("1")) POD("a", "app: x", NAMED("In", "n1") CPU("1")));
    /* Its like are on a node that starts with another pod of the round. */
    WITHOUT(Q(26), "default: a big", WORLD,
            NODE("n1", "", "1", "") POD("big", "app: x", CPU("2")) POD("a", "app: x", NAMED("NotIn", "n9") CPU("1")));
    WITHOUT(Q(26), "default: big | n1 <- a", WORLD,
            NODE("n1", "", "1", "") POD("big", "app: x", CPU("2")) POD("a", "app: x", NAMED("In", "n1") CPU("1")));
    /* A node that is started is not the one that is named, whoever starts with it. */
    WITHOUT(Q(26), "default: big | !a REQUIREMENTS", WORLD,
            POD("big", "app: x", CPU("2")) POD("a", "app: x", NAMED("In", "n9") CPU("1")));
    /* More hosts than the group has heard of. */
#define FOUR_NODES(a, b, c, d) NODE(a, "", "1", "") NODE(b, "", "1", "") NODE(c, "", "1", "") NODE(d, "", "1", "")
#define MANY_NODES                                                                                                     \
    FOUR_NODES("m1", "m2", "m3", "m4")                                                                                 \
    FOUR_NODES("m5", "m6", "m7", "m8")                                                                                 \
    FOUR_NODES("o1", "o2", "o3", "o4") FOUR_NODES("o5", "o6", "o7", "o8") FOUR_NODES("q1", "q2", "q3", "q4")
    WITHOUT(Q(26), "q4 <- a", WORLD,
            MANY_NODES BOUND("r", "app: x", "m1", REQUESTS("")) POD("a", "app: x", NAMED("In", "q4") CPU("1")));
}

/* A filter that speaks of hosts, and nodes that do not say which they are. */
static void filters_on_hosts(void **state)
{
    (void)state;
#define UNNAMED(name, zone)                                                                                            \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {" ZONE ": " zone                                 \
    "}}, spec: {providerID: \"test://" name "\"}, status: {capacity: {cpu: 4, memory: 8Gi, pods: 10}, "                \
    "allocatable: {cpu: 4, memory: 8Gi, pods: 10}}}" DOCUMENT
#define FILTERED(op, hosts) WITH(ON_NODES(HOST, op, hosts)) SPREADS(SPREAD(ZONE, "1", OF("x")))
    /* A node without the label meets what is excluded, not what is listed: the pod in z1 counts, or does not. */
    WITHOUT(Q(26), "default z2: a", WORLD,
            UNNAMED("n1", "z1") BOUND("r", "app: x", "n1", CPU("3"))
                POD("a", "app: x", FILTERED("NotIn", "n9") CPU("2")));
    WITHOUT(Q(26), "n2 <- a", WORLD,
            UNNAMED("n1", "z1") BOUND("r", "app: x", "n1", CPU("3")) NODE("n2", ZONE ": z1", "4", "")
                POD("a", "app: x", FILTERED("In", "n2") CPU("2")));
    /* Policies: what the pod's own demand rules out counts when the policy is to ignore it. */
#define IGNORING                                                                                                       \
    "{maxSkew: 1, topologyKey: " ZONE                                                                                  \
    ", whenUnsatisfiable: DoNotSchedule, nodeAffinityPolicy: Ignore, labelSelector: " OF("x") "}"
    AS_KARPENTER("default z2: a", WORLD,
                 NODE("n1", ZONE ": z1, of: other", "1", "") BOUND("r", "app: x", "n1", CPU("1"))
                     POD("a", "app: x", WITH(ON_NODES("of", "NotIn", "other")) SPREADS(IGNORING) CPU("2")));
    AS_KARPENTER(
        "default z1: a", WORLD,
        NODE("n1", ZONE ": z1, of: other", "1", "") BOUND("r", "app: x", "n1", CPU("1"))
            POD("a", "app: x", WITH(ON_NODES("of", "NotIn", "other")) SPREADS(SPREAD(ZONE, "1", OF("x"))) CPU("2")));
}

/* ---- groups that come up in the middle of a round ---------------------------------------------------------------- */

/* A pod whose volume is gone enters the topology with its second step: without Q-5 its groups know who was
 * placed, on nodes and on launches, and of them only those that they select. */
static void made_late(void **state)
{
    (void)state;
#define LATE(more, rules)                                                                                              \
    LEAVING("old", "")                                                                                                 \
    BOUND("m", "app: x", "old",                                                                                        \
          LOST_VOLUME "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " \
                      "[{matchExpressions: [{key: " ZONE                                                               \
                      ", operator: In, values: [nowhere]}]}, {matchExpressions: [{key: " ZONE                          \
                      ", operator: In, values: [z1, z2]}]}]}}" more "}, " rules CPU("1"))
#define SPREAD_LATE LATE("", SPREADS(SPREAD(ZONE, "1", OF("x"))))
    AS_KARPENTER("default z1: a m", WORLD, SPREAD_LATE POD("a", "app: x", "nodeSelector: {" ZONE ": z1}, " CPU("2")));
    WITHOUT(Q(5), "default z1: a | default z2: m", WORLD,
            SPREAD_LATE POD("a", "app: x", "nodeSelector: {" ZONE ": z1}, " CPU("2")));
    WITHOUT(Q(5), "default z1: a m", WORLD, SPREAD_LATE POD("a", "app: w", "nodeSelector: {" ZONE ": z1}, " CPU("2")));
    WITHOUT(Q(5), "default z2: m | n1 <- a", WORLD,
            NODE("n1", ZONE ": z1", "2", "") SPREAD_LATE POD("a", "app: x", CPU("2")));
    /* One that is placed nowhere does not count, nor does one that comes later. */
    WITHOUT(Q(5), "default z1: m | !a TYPE_RESOURCES", WORLD,
            SPREAD_LATE POD("a", "app: x", "nodeSelector: {" ZONE ": z1}, " CPU("99")));
    /* Anti-affinity in either direction, by zone. */
    WITHOUT(Q(5), "default z1: a | default z2: m", WORLD,
            LATE(", " APART(TERM(ZONE, OF("x"))), "") POD("a", "app: x", "nodeSelector: {" ZONE ": z1}, " CPU("2")));
}

/* Terms that are given twice are one. */
static void repeated_terms(void **state)
{
    (void)state;
#define THRICE WITH(APART(TERM(HOST, OF("x")) "," TERM(HOST, OF("x")) "," TERM(ZONE, OF("z")) "," TERM(HOST, OF("x"))))
    AS_KARPENTER("default z1,z2,z3: a | default z1,z2,z3: b", WORLD,
                 POD("a", "app: x", THRICE CPU("1")) POD("b", "app: x", THRICE CPU("1")));
    AS_KARPENTER("default z1: a b", WORLD,
                 POD("a", "app: x", WITH(NEAR(TERM(ZONE, OF("x")) "," TERM(ZONE, OF("x")))) CPU("1"))
                     POD("b", "app: x", WITH(NEAR(TERM(ZONE, OF("x")) "," TERM(ZONE, OF("x")))) CPU("1")));
}

/* Whose filter it is when demands on hosts are all that differs. */
static void filters_by_keys(void **state)
{
    (void)state;
#define HOSTED(name, host)                                                                                             \
    POD(name, "app: x", "nodeSelector: {" HOST ": " host "}, " SPREADS(SPREAD(ZONE, "1", OF("x"))) CPU("1"))
#define FILLED NODE("n1", ZONE ": z1", "4", "") NODE("n2", ZONE ": z2", "4", "") BOUND("r", "app: x", "n2", CPU("1"))
    /* b's constraint is a's, which counts on n1 alone and so does not see r; its own does, and z1 and z3 are empty. */
    WITHOUT(Q(26), "n1 <- a | n2 <- b", WORLD, FILLED HOSTED("a", "n1") HOSTED("b", "n2"));
    WITHOUT(Q(26) | Q(3), "n1 <- a | !b REQUIREMENTS", WORLD, FILLED HOSTED("a", "n1") HOSTED("b", "n2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_domains),
        cmocka_unit_test(domain_of_a_pod),
        cmocka_unit_test(start_of_a_group),
        cmocka_unit_test(barred_by_those_that_run),
        cmocka_unit_test(nameless_domain),
        cmocka_unit_test(names_of_keys),
        cmocka_unit_test(unknown_to_one),
        cmocka_unit_test(best_of_all),
        cmocka_unit_test(beside_on_named_hosts),
        cmocka_unit_test(filters_on_hosts),
        cmocka_unit_test(made_late),
        cmocka_unit_test(repeated_terms),
        cmocka_unit_test(filters_by_keys),
    };
    return cmocka_run_group_tests_name("topology_rules", tests, NULL, NULL);
}
