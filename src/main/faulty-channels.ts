import { mkdtempSync, rmSync } from 'node:fs';
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
import type { Faults } from './faults.ts';
import { providerTls } from './provider-tls.ts';

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
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-faults-'));
  return {
    logger: demotingFaults(logger),
    over: (plain) => faultyChannels(plain, faults, { logger, folder }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** HTTP and WebSockets go through a proxy in this process; programs are started by a wrapper, which counts in a file. */
function faultyChannels(
  plain: ChannelFactories,
  { spec, seed }: Faults,
  { logger, folder }: { logger: Logger; folder: string },
): ChannelFactories {
  let opened = 0;
  const through = (
    { url, tls }: { url: string; tls: TlsFiles | null },
    open: (url: string, host: Host) => Channel,
  ) => {
    const target = new URL(url);
    const plan = plansFor({ spec, seed: seedFor(seed, opened++) }, logger, target.host);
    return behindProxy(
      { target, tls: tls === null ? undefined : providerTls(tls, logger), plan, logger },
      open,
    );
  };
  return {
    ...plain,
    http: (target) =>
      through(target, (url, host) =>
        plain.http({ ...target, url, tls: null, headers: host(target.headers) }),
      ),
    websocket: (target) =>
      through(target, (url, host) =>
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
function behindProxy(
  { target, tls, plan, logger }: Behind,
  open: (url: string, host: Host) => Channel,
): Channel {
  let closed = false;
  let opening: Promise<Channel> | null = null;
  const start = async (): Promise<Channel> => {
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
    const channel = open(addressOf(target, proxy.port), (headers) => withHost(headers, target.host));
    const close = async () => {
      await channel.close();
      await proxy.close();
    };
    return { call: (call) => channel.call(call), notify: (said) => channel.notify(said), close };
  };
  const opened = () => {
    if (closed) throw new GleitzeitError('GLZ2002', `the channel to ${target.host} is closed`);
    opening ??= start();
    return opening;
  };
  return {
    call: async (call) => (await opened()).call(call),
    notify: async (message) => (await opened()).notify(message),
    close: async () => {
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
