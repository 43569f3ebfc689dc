// Draws the data of the page: facts, warnings, curves, tables, picture and texts. `show` draws them again where the run goes on:
// charts stay and get new values.
let show = () => {};
let lost = () => {};
document.addEventListener("DOMContentLoaded", () => {
  const main = document.getElementById("page");
  // What is drawn, the charts, and their panels.
  let page = null;
  let run = null;
  let time = new Float64Array(0);
  let panels = [];
  let charts = [];
  let places = [];
  let picture = null;

  // An element with classes, text and children.
  function make(tag, classes, text, ...children) {
    const element = document.createElement(tag);
    if (classes) element.className = classes;
    if (text !== undefined && text !== null) element.textContent = text;
    element.append(...children);
    return element;
  }
  // A line of a text that is an address in another page is a link.
  const linked = text => text.split(/^(\w+\.html#\S+)$/m).map((part, i) => {
    if (i % 2 === 0) return part;
    const link = make("a", "", part);
    link.href = part;
    return link;
  });
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
  const shown = x => x === null || x === undefined || Number.isNaN(x) ? "–" : Number(x.toPrecision(7)).toString();

  // A section with a title that the list at the top leads to.
  let list = null;
  function section(title, ...children) {
    const id = "s" + list.children.length;
    const head = make("h2", "", title);
    head.id = id;
    const link = make("a", "", title);
    link.href = "#" + id;
    list.append(link);
    page.append(make("section", "", null, head, ...children));
  }

  const onLight = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#222222", "#8c6d31"];
  const onDark = ["#56b4e9", "#ff8c42", "#2fd0a0", "#e3a0c8", "#9ad4f5", "#f0c040", "#e6e6e6", "#c8a96a"];
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const colour = i => (isDark.matches ? onDark : onLight)[i % 8];
  // Curves: those of one unit of measurement in panels of at most eight.
  function divided(curves) {
    const panels = [];
    for (const curve of curves) {
      const values = Array.from(new Float32Array(bytes(curve.values)), x => Number.isFinite(x) ? curve.offset + x : null);
      let panel = panels.findLast(p => p.unit === curve.unit);
      if (!panel || panel.curves.length === 8) panels.push(panel = {unit: curve.unit, curves: []});
      panel.curves.push({...curve, values});
    }
    return panels;
  }
  const data = panel => [time, ...panel.curves.map(c => c.values)];
  const width = () => Math.max(260, main.clientWidth - parseFloat(getComputedStyle(main).paddingLeft) * 2);
  const range = () => [time[0], time[time.length - 1]];
  const {zoom, follow, keyed} = sharedSpan(() => charts, range);

  function draw(panel, place) {
    const axis = label => ({
      label, labelSize: 22, labelFont: "13px system-ui", font: "12px system-ui", stroke: () => style("--soft"),
      grid: {stroke: () => style("--grid"), width: 1}, ticks: {stroke: () => style("--grid"), width: 1},
    });
    const lines = panel.curves.map((curve, i) => ({
      label: curve.name, stroke: () => colour(i), width: 1.5, points: {show: time.length < 40},
      paths: curve.stepped ? uPlot.paths.stepped({align: 1}) : undefined, value: (_, x) => shown(x),
    }));
    const unit = panel.unit === "1" ? "" : panel.unit;
    const only = panel.curves.length === 1 ? panel.curves[0].name : "";
    const scale = only ? only + (unit ? " [" + unit + "]" : "") : unit ? "[" + unit + "]" : "";
    let names = [];
    const options = {
      width: width(), height: 280, cursor: {sync: {key: "time"}, drag: {x: true, y: false}},
      scales: {x: {time: false}},
      axes: [axis("time [s]"), {...axis(scale), size: 68, values: (_, ticks) => ticks.map(shown)}],
      series: [{label: "time [s]", value: (_, x) => shown(x)}, ...lines],
      hooks: {
        setScale: [(chart, key) => { if (key === "x") follow(chart); }],
        setSeries: [(chart, i) => { if (names[i]) names[i].setAttribute("aria-pressed", chart.series[i].show); }],
      },
    };
    const chart = new uPlot(options, data(panel), place);
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", panel.curves.map(c => c.name).join(", ") + " over time");
    place.addEventListener("keydown", event => keyed(chart, event));
    // Names of curves are buttons: Enter and the space bar press them.
    names = Array.from(place.querySelectorAll(".u-legend .u-series"), row => row.querySelector("th"));
    names.forEach((name, i) => {
      if (i === 0) return;
      name.tabIndex = 0;
      name.setAttribute("role", "button");
      name.setAttribute("aria-pressed", true);
      name.addEventListener("keydown", event => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        chart.setSeries(i, {show: !chart.series[i].show});
      });
    });
    return chart;
  }
  addEventListener("resize", () => charts.forEach(chart => chart.setSize({width: width(), height: 280})));
  isDark.addEventListener("change", () => charts.forEach(c => c.redraw(false, true)));

  // Charts of these panels; those that are there already get the new values and keep their span of time.
  function drawn(now) {
    const names = panels => JSON.stringify(panels.map(p => [p.unit, p.curves.map(c => c.name)]));
    const shown = charts.length ? charts[0].scales.x : {};
    const wasWhole = !charts.length || (shown.min <= before[0] && shown.max >= before[1]);
    const areSame = charts.length > 0 && names(now) === names(panels);
    panels = now;
    before = range();
    if (!areSame) {
      charts.forEach(chart => chart.destroy());
      places = panels.map(() => make("div", "chart"));
      charts = [];
      return () => panels.forEach((panel, i) => charts.push(draw(panel, places[i])));
    }
    return () => charts.forEach((chart, i) => {
      chart.setData(data(panels[i]), wasWhole);
      if (!wasWhole) chart.setScale("x", {min: shown.min, max: shown.max});
    });
  }
  let before = [0, 0];

  const isNumber = cell => /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/i.test(cell);
  function sheet(sheet) {
    const row = (tag, cells) => make("tr", "", null, ...cells.map(c => make(tag, tag === "td" && isNumber(c) ? "number" : "", c)));
    const table = make("table", "", null, make("thead", "", null, row("th", sheet.columns)),
      make("tbody", "", null, ...sheet.rows.map(cells => row("td", cells))));
    const note = sheet.note ? [make("p", "note", sheet.note)] : [];
    section(sheet.title, ...note, make("div", "scroll", null, table));
  }

  show = now => {
    run = now;
    page = document.createDocumentFragment();
    list = make("nav");
    list.setAttribute("aria-label", "sections");
    // Head: title, facts, what went wrong.
    page.append(make("h1", "", run.title));
    if (run.subtitle) page.append(make("p", "subtitle", run.subtitle));
    if (run.live) page.append(make("p", "note", "This run goes on; the page follows it."));
    page.append(list);
    if (run.error) page.append(make("div", "error", run.error));
    if (run.facts.length) {
      const facts = make("dl", "facts");
      for (const [name, value] of run.facts) facts.append(make("div", "", null, make("dt", "", name), make("dd", "", value)));
      page.append(facts);
    }
    if (run.warnings.length) section("Warnings", ...run.warnings.map(text => make("div", "warning", text)));
    // Signals.
    time = new Float64Array(bytes(run.time));
    let chart = () => {};
    if (run.curves.length && time.length > 1) {
      chart = drawn(divided(run.curves));
      const all = make("button", "", "Show all");
      all.addEventListener("click", () => zoom(...range()));
      const hint = "Drag to zoom, double click to show all; keys on a chart: arrows, + − 0. Click a name, or press Enter on it, to hide its curve.";
      section("Signals", make("div", "bar", null, all, make("span", "", hint), make("span", "", run.note)), ...places);
    }
    // Picture, tables, texts. The picture is the same in all states.
    if (run.picture) {
      picture = picture || make("img");
      if (picture.alt !== run.picture[0]) [picture.src, picture.alt] = ["data:image/svg+xml;base64," + run.picture[1], run.picture[0]];
      section(run.picture[0], make("div", "picture", null, picture));
    }
    run.tables.forEach(sheet);
    for (const [title, text] of run.texts) section(title, make("pre", "", null, ...linked(text)));
    // In place of what was there; who uses keys stays where they were.
    const focused = document.activeElement;
    main.replaceChildren(page);
    if (focused && focused !== document.body && document.contains(focused)) focused.focus({preventScroll: true});
    chart();
    // For those who look without eyes: what has been drawn.
    document.documentElement.dataset.drawn = charts.length + " charts, " + run.tables.length + " tables";
  };
  lost = () => main.prepend(make("div", "warning", "The run is over; this page shows what was known last."));
  show(JSON.parse(document.getElementById("data").textContent));
});
