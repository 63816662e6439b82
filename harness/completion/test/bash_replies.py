#!/usr/bin/env python3
"""Drives bash's completion function and compares its replies.

usage: bash_replies.py SCRIPT EXAMPLE KFDCTS KFDVM
"""
import os
import subprocess
import sys
import tempfile

script, example, kfdcts, kfdvm = sys.argv[1:]

# What the programs list must not depend on whose machine this is.
cache = tempfile.TemporaryDirectory()
environment = {**os.environ, "KFDCTS_CACHE": cache.name}

# Cut the line as readline does: at COMP_WORDBREAKS, runs of = and : being words of their own.
DRIVER = r'''
set -u
compopt() { :; }
source "$1"; program=$2 line=$3
COMP_WORDS=() rest=${line#* }
COMP_WORDS+=("$program")
while IFS= read -r word; do COMP_WORDS+=("$word"); done < <(
  printf '%s' "$rest" | grep -oE '[=:]+|[^ =:]+')
[[ $line == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_LINE="$program $rest"; COMP_POINT=${#COMP_LINE}
_kfdcts
printf '%s\n' "${COMPREPLY[@]}"
'''

failures = []


def replies(program, typed, folder=None):
    done = subprocess.run(
        ["bash", "-c", DRIVER, "bash", os.path.abspath(script), os.path.abspath(program), f"x {typed}"],
        capture_output=True, text=True, cwd=folder, env=environment, timeout=60, check=False)
    if done.returncode != 0 or done.stderr:
        failures.append(f"{typed!r}: exit {done.returncode}, {done.stderr.strip()}")
    return sorted(line for line in done.stdout.split("\n") if line)


def expect(program, typed, expected, folder=None):
    got = replies(program, typed, folder)
    if got != sorted(expected):
        failures.append(f"{os.path.basename(program)} {typed!r}: expected {sorted(expected)}, got {got}")


def expect_some(program, typed, wanted, unwanted=()):
    got = replies(program, typed)
    for word in wanted:
        if word not in got:
            failures.append(f"{os.path.basename(program)} {typed!r}: no {word} among {got[:30]}")
    for word in unwanted:
        if word in got:
            failures.append(f"{os.path.basename(program)} {typed!r}: {word} is among the replies")


expect(example, "--", ["--accel=", "--alone", "--colour=", "--count=", "--file=", "--help"])
expect(example, "--col", ["--colour="])
expect(example, "--hid", [])
expect(example, "", ["--accel=", "--alone", "--colour=", "--count=", "--file=", "--help", "-a", "-h",
                     "inherits", "own"])
expect(example, "--colour=", ["red", "green", "blue"])
expect(example, "--colour=g", ["green"])
expect(example, "--colour g", ["green"])
expect(example, "--colour x", [])
expect(example, "--accel=t", ["tcg"])
expect(example, "--count=", [])
expect(example, "--alone ow", ["own"])
# The nearer option of the same name is the one.
expect(example, "inherits --c", ["--colour", "--count="])
expect(example, "own --", ["--help", "--port", "--port="])
with tempfile.TemporaryDirectory() as folder:
    for name in ("one.xml", "other.xml", "third"):
        open(os.path.join(folder, name), "w", encoding="ascii").close()
    expect(example, "--file=o", ["one.xml", "other.xml"], folder)
    expect(example, "inherits o", ["one.xml", "other.xml"], folder)
    expect(example, "own -- o", ["one.xml", "other.xml"] + [
        word for word in replies(example, "own -- o", folder) if not word.endswith(".xml")], folder)

expect(kfdvm, "ru", ["run"])
expect(kfdvm, "run --accel=", ["auto", "tcg", "kvm"])
expect(kfdvm, "run --qui", ["--quick-driver"])
expect_some(kfdvm, "run --machine ve", ["vega10", "vega10x2", "vega10x4"], ["cpu-only"])
expect_some(kfdvm, "fetch --kernel=debian-", ["debian-6.1"])
expect(kfdcts, "--target=", ["auto", "host", "vm"])
expect_some(kfdcts, "--", ["--machine=", "--quick-driver", "--list-rules", "--help"], ["--execute="])
expect(kfdcts, "--gtest_fil", ["--gtest_filter="])
expect(kfdcts, "--gtest_filter=UserD", ["UserData."])
expect_some(kfdcts, "--gtest_filter=UserData.Set", ["UserData.SetAndQuery/"], ["UserData.Cleared/"])
expect(kfdcts, "--gtest_filter=UserData.SetAndQuery/vram/", ["UserData.SetAndQuery/vram/gpu0",
                                                              "UserData.SetAndQuery/vram/gpu1"])
expect(kfdcts, "--gtest_filter=UserData.Cleared*:UserD", ["UserData."])
expect(kfdcts, "--machine=vega10x", ["vega10x2", "vega10x4"])
expect(kfdcts, "breakages --fault", ["--fault="])
expect(kfdcts, "breakages --mach", ["--machine="])
# Here a flag, there an option with a value.
expect_some(kfdcts, "breakages --kern", ["--kernel"], ["--kernel="])
expect_some(kfdcts, "--kern", ["--kernel="], ["--kernel"])
expect_some(kfdcts, "explain PTR-1", ["PTR-1", "PTR-10"], ["PTR-2"])

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
