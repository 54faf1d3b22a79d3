/**
 * Finds the security schemes of the requests that an API sends: its webhooks and callbacks. No gate checks these
 * requests, so their schemes need no verifier.
 */

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns the names of the schemes that operations of webhooks and callbacks require. keyward does not check these
 * requests, so it does not validate their operations: values of a wrong type are skipped.
 *
 * @param methods - The names of the members of a path item that are operations.
 */
export function outgoingSchemes(document: Members, methods: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  // A document that was parsed from YAML may be circular, so each path item is read only once.
  const seen = new Set<unknown>();

  function operationsOf(item: unknown): readonly unknown[] {
    const { additionalOperations, ...members } = membersOf(item);
    return [...methods.map((method) => members[method]), ...valuesOf(additionalOperations)].filter(isObject);
  }

  function addPathItem(item: unknown): void {
    if (seen.has(item)) return;
    seen.add(item);
    for (const operation of operationsOf(item)) {
      const { security = document.security } = membersOf(operation);
      for (const name of valuesOf(security).flatMap((alternative) => Object.keys(membersOf(alternative))))
        names.add(name);
      addCallbacks(operation);
    }
  }

  /** A callback object maps URLs to path items. */
  function addCallbacks(owner: unknown): void {
    for (const callback of valuesOf(membersOf(owner).callbacks)) valuesOf(callback).forEach(addPathItem);
  }

  const { components, paths, webhooks } = document;
  for (const items of [webhooks, membersOf(components).pathItems]) valuesOf(items).forEach(addPathItem);
  addCallbacks(components);
  for (const item of valuesOf(paths)) operationsOf(item).forEach(addCallbacks);
  return names;
}

function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function valuesOf(value: unknown): readonly unknown[] {
  return Object.values(membersOf(value));
}
