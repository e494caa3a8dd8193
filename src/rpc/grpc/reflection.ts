import type { Client, Metadata } from '@grpc/grpc-js';
import { GleitzeitError } from '../../core/errors.ts';
import { givenUp } from '../correlate.ts';
import type { Driver } from './driver.ts';
import { tooLarge } from './exchange.ts';

/** As much of grpc/reflection/v1/reflection.proto as is asked for; v1alpha is the same under another name. */
const messages = {
  nested: {
    Request: {
      fields: {
        file_by_filename: { type: 'string', id: 3 },
        file_containing_symbol: { type: 'string', id: 4 },
      },
    },
    Response: {
      fields: {
        files: { type: 'Files', id: 4 },
        error: { type: 'Refusal', id: 7 },
      },
    },
    Files: { fields: { file: { rule: 'repeated', type: 'bytes', id: 1 } } },
    Refusal: { fields: { code: { type: 'int32', id: 1 }, message: { type: 'string', id: 2 } } },
    /** The beginning of a FileDescriptorProto. */
    Head: {
      fields: { name: { type: 'string', id: 1 }, dependency: { rule: 'repeated', type: 'string', id: 3 } },
    },
  },
};

const versions = ['grpc.reflection.v1', 'grpc.reflection.v1alpha'];
const UNIMPLEMENTED = 12;
/** A service that tells of more than this has lost its way. */
const MAX_FILES = 1000;

export type ReflectionParts = {
  readonly driver: Driver;
  readonly client: Client;
  readonly metadata: Metadata;
  readonly signal: AbortSignal;
};

/** All files that a symbol stands on, each as the bytes of a FileDescriptorProto. */
export async function filesOf(symbol: string, parts: ReflectionParts): Promise<readonly Uint8Array[]> {
  for (const version of versions) {
    const files = await askedFor(symbol, version, parts).catch((thrown: unknown) => {
      if (isUnimplemented(thrown)) return null;
      throw thrown;
    });
    if (files !== null) return files;
  }
  const reason = 'the service does not tell of its methods';
  throw new GleitzeitError('GLZ2010', `gRPC: ${reason}`, {
    reason,
    hint: 'name its .proto file in the configuration: proto',
  });
}

function isUnimplemented(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === UNIMPLEMENTED;
}

type Question = { readonly file_by_filename: string } | { readonly file_containing_symbol: string };

/** One question at a time over one line: files name those they stand on, and some services tell of these unasked. */
async function askedFor(symbol: string, version: string, parts: ReflectionParts): Promise<Uint8Array[]> {
  const { driver, client, metadata, signal } = parts;
  const root = driver.protobuf.Root.fromJSON(messages);
  const types = { request: root.lookupType('Request'), response: root.lookupType('Response') };
  const head = root.lookupType('Head');
  const path = `/${version}.ServerReflection/ServerReflectionInfo`;
  const line = client.makeBidiStreamRequest(
    path,
    (question: Question) => Buffer.from(types.request.encode(question).finish()),
    (bytes: Buffer) => types.response.decode(bytes) as unknown as Told,
    metadata,
  );
  const cancel = () => line.cancel();
  signal.addEventListener('abort', cancel);
  const answers = line[Symbol.asyncIterator]() as AsyncIterator<Told>;
  const ask = async (question: Question): Promise<readonly Uint8Array[]> => {
    line.write(question);
    const { value, done } = await answers.next();
    if (done) throw new GleitzeitError('GLZ2002', 'the service ended its answer on its methods');
    return told(value, symbol);
  };
  const found = new Map<string, Uint8Array>();
  const missing: string[] = [];
  const take = (files: readonly Uint8Array[]) => {
    for (const file of files) {
      const { name, dependency } = head.decode(file) as unknown as { name: string; dependency: string[] };
      found.set(name, file);
      missing.push(...dependency);
    }
  };
  try {
    take(await ask({ file_containing_symbol: symbol }));
    for (let next = missing.pop(); next !== undefined && found.size < MAX_FILES; next = missing.pop())
      if (!found.has(next)) take(await ask({ file_by_filename: next }));
    return [...found.values()];
  } catch (thrown) {
    throw signal.aborted ? givenUp(signal) : tooLarge(thrown);
  } finally {
    signal.removeEventListener('abort', cancel);
    line.on('error', () => {});
    line.cancel();
  }
}

type Told = {
  readonly files?: { readonly file: readonly Uint8Array[] } | null;
  readonly error?: { readonly code: number; readonly message: string } | null;
};

function told({ files, error }: Told, symbol: string): readonly Uint8Array[] {
  if (files !== undefined && files !== null) return files.file;
  const reason = `the service knows no ${symbol}${error?.message ? `: ${error.message}` : ''}`;
  throw new GleitzeitError('GLZ2010', `gRPC: ${reason}`, {
    reason,
    hint: 'a method is written as package.Service/Method',
  });
}
