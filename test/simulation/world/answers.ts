import type { TaskRow } from '../../../src/core/records.ts';
import { Dice } from './dice.ts';
import type { Fleet } from './fleet.ts';
import type { Line, Reply } from './line.ts';
import type { Nature } from './nature.ts';

type AnswersParts = {
  readonly fleet: Fleet;
  readonly line: Line;
  /** An engine says that it has taken this answer to what the attempt asked. */
  readonly acknowledged: (task_id: string, attempt: number, response: string) => void;
};

/** What may be said to an answer: nobody asked that any more, or the store has trouble. */
const refusals = ['GLZ1010', 'GLZ1011', 'GLZ9002'];

/** People who answer what tasks ask, and services that call back. */
export class Answers {
  readonly #nature: Nature;
  readonly #parts: AnswersParts;
  readonly #dice: Dice;
  #looking = false;
  #values = 0;

  constructor(nature: Nature, parts: AnswersParts) {
    this.#nature = nature;
    this.#parts = parts;
    this.#dice = new Dice(nature.seed, 'answers');
  }

  /** From the first question on. */
  begin(): void {
    if (!this.#looking) this.#look();
    this.#looking = true;
  }

  /** Now and then somebody looks at what waits; once all is calm, everything is answered. */
  #look(): void {
    const { data, scheduler, calm } = this.#nature;
    for (const row of data.tasks.values()) {
      const last = row.attempts.at(-1);
      const waits = row.status === 'input_required' || (row.status === 'executing' && row.owner === null);
      if (waits && last !== undefined && this.#dice.chance(calm ? 0.5 : 0.15))
        this.#answer(row, last.attempt);
    }
    scheduler.after(this.#dice.between(20, 300), () => this.#look());
  }

  #answer({ task_id }: TaskRow, attempt: number): void {
    const response = `answer-${++this.#values}`;
    void this.#say(task_id, attempt, response);
    if (this.#dice.chance(0.3)) void this.#say(task_id, attempt, `answer-${++this.#values}`);
    // Somebody who did not hear that it was taken says it again, much later maybe.
    const later = this.#dice.between(0, this.#dice.pick([5, 100, 2000]));
    if (this.#dice.chance(0.4))
      this.#nature.scheduler.after(later, () => void this.#say(task_id, attempt, response));
  }

  async #say(task_id: string, attempt: number, response: string): Promise<void> {
    const { fleet, line, acknowledged } = this.#parts;
    const reply = await line.call(
      await fleet.any(this.#dice),
      `respond ${task_id} ${attempt}`,
      (engine) => engine.responses.respond(task_id, { response, attempt }),
      () => acknowledged(task_id, attempt, JSON.stringify(response)),
    );
    this.#checkRefusal(task_id, reply);
  }

  /** Until it is heard, or for as long as a service bothers. */
  async callBack(task_id: string, token: string): Promise<void> {
    const { fleet, line } = this.#parts;
    const body = `news-${++this.#values}`;
    for (let tries = 0; tries < 4; tries++) {
      const reply = await line.call(await fleet.any(this.#dice), `notify ${task_id}`, (engine) =>
        engine.responses.notify(task_id, { token, body }),
      );
      this.#checkRefusal(task_id, reply);
      if (reply.kind === 'ok' && reply.value !== 'soon') return this.#checkKnown(task_id, token, reply.value);
      await this.#nature.scheduler.sleep(this.#dice.between(1, 200));
    }
  }

  #checkKnown(task_id: string, token: string, said: string): void {
    const row = this.#nature.data.tasks.get(task_id);
    const own = row?.generation === 0 ? task_id : `${task_id}.${row?.generation}`;
    // A person may have asked for another try, and then it is another call.
    if (said === 'unknown' && token === `callback ${own}`)
      this.#nature.fail('a service that was told where to call is heard', task_id);
  }

  #checkRefusal(task_id: string, reply: Reply<unknown>): void {
    if (reply.kind !== 'error') return;
    const { code } = reply.error;
    if (!refusals.includes(code) && !code.startsWith('GLZ300'))
      this.#nature.fail('an answer is taken or refused', `${task_id}: ${code}`);
  }
}
