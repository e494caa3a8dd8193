import { describe, expect, it } from 'vitest';
import type { Broker } from '../broker.ts';
import { acknowledge, freshTopic, numbered, take, text } from './harness.suite.ts';

/** What a connection is made with. Left out: it is not given. */
export type Access = { readonly ca?: string; readonly password?: string };

export type AccessHarness = {
  readonly ca: string;
  readonly password: string;
  open(access: Access): Promise<Broker>;
};

/** A broker that opens only over TLS and with a password. */
export function accessSuite(name: string, harness: () => AccessHarness): void {
  const refusal = async (access: Access) => {
    const broker = await harness().open(access);
    try {
      const error: unknown = await broker.ensure([freshTopic('work', ['g'])]).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      return error;
    } finally {
      await broker.close(1000);
    }
  };

  describe(`${name} behind a door`, () => {
    it('lets in who has the password and trusts its certificate', async () => {
      const { ca, password } = harness();
      const broker = await harness().open({ ca, password });
      const topic = freshTopic('work', ['g']);
      await broker.ensure([topic]);
      await broker.publish(topic.name, numbered(3));
      const { came } = await take(broker, { topic: topic.name, group: 'g' }, acknowledge);
      await came.count(3);
      expect(came.items.map(text)).toEqual(['0', '1', '2']);
      await broker.close(2000);
    });

    it('says so at once where the password is wrong', async () => {
      const { ca } = harness();
      const error = await refusal({ ca, password: 'a guess' });
      expect(error).toMatchObject({
        code: 'GLZ3202',
        details: { hint: expect.stringContaining('password') },
      });
      expect(JSON.stringify(error)).not.toContain('a guess');
    });

    it('says so at once where its certificate is not trusted', async () => {
      const { password } = harness();
      const error = await refusal({ password });
      expect(error).toMatchObject({ code: 'GLZ3202', details: { hint: expect.stringContaining('tls.ca') } });
    });
  });
}
