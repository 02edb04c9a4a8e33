# SPDX-License-Identifier: MIT
"""Pages of the site that are no files of docs/: the home page, the reference of Python, and sources that documents link to.

A link out of docs/ becomes one to a page that shows the file, or the README of the folder; that page's links are followed too.
"""
import os
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

root = pathlib.Path(__file__).resolve().parents[2]
link = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?\)")
# Code, in which nothing is a link.
opaque = re.compile(r"^( *)(```|~~~).*?^\1\2 *$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
languages = {".cpp": "cpp", ".hpp": "cpp", ".c": "c", ".h": "c", ".py": "python", ".txt": "cmake", ".cmake": "cmake", ".tsv": "text", ".yml": "yaml"}
home, python_page = "index.md", "reference_python.md"
sources = {}  # {page: path from the project's root}, of pages that are no files of docs/


def page_of(path):
    """The page that shows a file or a folder of the project; None if it is not there."""
    if path == "README.md":
        return home
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    place = root / path
    if place.is_dir():
        return posixpath.join("source", path, "README.md")
    if not place.is_file():
        return None
    return posixpath.join("source", path if path.endswith(".md") else path + ".md")


def path_of(page):
    """The source file or folder of a page."""
    return sources.get(page, posixpath.join("docs", page))


def linked(page, text):
    """(match, path from the project's root) of each relative link."""
    hidden = [found.span() for found in opaque.finditer(text)]
    path = path_of(page)
    folder = path if (root / path).is_dir() else posixpath.dirname(path)
    for found in link.finditer(text):
        if re.match(r"[a-z]+:", found.group(2)) or any(begin <= found.start() < end for begin, end in hidden):
            continue
        yield found, posixpath.normpath(posixpath.join(folder, found.group(2)))


def text_of(page):
    """Markdown of a page that is no file of docs/."""
    path = sources[page]
    place = root / path
    if place.is_dir():
        if (place / "README.md").is_file():
            return (place / "README.md").read_text(encoding="utf-8")
        files = sorted(file.name for file in place.iterdir() if file.is_file())
        return f"# {path}\n\n" + "\n".join(f"- [`{file}`]({file})" for file in files) + "\n"
    text = place.read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    return f"# {path}\n\n```{languages.get(place.suffix, 'text')}\n{text}\n```\n"


def relinked(page, text):
    """Text whose links lead to pages."""
    parts, end = [], 0
    for found, path in linked(page, text):
        target = page_of(path)
        if target is None:
            continue  # left as it is: mkdocs refuses it
        relative = posixpath.relpath(target, posixpath.dirname(page) or ".")
        parts += [text[end:found.start()], f"]({relative}{found.group(3) or ''})"]
        end = found.end()
    return "".join(parts) + text[end:]


def on_files(files, config):
    made = {python_page: (pathlib.Path(os.environ["FRISKET_SITE_PAGES"]) / python_page).read_text(encoding="utf-8")}
    sources[home] = "README.md"
    wanted = [home] + [file.src_uri for file in files.documentation_pages()]
    while wanted:
        page = wanted.pop()
        if page in sources and page in made:
            continue
        if page in sources:
            made[page] = text_of(page)
        text = made.get(page) or files.get_file_from_path(page).content_string
        for _, path in linked(page, text):
            target = page_of(path)
            if target and target.startswith("source/") and target not in sources:
                sources[target] = path
                wanted.append(target)
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    return relinked(page.file.src_uri, markdown)
