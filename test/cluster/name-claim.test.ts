import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { NameClaim } from '../../src/cluster/name-claim.ts'
import { temporaryDirectory } from '../store/directory.ts'

function claims(t: TestContext) {
  const directory = temporaryDirectory(t)
  return {
    directory,
    of: (given: Partial<{ directory: string; database: string; name: string }> = {}) => {
      const claim = new NameClaim({ directory, database: 'postgres://a/b', name: 'one', ...given })
      t.after(() => claim.release())
      return claim
    },
  }
}

test('a name belongs to one process at a time; the next process gets it with a place of its own', (t) => {
  const { directory, of } = claims(t)
  const first = of()
  const second = of()
  assert.equal(first.machine, null)
  assert.deepEqual(first.take(), { kind: 'ours' })
  const place = first.machine
  assert.match(place!, /^[0-9a-f]{32}$/)
  assert.deepEqual(first.take(), { kind: 'ours' })
  assert.equal(first.machine, place)
  assert.deepEqual(second.take(), { kind: 'taken' })
  assert.equal(second.machine, null)
  first.release()
  assert.equal(first.machine, null)
  assert.deepEqual(readdirSync(directory), [])
  assert.deepEqual(second.take(), { kind: 'ours' })
  assert.notEqual(second.machine, place)
})

test('other names and other databases are other claims', (t) => {
  const { of } = claims(t)
  const all = [of(), of({ name: 'two' }), of({ database: 'postgres://a/c' })]
  for (const claim of all) assert.deepEqual(claim.take(), { kind: 'ours' })
  assert.equal(new Set(all.map(({ machine }) => machine)).size, 3)
})

test('two users of one PostgreSQL database claim the same database', (t) => {
  const { of } = claims(t)
  of().take()
  assert.deepEqual(of({ database: 'postgres://user:secret@a/b?user=u&password=p' }).take(), { kind: 'taken' })
})

test('a file that was removed, or copied, is another place', (t) => {
  const { directory, of } = claims(t)
  const first = of()
  first.take()
  const [file] = readdirSync(directory).filter((name) => name.endsWith('.node'))
  const elsewhere = join(directory, 'copy')
  mkdirSync(elsewhere)
  copyFileSync(join(directory, file!), join(elsewhere, file!))
  const copy = of({ directory: elsewhere })
  assert.deepEqual(copy.take(), { kind: 'ours' })
  assert.notEqual(copy.machine, first.machine)

  rmSync(join(directory, file!))
  const second = of()
  assert.deepEqual(second.take(), { kind: 'ours' })
  assert.notEqual(second.machine, first.machine)
})

test('without a place for its file, a claim gives the reason', (t) => {
  const { directory, of } = claims(t)
  const file = join(directory, 'file')
  writeFileSync(file, '')
  const claimed = of({ directory: join(file, 'nodes') }).take()
  assert.equal(claimed.kind, 'unavailable')
  assert.match('why' in claimed ? claimed.why : '', /ENOTDIR|ENOENT/)
})
