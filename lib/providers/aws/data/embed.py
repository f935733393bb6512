#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns ec2.txt into the C tables of ../ec2_table.h.

    embed.py ec2.txt ec2_table.c
"""
import re
import sys

NONE = "EC2_NONE"
FLAGS = {"b": "BARE_METAL", "e": "ENCRYPTION", "n": "NITRO_ENCLAVES", "t": "TRUNKING", "v": "NVME", "k": "CLUSTER_PLACEMENT",
         "A": "ARM64", "o": "ON_DEMAND", "s": "SPOT", "c": "CAPACITY_BLOCK", "N": "NESTED_VIRTUALIZATION"}
CELLS = 18  # before those of the regions
KINDS = {"gpu": "GPU", "inference": "INFERENCE", "neuron": "NEURON"}


class Strings:
    """One text with every string once, each ended by a NUL; values are offsets."""

    def __init__(self):
        self.text = ""
        self.known = {}

    def add(self, value):
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
    if text == "":
        return NONE
    whole, _, part = text.partition(".")
    if len(part) > 6:
        raise SystemExit(f"{text}: more than six decimals")
    value = int(whole or "0") * 10**6 + int(part.ljust(6, "0") or "0")
    if value >= 2**32 - 1:
        raise SystemExit(f"{text}: too dear for the table")
    return f"{value}u"


def count(text):
    return f"{int(text)}u" if text else NONE


def device(text, strings):
    kind, maker, name, number, last = text.split(":")
    return f"{{{last}u, {strings.add(maker)}u, {strings.add(name)}u, {number}u, EC2_{KINDS[kind]}}}"


def offer(text, spots, zones):
    letters, on_demand, spot = (text or "-//").split("/")
    letters = "" if letters == "-" else letters or zones
    if list(letters) != sorted(set(letters)) or any(not "a" <= z <= "h" for z in letters):
        raise SystemExit(f"{text}: zones must be letters a to h, in order")
    mask = sum(1 << (ord(z) - ord("a")) for z in letters)
    prices = [] if not spot else [micro(p) for p in spot.split(",")]
    if prices and len(prices) != len(letters):
        raise SystemExit(f"{text}: a spot price for each zone, or none")
    return mask, micro(on_demand), spots.add(prices) if prices else 0, 1 if prices else 0


def row(line, strings, runs, spots, zones):
    c = line.split("|")
    if len(c) != CELLS + len(zones) or c[CELLS - 1]:
        raise SystemExit(f"{line}: {CELLS} columns and those of the regions are expected, and no interfaces by card")
    flags = [f"EC2_{FLAGS[f]}" for f in c[3]]
    kinds = [device(d, strings) for d in c[16].split(",") if d]
    offers = [offer(o, spots, z) for o, z in zip(c[CELLS:], zones)]
    fields = [f"{c[2]}u", count(c[13]), count(c[14]), count(c[15]), count(c[12]),
              "{" + ", ".join(o[1] for o in offers) + "}", "{" + ", ".join(f"{o[2]}u" for o in offers) + "}",
              " | ".join(flags) or "0", str(strings.add(c[0])), str(strings.add(c[4])), str(strings.add(c[6])), c[1], c[5] or "0",
              c[7], c[8], c[10] or "0", c[11] or "0", str(runs.add(kinds)), str(len(kinds)), c[9],
              "{" + ", ".join(str(o[0]) for o in offers) + "}", "{" + ", ".join(str(o[3]) for o in offers) + "}"]
    return "    {" + ", ".join(fields) + "},"


def c_text(text):
    """A literal. Behind a NUL a digit would belong to its escape."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + re.sub("\0(?=[0-7])", "\\\\000", plain).replace("\0", "\\0") + '"'


def strings_of(name, text):
    """The definition of a table's strings, the last of which has the literal's own NUL."""
    lines = re.findall("(?:[^\0]*\0){1,16}", text)
    return ["#if defined(__GNUC__)", '#pragma GCC diagnostic ignored "-Woverlength-strings"', "#endif",
            f"const char {name}[] ="] + [c_text(line) for line in lines[:-1]] + [c_text(lines[-1][:-1]) + ";", ""]


def wrapped(items, per_line):
    return [", ".join(items[i:i + per_line]) + "," for i in range(0, len(items), per_line)]


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding="ascii") as f:
        lines = [line.rstrip("\n") for line in f if not line.startswith("#")]
    head = next(i for i, line in enumerate(lines) if line.startswith("regions "))
    places = [place.split(":") for place in lines[head].split(" ")[1:]]
    regions, zones = [p[0] for p in places], [p[1] for p in places]
    as_of = next(line[len("as-of "):] for line in lines if line.startswith("as-of "))
    sources = "".join(line + "\n" for line in lines if line.startswith("source "))
    strings, runs, spots = Strings(), Runs(), Runs()
    rows = [row(line, strings, runs, spots, zones) for line in lines[head + 1:-1]]
    region_names = [strings.add(r) for r in regions]
    for what, size in (("strings", len(strings.text)), ("spot prices", len(spots.items)), ("types", len(rows))):
        if size >= 2**16:
            raise SystemExit(f"{size} {what}: more than 16 bits can index")
    out = ["/* Made by embed.py from ec2.txt. */", "#include <providers/aws/ec2_table.h>", "",
           f"_Static_assert(EC2_REGIONS == {len(regions)}, \"columns of ec2.txt\");", "",
           "const uint16_t ec2_region_names[EC2_REGIONS] = {" + ", ".join(map(str, region_names)) + "};",
           f"const char ec2_as_of[] = {c_text(as_of)};", f"const char ec2_sources[] = {c_text(sources)};",
           f"const size_t ec2_row_count = {len(rows)};",
           "const ec2_row ec2_rows[] = {"] + rows + ["};",
           "const ec2_device ec2_devices[] = {"] + ["    " + d + "," for d in runs.items] + ["};",
           "const uint32_t ec2_spot_prices[] = {"] + wrapped(spots.items, 12) + ["};"] + strings_of("ec2_strings", strings.text)
    with open(sys.argv[2], "w", encoding="ascii") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main()
