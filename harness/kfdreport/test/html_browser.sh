#!/bin/sh
# html_browser.sh KFDREPORT SCRIPT FOLDER FILE…: pages that `kfdreport html` writes of the files, one of the first and
# one of all, in headless Chromium, with axe-core of the npm registry. Screenshots go to FOLDER.
# 77: no Chromium, no npm, or no registry.
kfdreport=$1 script=$2 folder=$3
shift 3
for tool in node npm; do
  command -v $tool > /dev/null || { echo "skipped: no $tool"; exit 77; }
done
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { echo "skipped: no Chromium (Debian: chromium)"; exit 77; }
mkdir -p "$folder" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
"$kfdreport" html "$1" -o "$folder/one.html" || exit 1
"$kfdreport" html "$@" -o "$folder/all.html" || exit 1
cp "$script" "$scratch/browse.mjs" || exit 1
cd "$scratch" || exit 1
PUPPETEER_SKIP_DOWNLOAD=1 npm install --silent --no-audit --no-fund --ignore-scripts puppeteer-core@25.16.0 axe-core@4.14.1 ||
  { echo "skipped: npm fetched no puppeteer-core and axe-core"; exit 77; }
node browse.mjs "$browser" "$folder"
