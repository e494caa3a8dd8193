/** A server that was started for a cell. */
export interface Service {
  readonly url: string;
  readonly adminUrl?: string;
  stop(): Promise<void>;
}
