/** Return what a player weighed as nodes: a table, and what its columns mean. */
function weighedNodes(table) {
  const columns = ["Rank", "Move", "Chance", table.unit];
  const heads = columns.map((text) => make("th", { scope: "col" }, text));
  const hasChance = table.rows.some(([, , chance]) => chance !== null);
  const hasValue = table.rows.some(([, , , value]) => value);
  const kinds = [hasChance ? "" : "no-chance", hasValue ? "" : "no-value"];
  const notes = hasChance ? ["Chance: that its policy plays this."] : [];
  if (table.unit) {
    notes.push(`${table.unit[0].toUpperCase()}${table.unit.slice(1)}: ${table.meaning}.`);
  }
  return [
    make(
      "table",
      { class: kinds.join(" "), "aria-labelledby": "thoughts-title" },
      make("thead", {}, make("tr", {}, ...heads)),
      make("tbody", {}, ...table.rows.map(weighedRow)),
    ),
    make("p", {}, notes.join(" ")),
  ];
}

function weighedRow([rank, text, chance, value, isPlayed]) {
  const bar = make("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = `${100 * (chance ?? 0)}%`;
  const move = make("td", {}, text);
  if (isPlayed) move.append(" ", make("em", {}, "played"));
  return make(
    "tr",
    isPlayed ? { class: "played" } : {},
    make("td", {}, String(rank)),
    move,
    make("td", {}, chance === null ? "" : `${(100 * chance).toFixed(1)}%`, bar),
    make("td", {}, value),
  );
}
