"""The documents as a book in a real browser: pages as wide as their window, the search, and the laboratory below the paragraph that leads into it.

    python3 tests/judges/book.py BOOK FOLDER

Pictures of the start page, and of a page with the laboratory open, in four widths, are left in FOLDER.
"""

import re
import sys
from pathlib import Path

from browser import Browser

WIDTHS = [420, 660, 1024, 1280]
PAGES = ["start", "tutorial", "laboratory", "methods", "gallery", "papers", "systems"]
# Narrower than this, a link into the laboratory opens it in place of the page.
EMBEDDED = 700
MAIN = "document.querySelector('main')"


def expect(holds, text):
    """Fails with a sentence."""
    if not holds:
        raise SystemExit(f"book: {text}")


def opened(browser, address, width, dark):
    """A page of the book, with its headings there."""
    browser.open(address, width=width, dark=dark)
    browser.until(f"{MAIN}?.querySelector('h1')")


def pages(browser, book, folder):
    """Each page in each width, light and dark."""
    for width in WIDTHS:
        for page in PAGES:
            opened(browser, (book / f"{page}.html").as_uri(), width, width % 3 == 0)
            wide = browser.value("document.documentElement.scrollWidth")
            expect(wide <= width, f"`{page}` is {wide} px wide in a window of {width} px")
            pictures = browser.value(f"[...{MAIN}.querySelectorAll('img')].filter(i => i.loading !== 'lazy' && !i.naturalWidth).map(i => i.src)")
            expect(not pictures, f"`{page}` has no pictures {pictures}")
            if page == "start":
                browser.picture(folder / f"start-{width}.png", whole=False)
    print(f"pages: {len(PAGES)} in {len(WIDTHS)} widths")


def laboratory(browser, book, folder):
    """A link into the laboratory opens it below its paragraph, where there is room, with the settings of the link; the same link closes it."""
    link = f"{MAIN}.querySelector('a[href*=\"laboratory.html#\"]')"
    for width in [w for w in WIDTHS if w >= EMBEDDED]:
        opened(browser, (book / "methods.html").as_uri(), width, False)
        browser.value(f"{link}.click()")
        # From disk a frame is a stranger to its page: what is in it is seen in the picture.
        browser.until(f"{MAIN}.querySelector('iframe')")
        said = browser.value(f"({{src: {MAIN}.querySelector('iframe').src, link: {link}.href, wide: document.documentElement.scrollWidth}})")
        expect(said["src"] == said["link"], f"the frame has {said['src']}, the link {said['link']}")
        expect(said["wide"] <= width, f"with the laboratory the page is {said['wide']} px wide in a window of {width} px")
        browser.value(f"{MAIN}.querySelector('iframe').scrollIntoView(); new Promise(done => setTimeout(done, 3000))")
        browser.picture(folder / f"methods-{width}.png", whole=False)
        browser.value(f"{link}.click()")
        expect(not browser.value(f"{MAIN}.querySelector('iframe')"), "the same link does not close the laboratory")
    print("laboratory: opens and closes below its paragraph")


def search(browser, book):
    """The search of the book finds a word and leads to its page."""
    opened(browser, (book / "start.html").as_uri(), 1280, False)
    browser.value("document.getElementById('mdbook-search-toggle').click()")
    browser.value(
        "(() => { const bar = document.getElementById('mdbook-searchbar'); bar.value = 'palindromic'; bar.dispatchEvent(new Event('input', {bubbles: true}));"
        " bar.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true})); })()"
    )
    browser.until("document.querySelector('#mdbook-searchresults a')", 20)
    found = browser.value("[...document.querySelectorAll('#mdbook-searchresults a')].map(a => a.href)")
    expect(any("methods.html" in link for link in found), f"`palindromic` is found in {found}")
    print(f"search: {len(found)} places")


def main():
    book, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    browser = Browser()
    try:
        pages(browser, book, folder)
        laboratory(browser, book, folder)
        search(browser, book)
        # Rows of a table have no colours of a language.
        said = [line for line in browser.console if not re.search(r"language[ -]'?csv", line)]
        expect(not said, f"the console says {said}")
        asked = [url for url in browser.requests if not url.startswith(("file:", "blob:", "data:", "about:"))]
        expect(not asked, f"the book asks a network for {asked}")
    finally:
        browser.close()
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
