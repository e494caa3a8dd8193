import { GleitzeitError } from '../../core/errors.ts';

/** The packages that gRPC takes: loaded with the first call, and no part of an installation that does without. */
export async function loadGrpc() {
  try {
    const [grpc, protobuf, descriptor] = await Promise.all([
      import('@grpc/grpc-js'),
      import('protobufjs'),
      import('protobufjs/ext/descriptor/index.js'),
    ]);
    return { grpc, protobuf: protobuf.default, descriptor: descriptor.default };
  } catch (thrown) {
    const reason = 'the packages @grpc/grpc-js and protobufjs cannot be loaded';
    const hint = 'install them beside gleitzeit: npm install @grpc/grpc-js protobufjs';
    throw new GleitzeitError('GLZ2010', `gRPC cannot be spoken: ${reason}`, { reason, hint }, thrown);
  }
}

export type Driver = Awaited<ReturnType<typeof loadGrpc>>;
