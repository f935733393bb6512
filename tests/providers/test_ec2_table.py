#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ec2.txt is what pack.py makes of the shared tables, and small."""
import os
import subprocess
import sys

MOST = 400 * 1024


def main():
    source = os.environ.get("KARP_SOURCE", ".")
    folder = os.path.join(source, "lib", "providers", "aws", "data")
    with open(os.path.join(folder, "ec2.txt"), encoding="ascii") as f:
        kept = f.read()
    if len(kept) >= MOST:
        print(f"ec2.txt has {len(kept)} bytes")
        return 1
    data = os.path.join(os.environ.get("KARP_SHARED", ""), "catalogue")
    tables = [os.path.join(data, name) for name in ("ec2-instance-types.json", "ec2-prices.json")]
    if not all(map(os.path.exists, tables)):
        print("the tables are not at hand")
        return 77
    made = subprocess.run([sys.executable, os.path.join(folder, "pack.py"), *tables], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    if made == kept:
        return 0
    for number, (a, b) in enumerate(zip(kept.splitlines(), made.splitlines()), 1):
        if a != b:
            print(f"ec2.txt:{number}: {a}\n  pack.py makes: {b}")
            break
    print("ec2.txt is not what pack.py makes of the tables")
    return 1


if __name__ == "__main__":
    sys.exit(main())
