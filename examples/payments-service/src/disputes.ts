/** Disputes: card holders who want a payment back. */
import { newId } from './new-id.js';
import { type Caller, type Owned, owns } from './ownership.js';
import type { Payment } from './payments.js';
import { Problem } from './problem.js';

export interface Dispute extends Owned {
  readonly id: string;
  readonly payment_id: string;
  readonly status: 'evidence_required' | 'accepted';
  readonly amount: number;
  readonly currency: string;
}

export class Disputes {
  readonly #disputes = new Map<string, Dispute>();

  /** Opens a dispute of a whole payment, as a card scheme would. */
  open({ id: payment_id, account, processing_channel_id, amount, currency }: Payment): Dispute {
    const about = { account, processing_channel_id, payment_id, amount, currency };
    return this.#save({ id: newId('dsp'), status: 'evidence_required', ...about });
  }

  list(caller: Caller): readonly Dispute[] {
    return [...this.#disputes.values()].filter((dispute) => owns(caller, dispute));
  }

  get(caller: Caller, id: string): Dispute {
    const dispute = this.#disputes.get(id);
    if (dispute === undefined || !owns(caller, dispute)) {
      throw new Problem(404, 'not_found', 'There is no such dispute');
    }
    return dispute;
  }

  /** Accepts the dispute: the card holder gets the money back. */
  accept(caller: Caller, id: string): Dispute {
    const dispute = this.get(caller, id);
    if (dispute.status === 'accepted') throw new Problem(409, 'already_accepted', 'The dispute was already accepted');
    return this.#save({ ...dispute, status: 'accepted' });
  }

  #save(dispute: Dispute): Dispute {
    this.#disputes.set(dispute.id, dispute);
    return dispute;
  }
}
