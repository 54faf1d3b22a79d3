/** Packages that only some need are not there. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
  /** As `npm install` takes them. */
  readonly packages: string;

  constructor(whose: string, packages: string) {
    super(`${whose} needs more packages: npm install ${packages}`);
    this.packages = packages;
  }
}

/**
 * Loads a module whose packages only some need.
 *
 * @throws MissingPackageError that says what to install, where a package is not there.
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
