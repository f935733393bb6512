/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/gcp/types.h>

#include <base/bisect.h>

/* ---- disks ------------------------------------------------------------------------------------------------------- */

#define DISK "disk-type.gke.io/"

enum { DISK_KINDS = 9 };

static const karp_str disk_keys[DISK_KINDS] = {
    TEXT(DISK "hyperdisk-balanced"),   TEXT(DISK "hyperdisk-balanced-high-availability"),
    TEXT(DISK "hyperdisk-extreme"),    TEXT(DISK "hyperdisk-ml"),
    TEXT(DISK "hyperdisk-throughput"), TEXT(DISK "pd-balanced"),
    TEXT(DISK "pd-extreme"),           TEXT(DISK "pd-ssd"),
    TEXT(DISK "pd-standard"),
};

/* Hyperdisks: balanced, highly available, extreme, ML, throughput. Persistent disks: balanced, extreme, SSD,
 * standard. */
enum { HB = 1, HA = 2, HX = 4, HM = 8, HT = 16, PB = 32, PX = 64, PS = 128, PD = 256 };

static const struct {
    char family[8];
    uint16_t kinds;
} disks[] = {
    { "a2", HB | HM | PB | PX | PS | PD },
    { "a3", HB | HA | HX | HM | HT | PB | PS },
    { "a4", HB | HX | HM },
    { "a4x", HB | HA | HX | HM | HT },
    { "c2", PB | PX | PS | PD },
    { "c2d", PB | PX | PS | PD },
    { "c3", HB | HA | HX | HM | HT | PB | PX | PS },
    { "c3d", HB | HA | HX | HM | HT | PB | PS },
    { "c4", HB | HA | HX | HT },
    { "c4a", HB | HA | HX | HM | HT | PB | PS },
    { "c4d", HB | HA | HX | HT },
    { "ct3", PB | PS | PD },
    { "ct3p", PB | PS | PD },
    { "ct4p", HB | PB | PX | PS | PD },
    { "ct5l", HB | PB | PS },
    { "ct5lp", HB | HM | PB | PS },
    { "ct5p", HB | HM | PB | PS },
    { "ct6e", HB | HM },
    { "e2", PB | PX | PS | PD },
    { "g2", HM | HT | PB | PS | PD },
    { "g4", HB | HA | HX | HM | HT },
    { "h3", HB | HT | PB },
    { "h4d", HB | HA },
    { "m1", HB | HX | PB | PX | PS | PD },
    { "m2", HB | HX | PB | PX | PS | PD },
    { "m3", HB | HA | HX | HT | PB | PX | PS | PD },
    { "m4", HB | HX },
    { "n1", PB | PX | PS | PD },
    { "n2", HB | HX | HT | PB | PX | PS | PD },
    { "n2d", HT | PB | PX | PS | PD },
    { "n4", HB | HA | HT | PB | PS },
    { "n4a", HB | HA | HM | HT },
    { "n4d", HB | HA | HT },
    { "t2a", PB | PX | PS | PD },
    { "t2d", HT | PB | PS | PD },
    { "tpu7x", HB | HX | HM | HT },
    { "x4", HB | HX },
    { "z3", HB | HA | HX | HT | PB | PS },
};

static karp_str family_of(karp_str name) { return str_until(&name, '-'); }

/* A bit for each disk kind that the type's family supports. */
static uint32_t disk_kinds(karp_str name)
{
    karp_str family = family_of(name);
    size_t count = sizeof disks / sizeof *disks;
    bisection b = bisect(count);
    while (bisecting(&b)) bisect_step(&b, compare_str(str(disks[b.at].family), family) < 0);
    return b.at < count && str_is(family, disks[b.at].family) ? disks[b.at].kinds : 0;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static const karp_str key_cpu = TEXT(GCP_GROUP "instance-cpu"), key_memory = TEXT(GCP_GROUP "instance-memory"),
                      key_family = TEXT(GCP_GROUP "instance-family"), key_shape = TEXT(GCP_GROUP "instance-shape"),
                      key_size = TEXT(GCP_GROUP "instance-size"),
                      key_generation = TEXT(GCP_GROUP "instance-generation"),
                      key_gpu_name = TEXT(GCP_GROUP "instance-gpu-name"),
                      key_gpu_count = TEXT(GCP_GROUP "instance-gpu-count"),
                      key_gpu_maker = TEXT(GCP_GROUP "instance-gpu-manufacturer"),
                      key_gpu_memory = TEXT(GCP_GROUP "instance-gpu-memory"),
                      key_accelerator = TEXT("cloud.google.com/gke-accelerator"), key_type = TEXT(LABEL_TYPE),
                      key_arch = TEXT(LABEL_ARCH), key_os = TEXT(LABEL_OS), key_region = TEXT(LABEL_REGION),
                      key_build = TEXT("node.kubernetes.io/windows-build");

static const karp_str well_known[] = {
    TEXT("addon.gke.io/node-local-dns-ds-ready"),
    TEXT("cloud.google.com/gke-accelerator"),
    TEXT("cloud.google.com/gke-cpu-scaling-level"),
    TEXT("cloud.google.com/gke-netd-ready"),
    TEXT(DISK "hyperdisk-balanced"),
    TEXT(DISK "hyperdisk-balanced-high-availability"),
    TEXT(DISK "hyperdisk-extreme"),
    TEXT(DISK "hyperdisk-ml"),
    TEXT(DISK "hyperdisk-throughput"),
    TEXT(DISK "pd-balanced"),
    TEXT(DISK "pd-extreme"),
    TEXT(DISK "pd-ssd"),
    TEXT(DISK "pd-standard"),
    TEXT("iam.gke.io/gke-metadata-server-enabled"),
    TEXT(GCP_GROUP "instance-cpu"),
    TEXT(GCP_GROUP "instance-family"),
    TEXT(GCP_GROUP "instance-generation"),
    TEXT(GCP_GROUP "instance-gpu-count"),
    TEXT(GCP_GROUP "instance-gpu-manufacturer"),
    TEXT(GCP_GROUP "instance-gpu-memory"),
    TEXT(GCP_GROUP "instance-gpu-name"),
    TEXT(GCP_GROUP "instance-memory"),
    TEXT(GCP_GROUP "instance-shape"),
    TEXT(GCP_GROUP "instance-size"),
    TEXT("node.kubernetes.io/masq-agent-ds-ready"),
    TEXT("projectcalico.org/ds-ready"),
    TEXT("topology.k8s.gcp/zone-id"),
};
static const karp_str restricted[] = { TEXT("karpenter.k8s.gcp") };
static const karp_str resources[] = { TEXT("nvidia.com/gpu") };

void gcp_label_tables(karp_provider_labels *into)
{
    into->well_known = well_known;
    into->well_known_count = sizeof well_known / sizeof *well_known;
    into->restricted_domains = restricted;
    into->restricted_domain_count = 1;
    into->resources = resources;
    into->resource_count = 1;
}

/* ---- a type's labels --------------------------------------------------------------------------------------------- */

static const karp_str word_amd64 = TEXT("amd64"), word_arm64 = TEXT("arm64"), word_linux = TEXT("linux"),
                      word_true = TEXT("true"), word_one = TEXT("1");

/* c4-standard-288-lssd-metal has shape standard. The size is the last part; with four or more parts, the last but
 * one. */
static void name_labels(cloud_labels *l, karp_str name)
{
    karp_str rest = name, family = str_until(&rest, '-'), shape = str_until(&rest, '-'), size = shape;
    karp_str before = shape;
    size_t parts = 2;
    while (rest.len > 0) {
        before = size;
        size = str_until(&rest, '-');
        parts++;
    }
    /* In n2d and c4a the digit is before the last letter. */
    size_t at = family.len == 3 ? 1 : family.len - 1;
    cloud_in_one(l, key_family, family);
    cloud_in_one(l, key_shape, shape);
    cloud_in_one(l, key_size, parts > 3 ? before : size);
    cloud_in_one(l, key_generation, (karp_str){ family.ptr + at, 1 });
}

/* One entry in the list of accelerators counts as one, as in the provider. */
static void gpu_labels(cloud_labels *l, karp_str accelerator)
{
    if (accelerator.len > 0) {
        cloud_in_one(l, key_gpu_name, accelerator);
        cloud_in_one(l, key_accelerator, accelerator);
        cloud_in_word(l, key_gpu_count, &word_one);
    } else {
        cloud_absent(l, key_gpu_name);
        cloud_absent(l, key_accelerator);
        cloud_absent(l, key_gpu_count);
    }
    cloud_absent(l, key_gpu_maker);
    cloud_absent(l, key_gpu_memory);
}

void gcp_type_labels(cloud_labels *l, const gcp_type *t, karp_str region)
{
    uint32_t kinds = disk_kinds(t->base.name);
    cloud_in_one(l, key_type, t->base.name);
    cloud_in_word(l, key_arch, t->arm64 ? &word_arm64 : &word_amd64);
    cloud_in_word(l, key_os, &word_linux);
    cloud_in_one(l, key_region, region);
    cloud_in_number(l, key_cpu, t->base.vcpus);
    cloud_in_number(l, key_memory, t->memory_mib);
    name_labels(l, t->base.name);
    gpu_labels(l, t->base.group);
    for (size_t i = 0; i < DISK_KINDS; i++) {
        if (kinds >> i & 1) cloud_in_word(l, disk_keys[i], &word_true);
        else cloud_absent(l, disk_keys[i]);
    }
    cloud_absent(l, key_build);
}
