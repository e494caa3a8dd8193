import type { Answer } from '../../core/answer.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { AbandonedCall, Provider, ProviderCall } from '../../core/ports/provider.ts';

/** A call that is under way until the test answers it. */
export type OpenCall = ProviderCall & {
  done(result?: Json): void;
  failed(code?: ErrorCode, message?: string): void;
  answer(answer: Answer): void;
  reject(thrown: unknown): void;
};

type Reply = (call: ProviderCall) => Answer | Promise<Answer>;

/** A service in the hands of the test: each call waits for its answer, or gets the one `reply` has for it. */
export class TestProvider implements Provider {
  readonly id: string;
  readonly protocol: string;
  /** Every call ever made, in order. */
  readonly calls: OpenCall[] = [];
  reply: Reply | null = null;
  running = 0;
  /** The most calls that were under way at once. */
  most = 0;
  /** What happened, for tests about order. */
  onCall: () => void = () => {};

  constructor(id = 'provider-1', protocol = 'test/v1') {
    this.id = id;
    this.protocol = protocol;
  }

  /** What it was told to be unwanted. */
  readonly abandoned: AbandonedCall[] = [];

  abandon(left: AbandonedCall): void {
    this.abandoned.push(left);
  }

  hasMethod(_: string): boolean {
    return true;
  }

  call(call: ProviderCall): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.calls.push(openCall(call, resolve, reject));
    this.running++;
    this.most = Math.max(this.most, this.running);
    this.onCall();
    const ended = () => {
      this.running--;
    };
    promise.then(ended, ended);
    if (this.reply !== null) resolve(this.reply(call));
    return promise;
  }

  /** The newest call, which must be there. */
  get last(): OpenCall {
    const call = this.calls.at(-1);
    if (call === undefined) throw new Error('no call was made');
    return call;
  }

  callOf(task_id: string): OpenCall {
    const call = this.calls.findLast((candidate) => candidate.task_id === task_id);
    if (call === undefined) throw new Error(`no call was made for ${task_id}`);
    return call;
  }
}

export function done(result: Json = 'ok'): Answer {
  return { word: 'done', result: JSON.stringify(result) };
}

export function failed(code: ErrorCode = 'GLZ2010', message = 'refused'): Answer {
  return { word: 'failed', error: new GleitzeitError(code, message).toRecord() };
}

function openCall(
  call: ProviderCall,
  resolve: (answer: Answer) => void,
  reject: (thrown: unknown) => void,
): OpenCall {
  return {
    method: call.method,
    params: call.params,
    call_id: call.call_id,
    task_id: call.task_id,
    workflow_id: call.workflow_id,
    attempt: call.attempt,
    traceparent: call.traceparent,
    get signal() {
      return call.signal;
    },
    get report() {
      return call.report;
    },
    kept: call.kept,
    response: call.response,
    get keep() {
      return call.keep;
    },
    get callback() {
      return call.callback;
    },
    done: (result = 'ok') => resolve(done(result)),
    failed: (code, message) => resolve(failed(code, message)),
    answer: resolve,
    reject,
  };
}
