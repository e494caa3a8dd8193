export type { MethodName, ParamsOf, ResultOf } from '../api/methods.ts';
export type { CallArguments, CallOptions, Client, RunWaitOptions, WaitOptions } from './client.ts';
export { clientOver, type OverOptions } from './client-over.ts';
export { type ConnectOptions, connect } from './connect.ts';
export {
  CallError,
  type CallErrorCode,
  ConnectionError,
  type ConnectionTrouble,
} from './errors.ts';
export type { EventFilter, EventStream, GleitzeitEvent } from './event.ts';
export type { OpenPipe, Pipe, PipeReceiver } from './pipe.ts';
export type { Reconnect, WhenAway } from './reconnect.ts';
