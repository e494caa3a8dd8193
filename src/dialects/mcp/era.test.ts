import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { eraFrom, isSessionLost } from './era.ts';
import type { Said } from './said.ts';

const NEW = '2026-07-28';
const said = (status: number | null, answer: JsonObject | null, text = ''): Said => ({
  answer: answer as Said['answer'],
  status,
  text,
  session: null,
});
const error = (code: number, data?: JsonObject) => ({
  error: { code, message: 'no', ...(data === undefined ? {} : { data }) },
});

describe('the era of a server', () => {
  it.each([
    [200, { result: { supportedVersions: [NEW] } }, { is: 'modern', version: NEW }],
    [null, { result: { supportedVersions: ['2030-01-01', NEW] } }, { is: 'modern', version: NEW }],
    [200, { result: {} }, { is: 'session' }],
    [400, error(-32020), { is: 'modern', version: NEW }],
    [400, error(-32021), { is: 'modern', version: NEW }],
    [400, error(-32602), { is: 'modern', version: NEW }],
    [404, error(-32601), { is: 'modern', version: NEW }],
    [400, error(-32022, { supported: [NEW] }), { is: 'modern', version: NEW }],
    [200, error(-32601), { is: 'session' }],
    [400, error(-32000), { is: 'session' }],
    [404, null, { is: 'session' }],
    [405, null, { is: 'session' }],
    [null, error(-32601), { is: 'session' }],
    [null, error(-32602), { is: 'session' }],
    [401, null, { is: 'unclear' }],
    [403, error(-32602), { is: 'unclear' }],
    [302, null, { is: 'unclear' }],
    [429, null, { is: 'unclear' }],
    [500, error(-32603), { is: 'unclear' }],
    [503, null, { is: 'unclear' }],
  ])('HTTP %s with %j is %j', (status, answer, verdict) => {
    expect(eraFrom(said(status, answer), NEW)).toEqual(verdict);
  });

  it('is asked for again in a revision the server offers', () => {
    const offer = error(-32022, { supported: [NEW, '2025-11-25'] });
    expect(eraFrom(said(400, offer), '2027-01-01')).toEqual({ is: 'again', version: NEW });
  });

  it.each([
    [400, error(-32022, { supported: ['2025-11-25'] })],
    [400, error(-32022)],
    [200, { result: { supportedVersions: ['2030-01-01'] } }],
  ])('HTTP %s with %j has nothing in common with us', (status, answer) => {
    expect(() => eraFrom(said(status, answer), NEW)).toThrow('no revision of the protocol in common');
  });
});

describe('a session', () => {
  it.each([
    [said(404, null), true],
    [said(404, error(-32001)), true],
    [said(404, error(-32601)), false],
    [said(410, null), true],
    [said(400, null, 'Invalid session ID'), true],
    [said(400, error(-32602)), false],
    [said(503, null, 'no such session'), true],
    [said(503, null, 'overloaded'), false],
    [said(401, null, 'your session has ended: log in'), false],
    [said(null, { error: { code: -32000, message: 'Session not found' } }), true],
    [said(null, { error: { code: -32000, message: 'no room left' } }), false],
    [said(200, { result: {} }), false],
  ])('is lost by %j: %s', (answer, lost) => {
    expect(isSessionLost(answer)).toBe(lost);
  });
});
