import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { headline, type Problem, problemsOf } from '../files/problems.ts';
import { type ConfigChange, changesAnything, diffConfigs, hasKeys } from './diff.ts';
import type { Secrets } from './secret.ts';
import type { Config } from './types.ts';

export type ReloaderParts = {
  /** The configuration in force when the program started. */
  readonly config: Config;
  readonly load: (in_force: Secrets) => Promise<Config>;
  /** Carries a change out. What is in force does not change if it fails. */
  readonly apply: (change: ConfigChange, next: Config) => Promise<void>;
  readonly logger: Logger;
};

export type Reloader = {
  /** The configuration in force. */
  current(): Config;
  /** Reads the file again. One at a time: who asks while one is under way gets another one after it. */
  reload(): Promise<'changed' | 'unchanged' | 'refused'>;
};

/** A broken file leaves what is in force as it is, and what is wrong with it goes to the log. */
export function createReloader(parts: ReloaderParts): Reloader {
  let current = parts.config;
  let last: Promise<unknown> = Promise.resolve();
  const guarded = hasKeys(parts.config);
  const once = async () => {
    try {
      const next = stillThere(current, await parts.load(current.secrets));
      const change = diffConfigs(current, next, guarded);
      warn(next, change, parts.logger);
      if (!changesAnything(change)) {
        parts.logger.info(
          'the configuration was read again; nothing that can change while it runs has changed',
        );
        // The same may come from other files by now, which are those to follow.
        current = Object.freeze({ ...current, ...live(next) });
        return 'unchanged';
      }
      // Server, store and the like stay what they are until the next start, whatever the file says by now.
      const taken = { ...current, ...live(next), server: guarded ? withKeys(current, next) : current.server };
      await parts.apply(change, taken);
      current = Object.freeze(taken);
      parts.logger.info('the configuration was changed', counts(change));
      return 'changed';
    } catch (thrown) {
      refuse(thrown, parts.logger);
      return 'refused';
    }
  };
  return {
    current: () => current,
    reload: () => {
      const run = last.then(once);
      last = run;
      return run;
    },
  };
}

/** A file that is gone, emptied, or hidden by one nearer, is no reason to drop what it configured. */
function stillThere({ file, empty }: Config, next: Config): Config {
  if (next.file === file && (empty || !next.empty)) return next;
  const reason = reasonFor(file, next);
  throw new GleitzeitError('GLZ1012', `${file ?? 'no file'} was in force; ${reason}`, { reason });
}

function reasonFor(before: string | null, { file }: Config): string {
  if (file === before) return 'the file is empty';
  return file === null ? 'the file is gone' : `${file} is there now, and is read with the next start`;
}

function live(next: Config): Partial<Config> {
  const { protocols, provider_types, type_files, functions, agents, secrets, hash, empty } = next;
  const { sources, warnings } = next;
  return {
    protocols,
    provider_types,
    type_files,
    functions,
    agents,
    secrets,
    hash,
    empty,
    sources,
    warnings,
  };
}

/** Whoever had to show a key has to show one still: without any left, nobody gets in. */
function withKeys(current: Config, next: Config): Config['server'] {
  return { ...current.server, keys: next.server.keys };
}

function warn({ warnings }: Config, { restart }: ConfigChange, logger: Logger): void {
  if (restart.length > 0)
    logger.warn('some changes of the configuration need a restart', { settings: restart });
  for (const warning of warnings) logger.warn(warning);
}

function refuse(thrown: unknown, logger: Logger): void {
  const problems = problemsOf(thrown).map(line);
  const { message, code, details } = GleitzeitError.from(thrown);
  const hint = details.hint === undefined ? {} : { hint: details.hint };
  const fields = problems.length > 0 ? { problems } : { error_code: code, reason: message, ...hint };
  logger.error('the changed configuration is not taken; the one before stays in force', fields);
}

/** With the hint, which names the nearest key or tells what to do. */
function line(problem: Problem): string {
  return problem.hint === null ? headline(problem) : `${headline(problem)}; ${problem.hint}`;
}

function counts({ protocols, providers, functions, agents, secrets, keys }: ConfigChange) {
  return {
    protocols: {
      added: protocols.added.length,
      changed: protocols.changed.length,
      removed: protocols.removed.length,
      pools: protocols.pools.length,
    },
    providers: {
      added: providers.added.length,
      changed: providers.changed.length,
      removed: providers.removed.length,
      kept: providers.kept.length,
    },
    function_changes: functions.length,
    agent_changes: agents.length,
    secret_changes: secrets.length,
    key_changes: keys.length,
  };
}
