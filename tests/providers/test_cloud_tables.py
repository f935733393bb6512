#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of GCP and Azure are what pack.py makes of the shared facts, and small: all regions and those that are built in. The facts
files of a release have every region of every cloud, and the program takes each."""
import os
import subprocess
import sys
import tempfile

CELLS = {"aws": 18, "azure": 7, "gcp": 6}
MOST, MOST_BUILT_IN = 1000 * 1000, 300 * 1000
CLOUDS = {"azure": ["7", "eastus", "westus2", "westeurope"],
          "gcp": ["6", "us-central1", "us-east1", "europe-west1"]}


def release_files(source):
    """Every tenth facts file of a release is read; all are counted and weighed."""
    sys.path.insert(0, os.path.join(source, "cloud"))
    import embed
    bad, files = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for cloud, cells in CELLS.items():
            name = "ec2.txt" if cloud == "aws" else cloud + ".txt"
            with open(os.path.join(source, cloud, "data", name), encoding="ascii") as f:
                lines = f.read().splitlines()
            for at, region in enumerate(embed.regions(lines)):
                text, path = embed.cut(lines, cells, [region]), os.path.join(folder, f"{cloud}-{region}.facts")
                files += 1
                bad += len(text) > MOST
                if at % 10 or "KARP" not in os.environ:
                    continue
                with open(path, "w", encoding="ascii") as f:
                    f.write(text)
                done = subprocess.run([os.environ["KARP"], "catalogue", "--provider", cloud, "--region", region, "--facts", path,
                                       "--export-facts"], capture_output=True, text=True)
                if done.returncode or done.stdout != text:
                    print(f"{path}: {done.stderr or 'is written otherwise than it was read'}")
                    bad += 1
    print(f"{files} facts files")
    return bad


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
    return 1 if bad + release_files(source) else 0


if __name__ == "__main__":
    sys.exit(main())
