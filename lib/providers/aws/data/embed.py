#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns ec2.txt into the C tables of ../ec2_table.h.

    embed.py ec2.txt ec2_table.c
"""
import sys

NONE = "EC2_NONE"
FLAGS = {"b": "BARE_METAL", "e": "ENCRYPTION", "n": "NITRO_ENCLAVES", "t": "TRUNKING", "v": "NVME", "k": "CLUSTER_PLACEMENT",
         "o": "ON_DEMAND", "s": "SPOT", "c": "CAPACITY_BLOCK"}
KINDS = {"gpu": "GPU", "inference": "INFERENCE", "neuron": "NEURON"}


class Strings:
    """One text with every string once, each ended by a NUL; values are offsets."""

    def __init__(self):
        self.text = ""
        self.known = {}

    def add(self, value):
        value = "" if value == "-" else value.replace("_", " ")
        if value not in self.known:
            self.known[value] = len(self.text)
            self.text += value + "\0"
        return self.known[value]


class Runs:
    """Short runs of items in one array; equal runs are kept once."""

    def __init__(self):
        self.items = []
        self.known = {}

    def add(self, run):
        run = tuple(run)
        if run not in self.known:
            self.known[run] = len(self.items)
            self.items += run
        return self.known[run]


def micro(text):
    """Dollars as millionths, exactly."""
    if text == "-":
        return NONE
    whole, _, part = text.partition(".")
    if len(part) > 6:
        raise SystemExit(f"{text}: more than six decimals")
    value = int(whole) * 10**6 + int(part.ljust(6, "0") or "0")
    if value >= 2**32 - 1:
        raise SystemExit(f"{text}: too dear for the table")
    return f"{value}u"


def count(text):
    return NONE if text == "-" else f"{int(text)}u"


def device(text, strings):
    kind, maker, name, number, last = text.split(":")
    return f"{{{last}u, {strings.add(maker)}u, {strings.add(name)}u, {number}u, EC2_{KINDS[kind]}}}"


def offer(text, spots):
    letters, on_demand, spot = text.split(":")
    letters = "" if letters == "-" else letters
    if list(letters) != sorted(set(letters)) or any(not "a" <= z <= "h" for z in letters):
        raise SystemExit(f"{text}: zones must be letters a to h, in order")
    mask = sum(1 << (ord(z) - ord("a")) for z in letters)
    prices = [] if spot == "-" else [micro(p) for p in spot.split(",")]
    if prices and len(prices) != len(letters):
        raise SystemExit(f"{text}: a spot price for each zone, or none")
    return mask, micro(on_demand), spots.add(prices) if prices else 0, 1 if prices else 0


def row(line, strings, runs, spots):
    c = line.split(" ")
    if len(c) != 21:
        raise SystemExit(f"{line}: {len(c)} columns, 21 expected")
    flags = [] if c[7] == "-" else [f"EC2_{FLAGS[f]}" for f in c[7]]
    if c[3] == "arm64":
        flags.append("EC2_ARM64")
    elif c[3] != "amd64":
        raise SystemExit(f"{line}: architecture {c[3]}")
    kinds = [] if c[17] == "-" else [device(d, strings) for d in c[17].split(",")]
    offers = [offer(o, spots) for o in c[18:]]
    fields = [f"{c[2]}u", count(c[13]), count(c[14]), count(c[16]), count(c[12]),
              "{" + ", ".join(o[1] for o in offers) + "}", "{" + ", ".join(f"{o[2]}u" for o in offers) + "}",
              " | ".join(flags) or "0", str(strings.add(c[0])), str(strings.add(c[4])), str(strings.add(c[6])), c[1], c[5],
              c[8], c[9], c[11], c[15], str(runs.add(kinds)), str(len(kinds)), c[10],
              "{" + ", ".join(str(o[0]) for o in offers) + "}", "{" + ", ".join(str(o[3]) for o in offers) + "}"]
    return "    {" + ", ".join(fields) + "},"


def wrapped(items, per_line):
    return [", ".join(items[i:i + per_line]) + "," for i in range(0, len(items), per_line)]


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding="ascii") as f:
        lines = [line.rstrip("\n") for line in f if not line.startswith("#")]
    regions = lines[0].split(" ")[1:]
    strings, runs, spots = Strings(), Runs(), Runs()
    rows = [row(line, strings, runs, spots) for line in lines[1:]]
    region_names = [strings.add(r) for r in regions]
    for what, size in (("strings", len(strings.text)), ("spot prices", len(spots.items)), ("types", len(rows))):
        if size >= 2**16:
            raise SystemExit(f"{size} {what}: more than 16 bits can index")
    out = ["/* Made by embed.py from ec2.txt. */", "#include <providers/aws/ec2_table.h>", "",
           f"_Static_assert(EC2_REGIONS == {len(regions)}, \"columns of ec2.txt\");", "",
           "const uint16_t ec2_region_names[EC2_REGIONS] = {" + ", ".join(map(str, region_names)) + "};",
           f"const size_t ec2_row_count = {len(rows)};",
           "const ec2_row ec2_rows[] = {"] + rows + ["};",
           "const ec2_device ec2_devices[] = {"] + ["    " + d + "," for d in runs.items] + ["};",
           "const uint32_t ec2_spot_prices[] = {"] + wrapped(spots.items, 12) + ["};",
           "const char ec2_strings[] = {"] + wrapped([str(b) for b in strings.text.encode("ascii")], 32) + ["};", ""]
    with open(sys.argv[2], "w", encoding="ascii") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main()
