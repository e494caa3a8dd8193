import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { projectRoot } from '../source/files.ts';
import { openTerminal, type PseudoTerminal } from './pseudo-terminal.ts';
import { Screen } from './screen.ts';
import { castOf, type Frame } from './svg.ts';
import { themes } from './theme.ts';

/** Records the run that is killed half way and goes on, as the README shows it: `node scripts/capture/cast.ts`. */
const COLUMNS = 80;
const ROWS = 24;
/** So often somebody looks. */
const LOOK_MS = 200;
/** The end is to be read before it begins again. */
const REST_MS = 4000;

const PROMPT = '$ ';

// In one line: what is typed while a run draws would be drawn over.
const typed = [
  'gleitzeit run workflow.gleitzeit.yaml & sleep 6; kill -9 %1; wait',
  'gleitzeit run workflow.gleitzeit.yaml --resume',
];

const place = await mkdtemp(join(tmpdir(), 'gleitzeit-cast-'));
try {
  await cp(join(projectRoot, 'examples/03-retry-and-resume'), join(place, 'parcel'), { recursive: true });
  for (const left of ['.gleitzeit', 'deliveries.log'])
    await rm(join(place, 'parcel', left), { recursive: true, force: true });
  const frames = await record(await program());
  const lasts_ms = (frames.at(-1)?.at_ms ?? 0) + REST_MS;
  for (const [name, theme] of Object.entries(themes)) {
    const svg = castOf({ frames, lasts_ms, columns: COLUMNS, title: 'killed with -9, and going on', theme });
    await writeFile(join(projectRoot, 'docs/images', `kill-${name}.svg`), svg);
  }
  console.log(`${frames.length} frames, ${lasts_ms / 1000} s`);
} finally {
  await rm(place, { recursive: true, force: true });
}

/** A folder with `gleitzeit` in it, as an installation would have. */
async function program(): Promise<string> {
  const folder = join(place, 'bin');
  await mkdir(folder);
  const text = `#!/bin/sh\nexec "${process.execPath}" "${join(projectRoot, 'bin/gleitzeit.js')}" "$@"\n`;
  await writeFile(join(folder, 'gleitzeit'), text, { mode: 0o755 });
  return folder;
}

async function record(folder: string): Promise<Frame[]> {
  const screen = new Screen({ columns: COLUMNS, rows: ROWS });
  const terminal = openTerminal({
    command: ['bash', '--noprofile', '--norc', '--noediting', '-i'],
    cwd: join(place, 'parcel'),
    env: {
      HOME: place,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      PATH: [folder, dirname(process.execPath), process.env['PATH']].join(':'),
      PS1: PROMPT,
    },
    columns: COLUMNS,
    rows: ROWS,
    echo: true,
  });
  terminal.output.on('data', (bytes: Uint8Array) => screen.write(bytes));
  const frames: Frame[] = [];
  const began = performance.now();
  await until(() => screen.text().at(-1) === PROMPT.trim());
  const looks = () => look(frames, screen, performance.now() - began);
  for (const command of typed) await play(command, { terminal, screen, looks });
  terminal.type('exit\n');
  await terminal.ended;
  return frames;
}

type Scene = { readonly terminal: PseudoTerminal; readonly screen: Screen; readonly looks: () => void };

async function play(command: string, { terminal, screen, looks }: Scene): Promise<void> {
  for (const character of command) {
    terminal.type(character);
    await setTimeout(30);
  }
  const from = screen.row;
  terminal.type('\n');
  await until(() => {
    looks();
    return screen.row > from && screen.text().at(-1) === PROMPT.trim();
  });
}

/** Looks again and again: what is recorded is what somebody would see. */
async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await setTimeout(LOOK_MS);
}

/** Only what is new is kept. */
function look(frames: Frame[], screen: Screen, at_ms: number): void {
  const lines = structuredClone(screen.lines);
  if (JSON.stringify(frames.at(-1)?.lines) !== JSON.stringify(lines))
    frames.push({ at_ms: Math.round(at_ms), lines });
}
