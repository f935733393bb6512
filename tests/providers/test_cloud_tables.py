#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of GCP and Azure are what pack.py makes of the shared facts, and small: all regions and those that are built in."""
import os
import subprocess
import sys
import tempfile

MOST, MOST_BUILT_IN = 1000 * 1000, 300 * 1000
CLOUDS = {"azure": ["7", "eastus", "westus2", "westeurope"],
          "gcp": ["6", "us-central1", "us-east1", "europe-west1"]}


def main():
    source = os.path.join(os.environ.get("KARP_SOURCE", "."), "lib", "providers")
    shared = os.path.join(os.environ.get("KARP_SHARED", ""), "clouds")
    bad = 0
    for cloud, cut in CLOUDS.items():
        folder = os.path.join(source, cloud, "data")
        with open(os.path.join(folder, cloud + ".txt"), encoding="ascii") as f:
            kept = f.read()
        with tempfile.NamedTemporaryFile("r") as out:
            subprocess.run([sys.executable, os.path.join(source, "cloud", "embed.py"), os.path.join(folder, cloud + ".txt"),
                            out.name, "table", *cut], check=True)
            built_in = int(next(line for line in out if line.startswith("const size_t")).split("= ")[1].rstrip(";\n"))
        print(f"{cloud}: {len(kept)} bytes, {built_in} of them built in")
        bad += len(kept) > MOST or built_in > MOST_BUILT_IN
        if not os.path.exists(shared):
            print("skipped: the shared facts are not at hand")
            continue
        made = subprocess.run([sys.executable, os.path.join(folder, "pack.py"), os.path.join(shared, cloud)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        if made != kept:
            print(f"{cloud}.txt is not what pack.py makes of the facts")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
