# SPDX-License-Identifier: Apache-2.0
# Writes n pods of 500 Deployments without white space: "list" as kubectl lists them, "snapshot" as a Snapshot of karp.
#
#     awk -v n=5000 -v form=list -f pods.awk

BEGIN {
    snapshot = "{\"apiVersion\":\"karp/v1\",\"kind\":\"Snapshot\",\"now\":\"2026-03-01T10:00:00Z\",\"catalogues\":[],\"objects\":["
    printf "%s", form == "list" ? "{\"apiVersion\":\"v1\",\"items\":[" : snapshot
    for (i = 0; i < n; i++) {
        w = i % 500
        app = "app-" w
        set = sprintf("%s-%06d", app, w * 7919 % 1000000)
        printf "%s{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{", i ? "," : ""
        printf "\"name\":\"%s-%05d\",\"namespace\":\"team-%d\",", set, i, w % 20
        printf "\"uid\":\"%08d-1111-4222-8333-%012d\",\"creationTimestamp\":\"2026-03-01T10:00:00Z\",", w, i
        printf "\"labels\":{\"app\":\"%s\",\"pod-template-hash\":\"%06d\"},", app, w * 7919 % 1000000
        printf "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"%s\",", set
        printf "\"uid\":\"%08d-1111-4222-8333-000000000000\",\"controller\":true}]},", w
        printf "\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"%s:1\",\"resources\":", app
        printf "{\"requests\":{\"cpu\":\"%dm\",\"memory\":\"%dMi\"}}}]", 100 * (1 + w % 8), 128 * (1 + w % 5)
        if (w % 3 == 0) printf ",\"tolerations\":[{\"key\":\"dedicated\",\"operator\":\"Exists\"}]"
        if (w % 7 == 0) printf ",\"nodeSelector\":{\"kubernetes.io/arch\":\"amd64\"}"
        selector = sprintf("\"labelSelector\":{\"matchLabels\":{\"app\":\"%s\"}}", app)
        if (w % 10 == 0) {
            printf ",\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"topology.kubernetes.io/zone\","
            printf "\"whenUnsatisfiable\":\"DoNotSchedule\",%s}]", selector
        }
        if (w % 25 == 0) {
            printf ",\"affinity\":{\"podAntiAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":"
            printf "[{\"weight\":1,\"podAffinityTerm\":{\"topologyKey\":\"kubernetes.io/hostname\",%s}}]}}", selector
        }
        printf "},\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\"}]}}"
    }
    printf "%s", form == "list" ? "],\"kind\":\"List\"}" : "]}"
}
