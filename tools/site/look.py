# SPDX-License-Identifier: MIT
"""Looks at the site in a headless Chromium: look.py SITE PICTURES [PAGE...].

Each page at the width of a phone and of a desktop, in light and dark colours: errors of the console, requests to the network, contrast of
text (4.5, large text 3), images without alt, pages wider than the window; then a search.  Without Chromium or Playwright: SKIP, status 77."""
import pathlib
import shutil
import sys

# Texts whose contrast with what is behind them is too low; text over pictures and hidden text is left out.
contrast = """() => {
  const parse = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (top, under) => top.slice(0, 3).map((c, i) => c * top[3] + under[i] * (1 - top[3]));
  const light = rgb => { const [r, g, b] = rgb.map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
                         return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = element => { const layers = [];
    for (let e = element; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) layers.push(c); if (c[3] === 1) break; }
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]); };
  const poor = new Map();
  for (const e of document.querySelectorAll("body *")) {
    const text = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent.trim()).join("");
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    if (!text || !box.width || !box.height || style.visibility === "hidden" || style.opacity === "0" || e.closest("svg, .headerlink, [hidden]")) continue;
    const back = behind(e), front = over(parse(style.color), back), [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (large ? 3 : 4.5)) poor.set(e.tagName + "." + e.className + " " + style.color, ratio.toFixed(2) + " " + text.slice(0, 40));
  }
  return [...poor].map(([where, what]) => where + ": " + what);
}"""
widths = {"phone": (390, 844), "desktop": (1280, 900)}
default_pages = (
    "index", "start", "tutorial/index", "tutorial/01_masks", "tutorial/03_a_loss", "guides/pytorch", "how_it_works", "performance", "errors", "language", "reference_python"
)  # fmt: skip


def look(browser, site, pictures, name):
    """Faults of a page."""
    for width_name, (width, height) in widths.items():
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            where, faults = f"{name}, {width_name}, {scheme}", []
            page.on("console", lambda message: faults.append(f"console: {message.text}") if message.type == "error" else None)
            page.on("pageerror", lambda error: faults.append(f"error: {error}"))
            page.on("request", lambda request: None if request.url.startswith(("file:", "data:", "about:", "blob:")) else faults.append(f"asks for {request.url}"))
            page.goto((site / f"{name}.html").as_uri())
            page.wait_for_timeout(400)
            faults += [f"contrast: {fault}" for fault in page.evaluate(contrast)]
            faults += [f"no alt: {source}" for source in page.evaluate("() => [...document.images].filter(i => !i.alt).map(i => i.src)")]
            faults += [f"a picture is not there: {source}" for source in page.evaluate("() => [...document.images].filter(i => !i.naturalWidth).map(i => i.src)")]
            if page.evaluate("() => document.documentElement.scrollWidth > innerWidth + 1"):
                faults.append("is wider than the window")
            page.screenshot(path=pictures / f"{name.replace('/', '_')}_{width_name}_{scheme}.png")
            page.close()
            yield from (f"{where}: {fault}" for fault in faults)


def search(browser, site):
    """True if a search from disk has results."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((site / "index.html").as_uri())
    page.wait_for_timeout(3000)  # until the theme's script listens
    page.locator("[data-md-component=search-query]").click()
    page.keyboard.type("intersect", delay=30)
    for _ in range(30):
        page.wait_for_timeout(1000)
        if page.locator(".md-search-result__item").count():
            return True
    return False


def main(site, pictures, *pages):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("SKIP: no Playwright here: tools/site/look.txt names its version")
        return 77
    if not chromium:
        print("SKIP: no Chromium here (Debian: apt-get install chromium)")
        return 77
    site, pictures = pathlib.Path(site).resolve(), pathlib.Path(pictures)
    pictures.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        faults = [fault for name in pages or default_pages for fault in look(browser, site, pictures, name)]
        if not search(browser, site):
            faults.append("index: a search for 'intersect' has no result")
        browser.close()
    print("\n".join(faults) if faults else f"{len(pages or default_pages)} pages, two widths, light and dark: all well; pictures in {pictures}")
    return 1 if faults else 0


if len(sys.argv) < 3:
    sys.exit("look.py SITE PICTURES [PAGE...]")
sys.exit(main(*sys.argv[1:]))
