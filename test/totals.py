#!/usr/bin/env python3
"""Adds up a test run. usage: totals.py RESULTS_DIR

RESULTS_DIR holds PRESET.xml, the JUnit files of ctest, and NAME.step, the exit statuses of builds and checks.
A test program prints "TRIDENT_TEST_TOTALS passed failed skipped" as it ends; a test without that line counts
as one. So does a check such as lint; setup and builds count only when they fail. A program that reports no
failure and still fails has crashed: one failure more.
The last line is "N passed, N failed" with ", N skipped" where some were.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

TOTALS = re.compile(r"^.*TRIDENT_TEST_TOTALS (\d+) (\d+) (\d+)\s*$", re.M)


def of_test(case):
    """(passed, failed, skipped) of one ctest test."""
    status = case.get("status")
    if status in ("notrun", "disabled"):
        # ctest says so of a program that is missing too; only a skip by return code or by choice is harmless.
        skipped = case.find("skipped")
        harmless = status == "disabled" or (skipped is not None and "SKIP" in skipped.get("message", ""))
        return (0, 0, 1) if harmless else (0, 1, 0)
    lines = TOTALS.findall(case.findtext("system-out") or "")
    succeeded = status == "run"
    if not lines:
        return (1, 0, 0) if succeeded else (0, 1, 0)
    passed, failed, skipped = map(int, lines[-1])
    return passed, failed if succeeded else max(failed, 1), skipped


def main():
    results = pathlib.Path(sys.argv[1])
    total = [0, 0, 0]
    failures = []

    def add(name, counts):
        for k in range(3):
            total[k] += counts[k]
        if counts[1]:
            failures.append(f"{name}: {counts[1]} failed")

    for step in sorted(results.glob("*.step")):
        good = step.read_text().strip() == "0"
        is_check = step.stem != "setup" and not step.stem.startswith("build-")
        add(step.stem, (int(is_check), 0, 0) if good else (0, 1, 0))
        if good and step.stem.startswith("build-"):
            preset = step.stem[len("build-"):]
            if not (results / f"{preset}.xml").is_file():
                add(f"{preset} tests", (0, 1, 0))
    for report in sorted(results.glob("*.xml")):
        for case in xml.parse(report).getroot().iter("testcase"):
            add(f"{report.stem} {case.get('name')}", of_test(case))

    if failures:
        print("\n".join(["", "failed:"] + [f"  {f}" for f in failures]))
    print(f"\n{total[0]} passed, {total[1]} failed" + (f", {total[2]} skipped" if total[2] else ""))
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main())
