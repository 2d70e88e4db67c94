// The controller's own answer to a question, beside the nodes.

import { span } from "./state.js";
import { element, named } from "./strip.js";

const pathOf = (kind, name) => `/v1/why/${kind}/${name.split("/").map(encodeURIComponent).join("/")}`;
const withFlags = (why) => Object.entries(why.flags).reduce((rule, [flag, value]) => rule.replace(`--${flag}`, `--${flag}=${value}`), why.rule);
const seconds = (value) => span(value * 1000);

/** What a controller answers: `{ why }`, or `{ text }` where it cannot. */
export async function askController(kind, name) {
  const response = await fetch(pathOf(kind, name));
  const isAnswer = response.headers.get("Content-Type") === "application/json";
  return isAnswer ? { why: await response.json() } : { text: await response.text() };
}

export class Why {
  constructor(panel, title, answer, source) {
    Object.assign(this, { panel, title, answer, source, about: null });
    this.ask = (kind, name) => this.open(kind, name);
  }

  open(kind, name) {
    this.about = { kind, name };
    this.from ??= document.activeElement;
    this.title.replaceChildren(`${kind} ${name}`);
    this.panel.hidden = false;
    this.panel.focus({ preventScroll: true });
    return this.refresh();
  }

  close() {
    if (this.panel.hidden) return;
    this.panel.hidden = true;
    this.about = null;
    this.from?.focus?.();
    this.from = null;
  }

  /** Why something is so, in a line; nothing where nobody can say. */
  async rule(kind, name) {
    try {
      return withFlags((await this.source(kind, name)).why);
    } catch {
      return "";
    }
  }

  async refresh() {
    if (!this.about) return;
    const { kind, name } = this.about;
    const asked = this.about;
    let told;
    try {
      const { why, text, at } = await this.source(kind, name);
      told = why ? this.lines(why) : [["", text]];
      if (at) told.unshift(["at", at]);
    } catch {
      told = [["", "nobody answers"]];
    }
    if (asked === this.about) this.show(told);
  }

  heard({ by, agoSeconds, seenHere }) {
    if (by === "nothing") return "never";
    const ago = `${seconds(agoSeconds)} ago`;
    return seenHere ? `${ago}, by its ${by}` : `no heartbeat since its grace began ${ago}`;
  }

  lines(why) {
    const zone = why.zone;
    const lines = [["state", why.state.replaceAll("_", " ") + (why.forSeconds === null ? "" : `, for ${seconds(why.forSeconds)}`)], ["is", why.is]];
    if (why.near) lines.push(["near", why.near.map((name) => `${why.about.kind} ${name}`).join(", ")]);
    if (why.heard) lines.push(["heard", this.heard(why.heard)]);
    if (why.rule) lines.push(["rule", withFlags(why)]);
    if (zone) lines.push(["zone", `zone ${zone.name}: ${zone.state}, ${zone.ready} ready, ${zone.notReady} not, ${zone.waiting} wait, ${zone.nodesPerSecond} nodes/s` + (zone.place ? `; place ${zone.place}` : "")]);
    for (const held of why.held) lines.push(["held", held.what + (held.endsInSeconds === null ? "" : `; ends in ${seconds(held.endsInSeconds)}`)]);
    for (const step of why.next) lines.push(["next", (step.inSeconds === null ? "" : step.inSeconds <= 0 ? "now: " : `in ${seconds(step.inSeconds)}: `) + step.what]);
    for (const past of why.last.slice(0, 8)) lines.push(["last", `${seconds(past.agoSeconds)} ago: ${[past.what.replaceAll("_", " "), past.detail].filter(Boolean).join(" ")}${past.outcome === "happened" ? "" : `: ${past.outcome}`}${past.why ? `: ${past.why}` : ""}`]);
    return lines;
  }

  show(lines) {
    const list = element("dl");
    let before = "";
    for (const [head, text] of lines) {
      list.append(element("dt", { textContent: head === before ? "" : head }));
      list.append(element("dd", { className: head === "held" ? head : "" }, ...named(text, this.ask)));
      before = head;
    }
    this.answer.replaceChildren(list);
  }
}
