#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs tables of GCP facts and prices into gcp.txt, which the build embeds (three regions) and users can load (all).

    pack.py FOLDER > gcp.txt

FOLDER has machine-types.json, regions.json, availability.json and prices.json. README.md beside this file says what they
hold, where they are from, and what the columns are.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cloud"))
from tables import load, number, write  # noqa: E402

HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# Facts and prices of GCP's machine types. docs/providers.md has the columns; made by pack.py.
karp-facts gcp 1
as-of types 2026-08-17, prices 2026-08-06
source Cyclenerd/google-cloud-pricing-cost-calculator dac31281f2a4 (Apache-2.0): names, vCPUs, memory, regions, zones
source cloudpilot-ai/karpenter-provider-gcp 417f047b1175 (Apache-2.0): prices, local SSDs
"""


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    prices, there = load("prices.json"), load("availability.json")["types"]
    zones = {r: "".join(z[-1] for z in list_) for r, list_ in load("regions.json")["regions"].items()}
    regions = sorted(prices["regions"])
    place = {name: i for i, name in enumerate(prices["types"])}
    rows = []
    for t in sorted(load("machine-types.json")["types"], key=lambda t: t["name"]):
        cells = []
        for region in regions:
            at, known = place.get(t["name"]), prices["regions"][region]
            if at is None or known["onDemand"][at] is None or region not in there[t["name"]]:
                cells.append("")
                continue
            letters = there[t["name"]][region].lstrip("~")
            letters = "" if letters == zones[region] else letters
            cells.append(f"{letters}/{number(known['onDemand'][at])}/{number(known['spot'][at])}")
        a = t.get("accelerator")
        facts = [t["name"], str(t["vcpus"]), str(t["memoryMiB"]), "a" if t["arch"] == "arm64" else "",
                 f"{a['type']}*{number(float(a['count']))}" if a else "", str(t.get("localSsd", {}).get("partitions", ""))]
        rows.append((facts, cells))
    write(HEADER, regions, zones, rows)


if __name__ == "__main__":
    main()
