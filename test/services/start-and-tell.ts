import { startPostgres } from './postgres.ts';

const postgres = await startPostgres();
process.send?.(postgres.url);
