/** Changes values in the text of a YAML document, and keeps its comments and its order. */
import { isDeepStrictEqual } from 'node:util';
import type { Alias, Document, Node, Tags } from 'yaml';
import { type DocumentChange, withChanges } from '../openapi/app/document-changes.js';
import { optionalPackage } from '../store/optional-package.js';

type Yaml = typeof import('yaml');

export const loadYaml = (): Promise<Yaml> => optionalPackage(() => import('yaml'), 'YAML', 'yaml');

/**
 * Changes values in a YAML text. If the path to a value leads through an alias (`*name`), a copy of the target replaces
 * the alias, so that the target itself is not changed.
 *
 * @param document - The parsed value of `text`.
 * @returns The new text. `undefined` if it would not have exactly these changes when it is parsed: for example, the
 *   changed value may come from a merge key (`<<`), or another alias may refer to the changed node.
 */
export async function changedYaml(
  text: string,
  document: object,
  changes: readonly DocumentChange[],
): Promise<string | undefined> {
  const yaml = await loadYaml();
  try {
    const parsed = yaml.parseDocument(text, { merge: true, customTags: keepNumbers });
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

/** Writes numbers as they are in the text: JavaScript would change `9223372036854775807`, `1e400` and `0x1F`. */
function keepNumbers(tags: Tags): Tags {
  return tags.map((tag) => {
    if (typeof tag === 'string' || tag.collection !== undefined || !/:(?:int|float)$/.test(tag.tag)) return tag;
    const { stringify } = tag;
    return { ...tag, stringify: (node, ...rest) => node.source ?? stringify?.(node, ...rest) ?? String(node.value) };
  });
}

function expandAliases(yaml: Yaml, parsed: Document, path: readonly string[]): void {
  for (const length of path.keys()) {
    const part = path.slice(0, length);
    const node = parsed.getIn(part);
    if (yaml.isAlias(node)) parsed.setIn(part, copyOf(yaml, parsed, node));
  }
}

function copyOf(yaml: Yaml, parsed: Document, alias: Alias): Node | undefined {
  const copy = alias.resolve(parsed)?.clone() as Node | undefined;
  if (copy === undefined) return undefined;
  // The copy must not have the anchors of the target. Otherwise, later aliases would refer to the copy.
  yaml.visit(copy, {
    Value: (_key, node) => {
      delete node.anchor;
    },
  });
  if (alias.comment) copy.commentBefore = alias.comment;
  return copy;
}
