import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../source/files.ts';
import { type Scene, scenes } from './scenes.ts';
import type { Screen } from './screen.ts';
import { svgOf } from './svg.ts';
import { onStage } from './take.ts';
import { themes } from './theme.ts';

/** Takes the pictures of the documents anew: `node scripts/capture/run.ts [names]`. */
const folder = join(projectRoot, 'docs', 'images');
const names = process.argv.slice(2);
await mkdir(folder, { recursive: true });
for (const scene of scenes.filter(({ name }) => names.length === 0 || names.includes(name))) {
  for (const columns of [80, 120]) {
    const { screen, status } = await onStage(scene, (stage) => stage.taken(columns));
    if (scene.until === undefined && status !== scene.status)
      throw new Error(`${scene.name} ended with ${status}:\n${screen.text().join('\n')}`);
    await write(scene, screen);
  }
}

async function write(scene: Scene, screen: Screen): Promise<void> {
  const title = ['gleitzeit', ...scene.command.map((word) => (word === '$RUN' ? runIn(screen) : word))].join(
    ' ',
  );
  const last = screen.text().findLastIndex((line) => line !== '');
  const lines = screen.lines.slice(0, last + 1);
  for (const [name, theme] of Object.entries(themes)) {
    const file = `${scene.name}-${screen.columns}-${name}.svg`;
    await writeFile(join(folder, file), svgOf({ lines, columns: screen.columns, title, theme }));
    console.log(file);
  }
}

/** The beginning of the id that stands above a tree, as somebody would type it. */
function runIn(screen: Screen): string {
  const [, beginning = 'id'] = /^run ([0-9a-f]{4})/m.exec(screen.text().join('\n')) ?? [];
  return `${beginning}…`;
}
