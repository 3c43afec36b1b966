#!/usr/bin/env python3
"""Writes the compile database that lint gives to clang-tidy. usage: lint_database.py COMPILE_COMMANDS WORK_DIR

It holds the sources of src/, and one generated file that includes every header of src/. Compiler options that
only GCC knows are taken out.
"""
import json
import pathlib
import re
import sys

GCC_ONLY = re.compile(r"\s-W(duplicated-cond|logical-op|error)\b")
root = pathlib.Path(__file__).resolve().parent.parent
source_dir = root / "src"
work = pathlib.Path(sys.argv[2]).resolve()

entries, any_header_command = [], None
for entry in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    entry["command"] = GCC_ONLY.sub("", entry["command"])
    path = pathlib.Path(entry["file"])
    if source_dir in path.parents:
        entries.append(entry)
    elif path.parent.name == "headers":
        any_header_command = entry

if any_header_command:
    everything = work / "all_headers.cpp"
    headers = sorted(h.relative_to(source_dir).as_posix() for h in source_dir.rglob("*.hpp"))
    everything.write_text("".join(f'#include "{h}"\n' for h in headers))
    command = any_header_command["command"].replace(any_header_command["file"], str(everything))
    entries.append({**any_header_command, "file": str(everything), "command": command})

(work / "compile_commands.json").write_text(json.dumps(entries, indent=1))
