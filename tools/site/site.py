# SPDX-License-Identifier: MIT
"""Makes the site: site.py BUILD PYTHON [--check].  BUILD/site is one folder, which a browser reads from disk.

BUILD/python has the Python package, if it was built, and PYTHON runs it.  Pages whose maker is absent are left out, which a line
says.  --check: only checks the folder that is there."""
import html.parser
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.parse

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]


class Links(html.parser.HTMLParser):
    """Links and anchors of a page, images without an alternative text, and what it loads from elsewhere."""
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.faults = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag == "img" and not values.get("alt"):
            self.faults.append(f"an image without alt: {values.get('src')}")
        loaded = values.get("src") or (values.get("href") if tag == "link" else None)
        if loaded and urllib.parse.urlparse(loaded).scheme.startswith("http"):
            self.faults.append(f"loads {loaded}")


def faults_of(site):
    """Dead links and anchors, images without alt, and files of the network."""
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if "cpp" not in path.relative_to(site).parts}
    for path, page in pages.items():
        name = path.relative_to(site)
        yield from (f"{name}: {fault}" for fault in page.faults)
        for link in page.links:
            to = urllib.parse.urlparse(link)
            if to.scheme or to.netloc or name.name == "404.html":
                continue
            target = (path.parent / urllib.parse.unquote(to.path)).resolve() if to.path else path
            if not target.exists():
                yield f"{name}: there is no {link}"
            elif to.fragment and target in pages and urllib.parse.unquote(to.fragment) not in pages[target].anchors:
                yield f"{name}: there is no anchor {link}"


def run(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run(list(map(str, command)), check=False, **options).returncode


def mkdocs(build):
    """MkDocs with its theme, in an environment of its own."""
    venv = root / ".deps" / "site"
    if not (venv / "bin" / "mkdocs").exists():
        if run(sys.executable, "-m", "venv", venv) or run(venv / "bin/pip", "install", "--quiet", "--requirement", here / "requirements.txt"):
            sys.exit("site: pip could not install MkDocs Material: is there a package index?")
    return venv / "bin" / "mkdocs"


def python_reference(build, python, page):
    environment = {**os.environ, "PYTHONPATH": str(build / "python")}
    if run(python, "-B", here / "python_reference.py", page, env=environment, stderr=subprocess.DEVNULL):
        print("SKIP: the reference of Python: the package is not built: ./dev python")
        page.write_text("# Python functions\n\nThis page is made where the package is built: `./dev python`, then `./dev site`.\n", encoding="utf-8")


def main(build, python, *options):
    build = pathlib.Path(build).resolve()
    site, pages = build / "site", build / "site_pages"
    if "--check" not in options:
        pages.mkdir(parents=True, exist_ok=True)
        python_reference(build, python, pages / "reference_python.md")
        environment = {**os.environ, "FRISKET_SITE_PAGES": str(pages), "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        if run(mkdocs(build), "build", "--strict", "--quiet", "--config-file", here / "mkdocs.yml", "--site-dir", site, env=environment):
            return 1
        if not run(sys.executable, "-B", root / "tools/reference/reference.py", build / "reference", stdout=subprocess.DEVNULL):
            shutil.copytree(build / "reference" / "html", site / "cpp", dirs_exist_ok=True)
        elif not shutil.which("doxygen"):
            print("SKIP: the reference of C++: no doxygen here, install it (Debian: apt-get install doxygen)")
        else:
            return 1
    faults = sorted(set(faults_of(site)))
    print("\n".join(faults) if faults else f"{site}/index.html: {sum(1 for _ in site.rglob('*.html'))} pages, no dead link")
    return 1 if faults else 0


if len(sys.argv) < 3:
    sys.exit("site.py BUILD PYTHON [--check]")
sys.exit(main(*sys.argv[1:]))
