import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { webhookSwitched } from '../../src/email/company-event.ts'
import type { EventStore } from '../../src/store/event-store.ts'
import { LOCK } from '../../src/store/postgres/migrate.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type TransferProgress, transfer } from '../../src/store/transfer/transfer.ts'
import { emptyDatabase, execute, withoutPostgres } from '../support/postgres.ts'
import { entry } from './contract/audit.ts'
import { CREDENTIALS, invitationOf, linkOf, person, sessionOf, tokenHash } from './contract/people.ts'
import { progress, webhook, attempt as webhookAttempt } from './contract/webhooks.ts'
import { temporaryDirectory } from './directory.ts'
import { openedPostgres } from './opened.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  company,
  DAY,
  deferred,
  domain,
  email,
  eventNames,
  HOUR,
  NOW,
  node,
  result,
  states,
  suppression,
} from './samples.ts'

interface Move {
  /** The SQLite file, filled and closed. */
  from: string
  /** An empty PostgreSQL database. */
  to: string
}

async function filled(context: TestContext, fill: (store: Store) => Promise<unknown>): Promise<Move> {
  const from = join(temporaryDirectory(context), 'postroad.db')
  const store = await SqliteStore.open(from, { exclusive: true })
  try {
    await fill(store)
  } finally {
    await store.close()
  }
  return { from, to: await emptyDatabase(context) }
}

async function move({ from, to }: Move, onProgress?: (progress: TransferProgress) => void) {
  return await transfer({ from, to, restart: false, ...(onProgress && { onProgress }) })
}

/** Makes the tables where a transfer begins to fill them, as one that was killed at its start has left them. */
async function begun(url: string): Promise<void> {
  await execute(url, 'CREATE SCHEMA postroad_transfer')
  const within = new URL(url)
  within.searchParams.set('options', '-c search_path=postroad_transfer')
  await (await PostgresStore.open(within.href)).close()
}

async function isEmpty(url: string): Promise<boolean> {
  const [row] = await execute<{ empty: boolean }>(url, "SELECT to_regclass('companies') IS NULL AS empty")
  return row!.empty
}

describe('a transfer to PostgreSQL', { skip: withoutPostgres() }, () => {
  /** The mail of one company, a recipient each, all with an idempotency key. */
  const keyed = async (store: Store) => {
    const owner = await acme(store)
    for (let n = 0; n < 3; n++) {
      const value = email(owner, ['a@x.test'], { idempotency: { key: `k${n}`, fingerprint: 'f' } })
      await accept(store, { ...value, content: { ...value.content, html: '<p>html</p>' } })
    }
  }

  const damages = [
    { what: 'an octet of a body', table: 'emails', change: 'NEW.html := set_byte(NEW.html, 3, 0)' },
    { what: 'a letter of a text', table: 'idempotency', change: "NEW.fingerprint := 'F'" },
    { what: 'a number', table: 'queue', change: 'NEW.due_at := NEW.due_at + 1' },
    { what: 'a yes or no', table: 'recipients', change: 'NEW.uncertain := NOT NEW.uncertain' },
    { what: 'a row', table: 'events', change: "IF NEW.type = 'sent' THEN RETURN NULL; END IF" },
  ]
  for (const { what, table, change } of damages) {
    test(`finds ${what} that the database changed, and puts nothing in place`, async (t) => {
      const { from, to } = await filled(t, keyed)
      await begun(to)
      await execute(
        to,
        `CREATE FUNCTION damage() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${change}; RETURN NEW; END $$;
         CREATE TRIGGER damage BEFORE INSERT ON postroad_transfer.${table} FOR EACH ROW EXECUTE FUNCTION damage()`,
      )
      const message = new RegExp(`^The table ${table} is not the same on both sides: .*--restart$`)
      await assert.rejects(move({ from, to }), { name: 'StoreDamaged', message })
      assert.equal(await isEmpty(to), true)
      // What was copied is compared once more, however often it is asked for.
      await assert.rejects(move({ from, to }), { name: 'StoreDamaged', message })
      await transfer({ from, to, restart: true })
      assert.equal((await (await openedPostgres(t, to)).listEmails({ limit: 10 })).length, 3)
    })
  }

  test('keeps other processes from writing to its source, until it ends', async (t) => {
    const way = await filled(t, keyed)
    const write = () => {
      const beside = new DatabaseSync(way.from, { timeout: 0 })
      try {
        beside.exec('BEGIN IMMEDIATE; ROLLBACK')
      } finally {
        beside.close()
      }
    }
    const services: Promise<unknown>[] = []
    const steps = new Set<string>()
    await move(way, ({ step, table }) => {
      steps.add(`${step} ${table}`)
      assert.throws(write, /database is locked/)
      const service = SqliteStore.open(way.from, { exclusive: true })
      services.push(assert.rejects(service, { name: 'StoreConflict', message: /in use by/ }))
    })
    await Promise.all(services)
    assert.ok(steps.has('copy companies') && steps.has('verify idempotency'), [...steps].join())
    write()
    await (await SqliteStore.open(way.from, { exclusive: true })).close()
  })

  test('leaves its source to other processes when it is refused', async (t) => {
    const way = await filled(t, keyed)
    await execute(way.to, 'CREATE TABLE theirs (n integer)')
    await assert.rejects(move(way), { name: 'StoreConflict', message: /tables of another program/ })
    await (await SqliteStore.open(way.from, { exclusive: true })).close()
  })

  test('hands out fencing tokens above all earlier ones', async (t) => {
    const joins = 40
    let last = 0
    const way = await filled(t, async (store) => {
      const owner = await acme(store)
      for (let n = 0; n < joins; n++) last = await store.join(node(`n${n}`))
      await store.accept(email(owner, ['a@x.test']), { token: last })
    })
    assert.equal(last, joins)
    await move(way)
    const store = await openedPostgres(t, way.to)
    const [leased] = await execute<{ lease: string }>(way.to, 'SELECT max(lease) AS lease FROM queue')
    assert.equal(Number(leased!.lease), last)
    const token = await store.join(node('first'))
    assert.ok(token > last)
    // Below the count are random bits, which differ from one node to the next.
    assert.equal(Math.floor(token / 2 ** 20), joins + 1)
  })

  test('brings events with their numbers, and continues after the last number', async (t) => {
    let last = 0
    let logged: unknown
    const way = await filled(t, async (store) => {
      const owner = await acme(store)
      const values = [email(owner, ['a@x.test']), email(owner, ['b@y.test']), email(owner, ['c@z.test'])]
      for (const value of values) await store.accept(value, { token: 1 })
      for (const value of values.toReversed()) await store.record(attempt(value, 1, [result(0)]))
      const one = webhook(owner.id)
      await store.addWebhook(one)
      await store.updateWebhook(
        one.id,
        { status: 'disabled' },
        webhookSwitched('webhook.disabled', one, NOW, 'why'),
      )
      // The last numbers are of an email that retention removes.
      const gone = email(owner, ['d@z.test'], { createdAt: NOW - DAY })
      await store.accept(gone, { token: 1 })
      await store.record(attempt(gone, 1, [result(0)]))
      const before = { contentBefore: NOW - HOUR, emailsBefore: NOW - HOUR, limit: 10 }
      while ((await store.retain(before)) > 0);
      const log = store as unknown as EventStore
      last = await log.lastEventNumber()
      logged = (await log.entriesAfter(0, {}, 100)).events
    })
    await move(way)
    const store = await openedPostgres(t, way.to)
    assert.deepEqual((await store.entriesAfter(0, {}, 100)).events, logged)
    const [owner] = (await store.accounts()).companies
    await store.accept(email(owner!, ['e@x.test']), { token: 1 })
    const { events, cursor } = await store.eventsAfter(last, {}, 100)
    assert.deepEqual([events.map(({ type }) => type), cursor], [['sent'], last + 1])
  })

  test('brings lists and limits, which hold as before', async (t) => {
    let owner = company('unset')
    const quota = { daily: 3, monthly: null }
    const idempotency = { key: 'k', fingerprint: 'f' }
    const emails = () => ['a@x.test', 'b@x.test'].map((to) => email(owner, [to], { quota }))
    const lists = async (store: Store) => ({
      suppressions: await store.listSuppressions({ companyId: owner.id, limit: 10 }),
      allowed: await store.allowedPage({ companyId: owner.id, limit: 10 }),
      companies: (await store.accounts()).companies,
      used: await store.quotaUsed(owner.id, NOW),
    })
    let before: unknown
    let repeated: unknown
    const way = await filled(t, async (store) => {
      owner = await acme(store)
      await store.updateCompany(owner.id, { limits: { rate: 7, daily: 3 } })
      await store.addSuppressions([
        suppression(owner, 'Gone@x.test', { type: 'bounce', code: 550, domainId: 'd', emailId: 'e' }),
        suppression(owner, 'gone@X.test'.toLowerCase(), { type: 'complaint' }),
        suppression(owner, 'some@x.test', { type: 'unsubscribe', tags: ['News', 'a:b'] }),
      ])
      const entry = { companyId: owner.id, domainId: null, reason: null, createdAt: NOW }
      await store.addAllowed([{ ...entry, value: 'Jane@x.test', kind: 'address' }])
      await store.acceptAll({ emails: emails(), idempotency }, null)
      before = await lists(store)
      repeated = await store.acceptAll({ emails: emails(), idempotency }, null)
    })
    await move(way)
    const store = await openedPostgres(t, way.to)
    assert.deepEqual(await lists(store), before)
    assert.deepEqual(await store.acceptAll({ emails: emails(), idempotency }, null), repeated)
    const over = await store.acceptAll({ emails: emails(), idempotency: null }, null)
    assert.equal(over.kind, 'over-quota')
    const tags = [{ name: 'tag', value: 'news' }]
    const stopped = await accept(store, email(owner, ['SOME@x.test', 'GONE@x.test'], { tags }))
    assert.deepEqual(await states(store, stopped.id), ['suppressed', 'suppressed'])
  })

  test('brings what keeps nodes from sending too much, and from announcing a problem twice', async (t) => {
    const day = Math.floor(NOW / DAY)
    const claim = { alertId: 'disk', since: NOW, channel: 'mail:a', isEnd: false, now: NOW, until: NOW + 1 }
    const state = { closed: null, sessions: 2, messagesPerMinute: 30, pausedUntil: NOW + HOUR, hourDue: NOW }
    const seen = async (store: Store) => ({
      counts: await store.warmUpCounts(day, 10),
      paths: await store.sharedPaths(),
      alerts: await store.alerts(),
      announcements: await store.announcements(),
    })
    let before: unknown
    const way = await filled(t, async (store) => {
      await store.countWarmUp(day, [{ source: '192.0.2.1', site: 'x.test', messages: 7 }])
      await store.sharePaths({
        paths: [{ key: 'direct\0x.test', node: 1, changedAt: NOW, state }],
        ...{ changed: [], usual: [], before: 0 },
      })
      const texts = { title: 'Disk', found: '0.5 GiB are free.', advice: null, memberAdvice: null }
      await store.raiseAlert({ id: 'disk', companyId: null, ...texts }, NOW)
      await store.claimAnnouncement(claim)
      await store.endAnnouncement(claim, NOW)
      before = await seen(store)
    })
    await move(way)
    const store = await openedPostgres(t, way.to)
    assert.deepEqual(await seen(store), before)
    assert.equal(await store.claimAnnouncement({ ...claim, now: NOW + HOUR, until: NOW + DAY }), null)
  })

  test('brings webhooks with their events still to send, the notes about tags, and the cursors of the log', async (t) => {
    const seen = async (store: Store, companyId: string, domainId: string) => {
      const told = await store.webhooks({ companyId })
      return {
        told,
        attempts: await Promise.all(
          told.map(({ id }) => store.webhookAttempts({ webhookId: id, limit: 10 })),
        ),
        retries: await Promise.all(told.map(({ id }) => store.webhookRetries(id, NOW + DAY, 10))),
        key: await store.signingKey(companyId),
        notes: await store.tagNotes(domainId),
        cursor: await store.followerCursor('digest'),
      }
    }
    let owner = company('unset')
    let domainId = ''
    let before: unknown
    const way = await filled(t, async (store) => {
      owner = await acme(store)
      const sending = domain(owner, 'acme.test')
      await store.addDomain(sending)
      domainId = sending.id
      const rotated = { previousSecret: Uint8Array.of(3), rotatedAt: NOW }
      const [one, form] = [
        webhook(owner.id, { types: ['delivered', 'bounced'], ...rotated }),
        webhook(owner.id, { dialect: 'form', domainId, failingSince: NOW - HOUR }),
      ]
      for (const each of [one, form]) await store.addWebhook(each)
      const token = await store.join(node('here'))
      await store.takeWebhooks(token)
      const refused = { ...webhookAttempt(one.id, 8, false), response: 'no' }
      const retry = { number: 8, attempts: 1, dueAt: NOW + HOUR }
      await store.progressWebhook(
        progress(one, token, 0, { cursor: 12, waiting: [retry], attempts: [refused], failingSince: NOW }),
      )
      await store.setSigningKey(owner.id, Uint8Array.of(5, 6), false)
      await store.noteTag({ domainId, tag: 'news', description: 'weekly', removedAt: null })
      await store.takeFollower('digest', token, 0)
      await store.advanceFollower('digest', token, 0, 4)
      await store.leave(token)
      before = await seen(store, owner.id, domainId)
    })
    await move(way)
    const store = await openedPostgres(t, way.to)
    assert.deepEqual(await seen(store, owner.id, domainId), before)
    const [one] = await store.takeWebhooks(await store.join(node('there')))
    assert.deepEqual([one!.cursor, one!.retryAt], [12, NOW + HOUR])
  })

  test('brings people with their credentials, and the audit list', async (t) => {
    const [hash, link] = [tokenHash(), tokenHash()]
    const seen = async (store: Store) => ({
      people: await store.people(null),
      invitations: await store.invitations(null, NOW),
      elsewhere: await store.findPersonByIdentity('https://one.test', 'ada'),
      signedIn: await store.findSession(hash, NOW),
      audit: await store.audit({ companyId: null, limit: 10 }),
    })
    let before: unknown
    let last = 0
    const way = await filled(t, async (store) => {
      const owner = await acme(store)
      const membership = { companyId: owner.id, role: 'developer' as const }
      const ada = person({ credentials: CREDENTIALS, memberships: [membership], operator: true })
      for (const each of [ada, person({ address: null })]) await store.addPerson(each)
      await store.addSession(sessionOf(ada, { way: 'oidc' }), hash)
      await store.addLink(linkOf(ada), link)
      for (const inviter of [{}, { inviterId: ada.id, inviterName: 'Ada' }]) {
        await store.addInvitation(invitationOf(owner, inviter), tokenHash())
      }
      await store.updatePerson(ada.id, ada.version, { doubtMemberships: true })
      // More than go in one step.
      await Promise.all(Array.from({ length: 600 }, () => store.addLink(linkOf(ada), tokenHash())))
      for (const companyId of [owner.id, null]) last = await store.addAudit(entry(companyId))
      await store.settleAudit(last, { companyId: owner.id, target: 'app', detail: { scopes: ['sending'] } })
      before = await seen(store)
    })
    await move(way)
    const store = await openedPostgres(t, way.to)
    assert.deepEqual(await seen(store), before)
    assert.equal((await execute(way.to, 'SELECT 1 FROM sign_in_links')).length, 601)
    assert.ok(await store.takeLink(link, NOW))
    assert.ok((await store.addAudit(entry(null))) > last)
  })

  test('brings held mail, with the reason of each hold', async (t) => {
    let domainId = ''
    const way = await filled(t, async (store) => {
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'b@y.test'])
      domainId = value.domainId
      await store.accept(value, { token: 1 })
      const held = { held: true, tried: false, events: [] }
      const closed = deferred(1, NOW + HOUR, { ...held, postponedSince: NOW })
      await store.record(attempt(value, 1, [deferred(0, NOW + HOUR, held), closed]))
    })
    await move(way)
    const store = await openedPostgres(t, way.to)
    assert.deepEqual(await store.heldDomains(), [domainId])
    // Mail of a closed path may be retried all the same, mail of a domain that may not send may not.
    const retried = await store.retry({ companyId: null, domains: null, emailId: null, now: NOW })
    assert.deepEqual(retried, { retried: 1, held: 1, paused: 0, scheduled: 0 })
    assert.equal(await store.releaseHeld(domainId, { now: NOW, dueBefore: NOW + HOUR + 1 }), 1)
    assert.deepEqual(await store.heldDomains(), [])
  })

  test('brings mail under way, which is claimed after the first node has recovered it', async (t) => {
    const ids: string[] = []
    const way = await filled(t, async (store) => {
      const owner = await acme(store)
      const token = await store.join(node('old'))
      const value = email(owner, ['a@x.test', 'b@y.test', 'later@z.test'])
      await store.accept(value, { token })
      const known = { uncertain: true, preferredServer: 'mx.x.test', postponedSince: NOW - HOUR }
      await store.record(attempt(value, token, [deferred(0, NOW, known), deferred(2, NOW + HOUR)]))
      const [work] = await store.claim(claimRequest(token))
      assert.equal(work?.recipients.length, 1)
      const canceled = email(owner, ['a@x.test', 'b@y.test'])
      await store.accept(canceled, { token })
      assert.deepEqual(await store.cancel(canceled.id, NOW), { canceled: 0, sending: 2 })
      ids.push(value.id, canceled.id)
    })
    const [value, canceled] = ids as [string, string]
    await move(way)
    const store = await openedPostgres(t, way.to)
    const token = await store.join(node('new'))
    assert.deepEqual(await states(store, value), ['sending', 'sending', 'waiting'])
    assert.deepEqual(await store.claim(claimRequest(token)), [])
    assert.deepEqual(await store.cancelRequests(), [canceled])

    assert.equal(await store.recover({ now: NOW + 1, jitterMs: 0 }), 4)
    assert.deepEqual(await states(store, canceled), ['canceled', 'canceled'])
    assert.deepEqual(await eventNames(store, canceled), ['sent', '0:canceled', '1:canceled'])
    assert.deepEqual(await store.cancelRequests(), [])
    const [work, ...others] = await store.claim(claimRequest(token, { now: NOW + 1 }))
    assert.deepEqual(others, [])
    assert.deepEqual(
      work?.recipients.map(
        ({ position, attempts, preferredServer, uncertain, postponedSince, suspicion }) => {
          return { position, attempts, preferredServer, uncertain, postponedSince, suspicion }
        },
      ),
      [
        {
          position: 0,
          attempts: 0,
          preferredServer: 'mx.x.test',
          uncertain: true,
          postponedSince: NOW - HOUR,
          suspicion: 1,
        },
        {
          position: 1,
          attempts: 0,
          preferredServer: null,
          uncertain: false,
          postponedSince: null,
          suspicion: 1,
        },
      ],
    )
    assert.equal(await store.nextDue(), NOW + HOUR)
  })

  test('gives new emails and events numbers above the transferred ones', async (t) => {
    let owner = company('unset')
    const way = await filled(t, async (store) => {
      owner = await acme(store)
      for (let n = 0; n < 5; n++) await accept(store, email(owner, ['a@x.test']))
    })
    await move(way)
    const store = await openedPostgres(t, way.to)
    await acme(store, 'Another')
    const before = await store.listEmails({ limit: 10 })
    const value = await accept(store, email(owner, ['a@x.test']))
    const after = await store.listEmails({ limit: 10 })
    assert.deepEqual(
      after.map(({ id }) => id),
      [value.id, ...before.map(({ id }) => id)],
    )
    const [oldest] = after.slice(-1)
    await store.cancel(oldest!.id, NOW)
    assert.deepEqual(await eventNames(store, oldest!.id), ['sent', '0:canceled'])
  })

  test('is refused by a database that is served, and changes nothing there', async (t) => {
    const way = await filled(t, keyed)
    const served = await openedPostgres(t, way.to)
    const token = await served.join(node('there'))
    const refused = { name: 'StoreConflict', message: /is being served: stop every node/ }
    await assert.rejects(move(way), refused)
    const [schema] = await execute<{ none: boolean }>(
      way.to,
      "SELECT to_regnamespace('postroad_transfer') IS NULL AS none",
    )
    assert.equal(schema!.none, true)
    assert.deepEqual(await served.listEmails({ limit: 10 }), [])
    assert.equal((await served.beat(token))?.length, 1)
  })

  /** Holds back the last step of transfers to this database. `reached` resolves when one waits for it. */
  async function holdBack(context: TestContext, to: string) {
    const guard = new Client({ connectionString: to })
    await guard.connect()
    context.after(() => guard.end())
    await guard.query('SELECT pg_advisory_lock($1)', [LOCK])
    const awaited = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()`
    return {
      reached: async () => {
        while ((await execute(to, awaited)).length === 0);
      },
      letGo: () => guard.query('SELECT pg_advisory_unlock($1)', [LOCK]),
    }
  }

  test('is refused at its end when a node has begun to serve the database meanwhile', async (t) => {
    const way = await filled(t, keyed)
    const served = await openedPostgres(t, way.to)
    await begun(way.to)
    const last = await holdBack(t, way.to)
    const refused = assert.rejects(move(way), { name: 'StoreConflict', message: /is being served/ })
    await last.reached()
    const token = await served.join(node('there'))
    await last.letGo()
    await refused
    assert.equal((await served.beat(token))?.length, 1)
    assert.deepEqual(await served.listEmails({ limit: 10 }), [])
    await served.leave(token)
    await served.close()
    await move(way)
    assert.equal((await (await openedPostgres(t, way.to)).listEmails({ limit: 10 })).length, 3)
  })

  test('allows no second transfer to the same target', async (t) => {
    const way = await filled(t, keyed)
    const other = await filled(t, acme)
    await begun(way.to)
    const last = await holdBack(t, way.to)
    const moved = move(way)
    await last.reached()
    const refused = { name: 'StoreConflict', message: /Another migrate-data is writing/ }
    await assert.rejects(transfer({ from: other.from, to: way.to, restart: true }), refused)
    await last.letGo()
    await moved
    assert.equal((await (await openedPostgres(t, way.to)).listEmails({ limit: 10 })).length, 3)
  })

  test('continues an interrupted transfer, unless its source was written to in between', async (t) => {
    let owner = company('unset')
    const way = await filled(t, async (store) => {
      owner = await acme(store)
      await Promise.all(Array.from({ length: 1_200 }, () => accept(store, email(owner, ['a@x.test']))))
    })
    const seen: number[] = []
    const until = (rows: number) => (progress: TransferProgress) => {
      if (progress.table !== 'emails' || progress.step !== 'copy') return
      seen.push(progress.rows)
      if (progress.rows >= rows) throw new Error('power cut')
    }
    await assert.rejects(move(way, until(500)), /power cut/)
    await assert.rejects(move(way, until(1_000)), /power cut/)
    const source = await SqliteStore.open(way.from, { exclusive: false })
    const late = await accept(source, email(owner, ['a@x.test']))
    await source.close()
    await assert.rejects(move(way), { name: 'StoreConflict', message: /has been written to since/ })
    assert.equal(await isEmpty(way.to), true)
    await transfer({ ...way, restart: true, onProgress: until(Number.POSITIVE_INFINITY) })
    assert.deepEqual(seen, [500, 1_000, 500, 1_000, 1_201])
    const [newest] = await (await openedPostgres(t, way.to)).listEmails({ limit: 1 })
    assert.equal(newest?.id, late.id)
  })
})
