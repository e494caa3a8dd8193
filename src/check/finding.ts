import { type Level, type Rule, rules } from './rules.ts';

/** Where something was noticed. */
export type Place = 'card' | 'a2a-0.3' | 'a2a-1.0' | 'simple-a2a';

/** One thing that is not as it should be. */
export type Finding = {
  readonly rule: Rule;
  readonly level: Level;
  readonly place: Place;
  /** What is wrong, in a sentence. */
  readonly message: string;
  readonly sent: string;
  readonly came: string;
  readonly expected: string;
  /** Where it is written that it should be so. */
  readonly clause: string;
  /** What to do about it. */
  readonly hint: string;
};

/** What was said and heard when something was noticed. */
export type Evidence = { readonly sent: string; readonly came: string };

export type Notice = (rule: Rule, message: string, evidence: Evidence, expected?: string) => void;

const MOST = 200;

/** What was noticed so far: each thing once, with the first time it was seen. */
export class Findings {
  readonly #found = new Map<string, Finding>();
  readonly #hide: (text: string) => string;

  /** `hide` takes secrets out of what is shown: agents repeat what they are told. */
  constructor(hide: (text: string) => string) {
    this.#hide = hide;
  }

  at(place: Place): Notice {
    return (rule, message, { sent, came }, expected) => {
      const key = `${place} ${rule} ${message}`;
      if (this.#found.has(key) || this.#found.size >= MOST) return;
      const { level, clause, expected: usual, hint } = rules[rule];
      this.#found.set(key, {
        ...{
          rule,
          level,
          place,
          message: this.#hide(message),
          sent: this.#hide(sent),
          came: this.#hide(came),
        },
        ...{ expected: expected ?? usual, clause, hint },
      });
    };
  }

  all(): readonly Finding[] {
    const order: readonly Level[] = ['error', 'warning', 'note'];
    return [...this.#found.values()].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  }
}
