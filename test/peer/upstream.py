"""Fetches the sources of the installed Trilinos as Debian's source package, and compiles its tests against it."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess

PACKAGE = "libtrilinos-tpetra-dev"
INCLUDE = "/usr/include/trilinos"
APT = pathlib.Path("/etc/apt")
FETCH_SECONDS, COMPILE_SECONDS = 900, 900  # for one command
FLAGS = ["-O1", "-std=c++17", "-DHAVE_MPI", "-w", "-isystem", INCLUDE]
LIBRARIES = [f"-ltrilinos_{name}" for name in (
    "muelu-interface", "muelu", "xpetra-sup", "xpetra", "epetraext", "tpetraext", "tpetra", "epetra", "kokkoscore",
    "teuchosnumerics", "teuchoscomm", "teuchosparameterlist", "teuchoscore")]


class Problem(Exception):
    """What keeps the tests from being run."""


def installed():
    """The name and version of the source package that the installed Tpetra was built from."""
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", PACKAGE],
                           capture_output=True, text=True, check=False)
    if asked.returncode:
        raise Problem(f"{PACKAGE} is not installed")
    return asked.stdout.split()


def logged(command, log, folder, seconds):
    """Runs a command whose output goes to a file; says how it failed, if it did."""
    with open(log, "w", encoding="utf-8") as file:
        try:
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                  timeout=seconds, check=False)
            wrong = done.returncode and f"exit status {done.returncode}"
        except subprocess.TimeoutExpired:
            wrong = f"stopped after {seconds} seconds"
    return wrong and f"{wrong}, see {log}:\n{tail(log)}"


def tail(path, lines=12):
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def source_entries(path):
    """The package archives that a file of apt names, asked for sources in place of binaries."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    if path.suffix != ".sources":
        entries = (re.sub(r"^\s*deb(-src)?\s", "deb-src ", line) for line in lines
                   if re.match(r"\s*deb(-src)?\s", line))
        return "".join(f"{entry}\n" for entry in dict.fromkeys(entries))
    stanzas = [stanza for stanza in re.split(r"\n(?:[ \t]*\n)+", "\n".join(lines))
               if re.search(r"(?im)^Types:", stanza) and not re.search(r"(?im)^Enabled:\s*(no|false)", stanza)]
    return "".join(re.sub(r"(?im)^Types:.*$", "Types: deb-src", stanza).strip("\n") + "\n\n" for stanza in stanzas)


def apt_options(folder):
    """Options with which apt knows this machine's archives as sources, and keeps all that it writes in `folder`."""
    archives, lists, cache = folder / "archives", folder / "lists", folder / "cache"
    shutil.rmtree(folder, ignore_errors=True)
    for made in (archives, lists / "partial", cache / "archives" / "partial"):
        made.mkdir(parents=True)
    for path in [APT / "sources.list", *sorted((APT / "sources.list.d").glob("*"))]:
        if path.is_file() and path.suffix in (".list", ".sources"):
            (archives / path.name).write_text(source_entries(path), encoding="utf-8")
    options = ["Dir::Etc::sourcelist=/dev/null", f"Dir::Etc::sourceparts={archives}", f"Dir::State::lists={lists}",
               f"Dir::Cache={cache}", "APT::Sandbox::User=root", "Acquire::Retries=2", "Acquire::http::Timeout=30",
               "Acquire::https::Timeout=30"]
    return [word for option in options for word in ("-o", option)]


def fetch(work, name, version):
    """The source tree; downloaded, verified and unpacked unless it is there."""
    tree = work / "src"
    if tree.is_dir():
        return tree
    for tool in ("apt-get", "dpkg-source"):
        if not shutil.which(tool):
            raise Problem(f"{tool} is missing: apt and dpkg-dev are needed to fetch the sources")
    print(f"fetching the sources of {name} {version}", flush=True)
    download, partial = work / "download", work / "src.partial"
    shutil.rmtree(download, ignore_errors=True)
    shutil.rmtree(partial, ignore_errors=True)
    download.mkdir(parents=True)
    apt = ["apt-get", "-q", *apt_options(work / "apt")]
    # An archive that does not answer may not be the one needed, so only the download decides.
    logged([*apt, "update"], work / "update.log", download, FETCH_SECONDS)
    # apt holds the files against the checksums of the signed list, dpkg-source against those of the .dsc file.
    wrong = logged([*apt, "source", "--download-only", "--only-source", f"{name}={version}"], work / "download.log",
                   download, FETCH_SECONDS)
    if wrong:
        raise Problem(f"this machine's package archives give no sources of {name} {version}; is it offline?\n"
                      f"{tail(work / 'update.log')}\n{wrong}")
    descriptions = list(download.glob("*.dsc"))
    wrong = len(descriptions) != 1 and f"{len(descriptions)} .dsc files" or logged(
        ["dpkg-source", "--no-copy", "-x", str(descriptions[0]), str(partial)], work / "unpack.log", download,
        FETCH_SECONDS)
    if wrong:
        raise Problem(f"the sources of {name} {version} do not unpack: {wrong}")
    partial.rename(tree)
    shutil.rmtree(download)
    return tree


def make(command, product, folder, inputs=()):
    """Runs the command that makes `product`, unless the same command made it after all of `inputs`."""
    record = product.with_name(product.name + ".command")
    text = " ".join(command)
    if product.is_file() and record.is_file() and record.read_text(encoding="utf-8") == text and all(
            path.stat().st_mtime <= product.stat().st_mtime for path in inputs):
        return
    record.unlink(missing_ok=True)
    product.parent.mkdir(parents=True, exist_ok=True)
    wrong = logged(command, product.with_name(product.name + ".log"), folder, COMPILE_SECONDS)
    if wrong:
        raise Problem(f"{product.name} does not build: {wrong}")
    record.write_text(text, encoding="utf-8")


def build(work, tree, programs, jobs):
    """Compiles what each program is made of, once for all programs, and links them."""
    # Relative paths, so that ccache knows the files again in another folder.
    packages = tree / "packages"
    compiler = (["ccache"] if shutil.which("ccache") else []) + ["mpicxx"]

    def out(path):
        return os.path.relpath(path, packages)

    objects = {source: work / "obj" / (source.replace("/", "-") + ".o")
               for program in programs for source in program.sources}
    includes = {source: program.include for program in programs for source in program.sources}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(make, [*compiler, *FLAGS, f"-I{includes[source]}", "-c", source, "-o", out(target)],
                               target, packages) for source, target in objects.items()]
        try:
            for done in concurrent.futures.as_completed(waiting):
                done.result()
        finally:
            for job in waiting:
                job.cancel()
    for program in programs:
        made = [objects[source] for source in program.sources]
        target = work / "bin" / (program.binary or program.name)
        make(["mpicxx", *map(out, made), "-o", out(target), "-Wl,--as-needed", *LIBRARIES], target, packages, made)
