import { describe, expect, it } from 'vitest';
import { errorRecord, GleitzeitError } from '../core/errors.ts';
import { filled } from './filled.ts';
import { withoutSecrets } from './without-secrets.ts';

describe('texts with secrets', () => {
  it('are filled in anew each time', () => {
    let current = 'first';
    const texts = filled(
      { authorization: 'Bearer ${secrets.key}', pair: '${secrets.a-b}:${secrets.key}', plain: 'x' },
      (name) => (name === 'key' ? current : name),
      '/headers',
    );
    expect(texts.constant).toBe(false);
    expect(texts.values()).toEqual([]);
    expect(texts.fill()).toEqual({ authorization: 'Bearer first', pair: 'a-b:first', plain: 'x' });
    current = 'second';
    expect(texts.fill()).toMatchObject({ authorization: 'Bearer second' });
    expect(texts.values()).toEqual(['first', 'a-b', 'second']);
  });

  it('put in what a secret says, letter by letter', () => {
    const odd = '$& $1 ${secrets.other}';
    expect(filled({ h: '<${secrets.key}>' }, () => odd, '').fill()).toEqual({ h: `<${odd}>` });
  });

  it('keep what is written to be kept', () => {
    const texts = filled({ h: '$${params.q} $${secrets.key} ${secrets.key} $' }, () => 'x', '');
    expect(texts.fill()).toEqual({ h: '${params.q} ${secrets.key} x $' });
  });

  it('remember only the last secrets', () => {
    let n = 0;
    const texts = filled({ h: '${secrets.key}' }, () => `value-${n++}`, '');
    for (let turn = 0; turn < 100; turn++) texts.fill();
    expect(texts.values()).toHaveLength(16);
    expect(texts.values().at(-1)).toBe('value-99');
  });

  it('stay as they are where nothing is to be filled in', () => {
    const plain = { a: 'x', b: '$secrets.key {y}' };
    const texts = filled(plain, () => 'never', '');
    expect(texts.constant).toBe(true);
    expect(texts.fill()).toBe(plain);
  });

  it.each(['${params.query}', '${secrets.}', '${secrets.a.b}', '${secrets.1}', '${}'])(
    'cannot hold %s',
    (text) => {
      expect(() => filled({ 'x-a': `key ${text}` }, () => '', '/config/headers')).toThrow(
        expect.objectContaining({
          code: 'GLZ1012',
          details: expect.objectContaining({
            field: '/config/headers/x-a',
            hint: 'only ${secrets.name} can',
          }),
        }),
      );
    },
  );

  it('fail with the words of whoever has no such secret', () => {
    const missing = new GleitzeitError('GLZ3010', 'there is no secret key');
    const texts = filled(
      { h: '${secrets.key}' },
      () => {
        throw missing;
      },
      '',
    );
    expect(() => texts.fill()).toThrow(missing);
  });
});

describe('errors of a service that was told secrets', () => {
  it('do not repeat them', () => {
    const error = errorRecord('GLZ2010', 'bad key hunter2', {
      field: 'hunter2',
      reason: 'hunter2 is old',
      hint: 'change hunter2',
      remote_code: -32001,
      details: { sent: ['Bearer hunter2'], hunter2: 1 },
    });
    const clean = withoutSecrets(error, ['hunter2']);
    expect(JSON.stringify(clean)).not.toContain('hunter2');
    expect(clean).toMatchObject({ code: error.code, data: { error_code: 'GLZ2010', remote_code: -32001 } });
    expect(withoutSecrets(error, [])).toBe(error);
    const basic = `Basic ${Buffer.from('me:hunter2pw').toString('base64')}`;
    const repeated = errorRecord('GLZ2010', 'no', { details: { headers: { authorization: basic } } });
    expect(JSON.stringify(withoutSecrets(repeated, ['hunter2pw']))).not.toContain('odW50ZXIycH');
    expect(withoutSecrets(errorRecord('GLZ2002', 'away'), ['x'])).toEqual(errorRecord('GLZ2002', 'away'));
  });
});
