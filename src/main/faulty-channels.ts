import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { answerLimits, type ChannelFactories, type TlsFiles } from '../dialects/provider-type.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { type Plan, planOf, planText, seedFor } from '../faults/plan.ts';
import { FAULT_LINE, wrapperCommand } from '../faults/program-arguments.ts';
import { openFaultProxy } from '../faults/proxy.ts';
import type { ProxyTls } from '../faults/proxy-parts.ts';
import type { Channel } from '../rpc/channel.ts';
import type { WebClient, WebRequest } from '../rpc/http/client.ts';
import type { Faults } from './faults.ts';
import { providerTls } from './provider-tls.ts';

/** Followed by the number of the process that uses it. */
const FOLDER = 'gleitzeit-faults-';

export type FaultyWay = {
  /** For the carriers that go by this way. */
  readonly logger: Logger;
  /** The same carriers with faults. */
  over(plain: ChannelFactories): ChannelFactories;
  /** When the last channel has closed. */
  close(): void;
};

/** Faults for all providers of a process. Each channel has its own, by the seed and its number. */
export function openFaultyWay(faults: Faults, logger: Logger): FaultyWay {
  removeLeft();
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`));
  return {
    logger: demotingFaults(logger),
    over: (plain) => faultyChannels(plain, faults, { logger, folder }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Folders of processes that were killed before they could take them away. */
function removeLeft(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = name.startsWith(FOLDER) ? (/^(\d+)-/.exec(name.slice(FOLDER.length)) ?? []) : [];
    if (pid === undefined || isThere(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It is somebody else's.
    }
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}

/** HTTP and WebSockets go through a proxy in this process; programs are started by a wrapper, which counts in a file. */
function faultyChannels(
  plain: ChannelFactories,
  { spec, seed }: Faults,
  { logger, folder }: { logger: Logger; folder: string },
): ChannelFactories {
  let opened = 0;
  const behind = ({ url, tls }: { url: string; tls: TlsFiles | null }): Behind => {
    const target = new URL(url);
    const plan = plansFor({ spec, seed: seedFor(seed, opened++) }, logger, target.host);
    return { target, tls: tls === null ? undefined : providerTls(tls, logger), plan, logger };
  };
  return {
    ...plain,
    http: (target) =>
      behindProxy(behind(target), (url, host) =>
        plain.http({ ...target, url, tls: null, headers: host(target.headers) }),
      ),
    web: (target) => clientBehindProxy(behind(target), (url) => plain.web({ ...target, url, tls: null })),
    websocket: (target) =>
      behindProxy(behind(target), (url, host) =>
        plain.websocket({ ...target, url, tls: null, headers: () => host(target.headers()) }),
      ),
    stdio: ({ command, framing, limits, ...target }) => {
      const number = opened++;
      const told = { framing, max_message: limits.max_message, spec, seed: seedFor(seed, number) };
      const turns = join(folder, String(number));
      return plain.stdio({
        ...target,
        framing,
        limits,
        command: wrapperCommand(process.execPath, { ...told, turns, command }),
      });
    },
  };
}

function plansFor({ spec, seed }: Faults, logger: Logger, service: string): () => Plan {
  let turn = 0;
  return () => {
    const plan = planOf(spec, seed, turn++);
    const fault = planText(plan);
    if (fault !== null) logger.debug('a fault was made', { service, fault });
    return plan;
  };
}

type Texts = Readonly<Record<string, string>>;
/** The service is still called by its own name. */
type Host = (headers: Texts) => Texts;

type Behind = {
  readonly target: URL;
  readonly tls: (() => ProxyTls) | undefined;
  readonly plan: () => Plan;
  readonly logger: Logger;
};

/** The proxy is opened with the first call, and closed with the channel. */
function behindProxy(behind: Behind, open: (url: string, host: Host) => Channel): Channel {
  const line = proxyLine(behind, open);
  return {
    call: async (call) => (await line.opened()).call(call),
    notify: async (message) => (await line.opened()).notify(message),
    close: () => line.close(),
  };
}

/** Requests to the service go through the proxy; those to anybody else do not. */
function clientBehindProxy(behind: Behind, open: (url: string) => WebClient): WebClient {
  const { target } = behind;
  let place = target;
  const line = proxyLine(behind, (url) => {
    place = new URL(url);
    return open(url);
  });
  const through = (request: WebRequest): WebRequest => {
    if (request.foreign === true || request.url.origin !== target.origin) return request;
    const url = new URL(`${request.url.pathname}${request.url.search}`, place.origin);
    return { ...request, url, headers: withHost(request.headers, target.host) };
  };
  return {
    request: async (request) => (await line.opened()).request(through(request)),
    stream: async (request) => (await line.opened()).stream(through(request)),
    close: () => line.close(),
  };
}

function proxyLine<Carrier extends { close(): Promise<void> }>(
  { target, tls, plan, logger }: Behind,
  open: (url: string, host: Host) => Carrier,
) {
  let closed = false;
  let opening: Promise<{ readonly carrier: Carrier; close(): Promise<void> }> | null = null;
  const start = async () => {
    const proxy = await openFaultProxy({
      target,
      tls,
      plan,
      clock: systemClock,
      timers: systemTimers,
      max_answer: answerLimits.max_message,
      failed: ({ message }) =>
        logger.warn('behind the fault proxy a service did not answer', {
          service: target.host,
          reason: message,
        }),
    });
    const carrier = open(addressOf(target, proxy.port), (headers) => withHost(headers, target.host));
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

function addressOf(target: URL, port: number): string {
  const address = new URL(target);
  address.protocol = target.protocol.startsWith('ws') ? 'ws:' : 'http:';
  address.host = `127.0.0.1:${port}`;
  return address.href;
}

function withHost(headers: Texts, host: string): Texts {
  const named = Object.keys(headers).some((name) => name.toLowerCase() === 'host');
  return named ? headers : { ...headers, host };
}

/** What a wrapper tells of its faults is for those who look closely; the rest is what its program says. */
function demotingFaults(logger: Logger): Logger {
  return {
    debug: (message, fields) => logger.debug(message, fields),
    info: (message, fields) => {
      const line = fields?.['line'];
      if (typeof line !== 'string' || !line.startsWith(FAULT_LINE)) return logger.info(message, fields);
      logger.debug('a fault was made', { fault: line.slice(FAULT_LINE.length) });
    },
    warn: (message, fields) => logger.warn(message, fields),
    error: (message, fields) => logger.error(message, fields),
  };
}
