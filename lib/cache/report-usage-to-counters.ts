/** Reports accepted and refused requests of API keys and access keys to counters, if the resolver has `usageOf`. */
import type { Outcome } from '../contracts/credential-verifier.js';
import type { UsageOf } from '../contracts/key-resolver.js';
import type { UsageCounter } from '../contracts/usage-counter.js';
import { includesAddress } from '../credentials/address-list.js';
import type { Principal } from '../credentials/principal.js';
import { handleRejection, reportCallbackFailure, runCallback } from '../events/run-callback.js';

interface Sender {
  readonly from: string | undefined;
}

export class UsageReporter {
  readonly #name: { readonly of: string; readonly callback: 'usageOf' };
  readonly #resolver: { readonly usageOf?: UsageOf | undefined };

  /** @param of - The name of the verifier in events about failed counters: `apiKeys` or `accessKeys`. */
  constructor(of: string, resolver: { readonly usageOf?: UsageOf | undefined }) {
    this.#name = { of, callback: 'usageOf' };
    this.#resolver = resolver;
  }

  /**
   * Returns the counter of a key, which is stored in its cache entry; `undefined` if the resolver has no `usageOf`, or
   * if `usageOf` threw.
   */
  counterOf(id: string): UsageCounter | undefined {
    if (this.#resolver.usageOf === undefined) return undefined;
    try {
      const counter = this.#resolver.usageOf(id);
      // The resolver may return a promise by mistake. An unhandled rejection of it would end the process.
      handleRejection(this.#name, counter);
      return counter;
    } catch (error) {
      reportCallbackFailure(this.#name, 'threw', error);
      return undefined;
    }
  }

  /**
   * Counts a credential that the verifier accepted. If the gate will refuse the address of the sender, it counts as
   * refused.
   */
  accepted(counter: UsageCounter | undefined, { allowedAddresses }: Principal, sender: Sender): void {
    if (counter === undefined) return;
    try {
      const isAllowed = allowedAddresses === undefined || includesAddress(allowedAddresses, sender.from);
      handleRejection(this.#name, isAllowed ? counter.accepted() : counter.refused());
    } catch (error) {
      reportCallbackFailure(this.#name, 'threw', error);
    }
  }

  /**
   * Counts a refusal of a key that has a record. Unknown keys are not counted, so that nobody can fill the store with
   * invented ids.
   */
  refused<O extends Outcome>(outcome: O): O {
    if (outcome.outcome !== 'refused' || outcome.keyId === undefined || outcome.reason === 'unknown') return outcome;
    const counter = this.counterOf(outcome.keyId);
    if (counter !== undefined) runCallback(this.#name, () => counter.refused());
    return outcome;
  }
}
