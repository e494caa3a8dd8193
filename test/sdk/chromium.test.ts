import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { seed } from '../seed.ts';
import { startChromium } from '../services/browser.ts';
import { bundle } from './bundle.ts';
import { cases } from './cases.ts';
import { type PageServer, servePage } from './page-server.ts';
import { openStage, type Stage } from './stage.ts';
import type { Controls } from './world.ts';

describe(`the client in Chromium (seed ${seed})`, () => {
  let stage: Stage;
  let own: PageServer;
  let foreign: PageServer;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const { code } = await bundle(new URL('page.ts', import.meta.url));
    [own, foreign] = await Promise.all([servePage(code), servePage(code)]);
    stage = await openStage({ seed, origins: [own.origin] });
    browser = await startChromium(inject('chromium'));
    page = await openPage(own);
  });
  afterEach(() => stage.control.tidy());
  afterAll(async () => {
    await browser?.close();
    await stage?.close();
    await Promise.all([own?.close(), foreign?.close()]);
  });

  async function openPage({ origin }: PageServer): Promise<Page> {
    const opened = await browser.newPage();
    await opened.exposeFunction('control', (name: keyof Controls, args: readonly unknown[]) =>
      Reflect.apply(stage.control[name], stage.control, args),
    );
    await opened.goto(origin, { waitUntil: 'load' });
    return opened;
  }

  for (const [subject, group] of Object.entries(cases))
    describe(subject, () => {
      for (const name of Object.keys(group))
        it(name, async () => {
          const { keys, nowhere } = stage;
          const run = `runCase(${JSON.stringify(subject)}, ${JSON.stringify(name)}, ${JSON.stringify({ keys, nowhere })})`;
          expect(await page.evaluate(run)).toBeNull();
        }, 60_000);
    });

  it('is refused on a page of another origin than those that are allowed', async () => {
    const stranger = await openPage(foreign);
    const url = await stage.control.proxy({ to: 'open' });
    const ask = (call: string) =>
      stranger.evaluate(
        `(() => { const client = connect({ url: ${JSON.stringify(url)} }); return client.${call}
          .then(() => 'answered', ({ name, hint }) => [name, hint]).finally(() => client.close()); })()`,
      );
    for (const call of ["call('system.info')", "taskResult('x')", 'events().next()']) {
      const [name, hint] = (await ask(call)) as string[];
      expect(name).toBe('ConnectionError');
      expect(hint).toContain('server.allowed_origins');
    }
    await stranger.close();
  });
});
