import type { Json, JsonObject } from '../core/json.ts';
import { isCountable, parseRate } from '../core/pool/bucket.ts';
import type { Checking } from '../files/check.ts';
import { describeValue, showSeconds } from '../files/describe.ts';
import type { Path } from '../files/path.ts';
import { type ProtocolPool, type ProviderPool, protocolPoolKeys, providerPoolKeys } from './pool.ts';

/** What a schema cannot say of how calls are spread and limited. */
export function checkProtocolPool({ pool, limits }: ProtocolPool, path: Path, { report }: Checking): void {
  if (pool?.select === 'sticky' && pool.sticky_by === undefined) {
    const hint = 'such as sticky_by: params.user';
    report({ path: [...path, 'pool', 'select'], part: 'value', message: 'sticky needs sticky_by', hint });
  }
  if (pool?.sticky_by !== undefined && pool.select !== 'sticky') {
    const message = 'says nothing without select: sticky';
    report({ path: [...path, 'pool', 'sticky_by'], part: 'key', message });
  }
  checkRate(limits, [...path, 'limits'], report);
  const per_key = limits?.per_key;
  checkRate(per_key, [...path, 'limits', 'per_key'], report);
  if (per_key !== undefined && per_key.concurrency === undefined && per_key.rate === undefined) {
    const message = 'limits nothing';
    const hint = 'give it a concurrency, a rate, or both';
    report({ path: [...path, 'limits', 'per_key'], part: 'key', message, hint });
  }
}

export function checkProviderPool(
  { limits, breaker, health, cost }: ProviderPool,
  path: Path,
  { report }: Checking,
): void {
  checkRate(limits, [...path, 'limits'], report);
  if (health !== undefined) checkHealth(health, [...path, 'health'], report);
  const { currency: _, ...prices } = cost ?? {};
  if (cost !== undefined && Object.keys(prices).length === 0) {
    const hint = 'give it per_call, per_1k_input_tokens or per_1k_output_tokens';
    report({ path: [...path, 'cost'], part: 'key', message: 'names no price', hint });
  }
  if (breaker?.most_cool_down !== undefined && breaker.most_cool_down < breaker.cool_down) {
    const message = `is shorter than cool_down, which is ${showSeconds(breaker.cool_down)}`;
    report({ path: [...path, 'breaker', 'most_cool_down'], part: 'value', message });
  }
}

/** A page can be asked for only where there is a host. `config`: what the type of the provider comes down to. */
export function checkHealthPath(
  { health }: ProviderPool,
  { path, config }: { readonly path: Path; readonly config: JsonObject },
  { report }: Checking,
): void {
  if (health?.path === undefined || typeof config['url'] === 'string') return;
  const message = 'needs a provider with a url';
  report({
    path: [...path, 'health', 'path'],
    part: 'key',
    message,
    hint: 'leave it out, or give it a method',
  });
}

function checkHealth(
  { method, path: asked, expect }: NonNullable<ProviderPool['health']>,
  path: Path,
  report: Checking['report'],
): void {
  if (method !== undefined && asked !== undefined)
    report({
      path: [...path, 'path'],
      part: 'key',
      message: 'stands beside method',
      hint: 'one of them is asked',
    });
  if (expect === undefined) return;
  if (asked === undefined)
    report({ path: [...path, 'expect'], part: 'key', message: 'says nothing without a path' });
  const [least = '', most = least] = expect.split('-');
  if (least > most) report({ path: [...path, 'expect'], part: 'value', message: 'ends before it begins' });
}

function checkRate(
  limits: { readonly rate?: string; readonly burst?: number } | undefined,
  path: Path,
  report: Checking['report'],
): void {
  const rate = limits?.rate === undefined ? null : parseRate(limits.rate);
  if (rate !== null && !isCountable(rate)) {
    const expected = 'from 0.001/h to 1000000/s';
    const found = describeValue(limits?.rate ?? null);
    report({ path: [...path, 'rate'], part: 'value', message: `must be ${expected}`, expected, found });
  }
  if (limits?.burst === undefined || limits.rate !== undefined) return;
  report({ path: [...path, 'burst'], part: 'key', message: 'says nothing without a rate' });
}

/** `config.models` is an older place for `models`. Returns what is left for the type of the provider. */
export function takeModels(
  { config, models }: { readonly config: JsonObject; readonly models?: readonly string[] | undefined },
  path: Path,
  { report }: Checking,
): { readonly config: JsonObject; readonly models: readonly string[] | undefined } {
  if (!Object.hasOwn(config, 'models')) return { config, models };
  const { models: older, ...rest } = config;
  const at = [...path, 'config', 'models'];
  if (isTexts(older)) {
    if (models === undefined) return { config: rest, models: older };
    report({ path: at, part: 'key', message: 'stands twice', hint: 'models beside config is enough' });
    return { config: rest, models };
  }
  const found = describeValue(older ?? null);
  report({ path: at, part: 'value', message: 'must be a list of names', expected: 'a list of names', found });
  return { config: rest, models };
}

function isTexts(value: Json | undefined): value is string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '')
  );
}

/** Of something that was written, only what is about the pool. */
export function providerPoolOf(written: ProviderPool): ProviderPool {
  return pick(written, Object.keys(providerPoolKeys)) as ProviderPool;
}

export function protocolPoolOf(written: ProtocolPool): ProtocolPool {
  return pick(written, Object.keys(protocolPoolKeys)) as ProtocolPool;
}

function pick(written: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(written).filter(([key]) => keys.includes(key)));
}
