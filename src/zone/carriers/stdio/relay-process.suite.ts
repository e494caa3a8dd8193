import { connect } from 'node:net';
import process from 'node:process';

// The other end of what `relayTo` serves: standard streams here, a socket there.
const socket = connect(process.argv[2] ?? '');
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('close', () => process.exit(0));
socket.on('error', () => process.exit(1));
