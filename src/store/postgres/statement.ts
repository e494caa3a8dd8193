/** A statement under its name: planned by the server once for each session. */
export type Statement = { readonly name: string; readonly text: string };
export type Value = string | number | boolean | Buffer | null;
/** One use of a statement. Building it and sending it are apart, so that a bad value is found before anything is sent. */
export type Query = {
  readonly statement: Statement;
  readonly values: readonly Value[];
  /** Gets the answer. */
  readonly take?: (answer: readonly Row[]) => void;
};
/** Columns as the server writes them in text. */
export type Row = readonly (string | null)[];
