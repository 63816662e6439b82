#!/usr/bin/env python3
"""Checks what the documents name: tests, flags, files, bugs and the number of faults exist, and manual pages are whole.

usage: check_names.py SOURCE BIN

SOURCE is the project's folder, BIN that of the programs. Prints what is wrong and exits 1 where anything is.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

import yaml

# What documents may name although no program of ours has it.
FOREIGN_FLAGS = {
    "--all": "./kfdcts test",
    "--preset": "cmake", "--build": "cmake", "--install": "cmake", "--prefix": "cmake",
    "--args": "gdb",
    "--no-install-recommends": "apt-get",
    "--fail": "curl", "--silent": "curl", "--location": "curl", "--header": "curl",
    "--gtest_fail_fast": "GoogleTest, whose help does not list it",
}
# A test that the README writes as an example.
EXAMPLE_TESTS = {"PointerInfo.FirstByte"}
PROGRAMS = ("kfdcts", "kfdvm", "kfdreport", "vgpu", "kfdcheck")

source, binaries = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
complaints = []


def run(program, *arguments):
    done = subprocess.run([binaries / program, *arguments], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def listed_tests(program):
    tests, suite = set(), ""
    for line in run(program, "--gtest_list_tests").splitlines():
        word = line.split("#")[0].rstrip()
        if word and not word.startswith(" "):
            suite = word
        elif word:
            tests.add(suite + word.strip())
    return tests


def options(program):
    """The words by which the program's options are named, of its subcommands too."""
    if program in ("vgpu", "kfdcheck"):
        lines = re.findall(r"^\s+(?:(-\w),)?(--[a-z][\w-]*)", run(program, "--help"), re.MULTILINE)
        return {word for line in lines for word in line if word and not word.startswith("--gtest_")}
    words = (line.split("\t")[1] for line in run(program, "--completion-words").splitlines())
    return {word for word in words if word.startswith("-")}


def documents():
    for pattern in ("README.md", "docs/*.md", "docs/ci/*.yml", "docs/man/*.1", "fixtures/*/README.md",
                    "fixtures/*/*/README.md"):
        yield from sorted(source.glob(pattern))


def text_of(path):
    text = path.read_text(encoding="utf-8")
    if path.name == "kfdtest.md":  # The left column has kfdtest's flags.
        flags = text.index("## Flags")
        rows = (row.split("|")[-2] if row.startswith("| ") else row for row in text[flags:].splitlines())
        text = text[:flags] + "\n".join(rows)
    return text


def check_tests(path, text, tests):
    suites = {test.split(".")[0] for test in tests}
    for name in re.findall(rf"(?<![\w/])-?((?:{'|'.join(sorted(suites))})\.[\w*?/]+)", text):
        if name.split("/")[0] in EXAMPLE_TESTS or "/NAME" in name:
            continue
        patterns = (name, name + "/*")
        if not any(fnmatch.fnmatchcase(test, pattern) for test in tests for pattern in patterns):
            complaints.append(f"{path.relative_to(source)}: no test {name}")


def check_flags(path, text, known):
    for flag in re.findall(r"(?<![\w-])--[a-z][\w-]*[a-z\d]", text):
        if flag not in known and flag not in FOREIGN_FLAGS:
            complaints.append(f"{path.relative_to(source)}: no program has {flag}")


def check_files(path, text):
    """Links, and paths between backticks."""
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        if not (path.parent / target).exists():
            complaints.append(f"{path.relative_to(source)}: link to {target}, which is not there")
    for name in re.findall(r"`((?:docs|fixtures|cmake|harness|thunk|suites)/[\w./*-]+)`", text):
        if "SUITE" not in name and not list(source.glob(name.rstrip("/"))):
            complaints.append(f"{path.relative_to(source)}: {name} is not there")


def check_bugs(path, text, bugs):
    for bug in re.findall(r"\bBUG-\d+", text):
        if bug not in bugs:
            complaints.append(f"{path.relative_to(source)}: {bug} is in no list")


def check_manual(program, has):
    """The page has an item for each option of the program, and for no other."""
    page = (source / "docs" / "man" / f"{program}.1").read_text(encoding="utf-8")
    items = re.findall(r"^\.(?:It|Op|Nm|Fl) .*|^\.Fl .*", page, re.MULTILINE)
    named = {"-" + flag for item in items for flag in re.findall(r"Fl (-?[\w-]*\w)", item)}
    for flag in sorted(has - named):
        complaints.append(f"docs/man/{program}.1: says nothing of {flag}")
    for flag in sorted(named - has):
        if not flag.startswith("--gtest_"):
            complaints.append(f"docs/man/{program}.1: {program} has no {flag}")


def check_yaml(path):
    try:
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        complaints.append(f"{path.relative_to(source)}: {error}")
        return
    if not isinstance(jobs, dict):
        complaints.append(f"{path.relative_to(source)}: no mapping")
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"(?<![\w/.])((?:harness|fixtures|cmake)/[\w./*-]*\w\*{0,2})", text):
        if not list(source.glob(name)):
            complaints.append(f"{path.relative_to(source)}: {name} is not there")
    commands = {line.split("\t")[1] for line in run("kfdreport", "--completion-words").splitlines()
                if line.split("\t")[2] == "command"}
    for command in re.findall(r"bin/kfdreport (\S+)", text):
        if command not in commands:
            complaints.append(f"{path.relative_to(source)}: kfdreport has no {command}")
    kinds = {line["kind"] for line in yaml.safe_load(
        (source / "fixtures/kernel-log/filters.yaml").read_text(encoding="utf-8"))["lines"]}
    for list_of_kinds in re.findall(r"--abort-on=([\w,-]+)", text):
        for kind in set(list_of_kinds.split(",")) - kinds:
            complaints.append(f"{path.relative_to(source)}: no kind {kind} in fixtures/kernel-log/filters.yaml")


def main():
    tests = set()
    for program in ("kfdcts", "kfdcheck"):
        listed = listed_tests(program)
        if not listed:
            sys.exit(f"{program} lists no test")
        tests |= listed
    own = {program: options(program) for program in PROGRAMS}
    gtest = set(re.findall(r"--gtest_\w+", run("kfdcts", "--gtest_help")))
    known = set().union(gtest, *own.values())
    bugs = set(re.findall(r"id: (BUG-\d+)", (source / "fixtures/spec/known-bugs.yaml").read_text(encoding="utf-8")))
    for path in documents():
        text = text_of(path)
        check_tests(path, text, tests)
        check_flags(path, text, known)
        check_files(path, text)
        check_bugs(path, text, bugs)
    for path in sorted((source / "docs" / "ci").glob("*.yml")):
        check_yaml(path)
    for program in PROGRAMS:
        check_manual(program, own[program])
    inc = (source / "thunk/src/fault/faults.inc").read_text(encoding="utf-8")
    faults = len(re.findall(r"^KFDCTS_FAULT\(", inc, re.MULTILINE))
    for said in re.findall(r"(\d+) faults", (source / "README.md").read_text(encoding="utf-8")):
        if int(said) != faults:
            complaints.append(f"README.md: {said} faults, while faults.inc has {faults}")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main())
