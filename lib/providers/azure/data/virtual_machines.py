# SPDX-License-Identifier: Apache-2.0
"""Prices of virtual machines, from lists in which some are those of Cloud Services.

The Retail Prices API lists two products under one armSkuName for the series in SURCHARGE: "Virtual Machines Dasv5 Series" and "Dasv5
Series Cloud Services". The second one includes Windows and is dearer by the same amount per vCPU in all regions. Lists that are keyed by
the name of the size keep either of them. Within a region, the sizes of a series cost the same per vCPU, so that every listed price is either
the rate of the series, or that rate and the surcharge; anything else is refused here.
"""
import re

SURCHARGE = {"Das_v5": .046, "Dads_v5": .046, "Eas_v5": .046, "Eads_v5": .046,
             **{f"B{letters}_v2": .0046 for letters in ("s", "as", "ls", "als", "ts", "ats", "ps", "pls", "pts")}}
# B series with less memory cost this much of the one beside them, in all regions, from four vCPUs on.
LESS_MEMORY, BESIDE = .8855, {"Bls_v2": "Bs_v2", "Bals_v2": "Bas_v2", "Bpls_v2": "Bps_v2"}


def read_name(name):
    """Standard_E8-4as_v5 -> ("Eas_v5", 8)."""
    match = re.fullmatch(r"Standard_([A-Z]+)(\d+)(?:-\d+)?([a-z]*_v\d+)", name)
    return (match[1] + match[3], int(match[2])) if match else ("", 0)


def place(name):
    """The group of sizes with one rate, and how many times this rate the size costs: B2ts has a quarter of B2ls's rate."""
    series, vcpus = read_name(name)
    if re.fullmatch(r"B[ap]?[tl]s_v2", series) and vcpus == 2:
        return series.replace("ts", "ls") + " 2", vcpus / 4 if "ts" in series else vcpus
    return series, vcpus


def digits(price):
    """Decimals of a published price."""
    return 3 if price >= .1 else 4 if price >= .01 else 5


def near(price, expected):
    return abs(price - expected) <= max(.006 * expected, .00051)


def explains(rate, group):
    return rate > 0 and all(near(p, rate * units) or near(p - more, rate * units) for units, more, seen in group.values() for p in seen)


def rates(group):
    """The rates that explain every price of a group: one, or a higher and a lower one if all prices may have the surcharge."""
    found = []
    for rate in sorted((p - extra) / units for units, more, seen in group.values() for p in seen for extra in (0, more)):
        if explains(rate, group) and not (found and rate < found[-1] * 1.02):
            found.append(rate)
    return found


def exact(rate, group):
    """The rate in the middle of those that round to the prices listed."""
    low, high = 0, float("inf")
    for units, more, seen in group.values():
        for p in seen:
            own, half = p - (0 if near(p, rate * units) else more), .5 * 10 ** -digits(p)
            low, high = max(low, (own - half) / units), min(high, (own + half) / units)
    return (low + high) / 2 if low <= high else rate


def choose(key, known):
    """The higher of two rates (no price has the surcharge), unless the series beside it says otherwise."""
    found = known[key]
    if len(found) == 2 and len(known.get(BESIDE.get(key), ())) == 1:
        return min(found, key=lambda rate: abs(rate / known[BESIDE[key]][0] - LESS_MEMORY))
    return found[-1]


def prices(region, older, newer):
    """The prices of two lists of a region, by size: the newer ones, those of Cloud Services replaced."""
    groups = {}
    for name in newer:
        key, units = place(name)
        seen = [p for p in (newer[name], older.get(name)) if p]
        if key.split(" ")[0] in SURCHARGE and seen:
            groups.setdefault(key, {})[name] = (units, SURCHARGE[read_name(name)[0]] * read_name(name)[1], seen)
    known = {key: rates(group) for key, group in groups.items()}
    told = {name: price or None for name, price in newer.items()}  # 0 stands for a price that is not set
    for key, group in groups.items():
        if not known[key]:
            raise SystemExit(f"{region}: the prices of {key} are neither of one rate nor with the surcharge: {group}")
        rate = choose(key, known)
        for name, (units, _, seen) in group.items():
            derived = exact(rate, group) * units
            if told[name] is not None:
                told[name] = next((p for p in seen if near(p, rate * units)), round(derived, digits(derived)))
    return told
