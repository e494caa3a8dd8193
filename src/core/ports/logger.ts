export type LogFields = Readonly<Record<string, unknown>>;

/** Where the product says what it does. Never handed payloads or secrets (invariant 10). */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
