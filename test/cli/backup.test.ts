import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { Preload } from '../../harness/preload/preload.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { startSink } from '../support/sink.ts'
import { newWorkplace, serve, type Workplace } from './postroad.ts'

interface Backup {
  file: string
  size: number
  emails: number
  secret_key_file: string | null
}

async function workplace(settings: Record<string, string> = {}): Promise<Workplace & AsyncDisposable> {
  const place = newWorkplace({ POSTROAD_LOG_LEVEL: 'warn', ...settings })
  return Object.assign(place, { [Symbol.asyncDispose]: async () => place.remove() })
}

async function send(url: string, token: string, email: Record<string, unknown>): Promise<string> {
  const response = await fetch(`${url}/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from: 'a@acme.test', subject: 's', text: 't', ...email }),
  })
  assert.equal(response.status, 200)
  return ((await response.json()) as { id: string }).id
}

describe('backup', () => {
  test('a restored copy sends the mail that was waiting at the time of the backup', async () => {
    await using place = await workplace()
    const service = await serve(place, ['--json'], /\}\}\n/)
    const { token } = JSON.parse(service.stdout()).firstStart as { token: string }
    const soon = new Date(Date.now() + 10 * 60_000).toISOString()
    const file = { filename: 'f.bin', content: Buffer.alloc(20_000, 7).toString('base64') }
    const waiting = await send(service.url, token, {
      to: 'later@x.test',
      scheduled_at: soon,
      attachments: [file],
    })

    // Mail is accepted while the copy is made: none of it fails, and all earlier mail is in the copy.
    let over = false
    const load = (async () => {
      let accepted = 0
      for (; !over; accepted++) await send(service.url, token, { to: `n${accepted}@x.test` })
      return accepted
    })()
    const copy = join(place.folder, 'copy.db')
    const made = await place.json<Backup>('backup', copy)
    over = true
    assert.ok((await load) > 0)
    assert.equal(made.file, copy)
    assert.equal(made.secret_key_file, join(place.folder, 'data', 'postroad.db.key'))
    assert.ok(made.emails >= 1)
    assert.equal(statSync(copy).size, made.size)
    assert.equal(statSync(copy).mode & 0o777, 0o600)
    assert.deepEqual(
      readdirSync(place.folder).filter((name) => name.startsWith('copy.db')),
      ['copy.db'],
    )
    await service.stop()

    // The machine burns down. What is left: the copy and the key, put together as the documentation says.
    const sink = await startSink()
    await using restored = await workplace({
      POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
    })
    mkdirSync(join(restored.folder, 'data'))
    copyFileSync(copy, join(restored.folder, 'data', 'postroad.db'))
    copyFileSync(made.secret_key_file!, join(restored.folder, 'data', 'postroad.db.key'))
    // Its time comes: only the clock is moved on.
    const db = new DatabaseSync(join(restored.folder, 'data', 'postroad.db'))
    db.exec("UPDATE recipients SET due_at = 0 WHERE address = 'later@x.test'; UPDATE lanes SET due_at = 0")
    db.close()
    const again = await serve(restored)
    try {
      const message = await sink.messageFor('later@x.test')
      assert.match(message.raw.toString('latin1'), /^DKIM-Signature:/m)
      const shown = await restored.json<{ id: string }>('email', 'show', waiting)
      assert.equal(shown.id, waiting)
    } finally {
      await again.stop()
      await sink.close()
    }
  })

  test('never lies over another file unasked, nor over the database at all', async () => {
    await using place = await workplace()
    await place.json('company', 'create', 'Acme')
    const copy = join(place.folder, 'copy.db')
    writeFileSync(copy, 'precious')
    const refused = await place.run('backup', copy)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /there is already a file .*copy\.db.*--force/)
    assert.equal(statSync(copy).size, 8)
    assert.ok((await place.json<Backup>('backup', copy, '--force')).size > 8)
    for (const name of ['postroad.db', 'postroad.db-wal', 'postroad.db.key', 'postroad.db.backup.json']) {
      const own = await place.run('backup', join('data', name), '--force')
      assert.equal(own.code, 1, name)
      assert.match(own.stderr, /belongs to the database itself/)
    }
    assert.equal((await place.json<unknown[]>('company', 'list')).length, 1)
  })

  test('names the obstacle, and leaves no file behind', async () => {
    await using place = await workplace()
    assert.match((await place.run('backup', 'copy.db')).stderr, /there is no database at/)
    await place.json('company', 'create', 'Acme')
    const nowhere = await place.run('backup', join('no', 'where', 'copy.db'))
    assert.equal(nowhere.code, 1)
    assert.match(nowhere.stderr, /cannot be written: there is no directory .*no\/where/)
    const within = await place.run('backup', join('data', 'postroad.db', 'copy.db'))
    assert.equal(within.code, 1)
    assert.match(within.stderr, /cannot be written: a part of the path is a file/)
    for (const special of ['data', '/dev/null']) {
      const refused = await place.run('backup', special)
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /cannot go to .*: that is a directory or a special file/)
    }
    assert.deepEqual(
      readdirSync(place.folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /copy|part/.test(name),
      ),
      [],
    )
  })

  test('is on disk when the command ends: first the file gets its name, then the folder is synced', async (t) => {
    await using place = await workplace()
    await place.json('company', 'create', 'Acme')
    // The name of what is preloaded must not have the spaces that the workplace has.
    const preload = Preload.compile(temporaryDirectory(t), place.folder)
    if (typeof preload === 'string') return t.skip(preload)
    const folder = join(realpathSync(place.folder), 'backups')
    mkdirSync(folder)
    for (const [number, options] of [[], ['--force']].entries()) {
      const { environment, synced } = preload.listing(`backup ${number}`)
      Object.assign(place.env, environment)
      const copy = join(folder, 'copy.db')
      await place.json('backup', copy, ...options)
      const order = synced().map((path) => path.replace(/\.[0-9a-f-]{36}\.part/, '.part'))
      assert.equal(order.pop(), folder)
      // Once by SQLite; and by us, who do not ask how SQLite is set.
      assert.deepEqual(order.slice(-2), [`${copy}.part`, `${copy}.part`])
    }
  })

  test('of PostgreSQL is left to its own tools', async () => {
    await using place = await workplace({ POSTROAD_DATABASE_URL: 'postgres://127.0.0.1:1/x' })
    const refused = await place.run('backup', 'copy.db')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /pg_dump.*docs\/operations\.md/s)
  })
})
