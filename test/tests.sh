#!/bin/sh
# All tests. In CI what failed is run once more in a new process, with nothing beside it: on a shared
# machine a process may start late, and a second try beside the first finds what that left behind.
PASSED_FILE=$(mktemp)
export PASSED_FILE
trap 'rm -f "$PASSED_FILE"' EXIT
npm run -s test:unit && exit
test -n "$CI" || exit 1
echo 'Once more, with nothing beside it, what failed:'
npm run -s test:unit -- --lastFailed --maxWorkers=1
