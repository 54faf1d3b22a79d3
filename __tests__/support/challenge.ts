/** A challenge of `WWW-Authenticate`, read by the grammar of RFC 9110 §11.2 and §11.6.1. */
export interface Challenge {
  readonly scheme: string;
  /** In order, repeated ones too; names in lower case, values without their quotes. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

const SCHEME = /^([\w!#$%&'*+.^`|~-]+) +/;
const QUOTED_PARAMETER = /([\w!#$%&'*+.^`|~-]+)="((?:[\t\x20\x21\x23-\x5B\x5D-\x7E]|\\[\t\x20-\x7E])*)"(?:, *|$)/y;

/** Reads one challenge whose parameters are all quoted; it throws for any other text. */
export function readChallenge(text: string | undefined): Challenge {
  const [opening = '', scheme] = SCHEME.exec(text ?? '') ?? [];
  if (text === undefined || scheme === undefined) throw new Error(`no challenge: ${text}`);
  const parameters: [string, string][] = [];
  QUOTED_PARAMETER.lastIndex = opening.length;
  while (QUOTED_PARAMETER.lastIndex < text.length) {
    const [, name, value] = QUOTED_PARAMETER.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no challenge: ${text}`);
    parameters.push([name.toLowerCase(), value.replaceAll(/\\(.)/g, '$1')]);
  }
  return { scheme, parameters };
}

/** The value of a parameter; `undefined` where the challenge does not have it. */
export function parameterOf({ parameters }: Challenge, wanted: string): string | undefined {
  return parameters.find(([name]) => name === wanted)?.[1];
}
