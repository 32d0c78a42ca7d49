#!/bin/sh
# Writes the declarations from the sources in src: generate.sh [DIRECTORY].
# The directory is emptied first; default dts/types. Needs `npm ci` at the
# repository's root.
set -eu
out=$(realpath -m "${1:-$(dirname "$0")/dts/types}")
cd "$(dirname "$0")"
rm -rf "$out"
../../node_modules/.bin/tsc -p src --outDir "$out"
cp src/globals.d.ts "$out/"
