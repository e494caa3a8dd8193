import { parentPort } from 'node:worker_threads';
import { serveReads } from './reading.ts';

/* The thread that reads, beside the one that writes. */
if (parentPort !== null) serveReads(parentPort);
