import { type StoreNotice, storeNotices } from '../events/store-notice.js';

/** Tells the operator something about a store. */
export function giveNotice(notice: StoreNotice['notice'], detail?: string): void {
  if (storeNotices.hasSubscribers) storeNotices.publish({ notice, detail });
}
