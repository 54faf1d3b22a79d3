/** An API behind one gate over real HTTP, and what it made of each credential. */
import { type CredentialVerifier, type Decision, type Guard, requireBearer } from 'keyward';
import { answerOf } from './answers.js';
import { eavesdrop } from './eavesdrop.js';
import { type Reply, serveApp } from './served-app.js';

/** How a credential was judged. */
export interface Judgement {
  readonly status: number;
  readonly challenge: string | undefined;
  readonly retryAfter?: string;
  /** Why, as the event says it; `undefined` if it was accepted. */
  readonly reason: string | undefined;
  /** Whether the handler ran. */
  readonly handled: boolean;
}

export interface TokenApi {
  readonly port: number;
  /** Presents a credential; the answer is the principal as JSON, or a refusal. */
  present(credential: string): Promise<Reply>;
  judge(credential: string): Promise<Judgement>;
  close(): Promise<void>;
}

export async function serveTokenApi(
  accept: readonly CredentialVerifier[],
  ...guards: readonly Guard[]
): Promise<TokenApi> {
  const gate = requireBearer({ accept });
  const { port, ask, handled, close } = await serveApp((app, handler) => app.get('/', gate, ...guards, handler));
  const events = eavesdrop();
  const present = (credential: string) => ask('/', credential);

  async function judge(credential: string): Promise<Judgement> {
    const before = handled();
    events.clear();
    const answer = answerOf(await present(credential));
    const [decision] = events.heard<Decision>('keyward:decision').slice(-1);
    return { ...answer, reason: decision?.reason, handled: handled() > before };
  }

  return {
    port,
    present,
    judge,
    close: () => {
      events.stop();
      return close();
    },
  };
}

/** An answer of behaviours.md as a judgement: the handler did not run. */
export const refusal = <A extends object>(answer: A, reason: string) => ({ ...answer, reason, handled: false });

export const ACCEPTED = { status: 200, challenge: undefined, reason: undefined, handled: true };
