/**
 * Hears of commits over LISTEN, and proves all the while that it would.
 *
 * A connection whose packets are dropped looks alive for hours. So a heartbeat goes through the channel: what we say to
 * ourselves must come back, or the connection is given up and made anew. Nothing depends on it but speed: whatever is
 * not heard is found by the next poll.
 */
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import { giveNotice } from './give-notice.js';
import { storeErrorOf } from './store-error.js';

/** Milliseconds: from an answer to the next heartbeat; from a heartbeat to its answer. A dead connection is found in both. */
const BEAT_EVERY = 1_000;
const ANSWER_WITHIN = 1_500;
const TRY_AGAIN_AFTER = 1_000;
/** A pooler or database that refuses LISTEN, or takes it and delivers nothing, is tried again this seldom. */
const TRY_DEAF_AFTER = 60_000;

/** SQLSTATEs of a database that has no LISTEN: not supported, a word it does not know, or a replica, which only reads. */
const HAS_NO_LISTEN = /^(?:0A|42|25006)/;

export interface ChannelOptions {
  readonly config: pg.ClientConfig;
  readonly channel: string;
  /** Says a word on a channel over another connection. */
  readonly say: (channel: string) => Promise<unknown>;
  /** Called for each word on the channel, and once when listening begins: what was said before was not heard. */
  readonly wake: () => void;
}

interface Line {
  readonly client: pg.Client;
  readonly socket: Socket;
  hasHeard: boolean;
  isAwaiting: boolean;
}

/** Starts to listen. It never fails: it tries again until it is ended. */
export function listenOnPostgres({ config, channel, say, wake }: ChannelOptions): () => void {
  /** Nobody but this connection listens here. */
  const own = `keyward_beat_${randomBytes(9).toString('hex')}`;
  let line: Line | undefined;
  let timer: NodeJS.Timeout | undefined;
  let told: 'listening' | 'polling_only' | undefined;
  let ended = false;

  async function connect(): Promise<void> {
    const socket = new Socket().unref();
    const client = new pg.Client({ ...config, stream: () => socket });
    const fresh: Line = { client, socket, hasHeard: false, isAwaiting: false };
    line = fresh;
    client.on('error', (error) => giveUp(fresh, storeErrorOf(error).message));
    client.on('end', () => giveUp(fresh, 'the connection ended'));
    client.on('notification', (message) => {
      if (message.channel === own) hear(fresh);
      else wake();
    });
    try {
      await client.connect();
      await client.query(`listen "${channel}"; listen "${own}"`);
      beat(fresh);
    } catch (error) {
      const { message, driverCode } = storeErrorOf(error);
      giveUp(fresh, message, HAS_NO_LISTEN.test(driverCode) ? TRY_DEAF_AFTER : TRY_AGAIN_AFTER);
    }
  }

  function beat(on: Line): void {
    on.isAwaiting = true;
    // Behind a pooler LISTEN stays with a connection that others share: it seems to work while all goes through that one.
    const said = on.hasHeard ? on.client.query(`notify "${own}"`) : say(own);
    said.catch((error) => giveUp(on, storeErrorOf(error).message));
    // An answer that came while this process was busy is read before it is missed.
    later(ANSWER_WITHIN, () => setImmediate(miss, on));
  }

  function miss(on: Line): void {
    if (on.isAwaiting) {
      giveUp(on, 'its heartbeat did not come back', on.hasHeard ? TRY_AGAIN_AFTER : TRY_DEAF_AFTER);
    }
  }

  function hear(on: Line): void {
    on.isAwaiting = false;
    later(BEAT_EVERY, () => beat(on));
    if (on.hasHeard) return;
    on.hasHeard = true;
    tell('listening', undefined);
    wake();
  }

  function giveUp(which: Line, why: string, delay = TRY_AGAIN_AFTER): void {
    if (which !== line || ended) return;
    line = undefined;
    which.socket.destroy();
    tell('polling_only', why);
    later(delay, () => void connect());
  }

  function later(delay: number, what: () => void): void {
    clearTimeout(timer);
    if (!ended) timer = setTimeout(what, delay).unref();
  }

  /** Once for each turn of events, however often it is tried. */
  function tell(notice: 'listening' | 'polling_only', detail: string | undefined): void {
    if (told === notice) return;
    told = notice;
    giveNotice(notice, detail);
  }

  void connect();
  return () => {
    ended = true;
    clearTimeout(timer);
    line?.socket.destroy();
  };
}
