/** Card tokens: a browser sends the shop's server a token instead of the card. */
import { fieldsOf, textOf, wholeNumberOf } from './body.js';
import { newId } from './new-id.js';
import { accountOf, type Caller } from './ownership.js';

/** The stored details of a card. Its number is validated and never stored. */
export interface Card {
  readonly type: 'card';
  readonly expiry_month: number;
  readonly expiry_year: number;
}

export interface CardToken extends Card {
  readonly token: string;
}

/** Reads the details of a card. */
export function readCard(value: unknown, name: string): Card {
  const fields = fieldsOf(value, name);
  textOf(fields.type, `${name}.type`, /^card$/, "'card'");
  textOf(fields.number, `${name}.number`, /^\d{12,19}$/, '12 to 19 digits');
  return {
    type: 'card',
    expiry_month: wholeNumberOf(fields.expiry_month, `${name}.expiry_month`, 1, 12),
    expiry_year: wholeNumberOf(fields.expiry_year, `${name}.expiry_year`, 2000, 2099),
  };
}

/** Each token can be used for one payment, by the account whose public key requested it. */
export class CardTokens {
  readonly #cards = new Map<string, { readonly account: string; readonly card: Card }>();

  issue(caller: Caller, card: Card): CardToken {
    const token = newId('tok');
    this.#cards.set(token, { account: accountOf(caller), card });
    return { ...card, token };
  }

  redeem(caller: Caller, token: string): Card | undefined {
    const entry = this.#cards.get(token);
    if (entry === undefined || entry.account !== caller.account) return undefined;
    this.#cards.delete(token);
    return entry.card;
  }
}
