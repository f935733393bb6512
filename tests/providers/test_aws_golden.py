#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AWS's arithmetic against what the provider's own code answers: every value and label of 1,386 types in seven settings.

The answers are golden/*.json.gz of the shared catalogue data; a name is family, reserved ENIs, maxPods, podsPerCore,
instance store policy and evictionHard. They were made with one subnet, in us-west-2a, and every type offered there.
"""
import glob
import gzip
import json
import os
import re
import subprocess
import sys
from fractions import Fraction

UNITS = {"": 1, "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9,
         "T": 10**12, "P": 10**15, "E": 10**18, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
ZONE = {"topology.kubernetes.io/zone": ["us-west-2a"], "topology.k8s.aws/zone-id": ["usw2-az1"]}


def value(text):
    number, unit = re.fullmatch(r"(-?[0-9.]+)([A-Za-z]*)", text).groups()
    return Fraction(number) * UNITS[unit]


def node_class(name):
    family, enis, pods, cores, policy, *eviction = name.split("-")
    kubelet, spec = {}, {"amiFamily": family}
    if pods != "max0":
        kubelet["maxPods"] = int(pods[3:])
    if cores != "ppc0":
        kubelet["podsPerCore"] = int(cores[3:])
    if eviction:
        memory, disk = eviction[0][2:].replace("pct", "%").split("_")
        kubelet["evictionHard"] = {"memory.available": memory, "nodefs.available": disk}
    if policy != "none":
        spec["instanceStorePolicy"] = policy
    spec["kubelet"] = kubelet
    status = {"subnets": [{"id": "subnet-1", "zone": "us-west-2a", "zoneID": "usw2-az1"}]}
    return enis[3:], json.dumps({"spec": spec, "status": status})


def differences(want, got, facts):
    for part in ("capacity", "kubeReserved", "evictionThreshold", "allocatable"):
        a = {k: value(v) for k, v in want[part].items()}
        b = {k: value(v) for k, v in got[part].items()}
        for key in sorted(a.keys() | b.keys()):
            if a.get(key, 0) != b.get(key, 0):
                yield f"{part} {key}: {got[part].get(key)}, the provider says {want[part].get(key)}"
    there = "us-west-2a" in facts["zones"].get("us-west-2", [])
    expected = {k: sorted(v) for k, v in want["labels"].items() if k not in ZONE}
    expected.update(ZONE if there else {})
    found = {k: sorted(v) for k, v in got["labels"].items()}
    for key in sorted(expected.keys() | found.keys()):
        if expected.get(key) != found.get(key):
            yield f"label {key}: {found.get(key)}, the provider says {expected.get(key)}"


def main():
    data = os.path.join(os.environ.get("KARP_SHARED", ""), "catalogue")
    dump = os.path.join(os.environ.get("KARP_BUILD", "build"), "tests", "test_providers_aws")
    files = sorted(glob.glob(os.path.join(data, "golden", "*.json.gz")))
    if not files or not os.path.exists(dump):
        print("no golden answers, or no libkarp-io")
        return 77
    with open(os.path.join(data, "ec2-instance-types.json"), encoding="utf-8") as f:
        facts = json.load(f)
    bad = compared = 0
    for path in files:
        enis, document = node_class(os.path.basename(path)[:-len(".json.gz")])
        with gzip.open(path) as f:
            want = json.load(f)
        out = subprocess.run([dump, "us-west-2", enis, "0.075", document], check=True, stdout=subprocess.PIPE, text=True)
        got = {t["name"]: t for t in map(json.loads, out.stdout.splitlines())}
        if want.keys() != got.keys():
            print(f"{path}: other types: {sorted(want.keys() ^ got.keys())[:5]}")
            bad += 1
        for name in sorted(want.keys() & got.keys()):
            compared += sum(len(part) for part in want[name].values())
            for line in differences(want[name], got[name], facts[name]):
                bad += 1
                if bad <= 20:
                    print(f"{os.path.basename(path)}: {name}: {line}")
    print(f"{compared} values in {len(files)} settings, {bad} differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
