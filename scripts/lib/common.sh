# What the scripts of this folder share. Sourced, not run.
# shellcheck shell=bash

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jobs=${MERCER_JOBS:-$(nproc)}

# Prints the comment at the head of the calling script as its help, if the first argument asks for it.
help_if_asked() {
  if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[1]}"
    exit 0
  fi
}

no_more_arguments() {
  if (($# > 0)); then
    echo "$(basename "${BASH_SOURCE[1]}"): unknown argument '$1' (try --help)" >&2
    exit 2
  fi
}

# configure PRESET [-DNAME=VALUE …]: quiet unless it fails.
configure() {
  local preset=$1 log
  shift
  mkdir -p "$repository/build"
  log=$repository/build/configure-$preset.log
  if ! (cd "$repository" && cmake --preset "$preset" "$@") >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}

# build PRESET [TARGET …]
build() {
  local folder=$repository/build/$1
  shift
  cmake --build "$folder" --parallel "$jobs" ${1:+--target "$@"}
}

# Every C++ file of the repository, one per line, relative to it.
cpp_files() {
  local folder
  (cd "$repository" && for folder in src apps tests bench fuzz examples python; do
    if [[ -d $folder ]]; then find "$folder" -type f \( -name '*.h' -o -name '*.cpp' \); fi
  done | sort)
}
