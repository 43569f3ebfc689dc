// The page: controls made of what the engine says there is, and what a run gives.
const $ = id => document.getElementById(id);
const engine = new Engine();
let about = null;
let settings = null;
let charts = [];
const {follow, keyed} = sharedSpan(() => charts, () => [motion.run.column(0)[0], motion.run.column(0)[motion.run.rows - 1]]);

// An element with attributes and children.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const dark = matchMedia("(prefers-color-scheme: dark)");
const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#8c6d31"];
const DARK = ["#56b4e9", "#ff8c42", "#2fd0a0", "#e3a0c8", "#f0c040"];
const colour = i => (dark.matches ? DARK : LIGHT)[i % LIGHT.length];
// A number in few digits.
const written = (x, digits) => {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  const near = Number(x.toPrecision(digits));
  const text = near !== 0 && Math.abs(near) < 1e-3 ? near.toExponential() : near.toString();
  return text.replace("e+", "e").replaceAll("-", "−");
};
const short = x => written(x, 4);
const percent = x => x > 10 ? short(x) + " times" : written(100 * x, 2) + " %";
const system = () => about.systems.find(s => s.name === settings.system);
// Whether the engine chooses the steps.
const isChosen = () => settings.control !== "fixed";
const value = name => settings.values[name] ?? system().sliders.find(s => s.name === name).value;

// Controls.

const MEANT = ["cut", "predict", "schedule", "correct", "control"];
// A list of words, with the meaning of the one that is chosen below.
function list(name, label, words) {
  const select = make("select", {id: "c-" + name, name});
  for (const [word, shown] of words) select.append(make("option", {value: word}, shown || word));
  // Words of a method have a meaning.
  const meaning = [];
  if (MEANT.includes(name)) {
    meaning.push(make("p", {class: "meaning", id: "m-" + name}));
    select.setAttribute("aria-describedby", "m-" + name);
  }
  select.addEventListener("change", () => change({[name]: select.value}));
  return make("div", {class: "control"}, make("label", {for: "c-" + name}, label), select, ...meaning);
}
// A slider and a field for one number.
function number(name, label, unit, {max, placeOf, valueAt}, changed) {
  const slider = make("input", {type: "range", id: "c-" + name, min: 0, max, step: 1});
  const field = make("input", {type: "number", id: "n-" + name, step: "any", "aria-label": label + (unit ? " in " + unit : "")});
  slider.addEventListener("input", () => changed(valueAt(Number(slider.value))));
  field.addEventListener("change", () => {
    const typed = Number(field.value);
    if (field.value !== "" && Number.isFinite(typed)) changed(typed);
    else show();
  });
  slider.show = x => {
    slider.value = placeOf(x);
    slider.setAttribute("aria-valuetext", short(x) + " " + unit);
    if (document.activeElement !== field || Number(field.value) !== x) field.value = x;
  };
  const head = make("label", {for: "c-" + name}, label);
  return make("div", {class: "control number"}, head, slider, field, make("span", {class: "unit"}, unit));
}
function makeControls() {
  const words = (key, say) => about[key].map(({word}) => [word, say ? say(word) : word]);
  const now = system();
  $("system-controls").replaceChildren(
    ...(about.systems.length > 1 ? [list("system", "what is coupled", about.systems.map(s => [s.name, s.title]))] : []),
    list("cut", "where it is cut", now.cuts.map(([word]) => [word])),
  );
  $("method-controls").replaceChildren(
    list("predict", "predictor", words("predict")), list("schedule", "schedule", words("schedule")),
    list("correct", "corrector", words("correct")),
  );
  const steps = dividing(settings.stop, now.steps);
  $("step-controls").replaceChildren(
    number("step", isChosen() ? "longest macro step H" : "macro step H", "s", {max: steps.length - 1, placeOf: x => nearest(steps, x), valueAt: i => steps[i]},
      step => change({step})),
    list("control", "step control", words("control")),
    ...(isChosen() ? [number("control_tolerance", "tolerance of step control", "", {max: TOLERANCES.length - 1, placeOf: x => nearest(TOLERANCES, x),
      valueAt: i => TOLERANCES[i]}, control_tolerance => change({control_tolerance}))] : []),
    number("stop", "end of the run", "s", {max: 20, placeOf: x => Math.round(10 * x / now.stop), valueAt: i => Number((now.stop * Math.max(i, 1) / 10).toPrecision(3))},
      stop => change({stop})),
    ...(now.pair ? [make("div", {class: "pair"}, list("fast", "fast unit", [["1", "mass 1"], ["2", "mass 2"]]),
      list("rate", "its steps in one H", RATES.map(r => [r])))] : []),
  );
  $("value-controls").replaceChildren(...now.sliders.map(slider => number(slider.name, slider.label, slider.unit,
    {max: places, placeOf: x => placeOf(slider, x), valueAt: place => valueAt(slider, place)},
    x => change({values: {...settings.values, [slider.name]: x}}))));
  $("presets").parentElement.hidden = !now.presets.length;
  $("presets").replaceChildren(...now.presets.map(preset => {
    const button = make("button", {type: "button"}, preset.title);
    button.addEventListener("click", () => {
      settings = {...fromFragment(preset.fragment, about)};
      makeControls();
      update();
    });
    return button;
  }));
}
// Controls as the settings are.
function show() {
  const now = system();
  for (const name of WORDS) if ($("c-" + name)) {
    const select = $("c-" + name);
    // A word that the list does not show, as `poly:5`, is one all the same.
    if (![...select.options].some(o => o.value === settings[name])) select.append(make("option", {value: settings[name]}, settings[name]));
    select.value = settings[name];
  }
  const meaning = (key, word) => about[key].find(w => w.word === word)?.meaning || "";
  for (const key of ["predict", "schedule", "correct", "control"]) $("m-" + key).textContent = meaning(key, settings[key]);
  $("m-cut").textContent = now.cuts.find(([word]) => word === settings.cut)[1];
  $("c-step").show(settings.step);
  $("c-stop").show(settings.stop);
  if (isChosen()) $("c-control_tolerance").show(settings.control_tolerance);
  for (const slider of now.sliders) $("c-" + slider.name).show(value(slider.name));
  $("about").textContent = now.about;
}
function change(what) {
  const before = settings;
  settings = {...settings, ...what};
  // A value that is the system's own needs no place in the link.
  for (const slider of system().sliders) if (settings.values[slider.name] === slider.value) delete settings.values[slider.name];
  if (settings.system !== before.system) settings = beginning(system());
  if (["system", "stop", "control"].some(name => settings[name] !== before[name])) keepFocus(makeControls);
  update();
}
// New controls under the same name keep who works them where they were.
function keepFocus(act) {
  const id = document.activeElement?.id;
  act();
  if (id && $(id)) $(id).focus();
}
// The map was clicked.
function goTo(step, k_c) {
  const steps = dividing(settings.stop, system().steps);
  change({step: steps[nearest(steps, step)], values: {...settings.values, k_c: Number(k_c.toPrecision(3))}});
}

// A run.

async function update() {
  const began = performance.now();
  show();
  const fragment = toFragment(settings);
  try {
    history.replaceState(null, "", fragment);
  } catch {
    // Some browsers do not let a page from disk change its address; the link is shown all the same.
  }
  $("link").textContent = location.href.replace(/#.*$/, "") + fragment;
  $("map-section").hidden = !system().pair;
  const asked = settings;
  const done = await engine.ask({ask: "run", ...settings});
  if (!done || asked !== settings) return;
  // The map follows when there is time for it.
  if (system().pair) updateMap(settings, value("k_c"));
  const {answer, numbers, ms} = done;
  document.body.classList.toggle("refused", Boolean(answer.error));
  if (answer.error) {
    tell("bad", "Not run: " + answer.error);
    document.documentElement.dataset.run = "refused";
    return;
  }
  const run = {...answer, numbers};
  run.column = i => numbers.subarray(i * run.rows, (i + 1) * run.rows);
  run.most = i => run.column(i).reduce((most, x) => Math.abs(x) > most ? Math.abs(x) : most, 0);
  motion.run = run;
  motion.row = Math.min(motion.row, run.rows - 1);
  showRun(run, ms);
  // The page's own clock: from the change of a control to the curves.
  document.documentElement.dataset.move = (performance.now() - began).toFixed(1);
  document.documentElement.dataset.run = Number(document.documentElement.dataset.run || 0) + 1;
}
function tell(kind, text) {
  $("told").className = "told " + kind;
  if ($("told").textContent !== text) $("told").textContent = text;
}
function showRun(run, ms) {
  const kind = {ok: "good", doubtful: "doubtful"}[run.verdict] || "bad";
  // What the run says of itself, and what only the solution knows.
  const off = run.off > 0.1 ? "bad" : run.off > 0.01 ? "doubtful" : "good";
  const worse = ["good", "doubtful", "bad"].find((_, i, all) => i >= all.indexOf(kind) && i >= all.indexOf(run.off === null ? kind : off));
  const error = run.off === null ? "" : "Largest error: " + percent(run.off) + (run.off > 10 ? " the amplitude. " : " of the amplitude. ");
  const verdict = run.off === null ? "Verdict of the run: " : "Verdict of the run, which does not know the solution: ";
  tell(worse, error + verdict + run.verdict + (run.reason ? ", " + run.reason : "") + ".");
  const facts = [...run.facts, ["time in this tab", ms.toFixed(0) + " ms"]];
  $("facts").replaceChildren(...facts.map(([name, text]) => make("div", null, make("dt", null, name), make("dd", null, text))));
  $("solution-note").hidden = !run.panels.some(panel => panel.curves.some(c => c.solution));
  $("motion-note").textContent = run.notes.join(" · ");
  // Charts that are there get new values.
  const names = JSON.stringify(run.panels.map(p => [p.title, p.curves.map(c => c.name)]));
  if ($("charts").dataset.names !== names) {
    charts.forEach(chart => chart.destroy());
    const boxes = run.panels.map(() => make("div", {class: "chart"}));
    $("charts").replaceChildren(...boxes);
    charts = run.panels.map((panel, i) => chart(run, panel, boxes[i]));
    $("charts").dataset.names = names;
  } else {
    charts.forEach((chart, i) => { chart.panel = run.panels[i]; chart.setData(data(run, run.panels[i])); });
  }
  run.panels.forEach((panel, i) => charts[i].root.parentElement.setAttribute("aria-label", spoken(run, panel)));
  drawMotion();
  // What the run is in a shell.
  $("commands").replaceChildren(...run.commands.map(([what, text], i) => {
    const id = "command-" + i;
    const button = make("button", {type: "button", "data-of": id}, "Copy command");
    return make("div", null, make("h3", {id: "head-" + i}, what), make("div", {class: "copied"}, make("pre", {id, tabindex: 0, "aria-labelledby": "head-" + i}, text), button));
  }));
  $("toml-head").textContent = "The scenario, as " + run.file;
  $("toml").textContent = run.toml;
}

// Charts.

const data = (run, panel) => [run.column(0), ...panel.curves.map(c => panel.log ? positive(run.column(c.column)) : finite(run.column(c.column)))];
const positive = column => Array.from(column, x => x > 0 && Number.isFinite(x) ? x : null);
const finite = column => column.every(Number.isFinite) ? column : Array.from(column, x => Number.isFinite(x) ? x : null);
// What a chart says to those who do not see it.
function spoken(run, panel) {
  const parts = panel.curves.map(c => {
    const column = run.column(c.column);
    return c.name + ": largest " + short(run.most(c.column)) + ", at the end " + short(column[run.rows - 1]) + " " + panel.unit;
  });
  return panel.title + " over time. " + parts.join("; ");
}
function chart(run, panel, place) {
  const axis = label => ({
    label, labelSize: 18, labelGap: 0, gap: 4, labelFont: "13px system-ui, sans-serif", font: "12px system-ui, sans-serif", stroke: () => style("--soft"),
    grid: {stroke: () => style("--grid"), width: 1}, ticks: {stroke: () => style("--grid"), width: 1, size: 6},
  });
  const series = panel.curves.map(c => ({
    label: c.name, value: (_, x) => short(x), points: {show: false}, spanGaps: false,
    stroke: () => colour(c.colour) + (c.solution ? "55" : ""), width: c.solution ? 5 : 1.6, ...(panel.stairs ? {paths: uPlot.paths.stepped({align: -1})} : {}),
  }));
  // A run that leaves all bounds does not hide the solution: the axis shows three times its size.
  const range = (self, low, high) => {
    const sizes = self.panel.curves.filter(c => c.solution).map(c => motion.run.most(c.column));
    if (low === null) return [-1, 1];
    const bound = sizes.length ? 3 * Math.max(...sizes, 1e-300) : Infinity;
    [low, high] = [Math.max(low, -bound), Math.min(high, bound)];
    const pad = 0.06 * (high - low || Math.abs(high) || 1);
    return [low < 0 || low - pad > 0 ? low - pad : 0, high + pad];
  };
  const powers = (self, low, high) => low === null ? [1e-16, 1] : uPlot.rangeLog(Math.max(low, high * 1e-12), high, 10, true);
  const decades = (self, axis, low, high) => {
    const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
    const by = Math.max(1, Math.ceil((last - first) / 7));
    return Array.from({length: Math.floor((last - first) / by) + 1}, (_, i) => 10 ** (first + i * by));
  };
  const scientific = (_, ticks) => ticks.map(x => x === null ? "" : Math.abs(Math.log10(x) % 1) < 1e-9 ? "1e" + Math.round(Math.log10(x)).toString().replace("-", "−") : "");
  const plain = (_, ticks) => ticks.map(x => written(x, 7));
  // Numbers of many digits have room.
  const wide = (_, ticks) => Math.max(58, 16 + 7 * Math.max(0, ...(ticks || []).map(text => text.length)));
  const self = new uPlot({
    width: place.clientWidth, height: 230, padding: [10, 8, 0, 0], cursor: {sync: {key: "time"}, drag: {x: true, y: false}, points: {size: 6}},
    scales: {x: {time: false}, y: panel.log ? {distr: 3, range: powers} : {range}},
    axes: [{...axis("time [s]"), size: 26, values: plain}, {...axis(panel.title + " [" + panel.unit + "]"), size: wide, values: panel.log ? scientific : plain,
      ...(panel.log ? {splits: decades} : {})}],
    series: [{label: "time [s]", value: (_, x) => short(x)}, ...series],
    hooks: {setScale: [(self, key) => { if (key === "x") follow(self); }], init: [self => { self.panel = panel; }]},
  }, data(run, panel), place);
  // Of a solution the pale line says enough.
  place.querySelectorAll(".u-legend .u-series").forEach((row, i) => { if (i > 0 && panel.curves[i - 1].solution) row.hidden = true; });
  place.tabIndex = 0;
  place.setAttribute("role", "group");
  place.addEventListener("keydown", event => keyed(self, event));
  return self;
}

// Copying.

document.addEventListener("click", async event => {
  const of = event.target.dataset?.of;
  if (!of) return;
  const text = $(of).textContent;
  const label = event.target.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without leave to use the clipboard, the old way.
    const range = document.createRange();
    range.selectNodeContents($(of));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
  }
  event.target.textContent = "Copied";
  setTimeout(() => { event.target.textContent = label; }, 1500);
});

// The beginning.

function resize() {
  charts.forEach(chart => chart.setSize({width: chart.root.parentElement.clientWidth, height: 230}));
  drawMotion();
  drawMap();
}
addEventListener("resize", resize);
dark.addEventListener("change", () => { charts.forEach(c => c.redraw(false, true)); drawMotion(); drawMap(); });
addEventListener("hashchange", () => {
  settings = fromFragment(location.hash, about);
  makeControls();
  update();
});
$("reset").addEventListener("click", () => {
  settings = beginning(system());
  makeControls();
  update();
});
$("controls").addEventListener("submit", event => event.preventDefault());
$("values").open = innerWidth >= 660;
(async () => {
  try {
    const {answer} = await engine.ask({ask: "about"});
    about = answer;
    map.about = about.map;
    $("version").textContent = about.version;
    settings = fromFragment(location.hash, about);
    makeControls();
    drawScale();
    await update();
    if (!calm.matches) play(true);
  } catch (error) {
    tell("bad", "The engine does not start in this browser: " + error.message);
  }
})();
