/** Payments and their refunds. Amounts are whole numbers in the minor unit of the currency: 1000 is £10.00. */
import { fieldsOf, invalid, textOf, wholeNumberOf } from './body.js';
import { newId } from './new-id.js';
import { accountOf, type Caller, type Owned, owns } from './ownership.js';
import { Problem } from './problem.js';
import { type Card, type CardTokens, readCard } from './tokens.js';

export interface Payment extends Owned {
  readonly id: string;
  readonly amount: number;
  readonly refunded_amount: number;
  readonly currency: string;
  readonly reference: string;
  readonly source: Card;
}

export interface Refund {
  readonly id: string;
  readonly payment_id: string;
  readonly amount: number;
  readonly currency: string;
}

export interface PaymentRequest {
  readonly source: Card | { readonly type: 'token'; readonly token: string };
  readonly amount: number;
  readonly currency: string;
  readonly reference: string;
  readonly processing_channel_id?: string | undefined;
}

export interface Totals {
  readonly currency: string;
  readonly payments: number;
  readonly amount: number;
  readonly refunded_amount: number;
}

const MAX_AMOUNT = 999_999_999_999;
const CHANNEL = /^[\w-]{1,80}$/;

export class Payments {
  readonly #payments = new Map<string, Payment>();
  readonly #cards: CardTokens;

  constructor(cards: CardTokens) {
    this.#cards = cards;
  }

  create(caller: Caller, request: PaymentRequest): Payment {
    const payment: Payment = {
      id: newId('pay'),
      account: accountOf(caller),
      // requireChannel refuses a principal that has several channels and names none.
      processing_channel_id: request.processing_channel_id ?? onlyChannelOf(caller),
      amount: request.amount,
      refunded_amount: 0,
      currency: request.currency,
      reference: request.reference,
      source: this.#cardOf(caller, request.source),
    };
    this.#payments.set(payment.id, payment);
    return payment;
  }

  /** The payment of another account is answered with 404, so that its ID is not revealed. */
  get(caller: Caller, id: string): Payment {
    const payment = this.#payments.get(id);
    if (payment === undefined || !owns(caller, payment)) {
      throw new Problem(404, 'not_found', 'There is no such payment');
    }
    return payment;
  }

  /** Refunds an amount, by default the rest. */
  refund(caller: Caller, id: string, asked: number | undefined): Refund {
    const payment = this.get(caller, id);
    const left = payment.amount - payment.refunded_amount;
    const amount = asked ?? left;
    if (amount > left || left === 0) {
      throw new Problem(422, 'refund_exceeds_payment', 'The refund is larger than the rest of the payment');
    }
    this.#payments.set(id, { ...payment, refunded_amount: payment.refunded_amount + amount });
    return { id: newId('ref'), payment_id: id, amount, currency: payment.currency };
  }

  /** The totals of the caller's payments, by currency. */
  totals(caller: Caller): readonly Totals[] {
    const byCurrency = new Map<string, Totals>();
    for (const { currency, amount, refunded_amount, ...payment } of this.#payments.values()) {
      if (!owns(caller, payment)) continue;
      const sum = byCurrency.get(currency) ?? { currency, payments: 0, amount: 0, refunded_amount: 0 };
      byCurrency.set(currency, {
        currency,
        payments: sum.payments + 1,
        amount: sum.amount + amount,
        refunded_amount: sum.refunded_amount + refunded_amount,
      });
    }
    return [...byCurrency.values()];
  }

  #cardOf(caller: Caller, source: PaymentRequest['source']): Card {
    if (source.type === 'card') return source;
    const card = this.#cards.redeem(caller, source.token);
    if (card === undefined) throw invalid('source.token', 'a card token that has not been used');
    return card;
  }
}

function onlyChannelOf({ channels }: Caller): string | undefined {
  return channels === 'all' ? undefined : channels[0];
}

export function readPayment(body: unknown): PaymentRequest {
  const fields = fieldsOf(body, 'the body');
  const { processing_channel_id: channel } = fields;
  const named = channel !== undefined && channel !== null;
  return {
    source: readSource(fields.source),
    amount: wholeNumberOf(fields.amount, 'amount', 1, MAX_AMOUNT),
    currency: textOf(fields.currency, 'currency', /^[A-Z]{3}$/, 'a currency code such as GBP'),
    reference: textOf(fields.reference, 'reference', /^\P{Cc}{1,80}$/u, 'a text of 1 to 80 characters'),
    processing_channel_id: named ? textOf(channel, 'processing_channel_id', CHANNEL, 'a channel id') : undefined,
  };
}

function readSource(value: unknown): PaymentRequest['source'] {
  const source = fieldsOf(value, 'source');
  if (source.type !== 'token') return readCard(source, 'source');
  return { type: 'token', token: textOf(source.token, 'source.token', /^tok_/, 'a card token') };
}

/** @returns The amount to refund; `undefined` for the rest. */
export function readRefund(body: unknown): number | undefined {
  const { amount } = fieldsOf(body ?? {}, 'the body');
  return amount === undefined ? undefined : wholeNumberOf(amount, 'amount', 1, MAX_AMOUNT);
}
