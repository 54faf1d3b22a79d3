/**
 * Listens for notifications of PostgreSQL (LISTEN and NOTIFY), so that the change feed is polled soon after each
 * change.
 *
 * A connection whose packets are dropped looks alive for hours. So the connection sends heartbeats, which are
 * notifications to itself, and is replaced if a heartbeat does not come back. Notifications only make changes arrive
 * faster: regular polling finds changes whose notification was lost.
 */
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import { afterSocketReads } from '../../http/after-socket-reads.js';
import { publishWarning } from '../publish-warning.js';
import { storeErrorOf } from '../store-error.js';

/** Milliseconds from the return of a heartbeat to the next heartbeat. */
const BEAT_EVERY = 1_000;
/** Maximum milliseconds until a heartbeat returns. A dead connection is found within `BEAT_EVERY + ANSWER_WITHIN`. */
const ANSWER_WITHIN = 1_500;
const TRY_AGAIN_AFTER = 1_000;
/** Milliseconds between two attempts if the server or a pooler refuses LISTEN, or accepts it but delivers nothing. */
const TRY_UNSUPPORTED_AFTER = 60_000;

/**
 * SQLSTATEs of a server that refuses LISTEN: feature not supported, syntax error or missing right, read-only replica.
 */
const HAS_NO_LISTEN = /^(?:0A|42|25006)/;

export interface ChannelOptions {
  /** Returns the settings for the next connection. It must not throw. */
  readonly config: () => pg.ClientConfig;
  readonly channel: string;
  /** Sends a notification over another connection than the one that listens. Used for the first heartbeat. */
  readonly sendNotification: (channel: string) => Promise<unknown>;
  /** Called for each notification, and once when listening begins, because earlier notifications were not received. */
  readonly wake: () => void;
}

/** A connection that listens for notifications. */
interface ListenConnection {
  readonly client: pg.Client;
  readonly socket: Socket;
  /** Whether a heartbeat has ever returned, which proves that LISTEN works. */
  hasAnswered: boolean;
  /** Whether the last heartbeat was sent but has not returned yet. */
  awaitsAnswer: boolean;
}

/** Starts to listen, and retries after each failure. It never throws. Returns a function that stops listening. */
export function listenOnPostgres({ config, channel, sendNotification, wake }: ChannelOptions): () => void {
  /** The random name ensures that no other connection listens on this channel. */
  const heartbeatChannel = `keyward_beat_${randomBytes(9).toString('hex')}`;
  let current: ListenConnection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reported: 'listening' | 'polling_only' | undefined;
  let ended = false;

  async function connect(): Promise<void> {
    const socket = new Socket().unref();
    const client = new pg.Client({ ...config(), stream: () => socket });
    const fresh: ListenConnection = { client, socket, hasAnswered: false, awaitsAnswer: false };
    current = fresh;
    client.on('error', (error) => giveUp(fresh, storeErrorOf(error).message));
    client.on('end', () => giveUp(fresh, 'the connection that listens for notifications was closed'));
    client.on('notification', (message) => {
      if (message.channel === heartbeatChannel) onAnswer(fresh);
      else wake();
    });
    try {
      await client.connect();
      await client.query(`listen "${channel}"; listen "${heartbeatChannel}"`);
      beat(fresh);
    } catch (error) {
      const { message, driverCode } = storeErrorOf(error);
      giveUp(fresh, message, HAS_NO_LISTEN.test(driverCode) ? TRY_UNSUPPORTED_AFTER : TRY_AGAIN_AFTER);
    }
  }

  function beat(on: ListenConnection): void {
    on.awaitsAnswer = true;
    // Behind a pooler, clients share the server connection that executed LISTEN. A heartbeat over this connection could
    // return by accident, so heartbeats are sent over another connection until one has returned.
    const sent = on.hasAnswered ? on.client.query(`notify "${heartbeatChannel}"`) : sendNotification(heartbeatChannel);
    sent.catch((error) => giveUp(on, storeErrorOf(error).message));
    later(ANSWER_WITHIN, () => afterSocketReads(() => checkAnswer(on)));
  }

  function checkAnswer(on: ListenConnection): void {
    if (on.awaitsAnswer) {
      const cause = on.hasAnswered
        ? 'the connection was probably lost'
        : 'a connection pooler in transaction mode may be dropping notifications';
      const why = `a PostgreSQL test notification (NOTIFY) did not arrive within ${ANSWER_WITHIN / 1_000} seconds; ${cause}`;
      giveUp(on, why, on.hasAnswered ? TRY_AGAIN_AFTER : TRY_UNSUPPORTED_AFTER);
    }
  }

  function onAnswer(on: ListenConnection): void {
    on.awaitsAnswer = false;
    later(BEAT_EVERY, () => beat(on));
    if (on.hasAnswered) return;
    on.hasAnswered = true;
    report('listening', undefined);
    wake();
  }

  function giveUp(which: ListenConnection, why: string, delay = TRY_AGAIN_AFTER): void {
    if (which !== current || ended) return;
    current = undefined;
    which.socket.destroy();
    report('polling_only', why);
    later(delay, () => void connect());
  }

  function later(delay: number, what: () => void): void {
    clearTimeout(timer);
    if (!ended) timer = setTimeout(what, delay).unref();
  }

  /** Publishes a warning, unless it is the same as the previous warning. */
  function report(warning: 'listening' | 'polling_only', detail: string | undefined): void {
    if (reported === warning) return;
    reported = warning;
    publishWarning(warning, detail);
  }

  void connect();
  return () => {
    ended = true;
    clearTimeout(timer);
    current?.socket.destroy();
  };
}
