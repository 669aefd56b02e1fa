// Elements of the page. Text is always set as text, never as HTML.

export function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Replace what an element contains. */
export function fill(place, children) {
  place.replaceChildren(...children);
}

export function button(label, onClick, { note = "", primary = false, key = "" } = {}) {
  const parts = [element("span", { className: "label", textContent: label })];
  if (note) parts.push(" ", element("span", { className: "note", textContent: note }));
  const made = element("button", { type: "button", className: primary ? "primary" : "" }, parts);
  if (key) made.dataset.key = key;
  made.addEventListener("click", onClick);
  return made;
}
