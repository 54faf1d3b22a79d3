import { KeywardError } from '../errors/keyward-error.js';

/** Thrown if an optional package is not installed. */
export class MissingPackageError extends KeywardError {
  override readonly name = 'MissingPackageError';
  /** The packages to install, separated by spaces as for `npm install`. At least one of them is missing. */
  readonly packages: string;

  constructor(whose: string, packages: string) {
    super('package_missing', `${whose} needs a package that is not installed; run: npm install ${packages}`);
    this.packages = packages;
  }
}

/**
 * Loads a module that needs an optional package.
 *
 * @throws MissingPackageError that says what to install, if the package is missing.
 */
export async function optionalPackage<M>(load: () => Promise<M>, whose: string, packages: string): Promise<M> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw error;
    throw new MissingPackageError(whose, packages);
  }
}
