import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorCodes, isErrorCode } from './error-codes.ts';
import {
  boundError,
  cancellation,
  classOf,
  errorFromRpc,
  errorRecord,
  GleitzeitError,
  serviceError,
} from './errors.ts';

const codes = Object.keys(errorCodes) as ErrorCode[];

describe('error codes', () => {
  it('are the closed list, each with its integer and its class', () => {
    const lines = codes.map((code) => {
      const { name, rpc, class: kind } = errorCodes[code];
      return `${code} ${name} ${rpc} ${kind}`;
    });
    expect(lines).toMatchInlineSnapshot(`
      [
        "GLZ1001 invalid_task -32602 invalid",
        "GLZ1002 invalid_workflow -32602 invalid",
        "GLZ1003 unknown_protocol -32602 invalid",
        "GLZ1004 unknown_method -32602 invalid",
        "GLZ1005 invalid_params -32602 invalid",
        "GLZ1006 invalid_reference -32602 invalid",
        "GLZ1007 payload_too_large -32602 invalid",
        "GLZ1008 invalid_protocol -32602 invalid",
        "GLZ1009 idempotency_conflict 1009 invalid",
        "GLZ1010 not_found 1010 invalid",
        "GLZ1011 invalid_state 1011 invalid",
        "GLZ1012 invalid_option -32602 invalid",
        "GLZ1013 version_conflict 1013 invalid",
        "GLZ1014 unknown_agent -32602 invalid",
        "GLZ2001 provider_failed -32603 server",
        "GLZ2002 transport_failed 2002 transport",
        "GLZ2003 timed_out 2003 timeout",
        "GLZ2004 rate_limited 2004 rate_limit",
        "GLZ2005 invalid_result 2005 rejected",
        "GLZ2006 reference_failed 2006 rejected",
        "GLZ2007 no_provider 2007 transport",
        "GLZ2008 interrupted 2008 interrupted",
        "GLZ2009 cancelled 2009 cancelled",
        "GLZ2010 rejected 2010 rejected",
        "GLZ3001 store_unavailable 3001 store",
        "GLZ3002 store_locked 3002 store",
        "GLZ3003 store_full 3003 store",
        "GLZ3004 store_readonly 3004 store",
        "GLZ3005 store_corrupt 3005 store",
        "GLZ3006 schema_foreign 3006 store",
        "GLZ3007 schema_newer 3007 store",
        "GLZ3008 migration_changed 3008 store",
        "GLZ3009 record_refused 3009 invalid",
        "GLZ3010 secret_unreadable 3010 rejected",
        "GLZ3011 lease_lost 3011 store",
        "GLZ3201 broker_unavailable 3201 transport",
        "GLZ3202 broker_refused 3202 rejected",
        "GLZ4001 unauthenticated 4001 invalid",
        "GLZ4002 forbidden 4002 invalid",
        "GLZ4003 overloaded 4003 rate_limit",
        "GLZ4004 needs_connection 4004 invalid",
        "GLZ4005 parse_error -32700 invalid",
        "GLZ4006 invalid_request -32600 invalid",
        "GLZ4007 method_not_found -32601 invalid",
        "GLZ9001 internal -32603 server",
        "GLZ9002 stopping 9002 store",
      ]
    `);
  });

  it.each(codes)('%s travels with an integer that is its own or a standard one', (code) => {
    expect([-32700, -32600, -32601, -32602, -32603, Number(code.slice(3))]).toContain(errorCodes[code].rpc);
  });

  it('have names that are all different', () => {
    expect(new Set(codes.map((code) => errorCodes[code].name)).size).toBe(codes.length);
  });

  it.each(['GLZ0000', 'toString', '', 1001, null, undefined, {}])('%o is none', (value) =>
    expect(isErrorCode(value)).toBe(false),
  );
  it.each(codes)('%s is one', (code) => expect(isErrorCode(code)).toBe(true));
});

describe('GleitzeitError', () => {
  it('says what it is', () => {
    const cause = new Error('why');
    const error = new GleitzeitError('GLZ2003', 'too late', { field: 'timeout' }, cause);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('GleitzeitError');
    expect(error.message).toBe('too late');
    expect(error.class).toBe('timeout');
    expect(error.cause).toBe(cause);
    expect(error.toRecord()).toEqual({
      code: 2003,
      message: 'too late',
      data: { error_code: 'GLZ2003', field: 'timeout' },
    });
  });

  it('has no details and no cause where none were given', () => {
    const error = new GleitzeitError('GLZ9001', 'oh');
    expect(error.details).toEqual({});
    expect(Object.hasOwn(error, 'cause')).toBe(false);
  });

  it.each(codes)('%s comes back from its record as it was', (code) => {
    const details = {
      field: 'a.b',
      reason: 'r',
      hint: 'h',
      remote_code: -1,
      retry_after_ms: 5,
      details: [1],
    };
    const error = new GleitzeitError(code, 'message', details);
    const back = errorFromRpc(JSON.parse(JSON.stringify(error.toRecord())));
    expect(back.toRecord()).toEqual(error.toRecord());
    expect([back.code, back.message, back.details, back.class]).toEqual([
      code,
      'message',
      details,
      errorCodes[code].class,
    ]);
    expect(classOf(back.toRecord())).toBe(error.class);
  });
});

describe('GleitzeitError.from', () => {
  it('keeps one of ours', () => {
    const error = new GleitzeitError('GLZ2003', 'x');
    expect(GleitzeitError.from(error, 'GLZ2002')).toBe(error);
  });

  it('wraps another error', () => {
    const thrown = new TypeError('x is not a function');
    const error = GleitzeitError.from(thrown);
    expect([error.code, error.message, error.cause, error.details]).toEqual([
      'GLZ9001',
      'x is not a function',
      thrown,
      {},
    ]);
    expect(GleitzeitError.from(thrown, 'GLZ2002').code).toBe('GLZ2002');
  });

  it('takes a text as its message', () => {
    const error = GleitzeitError.from('boom', 'GLZ2002');
    expect([error.code, error.message, error.cause]).toEqual(['GLZ2002', 'boom', undefined]);
  });

  it.each([{ message: 'not an error' }, 7, null])('says that %o is no error', (thrown) => {
    const error = GleitzeitError.from(thrown, 'GLZ2002');
    expect([error.code, error.message, error.cause]).toEqual([
      'GLZ2002',
      'something that is not an error was thrown',
      thrown,
    ]);
  });
});

describe('errors that nobody throws', () => {
  it('are records', () => {
    expect(errorRecord('GLZ1010', 'gone')).toEqual({
      code: 1010,
      message: 'gone',
      data: { error_code: 'GLZ1010' },
    });
    expect(errorRecord('GLZ1001', 'bad', { hint: 'h' }).data).toEqual({ error_code: 'GLZ1001', hint: 'h' });
    expect(cancellation('enough')).toEqual({
      code: 2009,
      message: 'enough',
      data: { error_code: 'GLZ2009' },
    });
    expect(cancellation('x'.repeat(1e6)).message.length).toBeLessThan(5000);
    expect(cancellation(null)).toEqual({ code: 2009, message: 'cancelled', data: { error_code: 'GLZ2009' } });
  });
});

describe('errorFromRpc', () => {
  it.each([-32603, -32000, -32001, -32050, -32098, -32099])('a foreign %i may pass', (code) => {
    const error = errorFromRpc({ code, message: 'm', data: { a: 1 } });
    expect([error.code, error.class, error.message]).toEqual(['GLZ2001', 'server', 'm']);
    expect(error.details).toEqual({ remote_code: code, details: { a: 1 } });
  });

  it.each([-32700, -32600, -32601, -32602, -31999, -32100, -32604, 0, 1, 401, 2003])(
    'a foreign %i is final',
    (code) => {
      const error = errorFromRpc({ code, message: 'm' });
      expect([error.code, error.class]).toEqual(['GLZ2010', 'rejected']);
      expect(error.details).toEqual({ remote_code: code });
    },
  );

  it.each([undefined, '-32601', null])('an error with code %o is trouble inside the service', (code) => {
    const error = errorFromRpc({ code });
    expect([error.code, error.message, error.details]).toEqual([
      'GLZ2001',
      'no message given',
      { remote_code: -32603 },
    ]);
  });

  it.each(['text', null, undefined, [], 5])('%o is no error object', (value) => {
    const error = errorFromRpc(value);
    expect([error.code, error.message]).toEqual([
      'GLZ2001',
      'the service answered with an error that is no object',
    ]);
  });

  it('does not take a code of ours that is none, or a message that is no text', () => {
    const error = errorFromRpc({ code: 5, message: 7, data: { error_code: 'GLZ0000', field: 'x' } });
    expect([error.code, error.message]).toEqual(['GLZ2010', 'no message given']);
    expect(error.details).toEqual({ remote_code: 5, details: { error_code: 'GLZ0000', field: 'x' } });
  });

  it('keeps data that is no object', () => {
    expect(errorFromRpc({ code: -32603, message: 'm', data: 'why' }).details).toEqual({
      remote_code: -32603,
      details: 'why',
    });
    expect(errorFromRpc({ code: -32603, message: 'm', data: null }).details.details).toBeNull();
  });

  it('makes an error of ours out of anything', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const error = errorFromRpc(value);
        expect(isErrorCode(error.code)).toBe(true);
        expect(typeof error.message).toBe('string');
      }),
    );
  });
});

describe('what a service says', () => {
  it('is its own, whatever code of ours it names', () => {
    const data = { error_code: 'GLZ3001', field: 'x' };
    const error = serviceError({ code: -32603, message: 'm', data });
    expect([error.code, error.details]).toEqual(['GLZ2001', { remote_code: -32603, details: data }]);
    expect(serviceError('text').code).toBe('GLZ2001');
  });
});

describe('an error that is kept', () => {
  const record = (message: string, details: object = {}) =>
    new GleitzeitError('GLZ2001', message, details).toRecord();

  it('stays as it is when it is short', () => {
    const short = record('x'.repeat(4096), {
      field: 'f',
      remote_code: 7,
      details: { a: 'y'.repeat(16_000) },
    });
    expect(boundError(short)).toEqual(short);
    expect(boundError(record('m'))).toEqual(record('m'));
  });

  it('is cut where it is long, and says so', () => {
    const long = boundError(
      record('x'.repeat(4097), { reason: 'r'.repeat(5000), details: 'd'.repeat(16 * 1024) }),
    );
    expect(long.message).toBe(`${'x'.repeat(4096)} … (4097 characters)`);
    expect(long.data.reason).toBe(`${'r'.repeat(4096)} … (5000 characters)`);
    expect(long.data.details).toBe('left out: too long');
    expect(long.data.error_code).toBe('GLZ2001');
  });
});
