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
# EC2 instance types: facts, zones and prices. Made by pack.py; columns, origin and licence are in README.md.
"""


def spot_price(name, zone, on_demand, savings):
    """On-demand less the advisor's savings, moved by up to SPREAD in a direction that the name and the zone decide."""
    u = int(hashlib.sha256(f"{name}/{zone}".encode()).hexdigest()[:8], 16) / 2**31 - 1
    return min(round(on_demand * (1 - savings / 100) * (1 + SPREAD * u), 4), on_demand)


def word(text):
    """A text as one column."""
    if "_" in text or "," in text or ":" in text:
        raise SystemExit(f"cannot write {text!r} as a column")
    return text.replace(" ", "_") or "-"


def number(value):
    return "-" if value is None else str(value)


def price(value):
    """Dollars with at most six decimals: the table holds whole millionths."""
    micro = round(value * 1e6)
    if micro / 1e6 != value:
        raise SystemExit(f"{value!r} has more than six decimals")
    whole, part = divmod(micro, 10**6)
    return f"{whole}.{part:06d}".rstrip("0").rstrip(".")


def devices(t):
    out = []
    for g in t.get("gpus", []):
        out.append(f"gpu:{word(g['manufacturer'])}:{word(g['name'])}:{g['count']}:{g['memoryMiB'] or 0}")
    for a in t.get("inferenceAccelerators", []):
        out.append(f"inference:{word(a['manufacturer'])}:{word(a['name'])}:{a['count']}:0")
    for n in t.get("neuron", []):
        out.append(f"neuron:AWS:{word(n['name'])}:{n['count']}:{n['coresPerDevice']}")
    return ",".join(out) or "-"


def flags(t):
    storage = t.get("localStorage") or {}
    letters = [("b", t["bareMetal"]), ("e", t["encryptionInTransit"]), ("n", t["nitroEnclaves"]), ("t", t["trunking"]),
               ("v", storage.get("nvme", False)), ("k", "cluster" in t["placementStrategies"]),
               ("o", "on-demand" in t["usageClasses"]), ("s", "spot" in t["usageClasses"]),
               ("c", "capacity-block" in t["usageClasses"])]
    return "".join(letter for letter, yes in letters if yes) or "-"


def offers(name, t, region, prices):
    zones = t["zones"].get(region, [])
    letters = "".join(z[len(region):] for z in zones)
    if any(z[:len(region)] != region or len(z) != len(region) + 1 for z in zones):
        raise SystemExit(f"{name}: a zone is not {region} and a letter")
    on_demand = prices["onDemand"][region].get(name)
    savings = prices["spot"][region].get(name, {}).get("savingsPct")
    spot = []
    if on_demand is not None and savings is not None:
        spot = [price(spot_price(name, z, on_demand, savings)) for z in zones]
    return f"{letters or '-'}:{'-' if on_demand is None else price(on_demand)}:{','.join(spot) or '-'}"


def row(name, t, prices):
    if t["firstArchArm64"] != (t["arch"] == "arm64"):
        raise SystemExit(f"{name}: several architectures")
    storage = t.get("localStorage") or {}
    columns = [name, t["vcpu"], t["memoryMiB"], t["arch"], word(t["cpuManufacturer"] or ""),
               int((t["clockGHz"] or 0) * 1000 + 0.5), word(t["hypervisor"]), flags(t), t["enis"], t["ipv4PerEni"],
               t["networkCards"], t["branchEnis"], number(t["limitsIpv4PerEni"]), number(t["networkBandwidthMbps"]),
               number(t.get("ebsBandwidthMbps")), t["efa"], number(storage.get("totalGB")), devices(t)]
    columns += [offers(name, t, region, prices) for region in REGIONS]
    return " ".join(str(c) for c in columns)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        types = json.load(f)
    with open(sys.argv[2], encoding="utf-8") as f:
        prices = json.load(f)
    out = [HEADER + "regions " + " ".join(REGIONS)]
    out += [row(name, types[name], prices) for name in sorted(types)]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
