import type { AgentSettings } from '../core/agent.ts';
import type { ProtocolConfig } from './protocols.ts';
import type { CheckedConfig } from './schema.ts';
import type { Secrets } from './secret.ts';

/** The whole configuration: complete, checked and frozen. Durations are seconds, sizes bytes, paths absolute. */
export type Config = Omit<CheckedConfig, 'protocols' | 'agents'> & {
  /** Null where there is no file. */
  readonly file: string | null;
  /** What relative paths in it count from. */
  readonly folder: string;
  /** SHA-256 of the file's text. */
  readonly hash: string;
  /** The files of `provider_types`, each with the SHA-256 of its text. */
  readonly type_files: readonly { readonly file: string; readonly hash: string }[];
  /** The file holds nothing but white space and remarks, or there is none. */
  readonly empty: boolean;
  readonly protocols: readonly ProtocolConfig[];
  /** Secrets stand there by their names. */
  readonly agents: readonly AgentSettings[];
  readonly secrets: Secrets;
  /** Where each value came from, by its path: `default`, `file:line` or `env NAME`. */
  readonly sources: Readonly<Record<string, string>>;
  /** What is odd, but no reason to stop. */
  readonly warnings: readonly string[];
};
