#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Within a region, the sizes of a series cost the same per vCPU. Every known price of the built-in tables is held to that, but for the
exceptions below. An exception that is not needed, or that is larger than need be, is a failure, too.

A series has one amount of memory, GPUs and local disks per vCPU. A price that a list keyed by the size's name had of another product was
found in this way: karpenter-provider-azure 352646f59929 keeps either price of "Virtual Machines Dasv5 Series" and of "Dasv5 Series Cloud
Services" (pkg/providers/pricing/pricing.go), in the order of a Go map.
"""
import collections
import os
import re
import sys

SPREAD = 1.03  # the largest price per vCPU, by the smallest; prices are rounded
CELLS = {"aws": 18, "azure": 7, "gcp": 6}
TABLE = {"aws": "ec2.txt", "azure": "azure.txt", "gcp": "gcp.txt"}

# (cloud, series): the largest spread that the sources state, in percent, and why. Both price lists that azure.txt is made of agree on its.
EXCEPTIONS = {
    ("aws", r"[cmrx]\d+\w*\.metal"): (112, "half a server costs 6 or 10 % more; m8gb and r8gb.metal-24xl cost twice that in the source"),
    ("aws", r"x8i"): (16, "x8i.96xlarge is the whole server, and dearer"),
    ("azure", r"B[ap]?ls_v2"): (78, "the size with 2 vCPUs is cheaper"),
    ("azure", r"Am?_v2|GS?_|Mls_|Mm?s_v2"): (17, "an old series, priced by size"),
    ("azure", r"DS?_v2"): (17, "indonesiacentral: D14 and DS14 are dearer"),
    ("azure", r"DS_v2_Promo"): (101, "southafricanorth: a promotion of some sizes"),
    ("azure", r"Dnds_v6"): (9, "the size with 2 vCPUs is dearer"),
    ("azure", r"Es?_v3"): (19, "E20 was added later, at another price"),
    ("azure", r"Eas_v4"): (65, "centralindia: only the sizes that are not constrained are discounted"),
    ("azure", r"Fs_v2"): (4, "uaenorth: F72s is cheaper"),
    ("azure", r"NCas_T4_v3|NCds_xl_RTXPRO6000BSE_v6"): (16, "the price is for a GPU and its share of the server"),
    ("gcp", r"m4-ultramem"): (181, "m4-ultramem-224 is a product of its own"),
}


def number(text):
    return float(text) if text not in ("", "-") else None


def rows(source, cloud):
    """The facts of every type, and by region the fields of its cell."""
    with open(os.path.join(source, "lib", "providers", cloud, "data", TABLE[cloud]), encoding="ascii") as f:
        lines = f.read().splitlines()
    regions = next(line for line in lines if line.startswith("regions ")).split()[1:]
    for line in lines:
        if "|" in line and not line.startswith("#"):
            cells = line.split("|")
            yield cells[:CELLS[cloud]], {r.split(":")[0]: c.split("/") for r, c in zip(regions, cells[CELLS[cloud]:]) if c}


def azure(facts):
    """Series, size of the server in vCPUs (a constrained size costs what the whole one does), what else the price is for."""
    match = re.fullmatch(r"Standard_([A-Z]+)(\d+)(-\d+)?([a-z]*)_?(.*)", facts[0])
    vcpus = float(match[2] if match[3] else facts[2])
    return f"{match[1]}{match[4]}_{match[5]}", vcpus, (round(float(facts[3]) / vcpus, 1), round(float(facts[5] or 0) / vcpus, 3))


def gcp(facts):
    vcpus = float(facts[1])
    accelerators = float(facts[4].split("*")[1]) if facts[4] else 0
    return (re.sub(r"-\d+(?=-|$)", "", facts[0], count=1), vcpus,
            (round(float(facts[2]) / vcpus / 1024, 1), round(accelerators / vcpus, 3), round(float(facts[5] or 0) / vcpus, 2)))


def aws(facts):
    vcpus = float(facts[1])
    devices = sum(float(d.split(":")[3]) for d in facts[16].split(",")) if facts[16] else 0
    family = facts[0].split(".")[0] + (".metal" if ".metal" in facts[0] else "")
    return family, vcpus, (round(float(facts[2]) / vcpus / 1024, 1), round(devices / vcpus, 3), round(float(facts[15] or 0) / vcpus))


def prices(cloud, cell):
    """On-demand and spot. Spot prices of the aws table are not published ones."""
    if cloud == "azure":
        return {"on-demand": number(cell[2] or cell[1]), "spot": number(cell[3])}
    if cloud == "gcp":
        return {"on-demand": number(cell[1]), "spot": number(cell[2])}
    return {"on-demand": number(cell[1])}


def spreads(source, cloud, counted):
    """By series: the largest spread of a region, and where."""
    groups = collections.defaultdict(dict)
    series_of = {"azure": azure, "gcp": gcp, "aws": aws}[cloud]
    for facts, cells in rows(source, cloud):
        series, vcpus, besides = series_of(facts)
        for region, cell in cells.items():
            for kind, price in prices(cloud, cell).items():
                if price is None:
                    continue
                counted[cloud] += 1
                if price <= 0:
                    print(f"{cloud} {region} {facts[0]}: the {kind} price is {price}")
                    counted["free"] += 1
                    continue
                groups[cloud, kind, series, besides, region][facts[0]] = price / vcpus
    worst = {}
    for (_, kind, series, _, region), each in groups.items():
        low, high = min(each, key=each.get), max(each, key=each.get)
        seen = (each[high] / each[low], f"{region}, {kind}: {high} is dearer per vCPU than {low}")
        worst[cloud, series] = max(worst.get((cloud, series), (0, "")), seen)
    return worst


def excepted(key):
    """The exception for a series, or None."""
    return next((e for e in EXCEPTIONS if e[0] == key[0] and re.fullmatch(e[1], key[1])), None)


def main():
    source = os.environ.get("KARP_SOURCE", ".")
    bad, counted, needed = 0, collections.Counter(), collections.defaultdict(int)
    for cloud in CELLS:
        for key, (spread, where) in sorted(spreads(source, cloud, counted).items()):
            percent, exception = round((spread - 1) * 100), excepted(key)
            needed[exception] = max(needed[exception], percent)
            if spread > SPREAD and percent > (EXCEPTIONS[exception][0] if exception else 0):
                print(f"{cloud} {key[1]}: {percent} % ({where})")
                bad += 1
    for exception, (allowed, _) in EXCEPTIONS.items():
        if needed[exception] != allowed:
            print(f"{exception}: {allowed} % are allowed, and {needed[exception]} % are needed")
            bad += 1
    print(", ".join(f"{counted[cloud]} prices of {cloud}" for cloud in CELLS) + f", {len(EXCEPTIONS)} exceptions")
    return 1 if bad + counted["free"] else 0


if __name__ == "__main__":
    sys.exit(main())
