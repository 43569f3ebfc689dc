// Works a page by keys alone, and says in the attribute `data-keys` what is wrong: nothing, or a list.
addEventListener("load", () => setTimeout(async () => {
  const wrong = [];
  const expect = (what, holds) => { if (!holds) wrong.push(what); };
  // What a key changes is drawn a little later.
  const press = async (element, key) => {
    element.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    await new Promise(done => setTimeout(done, 50));
  };
  const focused = element => {
    element.focus();
    expect("focus on " + element.tagName + " " + element.className + " " + element.id, document.activeElement === element);
    expect("outline of " + element.tagName + " " + element.className, getComputedStyle(element).outlineStyle === "solid");
  };
  // The Tab key goes through a page in its order, and the page is not wider than the window.
  expect("no positive tabindex", [...document.querySelectorAll("[tabindex]")].every(e => e.tabIndex <= 0));
  expect("width " + document.documentElement.scrollWidth + " in " + innerWidth, document.documentElement.scrollWidth <= innerWidth);
  const span = () => document.documentElement.dataset.span.split(" ").map(Number);
  const near = (a, b) => Math.abs(a - b) < 1e-6 * Math.max(Math.abs(a), Math.abs(b), 1);

  const place = document.querySelector(".chart");
  if (place) {
    focused(place);
    await press(place, "0");
    const whole = span();
    await press(place, "+");
    const inner = span();
    expect("plus zooms in", near(inner[1] - inner[0], 0.6 * (whole[1] - whole[0])));
    await press(place, "ArrowRight");
    expect("an arrow moves", near(span()[0], inner[0] + 0.1 * (inner[1] - inner[0])));
    await press(place, "-");
    expect("minus zooms out", near(span()[1] - span()[0], 1.5 * (inner[1] - inner[0])));
    await press(place, "0");
    expect("0 shows all", span().every((x, i) => near(x, whole[i])));
    const name = place.querySelector("th[role=button]");
    focused(name);
    for (const [key, pressed] of [["Enter", "false"], [" ", "true"]]) {
      await press(name, key);
      expect("the name of a curve at " + key, name.getAttribute("aria-pressed") === pressed);
      expect("its curve at " + key, name.closest(".u-series").classList.contains("u-off") === (pressed === "false"));
    }
  }
  const view = document.getElementById("view");
  if (view) {
    focused(view);
    const before = {...camera};
    await press(view, "ArrowLeft");
    await press(view, "ArrowUp");
    await press(view, "+");
    expect("arrows turn", camera.turn > before.turn && camera.tilt > before.tilt);
    expect("plus zooms", camera.far < before.far);
    await press(view, "0");
    expect("0 resets", near(camera.turn, before.turn) && near(camera.tilt, before.tilt));
    const [was, button] = [playing, document.getElementById("play")];
    await press(document.body, " ");
    expect("the space bar plays and pauses", playing === !was);
    for (const control of document.querySelectorAll("#bar button, #bar input, #bar select")) focused(control);
    expect("the button says what it does", button.textContent === (playing ? "Pause" : "Play"));
  }
  expect("something to work", place || view);
  if (innerWidth > 420 && innerWidth < 1280) wrong.push("a width of " + innerWidth + " px, which nobody asked for");
  document.documentElement.dataset.keys = wrong.length ? wrong.join("; ") : "done";
}, 500));
