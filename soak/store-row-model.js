/** What the tables must hold after operations of `store-writer.js`, and what they do hold. */

/** What stands in the database when these operations of an account are done, each whole, and nothing else. */
export function expectedAfter(operations) {
  const keys = new Map();
  for (const { what, key, value } of operations) {
    const known = keys.get(key);
    if (what === 'create') keys.set(key, { version: 1, name: null, revoked: false, secrets: [`${value} in use`] });
    if (known !== undefined) known.version += 1;
    if (what === 'edit') known.name = value;
    if (what === 'revoke') known.revoked = true;
    if (what === 'rotate') {
      const retired = known.secrets.filter((secret) => secret.endsWith(' in use'));
      known.secrets = [...retired.map((secret) => secret.replace('in use', 'retired')), `${value} in use`].sort();
    }
  }
  return canonical({
    accounts: operations.length === 0 ? 0 : 1,
    keys: [...keys].map(([id, key]) => ({ id, ...key })),
    creations: [...keys.keys()],
    audit: operations.map(({ id }) => id),
    steps: operations.map(({ key }) => key ?? 'account'),
  });
}

/** Reads what stands in the database of an account. */
export async function actualOf(select, account) {
  const ofAccount = 'select id from keys where account = ?';
  const rows = await select('select id, version, name, revoked_at from keys where account = ?', account);
  const secrets = await select(`select digest, key_id, ended_at from secrets where key_id in (${ofAccount})`, account);
  const creations = await select('select key_id from creations where account = ?', account);
  const audit = await select('select outcome from audit where account = ?', account);
  const steps = await select(
    `select member, subject from changes
     where (member = 'account' and subject = ?) or (member = 'key' and subject in (${ofAccount}))`,
    ...[account, account],
  );
  return canonical({
    accounts: (await select('select id from accounts where id = ?', account)).length,
    keys: rows.map(({ id, version, name, revoked_at }) => ({
      ...{ id, version, name, revoked: revoked_at !== null },
      secrets: secrets
        .filter(({ key_id }) => key_id === id)
        .map(({ digest, ended_at }) => `${digest} ${ended_at === null ? 'in use' : 'retired'}`)
        .sort(),
    })),
    creations: creations.map(({ key_id }) => key_id),
    audit: audit.map(({ outcome }) => outcome),
    steps: steps.map(({ member, subject }) => (member === 'account' ? 'account' : subject)),
  });
}

/** Whether the feed is one: its steps follow each other without a gap, up to where its head is. */
export async function isWholeFeed(select) {
  const [{ head }] = await select('select position as head from feed_head');
  const [{ first, last, count }] = await select(
    'select min(position) as first, max(position) as last, count(*) as count from changes',
  );
  return last === head && last - first + 1 === count;
}

/** A text that is the same for the same state, whatever the order of rows. */
function canonical({ accounts, keys, creations, audit, steps }) {
  const sortedKeys = keys
    .map(({ id, version, name, revoked, secrets }) => [id, version, name, revoked, secrets])
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([accounts, sortedKeys, creations.sort(), audit.sort(), steps.sort()]);
}
