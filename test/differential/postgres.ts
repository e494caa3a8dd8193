import pg from 'pg';
import type { Store } from '../../src/core/ports/store.ts';
import { openAt } from '../../src/store/postgres/harness.suite.ts';
import { freshDatabase } from '../services/fresh-database.ts';
import { EPOCH, type Subject } from './subject.ts';

const SCHEMA = 'gleitzeit';

/** The clock reads a table instead of the machine, and writing events fails while there is no room. */
const setUp = `
  SET search_path TO ${SCHEMA};
  CREATE TABLE test_world (now bigint NOT NULL, has_room boolean NOT NULL);
  INSERT INTO test_world VALUES (${EPOCH}, true);
  CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT now FROM ${SCHEMA}.test_world $$;
  CREATE FUNCTION require_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NOT (SELECT has_room FROM ${SCHEMA}.test_world) THEN
      RAISE EXCEPTION 'no room left' USING ERRCODE = 'disk_full';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER room AFTER INSERT ON event EXECUTE FUNCTION require_room();
`;

export function postgresSubject(server: () => string): Subject {
  return {
    name: 'Postgres',
    async open() {
      const database = await freshDatabase(server());
      const openAll = () =>
        Promise.all([openAt(database.url, { poolSize: 1 }), openAt(database.url, { poolSize: 1 })]);
      let handles = await openAll();
      const abandoned: Store[] = [];
      const world = new pg.Client({ connectionString: database.url });
      await world.connect();
      await world.query(setUp);
      const handle = (by: string) => (by === 'e2' ? handles[1] : handles[0]);
      const setRoom = (room: boolean) => world.query(`UPDATE test_world SET has_room = ${room}`);
      return {
        commit: (by, request) => handle(by).commit(request),
        async commitWhenFull(by, request) {
          await setRoom(false);
          return handle(by)
            .commit(request)
            .finally(() => setRoom(true));
        },
        reads: () => handles[0].reads,
        async advance(ms) {
          await world.query(`UPDATE test_world SET now = now + ${ms}`);
        },
        async reopen() {
          await Promise.all(handles.map((open) => open.close()));
          handles = await openAll();
        },
        async crash() {
          abandoned.push(...handles);
          handles = await openAll();
        },
        async close() {
          await Promise.all([...handles, ...abandoned].map((open) => open.close()));
          await world.end();
          await database.drop();
        },
      };
    },
  };
}
