/** How many reads of the store it takes to know the accounts, whatever the number of callers. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { LiveAccounts } from '../../src/accounts/live-accounts.ts'
import { newToken } from '../../src/accounts/token.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { acme, apiKey } from '../store/samples.ts'

/** Live accounts on a store of their own, and a second process's way into its database. What is read is counted, and can be held back. */
async function open(t: TestContext) {
  const path = join(temporaryDirectory(t), 'postroad.db')
  const store = await SqliteStore.open(path, { exclusive: true })
  t.after(() => store.close())
  const beside = await SqliteStore.open(path, { exclusive: false })
  t.after(() => beside.close())
  const owner = await acme(beside)
  const reads = { versions: 0, accounts: 0, changes: 0, looks: 0 }
  let gate: Promise<void> = Promise.resolve()
  const accounts = new LiveAccounts({
    source: {
      async accountsVersion() {
        const version = await store.accountsVersion()
        reads.versions += 1
        await gate
        return version
      },
      accounts() {
        reads.accounts += 1
        return store.accounts()
      },
      accountsSince(version) {
        reads.changes += 1
        return store.accountsSince(version)
      },
      // No notices of changes here: only the queries count.
      watch: () => () => {},
    },
    onFault: (error) => assert.fail(String(error)),
    onLook: () => {
      reads.looks += 1
    },
  })
  await accounts.start()
  t.after(() => accounts.stop())
  const since = { ...reads }
  return {
    accounts,
    /** A key that another process makes; its token. */
    async newKey(): Promise<string> {
      const { token, hash } = newToken()
      await beside.addKey({ ...apiKey(owner), tokenHash: hash, networks: [], expiresAt: null })
      return token
    },
    /** Reads since the start. */
    reads: () => ({
      versions: reads.versions - since.versions,
      accounts: reads.accounts - since.accounts,
      changes: reads.changes - since.changes,
      looks: reads.looks - since.looks,
    }),
    /** Versions that are read from now on arrive, or do not, when one of the functions returned is called. */
    hold(): { release(): void; fail(error: Error): void } {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      gate = promise
      return { release: resolve, fail: reject }
    },
    /** Resolves when so many versions have been read. */
    async read(versions: number): Promise<void> {
      while (reads.versions - since.versions < versions) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('a look without changes reads a number and no accounts', async (t) => {
  const { accounts, reads } = await open(t)
  await accounts.catchUp()
  assert.deepEqual(reads(), { versions: 1, accounts: 0, changes: 0, looks: 1 })
})

test('a key that another process has made is known then', async (t) => {
  const { accounts, newKey, reads } = await open(t)
  const token = await newKey()
  assert.deepEqual(accounts.directory.authenticate(token, '127.0.0.1'), { denied: 'unknown' })
  await accounts.catchUp()
  assert.ok('keyId' in accounts.directory.authenticate(token, '127.0.0.1'))
  assert.equal(reads().changes, 1)
  await accounts.catchUp()
  assert.equal(reads().changes, 1, 'nothing had changed again')
})

test('calls before a look share it, and calls during a look wait for the next one', async (t) => {
  const { accounts, newKey, reads, hold, read } = await open(t)
  const look = hold()
  const first = Array.from({ length: 500 }, () => accounts.catchUp())
  await read(1)
  // This look has read the version already.
  const token = await newKey()
  const during = Array.from({ length: 500 }, () => accounts.catchUp())
  const next = hold()
  look.release()
  await Promise.all(first)
  assert.deepEqual(accounts.directory.authenticate(token, '127.0.0.1'), { denied: 'unknown' })
  assert.equal(reads().changes, 0)
  next.release()
  await Promise.all(during)
  assert.ok('keyId' in accounts.directory.authenticate(token, '127.0.0.1'))
  const { looks, changes, accounts: snapshots } = reads()
  assert.deepEqual({ looks, changes, snapshots }, { looks: 2, changes: 1, snapshots: 0 })
})

test('a look for a known caller waits for no turn, and is not one that strangers cause', async (t) => {
  const { accounts, newKey, reads } = await open(t)
  await accounts.catchUp()
  const token = await newKey()
  await accounts.look()
  assert.ok('keyId' in accounts.directory.authenticate(token, '127.0.0.1'))
  await accounts.look()
  const { changes, looks } = reads()
  assert.deepEqual({ changes, looks }, { changes: 1, looks: 1 })
})

test('repeated calls cause at most twenty looks a second', async (t) => {
  const { accounts, reads } = await open(t)
  const began = performance.now()
  let asked = 0
  while (reads().looks < 10) {
    await Promise.race([accounts.catchUp(), new Promise((resolve) => setImmediate(resolve))])
    asked += 1
  }
  // A timer of Node.js may be a millisecond early.
  assert.ok(performance.now() - began >= 9 * 49, `${asked} asked, 10 looks`)
})

test('a failed look rejects the calls that wait for it, and the next call looks again', async (t) => {
  const { accounts, newKey, hold, read } = await open(t)
  const token = await newKey()
  const { fail } = hold()
  const looks = [accounts.catchUp(), accounts.catchUp()]
  await read(1)
  fail(new StoreUnavailable('away'))
  for (const look of looks) await assert.rejects(look, /away/)
  hold().release()
  await accounts.catchUp()
  assert.ok('keyId' in accounts.directory.authenticate(token, '127.0.0.1'))
})
