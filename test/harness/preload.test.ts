/** The library beneath the nodes of a chaos run really strikes: Node's SQLite is refused its fsync, and Date.now() jumps. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { Preload, type PreloadControl } from '../../harness/preload/preload.ts'

/** Commits, writes beside the database, and reads both clocks, once for each line it is given. */
const PROGRAM = `
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
const [file, elsewhere] = process.argv.slice(1)
const db = new DatabaseSync(file)
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (n)')
const said = (work) => { try { work(); return 'ok' } catch (error) { return error.message } }
for await (const line of createInterface(process.stdin)) {
  const committed = said(() => db.exec('INSERT INTO t VALUES (1)'))
  const beside = said(() => writeFileSync(elsewhere, line, { flush: true }))
  const { n } = db.prepare('SELECT count(*) AS n FROM t').get()
  console.log(JSON.stringify({ committed, beside, rows: n, wall: Date.now(), monotonic: Number(process.hrtime.bigint() / 1000000n) }))
}
`

interface Said {
  committed: string
  beside: string
  rows: number
  wall: number
  monotonic: number
}

function begin(t: TestContext): { control: PreloadControl; ask: () => Promise<Said> } | null {
  if (spawnSync('cc', ['--version']).error) {
    t.skip(
      'there is no C compiler (cc) here: whether the disk and the clock can be made to fail is not known',
    )
    return null
  }
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-preload-'))
  const data = join(directory, 'data')
  mkdirSync(data)
  const preload = Preload.compile(directory, data)
  assert.ok(typeof preload !== 'string', String(preload))
  const child: ChildProcess = spawn(
    process.execPath,
    ['--input-type=module', '-e', PROGRAM, join(data, 'test.db'), join(directory, 'elsewhere')],
    { env: { ...process.env, ...preload.environment('n1') }, stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]()
  t.after(async () => {
    const ended = once(child, 'close')
    child.stdin!.end()
    await ended
    preload.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return {
    control: preload.of('n1'),
    ask: async () => {
      child.stdin!.write('go\n')
      return JSON.parse((await lines.next()).value as string) as Said
    },
  }
}

test("SQLite's fsync and write fail on command, and no others do", async (t) => {
  const parts = begin(t)
  if (parts === null) return
  const { control, ask } = parts
  assert.deepEqual({ ...(await ask()), wall: 0, monotonic: 0 }, said('ok', 1))

  control.failingSyncs = 1
  assert.deepEqual({ ...(await ask()), wall: 0, monotonic: 0 }, said('disk I/O error', 1))
  assert.ok(control.failed > 0)
  control.failingSyncs = 0
  control.failingWrites = 1
  assert.deepEqual({ ...(await ask()), wall: 0, monotonic: 0 }, said('disk I/O error', 1))
  control.failingWrites = 0
  assert.deepEqual({ ...(await ask()), wall: 0, monotonic: 0 }, said('ok', 2))

  assert.equal(control.delayed, 0)
  control.syncDelay = 50
  const before = await ask()
  assert.ok(control.delayed > 0)
  const after = await ask()
  assert.ok(after.monotonic - before.monotonic >= 50)
})

function said(committed: string, rows: number): Said {
  return { committed, beside: 'ok', rows, wall: 0, monotonic: 0 }
}

test('the wall clock of a process steps forward and back; its monotonic clock goes on', async (t) => {
  const parts = begin(t)
  if (parts === null) return
  const { control, ask } = parts
  const hour = 3_600_000
  /** How much more the wall clock went than the other one, in whole hours. */
  let before = await ask()
  const stepped = async () => {
    const now = await ask()
    const hours = Math.round((now.wall - before.wall - (now.monotonic - before.monotonic)) / hour)
    assert.ok(now.monotonic >= before.monotonic)
    before = now
    return hours
  }
  control.clockOffset = 6 * hour
  assert.equal(await stepped(), 6)
  assert.ok(control.clockReads > 0)
  control.clockOffset = -hour
  assert.equal(await stepped(), -7)
  control.clockOffset = 0
  assert.equal(await stepped(), 1)
})

test('the files that a process syncs are listed in order, as long as each sync succeeds', (t) => {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-preload-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const preload = Preload.compile(directory, directory)
  if (typeof preload === 'string') return t.skip(preload)
  const { environment, synced } = preload.listing('n1')
  const program = `
    import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
    const [file, directory] = process.argv.slice(1)
    const made = openSync(file, 'w')
    fdatasyncSync(made)
    fsyncSync(openSync(directory, 'r'))
    closeSync(made)
    try { fsyncSync(made) } catch {}
  `
  const file = join(realpathSync(directory), 'a file')
  assert.deepEqual(synced(), [])
  const args = ['--input-type=module', '-e', program, file, directory]
  spawnSync(process.execPath, args, { env: { ...process.env, ...environment }, stdio: 'inherit' })
  assert.deepEqual(synced(), [file, realpathSync(directory)])
})
