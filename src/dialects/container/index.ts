import type { Provider } from '../../core/ports/provider.ts';
import { checkConfig } from '../check-config.ts';
import { filled } from '../filled.ts';
import type { ProviderParts, ProviderSpec, ProviderType } from '../provider-type.ts';
import { checkMethods } from '../reached.ts';
import { ContainerConfig, checkContainer } from './config.ts';
import { openKubernetes } from './kubernetes/open.ts';
import { plans } from './methods.ts';
import { containerProvider } from './provider.ts';

export const containerTypes: readonly ProviderType[] = [
  {
    type: 'container',
    summary: 'a container for each call, by docker, podman or as a job of Kubernetes',
    files_only: true,
    schema: ContainerConfig,
    open,
  },
];

function open({ id, protocol, config: raw }: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(ContainerConfig, raw, '/config');
  checkContainer(config);
  checkMethods(Object.keys(config.methods ?? {}), parts.methods, '/config/methods');
  const env = filled(config.env ?? {}, parts.secrets, '/config/env');
  const plan = plans(config, parts.timers);
  const hidden = () => parts.hidden?.() ?? [];
  const secrets = () => [...env.values(), ...hidden()];
  const { kubernetes } = config;
  if (kubernetes !== undefined)
    return openKubernetes({ id, protocol, config, kubernetes, env, secrets, plan }, parts);
  const programs = parts.channels.programs();
  return containerProvider({ id, protocol, config, programs, env, secrets, plan });
}
