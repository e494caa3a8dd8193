import { GleitzeitError } from '../../../src/core/errors.ts';
import { isObject } from '../../../src/core/json.ts';
import type { Cipher } from '../../../src/core/ports/cipher.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import type { Provider } from '../../../src/core/ports/provider.ts';
import type { Router } from '../../../src/core/ports/router.ts';
import type { Schemas } from '../../../src/core/ports/schemas.ts';
import { Doorman } from '../../../src/engine/testing/doorman.suite.ts';
import { protocols } from './planned.ts';
import type { EngineProcess } from './process.ts';
import type { Service } from './service.ts';

/** Every protocol has one method; a result that says `bad` breaks its schema. */
export const schemas: Schemas = {
  checkParams({ protocol, params }) {
    if (protocols.some((known) => known === protocol)) return params;
    throw new GleitzeitError('GLZ1003', `there is no protocol ${protocol}`, { field: '/protocol' });
  },
  checkResult({ result }) {
    if (isObject(result) && !Object.hasOwn(result, 'bad')) return;
    throw new GleitzeitError('GLZ2005', 'the result breaks its schema', { field: '/result' });
  },
  secrets: () => ({ params: [], result: [] }),
  has: (protocol) => protocols.some((known) => known === protocol),
};

export const cipher: Cipher = {
  seal: (text) => text,
  open: (text) => text,
  isCurrent: () => true,
  mark: (text) => text,
};

/**
 * One provider for each protocol this process serves; now and then none can be found. In some worlds each takes only a few
 * calls at a time, and the rest waits in lines.
 */
export function routerOf(process: EngineProcess, service: Service, served: readonly string[]): Router {
  const { nature } = process;
  const providers = served.map((protocol) => providerOf(process, service, protocol));
  const places = nature.weather.places ?? Number.POSITIVE_INFINITY;
  const doorman = new Doorman(providers, places, { after: (ms, call) => process.deliver(ms, call) });
  process.doorman = doorman;
  return {
    protocols: () => served,
    route(request) {
      if (nature.mishap(nature.weather.no_provider))
        throw new GleitzeitError('GLZ2007', `nobody serves ${request.protocol}`);
      return doorman.route(request);
    },
    onRoom: (listener) => doorman.onRoom(listener),
  };
}

function providerOf(process: EngineProcess, service: Service, protocol: string): Provider {
  const provider: Provider = {
    id: `${protocol}@${process.slot}`,
    protocol,
    hasMethod: () => true,
    call: (call) => service.call(process, provider, call),
  };
  return provider;
}

export function loggerOf(process: EngineProcess): Logger {
  const log = (level: string) => (message: string, fields?: object) =>
    process.nature.trace(process.name, `${level}: ${message}`, fields);
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}
