import type { ProviderCall } from './ports/provider.ts';

/**
 * The same call, but for some of its members. Not a copy: what is made only if somebody asks for it is not asked for, and stays
 * what it is.
 */
export function callWith<Call extends ProviderCall>(call: Call, members: Partial<Call>): Call {
  return Object.create(call, Object.getOwnPropertyDescriptors(members)) as Call;
}
