#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts a table of facts to a few regions and writes it as a C constant.

    embed.py facts.txt out.c NAME COLUMNS REGION...

COLUMNS is how many stand in a row before those of the regions. Types that none of the regions has are left out.
"""
import sys


def regions(lines):
    """The names of a table's regions."""
    return [place.split(":")[0] for line in lines if line.startswith("regions ") for place in line.split(" ")[1:]]


def cut(lines, columns, wanted):
    """The table with these regions alone, without remarks."""
    rows, out, places = 0, [], []
    for line in lines:
        if line.startswith("#"):
            continue
        if line.startswith("regions "):
            names = line.split(" ")[1:]
            by_name = {n.split(":")[0]: i for i, n in enumerate(names)}
            places = [by_name[r] for r in wanted]
            out.append("regions " + " ".join(names[i] for i in places))
        elif line.startswith("end "):
            out.append(f"end {rows}")
        elif "|" in line:
            cells = line.split("|")
            kept = [cells[columns + i] for i in places]
            if any(kept):
                out.append("|".join(cells[:columns] + kept))
                rows += 1
        else:
            out.append(line)
    return "\n".join(out) + "\n"


def c_text(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def main():
    if len(sys.argv) < 6:
        raise SystemExit(__doc__)
    source, target, name, columns = sys.argv[1:5]
    with open(source, encoding="ascii") as f:
        lines = cut(f.read().splitlines(), int(columns), sys.argv[5:])
    out = [f"/* Made by embed.py from {source.rsplit('/', 1)[-1]}. */", "#include <stddef.h>", "",
           "#if defined(__GNUC__)", '#pragma GCC diagnostic ignored "-Woverlength-strings"', "#endif",
           f"extern const char {name}[];", f"extern const size_t {name}_length;",
           f"const size_t {name}_length = {len(lines)};", f"const char {name}[] ="]
    out += [c_text(line) for line in lines.splitlines(keepends=True)] + [";", ""]
    with open(target, "w", encoding="ascii") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main()
