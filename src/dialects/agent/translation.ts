import type { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { redact, redactJson } from '../../core/secrets.ts';
import { failed, succeeded } from './answer.ts';
import { type Direction, type TranslationTrouble, translationTrouble } from './translation-error.ts';
import { beginningOf, structureOf, textOf, wholeOf } from './written.ts';

/** Hears of every translation, for metrics. Quick, and never throws. */
export interface TranslationObserver {
  /** An agent is about to be called. */
  requested(protocol: string, agent_name: string): void;
  translated(protocol: string, direction: Direction, ms: number): void;
  failed(protocol: string, direction: Direction, trouble: TranslationTrouble): void;
}

export type TranslationParts = {
  /** The dialect, by the name agents are registered with. */
  readonly protocol: string;
  readonly agent_name: string;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly observer?: TranslationObserver | undefined;
  /** What the agent was told in confidence: it may say it back. */
  readonly secrets: () => readonly string[];
};

type Called = Pick<ProviderCall, 'task_id' | 'call_id' | 'correlation_id'>;

/** Ended by whoever asked, not by the agent. */
const ours = ['cancelled', 'store'];

/**
 * One call of an agent as operators see it: what was said and understood at which level of the log, and how long that took.
 * Every line names the task, the agent and the correlation id that also travels to the agent, so that both logs can be laid side by
 * side. Structures are told without what they hold; only what the agent brought, and an answer nobody could use, are told as they are.
 */
export class Translation {
  readonly #parts: TranslationParts;
  readonly #called: Called;
  readonly #head: LogFields;
  /** The last that was heard, for the line that says what was wrong with it. */
  #said: (() => unknown) | null = null;

  constructor(parts: TranslationParts, called: Called) {
    const { protocol, agent_name } = parts;
    const { task_id, call_id, correlation_id = call_id } = called;
    this.#parts = parts;
    this.#called = called;
    this.#head = { task_id, agent_name, correlation_id, protocol };
  }

  /** Puts a task into the agent's words. */
  request<Built>(input: unknown, build: () => Built): Built {
    const { protocol, agent_name, logger, observer } = this.#parts;
    const built = this.#timed('request', build);
    observer?.requested(protocol, agent_name);
    logger?.debug(`Translating request to ${protocol}`, {
      event: 'protocol_request_translation',
      ...this.#head,
      // Looked at only where somebody writes it down.
      get input_size() {
        return textOf(input).length;
      },
      get request() {
        return structureOf(built);
      },
    });
    logger?.info(`Invoking agent '${agent_name}' using ${protocol}`, { event: 'http_call', ...this.#head });
    return built;
  }

  /** Understands what an agent said. `said` gives it as JSON or as text, and is asked only where it is written down. */
  response<Read>(said: () => unknown, read: () => Read): Read {
    const { protocol, logger } = this.#parts;
    this.#said = said;
    logger?.debug(`Translating response from ${protocol}`, {
      event: 'protocol_response_translation',
      ...this.#head,
      get response_size() {
        return textOf(said()).length;
      },
      get response() {
        return structureOf(said());
      },
    });
    return this.#timed('response', read);
  }

  /** What a task brought in the end. */
  extracted(output: Json): void {
    const { logger, secrets } = this.#parts;
    logger?.info('Extracted the output of the agent', {
      event: 'agent_output',
      ...this.#head,
      ...succeeded(this.#called.task_id, null),
      get output() {
        return beginningOf(redactJson(output, secrets()));
      },
    });
  }

  /** What was odd about an answer that could be used all the same. */
  odd(oddities: readonly string[]): void {
    if (oddities.length === 0) return;
    const { protocol, logger } = this.#parts;
    logger?.warn(`Unexpected structure in a response from ${protocol}`, {
      event: 'protocol_unexpected_response',
      ...this.#head,
      reasons: [...new Set(oddities)].slice(0, 20).map((odd) => `the answer ${odd}`),
      response: this.#heard(),
    });
  }

  /** An answer about work that goes on, which could not be used and is asked for again. */
  unread(error: GleitzeitError): void {
    const { protocol, logger, observer } = this.#parts;
    const trouble = translationTrouble(error);
    if (trouble !== null) observer?.failed(protocol, 'response', trouble);
    logger?.warn(`A response from ${protocol} cannot be read and is asked for again`, {
      event: 'protocol_response_unread',
      ...this.#head,
      error: this.#hidden(error.message),
      error_code: error.code,
      response: this.#heard(),
    });
  }

  /** How it ended instead. Whoever gave up knows why; everything else is an error, with all that was heard. */
  failed(error: GleitzeitError): void {
    const { protocol, logger, observer } = this.#parts;
    const trouble = translationTrouble(error);
    const common = {
      ...this.#head,
      ...failed(this.#called.task_id, error),
      error: this.#hidden(error.message),
      error_code: error.code,
    };
    if (ours.includes(error.class)) {
      logger?.info('The call of the agent was given up', { event: 'agent_call_given_up', ...common });
      return;
    }
    if (trouble === null) {
      const { reason, remote_code } = error.details;
      logger?.error('The agent was called in vain', {
        event: 'agent_call_failed',
        ...common,
        ...(reason === undefined ? {} : { reason: this.#hidden(reason) }),
        ...(remote_code === undefined ? {} : { remote_code }),
        ...(this.#said === null ? {} : { response: this.#heard() }),
      });
      return;
    }
    const direction: Direction = error.code === 'GLZ2005' ? 'response' : 'request';
    observer?.failed(protocol, direction, trouble);
    logger?.error(`Failed to translate ${direction} for ${protocol}`, {
      event: 'protocol_translation_error',
      ...common,
      direction,
      error_type: trouble,
      data: this.#heard(),
    });
  }

  #timed<Made>(direction: Direction, make: () => Made): Made {
    const { protocol, clock, observer } = this.#parts;
    if (observer === undefined) return make();
    const begun = clock.monotonic();
    try {
      return make();
    } finally {
      observer.translated(protocol, direction, clock.monotonic() - begun);
    }
  }

  #heard(): unknown {
    return wholeOf(this.#said?.(), (text) => this.#hidden(text));
  }

  #hidden(text: string): string {
    return redact(text, this.#parts.secrets());
  }
}

/** The name of the agent in the id of its provider: `agent:Name`, or `agent:Name@protocol` where it implements one. */
export function agentNameOf(provider_id: string, protocol: string): string {
  const name = provider_id.replace(/^agent:/, '');
  const suffix = `@${protocol}`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}
