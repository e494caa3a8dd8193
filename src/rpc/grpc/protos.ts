import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Method, Root, Service, Type } from 'protobufjs';
import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Driver } from './driver.ts';
import type { GrpcMethod, Protos } from './grpc.ts';
import { markMapEntry } from './maps.ts';

/** A method with the types of its messages. */
export type KnownMethod = {
  readonly path: string;
  readonly request: Type;
  readonly response: Type;
  readonly streams: boolean;
};

/** The types of .proto files. */
export async function readProtos({ files, include }: Protos, { protobuf }: Driver): Promise<Root> {
  const root = new protobuf.Root();
  root.resolvePath = (origin, target) => {
    if (isAbsolute(target)) return target;
    const beside = origin === '' ? [] : [dirname(origin)];
    const places = [...include, ...beside].map((folder) => join(folder, target));
    return places.find((path) => existsSync(path)) ?? target;
  };
  try {
    await root.load([...files], { keepCase: true });
    root.resolveAll();
    return root;
  } catch (thrown) {
    const { message } = GleitzeitError.from(thrown);
    const reason = `the .proto files cannot be read: ${message}`;
    throw new GleitzeitError('GLZ2010', `gRPC: ${reason}`, {
      reason,
      hint: 'check proto and include of the provider',
    });
  }
}

/** The types of files as a service tells them, each a FileDescriptorProto. */
export function rootOf(files: readonly Uint8Array[], { protobuf, descriptor }: Driver): Root {
  const file = files.map((bytes) => descriptor.FileDescriptorProto.decode(bytes) as unknown as FileTold);
  const Roots = protobuf.Root as typeof protobuf.Root & { fromDescriptor(set: object): Root };
  const root = Roots.fromDescriptor(descriptor.FileDescriptorSet.create({ file }));
  root.resolveAll();
  for (const name of file.flatMap((one) => entriesIn(one.messageType ?? [], one.package ?? '')))
    markMapEntry(root.lookupType(name));
  return root;
}

type FileTold = { readonly package?: string | null; readonly messageType?: readonly MessageTold[] | null };

type MessageTold = {
  readonly name?: string | null;
  readonly nestedType?: readonly MessageTold[] | null;
  readonly options?: { readonly mapEntry?: boolean | null } | null;
};

/** Maps are told as lists of messages that stand for their entries; which these are is lost when types are made of them. */
function entriesIn(types: readonly MessageTold[], scope: string): readonly string[] {
  return types.flatMap(({ name, nestedType, options }) => {
    const full = `${scope}.${name}`;
    return options?.mapEntry === true ? [full] : entriesIn(nestedType ?? [], full);
  });
}

/** Throws GLZ2010 for one that is not there, or that cannot be called with one request. */
export function methodIn(root: Root, { service, method }: GrpcMethod): KnownMethod {
  const found = serviceIn(root, service);
  const known: Method | undefined = found.methods[method];
  if (known === undefined)
    throw unknown(
      `${service} has no method ${method}`,
      didYouMean(method, Object.keys(found.methods), 'its methods'),
    );
  if (known.requestStream)
    throw unknown(
      `${service}/${method} takes a stream of requests`,
      'a task is one request: name another method',
    );
  known.resolve();
  if (known.resolvedRequestType === null || known.resolvedResponseType === null)
    throw unknown(`the messages of ${service}/${method} are not known`, 'check proto and include');
  return {
    path: `/${service}/${method}`,
    request: known.resolvedRequestType,
    response: known.resolvedResponseType,
    streams: known.responseStream === true,
  };
}

function serviceIn(root: Root, name: string): Service {
  try {
    return root.lookupService(name);
  } catch {
    throw unknown(`there is no service ${name}`, 'a method is written as package.Service/Method');
  }
}

function unknown(reason: string, hint: string): GleitzeitError {
  return new GleitzeitError('GLZ2010', `gRPC: ${reason}`, { reason, hint });
}
