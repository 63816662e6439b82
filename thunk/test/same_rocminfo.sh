#!/bin/sh
# In a guest: Debian's rocminfo prints on the library in the folder LIB what it prints on its own.
# Usage: same_rocminfo.sh LIB
set -eu
lib=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

LD_LIBRARY_PATH=$lib ldd "$(command -v rocminfo)" >"$work/ldd"
grep -q "libhsakmt.so.1 => $lib/" "$work/ldd" || {
  echo "rocminfo does not take libhsakmt from $lib:" >&2
  cat "$work/ldd" >&2
  exit 1
}
rocminfo >"$work/debian"
LD_LIBRARY_PATH=$lib rocminfo >"$work/ours"
grep -q ' Name: *gfx' "$work/debian"
diff -u "$work/debian" "$work/ours"
