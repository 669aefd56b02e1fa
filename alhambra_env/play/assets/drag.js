// Dragging tiles with a mouse or a finger. What can be dragged can also be clicked.

import { partAt } from "./board.js";

const FAR = 8; // pixels; less is a click

/**
 * canDrag(part): may this be dragged?
 * onStart(part): it is; may return a promise.
 * onDrop(element): it was dropped on this element, after that promise.
 */
export function enableDragging({ canDrag, onStart, onDrop }) {
  let drag = null;

  document.addEventListener("pointerdown", (event) => {
    const part = partAt(event.target);
    if (event.button === 0 && part?.dataset.tile !== undefined && canDrag(part)) {
      drag = { part, x: event.clientX, y: event.clientY, ghost: null, started: null };
    }
  });

  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < FAR) return;
      drag.ghost = ghostOf(drag.part);
      drag.started = onStart(drag.part);
    }
    drag.ghost.style.translate = `${event.clientX}px ${event.clientY}px`;
  });

  document.addEventListener("pointerup", async (event) => {
    const ended = drag;
    drag = null;
    if (!ended?.ghost) return;
    ended.ghost.remove();
    window.addEventListener("click", stopOnce, { capture: true, once: true });
    setTimeout(() => window.removeEventListener("click", stopOnce, { capture: true }), 0);
    await ended.started;
    onDrop(document.elementFromPoint(event.clientX, event.clientY));
  });

  document.addEventListener("pointercancel", () => {
    drag?.ghost?.remove();
    drag = null;
  });
}

function stopOnce(event) {
  event.stopPropagation();
  event.preventDefault();
}

function ghostOf(part) {
  const ghost = document.createElement("div");
  ghost.className = "ghost";
  ghost.innerHTML = `<svg class="alhambra-page" viewBox="0 0 60 60"><use href="#a-t${Number(part.dataset.tile)}"/></svg>`;
  document.body.append(ghost);
  return ghost;
}
