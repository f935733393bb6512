/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/others.h>

static const other_provider others[] = {
    { "Alibaba Cloud", "karpenter.alibabacloud.com", "ECSNodeClass",
      "AliyunContainerService/karpenter-provider-alibabacloud" },
    { "Alibaba Cloud", "karpenter.k8s.alibabacloud", "ECSNodeClass", "cloudpilot-ai/karpenter-provider-alicloud" },
    { "Bizfly Cloud", "karpenter.bizflycloud.com", "BizflyCloudNodeClass",
      "bizflycloud/karpenter-provider-bizflycloud" },
    { "Clever Cloud", "karpenter.clever-cloud.com", "CleverNodeClass", "CleverCloud/karpenter-provider-clever-cloud" },
    { "Cluster API", "karpenter.cluster.x-k8s.io", "ClusterAPINodeClass",
      "kubernetes-sigs/karpenter-provider-cluster-api" },
    { "DigitalOcean", "karpenter.do.sh", "DONodeClass", "synthesizer/karpenter-provider-digitalocean" },
    { "Exoscale", "karpenter.exoscale.com", "ExoscaleNodeClass", "exoscale/karpenter-provider-exoscale" },
    { "Hetzner Cloud", "karpenter.itsh.dev", "HCloudNodeClass", "itsh-cloud/karpenter-provider-hcloud" },
    { "Huawei Cloud", "karpenter.k8s.huawei", "CCENodeClass", "huaweicloud-samples/karpenter-provider-huawei" },
    { "IBM Cloud", "karpenter-ibm.sh", "IBMNodeClass", "kubernetes-sigs/karpenter-provider-ibm-cloud" },
    { "IBM Cloud", "karpenter.ibm.sh", "IBMNodeClass", "pfeifferj/karpenter-provider-ibm-cloud" },
    { "Linode", "karpenter.k8s.linode", "LinodeNodeClass", "linode/karpenter-provider-linode" },
    { "Oracle Cloud", "oci.oraclecloud.com", "OCINodeClass", "oracle/karpenter-provider-oci" },
    { "Oracle Cloud", "karpenter.k8s.oracle", "OciNodeClass", "zoom/karpenter-oci" },
    { "Proxmox", "karpenter.proxmox.sinextra.dev", "ProxmoxNodeClass", "sergelogvinov/karpenter-provider-proxmox" },
    { "Rackspace Spot", "karpenter.rackspace.com", "RackspaceSpotNodeClass",
      "kanya-approve/karpenter-provider-rackspace-spot" },
    { "Tencent Cloud", "karpenter.k8s.tke", "TKEMachineNodeClass", "TencentCloud/karpenter-provider-tke" },
    { "Vultr", "karpenter.vultr.com", "VultrNodeClass", "crob1140/karpenter-provider-vultr" },
    { "vSphere", "karpenter.vsphere.com", "VsphereNodeClass", "AbsaOSS/karpenter-provider-vsphere" },
    { "Yandex Cloud", "karpenter.yandex.cloud", "YandexNodeClass", "tufitko/karpenter-provider-yandex" },
};

enum { OTHERS = sizeof others / sizeof *others };

/* What the providerIDs of nodes begin with, as the clouds' cloud-controller-managers set them. */
static const struct {
    const char *scheme, *cloud;
} schemes[] = {
    { "alicloud://", "Alibaba Cloud" },
    { "civo://", "Civo" },
    { "cloudstack://", "CloudStack" },
    { "digitalocean://", "DigitalOcean" },
    { "equinixmetal://", "Equinix Metal" },
    { "exoscale://", "Exoscale" },
    { "hcloud://", "Hetzner Cloud" },
    { "huaweicloud://", "Huawei Cloud" },
    { "ibm://", "IBM Cloud" },
    { "ibmpowervs://", "IBM Cloud" },
    { "linode://", "Linode" },
    { "nutanix://", "Nutanix" },
    { "oci://", "Oracle Cloud" },
    { "ocid1.instance.", "Oracle Cloud" },
    { "openstack://", "OpenStack" },
    { "ovh://", "OVHcloud" },
    { "proxmox://", "Proxmox" },
    { "qcloud://", "Tencent Cloud" },
    { "scaleway://", "Scaleway" },
    { "upcloud://", "UpCloud" },
    { "vsphere://", "vSphere" },
    { "vultr://", "Vultr" },
    { "yandex://", "Yandex Cloud" },
};

const char *other_cloud_of_id(karp_str provider_id)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (str_starts(provider_id, schemes[i].scheme)) return schemes[i].cloud;
    }
    return NULL;
}

const other_provider *other_provider_for_class(karp_str group, karp_str kind)
{
    for (size_t i = 0; i < OTHERS; i++) {
        if (group.len ? str_is(group, others[i].group) : str_is(kind, others[i].kind)) return &others[i];
    }
    return NULL;
}

bool other_provider_has_label(karp_str key)
{
    karp_str domain = str_before(key, '/');
    for (size_t i = 0; i < OTHERS && domain.len < key.len; i++) {
        if (str_is(domain, others[i].group)) return true;
    }
    return false;
}
