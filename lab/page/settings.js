"use strict";
// Settings: from the fragment of the address to controls and back.
const WORDS = ["system", "cut", "schedule", "predict", "correct", "rate", "fast", "control"];
const NUMBERS = ["step", "stop", "control_tolerance"];
const RATES = ["1", "3/2", "2", "3", "5", "10"];

// The beginning of a system.
const beginning = system => ({
  system: system.name, cut: system.cuts[0][0], schedule: system.schedule, predict: system.predict, correct: system.correct,
  step: system.step, stop: system.stop, rate: "1", fast: "2", control: "fixed", control_tolerance: 1e-4, values: {},
});

// What the fragment says; what it does not say, or says wrongly, is as in the beginning.
function fromFragment(fragment, about) {
  const said = new URLSearchParams(fragment.replace(/^#/, ""));
  const system = about.systems.find(s => s.name === said.get("system")) || about.systems[0];
  const settings = beginning(system);
  for (const name of WORDS) if (said.has(name) && name !== "system") settings[name] = said.get(name);
  for (const name of NUMBERS) {
    const value = Number(said.get(name));
    if (said.has(name) && value > 0 && Number.isFinite(value)) settings[name] = value;
  }
  if (!system.cuts.some(([word]) => word === settings.cut)) settings.cut = system.cuts[0][0];
  for (const slider of system.sliders) {
    const value = Number(said.get(slider.name));
    if (said.has(slider.name) && said.get(slider.name) !== "" && Number.isFinite(value)) settings.values[slider.name] = value;
  }
  return settings;
}

// All settings; values that are those of the system are left out, and step control where there is none.
function toFragment(settings) {
  const said = new URLSearchParams();
  const isFixed = settings.control === "fixed";
  for (const name of [...WORDS, ...NUMBERS]) if (!isFixed || !name.startsWith("control")) said.set(name, settings[name]);
  for (const [name, value] of Object.entries(settings.values)) said.set(name, value);
  return "#" + said.toString().replace(/%3A/g, ":").replace(/%2F/g, "/");
}

// Macro steps that divide the run: 1, 1.25, 2, 2.5, 4, 5 and 8 times a power of ten.
function dividing(stop, [least, most]) {
  const found = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) {
    for (const digits of [1, 1.25, 2, 2.5, 4, 5, 8]) {
      const step = Number(digits + "e" + power);
      const windows = stop / step;
      if (step >= least && step <= most && Math.abs(windows - Math.round(windows)) < 1e-9 * windows) found.push(step);
    }
  }
  return found.length ? found : [least, most];
}

// Tolerances: 1, 2 and 5 times a power of ten.
const TOLERANCES = [];
for (let power = -9; power < 0; power++) for (const digit of [1, 2, 5]) TOLERANCES.push(Number(digit + "e" + power));
// The place of the nearest of these.
const nearest = (steps, x) => steps.reduce((best, step, i) => Math.abs(Math.log(step / x)) < Math.abs(Math.log(steps[best] / x)) ? i : best, 0);

// A position from 0 to 1000 on a slider as a value of three digits, and back.
const places = 1000;
function valueAt(slider, place) {
  const [low, high] = slider.range;
  const value = slider.log ? low * (high / low) ** (place / places) : low + (high - low) * place / places;
  return Number(value.toPrecision(3));
}
function placeOf(slider, value) {
  const [low, high] = slider.range;
  const part = slider.log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.round(places * Math.min(1, Math.max(0, Number.isFinite(part) ? part : 0)));
}
