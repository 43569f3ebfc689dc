"use strict";
// The stability map: rows of spectral radii from an engine of its own, coarse ones first.
const map = {engine: new Engine(), radii: null, about: null, key: "", point: null, token: 0};

// What falls is blue, what grows is orange, the limit is nearly white; full colour at a factor of ten in 30 steps.
const SIDES = [[5, 48, 97], [67, 147, 195], [247, 247, 247], [244, 165, 82], [140, 56, 4]];
function side(value) {
  const place = Math.min(1, Math.max(0, 0.5 + 0.5 * value)) * 4;
  const low = Math.min(3, Math.floor(place));
  return SIDES[low].map((a, i) => Math.round(a + (SIDES[low + 1][i] - a) * (place - low)));
}
// Growth ln ρ as a shade: its sign says the side; small ones are told apart as well as large ones.
function shade(radius) {
  if (Number.isNaN(radius)) return [128, 128, 128];
  const growth = Math.log(radius);
  if (Math.abs(growth) <= 1e-9) return side(-0.12);
  const size = Math.min(1, Math.max(0, 1 + Math.log10(Math.abs(growth)) / 7));
  return side(Math.sign(growth) * (0.2 + 0.8 * size));
}

const MARGIN = {left: 62, right: 10, top: 10, bottom: 46};
function drawMap() {
  const canvas = document.getElementById("map");
  const [pen, width, height] = sized(canvas, Math.min(canvas.parentElement.clientWidth, 360));
  if (!map.about) return;
  const {points, steps_s, stiffnesses} = map.about;
  const [w, h] = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
  const [dx, dy] = [w / points, h / points];
  for (let row = 0; row < points; row++) {
    for (let column = 0; column < points; column++) {
      const radius = map.radii ? map.radii[row * points + column] : undefined;
      if (radius === undefined) continue;
      pen.fillStyle = "rgb(" + shade(radius) + ")";
      pen.fillRect(MARGIN.left + column * dx, MARGIN.top + h - (row + 1) * dy, Math.ceil(dx * 2) / 2 + 0.5, Math.ceil(dy * 2) / 2 + 0.5);
    }
  }
  // Axes: powers of ten, centres of cells at the values.
  const x = step => MARGIN.left + dx / 2 + (w - dx) * Math.log(step / steps_s[0]) / Math.log(steps_s[1] / steps_s[0]);
  const y = k => MARGIN.top + h - dy / 2 - (h - dy) * Math.log(k / stiffnesses[0]) / Math.log(stiffnesses[1] / stiffnesses[0]);
  pen.strokeStyle = style("--soft");
  pen.lineWidth = 1;
  pen.strokeRect(MARGIN.left, MARGIN.top, w, h);
  pen.fillStyle = style("--soft");
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "top";
  pen.textAlign = "center";
  for (let power = Math.round(Math.log10(steps_s[0])); power <= Math.round(Math.log10(steps_s[1])); power++) {
    pen.fillRect(x(10 ** power) - 0.5, MARGIN.top + h, 1, 5);
    pen.fillText(short(10 ** power), x(10 ** power), MARGIN.top + h + 8);
  }
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  for (let power = Math.round(Math.log10(stiffnesses[0])); power <= Math.round(Math.log10(stiffnesses[1])); power++) {
    pen.fillRect(MARGIN.left - 5, y(10 ** power) - 0.5, 5, 1);
    pen.fillText(short(10 ** power), MARGIN.left - 8, y(10 ** power));
  }
  pen.font = "13px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.fillText("macro step H [s]", MARGIN.left + w / 2, height - 9);
  pen.save();
  pen.translate(9, MARGIN.top + h / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText("stiffness k_c [N/m]", 0, 0);
  pen.restore();
  // The point of the run, kept at the edge where it lies outside.
  if (!map.point) return;
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
  const px = clamp(x(map.point.step), MARGIN.left, MARGIN.left + w);
  const py = clamp(map.point.k_c > 0 ? y(map.point.k_c) : Infinity, MARGIN.top, MARGIN.top + h);
  for (const [line, ink] of [[5, "#ffffff"], [2.5, "#111111"]]) {
    pen.lineWidth = line;
    pen.strokeStyle = ink;
    pen.beginPath();
    pen.arc(px, py, 7, 0, 2 * Math.PI);
    pen.stroke();
  }
}

function drawScale() {
  const canvas = document.getElementById("scale");
  const pen = canvas.getContext("2d");
  for (let i = 0; i < canvas.width; i++) {
    pen.fillStyle = "rgb(" + side(2 * i / canvas.width - 1) + ")";
    pen.fillRect(i, 0, 1, canvas.height);
  }
}

// In words: what becomes of a disturbance at the point of the run.
function sayPoint(radius, settings) {
  const growth = Math.log(radius);
  const in1s = Math.exp(growth / settings.step);
  let text = "ρ = " + (Math.abs(growth) < 1e-3 ? "1 " + (growth < 0 ? "− " : "+ ") + Math.abs(radius - 1).toExponential(2) : radius.toPrecision(6));
  if (Number.isNaN(radius)) text = "A macro step fails here.";
  else if (Math.abs(growth) <= 1e-9) text += ": a disturbance stays as large as it is.";
  else if (growth < 0) text += ": a disturbance dies out.";
  else text += ": a disturbance grows" + (in1s < 1e6 ? " by a factor of " + short(in1s) + " in a second." : " beyond all bounds.");
  document.getElementById("map-told").textContent = text;
  document.getElementById("map").setAttribute("aria-label", "Stability over macro step and stiffness of the coupling; here " + text);
}

// Rows in an order that shows the whole early.
function rowsInTurn(points) {
  const seen = new Set(), turn = [];
  for (const stride of [8, 4, 2, 1]) for (let row = 0; row < points; row += stride) if (!seen.has(row)) { seen.add(row); turn.push(row); }
  return turn;
}

// The map of these settings; what is known already is kept where only the point moves.
async function updateMap(settings, k_c) {
  const token = ++map.token;
  map.point = {step: settings.step, k_c};
  const {step, stop, values: {k_c: _, x1_0, x2_0, v1_0, v2_0, ...values}, ...method} = settings;
  const key = JSON.stringify([method, values]);
  const isNew = key !== map.key;
  if (isNew) {
    map.key = key;
    map.radii = new Array(map.about.points ** 2);
    map.todo = rowsInTurn(map.about.points);
    map.ms = 0;
  }
  const ask = rows => map.engine.ask({ask: "map", settings, rows});
  const first = await ask([]);
  if (token !== map.token || !first) return;
  const refused = first.answer.error || "";
  for (const id of ["map-drawn", "map-legend"]) document.getElementById(id).hidden = Boolean(refused);
  if (refused) {
    document.getElementById("map-told").textContent = "No map: " + refused + ".";
    map.todo = [];
    return;
  }
  sayPoint(first.answer.radius, settings);
  drawMap();
  let count = 4;
  while (map.todo.length) {
    const rows = map.todo.slice(0, count);
    const found = await ask(rows);
    if (token !== map.token || !found || found.answer.error) return;
    map.todo = map.todo.slice(rows.length);
    map.ms += found.ms;
    rows.forEach((row, i) => {
      for (let column = 0; column < map.about.points; column++) {
        map.radii[row * map.about.points + column] = found.numbers[i * map.about.points + column];
      }
    });
    // About a twentieth of a second at a time.
    count = Math.max(1, Math.min(16, Math.round(count * 50 / Math.max(1, found.ms))));
    drawMap();
  }
  document.documentElement.dataset.map = Math.round(map.ms);
}
// A click goes to a point.
document.getElementById("map").addEventListener("click", event => {
  const canvas = event.target;
  const {points, steps_s, stiffnesses} = map.about;
  const [w, h] = [canvas.clientWidth - MARGIN.left - MARGIN.right, canvas.clientHeight - MARGIN.top - MARGIN.bottom];
  const [dx, dy] = [w / points, h / points];
  const part = (place, size) => Math.min(1, Math.max(0, place / size));
  const px = part(event.offsetX - MARGIN.left - dx / 2, w - dx), py = part(MARGIN.top + h - dy / 2 - event.offsetY, h - dy);
  goTo(steps_s[0] * (steps_s[1] / steps_s[0]) ** px, stiffnesses[0] * (stiffnesses[1] / stiffnesses[0]) ** py);
});
