/** Cards, and the tokens that stand for them on their way from a browser to the shop's server. */
import { fieldsOf, textOf, wholeNumberOf } from './body.js';
import { newId } from './new-id.js';
import { accountOf, type Caller } from './ownership.js';

/** What is kept of a card: its number is checked and forgotten. */
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

/** Each token pays once, for the account whose public key asked for it. */
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
