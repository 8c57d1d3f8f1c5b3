import assert from 'node:assert/strict'
import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { type Store, StoreConflict, StoreUnavailable } from '../../src/store/store.ts'
import { temporaryDirectory } from './directory.ts'
import { accept, acme, claimRequest, email } from './samples.ts'

async function service(t: TestContext, path: string): Promise<Store> {
  const store = await openStore({ engine: 'sqlite', path }, { exclusive: true })
  t.after(() => store.close())
  return store
}

/** A database in a directory of its own, so that the directory can be reached through a link as well. */
async function opened(t: TestContext): Promise<{ root: string; path: string; store: Store }> {
  const root = temporaryDirectory(t)
  mkdirSync(join(root, 'data'))
  const path = join(root, 'data', 'postroad.db')
  return { root, path, store: await service(t, path) }
}

function unavailable(message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StoreUnavailable, String(error))
    assert.match(error.message, message)
    return true
  }
}

describe('one database has one service, whatever it is called', () => {
  for (const [what, named] of [
    [
      'a link to the file',
      (root, path) => {
        symlinkSync(path, join(root, 'link.db'))
        return join(root, 'link.db')
      },
    ],
    [
      'a link to its directory',
      (root, path) => {
        symlinkSync(dirname(path), join(root, 'link'))
        return join(root, 'link', 'postroad.db')
      },
    ],
    ['a path with a detour', (root) => `${root}/data/../data/postroad.db`],
  ] satisfies [string, (root: string, path: string) => string][]) {
    test(`${what} does not let a second service in`, async (t) => {
      const { root, path, store } = await opened(t)
      const other = named(root, path)
      await assert.rejects(openStore({ engine: 'sqlite', path: other }, { exclusive: true }), (error) => {
        assert.ok(error instanceof StoreConflict, String(error))
        assert.match(error.message, /in use by another Postroad service/)
        return true
      })
      const beside = await openStore({ engine: 'sqlite', path: other }, { exclusive: false })
      await acme(beside)
      await beside.close()
      assert.equal((await store.accounts()).companies.length, 1)
    })
  }

  test('a link to a file that is not made yet names the file it points at', async (t) => {
    const root = temporaryDirectory(t)
    symlinkSync(join(root, 'real.db'), join(root, 'link.db'))
    await service(t, join(root, 'link.db'))
    await assert.rejects(
      openStore({ engine: 'sqlite', path: join(root, 'real.db') }, { exclusive: true }),
      StoreConflict,
    )
  })

  test('a file with a second name is refused', async (t) => {
    const { root, path, store } = await opened(t)
    await store.close()
    linkSync(path, join(root, 'second.db'))
    for (const name of [path, join(root, 'second.db')]) {
      await assert.rejects(openStore({ engine: 'sqlite', path: name }, { exclusive: true }), (error) => {
        assert.ok(error instanceof StoreConflict, String(error))
        assert.match(error.message, /2 names \(hard links\)/)
        return true
      })
    }
    rmSync(join(root, 'second.db'))
    await service(t, path)
  })
})

/** Resolves with the first rejection of a write. */
async function refusal(store: Store): Promise<unknown> {
  for (;;) {
    try {
      await store.claim(claimRequest(1))
      await new Promise(setImmediate)
    } catch (error) {
      return error
    }
  }
}

describe('a database file that is taken away from a running service', () => {
  test('is noticed when renamed, and writes go on once it is back', async (t) => {
    const { path, store } = await opened(t)
    const owner = await acme(store)
    renameSync(path, `${path}.moved`)
    await assert.rejects(store.probe(), unavailable(/moved or deleted.*put the file back.*start/s))
    await assert.rejects(store.accept(email(owner, ['a@x.test']), null), unavailable(/postroad\.db/))
    renameSync(`${path}.moved`, path)
    await store.probe()
    const value = await accept(store, email(owner, ['a@x.test']))
    assert.equal((await store.readEmail(value.id))?.id, value.id)
  })

  test('is noticed when another file takes its place', async (t) => {
    const { path, store } = await opened(t)
    const owner = await acme(store)
    renameSync(path, `${path}.moved`)
    copyFileSync(`${path}.moved`, path)
    await assert.rejects(store.probe(), unavailable(/another file/))
    await assert.rejects(store.accept(email(owner, ['a@x.test']), null), StoreUnavailable)
    rmSync(path)
    renameSync(`${path}.moved`, path)
    await store.probe()
  })

  test('is noticed by writes that look for it, without a probe', async (t) => {
    const { path, store } = await opened(t)
    rmSync(path)
    assert.match(String(await refusal(store)), /moved or deleted/)
  })

  test('is noticed by a service that watches', async (t) => {
    const { path, store } = await opened(t)
    t.after(store.watch(() => {}))
    rmSync(path)
    assert.match(String(await refusal(store)), /moved or deleted/)
  })
})
