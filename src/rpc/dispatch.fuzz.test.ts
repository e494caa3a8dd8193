import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { createDispatch, type Dispatch, type MethodHandler } from './dispatch.ts';
import { RawJson, RpcFailure } from './messages.ts';
import { plainPolicy, type RpcPolicy } from './policy.ts';
import { anyMessage } from './testing/messages-arbitrary.suite.ts';
import { quiet } from './testing/quiet.suite.ts';
import { type World, wrongWith } from './testing/spec-checker.suite.ts';

const limits = { max_depth: 64, max_batch: 10, batch_concurrency: 4, max_batch_reply: 1e9 };

const methods = new Map<string, MethodHandler<null>>([
  ['echo', ({ params }) => params],
  ['nothing', () => undefined],
  ['later', async () => ({ at: 'last' })],
  ['raw', () => new RawJson('[1, 2]')],
  ['foreign', () => new RpcFailure({ code: -32001, message: 'not here', data: null })],
  ['unsayable', () => 1n],
  [
    'refuses',
    () => {
      throw new GleitzeitError('GLZ1005', 'no');
    },
  ],
  ['breaks', () => Promise.reject(new Error('oh'))],
]);

const world: World = {
  ...limits,
  outcome: (method, params) => {
    const outcomes: Record<string, { result: unknown } | { code: number }> = {
      ['echo']: { result: params ?? null },
      ['nothing']: { result: null },
      ['later']: { result: { at: 'last' } },
      ['raw']: { result: [1, 2] },
      ['foreign']: { code: -32001 },
      ['unsayable']: { code: -32603 },
      ['refuses']: { code: -32602 },
      ['breaks']: { code: -32603 },
    };
    return Object.hasOwn(outcomes, method) ? outcomes[method] : undefined;
  },
};

const { signal } = new AbortController();
const dispatchBy = (policy: RpcPolicy) => createDispatch({ methods, policy, limits, ...quiet });

const MESSAGES_PER_RUN = 100;

type Judged = { readonly count: number; readonly seed?: number; readonly spoil?: Spoil };
type Spoil = (text: string | null) => string | null;

/** The first reply that breaks a rule, with the seed that brings it back; null where none does. */
async function firstWrong(dispatch: Dispatch<null>, { count, seed, spoil = (text) => text }: Judged) {
  const messages = fc.array(anyMessage, { minLength: MESSAGES_PER_RUN, maxLength: MESSAGES_PER_RUN });
  const run = fc.asyncProperty(messages, async (sent) => {
    for (const message of sent) {
      const { text } = await dispatch.handle(message, null, signal);
      const found = wrongWith(message, spoil(text), world);
      if (found !== null) throw new Error(`${found}\nasked: ${String(message)}\nsaid: ${text}`);
    }
  });
  const parameters = { numRuns: count / MESSAGES_PER_RUN, endOnFailure: true };
  const judged = await fc.check(run, seed === undefined ? parameters : { ...parameters, seed });
  return judged.failed ? `seed ${judged.seed}: ${String(judged.errorInstance)}` : null;
}

describe('100,000 generated messages', () => {
  it('are each answered by the rules', { timeout: 120_000 }, async () => {
    expect(await firstWrong(dispatchBy(plainPolicy), { count: 100_000 })).toBeNull();
  });
});

// A judge that finds nothing may be blind: each of these breaks one rule, and must be found.
describe('the checker finds', () => {
  const policies: readonly [string, RpcPolicy][] = [
    ['batches refused', { ...plainPolicy, batch: 'refused' }],
    ['notifications answered', { ...plainPolicy, missing_id: 'answered' }],
    ['id null refused', { ...plainPolicy, null_id: 'refused' }],
    ['params null accepted', { ...plainPolicy, null_params: 'accepted' }],
    ['a legal id lost', { ...plainPolicy, invalid_request_id: 'null' }],
  ];
  it.each(policies)('%s', async (_, policy) => {
    expect(await firstWrong(dispatchBy(policy), { count: 5000, seed: 1 })).not.toBeNull();
  });

  const spoilt: readonly [string, Spoil][] = [
    ['an empty array for silence', (text) => text ?? '[]'],
    ['silence for an answer', (text) => (text?.includes('"id":null') === true ? null : text)],
    ['an object where an array belongs', (text) => text?.replace(/^\[(\{[^{]*\})\]$/, '$1') ?? null],
    ['an array where an object belongs', (text) => (text?.startsWith('{') === true ? `[${text}]` : text)],
    ['an id of another type', (text) => text?.replace(/"id":1\}/, '"id":"1"}') ?? null],
    ['an id that is null', (text) => text?.replace(/"id":"1"\}/, '"id":null}') ?? null],
    ['no id', (text) => text?.replace(/,"id":null\}/, '}') ?? null],
    ['no version', (text) => text?.replace('"jsonrpc":"2.0",', '') ?? null],
    ['result and error', (text) => text?.replace('"result":null', '"result":null,"error":null') ?? null],
    ['no result', (text) => text?.replace('"result":null,', '') ?? null],
    ['another code', (text) => text?.replace('-32601', '-32600') ?? null],
    ['a code that is a text', (text) => text?.replace('-32700', '"-32700"') ?? null],
    ['no message', (text) => text?.replace('"message":"method not found",', '') ?? null],
    ['another result', (text) => text?.replace('[1, 2]', '[2, 1]') ?? null],
    ['a member of a batch lost', (text) => text?.replace(/^\[\{[^{}]*\},/, '[') ?? null],
    ['no JSON', (text) => text?.replace(/"id":""\}/, '"id":"}') ?? null],
  ];
  it.each(spoilt)('%s', async (_, spoil) => {
    expect(await firstWrong(dispatchBy(plainPolicy), { count: 5000, seed: 1, spoil })).not.toBeNull();
  });
});
