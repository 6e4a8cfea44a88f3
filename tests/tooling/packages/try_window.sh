#!/usr/bin/env bash
# Installs the deb or the rpm, uses it as an ordinary user with an empty home folder, and removes it again. This happens in
# a view of the machine that is thrown away, without a network. Needs root, what the journeys of the window need, and for
# an rpm the program rpm.
# Usage: try_window.sh PACKAGE [SPEC: the journeys, as for make test-window; without it, those of one file]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

give_up() { echo "try_window: $*" >&2; exit 1; }

# Mounts the view and goes on inside it, in a namespace in which every process ends with this one.
make_view() {
    local view=$1
    ip link set lo up
    mount -t tmpfs -o size=4g tmpfs "$view"
    mkdir "$view"/{changes,work,root}
    mount -t overlay -o "lowerdir=/,upperdir=$view/changes,workdir=$view/work" overlay "$view/root"
    mount -t proc proc "$view/root/proc"
    mount --rbind /dev "$view/root/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$view/root/tmp"
}

as_user() {
    setpriv --reuid roost-tester --regid roost-tester --clear-groups env --ignore-environment \
        HOME="$(getent passwd roost-tester | cut -d: -f6)" PATH=/usr/bin:/bin LANG=C.UTF-8 CARGO_TARGET_DIR=/tmp/tried "$@"
}

use_program() {
    as_user roost --version
    as_user sh -euc '
        cd /tmp
        roost serve --port 0 --ready-file ready.json &
        roost wait --ready-file ready.json --timeout 20s
        url=$(sed "s/.*\"url\": *\"\([^\"]*\)\".*/\1/" ready.json | tr -d "\n")
        curl --silent --fail --header "X-AUTH-KEY: any" "$url/contacts/v1/lists/" >/dev/null
        kill $!
        wait $! || true'
    as_user bash -euc 'source /usr/share/bash-completion/completions/roost; complete -p roost' >/dev/null
    # Where the machine has what reads them.
    ! command -v man >/dev/null || as_user man --where roost-serve
    ! command -v update-mime-database >/dev/null || grep -q application/x-roost-account /usr/share/mime/globs2
    ! command -v desktop-file-validate >/dev/null || desktop-file-validate /usr/share/applications/Roost.desktop
}

use_window() {
    as_user env ROOST_DESKTOP=/usr/bin/roost-desktop ROOST_BIN=/usr/bin/roost ROOST_BENCH="$PWD/target/debug/roost-bench" \
        node tests/tooling/e2e.mjs window "$1"
}

inside() {
    local package=$1 spec=$2 path
    local install=(dpkg --install) list=(dpkg --listfiles) remove=(dpkg --remove)
    # What it depends on is not known to rpm on a machine of Debian.
    [ "${package##*.}" = deb ] || { install=(rpm --install --nodeps) list=(rpm --query --list) remove=(rpm --erase); }
    useradd --create-home roost-tester
    "${install[@]}" "$package"
    # rpm on Debian lacks the trigger of Fedora that does this.
    ! command -v update-mime-database >/dev/null || update-mime-database /usr/share/mime
    local installed
    mapfile -t installed < <("${list[@]}" roost)
    use_program
    use_window "$spec"
    "${remove[@]}" roost
    for path in "${installed[@]}"; do
        [ ! -f "$path" ] || give_up "$path is still there after removal"
    done
    echo "try_window: $package was installed, used and removed"
}

if [ "${1:-}" = --inside ]; then
    inside "$2" "$3"
elif [ "${1:-}" = --view ]; then
    make_view "$2"
    cp "$3" "$2/root/tmp/roost.${3##*.}"
    chroot "$2/root" "$PWD/tests/tooling/packages/try_window.sh" --inside "/tmp/roost.${3##*.}" "$4"
else
    [ "$(id -u)" = 0 ] || give_up "only root can make the view of the machine"
    package=$(realpath "${1:?usage: try_window.sh PACKAGE [SPEC]}")
    view=$(mktemp --directory)
    trap 'rmdir "$view"' EXIT
    unshare --mount --net --pid --fork --kill-child "$PWD/tests/tooling/packages/try_window.sh" --view "$view" "$package" "${2:-window/open}"
fi
