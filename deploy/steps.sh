# shellcheck shell=bash
# Sourced by quickstart, run-tests and .ci/run: steps that say what they do, how long it
# took, and where to look when they fail.

# step TITLE COMMAND...: runs COMMAND in this shell and prints its time.
step() {
  local title=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$title"
  "$@"
  printf '   (%s: %d s)\n' "$title" "$((SECONDS - start))"
}

# step_within MINUTES TITLE COMMAND...: a step that fails if it took longer.
step_within() {
  local minutes=$1 start=$SECONDS
  step "${@:2}"
  if ((SECONDS - start <= minutes * 60)); then return 0; fi
  printf 'Took longer than it may: %s: %d s, of at most %d s\n' "$2" "$((SECONDS - start))" \
    "$((minutes * 60))" >&2
  return 1
}

# quietly LOG COMMAND...: runs COMMAND with its output in LOG; shows the end if it fails.
quietly() {
  local log=$1 code=0
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 || code=$?
  if ((code == 0)); then return 0; fi
  tail -n 40 "$log" >&2
  printf 'Failed (exit code %d): %s\nThe whole log: %s\n' "$code" "$*" "$log" >&2
  return "$code"
}

# How many compilers to run at once: one per processor, and 1.5 GB of memory for each,
# which is what a source that includes gRPC's headers can take.
build_jobs() {
  local processors kilobytes jobs
  processors=$(nproc)
  kilobytes=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
  jobs=$((kilobytes / 1500000))
  if ((jobs > processors)); then jobs=$processors; fi
  if ((jobs < 1)); then jobs=1; fi
  echo "$jobs"
}

# build_tests [TARGET...]: these targets of the release preset with its tests, or everything.
build_tests() {
  echo "Log: build/release/build.log"
  quietly build/release/configure.log cmake --preset release -DTOPICWALL_BUILD_TESTS=ON \
    -DTOPICWALL_BUILD_PYTHON=ON -DTOPICWALL_BUILD_WORKER=ON
  quietly build/release/build.log cmake --build --preset release -j "$(build_jobs)" \
    ${1:+--target "$@"}
}

# run_programs FOLDER FILTER PARTS PROGRAM...: these test programs of a build folder, each shared out
# over that many processes, one more at once than there are processors, since many tests wait: a
# process for every test takes twice as long. The largest begin, so that none is left to run alone.
run_programs() {
  local folder=$1 parts=$3
  export folder parts filter=$2
  export -f run_part
  (cd "$folder/bin" && ls -S "${@:4}") |
    awk -v parts="$parts" '{ for (part = 0; part < parts; ++part) print $1, part }' |
    xargs -P "$(($(nproc) + 1))" -n 2 bash -c 'run_part "$1" "$2"' run_part | tee "$folder/tests.log"
  awk -v parts="$parts" '{ tests += $2 }
    END { printf "%d tests of %d programs passed\n", tests, NR / parts }' "$folder/tests.log"
}

run_part() {
  local log=$folder/$1.$2.log code=0
  GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$2 timeout 7200 "$folder/bin/$1" --gtest_brief=1 \
    --gtest_filter="$filter" >"$log" 2>&1 </dev/null || code=$?
  if ((code == 0)); then
    printf '%s: %s\n' "$1" "$(sed -nE 's/^\[  PASSED  \] (.*)\.$/\1/p' "$log")"
    return 0
  fi
  tail -n 100 "$log"
  printf '%s failed (exit code %d). The whole log: %s\n' "$1" "$code" "$log"
  return 1
}
