#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts the golden answers of GCP's and Azure's providers to what stands beside this file.

    excerpt.py FOLDER    with the whole ones, FOLDER/gcp-amounts.json.gz and so on
"""
import gzip
import json
import os
import sys

TYPES = {
    "gcp": ["a2-highgpu-1g", "c3-standard-8-lssd", "c4-standard-288-lssd-metal", "c4a-standard-4", "c4d-highmem-8-lssd", "e2-medium",
            "e2-standard-4", "f1-micro", "g2-standard-24", "n1-standard-1", "n2d-highmem-8", "t2a-standard-4",
            "z3-highmem-14-standardlssd"],
    "azure": ["Standard_A2_v2", "Standard_B2s", "Standard_B20ms", "Standard_D2s_v3", "Standard_D2s_v5", "Standard_D4ps_v5", "Standard_D96s_v5",
              "Standard_E104i_v5", "Standard_E4d_v5", "Standard_F16s_v2", "Standard_M416s_8_v2", "Standard_NC24ads_A100_v4",
              "Standard_NV36ads_A10_v5", "Standard_ND96isr_MI300X_v5"],
}
REGIONS = {"gcp": ["us-central1"], "azure": ["eastus"]}


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for cloud, names in TYPES.items():
        def load(what):
            with gzip.open(os.path.join(sys.argv[1], f"{cloud}-{what}.json.gz")) as f:
                return json.load(f)

        def keep(what, value):
            path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{cloud}-{what}.json")
            with open(path, "w", encoding="ascii") as f:
                json.dump(value, f, sort_keys=True, separators=(",", ":"))
                f.write("\n")

        def of(types):
            return {n: types[n] for n in names if n in types}

        amounts, labels, offerings, launch = map(load, ("amounts", "labels", "offerings", "launch"))
        amounts["types"] = of(amounts["types"])
        if "offered" in amounts:
            amounts["offered"] = {k: [n for n in v if n in names] for k, v in amounts["offered"].items()}
        keep("amounts", amounts)
        keep("labels", dict(labels, types={n: e for n, e in of(labels["types"]).items()
                                           if e.get("region", REGIONS[cloud][0]) in REGIONS[cloud]}))
        keep("offerings", {r: of(offerings[r]) for r in REGIONS[cloud]})
        keep("launch", dict(launch, answers={k: v for k, v in launch["answers"].items() if k.split("/")[0] in REGIONS[cloud]}))


if __name__ == "__main__":
    main()
