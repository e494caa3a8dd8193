import { type Config, serviceOf } from '../config.ts';
import { isObject, own } from '../core/json.ts';
import { systemRandom } from '../embedded/system.ts';
import { type FaultSpec, readFaults } from '../faults/spec.ts';
import { typeOf } from './agent-service.ts';
import { viaOf } from './via.ts';

export type Faults = { readonly spec: FaultSpec; readonly seed: number };

const SEEDS = 1_000_000;

/** Reads `latency=200ms,cut=5%`. Where no seed is named one is drawn. */
export function faultsFrom(text: string): Faults {
  const spec = readFaults(text);
  return { spec, seed: spec.seed ?? Math.floor(systemRandom().next() * SEEDS) };
}

export type LeftAlone = {
  /** A provider, or an agent of the registry. */
  readonly name: string;
  readonly why: string;
};

/** Whom calls reach by a way that no faults can be made on. */
export function leftAlone(config: Pick<Config, 'dispatch' | 'protocols' | 'agents'>): LeftAlone[] {
  const providers = config.protocols.flatMap(({ providers: listed }) =>
    listed.map((entry) => ({ name: entry.id, via: entry.via, ...serviceOf(entry) })),
  );
  const agents = config.agents.map(({ name, protocol, protocol_config, via }) => ({
    ...{ name, via, config: protocol_config },
    type: typeOf(protocol)?.type ?? protocol,
  }));
  return [...providers, ...agents].flatMap(({ name, ...called }) => {
    if (viaOf(config, called) === 'bridge') return [{ name, why: 'a bridge makes its calls' }];
    const elsewhere = isObject(called.config) ? own(called.config, 'runtime_arn') : undefined;
    return elsewhere === undefined ? [] : [{ name, why: 'requests to AgentCore are signed for its address' }];
  });
}
