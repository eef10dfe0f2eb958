#!/usr/bin/env python3
"""Runs the test suites of clients against Warplens. On demand: `./wl test` does not, for they take hours.

    tests/clients/suites.py numba DIR [PATTERN]             numba-cuda's, which is in its wheel
    tests/clients/suites.py tinygrad DIR --tree CHECKOUT    test/backend/test_ops.py of tinygrad's repository

The packages come from PyPI into DIR/env, unless that is there (tinygrad's tests compare with torch: 4 GB), results into DIR.
Each part of a suite, which is a file of numba-cuda's or eight of tinygrad's tests, is a process of its own under
`warplens run`, because a kernel that fails ends CUDA for its process; --jobs of them run at a time. What failed, and each
test of a part whose process died, is run again alone. A part that has results in DIR is not run again, so a run that was
cut off goes on where it was. The exit code says whether anything failed that suites.txt does not list.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
WARPLENS = HERE.parent.parent / "build" / "warplens"
PACKAGES = {
    "numba": ["numba-cuda[cu13]==0.30.4", "pytest<9", "pytest-benchmark", "psutil", "cffi", "filecheck", "ml_dtypes", "scipy"],
    "tinygrad": ["torch==2.9.1", "numpy", "pytest", "hypothesis"],
}
# numba-cuda's tests ask for a fixture that its wheel leaves out.
CONFTEST = """import pytest

@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
"""


def environment(folder, packages):
    python = folder / "env" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "pytest-timeout", *packages], check=True)
    return python


def outcomes(path):
    """The name of each test ("class::test" or "test") and "passed", "failed" or "skipped"; {} if the file was not read."""
    found = {}
    for case in xml.parse(path).getroot().iter("testcase") if path.exists() else []:
        place = case.get("classname")
        if not place:
            return {}
        last = place.rpartition(".")[2]  # a file, or a class of it
        name = case.get("name") if last.startswith("test_") else f"{last}::{case.get('name')}"
        kinds = {child.tag for child in case}
        found[name] = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
    return found


class Suite:
    def __init__(self, options):
        self.folder = pathlib.Path(options.folder).resolve()
        self.warplens, self.seconds = pathlib.Path(options.warplens).resolve(), options.timeout
        self.threads = str(max(1, os.cpu_count() // options.jobs))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.python = environment(self.folder, PACKAGES[options.suite])
        (self.folder / "conftest.py").write_text(CONFTEST)
        if options.suite == "tinygrad":
            tree = pathlib.Path(options.tree).resolve()
            self.variables = [f"PYTHONPATH={tree}", "DEV=CUDA:PTX", "CACHELEVEL=0", f"OMP_NUM_THREADS={self.threads}"]
            self.parts = self.groups(tree / "test/backend/test_ops.py")
        else:
            self.variables = [f"PYTHONPATH={self.folder}"]
            tests = next(self.folder.glob("env/lib/python*/site-packages/numba_cuda/numba/cuda/tests"))
            files = sorted(path.relative_to(tests) for path in tests.glob("*/test_*.py"))
            files = ["numba.cuda.tests." + ".".join(path.with_suffix("").parts) for path in files]
            self.parts = {file: [file] for file in files}

    def groups(self, file):
        """The tests of a file, eight to a part, neighbours apart: they take alike long."""
        base = self.folder / f"{file.stem}.collected"
        if not base.exists():
            if self.pytest(base.with_suffix(".log"), [], ["--collect-only", "-q", file]) != 0:
                sys.exit(f"no tests: see {base.with_suffix('.log')}")
            base.with_suffix(".log").rename(base)
        names = [line.partition("::")[2] for line in base.read_text().splitlines() if "::" in line and " " not in line]
        count = -(-len(names) // 8)
        return {f"{file.stem}-{i:03}": [f"{file}::{name}" for name in names[i::count]] for i in range(count)}

    def pytest(self, log, options, arguments):
        """Runs pytest under Warplens, with the options for `warplens run`; its exit code."""
        command = ["env", *self.variables, self.warplens, "run", "--out", log.with_suffix(".report"), "--threads", self.threads]
        command += [*options, "--", self.python, "-m", "pytest", "-p", "conftest", "-o", "consider_namespace_packages=true"]
        with open(log, "w") as output:
            return subprocess.run([*command, *arguments], stdout=output, stderr=output, cwd=self.folder).returncode

    def run(self, label, selection):
        """The outcomes of the selected tests; {} if there are none: the process died, or could not read the file."""
        base = self.folder / label.replace("/", "_").replace("::", "-")
        results = base.with_name(base.name + ".xml")
        if not results.exists():
            # pytest's own limit does not end what hangs outside of Python.
            limit = ["--timeout", str(self.seconds * len(selection) + 60)] if "::" in selection[0] else []
            self.pytest(base.with_name(base.name + ".log"), limit,
                        ["-q", "--timeout", str(self.seconds), "--junitxml", results, "--pyargs", *selection])
        return outcomes(results)

    def judge(self, label):
        """The outcomes of a part, what failed having been run again alone."""
        selection = self.parts[label]
        file = selection[0].partition("::")[0]
        found = self.run(label, selection)
        if not found and "::" in selection[0]:
            found = {name.partition("::")[2]: "failed" for name in selection}
        for name, outcome in found.items():
            if outcome == "failed":
                found[name] = self.run(f"{label}::{name}", [f"{file}::{name}"]).get(name, "failed")
        return label, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=PACKAGES)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("pattern", nargs="?", default="", help="only parts whose name has this in it")
    parser.add_argument("--tree", help="a checkout of tinygrad")
    parser.add_argument("--warplens", default=WARPLENS)
    parser.add_argument("--timeout", type=int, default=600, help="seconds for a test")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time, which share the cores")
    options = parser.parse_args()
    if options.suite == "tinygrad" and not options.tree:
        parser.error("tinygrad needs --tree")
    lines = (HERE / "suites.txt").read_text().splitlines()
    known = {line.split()[0] for line in lines if line and not line.startswith("#")}
    suite, total, unknown = Suite(options), {"passed": 0, "failed": 0, "skipped": 0}, []
    parts = [label for label in suite.parts if options.pattern in label]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(suite.judge, label) for label in parts]):
            label, found = done.result()
            if not found:
                unknown.append(label)
            for name, outcome in found.items():
                total[outcome] += 1
                if outcome == "failed":
                    print("failed:", label, name, flush=True)
                if outcome == "failed" and name not in known:
                    unknown.append(f"{label} {name}")
            print(label, total, flush=True)
    print("Failed, and not known to:", *unknown or ["none"], sep="\n")
    return bool(unknown)


if __name__ == "__main__":
    sys.exit(main())
