// The page: shows states of the game and asks the server for changes.

import { idOf, isPile, markParts, moveFocus, nameOf, partAt, parts, showPanels } from "./board.js";
import { enableDragging } from "./drag.js";
import { button, element, fill } from "./elements.js";
import { enableNewGame, openNewGame } from "./newgame.js";
import { Selection, keyOf } from "./selection.js";
import { readState, send } from "./server.js";

const byId = (id) => document.getElementById(id);
const PAUSES = [0, 0.4, 0.8, 1.5, 3];
let state = { version: 0, log: [] };
let selection = new Selection();
let isBusy = false;

// --- talking to the server ----------------------------------------------------------------------

async function change(name, body = {}) {
  if (isBusy) return;
  isBusy = true;
  document.body.dataset.busy = "yes";
  try {
    show(await send(name, { version: state.version, ...body }));
    tellProblem("");
  } catch (error) {
    if (error.isStale) show(await readState(0));
    tellProblem(error.isStale ? "The table has changed in another tab; this is how it is now." : error.message);
  } finally {
    isBusy = false;
    delete document.body.dataset.busy;
  }
}

async function followNews() {
  for (;;) {
    try {
      const news = await readState(state.version);
      if (document.body.dataset.lost) {
        delete document.body.dataset.lost;
        tellProblem("");
      }
      show(news);
    } catch (error) {
      if (error.status === 403) return location.reload(); // the server has been started again
      document.body.dataset.lost = "yes";
      tellProblem("The server does not answer. Is “alhambra play” still running?");
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
  }
}

function tellProblem(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = !text;
}

// --- showing a state ----------------------------------------------------------------------------

function show(news) {
  if (news.version < state.version) return;
  const isNew = news.version !== state.version;
  const before = state;
  state = news;
  if (!isNew) return;
  const focus = focusedId();
  const isSame = before.log.length === news.log.length && sameChoices(before.choices, news.choices);
  if (!isSame) selection = new Selection(news.choices);
  showPanels(news.panels);
  showHeader();
  showLog(before);
  showEvery();
  showSelection();
  restoreFocus(focus);
  showPlace();
  document.body.dataset.state = news.state;
  document.body.dataset.version = news.version;
}

const sameChoices = (some, others) => JSON.stringify(some) === JSON.stringify(others);

function focusedId() {
  const active = document.activeElement;
  const part = partAt(active);
  if (part) return { part: idOf(part) };
  return byId("move").contains(active) ? { move: true } : null;
}

/** Keep the focus where it was; if that is gone, move it to the question what to do. */
function restoreFocus(focus) {
  if (!focus || byId("dialog").open) return;
  const same = parts().find((part) => part.classList.contains("can") && idOf(part) === focus.part);
  if (same) same.focus();
  else if (!byId("move").contains(document.activeElement)) byId("prompt").focus({ preventScroll: true });
}

/** On a small screen, scroll to where something can be chosen, if some of it is out of sight. */
function showPlace() {
  if (!matchMedia("(max-width: 699px)").matches) return;
  const framed = parts().filter((part) => part.querySelector(".legal"));
  const place = byId(framed.some((part) => part.closest("#table")) ? "table" : "mine");
  const end = byId("side").getBoundingClientRect().top;
  const isSeen = ({ top, bottom }) => top >= 0 && bottom <= end;
  if (framed.every((part) => !place.contains(part) || isSeen(part.getBoundingClientRect()))) return;
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  place.scrollIntoView({ block: "start", behavior: isCalm ? "instant" : "smooth" });
}

function showHeader() {
  if (byId("prompt").textContent !== state.prompt) byId("prompt").textContent = state.prompt;
  const latest = state.log.findLast((entry) => entry.name !== null);
  const isShown = latest && !latest.mine && state.state !== "over";
  byId("latest").textContent = isShown ? `${latest.name}: ${latest.text}` : "";
  document.title = state.state === "yours" ? "● Your turn - Alhambra" : "Alhambra";
  byId("undo").disabled = !state.can_undo;
  byId("hint").disabled = state.state !== "yours" || state.hint?.options === null;
  byId("hint").title = `Ask ${state.hint_by}`;
  const pauses = [...new Set([...PAUSES, state.pause])].sort((a, b) => a - b);
  const options = pauses.map((each) => element("option", { value: each, textContent: each ? `${each} s` : "none" }));
  if (byId("pace").children.length !== options.length) fill(byId("pace"), options);
  byId("pace").value = state.pause;
}

function showLog(before) {
  const list = byId("log");
  const old = before.log.map((entry) => JSON.stringify(entry));
  const same = state.log.findIndex((entry, i) => JSON.stringify(entry) !== old[i]);
  const kept = before.game === state.game ? (same < 0 ? state.log.length : same) : 0;
  while (list.children.length > kept) list.lastChild.remove();
  for (const entry of state.log.slice(kept)) list.append(lineOf(entry));
}

function lineOf(entry) {
  const name = entry.name ? [element("b", { textContent: `${entry.name}: ` })] : [];
  const details = entry.details.map((text) => element("li", { textContent: text }));
  const inner = details.length ? [element("ul", {}, details)] : [];
  const kind = entry.name === null ? "event" : entry.mine ? "mine" : "";
  return element("li", { className: kind }, [...name, entry.text, ...inner]);
}

function showEvery() {
  byId("all").hidden = !state.choices.length;
  byId("count").textContent = `(${state.choices.length})`;
  if (byId("all").open) fillEvery();
}

function fillEvery() {
  const buttons = state.choices.map((choice) => button(choice.text, () => play(choice)));
  fill(byId("every"), buttons);
}

// --- choosing -----------------------------------------------------------------------------------

const play = (choice) => change("act", { action: choice.action });

function click(id, pile = false) {
  selection.click(id, pile);
  const { complete } = selection;
  if (complete?.quick && selection.candidates().length === 1) return play(complete);
  showSelection();
  return undefined;
}

/** Show what is chosen and what can be done with it. */
function showSelection() {
  const hinted = new Set(state.hint?.options?.[0]?.keys ?? []);
  const isEmpty = !selection.ids.length;
  markParts((id) => {
    const selected = selection.has(id);
    const key = keyOf(id);
    const can = selected || selection.canStart(id) || selection.canAdd(id);
    const next = isEmpty ? state.noticed.includes(key) : selection.canAdd(id) && !selected;
    const frames = selected ? ["selected"] : next ? ["legal"] : [];
    const label = state.choices.find(({ keys }) => keys.length === 1 && keys[0] === key)?.text;
    return { can, selected, label, frames: hinted.has(key) && !selected ? ["hinted"] : frames };
  });
  showOptions();
  showAdvice();
  byId("scroll").scrollTop = byId("scroll").scrollHeight;
}

function showOptions() {
  const place = byId("options");
  const key = document.activeElement?.dataset?.key;
  if (state.state === "over") fill(place, resultOf(state.result));
  else if (state.state === "failed") fill(place, rescueOf());
  else if (state.state === "theirs") fill(place, state.pause ? [button("Skip the pauses", () => change("skip"))] : []);
  else fill(place, selection.ids.length ? candidateButtons() : ownButtons());
  if (key) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
  if (state.notice) place.append(element("p", { className: "notice", textContent: state.notice }));
}

/** The buttons of what is not on the board, before anything is chosen. */
function ownButtons() {
  return state.choices
    .filter((choice) => choice.button)
    .map((choice) => button(choice.label, () => play(choice), { note: choice.note, key: choice.keys[0] }));
}

function candidateButtons() {
  const { complete } = selection;
  const chosen = parts().filter((part) => selection.has(idOf(part))).map(nameOf).join(" + ");
  const others = selection.candidates().filter((choice) => choice !== complete);
  const ordered = complete ? [complete, ...others] : others;
  const buttons = ordered.map((choice) =>
    button(choice.label, () => play(choice), { note: choice.note, primary: choice === complete, key: `act:${choice.action}` }),
  );
  return [
    element("p", { className: "chosen", textContent: chosen }),
    element("div", { className: "list" }, buttons),
    button("Cancel", () => { selection.clear(); showSelection(); byId("prompt").focus(); }, { key: "cancel" }),
  ];
}

function rescueOf() {
  return [
    button("Let builder play on", () => change("substitute"), { primary: true }),
    button("Save the game", () => change("save")),
  ];
}

function resultOf(result) {
  const rows = result.scores.map((each) =>
    element("tr", { className: each.wins ? "wins" : "" }, [
      element("th", { scope: "row", textContent: each.name }),
      element("td", { textContent: `${each.score} points` }),
      element("td", { textContent: each.wins ? "wins" : "" }),
    ]),
  );
  const again = { players: state.players, edition: state.edition, seed: "" };
  const link = element("a", { href: "/record", download: "alhambra.json", textContent: "Download the record" });
  return [
    element("table", { className: "result" }, [element("tbody", {}, rows)]),
    button("Play again", () => change("new", again), { primary: true }),
    element("p", {}, [`${state.edition} edition, seed ${result.seed}. `, link]),
  ];
}

function showAdvice() {
  const { hint } = state;
  if (!hint) return fill(byId("advice"), []);
  const title = element("h3", { textContent: `Hint from ${hint.adviser}` });
  if (hint.options === null) return fill(byId("advice"), [title, element("p", { textContent: "thinking …" })]);
  const items = hint.options.map((option) => {
    const worth = [option.value, option.probability].filter(Boolean).join(" · ");
    const text = element("span", { textContent: option.sentences.join(". Then: ") });
    const facts = worth ? [element("b", { textContent: worth }), " "] : [];
    return element("li", {}, [...facts, text]);
  });
  const meaning = hint.meaning ? [element("p", { className: "note", textContent: hint.meaning })] : [];
  return fill(byId("advice"), [title, element("ol", {}, items), ...meaning]);
}

// --- what the person does -----------------------------------------------------------------------

document.querySelector("main").addEventListener("click", (event) => {
  const part = partAt(event.target);
  if (part?.classList.contains("can")) click(idOf(part), isPile(part));
});

document.addEventListener("keydown", (event) => {
  if (byId("dialog").open) return;
  const part = partAt(event.target);
  if (event.key === "Escape" && selection.ids.length) {
    selection.clear();
    showSelection();
  } else if (part && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    click(idOf(part), isPile(part));
  } else if (part && event.key.startsWith("Arrow")) {
    event.preventDefault();
    moveFocus(part, event.key);
  }
});

enableDragging({
  canDrag: (part) => state.choices?.some(({ keys }) => keys[0].startsWith("cell:")) && part.dataset.in === "picked"
    || selection.canStart(idOf(part)),
  onStart: (part) => {
    if (part.dataset.in === "picked") return null;
    selection.clear();
    return click(idOf(part));
  },
  onDrop: (target) => {
    const part = partAt(target);
    const key = part ? idOf(part) : target?.closest?.("[data-key]")?.dataset.key;
    const found = state.choices.find((choice) => choice.quick && choice.keys.length === 1 && choice.keys[0] === key);
    if (found) play(found);
  },
});

byId("undo").addEventListener("click", () => change("undo"));
byId("hint").addEventListener("click", () => change("hint"));
byId("new").addEventListener("click", () => openNewGame(() => state));
byId("pace").addEventListener("change", () => change("pause", { seconds: Number(byId("pace").value) }));
byId("all").addEventListener("toggle", () => byId("all").open && fillEvery());
enableNewGame(show);
followNews();
