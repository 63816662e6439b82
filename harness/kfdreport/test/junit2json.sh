#!/bin/sh
# junit2json.sh KFDREPORT SCRIPT FILE TESTS FAILURES SKIPPED: what `kfdreport junit` writes, read by junit2json of the
# npm registry. 77: no npm, or no registry.
kfdreport=$1 script=$2 file=$3
shift 3
for tool in node npm; do
  command -v $tool > /dev/null || { echo "skipped: no $tool"; exit 77; }
done
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
"$kfdreport" junit "$file" -o "$scratch/merged.xml" || exit 1
cp "$script" "$scratch/read.mjs" || exit 1
cd "$scratch" || exit 1
npm install --silent --no-audit --no-fund --ignore-scripts junit2json@4.0.0 ||
  { echo "skipped: npm fetched no junit2json"; exit 77; }
node read.mjs merged.xml "$@"
