/** The source of the sealing key: the setting, or a file beside the database that the first start makes. */
import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { AccountsSnapshot } from './account.ts'
import { openCredentials } from './routes.ts'
import { openPrivateKey, Seal } from './seal.ts'

/** The settings that give the key. */
interface SecretKeySource {
  secretKey: Buffer | null
  database: { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }
}

/** The accounts that hold sealed values. */
type SealedAccounts = Pick<AccountsSnapshot, 'domains' | 'routes'>

/** The key is missing, unreadable or not the one the database was sealed with. The message gives the remedy. */
export class SecretKeyError extends Error {
  override name = 'SecretKeyError'
}

/** The file for the key when POSTROAD_SECRET_KEY is not set. */
export function secretKeyPath(databasePath: string): string {
  return `${databasePath}.key`
}

/**
 * The seal for this database, checked against everything sealed in it: a node with the wrong key must not start,
 * because it would send unsigned mail, reach no relay, or seal values that the other nodes cannot open. Throws
 * SecretKeyError.
 */
export async function openSeal(source: SecretKeySource, accounts: SealedAccounts): Promise<Seal> {
  const sealed = [...sealedIn(accounts)]
  const key = await loadSecretKey(source, { make: sealed.length === 0 })
  const seal = new Seal(key)
  for (const { what, open } of sealed) {
    try {
      open(seal)
    } catch (cause) {
      const origin =
        source.secretKey || source.database.engine === 'postgres'
          ? 'POSTROAD_SECRET_KEY'
          : `The key in ${secretKeyPath(source.database.path)}`
      throw new SecretKeyError(
        `${origin} is not the key that sealed ${what}. ` +
          'Restore the key that was used with this database before.',
        { cause },
      )
    }
  }
  return seal
}

function* sealedIn({
  domains,
  routes,
}: SealedAccounts): Generator<{ what: string; open(seal: Seal): unknown }> {
  for (const { name, dkim } of domains) {
    for (const identity of dkim) {
      yield { what: `the DKIM keys of ${name}`, open: (seal) => openPrivateKey(seal, identity) }
    }
  }
  for (const route of routes) {
    if (route.sealed === null) continue
    yield {
      what: `the user and password of the route ${route.url}`,
      open: (seal) => openCredentials(seal, route),
    }
  }
}

/**
 * 32 octets: POSTROAD_SECRET_KEY if set, otherwise the file beside the SQLite database. With `make` (the default) a
 * missing file is created, mode 600; several processes that start at once end up with the same key. Throws
 * SecretKeyError.
 */
export async function loadSecretKey(
  source: SecretKeySource,
  { make = true }: { make?: boolean } = {},
): Promise<Buffer> {
  if (source.secretKey) return source.secretKey
  if (source.database.engine === 'postgres') {
    throw new SecretKeyError(
      'POSTROAD_SECRET_KEY is not set. All nodes that share a PostgreSQL database need the same key; ' +
        'create one with `openssl rand -hex 32` and set it on every node.',
    )
  }
  const path = secretKeyPath(source.database.path)
  const found = await readKeyFile(path)
  if (found) return found
  if (!make) {
    throw new SecretKeyError(
      `The database ${source.database.path} holds sealed keys, but its key file ${path} is missing. ` +
        'Restore the file from your backup, or set POSTROAD_SECRET_KEY to its content.',
    )
  }
  await makeKeyFile(path)
  const made = await readKeyFile(path)
  if (!made) throw new SecretKeyError(`The key file ${path} disappeared while the service was starting.`)
  return made
}

async function readKeyFile(path: string): Promise<Buffer | null> {
  let text: string
  try {
    text = await readFile(path, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new SecretKeyError(`The key file ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
  const hex = text.trim()
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    throw new SecretKeyError(
      `The key file ${path} does not hold 64 hexadecimal digits. Restore it from your backup.`,
    )
  }
  return Buffer.from(hex, 'hex')
}

/**
 * Writes aside, syncs, then links into place: a partial key is never visible, and an existing one is never replaced.
 */
async function makeKeyFile(path: string): Promise<void> {
  const folder = dirname(path)
  const aside = `${path}.${randomUUID()}`
  await mkdir(folder, { recursive: true })
  try {
    const file = await open(aside, 'wx', 0o600)
    try {
      await file.writeFile(`${randomBytes(32).toString('hex')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await putInPlace(aside, path)
    // The directory entry must be as durable as the values that will be sealed with this key.
    const directory = await open(folder, 'r')
    await directory.sync().finally(() => directory.close())
  } catch (cause) {
    throw new SecretKeyError(`The key file ${path} cannot be created: ${(cause as Error).message}`, { cause })
  }
}

async function putInPlace(aside: string, path: string): Promise<void> {
  try {
    await link(aside, path)
    await unlink(aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return unlink(aside)
    // Some network and container file systems have no hard links.
    await rename(aside, path)
  }
}
