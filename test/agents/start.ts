import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { installOnDebian, isInstalled } from '../services/debian.ts';
import { buildGo } from '../services/go.ts';

export const languages = ['node', 'python', 'go'] as const;
export type Language = (typeof languages)[number];

export type SampleAgent = {
  /** Ends with a slash. */
  readonly url: string;
  /** Sends the signal and gives the exit status, or the name of the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
};

type Settings = Readonly<Record<string, string>>;

const folder = (language: Language) => fileURLToPath(new URL(`../../agents/${language}`, import.meta.url));

/** Starts one of the agents on a free port; it has said where it listens when this resolves. */
export async function startAgent(language: Language, settings: Settings = {}): Promise<SampleAgent> {
  const [command, args] = await commandOf(language);
  const env = { ...process.env, PORT: '0', STEP_MS: '5', PYTHONDONTWRITEBYTECODE: '1', ...settings };
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const gone = once(child, 'exit');
  const url = await listens(child);
  return {
    url,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const [status, by] = await gone;
      return by ?? status;
    },
  };
}

let built: Promise<string> | undefined;

async function commandOf(language: Language): Promise<[string, string[]]> {
  if (language === 'go') {
    built ??= buildGo(folder('go'), 'sample-agent');
    return [await built, []];
  }
  if (language === 'node') return [process.execPath, [`${folder('node')}/agent.mjs`]];
  if (!(await isInstalled('python3'))) await installOnDebian('python3', 'install Python 3.9 or later');
  return ['python3', [`${folder('python')}/agent.py`]];
}

function listens(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const read = (chunk: Buffer): void => {
      said = (said + chunk.toString()).slice(-8_000);
      const found = /Listening on (\S+)\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('exit', (status) =>
      reject(new Error(`the agent ended with ${status} before it listened:\n${said}`)),
    );
  });
}
