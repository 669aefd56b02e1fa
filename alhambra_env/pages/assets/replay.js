"use strict";

// The data are what alhambra_env/pages/replay.py packs. A "track" is a list of [ply, value]: a value
// holds from its ply (the number of actions played before) until the next one.

(async () => {
  const find = (id) => document.getElementById(id);

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children); // strings become text, never markup
    return element;
  }

  function draw(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  async function unpack() {
    const bytes = Uint8Array.from(atob(find("data").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  /** Return the value of a track at a ply. */
  function valueAt(track, ply) {
    let low = 0;
    let high = track.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (track[middle][0] <= ply) low = middle;
      else high = middle - 1;
    }
    return track[low][1];
  }

  if (typeof DecompressionStream === "undefined") {
    const notice = find("notice");
    notice.textContent =
      "This replay needs a browser of 2023 or later: Chrome 80, Firefox 113, Safari 16.4 or newer.";
    notice.hidden = false;
    return;
  }

  const data = await unpack();
  const seats = data.names.length;
  const end = data.moves.length;
  const state = { ply: 0, view: null, timer: null };
  const scoringAt = new Map(data.scorings.map((scoring) => [scoring.ply, scoring]));
  const badge = (seat) => make("span", { class: "badge", "aria-hidden": "true" }, String(seat));

  // --- panels ------------------------------------------------------------------------------------

  const panels = data.panels.map(([name, width, height]) => {
    const svg = draw("svg", {
      class: "alhambra-page",
      viewBox: `0 0 ${width} ${height}`,
      role: "group",
    });
    find(name.startsWith("seat-") ? "seats" : "common").append(
      make("div", { class: "panel", "data-panel": name }, svg),
    );
    return { name, svg, drawing: -1 };
  });

  function showPanels() {
    const view = state.view === null ? {} : data.views[state.view];
    for (const panel of panels) {
      const drawing = valueAt(view[panel.name] ?? data.everything[panel.name], state.ply);
      if (drawing === panel.drawing) continue;
      const [body, title] = data.drawings[drawing];
      panel.drawing = drawing;
      panel.svg.innerHTML = body; // of render/svg.py, which escapes names; the page has no others
      panel.svg.setAttribute("aria-label", title);
    }
  }

  // --- the move in words -------------------------------------------------------------------------

  function scoringInWords(scoring, isShort) {
    const gains = scoring.gained.map((points, seat) =>
      isShort ? `+${points}` : `${data.titles[seat]} +${points}`,
    );
    const rounds = scoring.rounds.includes("and") ? "Rounds" : "Round";
    return `${rounds} ${scoring.rounds} scored: ${gains.join(", ")}`;
  }

  function inWords(ply) {
    if (ply === 0) return ["Set-up", "The game begins"];
    const move = data.moves[ply - 1];
    const parts = [move.text];
    if (scoringAt.has(ply)) parts.push(scoringInWords(scoringAt.get(ply), true));
    if (ply === end && data.over) parts.push(find("result").textContent);
    return [data.titles[move.seat], parts.join(". ")];
  }

  function showWords() {
    const [who, what] = inWords(state.ply);
    find("said").replaceChildren(make("b", {}, `${who}: `), what);
    find("count").textContent = `${state.ply} / ${end}`;
    const slider = find("slider");
    slider.value = state.ply;
    slider.setAttribute("aria-valuetext", `Move ${state.ply} of ${end}. ${who}: ${what}`);
    for (const id of ["first", "back"]) dim(find(id), state.ply === 0);
    for (const id of ["forward", "last"]) dim(find(id), state.ply === end);
  }

  /** Show that a button does nothing now, without taking the focus away from it. */
  function dim(button, isDimmed) {
    button.setAttribute("aria-disabled", String(isDimmed));
  }

  // --- the list of moves -------------------------------------------------------------------------

  const items = [];

  function addMove(list, ply, text) {
    const button = make("button", { type: "button", tabindex: "-1" }, text);
    button.addEventListener("click", () => go(ply));
    items[ply] = button;
    list.append(make("li", {}, button));
  }

  function listMoves() {
    const moves = find("moves");
    const start = make("ol");
    moves.append(make("li", { class: "turn" }, start));
    addMove(start, 0, "Set-up");
    let list = null;
    let group = "";
    data.moves.forEach((move, index) => {
      const key = `${move.turn} ${move.seat} ${move.isEnding}`;
      if (key !== group) {
        const head = move.isEnding ? "Leftover tiles" : `Turn ${move.turn + 1}`;
        list = make("ol");
        moves.append(
          make(
            "li",
            { class: "turn" },
            make("p", {}, badge(move.seat), make("b", {}, data.names[move.seat]), ` ${head}`),
            list,
          ),
        );
        group = key;
      }
      addMove(list, index + 1, move.text);
      const scoring = scoringAt.get(index + 1);
      if (scoring) moves.append(make("li", { class: "scoring" }, scoringInWords(scoring, false)));
    });
  }

  function showInList() {
    const moves = find("moves");
    const old = moves.querySelector("[aria-current]");
    const item = items[state.ply];
    if (old) {
      old.removeAttribute("aria-current");
      old.tabIndex = -1;
    }
    item.setAttribute("aria-current", "step");
    item.tabIndex = 0;
    if (moves.contains(document.activeElement)) item.focus({ preventScroll: true });
    // Only the list scrolls, never the page.
    const offset = item.getBoundingClientRect().top - moves.getBoundingClientRect().top;
    moves.scrollTop += offset - (moves.clientHeight - item.clientHeight) / 2;
  }

  // --- what players weighed ----------------------------------------------------------------------

  function showThoughts() {
    find("thoughts-title").textContent = "What the player weighed";
    const number = data.thoughts.tableAt[state.ply];
    const seat = state.ply ? data.moves[state.ply - 1].seat : null;
    const weighed = find("weighed");
    weighed.scrollTop = 0;
    if (state.view !== null && seat !== null && seat !== state.view) {
      return say(weighed, `Only ${data.titles[seat]} knows what it weighed.`);
    }
    if (number === null || number === undefined) {
      return say(weighed, state.ply ? "Nothing is known about this move." : "No move yet.");
    }
    const table = data.thoughts.tables[number];
    const rows = table.rows.map((row) => thoughtRow(row));
    const columns = ["Rank", "Move", "Chance", table.unit];
    const heads = columns.map((text) => make("th", { scope: "col" }, text));
    const hasChance = table.rows.some((row) => row[2] !== null);
    const hasValue = table.rows.some((row) => row[3]);
    const ways = table.weighed === 1 ? "1 way" : `${table.weighed} ways`;
    find("thoughts-title").textContent = `${table.who} weighed ${ways} to play`;
    weighed.replaceChildren(
      make(
        "table",
        {
          class: `${hasChance ? "" : "no-chance"} ${hasValue ? "" : "no-value"}`,
          "aria-labelledby": "thoughts-title",
        },
        make("thead", {}, make("tr", {}, ...heads)),
        make("tbody", {}, ...rows),
      ),
    );
    const notes = hasChance ? ["Chance: that its policy plays this."] : [];
    if (table.unit) notes.push(`${capitalised(table.unit)}: ${table.meaning}.`);
    if (notes.length) weighed.append(make("p", {}, notes.join(" ")));
  }

  const capitalised = (text) => text[0].toUpperCase() + text.slice(1);

  function say(place, text) {
    place.replaceChildren(make("p", {}, text));
  }

  function thoughtRow([rank, text, chance, value, isPlayed]) {
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

  // --- the standing: a table and charts ----------------------------------------------------------

  const percent = (chance) => `${Math.round(100 * chance)}%`;
  const plots = [];
  const standing = [];

  function listPlayers() {
    const columns = ["Standing", "Points", ...(data.chances.length ? ["Wins"] : [])];
    const heads = columns.map((text) => make("th", { scope: "col" }, text));
    const rows = data.names.map((name, seat) => {
      const key = draw("svg", { class: "key", viewBox: "0 0 22 8", "aria-hidden": "true" });
      key.append(draw("path", { class: `line seat-${seat}`, d: "M0 4h22" }));
      const cells = columns.slice(1).map(() => make("td"));
      standing.push(cells);
      const head = make("th", { scope: "row" }, badge(seat), make("span", {}, name), key);
      return make("tr", {}, head, ...cells);
    });
    find("standing").append(
      make("thead", {}, make("tr", {}, ...heads)),
      make("tbody", {}, ...rows),
    );
  }

  function addPlot(title, track, most, format, isStepped) {
    const svg = draw("svg", { class: "plot", role: "img" });
    const plot = { title, track, most, format, isStepped, svg, marker: null, x: null };
    find("plots").append(make("figure", {}, make("figcaption", {}, title), svg));
    svg.addEventListener("click", (event) => go(Math.round(plot.x.invert(event.offsetX))));
    plots.push(plot);
  }

  function drawPlot(plot) {
    const { svg, track, most } = plot;
    const [width, height] = [svg.clientWidth, svg.clientHeight];
    if (!width) return;
    const [left, right, top, bottom] = [38, width - 18, 7, height - 7];
    const x = (ply) => left + ((right - left) * ply) / Math.max(end, 1);
    x.invert = (pixel) => ((pixel - left) / (right - left)) * end;
    const y = (value) => bottom - ((bottom - top) * value) / most;
    plot.x = x;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    for (const value of [0, most / 2, most]) {
      svg.append(
        draw("path", { class: "grid", d: `M${left} ${y(value)}H${right}` }),
        draw("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, plot.format(value)),
      );
    }
    for (const { ply } of data.scorings) {
      svg.append(draw("path", { class: "round", d: `M${x(ply)} ${top}V${bottom}` }));
    }
    const points = (seat) => {
      const path = [];
      track.forEach(([ply, values], index) => {
        if (plot.isStepped && index) path.push(`${x(ply)} ${y(track[index - 1][1][seat])}`);
        path.push(`${x(ply)} ${y(values[seat])}`);
      });
      path.push(`${x(end)} ${y(track.at(-1)[1][seat])}`);
      return `M${path.join("L")}`;
    };
    for (let seat = 0; seat < seats; seat++) {
      svg.append(draw("path", { class: `line seat-${seat}`, d: points(seat) }));
    }
    labelEnds(svg, track.at(-1)[1].map(y), right + 4, top, bottom);
    plot.marker = svg.appendChild(draw("path", { class: "marker" }));
    plot.span = [top, bottom];
  }

  /** Write the seats' numbers at the ends of their lines, apart from each other. */
  function labelEnds(svg, heights, x, top, bottom) {
    const gap = Math.min(11, (bottom - top) / Math.max(seats - 1, 1));
    const order = [...heights.keys()].sort((a, b) => heights[a] - heights[b]);
    const placed = order.map((seat) => heights[seat]);
    for (let i = 1; i < placed.length; i++) placed[i] = Math.max(placed[i], placed[i - 1] + gap);
    for (let i = placed.length - 1, most = bottom; i >= 0; i--, most -= gap) {
      placed[i] = Math.min(placed[i], most);
    }
    order.forEach((seat, i) => {
      const label = { class: `end seat-${seat}`, x, y: placed[i] + 4 };
      svg.append(draw("text", label, String(seat)));
    });
  }

  function showStanding() {
    const { ply } = state;
    const isHidden = state.view !== null;
    const scores = valueAt(data.scores, ply);
    const chances = data.chances.length && !isHidden ? valueAt(data.chances, ply) : null;
    scores.forEach((score, seat) => {
      standing[seat][0].textContent = String(score);
      if (data.chances.length) standing[seat][1].textContent = chances ? percent(chances[seat]) : "-";
    });
    for (const plot of plots) {
      const isSecret = plot.track === data.chances && isHidden;
      plot.svg.parentElement.classList.toggle("secret", isSecret);
      const values = isSecret ? [] : valueAt(plot.track, ply);
      const read = values.map((value, seat) => `${data.titles[seat]} ${plot.format(value)}`);
      plot.svg.setAttribute("aria-label", `${plot.title} at move ${ply}: ${read.join(", ")}`);
      if (plot.marker) plot.marker.setAttribute("d", `M${plot.x(ply)} ${plot.span[0]}V${plot.span[1]}`);
    }
  }

  // --- going to a position -----------------------------------------------------------------------

  let linking = null;

  function go(ply) {
    const target = Math.min(Math.max(Number.isFinite(ply) ? ply : 0, 0), end);
    if (target === state.ply && panels[0].drawing >= 0) return;
    state.ply = target;
    show();
    clearTimeout(linking); // browsers refuse many changes of the address at once
    linking = setTimeout(() => history.replaceState(null, "", `#ply=${state.ply}`), 150);
  }

  function show() {
    showPanels();
    showWords();
    showInList();
    if (data.thoughts.tables.length) showThoughts();
    showStanding();
  }

  function goToLink() {
    const found = /^#ply=(\d{1,6})$/.exec(location.hash);
    go(found ? Number(found[1]) : state.ply);
  }

  // --- playing -----------------------------------------------------------------------------------

  const isPlaying = () => state.timer !== null;

  function play() {
    if (state.ply === end) go(0);
    find("said").setAttribute("aria-live", "off"); // not a flood of moves
    schedule();
    showButton();
  }

  function pause() {
    clearTimeout(state.timer);
    state.timer = null;
    find("said").setAttribute("aria-live", "polite");
    showButton();
  }

  function schedule() {
    state.timer = setTimeout(() => {
      go(state.ply + 1);
      if (state.ply === end) pause();
      else schedule();
    }, 1000 / Number(find("speed").value));
  }

  function showButton() {
    document.documentElement.classList.toggle("playing", isPlaying());
    find("play").setAttribute("aria-label", isPlaying() ? "Pause" : "Play");
  }

  /** Go where the reader wants to; what was playing stops. */
  function jump(ply) {
    if (isPlaying()) pause();
    go(ply);
  }

  // --- controls ----------------------------------------------------------------------------------

  const steps = {
    first: () => jump(0),
    back: () => jump(state.ply - 1),
    play: () => (isPlaying() ? pause() : play()),
    forward: () => jump(state.ply + 1),
    last: () => jump(end),
  };
  const keys = {
    Home: "first",
    ArrowLeft: "back",
    " ": "play",
    ArrowRight: "forward",
    End: "last",
  };
  const keysInList = { ...keys, ArrowUp: "back", ArrowDown: "forward" };

  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const { target } = event;
    if (target instanceof HTMLSelectElement) return;
    if (event.key === " " && target instanceof HTMLButtonElement) return; // presses it
    const step = (find("moves").contains(target) ? keysInList : keys)[event.key];
    if (!step) return;
    event.preventDefault();
    steps[step]();
  }

  function addTicks() {
    for (const { ply, rounds } of data.scorings) {
      const tick = make("button", { type: "button", title: `Move ${ply}` }, `Scoring ${rounds}`);
      const share = ply / Math.max(end, 1);
      tick.style.setProperty("--at", share);
      tick.classList.toggle("at-end", share > 0.9);
      tick.classList.toggle("at-start", share < 0.1);
      tick.addEventListener("click", () => jump(ply));
      find("ticks").append(tick);
    }
  }

  function addViews() {
    const view = find("view");
    view.append(make("option", { value: "" }, "Everything"));
    data.titles.forEach((title, seat) => view.append(make("option", { value: seat }, title)));
    view.addEventListener("change", () => {
      state.view = view.value === "" ? null : Number(view.value);
      show();
    });
  }

  function addThemes() {
    const theme = find("theme");
    theme.addEventListener("change", () => {
      if (theme.value) document.documentElement.dataset.theme = theme.value;
      else delete document.documentElement.dataset.theme;
    });
  }

  function start() {
    addViews();
    addThemes();
    addTicks();
    listMoves();
    listPlayers();
    const most = Math.max(10, ...data.scores.flatMap(([, scores]) => scores));
    addPlot("Points", data.scores, most, (value) => String(Math.round(value)), true);
    if (data.chances.length) addPlot("Chances to win", data.chances, 1, percent, false);
    // With a free place among the seats, the charts are there.
    if (seats % 2 || seats === 2) find("seats").append(find("charts"));
    if (!data.thoughts.tables.length) find("thoughts").remove();
    const slider = find("slider");
    slider.max = end;
    slider.addEventListener("input", () => jump(Number(slider.value)));
    for (const [id, step] of Object.entries(steps)) find(id).addEventListener("click", step);
    document.addEventListener("keydown", onKey);
    window.addEventListener("hashchange", goToLink);
    document.documentElement.classList.remove("loading");
    new ResizeObserver(() => {
      plots.forEach(drawPlot);
      showStanding();
    }).observe(find("plots"));
    goToLink();
    document.documentElement.classList.add("ready");
  }

  start();
})();
