#!/usr/bin/env python3
"""Rules of the source tree that no compiler checks. usage: tstSourceRules.py SOURCE_DIR

Each rule is a function that yields the lines that break it; the test fails when any does.
"""
import pathlib
import re
import subprocess
import sys

# Lowest first. A layer includes itself and the layers before it; reference/ is the oracle of the tests,
# and no part of the engine may lean on it.
LAYERS = ["observe", "topology", "layout", "plan", "codec", "exchange", "gather", "local", "multiply", "sem", "reference"]
LIBRARY = ["src", "tpetra_adapter", "muelu_hooks"]
CODE = {".hpp", ".cpp", ".h", ".cu", ".cuh"}
MAX_LINES = 350
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
# In two halves, so that this file does not break its own rule.
REGISTRIES = re.compile("|".join(re.escape(a + b) for a, b in [
    ("pypi.", "org"), ("pythonhosted.", "org"), ("registry.npmjs.", "org"), ("crates.", "io"),
    ("rubygems.", "org"), ("docker.", "io"), ("ghcr.", "io"), ("quay.", "io"), ("proxy.golang.", "org"),
    ("anaconda.", "org"), ("deb.debian.", "org"), ("archive.ubuntu.", "com"), ("pkg.", "dev")]))


def without_comments(text):
    """The text with comments blanked and line numbers kept."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
    return token.sub(lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), text)


def files(root):
    """Every file that is or would be in the repository; without git, every file outside build folders."""
    try:
        listing = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"],
                                 capture_output=True, check=True)
        names = [n for n in listing.stdout.decode().split("\0") if n]
    except (FileNotFoundError, subprocess.CalledProcessError):
        names = [str(p.relative_to(root)) for p in root.rglob("*") if p.relative_to(root).parts[0] != "build"]
    return [pathlib.PurePosixPath(n) for n in sorted(names) if (root / n).is_file()]


def lines_with(pattern, text):
    return [n for n, line in enumerate(text.splitlines(), 1) if pattern.search(line)]


def never_world(path, text):
    if path.parts[0] in LIBRARY and path.suffix in CODE:
        for n in lines_with(re.compile(r"\bMPI_COMM_WORLD\b"), without_comments(text)):
            yield f"{path}:{n}: MPI_COMM_WORLD: use the caller's communicator"


def short_files(path, text):
    length = text.count("\n")
    if path.parts[0] in LIBRARY and path.suffix in CODE and length > MAX_LINES:
        yield f"{path}: {length} lines, more than {MAX_LINES}: split it"


def layer_of(path):
    return LAYERS.index(path.parts[0]) if path.parts and path.parts[0] in LAYERS else None


def layers_point_down(path, text):
    if path.parts[0] != "src" or path.suffix not in CODE:
        return
    own = layer_of(pathlib.PurePosixPath(*path.parts[1:]))
    if own is None:
        yield f"{path}: src/{path.parts[1]} is no layer; the layers are {', '.join(LAYERS)}"
        return
    for n, line in enumerate(without_comments(text).splitlines(), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        target = include[1]
        if re.match(r"(Tpetra|Xpetra|MueLu|Teuchos|Epetra|Belos|Ifpack2)", target):
            yield f"{path}:{n}: src includes {target}: the engine knows MPI, Kokkos and KokkosKernels only"
        other = layer_of(pathlib.PurePosixPath(target))
        if other is not None and other > own:
            yield f"{path}:{n}: {LAYERS[own]} includes {target} of a layer above it"
        if target.startswith("../"):
            yield f"{path}:{n}: includes {target}: name headers from the include root, as layer/Header.hpp"


def engine_below_adapter(path, text):
    above = {"src": ["tpetra_adapter", "muelu_hooks"], "tpetra_adapter": ["muelu_hooks"]}
    if path.suffix in CODE:
        for n, line in enumerate(without_comments(text).splitlines(), 1):
            include = INCLUDE.match(line)
            for layer in above.get(path.parts[0], []):
                if include and layer in include[1].split("/"):
                    yield f"{path}:{n}: {path.parts[0]} includes {include[1]} of a layer above it"


def stand_alone(path, text):
    if path.suffix in CODE:
        for n, line in enumerate(text.splitlines(), 1):
            include = INCLUDE.match(line)
            if include and "shared" in include[1].split("/")[:-1]:
                yield f"{path}:{n}: includes {include[1]}: a clone alone must build"


def no_registry(path, text):
    for n in lines_with(REGISTRIES, text):
        yield f"{path}:{n}: names a package registry: packages come through apt's own configuration"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    rules = [never_world, short_files, layers_point_down, engine_below_adapter, stand_alone, no_registry]
    broken, checked = [], 0
    for path in files(root):
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        checked += 1
        for rule in rules:
            broken += rule(path, text)
    print("\n".join(broken) if broken else f"{checked} files keep all {len(rules)} rules")
    return 1 if broken or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
