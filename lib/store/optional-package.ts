/**
 * Loads a module whose packages only some need.
 *
 * @throws Error that says what to install, where a package is not there.
 */
export async function optionalPackage<M>(load: () => Promise<M>, whose: string, packages: string): Promise<M> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw error;
    throw new Error(`${whose} needs more packages: npm install ${packages}`);
  }
}
