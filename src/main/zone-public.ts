export { GleitzeitError } from '../core/errors.ts';
export type { Json, JsonObject } from '../core/json.ts';
export type { Logger } from '../core/ports/logger.ts';
export { type Carrier, CarrierError, type CarrierTrouble, type Endpoint } from '../zone/carrier.ts';
export {
  type AllowLists,
  type Authorise,
  allowOnly,
  type Permission,
} from '../zone/verification/authorise.ts';
export type { RateLimit } from '../zone/verification/rate-limits.ts';
export type { Asked, ChatRequest } from '../zone/verification/request.ts';
export { type SentenceName, type Sentences, sentences } from '../zone/verification/sentences.ts';
export type { Memory, Reply } from '../zone/verification/zone.ts';
export {
  type ExecutionZone,
  executionZone,
  type VerificationZoneOptions,
  verificationZone,
  type ZoneGatewayOptions,
  type ZoneProgramOptions,
  zoneGateway,
} from './zone-program.ts';
export {
  type AgentCoreOptions,
  carriers,
  type HttpsOptions,
  type StdioOptions,
  type WebSocketOptions,
} from './zone-program-carriers.ts';
