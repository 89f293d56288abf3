#!/bin/sh
# opcodes.sh ARCH FILE...: how often each SASS opcode stands for a conversion, the most frequent first.
set -eu
arch=$1
shift
cvtlower --arch "$arch" "$@" |
    sed -n 's/^ *\/\*[0-9a-f]*\*\/ *\(@!\{0,1\}U\{0,1\}P[0-9T] \)\{0,1\} *\([A-Z0-9._]*\).*/\2/p' |
    sort | uniq -c | sort -k1,1nr -k2
