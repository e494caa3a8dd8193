import type { AgentAnswer, AgentCall } from '../server/agent.ts';

type Outcome = 'completed' | 'failed';

/** An agent behind `echo/v1` that answers a call when it is told to, known by its text. */
export class HeldAnswers {
  readonly #called = new Map<string, (answer: AgentAnswer) => void>();
  readonly #told = new Map<string, { readonly outcome: Outcome; readonly done: () => void }>();

  readonly call = ({ params }: AgentCall): Promise<AgentAnswer> => {
    const text = String(params['text']);
    const { promise, resolve } = Promise.withResolvers<AgentAnswer>();
    this.#called.set(text, resolve);
    this.#meet(text);
    return promise;
  };

  answer(text: string, outcome: Outcome): Promise<void> {
    return new Promise((resolve) => {
      this.#told.set(text, { outcome, done: resolve });
      this.#meet(text);
    });
  }

  #meet(text: string): void {
    const reply = this.#called.get(text);
    const told = this.#told.get(text);
    if (reply === undefined || told === undefined) return;
    this.#called.delete(text);
    this.#told.delete(text);
    const failed = told.outcome === 'failed';
    reply(failed ? { error: { code: -32602, message: 'not today' } } : { result: { text } });
    told.done();
  }
}
