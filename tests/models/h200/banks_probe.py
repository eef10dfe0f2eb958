#!/usr/bin/env python3
"""Joins the table that banks_probe wrote with what Nsight Compute counted for each instruction.

usage: ncu -i banks.ncu-rep --page source --csv >source.csv
       banks_probe.py entries.csv source.csv banks.csv
Rows of banks.csv: op, mask, offsets of the 32 lanes in units of the width, wavefronts, ideal.
"""
import csv, re, sys

NAMES = "ld1 st1 ld2 st2 ld4 st4 add4 cas4 ld8 st8 cas8 ld16 st16 red4 inc4 exch4 min4 exch8".split()
ACCESS = re.compile(r"\b(LDS|STS|ATOMS)\S* .*?\[(R\d+)(?:\+U?R?Z?\d*)?(?:\+(0x[0-9a-f]+))?\]")


def measured(path):
    """(op, launch, entry) -> set of (wavefronts, ideal, active lanes); the page lists every launch twice."""
    found, seen, head, key = {}, {}, None, None
    for row in csv.reader(open(path)):
        if not row:
            continue
        if row[0] == "Kernel Name":
            op = NAMES[int(re.search(r"\(int\)(\d+)", row[1]).group(1))]
            key = (op, seen.get(op, 0) // 2)
            seen[op] = seen.get(op, 0) + 1
        elif row[0] == "Address":
            head = {name: i for i, name in enumerate(row)}
        else:
            source = row[head["Source"]].strip()
            match = ACCESS.search(source)
            if not match or source.startswith("LDS"):  # the last load of a probe has no guard
                continue
            entry = int(match.group(3) or "0", 16) // 128
            values = tuple(int(row[head[c]]) for c in ("L1 Wavefronts Shared", "L1 Wavefronts Shared Ideal",
                                                       "Predicated-On Thread Instructions Executed"))
            found.setdefault((*key, entry), set()).add(values)
    return found


def main(entries, source, out):
    found = measured(source)
    with open(out, "w") as f:
        f.write("op,mask,units,wavefronts,ideal\n")
        for row in csv.DictReader(open(entries)):
            (wavefronts, ideal, lanes), = found[(row["op"], int(row["launch"]), int(row["entry"]))]
            assert lanes == bin(int(row["mask"], 16)).count("1"), row
            f.write(f"{row['op']},{row['mask']},{row['units']},{wavefronts},{ideal}\n")


main(*sys.argv[1:])
