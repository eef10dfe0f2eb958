#!/usr/bin/env python3
"""Runs the test suites of clients against Warplens. On demand: `./wl test` does not, for they take hours.

    tests/clients/suites.py numba DIR [PATTERN]             numba-cuda's, which is in its wheel
    tests/clients/suites.py tinygrad DIR --tree CHECKOUT    test/backend/test_ops.py of tinygrad's repository

The packages come from PyPI into DIR/env (tinygrad's tests compare with torch: 4 GB), results into DIR. Each file of tests
is a process of its own under `warplens run`, because a kernel that fails ends CUDA for its process; what failed is run
again alone. A file that has results in DIR is not run again. The exit code says whether anything failed that suites.txt
does not list.
"""
import argparse
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
    """The name of each test ("module::class::test") and "passed", "failed" or "skipped"."""
    found = {}
    for case in xml.parse(path).getroot().iter("testcase"):
        place = case.get("classname")
        if not place:
            return {}  # the file could not be read
        if not place.rpartition(".")[2].startswith("test_"):  # a class of a file, not a file
            place = "::".join(place.rsplit(".", 1))
        name = f"{place}::{case.get('name')}"
        kinds = {child.tag for child in case}
        found[name] = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
    return found


class Suite:
    def __init__(self, options):
        self.folder = pathlib.Path(options.folder).resolve()
        self.warplens, self.seconds = options.warplens, str(options.timeout)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.python = environment(self.folder, PACKAGES[options.suite])
        (self.folder / "conftest.py").write_text(CONFTEST)
        self.variables = [f"PYTHONPATH={self.folder}"]
        if options.suite == "tinygrad":
            self.variables = [f"PYTHONPATH={options.tree}", "DEV=CUDA:PTX"]
            self.files = [f"{options.tree}/test/backend/test_ops.py"]
        else:
            tests = next(self.folder.glob("env/lib/python*/site-packages/numba_cuda/numba/cuda/tests"))
            files = sorted(path.relative_to(tests) for path in tests.glob("*/test_*.py"))
            self.files = ["numba.cuda.tests." + ".".join(path.with_suffix("").parts) for path in files]

    def run(self, selection):
        """The outcomes of a file or of one test; {} if there are none: the process died, or could not read the file."""
        base = self.folder / selection.replace("/", "_").replace("::", "-")
        results = base.with_name(base.name + ".xml")
        if not results.exists():
            command = ["env", *self.variables, self.warplens, "run", "--out", f"{base}.report", "--", self.python]
            command += ["-m", "pytest", "-q", "-p", "conftest", "-o", "consider_namespace_packages=true", "--timeout", self.seconds, "--junitxml", results]
            with open(f"{base}.log", "w") as log:
                subprocess.run([*command, "--pyargs", selection], stdout=log, stderr=log, cwd=self.folder)
        return outcomes(results) if results.exists() else {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=PACKAGES)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("pattern", nargs="?", default="", help="only files whose name has this in it")
    parser.add_argument("--tree", help="a checkout of tinygrad")
    parser.add_argument("--warplens", default=WARPLENS)
    parser.add_argument("--timeout", type=int, default=600, help="seconds for a test")
    options = parser.parse_args()
    if options.suite == "tinygrad" and not options.tree:
        parser.error("tinygrad needs --tree")
    lines = (HERE / "suites.txt").read_text().splitlines()
    known = {line.split()[0] for line in lines if line and not line.startswith("#")}
    suite, total, unknown = Suite(options), {"passed": 0, "failed": 0, "skipped": 0}, []
    for file in suite.files:
        if options.pattern not in file:
            continue
        found = suite.run(file)
        if not found:
            unknown.append(file)
        for name, outcome in found.items():
            if outcome == "failed":
                outcome = suite.run("::".join([file, *name.split("::")[1:]])).get(name, "failed")
            total[outcome] += 1
            if outcome == "failed" and name.split("::", 1)[1] not in known:
                unknown.append(name)
        print(file, total, flush=True)
    print(*unknown, sep="\n")
    return bool(unknown)


if __name__ == "__main__":
    sys.exit(main())
