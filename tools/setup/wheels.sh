# SPDX-License-Identifier: MIT
# The Python environment and what pip puts into it.  Read by setup.sh.

# pip_wheel: the wheel that Python makes pip of, which runs as it is: to install it takes 3 s.  Nothing, where there is none.
pip_wheel() {
    python3 -c '
import ensurepip, pathlib, sysconfig
places = [sysconfig.get_config_var("WHEEL_PKG_DIR"), pathlib.Path(ensurepip.__file__).parent / "_bundled"]
found = [wheel for place in places if place for wheel in pathlib.Path(place).glob("pip-*.whl")]
print(f"{found[0]}/pip" if found else "")'
}

make_environment() {
    local unfinished=$deps/venv/.unfinished clear=
    # One that was left in the middle of pip, or that came from another place, is made anew.
    if [[ -e $unfinished ]] || ! "$deps/venv/bin/python" -c '' 2> /dev/null ||
       ! grep -qsF "$deps/venv" "$deps/venv/bin/activate"; then clear=--clear; fi
    pip=("$(pip_wheel)")
    [[ -n ${pip[0]} ]] || pip=(-m pip)
    python3 -m venv $clear $([[ ${pip[0]} == -m ]] || echo --without-pip) "$deps/venv" > "$deps/log/venv.txt" 2>&1 || {
        rm -rf "$deps/venv"
        printf '\n'
        last_lines "$deps/log/venv.txt"
        fail "python3 could not make an environment in .deps/venv (Debian: apt-get install python3-venv)"
    }
    touch "$unfinished"
}

fetch_wheels() {
    local log=$deps/log/pip.txt
    pins wheel | awk '{print $2 "==" $3}' > "$deps/log/wheels.txt"
    # Those of the Python package are for Python 3.11 and newer.
    if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        pins python | awk '{print $2 "==" $3}' >> "$deps/log/wheels.txt"
    else
        notes="${notes:+$notes; }Python is older than 3.11: ./dev python has nothing to build with"
    fi
    # No dependencies: of Halide's wheel only the C++ part is used.
    env -u PIP_TARGET -u PIP_PREFIX -u PYTHONPATH PIP_USER=0 \
        "$deps/venv/bin/python" "${pip[@]}" install --disable-pip-version-check --no-input --no-deps --only-binary :all: \
        --requirement "$deps/log/wheels.txt" > "$log" 2>&1 || {
        printf '\n'
        last_lines "$log"
        if grep -qiE 'connection|resolve|timed out|unreachable|proxy|certificate' "$log"; then
            fail "pip could not reach its package index: is there a network? ./dev setup can be run again at any time"
        fi
        fail "pip could not install the wheels; all it said is in .deps/log/pip.txt"
    }
    rm "$deps/venv/.unfinished"
}
