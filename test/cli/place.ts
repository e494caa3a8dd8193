import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandProcess, runCommand } from './command.ts';
import { nothingLeft } from './left.ts';

const agent = fileURLToPath(new URL('./steps-agent.ts', import.meta.url));

/** A folder with a configuration, an agent and workflows, and what is started in it. */
export type Place = {
  readonly folder: string;
  write(name: string, content: string | object): string;
  /** `gleitzeit …` as a process of its own. */
  start(...args: string[]): CommandProcess;
  /** The same until its end. */
  run(
    ...args: string[]
  ): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>;
  /** The same folder's subfolder, to start things in. */
  in(subfolder: string): Pick<Place, 'start' | 'run'>;
  /** What the agent was asked to do, in order: short id and attempt-independent call. */
  calls(): readonly { readonly step: string; readonly pid: number }[];
  close(): Promise<void>;
};

/**
 * The agent of test/cli/steps-agent.ts writes each call into a file before it answers: a step takes `ms`, `fail` makes it
 * fail, `gate` makes it wait until a file of that name is there, and `told` is what it reports before.
 */
export function openPlace(extra: object = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-cli-'));
  const running = new Set<CommandProcess>();
  const written = join(folder, 'calls.jsonl');
  const write: Place['write'] = (name, content) => {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    return path;
  };
  write('gleitzeit.yaml', {
    protocols: [
      {
        name: 'steps/v1',
        methods: { step: { params: { type: 'object' }, returns: { type: 'object' } } },
        providers: [
          { id: 'steps', type: 'jsonrpc-stdio', config: { command: [process.execPath, agent, folder] } },
        ],
      },
    ],
    server: { port: 0 },
    engine: { stop_timeout: '1s' },
    ...extra,
  });
  const startIn = (cwd: string) => {
    const start: Place['start'] = (...args) => {
      const command = runCommand(args, { cwd });
      running.add(command);
      void command.ended.then(() => running.delete(command));
      return command;
    };
    const run: Place['run'] = async (...args) => {
      const command = start(...args);
      const { status } = await command.ended;
      return { status, stdout: command.stdout(), stderr: command.stderr() };
    };
    return { start, run };
  };
  return {
    folder,
    write,
    ...startIn(folder),
    in: (subfolder) => startIn(join(folder, subfolder)),
    calls: () => {
      try {
        return readFileSync(written, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
      } catch {
        return [];
      }
    },
    close: async () => {
      for (const command of running) command.kill('SIGKILL');
      await Promise.all([...running].map(({ ended }) => ended));
      await nothingLeft(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
    },
  };
}

/** A chain of steps, each waiting for the one before it. */
export function chain(
  name: string,
  steps: readonly (readonly [id: string, params?: object])[],
  more: object = {},
) {
  return {
    name,
    tasks: steps.map(([id, params = {}], index) => ({
      id,
      protocol: 'steps/v1',
      method: 'step',
      params: { step: id, ...params },
      ...(index === 0 ? {} : { dependencies: [steps[index - 1]?.[0]] }),
      ...more,
    })),
  };
}
