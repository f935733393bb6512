#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs tables of EC2 facts and prices into ec2.txt, which the build embeds.

    pack.py ec2-instance-types.json ec2-prices.json > ec2.txt

README.md beside this file says where the two tables come from and what the columns are. Spot prices per zone are worked
out here, by the rule that is stated there: no public table of them can be kept.
"""
import hashlib
import json
import sys

REGIONS = ["us-east-1", "us-west-2", "eu-west-1"]
SPREAD = 0.05  # half-width of the zonal spread of spot prices

HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# Facts and prices of EC2's instance types. docs/providers.md has the columns; made by pack.py.
karp-facts aws 1
as-of types 2026, prices 2026-07-20 (eu-west-1: 2025-03-02), spot savings 2025-06-28
source moto 5.2.5 (Apache-2.0): types, zones
source moto 4.2.0 to 5.1.22 (Apache-2.0): retired types, which have no row (cr1, dl1, f1, g2, g3, g3s, g4ad, i3.metal, p2, p3, u-9tb1 to u-24tb1)
source aws/karpenter-provider-aws (Apache-2.0): limits of network traffic, prices of us-east-1
source apache-libcloud 3.9.1 (Apache-2.0): what eu-west-1 costs beside us-east-1
source alexei-led/spotinfo (Apache-2.0): savings, of which spot prices are made
"""


def spot_price(name, zone, on_demand, savings):
    """On-demand less the advisor's savings, moved by up to SPREAD in a direction that the name and the zone decide."""
    u = int(hashlib.sha256(f"{name}/{zone}".encode()).hexdigest()[:8], 16) / 2**31 - 1
    return min(round(on_demand * (1 - savings / 100) * (1 + SPREAD * u), 4), on_demand)


def word(text):
    """A text as one column."""
    if "|" in text or "," in text or ":" in text:
        raise SystemExit(f"cannot write {text!r} as a column")
    return text


def number(value):
    return "" if value is None else str(value)


def some(value):
    """A number of which 0 is no more than none."""
    return str(value or "")


def price(value):
    """Dollars with at most six decimals: the table holds whole millionths."""
    micro = round(value * 1e6)
    if micro / 1e6 != value:
        raise SystemExit(f"{value!r} has more than six decimals")
    whole, part = divmod(micro, 10**6)
    return f"{whole or ''}.{part:06d}".rstrip("0").rstrip(".") or "0"


def devices(t):
    out = []
    for g in t.get("gpus", []):
        out.append(f"gpu:{word(g['manufacturer'])}:{word(g['name'])}:{g['count']}:{g['memoryMiB'] or 0}")
    for a in t.get("inferenceAccelerators", []):
        out.append(f"inference:{word(a['manufacturer'])}:{word(a['name'])}:{a['count']}:0")
    for n in t.get("neuron", []):
        out.append(f"neuron:AWS:{word(n['name'])}:{n['count']}:{n['coresPerDevice']}")
    return ",".join(out)


# Where moto 5.2.5 has "nested-virtualization" among SupportedFeatures: all sizes of these families but those without a hypervisor, 166
# types. The JSON tables have no such member.
NESTED = ("c7i c7i-flex c8i c8i-flex c8id i7i i7ie m7i m7i-flex m8i m8i-flex m8id r7i r7iz r8i r8i-flex r8id x8i").split()


def flags(name, t):
    storage = t.get("localStorage") or {}
    letters = [("A", t["arch"] == "arm64"), ("b", t["bareMetal"]), ("e", t["encryptionInTransit"]), ("n", t["nitroEnclaves"]), ("t", t["trunking"]),
               ("v", storage.get("nvme", False)), ("k", "cluster" in t["placementStrategies"]),
               ("o", "on-demand" in t["usageClasses"]), ("s", "spot" in t["usageClasses"]),
               ("c", "capacity-block" in t["usageClasses"]), ("N", name.split(".")[0] in NESTED and not t["bareMetal"])]
    return "".join(letter for letter, yes in letters if yes)


def offers(name, t, region, prices, all_zones):
    zones = t["zones"].get(region, [])
    letters = "".join(z[len(region):] for z in zones)
    if any(z[:len(region)] != region or len(z) != len(region) + 1 for z in zones):
        raise SystemExit(f"{name}: a zone is not {region} and a letter")
    on_demand = prices["onDemand"][region].get(name)
    savings = prices["spot"][region].get(name, {}).get("savingsPct")
    spot = []
    if on_demand is not None and savings is not None:
        spot = [price(spot_price(name, z, on_demand, savings)) for z in zones]
    if not letters and on_demand is None:
        return ""
    shown = "" if letters == all_zones else letters or "-"
    return f"{shown}/{'' if on_demand is None else price(on_demand)}/{','.join(spot)}"


def row(name, t, prices, zones):
    if t["firstArchArm64"] != (t["arch"] == "arm64"):
        raise SystemExit(f"{name}: several architectures")
    storage = t.get("localStorage") or {}
    columns = [name, t["vcpu"], t["memoryMiB"], flags(name, t), word(t["cpuManufacturer"] or ""),
               some(int((t["clockGHz"] or 0) * 1000 + 0.5)), word(t["hypervisor"]), t["enis"], t["ipv4PerEni"],
               t["networkCards"], some(t["branchEnis"]), some(t["efa"]), number(t["limitsIpv4PerEni"]),
               number(t["networkBandwidthMbps"]), number(t.get("ebsBandwidthMbps")), number(storage.get("totalGB")),
               devices(t), ""]
    columns += [offers(name, t, region, prices, zones[region]) for region in REGIONS]
    return "|".join(str(c) for c in columns)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        types = json.load(f)
    with open(sys.argv[2], encoding="utf-8") as f:
        prices = json.load(f)
    zones = {r: "".join(sorted({z[-1] for t in types.values() for z in t["zones"].get(r, [])})) for r in REGIONS}
    out = [HEADER + "regions " + " ".join(f"{r}:{zones[r]}" for r in REGIONS)]
    out += [row(name, types[name], prices, zones) for name in sorted(types)]
    sys.stdout.write("\n".join(out) + f"\nend {len(types)}\n")


if __name__ == "__main__":
    main()
