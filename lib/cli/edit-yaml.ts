/** Applies changes to the text of a YAML document, and keeps its comments. */
import { isDeepStrictEqual } from 'node:util';
import type { Alias, Document, Node } from 'yaml';
import { type DocumentChange, withChanges } from '../openapi/app/document-changes.js';
import { optionalPackage } from '../store/optional-package.js';

type Yaml = typeof import('yaml');

export const loadYaml = (): Promise<Yaml> => optionalPackage(() => import('yaml'), 'YAML', 'yaml');

/**
 * Applies changes to a YAML text. If the path of a change contains an alias, the alias is replaced by a copy of its
 * target.
 *
 * @param document - The document that `text` was parsed to.
 * @returns `undefined` if the new text would not have exactly these changes when it is parsed. For example, the changed
 *   value may come from a merge key (`<<`), or an alias in another place may refer to the changed node.
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
  // Only the target keeps its anchors. The same anchors in the copy would redirect later aliases to the copy.
  yaml.visit(copy, {
    Value: (_key, node) => {
      delete node.anchor;
    },
  });
  if (alias.comment) copy.commentBefore = alias.comment;
  return copy;
}
