import { parentPort } from 'node:worker_threads';
import { Writer } from './writing.ts';

/* The thread that writes. */
if (parentPort !== null) new Writer(parentPort);
