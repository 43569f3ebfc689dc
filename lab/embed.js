// Links into the laboratory open it below their paragraph, so that a method is seen where it is explained. The same link again closes it;
// with Ctrl, Shift or the middle button it opens in a tab of its own, and on a narrow screen it is a link as any other.
"use strict";
const frames = new Map();

document.addEventListener("click", event => {
  const link = event.target.closest('a[href*="laboratory.html#"]');
  const block = link?.closest("p, table, ul, ol");
  if (!block || event.ctrlKey || event.metaKey || event.shiftKey || innerWidth < 700) return;
  event.preventDefault();

  // Of the links of one paragraph one is open.
  const open = frames.get(block);
  document.querySelectorAll("a[aria-expanded]").forEach(other => block.contains(other) && other.removeAttribute("aria-expanded"));
  if (open?.src === link.href) {
    open.remove();
    frames.delete(block);
    return;
  }
  link.setAttribute("aria-expanded", "true");
  if (open) {
    // Another fragment: the page takes the settings and is not loaded again.
    open.src = link.href;
    return;
  }
  const frame = document.createElement("iframe");
  Object.assign(frame, {src: link.href, title: "The laboratory: " + link.textContent});
  frame.style.cssText = "width: 100%; height: 85vh; border: 1px solid var(--table-border-color, #ccc)";
  (block.closest(".table-wrapper") || block).after(frame);
  frames.set(block, frame);
});
