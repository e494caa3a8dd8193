import { GleitzeitError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { givenUp } from '../rpc/correlate.ts';
import type { RpcErrorObject } from '../rpc/messages.ts';
import { type Carrier, CarrierError } from './carrier.ts';
import { isZoneMethod } from './contract/methods.ts';
import { paramsTrouble } from './contract/request.ts';
import { readResponse } from './contract/response.ts';

export type ZoneAsked = { readonly id: string; readonly method: string; readonly params: JsonObject };
export type ZoneSaid = { readonly result: JsonObject } | { readonly error: RpcErrorObject };

/** Requests over a carrier in the engine's words: for tasks that cross zones. */
export type ZoneCaller = {
  ask(asked: ZoneAsked, signal: AbortSignal): Promise<ZoneSaid>;
  close(): Promise<void>;
};

export function zoneCaller(carrier: Carrier): ZoneCaller {
  return {
    ask: (asked, signal) => ask(carrier, asked, signal),
    close: () => carrier.close(),
  };
}

/** What breaks the contract is not even sent. */
async function ask(
  carrier: Carrier,
  { id, method, params }: ZoneAsked,
  signal: AbortSignal,
): Promise<ZoneSaid> {
  if (!isZoneMethod(method))
    throw new GleitzeitError('GLZ1004', `there is no method ${method} between zones`);
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const trouble = paramsTrouble(method, params);
  if (trouble !== null) return { error: trouble };
  const response = readResponse(await send(carrier, body, signal), { id, method });
  if ('invalid' in response)
    throw new GleitzeitError('GLZ2005', `the answer of the other zone ${response.invalid}`, {
      fault: 'provider',
    });
  return 'error' in response ? response : { result: response.result as JsonObject };
}

async function send(carrier: Carrier, body: string, signal: AbortSignal): Promise<string> {
  try {
    return await carrier.send(body, { signal });
  } catch (thrown) {
    if (signal.aborted) throw givenUp(signal);
    throw thrown instanceof CarrierError ? inOurWords(thrown) : thrown;
  }
}

function inOurWords(error: CarrierError): GleitzeitError {
  const { trouble, message, retry_after_ms, arrived } = error;
  const details = { details: { trouble, arrived }, ...(retry_after_ms === null ? {} : { retry_after_ms }) };
  if (trouble === 'too_large')
    return new GleitzeitError(arrived === 'no' ? 'GLZ2010' : 'GLZ2005', message, details, error);
  if (trouble === 'throttled') return new GleitzeitError('GLZ2004', message, details, error);
  if (trouble === 'broken') return new GleitzeitError('GLZ2001', message, details, error);
  if (trouble === 'unauthenticated' || trouble === 'misconfigured')
    return new GleitzeitError('GLZ2010', message, { ...details, fault: 'provider' }, error);
  return new GleitzeitError('GLZ2002', message, details, error);
}
