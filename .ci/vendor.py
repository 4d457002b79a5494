"""
Fetches what the pages at /ui and /docs are made of from npm, as app/ui/vendor/vendor.json names it.

Each file is as it was published, but for the names by which files import each other and for
source maps. `vendor.lock.json` tells npm's own digest of each package and ours of each file.
"""

import hashlib
import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent.parent / "app" / "ui" / "vendor"
SOURCE_MAP = re.compile(r"\n?(?://|/\*)# sourceMappingURL=\S+\s*$")
IMPORTED = {'from"preact"': 'from"./preact.js"'}


def main() -> None:
    wanted = json.loads((HERE / "vendor.json").read_text())
    lock = {}
    with tempfile.TemporaryDirectory() as room:
        for name, package in wanted.items():
            packed = fetch(f"{name}@{package['version']}", room)
            with tarfile.open(Path(room) / packed["filename"]) as archive:
                files = {to: read(archive, path) for path, to in package["files"].items()}
                files[f"licences/{name.split('/')[0].lstrip('@')}.txt"] = read(archive, "LICENSE")
            lock[name] = {"integrity": packed["integrity"], "sha256": write(files)}
    (HERE / "vendor.lock.json").write_text(json.dumps(lock, indent=2) + "\n")
    print(f"{len(lock)} packages in {HERE}")


def fetch(spec: str, room: str) -> dict[str, str]:
    """Packed by npm, which checks what it was sent against the registry's digest."""
    command = ["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", room, spec]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  (our own arguments)
    told: dict[str, str] = json.loads(done.stdout)[0]
    return told


def read(archive: tarfile.TarFile, path: str) -> bytes:
    file = archive.extractfile(f"package/{path}")
    if file is None:
        raise FileNotFoundError(path)
    return file.read()


def write(files: dict[str, bytes]) -> dict[str, str]:
    """The digests of what was written, by path."""
    digests = {}
    for to, content in files.items():
        text = SOURCE_MAP.sub("\n", content.decode())
        for published, ours in IMPORTED.items():
            text = text.replace(published, ours)
        target = HERE / to
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        digests[to] = hashlib.sha256(text.encode()).hexdigest()
    return digests


main()
