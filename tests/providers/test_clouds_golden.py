#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A part of the golden answers of GCP's and Azure's providers, which stands in golden/: what is built in answers the same."""
import os
import sys

import cloud_golden


def main():
    dump = os.path.join(os.environ.get("KARP_BUILD", "build"), "tests", "test_providers_gcp")
    if not os.path.exists(dump):
        print("no libkarp-io")
        return 77
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
    bad = cloud_golden.gcp(folder, dump, None, None)
    with open(os.path.join(os.environ.get("KARP_SOURCE", "."), "lib", "providers", "azure", "data", "azure.txt"), encoding="ascii") as f:
        bad += cloud_golden.azure(folder, dump, None, f.read())
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
