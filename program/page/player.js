// Plays a run that was recorded: its moments follow each other as fast as somebody wants. No DOM in here.

export const SPEEDS = [1, 2, 5, 10, 30, 60, 300];
const TICK = 100;

export class Player {
  playing = false;
  speed = 10;

  /** `shows` is called with each moment, `changed` when it begins or ends to play. */
  constructor({ begin, end }, shows, changed) {
    Object.assign(this, { begin, end, at: begin, shows, changed });
  }

  toggle() {
    this.playing ? this.pause() : this.play();
  }

  play() {
    if (this.at >= this.end) this.seek(this.begin);
    this.playing = true;
    this.last = performance.now();
    this.timer = setInterval(() => this.step(performance.now()), TICK);
    this.changed();
  }

  pause() {
    this.playing = false;
    clearInterval(this.timer);
    this.changed();
  }

  step(now) {
    this.seek(this.at + (now - this.last) * this.speed);
    this.last = now;
    if (this.at >= this.end) this.pause();
  }

  seek(at) {
    this.at = Math.min(Math.max(at, this.begin), this.end);
    this.shows(this.at);
  }
}

/** Answers that were recorded: to each question the last one before a moment. */
export class Answers {
  constructor(recorded) {
    this.of = new Map();
    for (const [at, about, why] of recorded) {
      if (!this.of.has(about)) this.of.set(about, []);
      this.of.get(about).push({ at, why });
    }
  }

  before(about, moment) {
    return this.of.get(about)?.findLast(({ at }) => at <= moment);
  }
}
