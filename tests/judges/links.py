"""The book of docs, as mdBook writes it: every link inside it leads to a page and a heading that are there. `links.py FOLDER`"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag


class Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.links: set[str] = set()
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.names |= {of[key] for key in ("id", "name") if of.get(key)}
        self.links |= {of[key] for key in ("href", "src") if of.get(key)}


folder = Path(sys.argv[1]).resolve()
# The page of all pages repeats what the others say, with links that are its own.
paths = [path for path in folder.rglob("*.html") if path.name not in ("print.html", "404.html")]
pages = {path: Page(path.read_text(encoding="utf-8")) for path in paths}
findings, checked = [], 0
for path, page in pages.items():
    for link in sorted(page.links):
        if "://" in link or link.startswith(("mailto:", "data:")):
            continue
        checked += 1
        target, name = urldefrag(unquote(link))
        goal = (path.parent / target).resolve() if target else path
        # A fragment with values says settings of the laboratory.
        is_there = goal.is_file() and (not name or "=" in name or goal not in pages or name in pages[goal].names)
        if not is_there:
            findings.append(f"{path.relative_to(folder)}: `{link}` leads nowhere")
print("\n".join(findings), f"book: {len(pages)} pages, {checked} links, {len(findings)} lead nowhere", sep="\n")
sys.exit(1 if findings or len(pages) < 20 or checked < 500 else 0)
