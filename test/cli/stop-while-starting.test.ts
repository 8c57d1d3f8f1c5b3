/** A stop during the start of the service: the service exits soon, and leaves nothing behind that breaks the next start. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { onPostgres } from '../support/engine.ts'
import { bin, newWorkplaceOnEngine, serve, type Workplace } from './postroad.ts'

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stderr: string
  /** Milliseconds until the service listened; null: it never did. */
  listenedAfter: number | null
}

/** `stopAfter`: milliseconds after the start, or an event to wait for; null: as soon as the service listens. */
async function started(place: Workplace, stopAfter: number | (() => Promise<void>) | null): Promise<Ended> {
  const began = performance.now()
  const env = { ...place.env, POSTROAD_LISTEN: '127.0.0.1:0' }
  const child = spawn(bin, ['serve', '--json'], { cwd: place.folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  place.serving.add(child)
  let stderr = ''
  let listenedAfter: number | null = null
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (!text.includes('"url"')) return
    listenedAfter ??= performance.now() - began
    if (stopAfter === null) child.kill('SIGTERM')
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      place.serving.delete(child)
      resolve({ code, signal, stderr, listenedAfter })
    })
  })
  if (stopAfter !== null) {
    await (typeof stopAfter === 'number' ? pause(stopAfter) : stopAfter())
    child.kill('SIGTERM')
  }
  return await ended
}

describe('SIGTERM while the service starts', () => {
  let place: Workplace
  before(async () => {
    place = await newWorkplaceOnEngine({ POSTROAD_LOG_LEVEL: 'info' })
  })
  after(() => place.remove())

  test('ends the service at any moment without an error, and the next start works', async () => {
    const { listenedAfter: whole } = await started(place, null)
    const MOMENTS = 8
    let early = 0
    for (let moment = 1; moment <= MOMENTS; moment++) {
      const { code, signal, stderr, listenedAfter } = await started(place, (whole! * moment) / MOMENTS)
      if (listenedAfter === null) early++
      // Before the program is loaded, the signal itself ends the process.
      if (signal === null) assert.equal(code, 0, stderr)
      else assert.equal(signal, 'SIGTERM')
      assert.doesNotMatch(stderr, /"level":"(warn|error|fatal)"|Error/)
    }
    assert.ok(early > 0)
    const service = await serve(place, ['--json'], /\}\n/)
    assert.equal((await fetch(`${service.url}/ready`)).status, 200)
    assert.equal((await place.json<unknown[]>('node', 'list')).length, 1)
    assert.equal((await service.stop()).code, 0)
    assert.deepEqual(await place.json('node', 'list'), [])
  })

  const skip = !onPostgres && 'nobody can hold a table of SQLite for longer than a statement waits'
  for (const table of ['schema_migrations', 'companies', 'nodes', 'queue']) {
    test(`ends the service while it waits for the locked table ${table}`, { skip }, async () => {
      const { Client } = (await import('pg')).default
      const holder = new Client({ connectionString: place.env.POSTROAD_DATABASE_URL! })
      await holder.connect()
      try {
        await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
        const waits = async () => {
          const sql = `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass) AS waits`
          while (!(await holder.query(sql)).rows[0].waits) await pause(20)
        }
        const { code, stderr, listenedAfter } = await started(place, waits)
        assert.equal(code, 0, stderr)
        assert.equal(listenedAfter, null)
      } finally {
        await holder.end()
      }
    })
  }
})
