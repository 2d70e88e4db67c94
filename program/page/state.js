// What the controller said of the cluster, now and for the last half hour. No DOM in here.

export const STATUSES = ["ready", "not-ready", "unknown", "evicting", "tainted", "cordoned", "excluded", "paused"];
const KEPT = 30 * 60 * 1000;
const BETWEEN_WHOLES = 60;

/** The cluster at one moment. A node never changes: another one takes its place. */
export class Cluster {
  at = 0;
  replica = null;
  zones = [];
  nodes = new Map();
  next = [];
  past = [];

  copy() {
    const copy = Object.assign(new Cluster(), this);
    copy.nodes = new Map(this.nodes);
    return copy;
  }

  apply(change) {
    this.at = change.at;
    for (const name of change.gone ?? []) this.nodes.delete(name);
    for (const [name, zone, status, marks, since] of change.nodes ?? []) {
      this.nodes.set(name, { name, zone, status, marks, since });
    }
    for (const part of ["replica", "zones", "next", "past"]) {
      if (change[part] !== undefined) this[part] = change[part];
    }
  }
}

/** All that came within half an hour, or another span: a whole now and then, and what changed between. */
export class Timeline {
  now = new Cluster();
  frames = [];

  constructor(kept = KEPT) {
    this.kept = kept;
  }

  take(kind, change) {
    if (kind === "snapshot") this.now = new Cluster();
    this.now.apply(change);
    const begins = kind === "snapshot" || this.sinceWhole() >= BETWEEN_WHOLES;
    this.frames.push({ at: change.at, change, whole: begins ? this.now.copy() : null });
    this.trim(change.at - this.kept);
  }

  sinceWhole() {
    const last = this.frames.findLastIndex((frame) => frame.whole);
    return last < 0 ? Infinity : this.frames.length - 1 - last;
  }

  /** Forgets what is older, back to the last whole before it. */
  trim(oldest) {
    const first = this.frames.findLastIndex((frame) => frame.whole && frame.at <= oldest);
    if (first > 0) this.frames.splice(0, first);
  }

  begin() {
    return this.frames.length ? Math.max(this.frames[0].at, this.now.at - this.kept) : 0;
  }

  /** The place of what was told last before that moment. */
  frameAt(at) {
    return Math.max(this.frames.findLastIndex((frame) => frame.at <= at), 0);
  }

  /** The cluster as it was then. */
  moment(at) {
    const last = this.frameAt(at);
    let from = last;
    while (!this.frames[from].whole) --from;
    const cluster = this.frames[from].whole.copy();
    for (let i = from + 1; i <= last; ++i) cluster.apply(this.frames[i].change);
    return cluster;
  }
}

/** "4.2 s", "1 min 12 s" */
export function span(milliseconds) {
  const seconds = Math.max(milliseconds, 0) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The page's events, for as long as it is open; it connects again when they break. */
export function follow(path, heard, linked) {
  const source = new EventSource(path);
  for (const kind of ["snapshot", "change"]) {
    source.addEventListener(kind, (event) => {
      linked(true);
      heard(kind, JSON.parse(event.data));
    });
  }
  source.onerror = () => {
    linked(false);
    // The browser itself comes back with the last id, unless it was refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => follow(path, heard, linked), 2000);
  };
}
