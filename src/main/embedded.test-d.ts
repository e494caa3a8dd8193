import { describe, expectTypeOf, it } from 'vitest';
import type { Gleitzeit } from '../embedded/gleitzeit.ts';
import { protocol } from '../registry/typed.ts';
import { createGleitzeit } from './embedded.ts';

const text = protocol({
  name: 'text/v1',
  methods: {
    shout: {
      params: { text: { type: 'string', required: true } },
      returns: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
  },
});
const methods = { shout: ({ text }: { readonly text: string }) => ({ text }) };

describe('types of a program that says something of its pools', () => {
  it('know its methods as they do without', async () => {
    const gleitzeit = await createGleitzeit({
      protocols: [{ ...text, pool: { select: 'sticky', sticky_by: 'params.text' }, limits: { rate: '5/s' } }],
      providers: [{ id: 'a', protocol: 'text/v1', weight: 2, limits: { concurrency: 3 }, methods }],
    });
    const { task_id } = await gleitzeit.submit({
      ...({ protocol: 'text/v1', method: 'shout' } as const),
      params: { text: 'a' },
    });
    const { result } = await gleitzeit.result(task_id);
    expectTypeOf(result?.text).toEqualTypeOf<string | undefined>();
    expectTypeOf(gleitzeit).toExtend<Gleitzeit<typeof text>>();
  });

  it('refuse words that there are not', () => {
    const given = { id: 'a', protocol: 'text/v1', methods } as const;
    void createGleitzeit({
      protocols: [text],
      // @ts-expect-error there is no such word
      providers: [{ ...given, limits: { concurency: 3 } }],
    });
    void createGleitzeit({
      protocols: [text],
      // @ts-expect-error it is a number
      providers: [{ ...given, weight: 'heavy' }],
    });
    void createGleitzeit({
      // @ts-expect-error there is no such way to choose
      protocols: [{ ...text, pool: { select: 'best' } }],
      providers: [given],
    });
  });
});
