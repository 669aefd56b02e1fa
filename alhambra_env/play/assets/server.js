// Requests to the server. Every answer but an error is a state of the game.

const token = document.querySelector("meta[name=token]").content;

export class Refusal extends Error {
  constructor(message, status, isStale) {
    super(message);
    this.status = status;
    this.isStale = isStale;
  }
}

async function ask(path, options = {}) {
  const headers = { "X-Alhambra-Token": token, ...options.headers };
  const answer = await fetch(path, { ...options, headers, cache: "no-store" });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    throw new Refusal(body.error ?? `The server answers ${answer.status}.`, answer.status, body.stale);
  }
  return body;
}

/** Ask for the state; with a version, wait until there is a newer one. */
export const readState = (after) => ask(`/state?after=${after}`);

/** Ask for a change of the state that is on the page. */
export const send = (change, body) =>
  ask(`/${change}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
