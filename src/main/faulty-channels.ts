import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Logger } from '../core/ports/logger.ts';
import type { ChannelFactories, TlsFiles } from '../dialects/provider-type.ts';
import { systemTimers } from '../embedded/system.ts';
import { faultyPrograms } from '../faults/faulty-programs.ts';
import { type Plan, planOf, planText, seedFor } from '../faults/plan.ts';
import { FAULT_LINE, wrapperCommand } from '../faults/program-arguments.ts';
import {
  type Behind,
  behindProxy,
  clientBehindProxy,
  grpcBehindProxy,
  lookBehindProxy,
  zoneBehindProxy,
} from './behind-proxy.ts';
import type { Faults } from './faults.ts';
import { lookFrom } from './look.ts';
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

/**
 * Whatever has an address goes through a proxy in this process. Programs that stay are started by a wrapper, which counts in
 * a file; those for single calls meet their faults where they are started.
 */
function faultyChannels(
  plain: ChannelFactories,
  { spec, seed }: Faults,
  { logger, folder }: { logger: Logger; folder: string },
): ChannelFactories {
  let opened = 0;
  const plans = () => plansFor({ spec, seed: seedFor(seed, opened++) }, logger);
  const behind = ({ url, tls }: { url: string; tls: TlsFiles | null }): Behind => {
    const target = new URL(url);
    const plan = plans();
    const proofs = tls === null ? undefined : providerTls(tls, logger);
    return { target, tls: proofs, plan: () => plan(target.host), logger };
  };
  return {
    // Left as they are: access tokens, which come from nobody who works on tasks.
    post: plain.post,
    http: (target) => behindProxy(behind(target), (url) => plain.http({ ...target, url, tls: null })),
    web: (target) => clientBehindProxy(behind(target), (url) => plain.web({ ...target, url, tls: null })),
    websocket: (target) =>
      behindProxy(behind(target), (url) => plain.websocket({ ...target, url, tls: null })),
    grpc: (target) => grpcBehindProxy(behind(target), (url) => plain.grpc({ ...target, url, tls: null })),
    // What goes to a zone at AgentCore is signed for its address, and would not be taken from another.
    zone: (target) =>
      target.by === 'agentcore'
        ? plain.zone(target)
        : zoneBehindProxy(behind(target), (url) => plain.zone({ ...target, url, tls: null })),
    look: (target) =>
      lookBehindProxy(behind(target), (url) => (plain.look ?? lookFrom(logger))({ url, tls: null })),
    programs: () => faultyPrograms(plain.programs(), { timers: systemTimers, plan: plans() }),
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

function plansFor({ spec, seed }: Faults, logger: Logger): (service: string) => Plan {
  let turn = 0;
  return (service) => {
    const plan = planOf(spec, seed, turn++);
    const fault = planText(plan);
    if (fault !== null) logger.debug('a fault was made', { service, fault });
    return plan;
  };
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
