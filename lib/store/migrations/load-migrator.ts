/** Loads the migrator from `kysely/migration`, where kysely 0.29 moved it, or from `kysely` if this is kysely 0.28. */
export async function loadMigrator(): Promise<typeof import('kysely').Migrator> {
  try {
    // The types of kysely 0.28 do not have this module, so TypeScript must not resolve it.
    return (await import('kysely/migration' as string)).Migrator;
  } catch (error) {
    const { Migrator } = await import('kysely');
    if (Migrator === undefined) throw error;
    return Migrator;
  }
}
