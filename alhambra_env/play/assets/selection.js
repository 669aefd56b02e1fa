// What has been clicked, and what can be clicked next.
//
// It knows no rules. Each choice of the state has keys, and a choice is complete when all its keys
// have been clicked. An element has an id: its key, and for a card of the hand also the copy.

export const keyOf = (id) => (id.startsWith("hand:") ? id.split(":").slice(0, 3).join(":") : id);

function without(keys, others) {
  const left = [...keys];
  for (const key of others) {
    const place = left.indexOf(key);
    if (place < 0) return null;
    left.splice(place, 1);
  }
  return left;
}

export class Selection {
  constructor(choices = []) {
    this.choices = choices;
    this.ids = [];
  }

  get keys() {
    return this.ids.map(keyOf);
  }

  /** The choices of which everything clicked is a part. */
  candidates(keys = this.keys) {
    return this.choices.filter((choice) => without(choice.keys, keys) !== null);
  }

  /** The choice whose keys have all been clicked, if there is one. */
  get complete() {
    return this.candidates().find((choice) => choice.keys.length === this.ids.length);
  }

  has(id) {
    return this.ids.includes(id);
  }

  /** Can this be clicked in addition? */
  canAdd(id) {
    return this.candidates([...this.keys, keyOf(id)]).length > 0;
  }

  /** Can this be clicked at all? Something else may have to be taken back. */
  canStart(id) {
    return this.candidates([keyOf(id)]).length > 0;
  }

  /** Click something. `isPile`: it stands for all cards of its kind. */
  click(id, isPile) {
    const isAnother = isPile && this.canAdd(id);
    if (this.has(id) && !isAnother) this.ids = this.ids.filter((other) => other !== id);
    else if (this.canAdd(id)) this.ids.push(id);
    else if (this.canStart(id)) this.ids = [id];
  }

  clear() {
    this.ids = [];
  }
}
