#!/bin/sh
# The developer's commands. Starts from a bare Debian 12, Debian 13 or Ubuntu 24.04: what a command needs, it installs.
set -eu
cd "$(dirname "$0")"

usage() {
  cat <<'END'
./wl setup             install what is missing (apt; a second run costs nothing)
./wl build [PRESET]    build into build/ (presets: release, debug, asan-ubsan, tsan; others than release in build-PRESET/)
./wl test [FILTER]     build, then run the tests (whose name matches FILTER, a regular expression)
./wl test --preset P [FILTER]      the same with another preset
./wl test --sanitizers [FILTER]    under AddressSanitizer with UndefinedBehaviorSanitizer, then under ThreadSanitizer
./wl bless [FILTER]    run the tests and take what they print as the expected output; look at `git diff` afterwards
./wl demo              build, then run Warplens on examples/demo.cu
./wl bench [ARGS]      build, then run the benchmarks
./wl fmt               format the sources
./wl lint              check the format, the layering rules and the documents' links
END
}

# Without these nothing builds. The last line: LLVM's static archives need them, and no package asks for them.
required='ca-certificates git cmake ninja-build g++ clang-19 llvm-19-dev
  libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev liblz4-dev libgtest-dev libgmock-dev
  libzstd-dev zlib1g-dev'
# These make it faster or check more. Where one cannot be had, the rest still works.
optional='ccache mold clang-format-19 libclang-rt-19-dev libfuzzer-19-dev
  python3-jsonschema libopenblas0 libmpfr-dev'

missing() {  # of the packages named, the ones that are not installed
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true) "
  for package in "$@"; do
    case $installed in *" installed:$package "*) ;; *) echo "$package" ;; esac
  done
}

die() { echo "wl: $*" >&2; exit 1; }

setup() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "wl: no apt here, so nothing is installed; needed: $(echo $required)" >&2
    return
  fi
  need=$(missing $required)
  want=$(missing $optional)
  [ -n "$need$want" ] || return 0
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || as_root=none
    [ -n "$as_root" ] || as_root=sudo
  fi
  if [ "$as_root" = none ]; then
    [ -z "$need" ] || die "not root and no sudo; as root, run: apt-get install $(echo $need)"
    return 0
  fi
  echo "wl: installing (a minute or two):" $need $want >&2
  apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" >/dev/null; }
  apt update || echo "wl: apt-get update failed; trying with the lists there are" >&2
  apt install --no-install-recommends -y $need $want && return
  [ -z "$need" ] || apt install --no-install-recommends -y $need || die "apt-get could not install: $(echo $need)"
  echo "wl: going on without some of:" $want >&2
}

folder_of() { [ "$1" = release ] && echo build || echo "build-$1"; }

build() {  # build PRESET [TARGET...]
  preset=$1; shift
  setup
  folder=$(folder_of "$preset")
  [ -e "$folder/build.ninja" ] || cmake --preset "$preset" >"$folder.log" 2>&1 || { cat "$folder.log" >&2; die "cmake failed"; }
  rm -f "$folder.log"
  cmake --build "$folder" -- "$@" >&2
}

run_tests() {  # run_tests PRESET [FILTER] [ctest's options]
  folder=$(folder_of "$1"); filter=${2:-.}
  shift; [ $# = 0 ] || shift
  # ThreadSanitizer cannot place its shadow memory under the strongest address randomisation; that is off in the tests.
  fixed=
  [ "$folder" != build-tsan ] || ! setarch -R true 2>/dev/null || fixed='setarch -R'
  $fixed ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "$(nproc)" -R "$filter" "$@"
}

test_command() {
  if [ "${1:-}" = --sanitizers ]; then  # the same tests, but for those labelled slow; each preset in a build of its own
    shift
    for preset in asan-ubsan tsan; do build "$preset"; run_tests "$preset" "${1:-.}" -LE slow; done
    return
  fi
  preset=release
  if [ "${1:-}" = --preset ]; then preset=${2:?a preset}; shift 2; fi
  build "$preset"
  run_tests "$preset" "$@"
}

sources() { find src tests tools bench include -name '*.cpp' -o -name '*.h'; }

command=${1:-help}
[ $# = 0 ] || shift
case $command in
  setup) setup ;;
  build) build "${1:-release}" ;;
  test) test_command "$@" ;;
  bless) build release; WARPLENS_BLESS=1 run_tests release "${1:-.}" -LE 'fuzz' ;;
  demo) build release src/all; exec build/warplens run examples/demo.cu ;;
  bench) build release engine_bench; exec build/bench/engine_bench "$@" ;;
  fmt) setup; sources | xargs clang-format-19 -i ;;
  lint) build release meta_test; sources | xargs clang-format-19 --dry-run -Werror; build/tests/meta/meta_test --gtest_brief=1 ;;
  help | -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
