// What comes next, who tells it, and what was decided last.

import { span } from "./state.js";

export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Names of nodes, pods and zones in a text, as buttons that ask why. */
export function named(text, ask) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(/(\d )?\b(node|pod|zone) ([^\s,;:]+)|([a-z0-9][a-z0-9.-]*\/[a-z0-9][a-z0-9.-]*)(?= first)/g)) {
    const [whole, count, kind = "pod", name = found[4]] = found;
    const begin = found.index + whole.length - name.length;
    const known = kind === "node" || name.includes("/") || name === "-";
    if (!known || count) continue;  // "1 node waits"
    parts.push(text.slice(end, begin), button(kind, name, name, ask));
    end = begin + name.length;
  }
  return [...parts, text.slice(end)];
}

export function button(kind, name, text, ask) {
  return element("button", { className: "name", type: "button", textContent: text, title: `why ${kind} ${name}`, onclick: () => ask(kind, name) });
}

export function showNext(list, cluster, ask) {
  list.replaceChildren(...cluster.next.map((step) => {
    const time = element("time");
    time.when = step.when;
    const words = element("span", { title: step.what }, ...named(step.what, ask));
    return element("li", {}, time, words, element("span", { className: "because" }));
  }));
}

const reasons = new Map();  // by what comes next, each asked for once in a while
let askedAt = -Infinity;
setInterval(() => reasons.clear(), 15_000);

/** Two steps for which the same rule decides, though it is another node's turn. */
const kindOf = (step) => step.replace(/^if node \S+/, "if node").replace(/^node \S+ (.*) first of \d+/, "node $1 first");

/** Says behind the first step why it comes: by the rule in the answer to the question about its node or pod. */
export async function showReason(list, rule) {
  const first = list.querySelector("li");
  const subject = first?.querySelector(".name")?.title;
  if (!subject) return;
  const step = kindOf(first.children[1].title);
  const known = reasons.get(step);
  if (known) first.querySelector(".because").textContent = first.querySelector(".because").title = `because ${known}`;
  if (known !== undefined || performance.now() - askedAt < 2000) return;
  askedAt = performance.now();
  reasons.set(step, "");
  const [, kind, name] = subject.split(" ");
  const told = await rule(kind, name);
  told ? reasons.set(step, told) : reasons.delete(step);
}

export function countDown(list, now) {
  for (const time of list.querySelectorAll("time")) {
    const text = time.when === null ? "next:" : time.when <= now ? "now" : `in ${span(time.when - now)}`;
    if (time.textContent !== text) time.textContent = text;
  }
}

export function showHeld(list, cluster, ask) {
  const held = cluster.replica?.held ?? [];
  list.replaceChildren(...held.map((what) => element("li", {}, ...named(what, ask))));
}

const deeds = {
  mark_unknown: "marked Unknown", set_taints: "taints", set_labels: "labels", mark_pod_not_ready: "Ready to False",
  mark_for_deletion: "marked with DisruptionTarget", delete_pod: "deleted", cancel_eviction: "eviction cancelled", node_came_back: "came back",
  undone_by_others: "undone by somebody:", zone_changed: "was",
};

function decision(past, ask) {
  const [kind, ...rest] = past.object.split("/");
  const name = rest.join("/");
  const words = element("span", {}, button(kind, name, name, ask), ` ${deeds[past.what] ?? past.what} ${past.detail.replaceAll("node.kubernetes.io/", "")}`);
  if (past.outcome === "refused") words.append(element("b", { className: "refused", textContent: ` refused: ${past.why}` }));
  if (past.outcome === "under way") words.append(element("i", { className: "quiet", textContent: " …" }));
  return element("li", {}, element("time", { textContent: clock(past.at) }), words);
}

export function showPast(list, cluster, ask) {
  list.replaceChildren(...cluster.past.map((past) => decision(past, ask)));
  if (!cluster.past.length) list.append(element("li", { className: "quiet", textContent: "none" }));
}

let origin = null;
/** From now on times are told as spans since that moment. */
export function countFrom(moment) {
  origin = moment;
}

export function clock(milliseconds) {
  if (origin === null) return new Date(milliseconds).toLocaleTimeString("en-GB");
  const seconds = Math.abs(milliseconds - origin) / 1000;
  const sign = milliseconds < origin ? "-" : "+";
  if (seconds < 59.95) return `${sign}${seconds.toFixed(1)}s`;
  return `${sign}${Math.floor(Math.round(seconds) / 60)}m${Math.round(seconds) % 60}s`;
}
