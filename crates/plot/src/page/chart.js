"use strict";
// What charts over time have in common, in the pages of runs and in the laboratory.

// A colour of the page.
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// One span of time for all `charts()`, within the `range()` of times.
function sharedSpan(charts, range) {
  const zoom = (min, max) => charts().forEach(chart => chart.setScale("x", {min, max}));
  let isFollowing = false;
  // All charts show what this one shows.
  function follow(chart) {
    if (isFollowing) return;
    isFollowing = true;
    const {min, max} = chart.scales.x;
    // For those who look without eyes: the span of time that is shown.
    document.documentElement.dataset.span = min + " " + max;
    if (min !== undefined && min !== null) charts().filter(c => c !== chart).forEach(c => c.setScale("x", {min, max}));
    isFollowing = false;
  }
  // Keys: arrows move, plus and minus zoom, 0 shows all.
  function keyed(chart, event) {
    const [first, last] = range();
    let {min, max} = chart.scales.x;
    const span = max - min;
    const moves = {ArrowLeft: [-0.1, -0.1], ArrowRight: [0.1, 0.1], "+": [0.2, -0.2], "=": [0.2, -0.2], "-": [-0.25, 0.25]};
    if (event.key === "0" || event.key === "Home") [min, max] = [first, last];
    else if (moves[event.key]) [min, max] = [min + moves[event.key][0] * span, max + moves[event.key][1] * span];
    else return;
    event.preventDefault();
    // A span is moved as a whole and stays inside.
    if (min < first) [min, max] = [first, Math.min(last, max + (first - min))];
    if (max > last) [min, max] = [Math.max(first, min - (max - last)), last];
    zoom(min, max);
  }
  return {zoom, follow, keyed};
}
