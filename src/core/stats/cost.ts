import type { Usage } from '../answer.ts';

/** What a provider takes for its results. */
export type Price = {
  readonly per_call: number;
  readonly per_1k_input_tokens: number;
  readonly per_1k_output_tokens: number;
  readonly currency: string;
};

export type Cost = { readonly currency: string; readonly amount: number };

/** What a call with a result cost; null where it cost nothing. */
export function costOf(price: Price, usage: Usage | null): Cost | null {
  const { input_tokens = 0, output_tokens = 0 } = usage ?? {};
  const amount =
    price.per_call +
    (price.per_1k_input_tokens * input_tokens) / 1000 +
    (price.per_1k_output_tokens * output_tokens) / 1000;
  return amount > 0 ? { currency: price.currency, amount } : null;
}
