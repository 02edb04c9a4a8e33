#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fetches what frisket is built with into .deps, as any user.  Run by ./dev; a second run ends at once.
#   .deps/venv   Python wheels: Halide, cmake, ninja, formatters
#   .deps/root   Debian packages, unpacked, not installed: Catch2 and small libraries
#   .deps/bin    programs that need a word before they run
#   .deps/log    what the tools said
#   .deps/done   the hash of the pins and of this script, written last
set -euo pipefail

cd "$(dirname "$0")/../.."
here=tools/setup
deps=$PWD/.deps
[[ -d $deps ]] && deps=$(cd "$deps" && pwd -P)  # it may be a link to that of another checkout
stamp=$( (cat $here/dependencies.txt $here/*.sh; echo "$deps"; uname -m) | sha256sum | cut -d' ' -f1)
[[ -f $deps/done && $(<"$deps/done") == "$stamp" && -x $deps/venv/bin/ninja ]] && exit 0

step_count=4
step_number=0
step_text=
step_begin=$SECONDS

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$@" >&2; exit 1; }
pins() { awk -v kind="^($1)$" '$1 ~ kind' $here/dependencies.txt; }

# step TEXT: ends the step before and names the next.
step() {
    end_step
    step_number=$((step_number + 1))
    step_begin=$SECONDS
    step_text=$1
    printf 'setup: %d/%d %s ...' $step_number $step_count "$1"
}
end_step() {
    [[ -z $step_text ]] || printf ' %d s\n' $((SECONDS - step_begin))
    step_text=
}
# give_up SENTENCE...: ends the line of the step, then says why.
give_up() { printf '\n'; fail "$@"; }

# last_lines LOG: what the tool said at its end.
last_lines() { grep -vE '^($|WARNING)' "$1" | tail -n 3 | cut -c 1-200 | sed 's/^/setup:   /' >&2; }

source $here/check.sh
source $here/wheels.sh
source $here/debian.sh

main() {
    mkdir -p "$deps/log"
    exec 9>"$deps/lock"
    if ! flock --nonblock 9; then
        say "another ./dev setup is running here: waiting for it"
        flock 9
    fi
    [[ -f $deps/done && $(<"$deps/done") == "$stamp" ]] && exit 0
    rm -f "$deps/done"
    local begin=$SECONDS
    say "into .deps: about 195 MB to fetch, 600 MB on disk, a minute or two"
    step "compiler and Python";   check_machine
    step "Python environment";    make_environment
    step "wheels: $(pins 'wheel|python' | awk '{printf "%s%s", sep, $2; sep = ", "}')"; fetch_wheels
    step "Debian packages: $(pins debian | awk '{printf "%s%s", sep, $2; sep = ", "}')"; fetch_debian
    end_step
    [[ -z ${notes:-} ]] || say "$notes"
    echo "$stamp" > "$deps/done.new" && mv "$deps/done.new" "$deps/done"
    say "done in $((SECONDS - begin)) s"
}
main
