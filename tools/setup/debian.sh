# SPDX-License-Identifier: MIT
# Debian packages without root: apt with a state of its own downloads, dpkg-deb unpacks.  Read by setup.sh.

fetch_debian() {
    local codename
    codename=$(. /etc/os-release 2> /dev/null && echo "${VERSION_CODENAME:-}") || true
    if [[ $codename != bookworm ]] || ! command -v apt-get dpkg-deb > /dev/null; then
        notes="this is not Debian 12, so install these yourself if you have not (names as in Debian, versions or newer):$(
            pins debian | awk '$2 !~ /^lib.*[0-9]$/ && $2 != "catch2" {printf " %s %s", $2, $3}')"
        return
    fi
    apt_state="$deps/apt"
    rm -rf "$deps/root.new"
    mkdir -p "$apt_state"/{lists/partial,cache/archives/partial,packages} "$deps/root.new"
    write_sources
    apt_get update || apt_failed "apt could not read the package lists of Debian: is there a network?"
    grep -q '^[WE]: Failed to fetch' "$deps/log/apt.txt" &&
        apt_failed "apt could not read the package lists of Debian: is there a network?"
    download_and_unpack
    add_ccache
    rm -rf "$deps/root"
    mv "$deps/root.new" "$deps/root"
    rm -rf "$apt_state"
}

# The mirror is the one that this machine uses; apt is asked for it.
write_sources() {
    local site signed= keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    site=$(apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE)' 2> /dev/null |
           awk '$2 == "bookworm" {print $1; exit}')
    [[ -n $site ]] || give_up "apt knows no mirror of Debian 12 (bookworm): is there one in /etc/apt/sources.list?"
    [[ -r $keyring ]] && signed="[signed-by=$keyring] "
    printf "deb $signed%s %s main\n" "$site" bookworm "$site" bookworm-backports > "$apt_state/sources.list"
}

apt_get() {
    (cd "$apt_state/packages" && LC_ALL=C apt-get --quiet --yes \
        -o Dir::State="$apt_state" -o Dir::State::lists="$apt_state/lists" -o Dir::State::status=/var/lib/dpkg/status \
        -o Dir::Cache="$apt_state/cache" -o Dir::Etc::sourcelist="$apt_state/sources.list" -o Dir::Etc::sourceparts=- \
        -o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::Retries=2 "$@") > "$deps/log/apt.txt" 2>&1
}

apt_failed() {
    printf '\n'
    last_lines "$deps/log/apt.txt"
    fail "$1" "all it said is in .deps/log/apt.txt; ./dev setup can be run again at any time"
}

download_and_unpack() {
    local kind name version suite file found
    # All at once: apt reads its lists once.
    apt_get download $(pins debian | awk '{print $2 "/" $4}') || apt_failed "apt could not fetch a package of Debian"
    while read -r kind name version suite; do
        file=$(echo "$apt_state/packages/${name}_"*.deb)
        found=$(dpkg-deb --field "$file" Version)
        [[ $found == *"$version"* ]] || notes="${notes:+$notes; }$name is $found here, $version was tested"
        dpkg-deb -x "$file" "$deps/root.new"
    done < <(pins debian)
}

# ccache with its library and a cache beside it.
add_ccache() {
    local triplet
    triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2> /dev/null || echo "$(uname -m)-linux-gnu")
    mkdir -p "$deps/bin"
    cat > "$deps/bin/ccache.new" << END
#!/bin/sh
export CCACHE_DIR="\${CCACHE_DIR:-$deps/ccache}" LD_LIBRARY_PATH="$deps/root/usr/lib/$triplet\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
exec "$deps/root/usr/bin/ccache" "\$@"
END
    chmod +x "$deps/bin/ccache.new"
    mv "$deps/bin/ccache.new" "$deps/bin/ccache"
}
