import type { GleitzeitError } from '../../../src/core/errors.ts';
import type { PausedQueues } from '../../../src/core/queue-pause.ts';
import type { Write } from '../../../src/core/writes.ts';
import type { Dice } from './dice.ts';
import type { Fleet } from './fleet.ts';
import type { Line } from './line.ts';
import type { Nature } from './nature.ts';
import { protocols } from './planned.ts';

/** Clients that pause queues and let them go on. */
export class Queues {
  readonly #nature: Nature;
  readonly #fleet: Fleet;
  readonly #line: Line;
  readonly #dice: Dice;

  constructor(nature: Nature, { fleet, line, dice }: { fleet: Fleet; line: Line; dice: Dice }) {
    this.#nature = nature;
    this.#fleet = fleet;
    this.#line = line;
    this.#dice = dice;
  }

  async pause(): Promise<void> {
    const protocol = this.#one();
    const process = await this.#fleet.any(this.#dice);
    const heard = () => {
      const { all, protocols: names }: Pick<PausedQueues, 'all' | 'protocols'> = process.engine?.seen
        .paused ?? {
        all: false,
        protocols: [],
      };
      // Somebody else may have let it go on again at once.
      const later = this.#nature.data.documents.get('["queue","paused"]')?.version;
      const known = protocol === null ? all : all || names.includes(protocol);
      if (!known && later === process.engine?.seen.paused.version && !this.#resumedLast())
        this.#nature.fail('who pauses a queue knows of it', `${process.name}: ${protocol}`);
    };
    await this.#line.call(process, `pause queue ${protocol}`, (engine) => engine.pauseQueue(protocol), heard);
  }

  /** One commit may pause a queue and let it go on again. */
  #resumedLast(): boolean {
    const isEither = ({ kind }: Write) => kind === 'pause_queue' || kind === 'resume_queue';
    const last = this.#nature.data.journal.findLast(({ writes }) => writes.some(isEither));
    return last?.writes.findLast(isEither)?.kind === 'resume_queue';
  }

  async resume(protocol: string | null = this.#one()): Promise<void> {
    const process = await this.#fleet.any(this.#dice);
    const ask = `resume queue ${protocol}`;
    const reply = await this.#line.call(process, ask, (engine) => engine.resumeQueue(protocol));
    if (reply.kind === 'error') this.#checkRefusal(reply.error, protocol);
  }

  #checkRefusal({ code }: GleitzeitError, protocol: string | null): void {
    if (code.startsWith('GLZ300') || code === 'GLZ9002' || (code === 'GLZ1011' && protocol !== null)) return;
    this.#nature.fail('a queue can go on', `${protocol}: ${code}`);
  }

  #one(): string | null {
    return this.#dice.chance(0.2) ? null : this.#dice.pick(protocols);
  }
}
