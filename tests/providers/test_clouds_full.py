#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every golden answer of GCP's and Azure's providers, where they are at hand."""
import os
import sys

import cloud_golden


def main():
    data = os.path.join(os.environ.get("KARP_SHARED", ""), "clouds")
    dump = os.path.join(os.environ.get("KARP_BUILD", "build"), "tests", "test_providers_gcp")
    source = os.path.join(os.environ.get("KARP_SOURCE", "."), "lib", "providers")
    if not os.path.exists(os.path.join(data, "golden")) or not os.path.exists(dump):
        print("skipped: no golden answers, or no libkarp-io")
        return 77
    golden = os.path.join(data, "golden")
    with open(os.path.join(source, "gcp", "data", "gcp.txt"), encoding="ascii") as f:
        bad = cloud_golden.gcp(golden, dump, f.read(), cloud_golden.gcp_all_types(os.path.join(data, "gcp")))
    with open(os.path.join(source, "azure", "data", "azure.txt"), encoding="ascii") as f:
        table = f.read()
    bad += cloud_golden.azure(golden, dump, table, table)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
