import type { Logger } from '../core/ports/logger.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import { lineLogger } from '../telemetry/logger.ts';
import type { Carrier } from '../zone/carrier.ts';
import { type AgentCoreCarrierOptions, agentcoreCarrier } from '../zone/carriers/agentcore/carrier.ts';
import { type HttpsCarrierOptions, httpsCarrier } from '../zone/carriers/https/carrier.ts';
import { type InProcessCarrierOptions, inProcessCarrier } from '../zone/carriers/in-process/carrier.ts';
import { type StdioCarrierOptions, stdioCarrier } from '../zone/carriers/stdio/carrier.ts';
import { type WebSocketCarrierOptions, websocketCarrier } from '../zone/carriers/websocket/carrier.ts';

/** What programs do not have to bring along. */
type Ours = 'clock' | 'timers' | 'random' | 'logger' | 'environment';
export type GivenLogger = { readonly logger?: Logger };
export type HttpsOptions = Omit<HttpsCarrierOptions, Ours>;
export type WebSocketOptions = Omit<WebSocketCarrierOptions, Ours> & GivenLogger;
export type StdioOptions = Omit<StdioCarrierOptions, Ours | 'notes'> & GivenLogger;
export type AgentCoreOptions = Omit<AgentCoreCarrierOptions, Ours>;

/** What carries requests to an execution zone: one of these, or whatever keeps to `Carrier`. */
export const carriers = {
  https: (options: HttpsOptions): Carrier => httpsCarrier({ ...options, ...ours() }),
  websocket: (options: WebSocketOptions): Carrier => websocketCarrier({ ...ours(), ...logging(options) }),
  stdio: (options: StdioOptions): Carrier =>
    stdioCarrier({ ...ours(), ...logging(options), environment: process.env }),
  agentcore: (options: AgentCoreOptions): Carrier => agentcoreCarrier({ ...options, ...ours() }),
  inProcess: (options: InProcessCarrierOptions): Carrier => inProcessCarrier(options),
};

function ours() {
  return { clock: systemClock, timers: systemTimers, random: systemRandom() };
}

function logging<Options extends GivenLogger>(options: Options): Options & { readonly logger: Logger } {
  return { ...options, logger: options.logger ?? warnings() };
}

/** Where lines go unless told otherwise: only trouble is said, to standard error. */
export function warnings(): Logger {
  const write = (line: string) => void process.stderr.write(line);
  return lineLogger('warn', write, () => new Date());
}
