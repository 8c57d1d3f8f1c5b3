import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { StoreConflict, StoreUnavailable } from '../../src/store/store.ts'
import { startChild } from './child.ts'
import { temporaryDirectory } from './directory.ts'
import { acme } from './samples.ts'

type Kind = typeof StoreConflict | typeof StoreUnavailable

async function refused(path: string, kind: Kind, message: RegExp, exclusive = false): Promise<void> {
  await assert.rejects(openStore({ engine: 'sqlite', path }, { exclusive }), (error) => {
    assert.ok(error instanceof kind, String(error))
    assert.match(error.message, message)
    assert.ok(error.message.includes(path), error.message)
    return true
  })
}

describe('opening a SQLite store', () => {
  test('makes the directory for the owner alone, and the file', async (t) => {
    const directory = join(temporaryDirectory(t), 'data')
    const path = join(directory, 'postroad.db')
    const store = await openStore({ engine: 'sqlite', path }, { exclusive: true })
    await acme(store)
    assert.equal(statSync(directory).mode & 0o777, 0o700)
    for (const name of readdirSync(directory))
      assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name)
    assert.ok(readdirSync(directory).length >= 3, 'database, log and lock are there')
    await store.close()
    const again = await openStore({ engine: 'sqlite', path }, { exclusive: true })
    assert.equal((await again.accounts()).companies[0]?.name, 'Acme')
    await again.close()
  })

  test('names the cause that prevents it', async (t) => {
    const directory = temporaryDirectory(t)
    await refused(join(directory, 'no', 'where', 'a.db'), StoreUnavailable, /there is no directory .*no/)
    await refused(directory, StoreUnavailable, /directory or a special file/)
    const text = join(directory, 'notes.txt')
    writeFileSync(
      text,
      'Not a database at all, but long enough to look like a file with a header.\n'.repeat(20),
    )
    await refused(text, StoreUnavailable, /not a SQLite database/)
    await refused(join(text, 'a.db'), StoreUnavailable, /where a directory should be/)
    const foreign = join(directory, 'foreign.db')
    const db = new DatabaseSync(foreign)
    db.exec('CREATE TABLE theirs (x)')
    db.close()
    await refused(foreign, StoreConflict, /another program/)
    await assert.rejects(
      openStore({ engine: 'sqlite', path: ':memory:' }, { exclusive: false }),
      /must be a file/,
    )
    await assert.rejects(
      openStore({ engine: 'postgres', url: 'postgres://u:hunter2@127.0.0.1:1/x' }, { exclusive: false }),
      (error: Error) => {
        assert.ok(error instanceof StoreUnavailable)
        assert.match(error.message, /127\.0\.0\.1:1\/x is not available: .*Is PostgreSQL running/)
        assert.doesNotMatch(error.message, /hunter2/)
        return true
      },
    )
  })

  test('a directory that may not be written is named', { skip: process.getuid?.() === 0 }, async (t) => {
    const directory = join(temporaryDirectory(t), 'locked')
    mkdirSync(directory)
    chmodSync(directory, 0o500)
    await refused(join(directory, 'a.db'), StoreUnavailable, /may not write there/)
  })

  test('a newer schema is refused and left alone', async (t) => {
    const path = join(temporaryDirectory(t), 'a.db')
    await (await openStore({ engine: 'sqlite', path }, { exclusive: false })).close()
    const db = new DatabaseSync(path)
    db.exec("INSERT INTO schema_migrations (version, name, applied_at) VALUES (99, '0099-later', 0)")
    await refused(
      path,
      StoreConflict,
      /has schema 99, but this Postroad supports schemas up to \d+: .* newer version/,
    )
    assert.equal(db.prepare('SELECT max(version) AS v FROM schema_migrations').get()?.v, 99)
    db.close()
  })

  test('one service has a database; the command line may use it beside', async (t) => {
    const path = join(temporaryDirectory(t), 'a.db')
    const service = await openStore({ engine: 'sqlite', path }, { exclusive: true })
    await refused(path, StoreConflict, /in use by another Postroad service/, true)
    const beside = await openStore({ engine: 'sqlite', path }, { exclusive: false })
    await acme(beside)
    assert.equal((await service.accounts()).companies.length, 1)
    await beside.close()
    await refused(path, StoreConflict, /in use/, true)
    await service.close()
    await (await openStore({ engine: 'sqlite', path }, { exclusive: true })).close()
  })

  test('a service that was killed leaves no lock behind', async (t) => {
    const path = join(temporaryDirectory(t), 'a.db')
    const child = await startChild(t, 'hold-lock', path)
    assert.equal(await child.line(), 'held')
    await refused(path, StoreConflict, /in use/, true)
    await child.kill()
    await (await openStore({ engine: 'sqlite', path }, { exclusive: true })).close()
  })
})
