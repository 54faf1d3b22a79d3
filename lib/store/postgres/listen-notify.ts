/**
 * Wakes the poll of the change feed after each commit of another process (PostgreSQL LISTEN and NOTIFY), and checks
 * with a heartbeat that notifications arrive.
 *
 * A connection whose packets are dropped looks alive for hours. So each connection sends heartbeats, which are
 * notifications to itself, and is replaced if one does not come back. Notifications only make changes arrive faster:
 * polling also finds changes whose notification was lost.
 */
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import { afterReads } from '../../http/after-socket-reads.js';
import { publishWarning } from '../publish-warning.js';
import { storeErrorOf } from '../store-error.js';

/** Milliseconds from an answer to the next heartbeat. */
const BEAT_EVERY = 1_000;
/** Maximum milliseconds from a heartbeat to its answer. A dead connection is found in `BEAT_EVERY + ANSWER_WITHIN`. */
const ANSWER_WITHIN = 1_500;
const TRY_AGAIN_AFTER = 1_000;
/** Milliseconds between attempts if a pooler or database refuses LISTEN, or accepts it and delivers nothing. */
const TRY_UNSUPPORTED_AFTER = 60_000;

/**
 * SQLSTATEs of a server that refuses LISTEN: feature not supported, syntax error or missing right, read-only replica.
 */
const HAS_NO_LISTEN = /^(?:0A|42|25006)/;

export interface ChannelOptions {
  readonly config: pg.ClientConfig;
  readonly channel: string;
  /** Sends a notification over a connection other than the one that listens. The first heartbeats are sent with it. */
  readonly sendNotification: (channel: string) => Promise<unknown>;
  /** Called for each notification, and once when listening begins, because earlier notifications were not received. */
  readonly wake: () => void;
}

/** A connection that listens. */
interface ListenConnection {
  readonly client: pg.Client;
  readonly socket: Socket;
  /** Whether an answer to a heartbeat has ever arrived, so that LISTEN is known to work. */
  hasAnswered: boolean;
  /** Whether a heartbeat was sent whose answer has not arrived yet. */
  awaitsAnswer: boolean;
}

/** Starts to listen. If it fails, it retries until it is stopped. It never throws. Returns a function that stops it. */
export function listenOnPostgres({ config, channel, sendNotification, wake }: ChannelOptions): () => void {
  /** The heartbeat channel. No other connection listens on it. */
  const own = `keyward_beat_${randomBytes(9).toString('hex')}`;
  let current: ListenConnection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reported: 'listening' | 'polling_only' | undefined;
  let ended = false;

  async function connect(): Promise<void> {
    const socket = new Socket().unref();
    const client = new pg.Client({ ...config, stream: () => socket });
    const fresh: ListenConnection = { client, socket, hasAnswered: false, awaitsAnswer: false };
    current = fresh;
    client.on('error', (error) => giveUp(fresh, storeErrorOf(error).message));
    client.on('end', () => giveUp(fresh, 'the connection ended'));
    client.on('notification', (message) => {
      if (message.channel === own) onAnswer(fresh);
      else wake();
    });
    try {
      await client.connect();
      await client.query(`listen "${channel}"; listen "${own}"`);
      beat(fresh);
    } catch (error) {
      const { message, driverCode } = storeErrorOf(error);
      giveUp(fresh, message, HAS_NO_LISTEN.test(driverCode) ? TRY_UNSUPPORTED_AFTER : TRY_AGAIN_AFTER);
    }
  }

  function beat(on: ListenConnection): void {
    on.awaitsAnswer = true;
    // Behind a pooler, LISTEN applies to a server connection that clients share, so a heartbeat over the same
    // connection could arrive by accident. Therefore the first one is sent over another connection.
    const sent = on.hasAnswered ? on.client.query(`notify "${own}"`) : sendNotification(own);
    sent.catch((error) => giveUp(on, storeErrorOf(error).message));
    later(ANSWER_WITHIN, () => afterReads(() => checkAnswer(on)));
  }

  function checkAnswer(on: ListenConnection): void {
    if (on.awaitsAnswer) {
      giveUp(on, 'a heartbeat was not answered', on.hasAnswered ? TRY_AGAIN_AFTER : TRY_UNSUPPORTED_AFTER);
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

  /** Publishes a warning only if it differs from the last one. */
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
