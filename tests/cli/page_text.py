# SPDX-License-Identifier: MIT
"""Reads a page of bench/report.py as text."""
import html.parser


class Page(html.parser.HTMLParser):
    """Contents under each heading of a page: words, and numbers of pictures and of rows of tables; and its faults."""
    void = {"meta", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.sections, self.heading, self.faults = [], {}, None, []
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f"elements stay open: {self.open}")

    def handle_starttag(self, tag, attributes):
        if tag not in self.void:
            self.open.append(tag)
        for name, value in attributes:
            if name in ("src", "href", "xlink:href", "srcset", "style") or name.startswith("on"):
                self.faults.append(f"<{tag} {name}={value!r}>: the page is to need nothing else")
        if tag in ("script", "link", "iframe", "img"):
            self.faults.append(f"<{tag}>: the page is to need nothing else")
        if tag == "svg" and (dict(attributes).get("role") != "img" or "aria-label" not in dict(attributes)):
            self.faults.append(f"<svg {attributes}>: a picture without a label")
        if tag == "h2":
            self.heading = ""
        elif self.heading:
            self.sections[self.heading].setdefault(tag, 0)
            self.sections[self.heading][tag] += 1

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes what is not open")
        if tag == "h2":
            self.sections[self.heading] = {"words": ""}
        elif tag == "td":
            self.handle_data("|")

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.heading += data
        elif self.heading:
            self.sections[self.heading]["words"] += data
