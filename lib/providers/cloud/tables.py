# SPDX-License-Identifier: Apache-2.0
"""What the clouds' pack.py have in common: they read a folder, the program's only argument, and write one table."""
import json
import os
import sys


def number(value):
    """The shortest decimal, without the zero in front."""
    if value is None:
        return ""
    text = repr(value)
    if "e" in text or len(text.replace(".", "").lstrip("0")) > 15:
        raise SystemExit(f"{text}: more than fifteen digits")
    text = text[:-2] if text.endswith(".0") else text
    return text[1:] if text.startswith("0.") else text


def load(name):
    with open(os.path.join(sys.argv[1], name), encoding="utf-8") as f:
        return json.load(f)


def write(header, regions, zones, rows):
    """Writes the rows that have a cell of some region."""
    rows = ["|".join(facts + cells) for facts, cells in rows if any(cells)]
    sys.stdout.write(header + "regions " + " ".join(f"{r}:{zones[r]}" for r in regions) + "\n")
    sys.stdout.write("\n".join(rows) + f"\nend {len(rows)}\n")
