import { type StoreWarning, storeWarnings } from '../events/store-warning.js';

/** Publishes a warning for the operator of a store on the channel `keyward:store`. */
export function publishWarning(warning: StoreWarning['warning'], detail?: string): void {
  if (storeWarnings.hasSubscribers) storeWarnings.publish({ warning, detail });
}
