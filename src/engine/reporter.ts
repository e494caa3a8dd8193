import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Progress, Report, ReportSource } from '../core/ports/provider.ts';
import type { ProgressTold } from '../core/progress.ts';
import {
  hasNews,
  heard,
  interrupted,
  nextTold,
  noReports,
  pauseBefore,
  type Reports,
} from '../core/progress-report.ts';
import { type Hidden, hiddenForms } from '../core/progress-text.ts';

export type ReporterParts = { readonly clock: Clock; readonly timers: Timers };

/** Whose reports these are. */
export type Reporting = {
  readonly write: (told: ProgressTold) => Promise<{ readonly recorded: boolean }>;
  /** What is in the clear during the call and has to be kept out of what is told. */
  readonly secrets: readonly string[];
  /** The result has secret parts, and its output may hold them before anybody could find them there. */
  readonly secretOutput: boolean;
};

/** The reports of one call, for which nothing is made ready before somebody wants to report. */
export class CallReports {
  readonly #make: () => Reporter;
  #reporter: Reporter | null = null;

  constructor(make: () => Reporter) {
    this.#make = make;
  }

  get report(): Report {
    this.#reporter ??= this.#make();
    return this.#reporter.report;
  }

  /** `gone`: the task is not ours any more, and what is left is told to nobody. */
  end(gone: boolean): void {
    if (gone) this.#reporter?.drop();
    else this.#reporter?.end();
  }
}

/**
 * Takes the reports of one attempt and tells them at a pace that a log can bear, whatever the service does. One write
 * is under way at a time, so nothing piles up while the store has trouble; only the end is written all at once. It is not
 * said again where it was lost: it would be told twice.
 */
export class Reporter {
  readonly #parts: ReporterParts;
  readonly #of: Reporting;
  #reports: Reports = noReports;
  /** What each of those who reported was told in confidence. */
  readonly #told = new Set<() => readonly string[]>();
  #secrets: readonly string[] = [];
  #hidden: Hidden = [];
  #cancel: (() => void) | null = null;
  #toldAt = 0;
  #writing = false;
  #ended = false;

  constructor(parts: ReporterParts, of: Reporting) {
    this.#parts = parts;
    this.#of = of;
  }

  readonly report = (progress: Progress, { secrets, anew = false }: ReportSource = {}): void => {
    if (this.#ended) return;
    try {
      if (secrets !== undefined) this.#told.add(secrets);
      if (anew) this.#reports = interrupted(this.#reports, this.#formsNow());
      this.#reports = heard(this.#reports, this.#of.secretOutput ? { ...progress, text: '' } : progress);
      this.#expect();
    } catch {
      // Whatever was handed in could not even be looked at.
    }
  };

  /** The attempt has ended: what was reported and not told goes before its outcome, and nothing is heard any more. */
  end(): void {
    if (this.#ended) return;
    this.#stop();
    while (this.#tell(true));
  }

  /** The task is not ours any more. */
  drop(): void {
    this.#stop();
  }

  #stop(): void {
    this.#ended = true;
    this.#cancel?.();
    this.#cancel = null;
  }

  #expect(): void {
    if (this.#cancel !== null || this.#writing || this.#ended) return;
    const pause = pauseBefore(this.#reports);
    if (pause === null) return;
    const { clock, timers } = this.#parts;
    const now = clock.monotonic();
    const from = this.#reports.events === 0 ? now : this.#toldAt;
    this.#cancel = timers.after(Math.max(0, from + pause - now), () => {
      this.#cancel = null;
      this.#tell(false);
    });
  }

  /** Whether there was anything to tell. */
  #tell(last: boolean): boolean {
    if (this.#reports === noReports) return false;
    this.#toldAt = this.#parts.clock.monotonic();
    const next = this.#next(last);
    if (next === null) return false;
    this.#writing = true;
    this.#of.write(next).then(
      ({ recorded }) => this.#written(recorded),
      // The store has trouble, or the engine stops: there will be more to tell, or nothing.
      () => this.#written(true),
    );
    return true;
  }

  #next(last: boolean): ProgressTold | null {
    try {
      const { told, rest } = nextTold(this.#reports, this.#formsNow(), { last });
      this.#reports = rest;
      return told;
    } catch {
      // A secret that cannot be opened now cannot be kept out either.
      return null;
    }
  }

  /** Looked for again only where one was changed meanwhile: a key of many lines has many forms. */
  #formsNow(): Hidden {
    const secrets = [...this.#of.secrets, ...[...this.#told].flatMap((told) => told())];
    const same =
      secrets.length === this.#secrets.length && secrets.every((one, i) => one === this.#secrets[i]);
    if (!same) this.#hidden = hiddenForms(secrets);
    this.#secrets = secrets;
    return this.#hidden;
  }

  #written(recorded: boolean): void {
    this.#writing = false;
    if (!recorded) this.#stop();
    else if (hasNews(this.#reports)) this.#expect();
  }
}
