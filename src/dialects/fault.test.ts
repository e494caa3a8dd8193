import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { translationError } from './agent/translation-error.ts';
import { tokenFrom } from './auth/token-answer.ts';
import { graphqlRules } from './graphql/answer.ts';
import { answerFrom as grpcAnswer } from './grpc/answer.ts';
import { brokenOff, refusalOf } from './llm/answer.ts';
import { type ErrorRules, errorRules } from './rest/errors.ts';

const byRules = (rules: ErrorRules) => (status: number, value: Json | undefined) => {
  const beginning = () => '';
  const said = { status, ok: status < 300, value, peer: 'peer', retry_after_ms: undefined, beginning };
  return rules(said)?.details.fault;
};

const faultIn = (answer: Answer) => (answer.word === 'failed' ? answer.error.data.fault : 'no error');

describe('whether it is the call or the provider that is at fault', () => {
  it('says a REST service by the status: 401 is about credentials, 404 about what was asked for', () => {
    const said = byRules(errorRules([], [], { own: '', common: '' }));
    const faults = [401, 407, 400, 403, 404, 410, 422].map((status) => said(status, undefined));
    expect(faults).toEqual(['provider', 'provider', ...Array(5).fill(undefined)]);
  });

  it('says a GraphQL server by its errors, or by a status without any', () => {
    const said = byRules(graphqlRules({}, false));
    const error = (code: string): Json => ({ errors: [{ message: 'no', extensions: { code } }] });
    expect(said(200, error('UNAUTHENTICATED'))).toBe('provider');
    expect(said(200, error('BAD_USER_INPUT'))).toBeUndefined();
    expect(said(401, error('BAD_USER_INPUT'))).toBe('provider');
    expect([said(404, undefined), said(400, undefined)]).toEqual(['provider', undefined]);
    expect(said(200, {})).toBe('provider');
  });

  it.each([
    [5, undefined],
    [7, undefined],
    [12, 'method'],
    [16, 'provider'],
    [99, undefined],
  ])('says a gRPC service by its code: %d', (code, fault) => {
    expect(faultIn(grpcAnswer({ said: 'status', code, message: 'no' }))).toBe(fault);
  });

  it('says a service of models by its account, and by what is no API at all', () => {
    const complaint = { message: 'no', type: null };
    const faults = [401, 402, 403, 404, 400].map((status) => refusalOf({ status, complaint }).details.fault);
    expect(faults).toEqual(['provider', 'provider', undefined, undefined, undefined]);
    expect(refusalOf({ status: 404, complaint: null }).details.fault).toBe('provider');
    const spent = { ...complaint, type: 'insufficient_quota', final: true };
    expect(refusalOf({ status: 429, complaint: spent })).toMatchObject({
      code: 'GLZ2010',
      details: { fault: 'provider' },
    });
    expect(brokenOff(complaint).details.fault).toBeUndefined();
  });

  it('is the provider whose credentials cannot be had', () => {
    const parts = { endpoint: 'here', secrets: [], wall: () => 0 };
    const asked = (status: number, body: string) => {
      try {
        return tokenFrom({ status, headers: {}, body: Buffer.from(body) }, parts);
      } catch (thrown) {
        return GleitzeitError.from(thrown);
      }
    };
    expect(asked(401, '{}')).toMatchObject({ code: 'GLZ2010', details: { fault: 'provider' } });
    expect(asked(200, '{}')).toMatchObject({ code: 'GLZ2005', details: { fault: 'provider' } });
    // Trouble that may pass is the provider's without a word.
    for (const [status, body, code] of [
      [200, 'a page', 'GLZ2002'],
      [503, '', 'GLZ2001'],
    ] as const) {
      const away = asked(status, body);
      expect(away instanceof GleitzeitError && [away.code, away.details.fault]).toEqual([code, undefined]);
    }
  });

  it('is the agent whose answer cannot be understood, and the task whose input cannot be said', () => {
    const trouble = { protocol: 'a2a', trouble: 'shape', reason: 'is odd', original_data: 1 } as const;
    expect(translationError({ ...trouble, direction: 'response' }).details.fault).toBe('provider');
    expect(translationError({ ...trouble, direction: 'request' }).details.fault).toBeUndefined();
  });
});
