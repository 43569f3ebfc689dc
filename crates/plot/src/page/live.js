"use strict";
// Asks for what is new, as long as the run goes on.
document.addEventListener("DOMContentLoaded", () => {
  const ask = async () => {
    let run = null;
    try {
      const answer = await fetch("data", {cache: "no-store"});
      run = answer.ok ? await answer.json() : null;
    } catch {
      // The run is over, and its server with it.
    }
    if (run) show(run);
    document.documentElement.dataset.live = run ? (run.live ? "on" : "over") : "gone";
    if (run && run.live) setTimeout(ask, 500);
    else if (!run) lost();
  };
  ask();
});
