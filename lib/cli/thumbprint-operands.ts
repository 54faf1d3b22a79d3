/**
 * Finds arguments that Commander would take for options: IDs of signing keys and public keys are usually thumbprints
 * (RFC 7638), and one of 64 thumbprints begins with `-`.
 */
import type { Option } from 'commander';

/** A SHA-256 thumbprint in base64url that begins with `-`. No option of the command line has such a name. */
const THUMBPRINT = /^-[\w-]{42}$/;

/**
 * Splits the arguments into thumbprints that begin with `-` and all others. The value of an option stays with its
 * option, and arguments after `--` are not changed.
 *
 * @param options - The options of the command.
 * @returns The thumbprints, and the other arguments in the same order.
 */
export function splitThumbprints(
  args: readonly string[],
  options: readonly Option[],
): { readonly thumbprints: readonly string[]; readonly others: string[] } {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const isThumbprint = (arg: string, index: number) =>
    index < end && THUMBPRINT.test(arg) && !mayTakeValue(args[index - 1], options);
  return {
    thumbprints: args.filter(isThumbprint),
    others: args.filter((arg, index) => !isThumbprint(arg, index)),
  };
}

/** Whether the next argument may be the value of this one. An unknown option may have a value too. */
function mayTakeValue(arg: string | undefined, options: readonly Option[]): boolean {
  if (arg === undefined || !arg.startsWith('-') || THUMBPRINT.test(arg)) return false;
  const option = options.find(({ short, long }) => arg === short || arg === long);
  return option === undefined || option.required || option.optional;
}
