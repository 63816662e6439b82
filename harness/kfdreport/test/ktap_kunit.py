#!/usr/bin/env python3
"""Reads what `kfdreport ktap` writes by the kernel's own parser, tools/testing/kunit/kunit_parser.py.

ktap_kunit.py KFDREPORT JUNIT PASSED FAILED SKIPPED: how many test cases the parser must count. The parser is looked
for in $KFDCTS_KERNEL_SOURCE, in the kernel trees of the cache and in /usr/src; exits 77 where there is none.
"""
import contextlib
import glob
import io
import os
import subprocess
import sys
import tarfile
import tempfile

SKIPPED = 77
TOOLS = "tools/testing/kunit"
NEEDED = ("kunit_parser.py", "kunit_printer.py")


def folder(into):
    cache = os.environ.get("KFDCTS_CACHE", os.path.expanduser("~/.cache/kfdcts"))
    trees = [os.environ.get("KFDCTS_KERNEL_SOURCE", ""), *glob.glob(cache + "/*/*/*/source"),
             *glob.glob(cache + "/*/*/source"), *glob.glob("/usr/src/linux*/")]
    for tree in trees:
        if tree and os.path.exists(os.path.join(tree, TOOLS, NEEDED[0])):
            return os.path.join(tree, TOOLS)
    for archive in glob.glob("/usr/src/linux-source-*.tar.xz"):
        with tarfile.open(archive) as tar:
            for member in tar:
                if os.path.dirname(member.name).endswith(TOOLS) and os.path.basename(member.name) in NEEDED:
                    member.name = os.path.basename(member.name)
                    tar.extract(member, into)
        return into
    return None


def main():
    kfdreport, junit, *expected = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        place = folder(scratch)
        if not place:
            print("skipped: no kernel source with kunit_parser.py (KFDCTS_KERNEL_SOURCE, linux-source-*)")
            return SKIPPED
        sys.path.insert(0, place)
        sys.dont_write_bytecode = True
        ktap = subprocess.run([kfdreport, "ktap", junit], check=True, stdout=subprocess.PIPE, text=True).stdout
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):  # which its printer takes when it is imported
            import kunit_parser
            try:
                test = kunit_parser.parse_run_tests(ktap.splitlines())
            except TypeError:  # since 6.13 it takes its printer
                from kunit_printer import stdout as printer
                test = kunit_parser.parse_run_tests(ktap.splitlines(), printer)
    counts = test.counts
    got = [counts.passed, counts.failed, counts.skipped]
    print(f"{place}: passed, failed, skipped {got}; errors {counts.errors}, crashed {counts.crashed}")
    if got == [int(word) for word in expected] and counts.errors == 0 and counts.crashed == 0:
        return 0
    print(f"expected {expected}\n{shown.getvalue()}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
