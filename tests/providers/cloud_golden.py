# SPDX-License-Identifier: Apache-2.0
"""Compares what the providers of GCP and Azure answer with golden answers: what Karpenter's providers' own code answers."""
import gzip
import json
import os
import re
import subprocess
import tempfile
from fractions import Fraction

UNITS = {"": 1, "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9,
         "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
PARTS = ("capacity", "kubeReserved", "systemReserved", "evictionThreshold", "allocatable")


def value(text):
    number, unit = re.fullmatch(r"(-?[0-9.]+)([A-Za-z]*)", text).groups()
    return Fraction(number) * UNITS[unit]


def load(path):
    with (gzip.open(path) if path.endswith(".gz") else open(path, "rb")) as f:
        return json.load(f)


class Golden:
    """One cloud's answers in a folder, and how many agree."""

    def __init__(self, cloud, folder, dump):
        self.cloud, self.folder, self.dump = cloud, folder, dump
        self.compared, self.bad = {}, 0

    def answers(self, what):
        for end in (".json", ".json.gz"):
            path = os.path.join(self.folder, f"{self.cloud}-{what}{end}")
            if os.path.exists(path):
                return load(path)
        raise SystemExit(f"{self.folder} has no {self.cloud}-{what}")

    def ask(self, region, node_class, settings, what, facts=None, mixes=""):
        text = ";".join(f"{k}={v}" for k, v in settings.items())
        command = [self.dump, self.cloud, region, json.dumps(node_class), text, what]
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
            if facts:
                f.write(facts)
                f.flush()
                command.append("all=" + f.name)
            out = subprocess.run(command, input=mixes, check=True, stdout=subprocess.PIPE, text=True).stdout
        return [json.loads(line) for line in out.splitlines()]

    def check(self, what, where, want, got):
        self.compared[what] = self.compared.get(what, 0) + 1
        if want == got:
            return
        self.bad += 1
        if self.bad <= 20:
            print(f"{self.cloud} {what} {where}: {got}, the provider's own code says {want}")

    def check_amounts(self, where, want, got):
        for part in PARTS:
            self.check("amounts", f"{where} {part}", {k: value(v) for k, v in want[part].items()},
                       {k: value(v) for k, v in got[part].items()})

    def check_requirements(self, where, want, got, but=()):
        def sort(all_):
            return {k: v if isinstance(v, str) else sorted(v) for k, v in all_.items() if k not in but}
        self.check("labels", where, sort(want), sort(got))

    def report(self):
        print(f"{self.cloud}: " + ", ".join(f"{n} {what}" for what, n in self.compared.items()) +
              f" compared, {self.bad} differ")
        return self.bad


def mix_lines(mixes, zone):
    out = []
    for mix in mixes:
        out += [f"request {k} {v}" for k, v in mix["requests"].items()]
        for r in mix["requirements"]:
            out.append(" ".join(["req", r["key"], r["operator"], *(zone if v == "%z" else v for v in r.get("values", []))]))
        out.append("launch " + mix["name"])
    return "\n".join(out) + "\n"


def by_name(list_):
    return {entry["name"]: entry for entry in list_}


def zones_of(entry):
    return sorted({o["requirements"]["topology.kubernetes.io/zone"][0] for o in entry["offerings"]})


def prices_of(entry, kind):
    return {o["price"] for o in entry["offerings"] if o["requirements"]["karpenter.sh/capacity-type"] == [kind]}


# ---- GCP ------------------------------------------------------------------------------------------


def gcp_all_types(data):
    """A table in which every type with facts has a price, also those that no region prices."""
    rows = []
    for t in sorted(load(os.path.join(data, "machine-types.json"))["types"], key=lambda t: t["name"]):
        a = t.get("accelerator")
        rows.append("|".join([t["name"], str(t["vcpus"]), str(t["memoryMiB"]), "a" if t["arch"] == "arm64" else "",
                              f"{a['type']}*{a['count']}" if a else "", str(t.get("localSsd", {}).get("partitions", "")), "/1/"]))
    return "\n".join(["karp-facts gcp 1", "regions us-central1:abcf", *rows, f"end {len(rows)}", ""])


def gcp(folder, dump, facts, all_regions):
    """facts: the table with all regions; all_regions: one with every type, or None."""
    g = Golden("gcp", folder, dump)
    amounts, labels = g.answers("amounts"), g.answers("labels")
    for i, setting in enumerate(amounts["settings"]):
        got = by_name(g.ask("us-central1", {"spec": setting["spec"]},
                            {"vmMemoryOverheadPercent": setting["vmMemoryOverheadPercent"]}, "types", all_regions))
        for name, each in amounts["types"].items():
            g.check_amounts(f"{name} {setting['name']}", each[i], got[name])
        want = labels["classHashes"][setting["name"]]
        have = g.ask("us-central1", {"spec": setting["spec"]}, {}, "hash")[0]
        g.check("hashes", setting["name"], (want["version"], want["hash"]), (have["version"], have["hash"]))
    regions = {e["region"] for e in labels["types"].values()}
    for region in sorted(regions):
        got = by_name(g.ask(region, {}, {}, "types", facts))
        for name, e in labels["types"].items():
            if e["region"] == region:
                g.check_requirements(name, e["requirements"], got[name]["requirements"])
    for region, types in sorted(g.answers("offerings").items()):
        initial = by_name(g.ask(region, {}, {"prices": "initial"}, "offers", facts))
        current = by_name(g.ask(region, {}, {}, "offers", facts))
        for name in sorted(types.keys() | (initial.keys() if len(types) > 20 else set())):
            want, a, b = types.get(name), initial.get(name), current.get(name)
            got = a and {"zones": zones_of(a), "onDemand": max(prices_of(a, "on-demand")), "spotBuiltIn": max(prices_of(a, "spot")),
                         "spotUpdated": max(prices_of(b, "spot")), "offerings": len(a["offerings"])}
            g.check("offerings", f"{region} {name}", want, got)
    launches(g, facts, lambda prices: {"prices": "initial" if prices == "builtIn" else "current"}, {})
    return g.report()


def launches(g, facts, settings, node_class):
    answers = g.answers("launch")
    places = sorted({tuple(key.split("/")[:-1]) for key in answers["answers"]})
    for place in places:
        region = place[0]
        kept = by_name(g.ask(region, {}, {}, "offers", facts))
        zones = sorted({z for e in kept.values() for z in zones_of(e)} - {"0"})
        got = by_name(g.ask(region, node_class, settings(place[1] if len(place) > 1 else ""), "launch", facts,
                            mix_lines(answers["mixes"], zones[1] if len(zones) > 1 else (zones or [region + "-2"])[0])))
        for mix in answers["mixes"]:
            want = answers["answers"].get("/".join(place + (mix["name"],)))
            if want is not None:
                have = got[mix["name"]]
                g.check("launches", f"{place} {mix['name']}", want, {k: have.get(k) for k in want})


# ---- Azure ----------------------------------------------------------------------------------------


# Sizes with ephemeral OS disks whose disks are seen facts; where they are not, the golden answers are without them.
EXACT = {"Standard_B20ms", "Standard_D128ds_v6", "Standard_D16plds_v5", "Standard_D2s_v3", "Standard_D4s_v3", "Standard_D64s_v3",
         "Standard_DS2_v2", "Standard_E4d_v5", "Standard_F16s_v2", "Standard_NC16as_T4_v3", "Standard_NC24ads_A100_v4", "Standard_NC6s_v3"}


def azure_all_sizes(table):
    """Every size of a table as if eastus had it in three zones."""
    rows = ["|".join([*line.split("|")[:7], "/1//"]) for line in table.splitlines() if line.count("|") > 6]
    return "\n".join(["karp-facts azure 1", "regions eastus:123", *rows, f"end {len(rows)}", ""])


def azure_settings(setting):
    plugin = (setting["networkPlugin"], setting["networkPluginMode"])
    return {"vmMemoryOverheadPercent": setting["vmMemoryOverheadPercent"], "nodeResourceGroup": "rg",
            "networkPlugin": "azure-overlay" if plugin == ("azure", "overlay") else plugin[0], "prices": "initial"}


def azure_class(setting):
    return {"spec": setting["spec"], "status": setting.get("status") or {}}


def azure(folder, dump, facts, table):
    """facts: the table with all regions, or None for those that are built in; table: one with all sizes."""
    g = Golden("azure", folder, dump)
    amounts, labels = g.answers("amounts"), g.answers("labels")
    sizes = azure_all_sizes(table)
    rows = [line.split("|") for line in table.splitlines() if line.count("|") > 6]
    unseen = {row[0] for row in rows if "e" in row[4]} - EXACT
    seen = set()
    whole = len(amounts["types"]) > 1000
    for setting in amounts["settings"]:
        got = by_name(g.ask("eastus", azure_class(setting), azure_settings(setting), "types", sizes))
        offered = amounts["offered"][setting["name"]]
        g.check("lists", setting["name"], sorted(offered), sorted(got.keys() & (got.keys() if whole else amounts["types"].keys())))
        for name in offered:
            if name not in got:
                continue
            g.check_amounts(f"{name} {setting['name']}", amounts["types"][name][setting["name"]], got[name])
            if name in labels["types"] and name not in seen:
                seen.add(name)
                g.check_requirements(name, labels["types"][name], got[name]["requirements"],
                                     {"karpenter.azure.com/sku-storage-ephemeralos-maxsize"} if name in unseen else ())
        want, have = labels["classHashes"][setting["name"]], g.ask("eastus", azure_class(setting), {}, "hash")[0]
        g.check("hashes", setting["name"], (want["version"], want["hash"]), (have["version"], have["hash"]))
    g.check("lists", "labels of all sizes", labels["types"].keys(), seen)
    usual = azure_settings(amounts["settings"][0])
    for region, types in sorted(g.answers("offerings").items()):
        got = by_name(g.ask(region, {}, usual, "offers", facts))
        for name in sorted(types.keys() | (got.keys() if len(types) > 20 else set())):
            e = got.get(name)
            g.check("offerings", f"{region} {name}", types.get(name), e and {
                "zones": zones_of(e), "onDemand": max(prices_of(e, "on-demand")), "spot": max(prices_of(e, "spot")),
                "spotAvailable": any(o["available"] for o in e["offerings"]
                                     if o["requirements"]["karpenter.sh/capacity-type"] == ["spot"])})
    launches(g, facts, lambda prices: usual, {})
    return g.report()
