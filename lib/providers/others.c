/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/others.h>

static const other_provider others[] = {
    { "Alibaba Cloud", "karpenter.alibabacloud.com", "ECSNodeClass", "",
      "AliyunContainerService/karpenter-provider-alibabacloud" },
    { "Alibaba Cloud", "karpenter.k8s.alibabacloud", "ECSNodeClass", "karpenter.k8s.alibabacloud",
      "cloudpilot-ai/karpenter-provider-alicloud" },
    { "Bizfly Cloud", "karpenter.bizflycloud.com", "BizflyCloudNodeClass", "karpenter.bizflycloud.com",
      "bizflycloud/karpenter-provider-bizflycloud" },
    { "Clever Cloud", "karpenter.clever-cloud.com", "CleverNodeClass", "karpenter.clever-cloud.com",
      "CleverCloud/karpenter-provider-clever-cloud" },
    { "Cluster API", "karpenter.cluster.x-k8s.io", "ClusterAPINodeClass", "karpenter.cluster.x-k8s.io",
      "kubernetes-sigs/karpenter-provider-cluster-api" },
    { "DigitalOcean", "karpenter.do.sh", "DONodeClass", "karpenter.do.sh",
      "synthesizer/karpenter-provider-digitalocean" },
    { "Exoscale", "karpenter.exoscale.com", "ExoscaleNodeClass", "karpenter.exoscale.com",
      "exoscale/karpenter-provider-exoscale" },
    { "Hetzner Cloud", "karpenter.itsh.dev", "HCloudNodeClass", "karpenter.itsh.dev",
      "itsh-cloud/karpenter-provider-hcloud" },
    { "Huawei Cloud", "karpenter.k8s.huawei", "CCENodeClass", "karpenter.k8s.huawei",
      "huaweicloud-samples/karpenter-provider-huawei" },
    { "IBM Cloud", "karpenter.ibm.sh", "IBMNodeClass", "karpenter.ibm.sh", "pfeifferj/karpenter-provider-ibm-cloud" },
    { "Linode", "karpenter.k8s.linode", "LinodeNodeClass", "karpenter.k8s.linode", "linode/karpenter-provider-linode" },
    { "Oracle Cloud", "oci.oraclecloud.com", "OCINodeClass", "oci.oraclecloud.com", "oracle/karpenter-provider-oci" },
    { "Oracle Cloud", "karpenter.k8s.oracle", "OciNodeClass", "karpenter.k8s.oracle", "zoom/karpenter-oci" },
    { "Proxmox", "karpenter.proxmox.sinextra.dev", "ProxmoxNodeClass", "karpenter.proxmox.sinextra.dev",
      "sergelogvinov/karpenter-provider-proxmox" },
    { "Rackspace Spot", "karpenter.rackspace.com", "RackspaceSpotNodeClass", "karpenter.rackspace.com",
      "kanya-approve/karpenter-provider-rackspace-spot" },
    { "Tencent Cloud", "karpenter.k8s.tke", "TKEMachineNodeClass", "karpenter.k8s.tke",
      "TencentCloud/karpenter-provider-tke" },
    { "Vultr", "karpenter.vultr.com", "VultrNodeClass", "karpenter.vultr.com", "crob1140/karpenter-provider-vultr" },
    { "vSphere", "karpenter.vsphere.com", "VsphereNodeClass", "karpenter.vsphere.com",
      "AbsaOSS/karpenter-provider-vsphere" },
    { "Yandex Cloud", "karpenter.yandex.cloud", "YandexNodeClass", "karpenter.yandex.cloud",
      "tufitko/karpenter-provider-yandex" },
};

enum { OTHERS = sizeof others / sizeof *others };

const other_provider *other_provider_for_class(karp_str group, karp_str kind)
{
    for (size_t i = 0; i < OTHERS; i++) {
        if (group.len ? str_is(group, others[i].group) : str_is(kind, others[i].kind)) return &others[i];
    }
    return NULL;
}

bool other_provider_has_label(karp_str key)
{
    for (size_t i = 0; i < OTHERS; i++) {
        size_t length = str(others[i].domain).len;
        if (length > 0 && key.len > length && str_starts(key, others[i].domain) && key.ptr[length] == '/') return true;
    }
    return false;
}
