#!/bin/sh
# big_input.sh KFDREPORT: 100,000 test cases with an output each, one of them of 200 MB, in 700 MB of address space.
kfdreport=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
awk 'BEGIN {
  print "<testsuites><testsuite name=\"Big\">"
  for (i = 0; i < 2000; ++i) line = line "a line of a long output &amp; what it said\n"
  for (i = 0; i < 100000; ++i) {
    print "<testcase name=\"case" i "\" time=\"0.001\"><properties><property name=\"rule\" value=\"BIG-" i % 50 "\"/>"
    print "</properties>" (i % 100 == 0 ? "<failure message=\"it failed\"/>" : "") "<system-out>"
    for (lines = 0; lines < (i == 5 ? 2500 : 0); ++lines) printf "%s", line
    print "output of " i "</system-out></testcase>"
  }
  print "</testsuite></testsuites>"
}' > "$scratch/big.xml" || exit 1
ls -l "$scratch/big.xml"
ulimit -v 700000
for command in junit ktap "text --slowest=3" statement; do
  "$kfdreport" $command "$scratch/big.xml" -o "$scratch/out" || exit 1
  [ "$command" = junit ] && mv "$scratch/out" "$scratch/merged.xml"
done
"$kfdreport" text "$scratch/merged.xml" | grep -q "100000 tests: 99000 passed, 1000 failed" || exit 1
grep -q "bytes left out" "$scratch/merged.xml" || exit 1
"$kfdreport" compare "$scratch/big.xml" "$scratch/merged.xml"
