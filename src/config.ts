/** File and environment as one validated, frozen value, and what becomes of it when the file changes. */
export { type ConfigRow, describeConfig, secretTexts } from './config/describe.ts';
export { type ConfigChange, diffConfigs, isSameService, type ProviderEntry } from './config/diff.ts';
export { findConfig } from './config/find.ts';
export { listenerLimits, type ServerLimits } from './config/limits.ts';
export { type LoadOptions, loadConfig } from './config/load.ts';
export { PROVIDER_CONCURRENCY, type ProtocolPool, type ProviderPool } from './config/pool.ts';
export type { ProtocolConfig } from './config/protocols.ts';
export type { ProviderConfig } from './config/providers.ts';
export { secretsIn } from './config/references.ts';
export { createReloader, type Reloader } from './config/reload.ts';
export { openSecret, Secret } from './config/secret.ts';
export type { Config } from './config/types.ts';
export { watchConfig } from './config/watch.ts';
