// The data are what alhambra_env/pages/replay.py packs.

(async () => {
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
    button.addEventListener("click", () => jump(ply));
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
    const [title, ...nodes] = thoughtsAt(state.ply);
    find("thoughts-title").textContent = title;
    find("weighed").replaceChildren(...nodes);
    find("weighed").scrollTop = 0;
  }

  /** Return a title, and what is to be said of the move that was played last. */
  function thoughtsAt(ply) {
    const title = "What the player weighed";
    if (ply === 0) return [title, make("p", {}, "No move yet.")];
    const { seat } = data.moves[ply - 1];
    if (state.view !== null && seat !== state.view) {
      return [title, make("p", {}, `What ${data.titles[seat]} weighed is not shown in this view.`)];
    }
    const number = data.thoughts.tableAt[ply];
    if (number === null) return [title, make("p", {}, "Nothing is known about this move.")];
    const table = data.thoughts.tables[number];
    const ways = table.weighed === 1 ? "1 way" : `${table.weighed} ways`;
    return [`${table.who} weighed ${ways} to play`, ...weighedNodes(table)];
  }

  // --- the standing: a table and charts ----------------------------------------------------------

  const percent = (chance) => `${Math.round(100 * chance)}%`;
  const charts = [];
  const standing = []; // the cells of each seat

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

  function addChart(what) {
    const rounds = data.scorings.map(({ ply }) => ply);
    const chart = new Chart(find("plots"), { ...what, end, rounds, titles: data.titles }, jump);
    charts.push(chart);
  }

  function addCharts() {
    addChart({
      title: "Points",
      track: data.scores,
      most: Math.max(10, ...data.scores.flatMap(([, scores]) => scores)),
      format: (value) => String(Math.round(value)),
      isStepped: true,
    });
    if (!data.chances.length) return;
    addChart({ title: "Chances to win", track: data.chances, most: 1, format: percent });
  }

  function showStanding() {
    const isHidden = state.view !== null; // chances are found with all hands
    const chances = data.chances.length ? valueAt(data.chances, state.ply) : null;
    valueAt(data.scores, state.ply).forEach((score, seat) => {
      const [points, wins] = standing[seat];
      points.textContent = String(score);
      if (wins) wins.textContent = isHidden ? "-" : percent(chances[seat]);
    });
    for (const chart of charts) {
      chart.show(state.ply, isHidden && chart.track === data.chances);
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
    addCharts();
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
    new ResizeObserver(() => charts.forEach((chart) => chart.redraw())).observe(find("plots"));
    goToLink();
    document.documentElement.classList.add("ready");
  }

  start();
})();
