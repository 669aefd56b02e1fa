/** A chart of one value of each seat from the first position to the last. */
class Chart {
  /**
   * @param {Element} place where it is added
   * @param {object} what `title`, `track` (of lists by seat), `most` (the highest value), `format`,
   *   `isStepped`, `end` (the last ply), `rounds` (the plies of scorings), `titles` (of the seats)
   * @param {function} go called with the ply of a click
   */
  constructor(place, what, go) {
    Object.assign(this, what);
    this.svg = draw("svg", { class: "plot", role: "img" });
    this.figure = make("figure", {}, make("figcaption", {}, this.title), this.svg);
    this.ply = 0;
    place.append(this.figure);
    this.svg.addEventListener("click", ({ offsetX }) => go(Math.round(this.plyAt(offsetX))));
  }

  x(ply) {
    return this.left + ((this.right - this.left) * ply) / Math.max(this.end, 1);
  }

  plyAt(x) {
    return ((x - this.left) / (this.right - this.left)) * this.end;
  }

  y(value) {
    return this.bottom - ((this.bottom - this.top) * value) / this.most;
  }

  /** Draw it anew in the size that it has now. */
  redraw() {
    const [width, height] = [this.svg.clientWidth, this.svg.clientHeight];
    if (!width) return;
    Object.assign(this, { left: 38, right: width - 18, top: 7, bottom: height - 7 });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren(...this.grid(), ...this.lines(), ...this.labels());
    this.marker = this.svg.appendChild(draw("path", { class: "marker" }));
    this.mark();
  }

  grid() {
    const values = [0, this.most / 2, this.most];
    return [
      ...values.map((value) =>
        draw("path", { class: "grid", d: `M${this.left} ${this.y(value)}H${this.right}` }),
      ),
      ...values.map((value) => {
        const place = { x: this.left - 5, y: this.y(value) + 4, "text-anchor": "end" };
        return draw("text", place, this.format(value));
      }),
      ...this.rounds.map((ply) =>
        draw("path", { class: "round", d: `M${this.x(ply)} ${this.top}V${this.bottom}` }),
      ),
    ];
  }

  lines() {
    return this.titles.map((_, seat) => {
      const points = [];
      let before = null;
      for (const [ply, values] of [...this.track, [this.end, this.track.at(-1)[1]]]) {
        if (this.isStepped && before !== null) points.push(`${this.x(ply)} ${this.y(before)}`);
        before = values[seat];
        points.push(`${this.x(ply)} ${this.y(before)}`);
      }
      return draw("path", { class: `line seat-${seat}`, d: `M${points.join("L")}` });
    });
  }

  /** Return the seats' numbers at the ends of their lines, apart from each other. */
  labels() {
    const heights = this.track.at(-1)[1].map((value) => this.y(value));
    const gap = Math.min(11, (this.bottom - this.top) / Math.max(heights.length - 1, 1));
    const order = [...heights.keys()].sort((a, b) => heights[a] - heights[b]);
    const placed = order.map((seat) => heights[seat]);
    for (let i = 1; i < placed.length; i++) placed[i] = Math.max(placed[i], placed[i - 1] + gap);
    for (let i = placed.length - 1, most = this.bottom; i >= 0; i--, most -= gap) {
      placed[i] = Math.min(placed[i], most);
    }
    return order.map((seat, i) => {
      const place = { class: `end seat-${seat}`, x: this.right + 4, y: placed[i] + 4 };
      return draw("text", place, String(seat));
    });
  }

  /** Show where a position is, or nothing at all if the values are secret. */
  show(ply, isSecret) {
    this.ply = ply;
    this.figure.classList.toggle("secret", isSecret);
    const values = isSecret ? [] : valueAt(this.track, ply);
    const read = values.map((value, seat) => `${this.titles[seat]} ${this.format(value)}`);
    this.svg.setAttribute("aria-label", `${this.title} at move ${ply}: ${read.join(", ")}`);
    if (this.marker) this.mark();
  }

  mark() {
    this.marker.setAttribute("d", `M${this.x(this.ply)} ${this.top}V${this.bottom}`);
  }
}
