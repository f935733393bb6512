#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs tables of Azure facts and prices into azure.txt, which the build embeds (three regions) and users can load (all).

    pack.py FOLDER > azure.txt

FOLDER has sizes.json, availability.json and prices.json. README.md beside this file says what they hold, where they are
from, and what the columns are.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cloud"))
from tables import load, number, write  # noqa: E402
import virtual_machines  # noqa: E402

HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# Facts and prices of Azure's VM sizes. docs/providers.md has the columns; made by pack.py.
karp-facts azure 1
as-of sizes 2026-08-01, prices 2026-08 (initial ones 2026-06-18)
source DarrenJohns/djtools-azure-vm-sku-locator f31f81713de7 (MIT): sizes, zones, current prices
source kubernetes/autoscaler 55c37cd5eb55 (Apache-2.0): numbers of GPUs
source Azure/karpenter-provider-azure 352646f59929 (Apache-2.0): initial prices, disks of some sizes
"""


def ephemeral(size):
    """Decimal GB of the largest ephemeral OS disk; a derived one where there is no exact figure; 0 = none, or not known."""
    e = size.get("exact", {})
    if not size["ephemeralOSDisk"]:
        return 0
    nvme, cache, temporary = (int(e.get(k, 0)) for k in ("NvmeDiskSizeInMiB", "CachedDiskBytes", "MaxResourceVolumeMB"))
    if nvme > 0 and "NvmeDisk" in e.get("SupportedEphemeralOSDiskPlacements", "").split(","):
        return (nvme << 20) // 10**9
    if e:
        return cache // 10**9 if cache > 0 else (temporary << 20) // 10**9
    return size.get("ephemeralOsGBDerived", 0)


def flags(size):
    told = (("A", size["arch"] == "arm64"), ("n", size["acceleratedNetworking"]), ("p", size["premiumIO"]),
            ("e", size["ephemeralOSDisk"]), ("x", size["encryptionAtHost"]),
            ("t", size.get("exact", {}).get("TrustedLaunchDisabled") == "True"))
    return "".join(c for c, there in told if there) + size["hyperV"].replace("V", "").replace(",", "")


def offer(fact, zones, on_demand, current, spot):
    """Zones (none written: all of the region's, "-": none), n = no spot; initial on-demand, current if other, current spot."""
    if fact is None:
        return ""
    own = "".join(c for c in fact if c.isdigit())
    first = ("" if own == zones else own or "-") + ("n" if "n" in fact else "")
    second = "" if current == on_demand else "-" if current is None else number(current)
    return f"{first}/{number(on_demand)}/{second}/{number(spot)}"


def price_lists(prices, region):
    """Initial on-demand prices, current ones and current spot prices, by size. A price of 0 is one that is not set."""
    def listed(name, region=region):
        return dict(zip(prices["types"], prices["regions"][region].get(name) or [None] * len(prices["types"])))

    initial, newer, spot = listed("onDemand"), listed("newerOnDemand"), listed("newerSpot")
    if not any(p is not None for p in initial.values()):
        initial = listed("onDemand", "eastus")  # as the provider does
        return initial, newer, spot
    return initial, virtual_machines.prices(region, initial, newer), {name: price or None for name, price in spot.items()}


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    prices, there = load("prices.json"), load("availability.json")
    regions = sorted(there["regions"])
    row_of = {name: i for i, name in enumerate(there["names"])}
    zones = {r: "".join(sorted({c for f in there["regions"][r] if f for c in f if c.isdigit()})) for r in regions}
    lists = {region: price_lists(prices, region) for region in regions}
    rows = []
    for size in sorted(load("sizes.json")["sizes"], key=lambda s: s["name"]):
        cells = []
        for region in regions:
            initial, current, spot = (known.get(size["name"]) for known in lists[region])
            cells.append(offer(there["regions"][region][row_of[size["name"]]], zones[region], initial, current, spot))
        facts = [size["name"], size["quotaFamily"], str(size["vcpus"]), number(size["memoryGiB"]), flags(size),
                 str(size.get("gpus", "") or ""), str(ephemeral(size) or "")]
        rows.append((facts, cells))
    write(HEADER, regions, zones, rows)


if __name__ == "__main__":
    main()
