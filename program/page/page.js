// Joins the parts: events come in, the cluster of the moment that is looked at is shown.

import { Grid, drawCell, palette } from "./grid.js";
import { Answers, Player, SPEEDS } from "./player.js";
import { STATUSES, Timeline, follow, span } from "./state.js";
import { clock, countDown, countFrom, element, showHeld, showNext, showPast, showReason } from "./strip.js";
import { Why, askController } from "./why.js";

const by = (id) => document.getElementById(id);
const run = by("run") && JSON.parse(by("run").textContent);  // one that was recorded; null: the page is live
const player = run && new Player(run, playAt, showPlayer);
const timeline = new Timeline(run ? Infinity : undefined);
const why = new Why(by("why"), by("why-title"), by("why-answer"), run ? askRun : askController);
const grids = new Map();
let looksAt = null;  // a moment of the past; null: live
let shown = {};      // parts that are on the page
let offset = 0;      // of the controller's clock to ours
let heardAt = 0;

const now = () => Date.now() + offset;

// --- light and dark

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let theme = null;
try { theme = localStorage.getItem("theme"); } catch { /* then it is not kept */ }

function dress() {
  const dark = theme ? theme === "dark" : prefersDark.matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  by("theme").textContent = dark ? "☀" : "☾";
  for (const { grid } of grids.values()) grid.redraw();
  legend();
}
by("theme").onclick = () => {
  theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try { localStorage.setItem("theme", theme); } catch { /* as above */ }
  dress();
};
prefersDark.onchange = dress;

// --- zones and their nodes

function cellSize(count) {
  return count <= 150 ? 32 : count <= 600 ? 22 : count <= 2500 ? 14 : 10;
}

function describe(node) {
  const words = [node.name, node.status];
  if (node.since) words.push(`since ${clock(node.since)}`);
  if (node.marks.includes("q")) words.push("waits in the queue of its zone");
  if (node.marks.includes("p") && node.status !== "paused") words.push("paused");
  if (node.marks.includes("c") && node.status !== "cordoned") words.push("cordoned");
  return words.join(" · ");
}

function hover(node, event) {
  const tip = by("tip");
  tip.hidden = !node;
  if (!node) return;
  tip.textContent = describe(node);
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8)}px`;
}

function column(name) {
  const state = element("span", { className: "badge" });
  const counts = element("p");
  const title = element("button", { type: "button", title: `why zone ${name}`, onclick: () => why.open("zone", name) });
  const canvas = element("canvas");
  const box = element("section", { className: "zone" }, element("div", { className: "head" }, element("h2", {}, title), state), counts, canvas);
  box.dataset.zone = name;
  box.setAttribute("aria-label", `zone ${name}`);
  const grid = new Grid(canvas, {
    select: (node, from) => {
      by("said").textContent = describe(node);
      canvas.setAttribute("aria-label", `${from.nodes.length} nodes; ${describe(node)}`);
    },
    open: (node) => why.open("node", node.name),
    hover,
  });
  return { box, title, state, counts, grid };
}

function showZones(cluster) {
  const groups = new Map(cluster.zones.map((zone) => [zone.name, []]));
  for (const node of cluster.nodes.values()) {
    const group = groups.get(node.zone);
    group ? group.push(node) : groups.set(node.zone, [node]);
  }
  const names = [...groups.keys()].sort();
  if (names.join("\n") !== [...grids.keys()].join("\n")) {
    grids.clear();
    for (const name of names) grids.set(name, column(name));
    const regions = new Set(names.map((name) => name.split("/")[0]));
    for (const [name, { title }] of grids) {
      title.textContent = name === "-" ? "no zone" : regions.size > 1 ? name : name.slice(name.indexOf("/") + 1);
    }
    by("zones").replaceChildren(...[...grids.values()].map(({ box }) => box));
    if (!names.length) by("zones").append(element("p", { className: "empty", textContent: "no nodes are known yet" }));
  }
  const size = cellSize(cluster.nodes.size);
  for (const [name, nodes] of groups) grids.get(name).grid.show(nodes, size);
}

function showPaces(cluster) {
  for (const zone of cluster.zones) {
    const column = grids.get(zone.name);
    if (!column) continue;
    column.state.textContent = zone.state.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
    column.state.classList.toggle("disrupted", zone.state.includes("Disruption"));
    column.counts.textContent = `${zone.ready} ready, ${zone.notReady} not · queue ${zone.waiting} · ${zone.nodesPerSecond}/s`;
    column.grid.canvas.setAttribute("aria-label", `zone ${zone.name}: ${zone.state}, ${zone.ready} ready, ${zone.notReady} not; arrows move, Enter asks why`);
  }
}

// --- everything else

const counts = new Map();
function legend() {
  const colour = palette();
  by("legend").replaceChildren(...STATUSES.map((status) => {
    const canvas = element("canvas", { width: 32, height: 32 });
    drawCell(canvas.getContext("2d"), colour, 1, 1, 30, { status, marks: "" });
    const count = element("b", { textContent: counts.get(status) ?? 0 });
    const item = element("li", {}, canvas, status, count);
    item.dataset.status = status;
    return item;
  }));
}

function count(cluster) {
  counts.clear();
  for (const { status } of cluster.nodes.values()) counts.set(status, (counts.get(status) ?? 0) + 1);
  for (const item of by("legend").children) item.lastChild.textContent = counts.get(item.dataset.status) ?? 0;
  by("totals").textContent = `${cluster.nodes.size.toLocaleString("en")} node${cluster.nodes.size === 1 ? "" : "s"}`;
}

function showReplica(cluster) {
  const replica = cluster.replica;
  if (!replica) return;
  by("role").textContent = replica.role;
  by("role").className = `badge ${replica.role === "leads" ? "leads" : "warn"}`;
  by("identity").textContent = replica.identity + (replica.role === "stands by" && replica.leader ? ` · the leader is ${replica.leader}` : "");
  by("identity").title = replica.is;
}

/** Shows what differs from what is on the page. */
function show(cluster, touched) {
  const other = (part) => shown[part] !== cluster[part];
  const zones = other("zones");
  if (touched || zones) {
    showZones(cluster);
    count(cluster);
  }
  if (zones || touched) showPaces(cluster);
  if (other("replica")) { showReplica(cluster); showHeld(by("held"), cluster, why.ask); }
  if (other("next")) showNext(by("next"), cluster, why.ask);
  if (other("past")) showPast(by("decisions"), cluster, why.ask);
  shown = { zones: cluster.zones, replica: cluster.replica, next: cluster.next, past: cluster.past };
}

function heard(kind, change) {
  by("link").title = `each second takes ${(change.took / 1000).toFixed(1)} ms of the controller's time`;
  offset = change.at - Date.now();
  heardAt = performance.now();
  timeline.take(kind, change);
  const touched = kind === "snapshot" || change.nodes || change.gone;
  if (looksAt === null) show(timeline.now, touched);
  const asked = why.about?.kind === "node" && change.nodes?.some(([name]) => name === why.about.name);
  if (asked) why.refresh();
  tick();
}

// --- time

function look(at) {
  looksAt = at;
  document.body.classList.toggle("past", at !== null);
  by("live").setAttribute("aria-pressed", String(at === null));
  if (timeline.frames.length) show(at === null ? timeline.now : timeline.moment(at), true);
  tick();
}
by("slider").oninput = (event) => {
  if (player) return player.seek(run.begin + Number(event.target.value) * 1000);
  const at = timeline.begin() + Number(event.target.value) * 1000;
  look(Number(event.target.value) >= Number(event.target.max) ? null : at);
};
by("live").onclick = () => look(null);

function tick() {
  const slider = by("slider");
  const { begin, end } = run ?? { begin: timeline.begin(), end: timeline.now.at };
  const seconds = Math.max(Math.floor((end - begin) / 1000), 0);
  slider.max = seconds;
  slider.value = looksAt === null ? seconds : Math.max(Math.round((looksAt - begin) / 1000), 0);
  slider.disabled = seconds === 0;
  const moment = looksAt === null ? clock(now()) : run ? `${clock(looksAt)} of ${clock(end)}` : `${clock(looksAt)}, ${span(end - looksAt)} ago`;
  by("moment").textContent = moment;
  slider.setAttribute("aria-valuetext", moment);
  countDown(by("next"), looksAt ?? now());
  if (looksAt === null || run) showReason(by("next"), why.rule);
}

function link(works) {
  const silent = heardAt && performance.now() - heardAt;
  const late = silent > 5000;
  by("link").classList.toggle("broken", !works || late);
  by("link").textContent = !works ? "connection lost, trying again" : late ? `no news for ${span(silent)}` : "live";
}
// --- a run that was recorded

let playedFrame = -1;

function playAt(at) {
  looksAt = at;
  const frame = timeline.frameAt(at);
  if (frame !== playedFrame) {
    playedFrame = frame;
    show(timeline.moment(at), true);
    why.refresh();
  }
  tick();
}

async function askRun(kind, name) {
  const told = answers.before(`${kind}/${name}`, looksAt);
  return told ? { why: told.why, at: clock(told.at) } : { text: `nothing was recorded of ${kind} ${name} until ${clock(looksAt)}` };
}

function showPlayer() {
  by("play").textContent = player.playing ? "❚❚" : "▶";
  by("play").setAttribute("aria-label", player.playing ? "pause" : "play");
}

function keyOfPlayer(event) {
  if (event.key !== " " || /^(BUTTON|SELECT|INPUT)$/.test(event.target.tagName)) return;
  event.preventDefault();
  player.toggle();
}

const answers = run && new Answers(run.answers);
function playRun() {
  countFrom(run.begin);
  document.title = run.title;
  document.querySelector("h1").textContent = run.title;
  document.body.classList.add("recorded");
  by("link").textContent = `recorded: ${run.outcome}`;
  by("link").title = run.detail;
  by("link").classList.toggle("broken", run.outcome === "failed");
  by("live").hidden = true;
  by("play").hidden = by("speed").hidden = false;
  by("speed").append(...SPEEDS.map((speed) => element("option", { value: speed, textContent: `${speed}×`, selected: speed === player.speed })));
  by("speed").onchange = (event) => { player.speed = Number(event.target.value); };
  by("play").onclick = () => player.toggle();
  document.addEventListener("keydown", keyOfPlayer);
  for (const { kind, change } of run.frames) timeline.take(kind, change);
  player.seek(run.begin);
}

let linked = false;
function goLive() {
  setInterval(() => { tick(); if (heardAt) link(linked); }, 250);
  setInterval(() => why.refresh(), 2000);
  follow("/v1/live", heard, (works) => { linked = works; link(works); });
}

document.addEventListener("keydown", (event) => { if (event.key === "Escape") why.close(); });
by("why-close").onclick = () => why.close();
dress();
run ? playRun() : goLive();
// For who tests the page, or wants to know more.
globalThis.page = { timeline, grids, why, player };
