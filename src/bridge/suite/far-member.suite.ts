import { fork } from 'node:child_process';
import { once } from 'node:events';
import { freeze } from '../../../test/services/process.ts';
import {
  Arrivals,
  type BrokerHarness,
  type ConnectOptions,
  type FarMember,
  type FarOptions,
} from './harness.suite.ts';
import { openReal, type RealBroker } from './real.suite.ts';

/** What the suites need, on a server that runs somewhere. */
export function realHarness(kind: RealBroker, address: () => string): BrokerHarness {
  return {
    connect: (options: ConnectOptions = {}) => openReal(kind, address(), options),
    farMember: (options) => startFarMember(kind, address(), options),
  };
}

async function startFarMember(kind: RealBroker, address: string, options: FarOptions): Promise<FarMember> {
  const program = new URL('./far-member.program.suite.ts', import.meta.url);
  const child = fork(program, [kind, address, JSON.stringify(options)], { execArgv: [] });
  const came = new Arrivals<string>();
  const gone = once(child, 'close');
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message: string | string[]) => {
      if (typeof message === 'string') resolve();
      else came.add(message);
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`the member ended with ${code} before it had joined`)));
  });
  return {
    received: came.items,
    until: (holds) => came.until(holds),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    freeze: (frozen) => freeze(child, frozen),
  };
}
