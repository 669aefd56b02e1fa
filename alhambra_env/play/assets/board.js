// The drawing: its panels, what can be clicked on them, and the frames of what is marked.

const SVG = "http://www.w3.org/2000/svg";
const PARTS = "[data-slot],[data-open],[data-hand],[data-cell],[data-tile],[data-dirk]";

/** Show panels; those that are as before stay untouched. */
export function showPanels(panels) {
  const others = document.getElementById("others");
  const seats = panels.filter((panel) => panel.name.startsWith("seat-"));
  for (const gone of [...others.children]) {
    if (!seats.some((panel) => panel.name === gone.id)) gone.remove();
  }
  document.getElementById("dirk").hidden = !panels.some((panel) => panel.name === "dirk");
  for (const panel of panels) {
    let place = document.getElementById(panel.name);
    if (!place) {
      place = document.createElement("div");
      place.className = "holder";
      place.id = panel.name;
      others.append(place);
    }
    if (place.dataset.svg !== panel.svg) {
      place.innerHTML = panel.svg;
      place.dataset.svg = panel.svg;
    }
  }
}

/** The parts of the table and of one's own seat, which may be clicked. */
export function parts() {
  return [...document.querySelectorAll(`:is(#table, #dirk, #mine) :is(${PARTS})`)];
}

export const partAt = (element) => element?.closest?.(`:is(#table, #dirk, #mine) :is(${PARTS})`);

export function idOf(part) {
  const { slot, open, hand, copy, cell, tile } = part.dataset;
  if (slot !== undefined) return `slot:${slot}`;
  if (open !== undefined) return `open:${open}`;
  if (hand !== undefined) return `hand:${hand}:${copy}`;
  if (cell !== undefined) return `cell:${cell}`;
  if (tile !== undefined) return `tile:${tile}`;
  return "dirk";
}

/** Does this card stand for all cards of its kind? Then no other copy is drawn. */
export function isPile(part) {
  const { hand } = part.dataset;
  return hand !== undefined && document.querySelectorAll(`#mine [data-hand="${hand}"]`).length === 1;
}

const isSite = (part) => part.querySelector(":scope > .site") !== null;

export const nameOf = (part) => part.querySelector(":scope > title")?.textContent ?? "";

/**
 * Make parts clickable and frame them.
 * mark(id) returns {can, selected, frames, label}: can it be clicked, has it been, the classes of its
 * frames, and what it does in words.
 */
export function markParts(mark) {
  for (const part of parts()) {
    for (const frame of part.querySelectorAll(":scope > .frame")) frame.remove();
    const { can, selected, frames, label } = mark(idOf(part));
    part.classList.toggle("can", can);
    if (can) {
      part.setAttribute("role", "button");
      part.setAttribute("tabindex", "0");
      // The title of the drawing is its name, but for a site it only says the cell.
      if (label && isSite(part)) part.setAttribute("aria-label", label);
      part.setAttribute("aria-pressed", String(selected));
    } else {
      for (const name of ["role", "tabindex", "aria-label", "aria-pressed"]) part.removeAttribute(name);
    }
    // The drawing itself frames the sites.
    for (const kind of frames) if (kind !== "legal" || !isSite(part)) part.append(frameOf(part, kind));
  }
}

function frameOf(part, kind) {
  const box = part.getBBox();
  const frame = document.createElementNS(SVG, "rect");
  const inset = 1.5;
  const sizes = { x: box.x + inset, y: box.y + inset, width: box.width - 2 * inset, height: box.height - 2 * inset, rx: 4 };
  for (const [name, value] of Object.entries(sizes)) frame.setAttribute(name, value);
  frame.setAttribute("class", `frame ${kind}`);
  return frame;
}

/** Move the focus to the nearest part in the direction of an arrow key. */
export function moveFocus(from, key) {
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  const middle = (part) => {
    const box = part.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = middle(from);
  let nearest = null;
  let least = Infinity;
  for (const part of document.querySelectorAll("g.can")) {
    const [left, top] = middle(part);
    const along = (left - x) * dx + (top - y) * dy;
    const across = Math.abs((left - x) * dy) + Math.abs((top - y) * dx);
    const far = along + 3 * across;
    if (part !== from && along > 1 && far < least) [nearest, least] = [part, far];
  }
  nearest?.focus();
}
