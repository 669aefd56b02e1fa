// The dialog for a new game.

import { send } from "./server.js";
import { element, fill } from "./elements.js";

const byId = (id) => document.getElementById(id);
const MOST = 6;
let state = null;
let seats = [];

const isHuman = (spec) => spec === "human" || spec.endsWith("=human");

/** Let the dialog call onStart with the state of a new game. */
export function enableNewGame(onStart) {
  byId("many").addEventListener("change", () => showSeats(Number(byId("many").value)));
  byId("cancel").addEventListener("click", () => byId("dialog").close());
  byId("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = { players: seats, edition: byId("edition").value, seed: byId("seed").value };
    try {
      onStart(await send("new", { version: state().version, ...body }));
      byId("dialog").close();
    } catch (error) {
      byId("wrong").textContent = error.message;
    }
  });
}

/** Open the dialog; `current` returns the state on the page. */
export function openNewGame(current) {
  state = current;
  seats = [...state().players];
  byId("seed").value = "";
  byId("wrong").textContent = "";
  const numbers = [2, 3, 4, 5, MOST].map((n) => element("option", { value: n, textContent: n }));
  fill(byId("many"), numbers);
  byId("many").value = seats.length;
  showSeats(seats.length);
  byId("edition").value = state().edition;
  byId("dialog").showModal();
}

function showSeats(count) {
  const offers = state().offers;
  const fits = (spec) => {
    const offer = offers.players.find((each) => each.spec === spec);
    return isHuman(spec) || (offer && [null, count].includes(offer.num_players));
  };
  const human = state().players.find(isHuman);
  const others = offers.players.map((offer) => offer.spec).filter(fits);
  const usual = others.includes("lookahead") ? "lookahead" : others[0];
  seats = Array.from({ length: count }, (_, i) => (seats[i] && fits(seats[i]) ? seats[i] : usual));
  if (!seats.some(isHuman)) seats[0] = human;
  const rows = seats.map((spec, i) => {
    const options = [human, ...others].map((each) =>
      element("option", { value: each, textContent: each === "human" ? "You" : each }),
    );
    const choice = element("select", { className: "seat" }, options);
    choice.value = spec;
    choice.addEventListener("change", () => choose(i, choice.value));
    return element("label", {}, [`Seat ${i} `, choice]);
  });
  fill(byId("seats"), rows);
  const chosen = byId("edition").value;
  const editions = offers.editions.filter((each) => each.min_players <= count);
  fill(byId("edition"), editions.map(({ name }) => element("option", { value: name, textContent: name })));
  if (editions.some(({ name }) => name === chosen)) byId("edition").value = chosen;
}

/** Choose who plays on a seat. One seat is the person's: it changes places. */
function choose(seat, spec) {
  const mine = seats.findIndex(isHuman);
  if (isHuman(spec)) seats[mine] = seats[seat];
  else if (seat === mine) seats[(seat + 1) % seats.length] = seats[mine];
  seats[seat] = spec;
  showSeats(seats.length);
}
