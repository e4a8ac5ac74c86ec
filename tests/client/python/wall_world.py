"""A whole small wall for a test: certificates, key, sealed corpus, ledger, server, all real.

    with WallWorld(tmp_path, interval_ms=200) as world:
        profile = world.login("alice")
        world.admin("statement", …)

Corpus "notes": 300 documents of 8 words each of 30 terms, three planted topics, wards and dates, 30 of
each owner; or the vectors that are given, of the norm bound 2. All of the `corpora` are of the same.
"""

import json
import os
import pathlib
import signal
import subprocess
import time

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[3]
BINARIES = pathlib.Path(os.environ["TOPICWALL_BINARY_DIR"])

_ATTRIBUTES = """
attributes { name: "ward" values: "north" values: "south" }
attributes { name: "date" is_date: true values: "2023-01-01" values: "2024-01-01" values: "2025-01-01" }
"""


def word(number):
    """Letters only, as the tokenizer words-1 wants them."""
    return "word" + chr(ord("a") + number // 10) + chr(ord("a") + number % 10)


class WallWorld:
    def __init__(self, folder, epsilon=10.0, interval_ms=0, analysts=("alice", "bob"),
                 documents=300, vectors=None, caps=None, corpora=("notes",), unit="document"):
        self.folder = pathlib.Path(folder)
        self.server = None
        self.address = ""
        self.corpora = corpora
        self.unit = unit
        self._write(epsilon, interval_ms, analysts, documents, vectors, caps or {})

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception):
        self.stop()

    def path(self, name):
        return str(self.folder / name)

    def _write(self, epsilon, interval_ms, analysts, documents, vectors, caps):
        (self.folder / "data").mkdir(mode=0o700)
        (self.folder / "words.txt").write_text("".join(word(i) + "\n" for i in range(30)))
        with open(self.path("notes.jsonl"), "w") as lines:
            for i in range(documents):
                text = " ".join(word(10 * (i % 3) + (i + 3 * j) % 10) for j in range(8))
                lines.write(json.dumps({
                    "id": f"d{i}", "owner": f"o{i // 30}", "text": text,
                    "ward": ("north", "south")[i % 2],
                    "date": ("2023-06-01", "2024-06-01")[i // 2 % 2]}) + "\n")
        (self.folder / "attributes.textproto").write_text(_ATTRIBUTES)
        timing = "timing_protection: TIMING_PROTECTION_NONE"
        if interval_ms:
            timing = ("timing_protection: TIMING_PROTECTION_SCHEDULE "
                      f"release_interval_ms: {interval_ms}")

        def access(name):
            cap = f"epsilon_cap: {caps[name]}" if name in caps else ""
            return " ".join(f'access {{ corpus: "{corpus}" {cap} }}' for corpus in self.corpora)

        people = "".join(
            f'principals {{ name: "spiffe://topicwall/analyst/{name}" role: ANALYST '
            f'{access(name)} }}\n' for name in analysts)
        corpora = "".join(f"""
corpora {{
  name: "{corpus}"
  nominal_size: {documents}
  limits {{
    max_tokens: 50 max_documents_per_unit: 30 max_parameters_per_term: 20 max_iterations: 60
    max_model_iterations: 30 min_noise_multiplier: 0.1 max_releases: 100000
    max_open_plans: 1000 queue_length: 4
  }}
  decoded_cache_mebibytes: 1
  {timing}
}}
""" for corpus in self.corpora)
        (self.folder / "wall.textproto").write_text(f"""
custodian_id: "test-custodian"
listen_address: "127.0.0.1:0"
tls {{ certificate: "tls/server.pem" private_key: "tls/server.key" client_ca: "tls/ca.pem" }}
data_directory: "data"
key_file: "corpus.key"
{people}
principals {{ name: "spiffe://topicwall/auditor/ann" role: AUDITOR {access("ann")} }}
{corpora}
e_step_threads: 2
max_matrix_bytes: 1000000
""")
        certificates = [str(SOURCE / "deploy/make-certificates"), "--output", self.path("tls"),
                        "--auditor", "ann", "--analyst", "stranger"]
        for name in analysts:
            certificates += ["--analyst", name]
        subprocess.run(certificates, check=True, capture_output=True)
        self.admin("keys", "--output", self.path("corpus.key"))
        contents = ["--documents", self.path("notes.jsonl"), "--vocabulary", self.path("words.txt"),
                    "--attributes", self.path("attributes.textproto")]
        if vectors is not None:
            np.save(self.path("notes.npy"), np.asarray(vectors, dtype=np.float32))
            contents = ["--documents", self.path("notes.npy"), "--format", "npy",
                        "--vectors", str(len(vectors[0])), "--norm-bound", "2"]
        for corpus in self.corpora:
            of_it = ["--config", self.path("wall.textproto"), "--corpus", corpus]
            self.admin("ingest", *of_it, "--privacy-unit", self.unit, *contents)
            self.admin("open-budget", *of_it, "--epsilon", str(epsilon), "--delta", "1e-5", "--yes")

    def admin(self, *arguments):
        done = subprocess.run([str(BINARIES / "topicwall-admin"), *arguments], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self):
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        with open(self.path("server.out"), "ab") as output:
            self.server = subprocess.Popen(
                [str(BINARIES / "topicwall-server"), "--config", self.path("wall.textproto"),
                 "--ready-file", str(ready)],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        until = time.monotonic() + 60
        while not ready.exists() or not ready.read_text().endswith("\n"):
            output = pathlib.Path(self.path("server.out")).read_text()
            assert self.server.poll() is None and time.monotonic() < until, output
            time.sleep(0.02)
        self.address = ready.read_text().strip()

    def stop(self):
        if self.server is not None:
            self.server.send_signal(signal.SIGTERM)
            self.server.wait(60)
            self.server = None

    def login_arguments(self, name):
        tls = self.folder / "tls"
        return {"server": self.address, "ca": str(tls / "ca.pem"),
                "certificate": str(tls / f"{name}.pem"), "key": str(tls / f"{name}.key")}

    def profile(self, name):
        """The file of a profile, written now: the port changes with every start."""
        path = self.path(f"{name}.textproto")
        files = self.login_arguments(name)
        subprocess.run([str(BINARIES / "topicwall"), "login", "--profile", path]
                       + [f"--{key}={value}" for key, value in files.items()],
                       stdin=subprocess.DEVNULL, capture_output=True)
        return path
