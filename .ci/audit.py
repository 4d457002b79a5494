"""
Looks for known weaknesses of the pinned packages; fails if there is one.

Where the data cannot be reached, it says so and fails nothing: a build needs no such service.
"""

import json
import subprocess
import sys
from pathlib import Path

AUDIT = Path(sys.executable).with_name("pip-audit")


def main() -> None:
    asked = subprocess.run(  # noqa: S603  (our own arguments)
        [AUDIT, "--requirement", "constraints.txt", "--no-deps", "--disable-pip", "--format=json"],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        packages = json.loads(asked.stdout)["dependencies"]
    except ValueError:
        print("packages were not audited: the data cannot be reached")
        return
    unknown = [each["name"] for each in packages if "skip_reason" in each]
    weak = {each["name"]: each["vulns"] for each in packages if each.get("vulns")}
    audited = len(packages) - len(unknown)
    print(f"{audited} packages audited, {len(unknown)} without data, {len(weak)} weak")
    for name, weaknesses in weak.items():
        print(f"{name}: {', '.join(each['id'] for each in weaknesses)}")
    sys.exit(bool(weak))


main()
