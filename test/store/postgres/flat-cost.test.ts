import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { execute, freshDatabase, withoutPostgres } from '../../support/postgres.ts'
import { CREDENTIALS, invitationOf, linkOf, person, sessionOf, tokenHash } from '../contract/people.ts'
import {
  acme,
  attempt,
  claimRequest,
  deferred,
  email,
  HOUR,
  NOW,
  newId,
  node,
  result,
  suppress,
  suppression,
} from '../samples.ts'

const NODE = node('node')
/** Rows of history, rows that are due, and rows that wait for later. */
const MANY = 20_000

/** The rows and index entries that the server has read in the tables that grow, by table. */
const READ = `
SELECT t.relname AS name,
  (coalesce(t.seq_tup_read, 0) + coalesce(t.idx_tup_fetch, 0)
    + (SELECT coalesce(sum(i.idx_tup_read), 0) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::integer AS rows
FROM pg_stat_user_tables t
WHERE t.relname IN ('emails', 'recipients', 'queue', 'events', 'attempts', 'suppressions', 'idempotency', 'blobs', 'attachments',
  'people', 'memberships', 'identities', 'sessions', 'sign_in_links', 'invitations', 'audit')`

const FILL = `
WITH n AS (SELECT n, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid AS id FROM generate_series(1, ${3 * MANY}) n),
e AS (
  INSERT INTO emails (id, company, created_at, date, size, individual, test_mode, sent, domain_id, key_id, sender, header_from,
    subject, message_id)
  SELECT id, 1, ${NOW}, 0, 1000, false, false, true, 'd', 'k', 's@x.test', 's@x.test', 's', '<m@x.test>' FROM n
), r AS (
  INSERT INTO recipients (email, position, kind, state, address, domain)
  SELECT id, 0, 'to', CASE WHEN n <= ${MANY} THEN 'delivered' END, 'a' || n || '@crowded.test', 'crowded.test' FROM n
), v AS (
  INSERT INTO events (email, company, recipient, at, type) SELECT id, 1, 0, ${NOW}, 'delivered' FROM n
), a AS (
  INSERT INTO attempts (email, started_at, duration, recipients, dialogue) SELECT id, 0, 0, '[0]', '' FROM n
), s AS (
  INSERT INTO suppressions (id, company, folded, type, address, reason, created_at)
  SELECT id, 1, 'b' || n || '@x.test', 'bounce', 'b' || n || '@x.test', 'no', 0 FROM n
)
INSERT INTO queue (email, position, company, size, due_at, ready, domain)
SELECT id, 0, 1, 1000, CASE WHEN n <= ${2 * MANY} THEN ${NOW} - 1 ELSE ${NOW + HOUR} + n END, n <= ${2 * MANY}, 'crowded.test'
FROM n WHERE n > ${MANY}`

/** People and what signs them in, some of it expired. */
const FILL_PEOPLE = `
WITH n AS (SELECT n, 'p' || n AS person, sha256(int4send(n)) AS hash, ${NOW} + n - ${MANY} AS expires_at
  FROM generate_series(1, ${2 * MANY}) n),
p AS (
  INSERT INTO people (id, address, name, operator, created_at, version, credentials)
  SELECT person, person || '@x.test', '', false, 0, 0, '{}' FROM n
), m AS (
  INSERT INTO memberships (person, company, role) SELECT person, 1, 'viewer' FROM n
), i AS (
  INSERT INTO identities (issuer, subject, person) SELECT 'https://id.test', person, person FROM n
), s AS (
  INSERT INTO sessions (id, token_hash, person, way, address, user_agent, created_at, seen_at, expires_at)
  SELECT person, hash, person, 'oidc', '', '', 0, 0, expires_at FROM n
), l AS (
  INSERT INTO sign_in_links (token_hash, person, created_at, expires_at) SELECT hash, person, 0, expires_at FROM n
), v AS (
  INSERT INTO invitations (id, token_hash, company, address, role, created_at, expires_at)
  SELECT person, hash, 1, person, 'viewer', 0, expires_at FROM n
)
INSERT INTO audit (number, at, company, actor_kind, actor_name, action, target, done)
SELECT n - 1000000, 0, 1, 'service', '', '', '', true FROM n`

async function everything(store: PostgresStore, owner: Company, small: Company, token: number) {
  const file = {
    filename: 'a.txt',
    contentType: 'text/plain',
    content: Buffer.from(newId()),
    disposition: 'attachment' as const,
  }
  const base = email(owner, ['a@x.test', 'b@y.test'], { idempotency: { key: newId(), fingerprint: 'f' } })
  const fresh = { ...base, content: { ...base.content, attachments: [file] } }
  await store.accept(fresh, { token })
  await store.accept(email(owner, ['c@z.test']), null)
  await store.record(attempt(fresh, token, [result(0), deferred(1, NOW, { held: true })]))
  await store.heldDomains()
  await store.releaseHeld('domain', { now: NOW, dueBefore: NOW + 1 })
  const works = await store.claim(claimRequest(token, { maxRecipients: 10 }))
  for (const work of works) {
    await store.record(attempt(work, token, [result(work.recipients[0]!.position, { suppress: true })]))
  }
  await store.cancel((await store.claim(claimRequest(token, { maxRecipients: 1 })))[0]?.id ?? newId(), NOW)
  await store.cancelRequests()
  await store.nextDue()
  await store.oldestDue(Date.now())
  await store.oldestDueOf(owner.id, Date.now())
  // All of the others' mail is due before.
  await store.oldestDueOf(small.id, Date.now())
  await store.readEmail(fresh.id)
  await store.eventsAfter((await store.lastEventNumber()) - 5, {}, 10)
  await store.suppressionsSince((await store.suppressionsSince(null)).cursor)
  await suppressions(store, owner)
  await people(store, owner)
  const scheduled = { createdAt: NOW, scheduledAt: NOW + HOUR, dueAt: NOW + HOUR }
  const emails = ['d@z.test', 'e@z.test'].map((to) =>
    email(owner, [to], { ...scheduled, quota: { daily: 1_000_000, monthly: null } }),
  )
  await store.acceptAll({ emails, idempotency: { key: newId(), fingerprint: 'f' } }, null)
  await store.reschedule(emails[0]!.id, NOW + 2 * HOUR, NOW)
  await store.cancelScheduled(emails[1]!.id, NOW)
  const other = await store.join(NODE)
  await store.accept(email(owner, ['c@z.test']), { token: other })
  await store.leave(other)
  await store.recover({ now: NOW, jitterMs: 0 })
}

/** Pages of a list from everywhere in it, and what is looked for in it. */
async function suppressions(store: PostgresStore, { id: companyId }: Company): Promise<void> {
  const made = suppression({ id: companyId }, `${newId()}@x.test`, { type: 'unsubscribe', tags: ['a'] })
  await store.addSuppressions([made])
  await store.addSuppressions([{ ...made, id: newId(), tags: ['b'] }])
  await store.findSuppression(companyId, made.id)
  await store.listSuppressions({ companyId, address: made.address, limit: 10 })
  await store.listSuppressions({ address: made.address, limit: 10 })
  for (const types of [undefined, ['bounce', 'manual'] as const, ['complaint'] as const]) {
    for (const id of [undefined, '01900000-0000-7000-8000-000000005000']) {
      const filter = { ...(types && { types }), limit: 10 }
      await store.listSuppressions({ ...filter, companyId, ...(id && { after: id }) })
      await store.listSuppressions({ ...filter, companyId, ...(id && { before: id }) })
    }
  }
  await store.listSuppressions({ companyId, domainId: 'none', limit: 10 })
  await store.listSuppressions({ limit: 10 })
  for (const type of ['bounce', 'complaint'] as const) {
    const changes = [
      {},
      { after: 'b3@x.test' },
      { before: 'b3@x.test' },
      { term: 'b77' },
      { term: 'b7', after: 'b77' },
      { domainId: 'none' },
    ]
    for (const change of changes) {
      await store.suppressedPage({ companyId, type, limit: 10, ...change })
    }
  }
  await store.removeSuppressions({ companyId, address: made.address })
  await store.removeSuppressions({ companyId, types: ['complaint'] })
}

/** What the console asks for with each request, or each time somebody signs in or changes something. */
async function people(store: PostgresStore, { id: companyId }: Company): Promise<void> {
  const membership = { companyId, role: 'owner' as const }
  const identities = [{ issuer: 'https://id.test', subject: newId() }]
  const ada = person({ memberships: [membership], credentials: { ...CREDENTIALS, identities } })
  await store.addPerson(ada)
  await store.findPerson({ address: ada.address! })
  await store.findPersonByIdentity('https://id.test', identities[0]!.subject)
  await store.updatePerson(ada.id, 0, { name: 'Lady', credentials: { ...CREDENTIALS, identities: [] } })
  await store.setMembership(ada.id, companyId, null)
  const hashes = [tokenHash(), tokenHash()] as const
  const session = sessionOf(ada)
  await store.addSession(session, hashes[0])
  await store.addLink(linkOf(ada), hashes[1])
  assert.equal((await store.findSession(hashes[0], NOW))?.session.id, session.id)
  await store.touchSession(session.id, NOW + 1, NOW + HOUR)
  await store.sessions(ada.id, NOW)
  assert.equal(await store.findLink(hashes[1], NOW), ada.id)
  assert.equal(await store.takeLink(hashes[1], NOW), ada.id)
  await store.endSessions(ada.id, { except: session.id })
  const invitation = invitationOf({ id: companyId })
  await store.addInvitation(invitation, hashes[1])
  assert.deepEqual(await store.findInvitation(hashes[1], NOW), invitation)
  await store.acceptInvitation(hashes[1], NOW, { personId: ada.id })
  await store.confirmMembership(ada.id, companyId)
  await store.setMembership(ada.id, companyId, null)
  await store.takeInvitation(hashes[1], NOW)
  const lanes = [hashes[0], hashes[1]].map((hash) => ({ lane: String(hash), free: 1, every: 1_000 }))
  await store.beginAttempt(lanes, NOW, 10_000)
  await store.takeBackAttempt(lanes)
  await store.removeInvitation(companyId, invitation.id)
  await store.forgetExpired(NOW, 10)
  await store.audit({ companyId, limit: 10 })
  await store.audit({ companyId: null, before: -990_000, limit: 10 })
  await store.removePerson(ada.id)
}

describe('cost in PostgreSQL', { skip: withoutPostgres() }, () => {
  for (const [when, maintenance] of [
    ['even when plans were made on empty tables', null],
    // The server runs it by itself at any time. It leaves the planner with sizes, and without statistics of values.
    ['also after a VACUUM without ANALYZE', 'VACUUM queue'],
  ] as const) {
    test(`does not grow with history nor with waiting mail, ${when}`, (t) => growsNot(t, maintenance))
  }

  test('of a removal of old rows is bounded by its limit after statistics of empty tables', async (t) => {
    const url = await freshDatabase(t)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    const owner = await acme(store)
    await people(store, owner)
    await execute(url, 'ANALYZE')
    await execute(url, FILL_PEOPLE)
    const rows = () =>
      execute<{ rows: number }>(url, 'SELECT (SELECT count(*) FROM sessions)::integer AS rows')
    const [before] = await rows()
    await store.forgetExpired(NOW, 10)
    assert.equal((await rows())[0]!.rows, before!.rows - 10)
  })

  test('of a report depends on the events of its recipients alone', async (t) => {
    const url = await freshDatabase(t)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    const owner = await acme(store)
    const value = email(owner, ['a@x.test', 'b@x.test'])
    await store.accept(value, { token: 1 })
    await store.record(attempt(value, 1, [result(0), result(1)]))
    // The server keeps a plan from the sixth time on.
    let reports = 0
    const report = async () => {
      const detail = { reportId: `r${reports++}` }
      return await store.happened([
        { emailId: value.id, position: 0, happening: { kind: 'opened', at: NOW, detail } },
      ])
    }
    for (let n = 0; n < 8; n++) assert.equal(await report(), 1)
    await execute(
      url,
      `INSERT INTO events (email, company, recipient, at, type, detail)
       SELECT '${value.id}', 1, n, ${NOW}, 'delivery_delayed', '{"reportId":"r0"}' FROM generate_series(1, ${MANY}) n`,
    )
    const rowsOfEvents = async () =>
      (await execute<Row>(url, READ)).find(({ name }) => name === 'events')!.rows
    const before = await rowsOfEvents()
    for (let n = 0; n < 8; n++) assert.equal(await report(), 1)
    await store.close()
    const read = (await rowsOfEvents()) - before
    assert.ok(read < 2_000, `${read} rows of events were read for 8 reports`)
  })

  test('of a claim is bounded when all recipients that it finds are suppressed', async (t) => {
    const store = await PostgresStore.open(await freshDatabase(t))
    t.after(() => store.close())
    const owner = await acme(store)
    const values = Array.from({ length: 300 }, () => email(owner, ['gone@x.test']))
    await Promise.all(values.map((value) => store.accept(value, null)))
    await suppress(store, owner.id, 'gone@x.test', 'no', NOW)
    const left: number[] = []
    for (let waiting = 300; waiting > 0; left.push(waiting)) {
      assert.deepEqual(await store.claim(claimRequest(1, { maxRecipients: 10 })), [])
      waiting = (await store.counts(NOW)).waiting
    }
    assert.deepEqual(left, [220, 140, 60, 0])
  })
})

/** `maintenance`: a statement that the server runs between the rounds. */
async function growsNot(t: TestContext, maintenance: string | null): Promise<void> {
  const url = await freshDatabase(t)
  const store = await PostgresStore.open(url)
  t.after(() => store.close())
  const [owner, small] = [await acme(store), await acme(store, 'Small')]
  const token = await store.join(NODE)
  await store.accept(email(small, ['a@x.test'], { dueAt: NOW + 1 }), null)
  for (let n = 0; n < 3; n++) await everything(store, owner, small, token)
  await execute(url, FILL)
  await execute(url, FILL_PEOPLE)
  const before = new Map((await execute<Row>(url, READ)).map(({ name, rows }) => [name, rows]))
  const rounds = 5
  for (let n = 0; n < rounds; n++) {
    await everything(store, owner, small, token)
    if (n === 1 && maintenance !== null) await execute(url, maintenance)
  }
  // What connections have read is in the statistics once they have ended.
  await store.close()
  for (const { name, rows } of await execute<Row>(url, READ)) {
    const read = rows - before.get(name)!
    assert.ok(read < 1_000 * rounds, `${read} rows of ${name} were read in ${rounds} rounds`)
  }
}

interface Row {
  name: string
  rows: number
}
