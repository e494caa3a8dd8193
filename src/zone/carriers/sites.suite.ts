import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { defaultListenerLimits } from '../../rpc/listener/limits.ts';
import { createListener } from '../../rpc/listener/listener.ts';
import type { CarrierServed, CarrierSetUp, CarrierSite } from '../carrier.suite.ts';
import type { Carrier, Endpoint } from '../carrier.ts';
import { type AgentCoreCarrierOptions, agentcoreCarrier } from './agentcore/carrier.ts';
import { agentcoreRoutes } from './agentcore/serve.ts';
import {
  type StandIn,
  standInArn,
  standInCredentials,
  standInRegion,
  startStandIn,
} from './agentcore/stand-in.suite.ts';
import { httpsCarrier } from './https/carrier.ts';
import { httpsRoute } from './https/serve.ts';
import { inProcessCarrier } from './in-process/carrier.ts';
import { endpointFor } from './serve.ts';
import { stdioCarrier } from './stdio/carrier.ts';
import { relayTo } from './stdio/relay.suite.ts';
import { websocketCarrier } from './websocket/carrier.ts';

export const silent = { debug() {}, info() {}, warn() {}, error() {} };
const system = { clock: systemClock, timers: systemTimers, random: systemRandom(), logger: silent };
export const quickly = { most: 5, first_ms: 5, longest_ms: 50 };

/** Everything that is opened here, to be closed in the opposite order. */
function siteOf(open: CarrierSite['open'], close: () => Promise<void>): CarrierSite {
  const opened: Carrier[] = [];
  const keep = (options?: { readonly max_bytes?: number }) => {
    const carrier = open(options);
    opened.push(carrier);
    return carrier;
  };
  return {
    carrier: keep(),
    open: keep,
    close: async () => {
      await Promise.all(opened.map((carrier) => carrier.close()));
      await close();
    },
  };
}

/** One listener with all that can be served over it. */
export async function serveOverHttp(endpoint: Endpoint, { caller, max_bytes }: CarrierServed = {}) {
  const listener = createListener({
    on: { host: '127.0.0.1', port: 0 },
    limits: { ...defaultListenerLimits, ...(max_bytes === undefined ? {} : { body_bytes: max_bytes }) },
    ...{ allowed_hosts: [], allowed_origins: [], ...system },
    ...(caller === undefined ? {} : { authenticate: () => caller }),
  });
  const ending = new AbortController();
  const served = { endpoint, stopping: ending.signal };
  listener.mount(httpsRoute(served, '/zone'));
  const ping = { busy: async () => false, now_s: () => 1 };
  const access = caller === undefined ? 'open' : 'keys';
  for (const route of agentcoreRoutes(served, { access, ping })) listener.mount(route);
  const { url } = await listener.start();
  const stop = async () => {
    ending.abort();
    await listener.quiet();
    await listener.stop(0);
  };
  return { url, stop };
}

const https: CarrierSetUp = {
  name: 'https',
  start: async (endpoint, served) => {
    const { url, stop } = await serveOverHttp(endpoint, served);
    return siteOf((options) => httpsCarrier({ url: `${url}/zone`, ...system, ...options }), stop);
  },
};

const websocket: CarrierSetUp = {
  name: 'websocket',
  start: async (endpoint, served) => {
    const { url, stop } = await serveOverHttp(endpoint, served);
    const address = `${url.replace('http', 'ws')}/zone`;
    return siteOf((options) => websocketCarrier({ url: address, ...system, ...options }), stop);
  },
};

/** Nobody is known by a name here: whoever serves somebody who may do less hands out an endpoint of theirs. */
function endpointOf(endpoint: Endpoint, { caller }: CarrierServed = {}): Endpoint {
  return caller === undefined ? endpoint : endpointFor(caller, endpoint);
}

const inProcess: CarrierSetUp = {
  name: 'in-process',
  start: async (endpoint, served) => {
    const theirs = endpointOf(endpoint, served);
    return siteOf(
      (options) => inProcessCarrier({ endpoint: theirs, ...options }),
      async () => {},
    );
  },
};

/** A process of its own, which hands on what it is told over its streams: the endpoint is in this one. */
const stdio: CarrierSetUp = {
  name: 'stdio',
  start: async (endpoint, served) => {
    const { socket, close } = await relayTo(endpointOf(endpoint, served), served?.max_bytes);
    const program = fileURLToPath(new URL('./stdio/relay-process.suite.ts', import.meta.url));
    const command = [process.execPath, '--disable-warning=ExperimentalWarning', program, socket] as const;
    const environment = process.env;
    return siteOf((options) => stdioCarrier({ command, environment, ...system, ...options }), close);
  },
};

export function agentcoreTo(
  { url }: Pick<StandIn, 'url'>,
  options: Partial<Pick<AgentCoreCarrierOptions, 'max_bytes' | 'retries' | 'qualifier' | 'connections'>> = {},
): Carrier {
  return agentcoreCarrier({
    ...{ runtime_arn: standInArn, region: standInRegion, endpoint: url, retries: quickly },
    credentials: async () => standInCredentials,
    ...system,
    ...options,
  });
}

/** The service in front, and behind it the container's own endpoint. */
const agentcore: CarrierSetUp = {
  name: 'agentcore',
  start: async (endpoint, served) => {
    const { url, stop } = await serveOverHttp(endpoint, served);
    const service = await startStandIn({ container: invocationsAt(url), throttle_every: 7 });
    return siteOf(
      (options) => agentcoreTo(service, options),
      async () => {
        await service.close();
        await stop();
      },
    );
  },
};

/** How the runtime reaches its container. */
export function invocationsAt(url: string): (body: Uint8Array) => Promise<string> {
  return async (body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/invocations`, { method: 'POST', headers, body: Buffer.from(body) });
    return response.text();
  };
}

/** Every carrier there is. */
export const carrierSites: readonly CarrierSetUp[] = [inProcess, stdio, https, websocket, agentcore];
