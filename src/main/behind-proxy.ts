import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { answerLimits, type ZoneLine } from '../dialects/provider-type.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { openGrpcFaultProxy } from '../faults/grpc-proxy.ts';
import type { FaultProxy } from '../faults/listening.ts';
import type { Plan } from '../faults/plan.ts';
import { openFaultProxy } from '../faults/proxy.ts';
import type { ProxyTls } from '../faults/proxy-parts.ts';
import type { Channel } from '../rpc/channel.ts';
import type { GrpcChannel } from '../rpc/grpc/grpc.ts';
import type { WebClient, WebRequest } from '../rpc/http/client.ts';
import type { Look } from '../rpc/http/look.ts';

/** A service behind a fault proxy. */
export type Behind = {
  readonly target: URL;
  readonly tls: (() => ProxyTls) | undefined;
  readonly plan: () => Plan;
  readonly logger: Logger;
};

export function behindProxy(behind: Behind, open: (url: string) => Channel): Channel {
  const line = proxyLine(behind, open);
  return {
    call: async (call) => (await line.opened()).call(call),
    notify: async (message) => (await line.opened()).notify(message),
    close: () => line.close(),
  };
}

export function grpcBehindProxy(behind: Behind, open: (url: string) => GrpcChannel): GrpcChannel {
  const line = proxyLine(behind, open);
  return {
    call: async (call) => (await line.opened()).call(call),
    check: async (signal) => (await line.opened()).check(signal),
    close: () => line.close(),
  };
}

export function zoneBehindProxy(behind: Behind, open: (url: string) => ZoneLine): ZoneLine {
  const line = proxyLine(behind, open);
  return {
    ask: async (request, signal) => (await line.opened()).ask(request, signal),
    close: () => line.close(),
  };
}

/** Requests to the service go through the proxy; those to anybody else do not, which is told once for each of them. */
export function clientBehindProxy(behind: Behind, open: (url: string) => WebClient): WebClient {
  const { target, logger } = behind;
  const elsewhere = new Set<string>();
  let port = '';
  const line = proxyLine(behind, (url) => {
    ({ port } = new URL(url));
    return open(url);
  });
  const through = (request: WebRequest): WebRequest => {
    const { origin } = request.url;
    if (request.foreign === true || origin !== target.origin) {
      if (!elsewhere.has(origin))
        logger.info('no faults are made on the way to another address', { service: target.host, origin });
      elsewhere.add(origin);
      return request;
    }
    return { ...request, url: new URL(addressOf(request.url, port)) };
  };
  return {
    request: async (request) => (await line.opened()).request(through(request)),
    stream: async (request) => (await line.opened()).stream(through(request)),
    close: () => line.close(),
  };
}

/** Looks are rare, and leave nothing open: each has a proxy of its own. */
export function lookBehindProxy(behind: Behind, open: (url: string) => Look): Look {
  return async (path, signal) => {
    const proxy = await openHttpProxy(behind);
    try {
      return await open(addressOf(behind.target, proxy.port))(path, signal);
    } finally {
      await proxy.close();
    }
  };
}

/** The proxy is opened with the first call, and closed with the channel. */
function proxyLine<Carrier extends { close(): Promise<void> }>(
  behind: Behind,
  open: (url: string) => Carrier,
) {
  const { target } = behind;
  let closed = false;
  let opening: Promise<{ readonly carrier: Carrier; close(): Promise<void> }> | null = null;
  const start = async () => {
    const proxy = await (isGrpc(target) ? openGrpcFaultProxy(partsOf(behind)) : openHttpProxy(behind));
    const carrier = open(addressOf(target, proxy.port));
    const close = async () => {
      await carrier.close();
      await proxy.close();
    };
    return { carrier, close };
  };
  return {
    opened: async (): Promise<Carrier> => {
      if (closed) throw new GleitzeitError('GLZ2002', `the channel to ${target.host} is closed`);
      opening ??= start();
      return (await opening).carrier;
    },
    close: async (): Promise<void> => {
      closed = true;
      await (await opening)?.close();
    },
  };
}

function openHttpProxy(behind: Behind): Promise<FaultProxy> {
  return openFaultProxy(partsOf(behind));
}

function partsOf({ target, tls, plan, logger }: Behind) {
  return {
    target,
    tls,
    plan,
    clock: systemClock,
    timers: systemTimers,
    max_answer: answerLimits.max_message,
    failed: ({ message }: Error) =>
      logger.warn('behind the fault proxy a service did not answer', {
        service: target.host,
        reason: message,
      }),
  };
}

function isGrpc({ protocol }: URL): boolean {
  return protocol === 'grpc:' || protocol === 'grpcs:';
}

/** The same place in the clear, at the proxy; a name and a password in it stay, since they are shown to the service. */
function addressOf(target: URL, port: number | string): string {
  const at = new URL(target);
  at.protocol = isGrpc(target) ? 'grpc' : target.protocol.startsWith('ws') ? 'ws' : 'http';
  at.host = `127.0.0.1:${port}`;
  return at.href;
}
