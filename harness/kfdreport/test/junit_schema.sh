#!/bin/sh
# junit_schema.sh KFDREPORT RNG FILES…: `kfdreport junit` of each file, and of all together, is what Jenkins takes; and
# the schema can refuse: kfdcts' own form, which has properties of test cases, is not.
# With KFDCTS_JUNIT_XSD naming a copy of the plugin's junit-10.xsd, that judges, too. 77: no xmllint.
kfdreport=$1 rng=$2
shift 2
command -v xmllint > /dev/null || { echo "skipped: no xmllint (libxml2-utils)"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

valid() {
  xmllint --noout --huge --relaxng "$rng" "$1" || return 1
  [ -z "$KFDCTS_JUNIT_XSD" ] || xmllint --noout --huge --schema "$KFDCTS_JUNIT_XSD" "$1"
}

for file in "$@"; do
  "$kfdreport" junit "$file" -o "$scratch/one.xml" && valid "$scratch/one.xml" || exit 1
done
"$kfdreport" junit "$@" -o "$scratch/all.xml" && valid "$scratch/all.xml" || exit 1
for file in "$@"; do
  case $file in
    */kfdcts.xml)
      if valid "$file" 2> /dev/null; then
        echo "$file: taken, which has what the schema lacks"
        exit 1
      fi ;;
  esac
done
