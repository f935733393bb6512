/* SPDX-License-Identifier: Apache-2.0 */
#include "option_table.h"
#include <base/nearest.h>

#include <karp/admit.h>

#include <stdio.h>

#include <karp/peer.h>
#include <karp/provider.h>

/* Where an option's value goes. */
#define NO_NUMBER                                                                                                      \
    {                                                                                                                  \
        0, 0, 0, NULL                                                                                                  \
    }
#define LISTED(member) STORE_LIST, offsetof(cli_options, member), NULL, NO_NUMBER
#define TEXT(member) STORE_TEXT, offsetof(cli_options, member), NULL, NO_NUMBER
#define FLAG(member) STORE_FLAG, offsetof(cli_options, member), NULL, NO_NUMBER
#define CALL(function) STORE_CALL, 0, function, NO_NUMBER
#define NUMBER(store, member, least, most, message)                                                                    \
    store, offsetof(cli_options, member), NULL, { least, most, sizeof(((cli_options *)NULL)->member), message }
#define VALUE(member, value) NUMBER(STORE_VALUE, member, value, value, NULL)
#define WORD(member, list) NUMBER(STORE_WORD, member, list, list, NULL)
#define COUNT(member, least, most, message) NUMBER(STORE_COUNT, member, least, most, message)
#define DOLLARS(member) NUMBER(STORE_DECIMAL, member, 0, 1000000000000, "dollars an hour, at least 0")

/* Stand in texts for the profiles of Karpenter's versions, the methods of a disruption pass, and built-in providers. */
#define VERSIONS "{versions}"
#define METHODS "{methods}"
#define PROVIDERS "{providers}"

static const option_row rows[] = {
    { 'f', "file", "FILE", CLI_OPTION_INPUT, LISTED(files), "read a file, a directory, or - (repeatable); -f FILE" },
    { 0, "replace", "FILE", CLI_OPTION_INPUT | CLI_OPTION_REPLAY, LISTED(replaced),
      "replace objects read before, or add new ones, as kubectl apply would (repeatable)" },
    { 0, "delete", "KIND/NAME", CLI_OPTION_INPUT, LISTED(deleted),
      "leave out an object and what it owns; or KIND/NAMESPACE/NAME (repeatable)" },
    { 0, "scale", "WORKLOAD=N", CLI_OPTION_INPUT, LISTED(scaled),
      "set the replicas of NAME, NAMESPACE/NAME or KIND/NAMESPACE/NAME to N (repeatable)" },
    { 0, "pods-from", "RULE", CLI_OPTION_INPUT | CLI_OPTION_REPLAY | CLI_OPTION_GATES, LISTED(pods_from),
      "a kind that creates pods: Kind.group=/spec/template[,/spec/replicas] (repeatable)" },
    { 0, "ignore-kinds", "KIND.GROUP,...", CLI_OPTION_INPUT | CLI_OPTION_REPLAY | CLI_OPTION_GATES, TEXT(ignored_kinds),
      "kinds that karp does not know and that create no pods; *.GROUP: all kinds of a group" },
    { 0, "hooks", "PHASE", CLI_OPTION_INPUT, TEXT(hooks),
      "plan only Helm's hooks of this phase, such as pre-install; default: no hooks" },
    { 0, "replicas-from", "WORD", CLI_OPTION_INPUT, WORD(replicas_from, WORDS_REPLICAS_FROM),
      "replicas of workloads with an autoscaler: spec, hpa-min or hpa-max; default: spec, within its bounds" },
    { 0, "requests", "WORD", CLI_OPTION_INPUT | CLI_OPTION_REPLAY, WORD(requests.recommended, WORDS_REQUESTS),
      "what containers request: given (default), or what is recommended by VerticalPodAutoscalers and --usage" },
    { 0, "usage", "[RESOURCE=]FILE", CLI_OPTION_INPUT | CLI_OPTION_REPLAY, LISTED(requests.usage),
      "what containers use: CSV, kubectl top, Prometheus (cpu=FILE, memory=FILE), KRR, Goldilocks (repeatable)" },
    { 0, "cpu", "RULE", CLI_OPTION_INPUT | CLI_OPTION_REPLAY, TEXT(requests.cpu),
      "the cpu request: p95 (default), max, mean, target, lower, upper or keep, then +15%,min=10m,max=4" },
    { 0, "memory", "RULE", CLI_OPTION_INPUT | CLI_OPTION_REPLAY, TEXT(requests.memory),
      "the same of memory; default: max+15% of what is used, else the target" },
    { 0, "limits", "WORD", CLI_OPTION_INPUT | CLI_OPTION_REPLAY, WORD(requests.limits, WORDS_LIMITS),
      "limits of containers whose requests change: ratio (default) or keep" },
    { 0, "feature-gates", "NAME=BOOL,...", CLI_OPTION_INPUT | CLI_OPTION_REPLAY | CLI_OPTION_GATES, TEXT(feature_gates),
      "Karpenter's feature gates, such as NodeOverlay=true" },
    { 0, "ignore-dra-requests", "BOOL", CLI_OPTION_INPUT, WORD(dra_requests, WORDS_DRA),
      "whether ResourceClaims of pods are left out, as Karpenter's IGNORE_DRA_REQUESTS: true (default) or false" },
    { 0, "legacy-node-repair", NULL, CLI_OPTION_INPUT, FLAG(legacy_node_repair),
      "nodes are repaired by the controller before Karpenter 1.15, as with LEGACY_NODE_REPAIR" },
    { 0, "preferences", "WORD", CLI_OPTION_INPUT | CLI_OPTION_REPLAY | CLI_OPTION_GATES, CALL(set_preferences),
      "whether preferences of pods count, as Karpenter's PREFERENCE_POLICY: respect (default) or ignore" },
    { 0, "prices", "FILE", CLI_OPTION_INPUT, LISTED(prices),
      "prices as you pay them: discounts, fees, volumes, commitments (repeatable)" },
    { 'f', "file", "FILE", CLI_OPTION_TYPES, LISTED(files), "list the types of this node class; -f FILE" },
    { 0, "context", "NAME", CLI_OPTION_CLUSTER, TEXT(kubectl[KUBECTL_CONTEXT]), "the kubectl context to use" },
    { 0, "kubeconfig", "FILE", CLI_OPTION_CLUSTER, TEXT(kubectl[KUBECTL_KUBECONFIG]),
      "passed to kubectl, as are the next four" },
    { 0, "cluster", "NAME", CLI_OPTION_CLUSTER, TEXT(kubectl[KUBECTL_CLUSTER]), "the cluster in the kubeconfig" },
    { 0, "user", "NAME", CLI_OPTION_CLUSTER, TEXT(kubectl[KUBECTL_USER]), "the user in the kubeconfig" },
    { 0, "as", "NAME", CLI_OPTION_CLUSTER, TEXT(kubectl[KUBECTL_AS]), "the user to act as" },
    { 0, "request-timeout", "TIME", CLI_OPTION_CLUSTER, TEXT(kubectl[KUBECTL_REQUEST_TIMEOUT]),
      "how long a request may take; default 60s" },
    { 'n', "namespace", "NAME", CLI_OPTION_NAMESPACE, TEXT(pod_namespace),
      "namespace of a pod whose name has none; default: default; -n NAME" },
    { 0, "reserved-enis", "N", CLI_OPTION_TYPES, COUNT(reserved_enis, 0, INT32_MAX, "not a number of interfaces"),
      "network interfaces reserved, not for pods; default 0" },
    { 0, "vm-memory-overhead", "P", CLI_OPTION_TYPES, CALL(set_overhead),
      "share of memory that the hypervisor takes; default 0.075" },
    { 0, "all-types", NULL, CLI_OPTION_TYPES, FLAG(all_types), "also types that the region does not offer" },
    { 0, "export-facts", NULL, CLI_OPTION_TYPES, FLAG(export_facts),
      "write the underlying facts, as a file for --facts" },
    { 0, "from-nodes", NULL, CLI_OPTION_TYPES, FLAG(from_nodes),
      "make a first catalogue of the nodes in the files of -f, for a cloud that is not built in" },
    { 0, "prices", "FILE", CLI_OPTION_TYPES, LISTED(prices), "with --from-nodes: what they cost (repeatable)" },
    { 0, "now", "TIME", CLI_OPTION_INPUT, CALL(set_now),
      "the current time (RFC 3339), or +8h: that long after the input's own time, the default" },
    { 'R', "recursive", NULL, CLI_OPTION_INPUT, FLAG(recursive), "read subdirectories, too; -R" },
    { 0, "strict", NULL, CLI_OPTION_INPUT, FLAG(strict), "do not add defaults" },
    { 0, "strict-storage", NULL, CLI_OPTION_INPUT, FLAG(strict_storage),
      "do not assume StorageClasses and claims that the input lacks" },
    { 0, "skip-unknown", NULL, CLI_OPTION_INPUT, FLAG(skip_unknown),
      "leave out files that are no Kubernetes objects, and objects with wrong values, and list them" },
    { 0, "lenient", NULL, CLI_OPTION_INPUT, FLAG(lenient), "plan workloads that the API server would refuse" },
    { 0, "catalogue", "FILE", CLI_OPTION_CATALOGUE, LISTED(catalogues), "instance types from a file (repeatable)" },
    { 0, "provider", "NAME", CLI_OPTION_CATALOGUE | CLI_OPTION_FACTS, TEXT(provider),
      "use the types of " PROVIDERS ", or of a plugin: its .so file" },
    { 0, "region", "NAME", CLI_OPTION_CATALOGUE | CLI_OPTION_FACTS, TEXT(region),
      "region of types and prices; karp --version lists those that are built in" },
    { 0, "facts", "[KIND=]FILE", CLI_OPTION_CATALOGUE | CLI_OPTION_FACTS, LISTED(facts),
      "override built-in instance data, all of it or one kind (repeatable)" },
    { 0, "set", "NAME=VALUE", CLI_OPTION_CATALOGUE | CLI_OPTION_FACTS, LISTED(settings),
      "a setting of the provider (repeatable)" },
    { 0, "profile", "NAME", CLI_OPTION_DECISION | CLI_OPTION_REPACK, CALL(set_profile),
      "karpenter (exactly its decisions), " VERSIONS ", or karp (known defects off)" },
    { 0, "preview", "NAME", CLI_OPTION_DECISION | CLI_OPTION_REPLAY, CALL(set_preview),
      "decide as if a proposal were part of Karpenter: split-claims, most-allocated, least-allocated, drift-backoff, "
      "price-expression, one-shot-buffers or vpa-prediction (repeatable)" },
    { 0, "claim-order", "NAME", CLI_OPTION_DECISION, WORD(claim_order, WORDS_CLAIM_ORDER),
      "how nodes to launch with equally many pods are tried: peer (as Karpenter, default) or stable (default of "
      "karp)" },
    { 0, "explain", "LEVEL", CLI_OPTION_DECISION, WORD(explain, WORDS_EXPLAIN),
      "how much to explain: none, summary or full" },
    { 0, "max-steps", "N", CLI_OPTION_DECISION, COUNT(max_steps, 0, UINT64_MAX, "not a number"),
      "stop after N attempts to place a pod" },
    { 0, "objective", "NAME", CLI_OPTION_OBJECTIVE, CALL(set_objective),
      "compatible (decide as Karpenter does; default) or cost (find the cheapest nodes)" },
    { 0, "effort", "N", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK, CALL(set_effort),
      "how long to search: a number of steps, or about 10ms, 100ms (default), 1s or 10s" },
    { 0, "node-cost", "X", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK, CALL(set_node_cost),
      "added to the price of every node, $/h; default 0" },
    { 0, "spot-factor", "X", CLI_OPTION_OBJECTIVE, CALL(set_spot_factor),
      "with --objective cost: multiply spot prices by X; default 1" },
    { 0, "price-slack", "X", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK, CALL(set_price_slack),
      "list types that cost up to this share more; default 0, for spot 0.15" },
    { 0, "ignore-weights", NULL, CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK, CALL(set_ignore_weights),
      "use a cheaper NodePool even if another has a higher weight" },
    { 0, "commitments", "FILE", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK, LISTED(prices),
      "savings plans and reserved instances, in a file of kind Prices (repeatable)" },
    { 0, "deadline", "TIME", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK, CALL(set_deadline),
      "answer with the best plan found within TIME, such as 500ms or 2s; runs may differ" },
    { 0, "certificate", "FILE", CLI_OPTION_CERTIFICATE, TEXT(certificate),
      "file of the proof of the lower bound: plan and repack write it, verify checks it" },
    { 0, "max-evictions", "N", CLI_OPTION_REPACK, CALL(set_max_evictions),
      "evict at most N pods, or P% of all; default: any number" },
    { 0, "max-steps", "N", CLI_OPTION_REPACK, COUNT(repack.max_steps, 0, UINT64_MAX, "not a number"),
      "plan at most N steps" },
    { 0, "min-saving", "X", CLI_OPTION_REPACK, DOLLARS(repack.min_saving),
      "each step must save at least this, $/h; default: anything" },
    { 0, "min-saving-per-eviction", "X", CLI_OPTION_REPACK, DOLLARS(repack.min_saving_per_eviction),
      "and at least this for each pod that it evicts, $/h" },
    { 0, "ignore-budgets", NULL, CLI_OPTION_VERIFY, VALUE(repack.ignore_budgets, 1),
      "steps may remove more nodes than budgets allow" },
    { 0, "ignore-budgets", NULL, CLI_OPTION_REPACK, VALUE(repack.ignore_budgets, 1),
      "steps may remove more nodes at once than budgets allow" },
    { 0, "ignore-consolidate-after", NULL, CLI_OPTION_REPACK, VALUE(repack.ignore_consolidate_after, 1),
      "include nodes for which consolidateAfter has not passed" },
    { 0, "disrupt", NULL, CLI_OPTION_DISRUPT, FLAG(disrupt), "also say which nodes would be removed" },
    { 0, "settle", NULL, CLI_OPTION_DISRUPT | CLI_OPTION_SIDES, FLAG(settle),
      "play all rounds, until nothing more is launched or consolidated" },
    { 0, "no-disrupt", NULL, CLI_OPTION_DISRUPT | CLI_OPTION_SIDES, FLAG(no_disrupt),
      "with --settle: without consolidation" },
    { 0, "first-round", NULL, CLI_OPTION_ROUNDS, FLAG(first_round),
      "cost of the first round alone, not of all rounds of launching" },
    { 0, "no-losses", NULL, CLI_OPTION_NODES, FLAG(no_losses),
      "do not find out what losing each node would cost, which takes a scheduling round for each" },
    { 'w', "watch", NULL, CLI_OPTION_WATCH, FLAG(watch),
      "read and print again every five seconds, until interrupted; -w" },
    { 0, "method", "NAME", CLI_OPTION_METHOD, CALL(set_method), "try only " METHODS ", or (profile karp) Repack" },
    { 0, "max-simulations", "N", CLI_OPTION_METHOD, COUNT(max_simulations, 0, UINT64_MAX, "not a number"),
      "stop after N simulations" },
    { 0, "memory-in", "FILE", CLI_OPTION_METHOD, TEXT(memory_in), "state of the previous pass" },
    { 0, "memory-out", "FILE", CLI_OPTION_METHOD, TEXT(memory_out), "write the state for the next pass" },
    { 0, "remove", "NODE,...", CLI_OPTION_CHANGES, LISTED(removed), "plan as if these nodes were gone (repeatable)" },
    { 0, "lose-zone", "ZONE,...", CLI_OPTION_CHANGES, LISTED(zones),
      "plan as if these zones were gone, with their nodes and offerings" },
    { 0, "unavailable", "TYPE[/ZONE[/CAPACITY]],...", CLI_OPTION_CHANGES | CLI_OPTION_UNAVAILABLE, LISTED(unavailable),
      "decide as if nothing could be launched of these types, such as m7i.large/us-west-2a/spot; * = any, */*/spot" },
    { 0, "price-factor", "TYPE=F,...", CLI_OPTION_CHANGES, LISTED(factors),
      "multiply prices of spot, on-demand or all by F" },
    { 0, "design", "FILE", CLI_OPTION_CHANGES, LISTED(designs),
      "compare the input with itself after --replace FILE (repeatable)" },
    { 0, "add", "FILE", CLI_OPTION_CHANGES, LISTED(files), "read this file as well, like -f" },
    { 0, "nodepools", "FILE", CLI_OPTION_REPLAY, LISTED(pools),
      "NodePools, node classes, DaemonSets, budgets that exist from the start (repeatable)" },
    { 0, "every", "TIME", CLI_OPTION_RECORD, TEXT(record[RECORD_EVERY]),
      "time between two lines; default 1s, and 10s with --poll" },
    { 0, "poll", NULL, CLI_OPTION_RECORD, FLAG(polls), "look at the cluster again and again instead of watching it" },
    { 0, "for", "TIME", CLI_OPTION_RECORD, TEXT(record[RECORD_FOR]), "end after this time; default: when interrupted" },
    { 0, "looks", "N", CLI_OPTION_RECORD, TEXT(record[RECORD_LOOKS]), "end after this many looks" },
    { 0, "rotate", "SIZE", CLI_OPTION_RECORD, TEXT(record[RECORD_ROTATE]),
      "begin a new FILE when it has grown beyond this, and keep the old one as FILE.1, FILE.2 …; default 64Mi" },
    { 0, "policy", "NAME,...", CLI_OPTION_REPLAY, LISTED(policies),
      "karpenter, " VERSIONS ", karp, cost, cost+repack; each is replayed (repeatable)" },
    { 0, "format", "NAME", CLI_OPTION_REPLAY, TEXT(replay[REPLAY_FORMAT]), "format of the traces; default: detected" },
    { 0, "until", "TIME", CLI_OPTION_REPLAY | CLI_OPTION_TUNE, TEXT(replay[REPLAY_UNTIL]),
      "end at this time (RFC 3339), or after a duration such as 36h" },
    { 0, "seed", "N", CLI_OPTION_REPLAY | CLI_OPTION_TUNE, TEXT(replay[REPLAY_SEED]),
      "seed of jitter and interruptions; default 0" },
    { 0, "step", "TIME", CLI_OPTION_REPLAY, TEXT(replay[REPLAY_STEP]),
      "time between points of the series; default: about 300 points" },
    { 0, "boot", "TIME", CLI_OPTION_REPLAY | CLI_OPTION_TUNE, TEXT(replay[REPLAY_BOOT]),
      "time from launch until a node is ready; default 45s" },
    { 0, "boot-jitter", "TIME", CLI_OPTION_REPLAY | CLI_OPTION_TUNE, TEXT(replay[REPLAY_BOOT_JITTER]),
      "random time added to --boot, at most; default 30s" },
    { 0, "initialization", "TIME", CLI_OPTION_REPLAY, TEXT(replay[REPLAY_INITIALIZATION]),
      "time from a node that takes pods until Karpenter has initialised it; default 0s, and 1s for kwok's nodes" },
    { 0, "disruption-interval", "TIME", CLI_OPTION_REPLAY | CLI_OPTION_TUNE, TEXT(replay[REPLAY_DISRUPTION_INTERVAL]),
      "time between disruption passes; default 10s, as in Karpenter" },
    { 0, "interruptions", "[TYPE=]RATE,...", CLI_OPTION_REPLAY | CLI_OPTION_TUNE, TEXT(replay[REPLAY_INTERRUPTIONS]),
      "interruptions of a running spot node per hour; default 0" },
    { 0, "interruption-rates", "FILE", CLI_OPTION_REPLAY | CLI_OPTION_TUNE, TEXT(replay[REPLAY_INTERRUPTION_RATES]),
      "the same as a CSV table: instance_type, zone, per_hour" },
    { 0, "commitment-offers", "FILE", CLI_OPTION_REPLAY, TEXT(replay[REPLAY_COMMITMENTS]),
      "savings plans and reserved instances that could be bought (CSV): which were best; -o yaml writes NodeOverlays" },
    { 0, "runs", "N", CLI_OPTION_REPLAY, TEXT(replay[REPLAY_RUNS]),
      "replay each policy N times, with as many seeds, and show how the figures spread; default 1" },
    { 0, "most-allocated", NULL, CLI_OPTION_REPLAY | CLI_OPTION_TUNE, FLAG(most_allocated),
      "the scheduler fills nodes up; for kube-scheduler, short for a --scheduler-config with the scoringStrategy "
      "MostAllocated" },
    { 0, "scheduler", "NAME", CLI_OPTION_REPLAY | CLI_OPTION_TUNE, TEXT(replay[REPLAY_SCHEDULER]),
      "what places pods: kube-scheduler (default), or simple, which only looks at resources, taints and node "
      "affinity" },
    { 0, "scheduler-version", "1.N", CLI_OPTION_REPLAY | CLI_OPTION_TUNE, TEXT(replay[REPLAY_SCHEDULER_VERSION]),
      "version of kube-scheduler, 1.34 to 1.37; default 1.36" },
    { 0, "scheduler-config", "FILE", CLI_OPTION_REPLAY | CLI_OPTION_TUNE, TEXT(replay[REPLAY_SCHEDULER_CONFIG]),
      "configuration of kube-scheduler: profiles, plugins and their weights" },
    { 0, "lenient", NULL, CLI_OPTION_REPLAY, FLAG(lenient), "skip and count contradictory entries of a trace" },
    { 0, "dump-at", "TIME", CLI_OPTION_REPLAY, TEXT(replay[REPLAY_DUMP_AT]),
      "write the cluster at that time (or after 36h) as a Snapshot instead" },
    { 0, "repack", "PLAN.json", CLI_OPTION_REPLAY, TEXT(replay[REPLAY_REPACK]),
      "carry out this RepackPlan on the cluster of --nodepools; needs no trace" },
    { 0, "as-planned", NULL, CLI_OPTION_REPLAY, FLAG(as_planned),
      "with --repack: bind moved pods to the nodes of the plan, not where kube-scheduler would" },
    { 0, "axis", "[POOL:]NAME=V,...", CLI_OPTION_TUNE, LISTED(axes),
      "what is varied, such as consolidateAfter=0s,5m or instance-family=c6a+m6a,any (repeatable)" },
    { 0, "restart-loss", "TIME", CLI_OPTION_TUNE, TEXT(replay[REPLAY_RESTART_LOSS]),
      "with --trace: how much of its work a pod loses that is evicted or killed; it is part of the cost then" },
    { 0, "cap", "NAME=N", CLI_OPTION_TUNE, LISTED(caps),
      "the most that the best design may have: removed, spot ($/h), spot-share; with --trace evictions, pending (s), "
      "interruptions, interruptions-per-hour" },
    { 0, "image-architectures", "FILE", CLI_OPTION_TUNE, TEXT(image_architectures),
      "what images are made for: a CSV of image, architectures; then arch is varied as far as they allow" },
    { 0, "load", "FACTOR,...", CLI_OPTION_TUNE, TEXT(loads),
      "settle each design with so many times the pods of each workload, as in 0.8,1,1.2; costs are the means" },
    { 0, "designs", "N", CLI_OPTION_TUNE, COUNT(most_designs, 1, 10000, "a number from 1 to 10000"),
      "try at most N designs; default 64" },
    { 0, "trace", "FILE", CLI_OPTION_TUNE, LISTED(traces),
      "replay this trace with each design, as karp replay does (repeatable); default: settle the input" },
    { 0, "threads", "N", CLI_OPTION_TUNE, COUNT(threads, 1, 64, "a number from 1 to 64"),
      "how many designs are tried at the same time; default: one for each processor" },
    { 0, "pick", "N", CLI_OPTION_TUNE, COUNT(pick, 1, 10000, "the number of a design"),
      "with -o yaml: the NodePools of design N, not of the cheapest" },
    { 0, "list", NULL, CLI_OPTION_BENCH, FLAG(list), "name the inputs that can be made" },
    { 0, "input", "NAME", CLI_OPTION_BENCH, LISTED(inputs), "measure this input, or this Snapshot file (repeatable)" },
    { 0, "json", NULL, CLI_OPTION_BENCH, VALUE(format, KARP_FORMAT_JSON), "write JSON" },
    { 0, "runs", "N", CLI_OPTION_BENCH, COUNT(runs, 1, 1000, "a number from 1 to 1000"),
      "number of runs; medians are reported; default 5" },
    { 'o', "output", "FORMAT", CLI_OPTION_OUTPUT, CALL(set_format), "output format, see below; -o FORMAT" },
    { 0, "compact", NULL, CLI_OPTION_OUTPUT, FLAG(compact), "JSON on one line" },
    { 0, "digest", NULL, CLI_OPTION_OUTPUT, FLAG(digest), "print the SHA-256 of the input in text output, too" },
    { 0, "color", "WHEN", CLI_OPTION_OUTPUT, CALL(set_color), "auto, always or never; NO_COLOR is respected" },
    { 0, "width", "N", CLI_OPTION_OUTPUT, COUNT(width, 40, 1000, "a number from 40 to 1000"),
      "columns of text; default: COLUMNS, the terminal's, or 100" },
    { 0, "detailed-exitcode", NULL, CLI_OPTION_EXIT, FLAG(detailed_exitcode),
      "exit 2 if there is something to do: nodes would be launched or removed, inputs differ (diff), a design is "
      "better "
      "(tune), or decisions are not explained (twin)" },
    { 0, "fail-on", "WHAT,...", CLI_OPTION_FAIL_ON, CALL(set_fail_on),
      "exit 3: unschedulable (pods are left), notes (there are some), cost=+10%, cost=+$50 or cost=$500 a month; of a "
      "replay or a story, on average" },
    { 0, "format", "FORMAT", CLI_OPTION_LINT, CALL(set_format), "the same as -o" },
    { 0, "fail-on", "SEVERITY", CLI_OPTION_LINT, CALL(set_severity),
      "exit 3 on findings this severe: info, warning, error" },
    { 0, "fail-on", "ANSWER", CLI_OPTION_ADMIT, WORD(admit_fails, WORDS_ADMIT),
      "exit 3 if a workload needs a launch or never starts (launch), or never starts (never)" },
    { 0, "flavours", "WHAT,...", CLI_OPTION_ADMIT, CALL(set_flavours),
      "also each workload on each nodepool, zone, capacity-type, reservation or resource-flavor alone; all or none; "
      "default: all for up to ten workloads" },
    { 0, "changes", "N", CLI_OPTION_ADMIT, COUNT(changes, 0, UINT32_MAX, "not a number"),
      "find the smallest change for the first N workloads that never start; default 3" },
    { 0, "boot", "TIME", CLI_OPTION_ADMIT, CALL(set_boot), "time from launch until a node is ready; default 60s" },
    { 0, "baseline", "PLAN.json", CLI_OPTION_FAIL_ON, TEXT(baseline),
      "the plan that cost=+ compares with; default: the cost today" },
    { 'q', "quiet", NULL, CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_REPLAY, CALL(set_quiet),
      "no notes and no progress on standard error; -q" },
    { 'v', "verbose", NULL, CLI_OPTION_INPUT, FLAG(verbose), "report on standard error what was read; -v" },
    { 0, "max-memory", "SIZE", 0, CALL(set_max_memory),
      "use at most this much memory, such as 4Gi; default: three quarters of the machine's" },
    { 'h', "help", NULL, 0, CALL(set_help), "this text" },
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };
_Static_assert((size_t)ROW_COUNT < (size_t)OPTION_ROOM, "getopt needs an empty row at the end");

bool option_is_of(const cli_verb *verb, const option_row *row)
{
    return row->group == 0 || (verb->options & row->group) != 0;
}

/* ---- for the parser ---------------------------------------------------------------------------------------------- */

/* The first row of that name. */
static const option_row *first_row(const char *name)
{
    const option_row *row = rows;
    while (strcmp(row->name, name) != 0) row++;
    return row;
}

const option_row *option_row_of(const cli_verb *verb, int key)
{
    const option_row *found = &rows[0];
    if (key >= OPTION_FIRST) found = &rows[key - OPTION_FIRST];
    while (key < OPTION_FIRST && found->letter != key) found++;
    for (const option_row *row = found; row < rows + ROW_COUNT; row++) {
        if (strcmp(row->name, found->name) == 0 && option_is_of(verb, row)) found = row;
    }
    return found;
}

void fill_getopt_table(struct option table[OPTION_ROOM])
{
    memset(table, 0, OPTION_ROOM * sizeof(table[0]));
    for (size_t i = 0; i < ROW_COUNT; i++) {
        table[i].name = rows[i].name;
        table[i].has_arg = rows[i].argument != NULL ? required_argument : no_argument;
        const option_row *first = first_row(rows[i].name); /* rows of one name have one value: it may be shortened */
        table[i].val = first->letter ? first->letter : OPTION_FIRST + (int)(first - rows);
    }
}

static const char *version_at(size_t i) { return karp_profile_at(i + 2) == NULL ? NULL : karp_profile_at(i + 1); }

/* Of the methods of a disruption pass. */
static const char *method_at(size_t i)
{
    uint32_t method = 0;
    do {
        if (karp_method_name(++method)[0] == '\0') return NULL;
    } while ((karp_method_flags(method) & KARP_METHOD_FLAG_PASS) == 0 || i-- > 0);
    return karp_method_name(method);
}

static const char *provider_at(size_t i) { return karp_provider_registry_name(NULL, i).ptr; }

/* The row's text, in `room` if it has a list of names. */
static const char *text_of(const option_row *row, char room[OPTION_TEXT])
{
    static const struct {
        const char *mark, *(*at)(size_t i);
    } named[] = { { VERSIONS, version_at }, { METHODS, method_at }, { PROVIDERS, provider_at } };
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        const char *mark = strstr(row->text, named[k].mark), *name;
        if (mark == NULL) continue;
        (void)snprintf(room, OPTION_TEXT, "%.*s", (int)(mark - row->text), row->text);
        for (size_t i = 0; (name = named[k].at(i)) != NULL; i++)
            str_append(room, OPTION_TEXT, "%s%s", i > 0 ? ", " : "", name);
        str_append(room, OPTION_TEXT, "%s", mark + strlen(named[k].mark));
        return room;
    }
    return row->text;
}

bool option_of(const cli_verb *verb, size_t *next, cli_option_shown *out)
{
    while (*next < ROW_COUNT) {
        const option_row *row = &rows[(*next)++];
        if (option_is_of(verb, row)) {
            out->name = row->name;
            out->argument = row->argument;
            out->text = text_of(row, out->room);
            return true;
        }
    }
    return false;
}

/* ---- formats and help -------------------------------------------------------------------------------------------- */

static const char *const format_names[] = {
    [KARP_FORMAT_JSON] = "json",         [KARP_FORMAT_TEXT] = "text",   [KARP_FORMAT_YAML] = "yaml",
    [KARP_FORMAT_JSON_LOG] = "json-log", [KARP_FORMAT_HTML] = "html",   [KARP_FORMAT_CSV] = "csv",
    [KARP_FORMAT_MARKDOWN] = "markdown", [KARP_FORMAT_SARIF] = "sarif", [KARP_FORMAT_PROMETHEUS] = "prometheus",
    [KARP_FORMAT_PATCH] = "patch",
};

enum { FORMAT_COUNT = sizeof(format_names) / sizeof(format_names[0]) };

/* The command's next format for -o; NULL = there are no more. */
static const char *format_of(const cli_verb *verb, uint32_t *next)
{
    while (*next <= FORMAT_COUNT) {
        uint32_t i = (*next)++;
        bool wide = i == FORMAT_COUNT; /* wide text */
        if (verb->formats & 1u << (wide ? (uint32_t)KARP_FORMAT_TEXT : i)) return wide ? "wide" : format_names[i];
    }
    return NULL;
}

bool parse_format(const cli_verb *verb, const char *text, uint32_t *format)
{
    for (uint32_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(text, format_names[i]) == 0 && (verb->formats & (1u << i)) != 0) {
            *format = i;
            return true;
        }
    }
    return false;
}

void name_formats(const cli_verb *verb, char *text, size_t room)
{
    const char *name;
    text[0] = '\0';
    for (uint32_t i = 0; (name = format_of(verb, &i)) != NULL;)
        str_append(text, room, "%s%s%s", *text ? ", " : "", name, i - 1 == verb->default_format ? " (default)" : "");
}

enum { HELP_COLUMN = 28 };

static void print_option(const cli_option_shown *row)
{
    int used = printf("  --%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
    if (used + 2 > HELP_COLUMN) {
        fputs("\n", stdout);
        used = 0;
    }
    printf("%*s", HELP_COLUMN - used, "");
    print_words(stdout, row->text, HELP_COLUMN, HELP_COLUMN);
}

void print_verb_help(const cli_verb *verb)
{
    char text[FORMATS_TEXT * 2];
    (void)snprintf(text, sizeof(text), "Usage: %s %s%s%s [options]", verb->program, verb->name,
                   verb->arguments[0] ? " " : "", verb->arguments);
    print_words(stdout, text, 0, 0);
    putchar('\n');
    print_words(stdout, verb->details, 0, 0);
    fputs("\nOptions:\n", stdout);
    cli_option_shown shown;
    for (size_t i = 0; option_of(verb, &i, &shown);) print_option(&shown);
    if (verb->options & CLI_OPTION_OUTPUT) {
        char formats[FORMATS_TEXT];
        name_formats(verb, formats, sizeof(formats));
        (void)snprintf(text, sizeof(text), "Formats: %s", formats);
        putchar('\n');
        print_words(stdout, text, 0, 0);
    }
    (void)snprintf(
        text, sizeof(text), "Exit status: 0 success, 1 an error%s%s.",
        verb->options & CLI_OPTION_EXIT ? ", 2 changes (--detailed-exitcode)" : "",
        verb->options & (CLI_OPTION_FAIL_ON | CLI_OPTION_LINT | CLI_OPTION_ADMIT) ? ", 3 what --fail-on names" : "");
    putchar('\n');
    print_words(stdout, text, 0, 0);
}

/* ---- the words that options accept ------------------------------------------------------------------------------- */

typedef struct option_word {
    const char *text; /* NULL = the end of the list */
    uint64_t value;
} option_word;

typedef struct option_words {
    const char *option;
    uint32_t group; /* CLI_OPTION_* of the option's row: a name may have two meanings */
    const option_word *words;
} option_words;

#define LIST(...)                                                                                                      \
    (const option_word[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__, { NULL, 0 }                                                                                       \
    }

static const option_words lists[] = {
    [WORDS_ADMIT] = { "fail-on", CLI_OPTION_ADMIT,
                      LIST({ "launch", KARP_ADMIT_LAUNCH }, { "never", KARP_ADMIT_NEVER }) },
    [WORDS_CLAIM_ORDER] = { "claim-order", CLI_OPTION_DECISION,
                            LIST({ "peer", KARP_CLAIM_ORDER_PEER }, { "stable", KARP_CLAIM_ORDER_STABLE }) },
    [WORDS_COLOR] = { "color", CLI_OPTION_OUTPUT,
                      LIST({ "auto", COLOR_AUTO }, { "always", COLOR_ALWAYS }, { "never", COLOR_NEVER }) },
    [WORDS_EFFORT] = { "effort", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK,
                       LIST({ "10ms", KARP_EFFORT_10MS }, { "100ms", KARP_EFFORT_100MS }, { "1s", KARP_EFFORT_1S },
                            { "10s", UINT64_C(10) * KARP_EFFORT_1S }) },
    [WORDS_EXPLAIN] = { "explain", CLI_OPTION_DECISION,
                        LIST({ "none", KARP_EXPLAIN_NONE }, { "summary", KARP_EXPLAIN_SUMMARY },
                             { "full", KARP_EXPLAIN_FULL }) },
    [WORDS_FAIL_ON] = { "fail-on", CLI_OPTION_FAIL_ON,
                        LIST({ "unschedulable", FAIL_ON_UNSCHEDULABLE }, { "notes", FAIL_ON_NOTES },
                             { "cost=+10%", FAIL_ON_COST }) },
    [WORDS_OBJECTIVE] = { "objective", CLI_OPTION_OBJECTIVE,
                          LIST({ "compatible", KARP_OBJECTIVE_COMPATIBLE }, { "cost", KARP_OBJECTIVE_COST }) },
    [WORDS_PREFERENCES] = { "preferences", CLI_OPTION_INPUT,
                            LIST({ "respect", 0 }, { "ignore", KARP_COST_IGNORE_PREFERENCES }) },
    [WORDS_REPLICAS_FROM] = { "replicas-from", CLI_OPTION_INPUT,
                              LIST({ "spec", KARP_REPLICAS_SPEC }, { "hpa-min", KARP_REPLICAS_LEAST },
                                   { "hpa-max", KARP_REPLICAS_MOST }) },
    [WORDS_DRA] = { "ignore-dra-requests", CLI_OPTION_INPUT,
                    LIST({ "true", KARP_READ_DRA_IGNORE }, { "false", KARP_READ_DRA_PLAN }) },
    [WORDS_REQUESTS] = { "requests", CLI_OPTION_INPUT | CLI_OPTION_REPLAY, LIST({ "given", 0 }, { "recommended", 1 }) },
    [WORDS_LIMITS] = { "limits", CLI_OPTION_INPUT | CLI_OPTION_REPLAY,
                       LIST({ "ratio", KARP_LIMITS_RATIO }, { "keep", KARP_LIMITS_KEEP }) },
    [WORDS_SEVERITY] = { "fail-on", CLI_OPTION_LINT,
                         LIST({ "info", KARP_LINT_INFO }, { "warning", KARP_LINT_WARNING },
                              { "error", KARP_LINT_ERROR }) },
    /* The library parses these. */
    { "preview", CLI_OPTION_DECISION | CLI_OPTION_REPLAY,
      LIST({ "split-claims", 0 }, { "most-allocated", 0 }, { "least-allocated", 0 }, { "drift-backoff", 0 },
           { "price-expression", 0 }, { "one-shot-buffers", 0 }, { "vpa-prediction", 0 }) },
    { "policy", CLI_OPTION_REPLAY, LIST({ "cost", 0 }, { "cost+repack", 0 }) },
    { "flavours", CLI_OPTION_ADMIT,
      LIST({ "nodepool", 0 }, { "zone", 0 }, { "capacity-type", 0 }, { "reservation", 0 }, { "resource-flavor", 0 },
           { "all", 0 }, { "none", 0 }) },
    { "format", CLI_OPTION_REPLAY,
      LIST({ "csv", 0 }, { "openb", 0 }, { "azure-packing", 0 }, { "simkube", 0 }, { "kubereplay", 0 }, { "dumps", 0 },
           { "story", 0 }, { "load", 0 }) },
    { "feature-gates", CLI_OPTION_INPUT | CLI_OPTION_REPLAY | CLI_OPTION_GATES,
      LIST({ "ReservedCapacity=true", 0 }, { "SpotToSpotConsolidation=true", 0 }, { "NodeRepair=true", 0 },
           { "NodeOverlay=true", 0 }, { "StaticCapacity=true", 0 }, { "CapacityBuffer=true", 0 },
           { "TerminateFirstDrift=true", 0 }, { "TerminateFirstRepair=true", 0 },
           { "PodDeletionCostManagement=true", 0 }, { "NodeClassCEL=true", 0 }, { "DRANVIDIAGPU=true", 0 },
           { "DRAEFA=true", 0 }, { "RebootForRepair=true", 0 }) },
};

bool parse_word(size_t list, const char *text, uint64_t *value)
{
    for (const option_word *word = lists[list].words; word->text != NULL; word++) {
        if (strcmp(text, word->text) == 0) {
            *value = word->value;
            return true;
        }
    }
    return false;
}

int read_word(const cli_verb *verb, size_t list, const char *text, uint64_t *value)
{
    char option[32], message[200] = "";
    nearest meant = nearest_to(str(text));
    if (parse_word(list, text, value)) return -1;
    for (const option_word *word = lists[list].words; word->text != NULL; word++) {
        nearest_offer(&meant, str(word->text));
        const char *between = word == lists[list].words ? "" : word[1].text == NULL ? " or " : ", ";
        str_append(message, sizeof message, "%s%s", between, word->text);
    }
    if (meant.best.ptr != NULL) str_append(message, sizeof message, "; did you mean %s?", meant.best.ptr);
    (void)snprintf(option, sizeof option, "--%s", lists[list].option);
    return wrong_option(verb, option, message);
}

bool print_option_words(const cli_options *options, const cli_verb *verb, const char *option)
{
    bool formats = strcmp(option, "output") == 0 || (strcmp(option, "format") == 0 && strcmp(verb->name, "lint") == 0);
    const char *format;
    for (uint32_t i = 0; formats && (format = format_of(verb, &i)) != NULL;) printf(" %s", format);
    if (strcmp(option, "region") == 0 && !facts_print_regions(options)) return false;
    for (uint32_t i = 1; strcmp(option, "method") == 0 && karp_method_name(i)[0] != '\0'; i++) {
        if (is_asked(i)) printf(" %s", karp_method_name(i));
    }
    bool profiles = strcmp(option, "profile") == 0 || strcmp(option, "policy") == 0;
    for (size_t i = 0; strcmp(option, "provider") == 0 && provider_at(i) != NULL; i++) printf(" %s", provider_at(i));
    for (size_t i = 0; profiles && karp_profile_at(i) != NULL; i++) printf(" %s", karp_profile_at(i));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(option, lists[i].option) != 0 || (verb->options & lists[i].group) == 0) continue;
        for (const option_word *word = lists[i].words; word->text != NULL; word++) printf(" %s", word->text);
    }
    return true;
}
