import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { accept, email, suppress } from '../store/samples.ts'
import { ApiClient } from '../support/api-client.ts'
import { Installation } from '../support/installation.ts'
import { emptyDatabase, execute, withoutPostgres } from '../support/postgres.ts'
import { startSink } from '../support/sink.ts'
import { bin, newWorkplace, type Ran, runProgram } from './postroad.ts'

interface Moved {
  tables: { name: string; rows: number; sha256: string }[]
  secret_key_file: string | null
}

const DAY = 24 * 60 * 60 * 1_000

/** Without the settings of the outer environment. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('POSTROAD_')))

function migrateData(installation: Installation, to: string, ...options: string[]): Promise<Ran> {
  const from = `sqlite:${installation.databasePath}`
  return runProgram(bin, ['migrate-data', from, to, '--json', ...options], {
    env,
    cwd: installation.directory,
  })
}

async function using<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(parseDatabase(url), { exclusive: false })
  return await work(store).finally(() => store.close())
}

/** Everything that can be read out of a store. */
async function everything(store: Store): Promise<object> {
  const emails = await store.listEmails({ limit: 1_000_000 })
  const contents = []
  for (const { id } of emails) {
    contents.push([await store.readHistory(id), await store.readWork(id), await store.readCaptured(id)])
  }
  return {
    accounts: await store.accounts(),
    emails,
    contents,
    queue: await store.queue(),
    suppressions: await store.listSuppressions({ limit: 1_000 }),
    pauses: await store.pauses(0),
    held: await store.heldDomains(),
    quarantined: await store.quarantined({ limit: 10 }),
    canceled: await store.cancelRequests(),
  }
}

describe('migrate-data', { skip: withoutPostgres() }, () => {
  test('moves an installation, even when it is killed on the way, and PostgreSQL serves the waiting mail', async () => {
    await using sink = await startSink()
    await sink.close()
    await using installation = new Installation({
      POSTROAD_DATABASE_URL: 'sqlite:./postroad.db',
      POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
      POSTROAD_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s',
    })
    const { token, companyId } = await installation.addTenant('acme.test')
    const bounds = ['--expires', '365d', '--from', '10.0.0.0/8', '--from', '::1']
    await installation.command('key', 'create', '--company', companyId, '--name', 'bound', ...bounds)
    const routed = await installation.command<{ id: string }>('company', 'create', 'Routed')
    await installation.command('route', 'set', 'smtp://u:p@relay.test:587', '--company', routed.id)
    const service = await installation.serve()
    const api = new ApiClient(service.url, token)
    const from = 'a@acme.test'
    const file = { filename: 'ü.bin', content: Buffer.alloc(30_000, 7).toString('base64') }
    const waiting = await api.accepted({
      from,
      to: ['one@in.test', 'two@in.test'],
      subject: 'grüße',
      html: '<p>ä</p>',
      attachments: [file, { ...file, filename: 'again.bin' }],
    })
    const later = await api.accepted({
      from,
      to: 'later@in.test',
      subject: 'later',
      text: 'x',
      scheduled_at: new Date(Date.now() + DAY).toISOString(),
    })
    const keyed = { from, to: 'keyed@in.test', subject: 'keyed', text: 'once' }
    const first = await api.send(keyed, { 'Idempotency-Key': 'k1' })
    const bounced = await api.accepted({ from, to: 'bounced@simulator.test', subject: 'b', text: 'x' })
    await api.lastEvent(bounced, 'bounced')
    await api.sendForm(
      'acme.test',
      [
        ['to', 'raw@in.test'],
        ['message', new File(['From: a@acme.test\r\nTo: raw@in.test\r\n\r\nraw \u0000 octets\r\n'], 'm.eml')],
      ],
      'messages.mime',
    )
    for (const id of [waiting, String(first.body.id)]) await api.lastEvent(id, 'delivery_delayed')

    const to = await emptyDatabase()
    const busy = await migrateData(installation, to)
    assert.equal(busy.code, 1)
    assert.match(busy.stderr, /in use by a Postroad service.*Stop that one, then run this again\n$/)
    // With some under way, as a machine that fails leaves them.
    await service.kill('SIGKILL')
    const source = `sqlite:${installation.databasePath}`
    await using(source, async (store) => {
      await suppress(store, companyId, 'Gone@in.test', '550 nobody', 1)
      await store.pause({ companyId: null, domain: 'slow.test', since: 1 })
      const owner = { id: companyId, name: '', createdAt: 0 }
      const poison = email(owner, ['poison@in.test', 'other@in.test'])
      await store.accept(poison, { token: 1 })
      const aside = { emailId: poison.id, leaseToken: 1, positions: [0, 1], others: 'suspect' as const }
      assert.equal(await store.quarantine({ ...aside, at: Date.now(), message: 'Poison' }), 2)
      for (let n = 0; n < 20; n++) {
        const values = Array.from({ length: 100 }, () => email(owner, ['p@slow.test', 'q@slow.test']))
        await Promise.all(values.map((value) => accept(store, { ...value, dueAt: Date.now() + DAY })))
      }
    })
    const before = await using(source, everything)

    // Killed at its first word about emails: some of them are there, and nothing of it is seen.
    const killed = spawn(bin, ['migrate-data', source, to], {
      env,
      cwd: installation.directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    killed.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (/^emails: /m.test(said)) killed.kill('SIGKILL')
    })
    const [code, signal] = (await once(killed, 'close')) as [number | null, string | null]
    assert.deepEqual([code, signal], [null, 'SIGKILL'], said)
    assert.deepEqual(await execute(to, "SELECT to_regclass('companies') IS NULL AS nothing"), [
      { nothing: true },
    ])
    const [left] = await execute<{ rows: string }>(
      to,
      "SELECT rows FROM postroad_transfer.transfer_progress WHERE table_name = 'companies'",
    )
    assert.equal(Number(left!.rows), 2)

    const again = await migrateData(installation, to)
    assert.equal(again.code, 0, again.stderr)
    const moved = JSON.parse(again.stdout) as Moved
    assert.equal(moved.tables.find(({ name }) => name === 'emails')?.rows, 2_006)
    assert.ok(moved.tables.every(({ rows, sha256 }) => rows === 0 || /^[0-9a-f]{64}$/.test(sha256)))
    assert.equal(moved.secret_key_file, `${installation.databasePath}.key`)
    assert.deepEqual(await using(to, everything), before)

    const twice = await migrateData(installation, to)
    assert.equal(twice.code, 1)
    assert.match(twice.stderr, /holds an installation already.*earlier run.*postroad company list/)

    await sink.listen()
    const served = await installation.serve({
      settings: {
        POSTROAD_DATABASE_URL: to,
        POSTROAD_SECRET_KEY: readFileSync(moved.secret_key_file!, 'latin1').trim(),
      },
    })
    const there = new ApiClient(served.url, token)
    for (const id of [waiting, String(first.body.id)]) await there.lastEvent(id, 'delivered')
    await sink.until(3)
    assert.equal((await there.send(keyed, { 'Idempotency-Key': 'k1' })).body.id, first.body.id)
    assert.equal((await there.read(later)).body.last_event, 'scheduled')
    const fresh = await there.accepted({ from, to: 'fresh@in.test', subject: 'fresh', text: 'x' })
    await there.lastEvent(fresh, 'delivered')
    const arrived = sink.messages.flatMap(({ recipients }) => recipients).toSorted()
    assert.deepEqual(
      arrived,
      ['fresh', 'keyed', 'one', 'raw', 'two'].map((name) => `${name}@in.test`),
    )
    assert.match((await sink.messageFor('one@in.test')).raw.toString('latin1'), /^DKIM-Signature:/m)
  })

  test('continues only from the same source, and starts again with --restart', async () => {
    const [one, other] = [newWorkplace(), newWorkplace()]
    const to = await emptyDatabase()
    const move = (place: typeof one, ...options: string[]) =>
      place.run('migrate-data', 'sqlite:./data/postroad.db', to, ...options)
    try {
      await one.json('company', 'create', 'One')
      await other.json('company', 'create', 'Other')
      // As a transfer that was killed at its start has left it.
      await execute(to, 'CREATE SCHEMA postroad_transfer')
      const within = new URL(to)
      within.searchParams.set('options', '-c search_path=postroad_transfer')
      await using(within.href, async () => {})
      await execute(to, "CREATE TABLE postroad_transfer.transfer_source AS SELECT 'another' AS state")
      const refused = await move(one)
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /begun from another database.*--restart/s)
      assert.equal((await move(one, '--restart')).code, 0)
      const taken = await move(other)
      assert.equal(taken.code, 1)
      assert.match(taken.stderr, /holds an installation already/)
    } finally {
      one.remove()
      other.remove()
    }
  })

  test('explains its arguments, and quotes no password', async () => {
    const place = newWorkplace()
    try {
      await place.json('company', 'create', 'Acme')
      const backwards = await place.run(
        'migrate-data',
        'postgres://u:hunter2@h/d',
        'sqlite:./data/postroad.db',
      )
      assert.equal(backwards.code, 2)
      assert.match(backwards.stderr, /sqlite:<path> and the destination postgres:/)
      const away = await place.run(
        'migrate-data',
        'sqlite:./data/postroad.db',
        'postgres://u:hunter2@127.0.0.1:1/d',
      )
      assert.equal(away.code, 1)
      assert.match(
        away.stderr,
        /^postroad: the database .*127\.0\.0\.1:1\/d is not available: .*Is PostgreSQL running/m,
      )
      const unknown = await place.run('migrate-data', 'sqlite:./data/postroad.db', 'mysql://u:hunter2@h/d')
      assert.equal(unknown.code, 2)
      const missing = await place.run(
        'migrate-data',
        'sqlite:./none.db',
        'postgres://u:hunter2@127.0.0.1:1/d',
      )
      assert.match(missing.stderr, /there is no database at .*none\.db\. .*first argument/)
      const uncertain = await place.run(
        'migrate-data',
        'sqlite:./data/postroad.db',
        'postgres://u:hunter2@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
      )
      assert.match(uncertain.stderr, /the file \/nowhere\/ca\.pem cannot be read .*"sslrootcert="/)
      const unescaped = await place.run(
        'migrate-data',
        'sqlite:./data/postroad.db',
        'postgres://u:hunter2/x@h/d',
      )
      assert.match(unescaped.stderr, /write .* \/ as %2F/)
      for (const { stderr } of [backwards, away, unknown, missing, uncertain, unescaped])
        assert.doesNotMatch(stderr, /hunter2/)
      const foreign = await emptyDatabase()
      const nowhere = Object.assign(new URL(foreign), { pathname: '/nowhere' }).href
      const unnamed = await place.run('migrate-data', 'sqlite:./data/postroad.db', nowhere)
      assert.match(unnamed.stderr, /no database with that name.*in the database URL/)
      for (const { stderr } of [missing, unnamed]) assert.doesNotMatch(stderr, /POSTROAD_DATABASE_URL/)
      await execute(foreign, 'CREATE TABLE theirs (n integer)')
      const refused = await place.run('migrate-data', 'sqlite:./data/postroad.db', foreign)
      assert.match(refused.stderr, /holds tables of another program/)
    } finally {
      place.remove()
    }
  })
})
