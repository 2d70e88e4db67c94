// The nodes of one zone as cells on a canvas. Only cells that change are drawn.

const collator = new Intl.Collator("en", { numeric: true });
const still = matchMedia("(prefers-reduced-motion: reduce)");
const PULSE = 900;
const PULSES_MAX = 400;

export function palette() {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

const shapes = {
  "ready": () => {},
  "not-ready": (c, s) => {  // a triangle
    c.beginPath(); c.moveTo(s * .5, s * .24); c.lineTo(s * .78, s * .74); c.lineTo(s * .22, s * .74); c.closePath(); c.fill();
  },
  "unknown": (c, s) => {  // a question mark
    c.lineWidth = s * .13; c.beginPath(); c.arc(s * .5, s * .38, s * .17, Math.PI, Math.PI * 2.45); c.lineTo(s * .5, s * .62); c.stroke();
    c.beginPath(); c.arc(s * .5, s * .79, s * .08, 0, 7); c.fill();
  },
  "evicting": (c, s) => {  // a cross
    c.lineWidth = s * .15; c.beginPath(); c.moveTo(s * .28, s * .28); c.lineTo(s * .72, s * .72); c.moveTo(s * .72, s * .28); c.lineTo(s * .28, s * .72); c.stroke();
  },
  "tainted": (c, s) => {  // a diamond
    c.beginPath(); c.moveTo(s * .5, s * .22); c.lineTo(s * .78, s * .5); c.lineTo(s * .5, s * .78); c.lineTo(s * .22, s * .5); c.closePath(); c.fill();
  },
  "cordoned": (c, s) => c.fillRect(s * .22, s * .42, s * .56, s * .16),  // a bar
  "excluded": (c, s) => {  // a ring
    c.lineWidth = s * .12; c.beginPath(); c.arc(s * .5, s * .5, s * .24, 0, 7); c.stroke();
  },
  "paused": (c, s) => { c.fillRect(s * .3, s * .25, s * .14, s * .5); c.fillRect(s * .56, s * .25, s * .14, s * .5); },
};

export function drawCell(context, colour, x, y, size, node) {
  context.save();
  context.translate(x, y);
  context.fillStyle = colour(node.status);
  context.beginPath();
  context.roundRect(0, 0, size, size, size * .22);
  context.fill();
  context.fillStyle = context.strokeStyle = colour(`${node.status}-ink`);
  context.lineCap = "round";
  if (node.status === "excluded") { context.lineWidth = 1; context.stroke(); }
  shapes[node.status]?.(context, size);
  if (node.marks.includes("q")) {  // waits in its zone's queue
    context.beginPath(); context.arc(size * .86, size * .14, size * .12, 0, 7); context.fill();
  }
  if (node.marks.includes("p") && node.status !== "paused") {
    context.fillRect(size * .06, size * .06, size * .09, size * .26); context.fillRect(size * .2, size * .06, size * .09, size * .26);
  }
  context.restore();
}

export class Grid {
  nodes = [];
  places = new Map();
  dirty = new Set();
  pulses = new Map();
  selected = -1;
  size = 16;
  drawn = 0;

  constructor(canvas, { select, open, hover }) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.colour = palette();
    this.on = { select, open, hover };
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-roledescription", "node grid");
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("mousemove", (event) => this.on.hover(this.nodes[this.placeAt(event)], event));
    canvas.addEventListener("mouseleave", () => this.on.hover());
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focus", () => { if (this.selected < 0 && this.nodes.length) this.select(0); });
    new ResizeObserver(() => this.layout()).observe(canvas.parentElement);
  }

  /** `nodes`: all of the zone, in any order. */
  show(nodes, size) {
    const same = nodes.length === this.nodes.length && size === this.size && nodes.every((node) => this.places.has(node.name));
    if (!same) return this.rebuild(nodes, size);
    let pulsing = 0;
    for (const node of nodes) {
      const place = this.places.get(node.name);
      const before = this.nodes[place];
      if (before === node) continue;
      this.nodes[place] = node;
      if (before.status === node.status && before.marks === node.marks) continue;
      this.dirty.add(place);
      if (before.status !== node.status && ++pulsing < PULSES_MAX && !still.matches) this.pulses.set(place, performance.now());
    }
    this.draw();
  }

  rebuild(nodes, size) {
    const name = this.nodes[this.selected]?.name;
    this.size = size;
    this.nodes = nodes.sort((left, right) => collator.compare(left.name, right.name));
    this.places = new Map(this.nodes.map((node, place) => [node.name, place]));
    this.selected = this.places.get(name) ?? -1;
    this.pulses.clear();
    this.layout(true);
  }

  get gap() { return this.size < 14 ? 2 : this.size < 24 ? 3 : 5; }
  get pitch() { return this.size + this.gap; }

  layout(anyway) {
    const width = this.canvas.parentElement.clientWidth - 28;
    const columns = Math.max(Math.floor((width + this.gap) / this.pitch), 1);
    const rows = Math.ceil(this.nodes.length / columns);
    if (!anyway && columns === this.columns && rows === this.rows && width === this.width) return;
    Object.assign(this, { columns, rows, width });
    const height = Math.max(rows * this.pitch + 2, 1);
    const scale = devicePixelRatio || 1;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    this.canvas.style.height = `${height}px`;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.redraw();
  }

  redraw() {
    this.colour = palette();
    this.nodes.forEach((node, place) => this.dirty.add(place));
    this.draw();
  }

  draw() {
    if (this.planned) return;
    this.planned = true;
    requestAnimationFrame((now) => { this.planned = false; this.paint(now); });
  }

  paint(now) {
    for (const place of this.pulses.keys()) this.dirty.add(place);
    for (const place of this.dirty) this.paintCell(place, now);
    this.drawn += this.dirty.size;
    this.dirty.clear();
    if (this.pulses.size) this.draw();
  }

  paintCell(place, now) {
    const node = this.nodes[place];
    if (!node) return;
    const [x, y] = this.corner(place);
    const context = this.context;
    const out = this.gap / 2;
    context.clearRect(x - out, y - out, this.pitch, this.pitch);
    drawCell(context, this.colour, x, y, this.size, node);
    const begun = this.pulses.get(place);
    const age = begun === undefined ? 1 : (now - begun) / PULSE;
    if (age >= 1) this.pulses.delete(place);
    if (age < 1) this.ring(x, y, this.colour("text"), 1 - Math.max(age, 0));
    if (place === this.selected) this.ring(x, y, this.colour("focus"), 1);
  }

  ring(x, y, colour, opacity) {
    const context = this.context;
    context.save();
    context.globalAlpha = opacity;
    context.strokeStyle = colour;
    context.lineWidth = Math.min(this.gap, 3) * .8;
    context.beginPath();
    context.roundRect(x, y, this.size, this.size, this.size * .22);
    context.stroke();
    context.restore();
  }

  corner(place) {
    return [(place % this.columns) * this.pitch + 1, Math.floor(place / this.columns) * this.pitch + 1];
  }

  placeAt(event) {
    const column = Math.floor(event.offsetX / this.pitch);
    if (column >= this.columns) return -1;
    return Math.floor(event.offsetY / this.pitch) * this.columns + column;
  }

  click(event) {
    const place = this.placeAt(event);
    if (!this.nodes[place]) return;
    this.select(place);
    this.on.open(this.nodes[place]);
  }

  key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns, Home: -Infinity, End: Infinity };
    if (event.key === "Enter" && this.nodes[this.selected]) return this.on.open(this.nodes[this.selected]);
    if (!(event.key in steps) || !this.nodes.length) return;
    event.preventDefault();
    const last = this.nodes.length - 1;
    const to = this.selected + steps[event.key];
    const leaves = Math.abs(steps[event.key]) === this.columns && (to < 0 || to > last);
    if (!leaves) this.select(Math.min(Math.max(to, 0), last));
  }

  select(place) {
    for (const one of [this.selected, place]) if (one >= 0) this.dirty.add(one);
    this.selected = place;
    if (this.nodes[place]) this.on.select(this.nodes[place], this);
    this.draw();
  }
}
