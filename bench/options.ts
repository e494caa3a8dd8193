import { parseArgs } from 'node:util';
import { STORES, type Store } from './store.ts';
import { OWN, systemNames } from './systems.ts';
import type { Workload } from './workload.ts';
import { findWorkload, WORKLOADS } from './workloads.ts';

export interface Options {
  readonly workloads: readonly Workload[];
  readonly systems: readonly string[];
  readonly stores: readonly Store[];
  readonly quick: boolean;
  readonly json: boolean;
  readonly markdown: boolean;
}

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: withAllPeers(args),
    options: {
      only: { type: 'string' },
      store: { type: 'string', default: 'sqlite,postgres' },
      peers: { type: 'string' },
      'peers-only': { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
    },
  });
  const peers = values.peers === undefined ? [] : peerNames(values.peers);
  return {
    workloads: values.only === undefined ? WORKLOADS : list(values.only).map(findWorkload),
    systems: values['peers-only'] ? peers : [OWN, ...peers],
    stores: list(values.store).map(readStore),
    quick: values.quick,
    json: values.json,
    markdown: values.markdown,
  };
}

/** `--peers` without names means all of them. */
function withAllPeers(args: readonly string[]): string[] {
  return args.map((arg, index) =>
    arg === '--peers' && (args[index + 1]?.startsWith('-') ?? true) ? '--peers=all' : arg,
  );
}

function peerNames(text: string): string[] {
  return text === 'all' ? systemNames().filter((name) => name !== OWN) : list(text);
}

function readStore(name: string): Store {
  const found = STORES.find((store) => store === name);
  if (found === undefined) throw new Error(`unknown store ${name}; there are ${STORES.join(', ')}`);
  return found;
}

function list(text: string): string[] {
  return text.split(',').filter((item) => item !== '');
}
