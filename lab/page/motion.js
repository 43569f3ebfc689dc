"use strict";
// The drawing of the system: masses between springs, and where the exact solution has them.
const motion = {run: null, row: 0, isPlaying: false, began: 0};
const PLAY_S = 10;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// A canvas with as many points as the screen has; its width and height in CSS pixels.
function sized(canvas, height) {
  const [width, ratio] = [canvas.parentElement.clientWidth, devicePixelRatio || 1];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    canvas.style.height = height + "px";
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return [pen, width, height];
}

// A spring as a zigzag from x0 to x1.
function spring(pen, x0, x1, y, colour) {
  const [turns, lead, high] = [9, 8, 9];
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(x0, y);
  pen.lineTo(x0 + lead, y);
  const span = x1 - x0 - 2 * lead;
  for (let i = 0; i < turns; i++) pen.lineTo(x0 + lead + span * (i + 0.5) / turns, y + (i % 2 ? high : -high));
  pen.lineTo(x1 - lead, y);
  pen.lineTo(x1, y);
  pen.stroke();
}

// Masses in a row between two walls; `values` in m, `scale` in pixels a metre.
function masses(pen, [width, height], {values, exact, scale}) {
  const [ink, soft] = [style("--ink"), style("--soft")];
  const [wall, y, half] = [14, height / 2, Math.min(22, width / 24)];
  const n = values.length;
  const rest = i => wall + (width - 2 * wall) * (i + 1) / (n + 1);
  const room = (width - 2 * wall) / (n + 1) / 2 - half - 4;
  const at = (i, x) => rest(i) + Math.max(-room * 1.6, Math.min(room * 1.6, Number.isFinite(x) ? x * scale : Infinity * Math.sign(x || 1)));
  // Walls.
  pen.fillStyle = soft;
  for (const x of [0, width - wall]) {
    pen.globalAlpha = 0.35;
    pen.fillRect(x, y - 42, wall, 84);
    pen.globalAlpha = 1;
  }
  const places = values.map((x, i) => at(i, x));
  for (let i = 0; i <= n; i++) {
    const from = i === 0 ? wall : places[i - 1] + half;
    const to = i === n ? width - wall : places[i] - half;
    spring(pen, from, to, y, i > 0 && i < n ? ink : soft);
  }
  // Masses, and frames where they should be.
  places.forEach((x, i) => {
    pen.fillStyle = colour(i);
    pen.fillRect(x - half, y - half, 2 * half, 2 * half);
    pen.fillStyle = style("--paper");
    pen.font = "600 14px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(String(i + 1), x, y);
    if (exact.length) {
      pen.strokeStyle = ink;
      pen.lineWidth = 1.5;
      pen.setLineDash([4, 3]);
      const e = at(i, exact[i]);
      pen.strokeRect(e - half - 3, y - half - 3, 2 * half + 6, 2 * half + 6);
      pen.setLineDash([]);
    }
  });
}

// Quantities as bars from a line, and where the exact solution has them.
function bars(pen, [width, height], {values, exact, most}) {
  const [zero, room, half] = [height / 2, height / 2 - 12, Math.min(40, width / 12)];
  const clamp = x => Math.max(-room, Math.min(room, Number.isFinite(x) ? room * 0.85 * x / most : room));
  pen.fillStyle = style("--soft");
  pen.fillRect(0, zero - 0.5, width, 1);
  values.forEach((x, i) => {
    const middle = width * (i + 1) / (values.length + 1);
    pen.fillStyle = colour(i);
    pen.fillRect(middle - half, zero, 2 * half, -clamp(x));
    pen.strokeStyle = style("--ink");
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    pen.strokeRect(middle - half - 3, zero, 2 * half + 6, -clamp(exact[i]));
    pen.setLineDash([]);
  });
}

// Two rods, by their angles from the hanging position.
function rods(pen, [width, height], {values}) {
  const [length, x0, y0] = [height / 4 - 6, width / 2, height / 2];
  const x1 = x0 + length * Math.sin(values[0]), y1 = y0 + length * Math.cos(values[0]);
  const x2 = x1 + length * Math.sin(values[1]), y2 = y1 + length * Math.cos(values[1]);
  pen.lineCap = "round";
  for (const [i, from, to] of [[0, [x0, y0], [x1, y1]], [1, [x1, y1], [x2, y2]]]) {
    pen.strokeStyle = colour(i);
    pen.lineWidth = 9;
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(...to);
    pen.stroke();
  }
  pen.fillStyle = style("--ink");
  for (const [x, y] of [[x0, y0], [x1, y1]]) {
    pen.beginPath();
    pen.arc(x, y, 3.5, 0, 2 * Math.PI);
    pen.fill();
  }
}

// A ball over the ground.
function ball(pen, [width, height], {values, most}) {
  const [radius, ground] = [10, height - 8];
  pen.fillStyle = style("--soft");
  pen.fillRect(0, ground, width, 2);
  pen.fillStyle = colour(0);
  pen.beginPath();
  pen.arc(width / 2, ground - radius - (height - 3 * radius - 12) * values[0] / most, radius, 0, 2 * Math.PI);
  pen.fill();
}

// The row nearest to a part of the run's time, and the part of a row: steps that are chosen differ in length.
function rowAt(run, part) {
  const t = run.column(0), wanted = t[0] + part * (t[run.rows - 1] - t[0]);
  let [low, high] = [0, run.rows - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= wanted) low = middle;
    else high = middle;
  }
  return t[high] - wanted < wanted - t[low] ? high : low;
}
const partOf = (run, row) => (run.column(0)[row] - run.column(0)[0]) / (run.column(0)[run.rows - 1] - run.column(0)[0] || 1);

// The system at the row that is shown.
const HEIGHTS = {masses: 110, bars: 140, rods: 300, ball: 220};
function drawMotion() {
  const run = motion.run;
  if (!run) return;
  const [pen, width, height] = sized(document.getElementById("motion"), HEIGHTS[run.kind]);
  const row = Math.min(motion.row, run.rows - 1);
  const value = column => run.column(column)[row];
  const both = run.kind === "masses" || run.kind === "bars";
  const half = both ? run.drawing.length / 2 : run.drawing.length;
  const [values, exact] = [run.drawing.slice(0, half).map(value), run.drawing.slice(half).map(value)];
  const most = Math.max(...run.drawing.slice(both ? half : 0).map(c => run.most(c)), 1e-300);
  // The largest motion of the solution fills the room of a mass.
  const room = (width - 28) / (half + 1) / 2 - Math.min(22, width / 24) - 4;
  ({masses, bars, rods, ball})[run.kind](pen, [width, height], {values, exact, most, scale: room / most});
  const t = run.column(0)[row];
  document.getElementById("clock").textContent = "t = " + short(t) + " s";
  const slider = document.getElementById("instant");
  slider.value = Math.round(1000 * partOf(run, row));
  slider.setAttribute("aria-valuetext", "t = " + short(t) + " s");
}

// Playing: a run takes ten seconds, whatever its own time.
function frame(now) {
  if (!motion.isPlaying || !motion.run) return;
  const part = ((now - motion.began) / 1000 / PLAY_S) % 1;
  motion.row = rowAt(motion.run, part);
  drawMotion();
  requestAnimationFrame(frame);
}
function play(on) {
  motion.isPlaying = on;
  document.getElementById("play").textContent = on ? "Pause" : "Play";
  if (!on || !motion.run) return;
  motion.began = performance.now() - 1000 * PLAY_S * partOf(motion.run, motion.row);
  requestAnimationFrame(frame);
}
document.getElementById("play").addEventListener("click", () => play(!motion.isPlaying));
document.getElementById("instant").addEventListener("input", event => {
  play(false);
  if (motion.run) motion.row = rowAt(motion.run, event.target.value / 1000);
  drawMotion();
});
calm.addEventListener("change", () => { if (calm.matches) play(false); });
