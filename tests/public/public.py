#!/usr/bin/env python3
"""Public programs beside the counters of a GPU.

    public.py run PROGRAMS [--warplens PATH] [--only NAME]   runs what programs.tsv lists, joins each with counters/NAME.csv
                                                             by `warplens compare`, writes results.csv, prints a summary
    public.py reduce EXPORTS                                 makes counters/ of the raw pages that profile.sh wrote
    public.py summary                                        what results.csv says; writes its causes anew

PROGRAMS is the folder that build.sh filled. The exit code of `run` is 1 if a program could not be run.
"""
import argparse, csv, json, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COUNTERS = os.path.join(HERE, "counters")
RESULTS = os.path.join(HERE, "results.csv")
COLUMNS = ["program", "kernel", "launches", "code", "counted_equal", "counted_different", "other_equal",
           "other_different", "differs", "cause"]


def listed():
    with open(os.path.join(HERE, "programs.tsv")) as file:
        return [row for row in csv.DictReader(file, delimiter="\t")]


def known_metrics():
    """The names of src/report/metrics.def."""
    names = []
    with open(os.path.join(HERE, "..", "..", "src", "report", "metrics.def")) as file:
        for line in file:
            if line.startswith(("FACT(", "METRIC(", "RATIO(")):
                names.append(line.split('"')[1])
    return names


def plain(text):
    """A number as ncu prints it, without the commas of its thousands."""
    return text.replace(",", "") if text.replace(",", "").replace(".", "").isdigit() else text


def reduce_export(source, target):
    with open(source, newline="") as file:
        rows = [row for row in csv.reader(line for line in file if line.startswith('"'))]
    if len(rows) < 3:
        return 0
    at = {name: i for i, name in enumerate(rows[0])}
    metrics = [name for name in known_metrics() + EXTRA if name in at]
    with open(target, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["kernel", "grid", "block"] + metrics)
        for row in rows[2:]:
            out.writerow([row[at["Kernel Name"]], row[at["Grid Size"]], row[at["Block Size"]]] +
                         [plain(row[at[name]]) for name in metrics])
    return len(rows) - 2


# Not among Warplens' own: what explains differences.
EXTRA = ["smsp__inst_executed_op_generic_ld.sum", "smsp__inst_executed_op_generic_st.sum"]


def reduce_all(exports):
    os.makedirs(COUNTERS, exist_ok=True)
    launches = 0
    for program in listed():
        source = os.path.join(exports, program["program"] + ".csv")
        if os.path.exists(source):
            launches += reduce_export(source, os.path.join(COUNTERS, program["program"] + ".csv"))
    print(f"{launches} launches")


def compared(warplens, program, folder):
    """What `warplens compare --json` says of one program."""
    counters = os.path.join(COUNTERS, program["program"] + ".csv")
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "run.json")
        command = [warplens, "run", "--timeout", "150", "--json", report,
                   os.path.join(folder, program["program"])] + program["arguments"].split()
        done = subprocess.run(command, cwd=folder, capture_output=True, errors="replace")
        if not os.path.exists(report):
            sys.stderr.write(f"{program['program']}: no report\n{done.stderr}\n")
            return None
        done = subprocess.run([warplens, "compare", "--json", report, counters], capture_output=True, errors="replace")
        if done.returncode not in (0, 1):
            sys.stderr.write(f"{program['program']}: {done.stderr}\n")
            return None
        return json.loads(done.stdout)


def causes():
    """Of differences that `warplens compare` cannot tell: by program, the kernel's beginning and a word of README.md."""
    with open(os.path.join(HERE, "causes.tsv")) as file:
        return [row for row in csv.DictReader(file, delimiter="\t")]


def cause_of(program, kernel):
    return [row["cause"] for row in causes() if row["program"] == program and kernel.startswith(row["kernel"])]


def rows_of(program, comparison):
    """A row a kernel."""
    rows = {}
    for launch in comparison["launches"]:
        key = (launch["kernel"], launch["code"])
        row = rows.setdefault(key, dict.fromkeys(COLUMNS, 0) | {
            "program": program, "kernel": launch["kernel"], "code": launch["code"], "differs": {}, "cause": set()})
        row["launches"] += 1
        for figure in launch["figures"]:
            sure = "counted" if figure["fidelity"] == "counted" and not figure["as_ptx"] else "other"
            if figure["equal"]:
                row[sure + "_equal"] += 1
                continue
            row[sure + "_different"] += 1
            ours, theirs = row["differs"].get(figure["name"], (0, 0))
            row["differs"][figure["name"]] = (ours + figure["run"], theirs + figure["profile"])
            row["cause"].add(figure["cause"])
    for row in rows.values():
        row["differs"] = "; ".join(f"{name} {ours:.12g} for {theirs:.12g}" for name, (ours, theirs) in row["differs"].items())
        told = sorted(cause for cause in row["cause"] if cause)
        row["cause"] = "; ".join((cause_of(program, row["kernel"]) if row["counted_different"] else []) or told)
        yield row
    for unpaired in comparison["only_in_profile"]:
        yield dict.fromkeys(COLUMNS, 0) | {
            "program": program, "kernel": unpaired["kernel"], "code": "-", "launches": unpaired["launches"],
            "differs": "no partner", "cause": unpaired["why"]}


def run_all(folder, warplens, only):
    rows, failed = [], 0
    if only and os.path.exists(RESULTS):
        with open(RESULTS, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["program"] not in only]
    for program in listed():
        name = program["program"]
        if (only and name not in only) or not os.path.exists(os.path.join(COUNTERS, name + ".csv")):
            continue
        result = compared(warplens, program, os.path.abspath(folder))
        if result is None:
            failed += 1
            continue
        mine = list(rows_of(name, result))
        rows += mine
        different = sum(int(row["counted_different"]) for row in mine)
        print(f"{name}: {sum(int(row['launches']) for row in mine)} launches, {different} counted figures differ", flush=True)
    write(rows)
    summary()
    return 1 if failed else 0


def rewrite_causes():
    with open(RESULTS, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if int(row["counted_different"]):
            row["cause"] = "; ".join(cause_of(row["program"], row["kernel"])) or row["cause"]
    write(rows)


def write(rows):
    rows.sort(key=lambda row: (row["program"], row["kernel"]))
    with open(RESULTS, "w", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def summary():
    with open(RESULTS, newline="") as file:
        rows = list(csv.DictReader(file))
    total = {name: sum(int(row[name]) for row in rows) for name in COLUMNS[2:8] if name != "code"}
    counted = total["counted_equal"] + total["counted_different"]
    print(f"{len({row['program'] for row in rows})} programs, {len(rows)} kernels, {total['launches']} launches, "
          f"{sum(int(row['launches']) for row in rows if row['code'] == 'sass')} of them as machine code")
    print(f"counted: {total['counted_equal']} of {counted} figures equal ({100 * total['counted_equal'] / max(counted, 1):.2f} %)")
    other = total["other_equal"] + total["other_different"]
    print(f"modelled or estimated: {total['other_equal']} of {other} equal")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("programs")
    run.add_argument("--warplens", default=os.path.join(HERE, "..", "..", "build", "warplens"))
    run.add_argument("--only", action="append")
    commands.add_parser("reduce").add_argument("exports")
    commands.add_parser("summary")
    arguments = parser.parse_args()
    if arguments.command == "reduce":
        return reduce_all(arguments.exports)
    if arguments.command == "summary":
        return rewrite_causes() or summary()
    return run_all(arguments.programs, os.path.abspath(arguments.warplens), arguments.only)


sys.exit(main())
