/** Changes a YAML text, and keeps its comments. */
import { isDeepStrictEqual } from 'node:util';
import type { Alias, Document, Node } from 'yaml';
import { type DocumentChange, withChanges } from '../openapi/app/document-changes.js';
import { optionalPackage } from '../store/optional-package.js';

type Yaml = typeof import('yaml');

export const loadYaml = (): Promise<Yaml> => optionalPackage(() => import('yaml'), 'YAML', 'yaml');

/**
 * Applies changes to a YAML text. An alias on the way to a change is replaced by a copy of its target.
 *
 * @returns `undefined` if the result would not be the changed document: a merge key (`<<`) brings in what is changed,
 *   or another place uses the changed node as an alias.
 */
export async function changedYaml(
  text: string,
  document: object,
  changes: readonly DocumentChange[],
): Promise<string | undefined> {
  const yaml = await loadYaml();
  try {
    const parsed = yaml.parseDocument(text, { merge: true });
    for (const { path, value } of changes) {
      expandAliases(yaml, parsed, path);
      parsed.setIn(path, parsed.createNode(value));
    }
    const changed = parsed.toString();
    return isDeepStrictEqual(yaml.parse(changed, { merge: true }), withChanges(document, changes))
      ? changed
      : undefined;
  } catch {
    return undefined;
  }
}

function expandAliases(yaml: Yaml, parsed: Document, path: readonly string[]): void {
  for (const length of path.keys()) {
    const part = path.slice(0, length);
    const node = parsed.getIn(part, true);
    if (yaml.isAlias(node)) parsed.setIn(part, copyOf(yaml, parsed, node));
  }
}

function copyOf(yaml: Yaml, parsed: Document, alias: Alias): Node | undefined {
  const copy = alias.resolve(parsed)?.clone() as Node | undefined;
  if (copy === undefined) return undefined;
  // The anchors stay where they are.
  yaml.visit(copy, {
    Value: (_key, node) => {
      delete node.anchor;
    },
  });
  if (alias.comment) copy.commentBefore = alias.comment;
  return copy;
}
