/** Reports that come back after an email is done, through the store and in every view. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parseDatabase } from '../../src/config/parse/database.ts'
import type { ReportHappening } from '../../src/email/lifecycle.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { newWorkplaceOnEngine, type Serving, serve, type Workplace } from '../cli/postroad.ts'
import { onPostgres } from '../support/engine.ts'

interface Shown {
  last_event: string
  recipients: { address: string; state: string; message: string | null }[]
  events: { type: string; recipient: number | null; code?: number; report_id?: string }[]
}

describe('after its end an email', () => {
  let place: Workplace
  let service: Serving
  let token = ''
  let store: Store
  before(async () => {
    place = await newWorkplaceOnEngine({ POSTROAD_LOG_LEVEL: 'warn' })
    service = await serve(place, ['--json'], /\}\}\n/)
    token = JSON.parse(service.stdout()).firstStart.token
    store = await beside(place)
  })
  after(async () => {
    await store.close()
    place.remove()
  })

  const send = async (to: string[]) => {
    const { id } = await asked<{ id: string }>('POST', '/emails', {
      from: 'a@acme.test',
      subject: 's',
      text: 'x',
      to,
    })
    return id
  }
  const asked = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    assert.equal(response.status, 200)
    return (await response.json()) as T
  }
  const lastEvent = async (id: string) =>
    (await asked<{ last_event: string }>('GET', `/emails/${id}`)).last_event
  const shown = (id: string) => place.json<Shown>('email', 'show', id)
  const done = async (id: string): Promise<Shown> => {
    for (;;) {
      const email = await shown(id)
      if (email.recipients.every(({ state }) => state !== 'sending' && state !== 'waiting')) return email
    }
  }
  const report = (emailId: string, position: number, happening: ReportHappening) => ({
    emailId,
    position,
    happening,
  })

  test('records late bounces, delays, complaints, opens, clicks and unsubscriptions', async () => {
    const people = ['bounce', 'delay', 'complaint', 'open', 'click', 'unsubscription']
    const id = await send(people.map((name) => `${name}@x.test`))
    const first = await done(id)
    assert.equal(first.last_event, 'delivered')
    const at = Date.now()
    const dead = { code: 550, message: '550 5.1.1 No such mailbox', reportId: 'dsn-1' }
    const terms = { at, fullMailbox: null }
    const reports: [ReportHappening, lastEvent: string][] = [
      [{ kind: 'returned', ...terms, report: 'bounced', detail: dead, deadAddress: true }, 'bounced'],
      [
        { kind: 'returned', ...terms, report: 'delayed', detail: { message: 'Full' }, deadAddress: false },
        'delivery_delayed',
      ],
      [{ kind: 'complained', at, detail: { reportId: 'arf-1' } }, 'complained'],
      [{ kind: 'opened', at, detail: {} }, 'opened'],
      [{ kind: 'clicked', at, detail: {} }, 'clicked'],
      // Not among the words that last_event may be.
      [{ kind: 'unsubscribed', at, detail: {} }, 'clicked'],
    ]
    for (const [position, [happening, last]] of reports.entries()) {
      assert.equal(await store.happened([report(id, position, happening)]), 1, happening.kind)
      assert.equal(await lastEvent(id), last)
    }

    const email = await shown(id)
    assert.equal(email.last_event, 'clicked')
    assert.deepEqual(
      email.recipients.map(({ state, message }) => [state, message]),
      [['bounced', dead.message], ...Array(5).fill(['delivered', first.recipients[1]!.message])],
    )
    const told = ['bounced', 'delivery_delayed', 'complained', 'opened', 'clicked', 'unsubscribed']
    assert.deepEqual(
      email.events.slice(first.events.length).map(({ type, recipient }) => [type, recipient]),
      told.map((type, position) => [type, position]),
    )
    const bounced = email.events[first.events.length]!
    assert.deepEqual([bounced.code, bounced.report_id], [550, 'dsn-1'])

    const log = (await place.run('events', '--json', ...told.flatMap((type) => ['--type', type]))).stdout
    assert.deepEqual(
      log
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .map(({ type, email_id, recipient }) => [type, email_id, recipient]),
      told.map((type, position) => [type, id, `${people[position]}@x.test`]),
    )
  })

  test('suppresses addresses that bounced, complained or unsubscribed', async () => {
    const again = await done(
      await send(['bounce', 'complaint', 'unsubscription', 'open'].map((name) => `${name}@x.test`)),
    )
    assert.deepEqual(
      again.recipients.map(({ state }) => state),
      ['suppressed', 'suppressed', 'suppressed', 'delivered'],
    )
    const list = await place.json<{ address: string; reason: string }[]>(
      'suppression',
      'list',
      '--company',
      'Acme',
    )
    assert.deepEqual(list.map(({ address, reason }) => `${address}: ${reason}`).sort(), [
      'bounce@x.test: 550 5.1.1 No such mailbox',
      'complaint@x.test: the recipient complained',
      'unsubscription@x.test: the recipient unsubscribed',
    ])
  })

  test('counts a report once, however often and wherever it comes', async () => {
    const id = await send(['twice@x.test'])
    await done(id)
    const at = Date.now()
    const complaint = report(id, 0, { kind: 'complained', at, detail: { reportId: 'arf-2' } })
    const other = await beside(place)
    const counts = await Promise.all([store.happened([complaint, complaint]), other.happened([complaint])])
    await other.close()
    assert.deepEqual(counts.toSorted(), [0, 1])
    assert.equal(await store.happened([complaint]), 0)
    const opened = report(id, 0, { kind: 'opened', at, detail: {} })
    const nobody = [
      { ...opened, position: 7 },
      { ...opened, emailId: '019a9b2c-0000-7000-8000-ffffffffffff' },
    ]
    assert.equal(await store.happened([...nobody, opened, opened]), 2, 'without a report id each counts')
    assert.deepEqual(
      (await shown(id)).events.slice(-3).map(({ type }) => type),
      ['complained', 'opened', 'opened'],
    )
  })
})

/** The same database, as another process of the installation has it. */
async function beside(place: Workplace): Promise<Store> {
  const url = onPostgres
    ? place.env.POSTROAD_DATABASE_URL!
    : `sqlite:${join(place.folder, 'data/postroad.db')}`
  return await openStore(parseDatabase(url), { exclusive: false })
}
