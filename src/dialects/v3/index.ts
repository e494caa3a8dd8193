import { checkConfig } from '../check-config.ts';
import type { ProviderType } from '../provider-type.ts';
import { V3Config } from './config.ts';
import { v3Provider } from './provider.ts';

export const v3Types: readonly ProviderType[] = [
  {
    type: 'v3',
    summary: 'a provider that was written in Python for the third generation, run as it is',
    files_only: true,
    schema: V3Config,
    open: (spec, parts) => v3Provider(spec, parts, checkConfig(V3Config, spec.config, '/config')),
  },
];
