import { describe, expect, it } from 'vitest';
import { tokenFrom } from './token-answer.ts';

const secret = 'Qx-0123456789-0123456789-7w';
const parts = { endpoint: 'http://a/token', secrets: [secret], wall: () => 0 };

const refusal = (said: object) => {
  const body = Buffer.from(JSON.stringify(said));
  return () => tokenFrom({ status: 400, headers: {}, body }, parts);
};

describe('what a token endpoint complains of', () => {
  it.each([170, 180, 190, 199])(
    'shows not even half of a secret where it is cut, %i characters on',
    (length) => {
      const words = `${'-'.repeat(length)}${secret}`;
      expect(refusal({ error: words })).toThrow(expect.objectContaining({ code: 'GLZ2010' }));
      expect(refusal({ error: words })).not.toThrow(/Qx/);
      expect(refusal({ error: 'no', error_description: words })).not.toThrow(/Qx/);
    },
  );

  it('is told as an answer of the endpoint, which the service has not given', () => {
    const answered_by = 'token_endpoint';
    const saying = (details: object) =>
      expect.objectContaining({ details: expect.objectContaining({ details }) });
    expect(refusal({})).toThrow(saying({ http_status: 400, answered_by }));
    const useless = () => tokenFrom({ status: 200, headers: {}, body: Buffer.from('{}') }, parts);
    expect(useless).toThrow(saying({ answered_by }));
  });

  it('is told in 200 characters at most', () => {
    expect(refusal({ error: 'x'.repeat(300) })).toThrow(/HTTP 400, x{200}$/);
  });
});
