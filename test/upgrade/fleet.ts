import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from '../server/program.ts';
import type { Version } from './versions.ts';

type Member = {
  readonly kind: 'serve' | 'bridge';
  version: Version;
  program: Program;
  /** Null while it cannot be asked. */
  url: string | null;
};

/** Engines and bridges on one store, of whatever version each. */
export class Fleet {
  readonly folder = mkdtempSync(join(tmpdir(), 'gleitzeit-upgrade-'));
  readonly #env: NodeJS.ProcessEnv;
  readonly #config: string;
  readonly #members: Member[] = [];

  constructor(store_url: string, config: object) {
    const { PATH, HOME } = process.env;
    const secret = randomBytes(32).toString('base64');
    this.#env = { PATH, HOME, GLEITZEIT_STORE_URL: store_url, GLEITZEIT_SECRET_KEY: secret };
    this.#config = join(this.folder, 'gleitzeit.yaml');
    writeFileSync(this.#config, JSON.stringify(config));
  }

  /** Engines that can be asked. */
  readonly urls = (): readonly string[] => this.#members.flatMap(({ url }) => (url === null ? [] : [url]));

  async add(kind: Member['kind'], version: Version): Promise<Member> {
    const member: Member = { kind, version, program: this.run(version, [kind]), url: null };
    this.#members.push(member);
    await this.#comes(member);
    return member;
  }

  /** Ends one, and starts it again as that version when it has gone. */
  async restart(member: Member, version: Version, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#goes(member, signal);
    member.version = version;
    member.program = this.run(version, [member.kind]);
    await this.#comes(member);
  }

  run({ program: file }: Version, args: readonly string[]): Program {
    const all = [...args, '--config', this.#config];
    return startProgram({ args: all, cwd: this.folder, env: this.#env, file });
  }

  async end(): Promise<void> {
    for (const member of this.#members) await this.#goes(member, 'SIGTERM');
  }

  /** Whatever has become of them. */
  async close(): Promise<void> {
    for (const { program } of this.#members) program.signal('SIGKILL');
    await Promise.all(this.#members.map(({ program }) => program.ended));
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #comes(member: Member): Promise<void> {
    const message = member.kind === 'serve' ? 'listening' : 'taking tasks';
    const { url } = await member.program.logged({ message });
    if (member.kind === 'serve') member.url = String(url);
  }

  async #goes(member: Member, signal: NodeJS.Signals): Promise<void> {
    member.url = null;
    member.program.signal(signal);
    const { code } = await member.program.ended;
    if (signal === 'SIGTERM' && code !== 0)
      throw new Error(
        `${member.kind} (${member.version.name}) ended with ${code}:\n${member.program.output()}`,
      );
  }
}
