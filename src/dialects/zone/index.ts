import { randomUUID } from 'node:crypto';
import { GleitzeitError } from '../../core/errors.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { Problems } from '../../core/problems.ts';
import { checkConfig } from '../check-config.ts';
import { type Filled, filled } from '../filled.ts';
import { pointer } from '../mapping/pointer.ts';
import {
  answerLimits,
  type ProviderParts,
  type ProviderSpec,
  type ProviderType,
  type ZoneTarget,
} from '../provider-type.ts';
import { limitOf, timeoutMs } from '../timeout.ts';
import { checkTls } from '../tls.ts';
import { ZoneConfig } from './config.ts';
import { zoneProvider } from './provider.ts';

const BUDGET_S = 20;
const POLL_S = 1;

export const zoneTypes: readonly ProviderType[] = [
  {
    type: 'execution-zone',
    summary: 'An execution zone: a call is an `execute_task` there, waited for however long it takes',
    files_only: false,
    schema: ZoneConfig,
    open: openZone,
  },
];

function openZone({ id, protocol, config: given }: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(ZoneConfig, given, '/config');
  const { key, access_key_id, secret_access_key, session_token, params = {} } = config;
  const texts = { key, access_key_id, secret_access_key, session_token };
  const proofs = filled(present(texts), parts.secrets, '/config');
  const defaults = filled(params, parts.secrets, '/config/params');
  const target = targetOf(config, proofs);
  const { timers, channels } = parts;
  return zoneProvider({
    ...{ id, protocol, timers, newId: randomUUID },
    params: defaults.fill,
    secrets: () => [...proofs.values(), ...defaults.values(), ...(parts.hidden?.() ?? [])],
    result: config.result === undefined ? null : pointer(config.result, '/config/result'),
    budget_ms: timeoutMs(config.budget ?? BUDGET_S, '/config/budget'),
    poll_ms: timeoutMs(config.poll ?? POLL_S, '/config/poll'),
    timeout: limitOf(config.timeout, timers, '/config/timeout'),
    // The last: a mistake in the rest leaves nothing behind.
    line: channels.zone({ ...target, max_bytes: answerLimits.max_message }),
  });
}

function targetOf(config: ZoneConfig, proofs: Filled): ZoneTarget {
  const { url, runtime_arn, region, qualifier, endpoint, tls = null, access_key_id } = config;
  if ((url === undefined) === (runtime_arn === undefined))
    throw mistake('url', 'must be given, or runtime_arn, and not both');
  if (url !== undefined) {
    const problems = new Problems();
    checkTls(tls ?? {}, '/config/tls', problems);
    problems.throwIfAny();
    return { by: url.startsWith('ws') ? 'websocket' : 'https', url, tls, key: () => proofs.fill()['key'] };
  }
  if (region === undefined) throw mistake('region', 'is missing');
  if ((access_key_id === undefined) !== (config.secret_access_key === undefined))
    throw mistake('access_key_id', 'and secret_access_key belong together');
  if (access_key_id === undefined && config.session_token !== undefined)
    throw mistake('session_token', 'belongs to access_key_id and secret_access_key');
  const credentials = () => {
    const {
      access_key_id: shown = '',
      secret_access_key: secret = '',
      session_token: session,
    } = proofs.fill();
    return { id: shown, secret, ...(session === undefined ? {} : { session }) };
  };
  return {
    ...{ by: 'agentcore', runtime_arn: runtime_arn ?? '', region, qualifier, endpoint },
    credentials: access_key_id === undefined ? null : credentials,
  };
}

function present(texts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
}

function mistake(key: string, reason: string): GleitzeitError {
  const field = `/config/${key}`;
  return new GleitzeitError('GLZ1012', `${field}: ${reason}`, { field, reason });
}
