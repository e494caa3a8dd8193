import { describe, expect, it } from 'vitest';
import { type Scene, scenes } from '../../scripts/capture/scenes.ts';
import { onStage, type Piped, type Taken } from '../../scripts/capture/take.ts';
import { settled } from '../../scripts/documents/compare.ts';

const ESC = '\u001b';
const widths = [80, 120];

/** Where a scene is taken in the middle, the end of it is not of interest. */
function expectStatus(scene: Scene, status: number | null): void {
  expect(status).toBe(scene.until === undefined ? scene.status : null);
}

function expectToFit({ screen }: Taken): void {
  expect([...screen.wrapped].map((row) => screen.text()[row])).toEqual([]);
  expect(screen.text().join('').trim()).not.toBe('');
}

describe.each(scenes.map((scene) => [scene.name, scene] as const))('gleitzeit %s', (_, scene) => {
  it.each(widths)('fits into %i columns, and asks nothing unknown of the terminal', async (columns) => {
    await onStage(scene, async (stage) => {
      const taken = await stage.taken(columns);
      expectStatus(scene, taken.status);
      expectToFit(taken);
      if (scene.until === undefined) expect(taken.screen.cursorShown).toBe(true);
    });
  });

  it('is without colours on a terminal when NO_COLOR is set', async () => {
    await onStage(scene, async (stage) => {
      const { bytes } = await stage.taken(80, { NO_COLOR: '1' });
      const colours = bytes
        .split(`${ESC}[`)
        .slice(1)
        .filter((rest) => /^[\d;]*m/.test(rest));
      expect(colours).toEqual([]);
    });
  });

  it('is plain and the same every time in a pipe', async () => {
    await onStage(scene, async (stage) => {
      const first = told(await stage.shownInPipe(), scene);
      expect(told(await stage.shownInPipe(), scene)).toEqual(first);
    });
  });
});

/** Lines in a stable order: what runs at the same time may end in any. */
function told({ stdout, stderr, status }: Piped, scene: Scene): string[] {
  expect(status).toBe(scene.status);
  const text = stdout + stderr;
  expect(text).not.toContain(ESC);
  expect(text).not.toContain('\r');
  const lines = text.replaceAll(/\d+(\.\d+)? [KMGT]iB/g, '<size>').split('\n');
  return lines.map(settled).sort();
}
