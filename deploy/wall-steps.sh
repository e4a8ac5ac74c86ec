# shellcheck shell=bash
# shellcheck disable=SC2154  # the variables that are set before
# Sourced by quickstart and study/fit-across-wall: one wall on this machine, with its
# custodian, the analyst alice and the auditor ann, each in a folder of $work.
#
# Set before: root (the project's folder, and where one is), work, corpus (its name), and what
# the custodian states of it: nominal_size, max_words, max_e_step_iterations, topics (at most),
# release_interval_ms (0: no timing protection), epsilon, delta.

readonly logs=$work/logs
readonly finished=$work/finished
mkdir -p "$logs" "$finished"

server_pid=
stop_server() {
  if [[ -z $server_pid ]]; then return 0; fi
  local pid=$server_pid
  server_pid=
  kill -TERM "$pid" 2>/dev/null || true
  wait "$pid"
}

# stop_server_at_exit NAME: also says, after a failure, how the script NAME is resumed.
script=
stop_server_at_exit() {
  script=$1
  trap at_exit EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

at_exit() {
  local code=$?
  trap - EXIT
  stop_server || true
  if ((code != 0)); then
    cat >&2 <<END

$script stopped early (exit code $code). Logs: $logs and build/release/*.log
Run it again to resume. To start afresh: rm -rf $work
END
  fi
  exit "$code"
}

# once NAME TITLE COMMAND...: a step that is not repeated when it has finished before.
once() {
  local name=$1 title=$2
  shift 2
  if [[ -e $finished/$name ]]; then
    printf '\n== %s: done before\n' "$title"
    return 0
  fi
  step "$title" "$@"
  touch "$finished/$name"
}

# as WHO COMMAND...: shows a command and runs it in WHO's folder, with WHO's profile.
as() {
  local who=$1
  shift
  printf '\n%s$ %s\n' "$who" "$*"
  (cd "$work/$who" && PATH=$root/build/release/bin:$PATH \
    TOPICWALL_PROFILE=$work/$who/profile.textproto "$@")
}

# build TARGET...: the programs that a wall and its people need, and TARGETs.
build() {
  echo "Log: build/release/build.log"
  quietly build/release/configure.log cmake --preset release -DTOPICWALL_BUILD_TESTS=OFF
  quietly build/release/build.log cmake --build --preset release -j "$(build_jobs)" \
    --target topicwall-server topicwall-admin topicwall topicwall-accountant "$@"
}

make_people() {
  mkdir -p "$work/custodian" "$work/alice" "$work/ann"
  chmod 0700 "$work/custodian" "$work/alice" "$work/ann"
  rm -rf "$work/custodian/tls"
  deploy/make-certificates --output "$work/custodian/tls" --analyst alice --auditor ann
  local person
  for person in alice ann; do
    cp "$work/custodian/tls/ca.pem" "$work/$person/"
    mv "$work/custodian/tls/$person."{pem,key} "$work/$person/"
  done
}

timing_lines() {
  if ((release_interval_ms == 0)); then
    echo "  timing_protection: TIMING_PROTECTION_NONE"
    return 0
  fi
  echo "  timing_protection: TIMING_PROTECTION_SCHEDULE"
  echo "  release_interval_ms: $release_interval_ms"
}

write_configuration() {
  mkdir -p "$work/custodian/data"
  chmod 0700 "$work/custodian/data"
  cat >"$work/custodian/wall.textproto" <<END
custodian_id: "quickstart"
listen_address: "127.0.0.1:0"  # any free port; the ready file names it
tls {
  certificate: "tls/server.pem"
  private_key: "tls/server.key"
  client_ca: "tls/ca.pem"
}
data_directory: "data"
key_file: "corpus.key"
principals {
  name: "spiffe://topicwall/analyst/alice"
  role: ANALYST
  access { corpus: "$corpus" }
}
principals {
  name: "spiffe://topicwall/auditor/ann"
  role: AUDITOR
  access { corpus: "$corpus" }
}
corpora {
  name: "$corpus"
  nominal_size: $nominal_size
  limits {
    max_tokens: $max_words
    max_documents_per_unit: 1
    max_parameters_per_term: $topics
    max_iterations: 100
    max_model_iterations: $max_e_step_iterations
    min_noise_multiplier: 0.5
    max_releases: 1000
    queue_length: 4
  }
$(timing_lines)
}
e_step_threads: $(nproc)
max_matrix_bytes: 16777216
END
}

make_key() {
  as custodian topicwall-admin keys --output corpus.key
}

# ingest DOCUMENTS FORMAT VOCABULARY: every document is a unit of its own.
ingest() {
  as custodian topicwall-admin ingest --config wall.textproto --corpus "$corpus" \
    --documents "$1" --format "$2" --vocabulary "$3" --privacy-unit document
}

open_budget() {
  as custodian topicwall-admin open-budget --config wall.textproto --corpus "$corpus" \
    --epsilon "$epsilon" --delta "$delta" "$@"
}

start_server() {
  local ready=$work/custodian/server.ready
  rm -f "$ready"
  printf '\ncustodian$ topicwall-server --config wall.textproto --ready-file server.ready &\n'
  build/release/bin/topicwall-server --config "$work/custodian/wall.textproto" \
    --ready-file "$ready" </dev/null >>"$logs/server.log" 2>&1 &
  server_pid=$!
  local deadline=$((SECONDS + 60))
  until [[ -s $ready ]]; do
    if ! kill -0 "$server_pid" 2>/dev/null || ((SECONDS > deadline)); then
      tail -n 20 "$logs/server.log" >&2
      echo "the server did not become ready; its log: $logs/server.log" >&2
      return 1
    fi
    sleep 0.1
  done
  local address
  address=$(head -n 1 "$ready")
  as alice topicwall login --server "$address" --ca ca.pem --certificate alice.pem --key alice.key
  as ann topicwall login --server "$address" --ca ca.pem --certificate ann.pem --key ann.key
}
