import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Script, type Sink, startSink } from '../support/sink.ts'
import { newWorkplaceOnEngine, type Serving, serve, type Workplace } from './postroad.ts'

interface Shown {
  id: string
  last_event: string
  content_removed: boolean
  recipients: { address: string; state: string; next_attempt_at: string | null; message: string | null }[]
  events: { type: string; at: string }[]
  attempts: { dialogue: string; started_at: string }[]
}
interface Copy {
  recipients: string[]
  raw: string
}
interface Lane {
  domain: string
  waiting: number
  next_attempt_at: string
}

describe('the commands about mail', () => {
  let place: Workplace
  let service: Serving
  let token = ''
  before(async () => {
    place = await newWorkplaceOnEngine({ POSTROAD_LOG_LEVEL: 'warn' })
    service = await serve(place, ['--json'], /\}\}\n/)
    token = JSON.parse(service.stdout()).firstStart.token
  })
  after(() => place.remove())

  const sent = (email: Record<string, unknown>) => send(service.url, token, email)

  test('show the mail that came back about an email', async () => {
    const id = await sent({ to: ['away@x.test'] })
    const { message_id: messageId } = await place.json<{ message_id: string }>('email', 'show', id)
    const answer = `From: away@x.test\nSubject: Away\nAuto-Submitted: auto-replied\nIn-Reply-To: ${messageId}\n\nBye\n`
    writeFileSync(join(place.folder, 'away.eml'), answer)
    await place.run('bounce', 'read', 'away.eml', '--apply')
    const { returned_mail: returned } = await place.json<{ returned_mail: { id: string; kind: string }[] }>(
      ...['email', 'show', id],
    )
    assert.deepEqual(
      returned.map(({ kind }) => kind),
      ['auto_reply'],
    )
    const text = (await place.run('email', 'show', id)).stdout
    assert.match(text, /^Returned mail\nTIME .*\n20\d\d-.* auto_reply .* away@x\.test$/m)
    assert.ok(text.includes(returned[0]!.id))
  })

  test('show the outcome of each recipient, in words and as JSON', async () => {
    const id = await sent({ to: ['jane@x.test', 'delayed@simulator.test'] })
    const email = await shownOnce(place, id, ({ recipients }) =>
      recipients.every(({ state }) => state !== 'sending'),
    )
    assert.deepEqual(
      email.recipients.map(({ address, state }) => [address, state]),
      [
        ['jane@x.test', 'delivered'],
        ['delayed@simulator.test', 'waiting'],
      ],
    )
    assert.ok(email.recipients[1]!.next_attempt_at)
    assert.ok(email.events.some(({ type }) => type === 'delivery_delayed'))

    const text = (await place.run('email', 'show', id)).stdout
    assert.match(text, /^0 +jane@x\.test +to +Captured +1/m)
    assert.match(text, /^1 +delayed@simulator\.test +to +Retrying \(attempt 2 of 13\) +1 +20\d\d-/m)
    assert.match(text, /^Attempt 20\d\d-.*$/m)
    assert.match(text, /451 4\.7\.1 try again later/)
    assert.doesNotMatch(text, /451.*451/, 'a code is told once')

    const lanes = await place.json<Lane[]>('queue', '--company', 'Acme')
    assert.deepEqual(
      lanes.map(({ domain, waiting }) => [domain, waiting]),
      [['simulator.test', 1]],
    )
    assert.match((await place.run('queue')).stdout, /Acme +simulator\.test +1 +0 +0 +20\d\d-/)
  })

  test('show the destinations with most waiting mail, and the total', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    for (const to of [
      'a@few.test',
      ['a@many.test', 'b@many.test', 'c@many.test'],
      ['a@some.test', 'b@some.test'],
    ])
      await sent({ to, scheduled_at: tomorrow })
    const destinations = (text: string) => [...text.matchAll(/^Acme +(\S+)/gm)].map(([, domain]) => domain)
    const all = (await place.run('queue')).stdout
    assert.deepEqual(destinations(all).slice(0, 2), ['many.test', 'some.test'])
    const lanes = await place.json<Lane[]>('queue', '--limit', '2')
    const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0)
    assert.ok(waiting >= 6 && lanes.length >= 3)
    assert.match(
      all,
      new RegExp(`^Waiting in total: ${waiting} recipients at ${lanes.length} destinations\\.$`, 'm'),
    )
    const two = (await place.run('queue', '--limit', '2')).stdout
    assert.deepEqual(destinations(two), ['many.test', 'some.test'])
    assert.match(two, /^Only the first 2 of \d lines are shown\. To see all: postroad queue --limit \d$/m)
  })

  test('delete captured mail, and keep mail that has not been sent yet', async () => {
    const id = await sent({ to: 'delivered@simulator.test' })
    await shownOnce(place, id, ({ recipients }) => recipients[0]!.state === 'delivered')
    const late = await sent({ to: 'delayed@simulator.test' })
    await shownOnce(place, late, ({ recipients }) => recipients[0]!.state === 'waiting')
    assert.deepEqual(await place.json('email', 'delete', id), { deleted: 1, refused: [] })
    assert.match((await place.run('email', 'show', id)).stderr, /no email with the id/)
    const again = await place.run('email', 'delete', id, late)
    assert.equal(again.code, 1)
    assert.match(again.stdout, /^Deleted 0 emails\.$/m)
    assert.match(again.stderr, new RegExp(`^${id}: there is no email with the id`, 'm'))
    assert.match(again.stderr, new RegExp(`^${late}: the email is not sent yet: cancel it first$`, 'm'))
    assert.equal((await place.run('email', 'delete')).code, 2)
    assert.equal((await place.run('email', 'delete', id, '--all')).code, 2)
    await place.json('company', 'create', 'Empty')
    const none = await place.json('email', 'delete', '--all', '--company', 'Empty')
    assert.deepEqual(none, { deleted: 0, kept: 0 })
    place.env.POSTROAD_DELIVERY = 'smtp://relay.example'
    assert.match((await place.run('email', 'delete', late)).stderr, /only in capture mode/)
    delete place.env.POSTROAD_DELIVERY
    await place.json('email', 'cancel', late)
  })

  test('cancel waiting mail, once', async () => {
    const id = await sent({ to: 'delayed@simulator.test' })
    await shownOnce(place, id, ({ recipients }) => recipients[0]!.state === 'waiting')
    assert.deepEqual(await place.json('email', 'cancel', id), { id, canceled: 1, sending: 0 })
    assert.equal((await place.json<Shown>('email', 'show', id)).last_event, 'canceled')
    const again = await place.run('email', 'cancel', id)
    assert.equal(again.code, 1)
    assert.match(again.stderr, /nothing to cancel/)
    assert.match((await place.run('email', 'cancel', 'nothing')).stderr, /no email with the id/)
  })

  test('give the message of an email that has not left as it will leave', async () => {
    const id = await sent({ to: 'delayed@simulator.test', bcc: 'secret@y.test', html: '<p>grüße</p>' })
    await shownOnce(place, id, ({ recipients }) => recipients.every(({ state }) => state !== 'sending'))
    const one = await place.run('email', 'show', id, '--raw')
    const two = await place.run('email', 'show', id, '--raw')
    assert.equal(one.code, 0, one.stderr)
    assert.match(one.stdout, /^DKIM-Signature:/m)
    assert.ok(!one.stdout.includes('secret@y.test'))
    assert.equal(one.stdout, two.stdout)
    const nobody = await place.run('email', 'show', id, '--raw', '--recipient', 'nobody@y.test')
    assert.match(nobody.stderr, /"nobody@y\.test" is not a recipient/)
  })

  const batch = (more: [string, string][]) =>
    sendBatch(service.url, token, [
      ['to', 'jane@x.test'],
      ['to', 'john@x.test'],
      ['to', 'jim@y.test'],
      ['cc', 'boss@x.test'],
      ['text', 'The code is %recipient.code%.'],
      [
        'recipient-variables',
        JSON.stringify({
          'jane@x.test': { code: 'jane-1' },
          'john@x.test': { code: 'john-2' },
          'jim@y.test': { code: 'jim-3' },
        }),
      ],
      ...more,
    ])
  /** Each recipient with the words of its own copy: one in cc gets the copy of the first in to. */
  const copies: [recipient: string, to: string, code: string][] = [
    ['jane@x.test', 'jane@x.test', 'jane-1'],
    ['john@x.test', 'john@x.test', 'john-2'],
    ['jim@y.test', 'jim@y.test', 'jim-3'],
    ['boss@x.test', 'jane@x.test', 'jane-1'],
  ]
  const isCopy = (raw: string, to: string, code: string) => {
    assert.match(raw, new RegExp(`^To: .*\\b${to}\\b`, 'm'))
    assert.match(raw, new RegExp(`^The code is ${code}\\.`, 'm'))
    assert.doesNotMatch(raw, /%recipient/)
    for (const [, otherTo, other] of copies) {
      if (other !== code) assert.ok(!raw.includes(other) && !raw.includes(otherTo), raw)
    }
  }

  for (const [what, more] of [
    ['captured', []],
    ['scheduled', [['o:deliverytime', new Date(Date.now() + 86_400_000).toUTCString()]]],
  ] as [string, [string, string][]][]) {
    test(`give each recipient of a batch that was ${what} its own copy only`, async () => {
      await batch(more)
      const [{ id }] = (await place.json<[{ id: string }]>('email', 'list', '--limit', '1'))!
      const wanted = what === 'captured' ? 'delivered' : 'waiting'
      await shownOnce(place, id, ({ recipients }) => recipients.every(({ state }) => state === wanted))
      for (const [recipient, to, code] of copies) {
        const found = await place.json<Copy[]>('email', 'show', id, '--raw', '--recipient', recipient)
        assert.deepEqual(
          found.map(({ recipients }) => recipients),
          [[recipient]],
        )
        isCopy(found[0]!.raw, to, code)
      }
      const all = await place.json<Copy[]>('email', 'show', id, '--raw')
      assert.deepEqual(
        all.flatMap(({ recipients }) => recipients).toSorted(),
        copies.map(([each]) => each).toSorted(),
      )
      for (const { recipients, raw } of all) {
        const [, to, code] = copies.find(([recipient]) => recipient === recipients[0])!
        isCopy(raw, to, code)
      }
      const his = await place.run('email', 'show', id, '--raw', '--recipient', 'john@x.test')
      isCopy(his.stdout, 'john@x.test', 'john-2')
      assert.equal(his.stderr, '', 'there is one copy to choose from')
      const one = await place.run('email', 'show', id, '--raw')
      assert.match(
        one.stderr,
        /^postroad: this email was sent as 4 different copies; this is the one for \S+@[xy]\.test\. /,
      )
    })
  }

  test('list emails by pages, newest first', async () => {
    for (let i = 0; i < 3; i++) await sent({ to: 'jane@x.test', subject: `page ${i}` })
    const first = await place.json<{ id: string; subject: string }[]>('email', 'list', '--limit', '2')
    assert.deepEqual(
      first.map(({ subject }) => subject),
      ['page 2', 'page 1'],
    )
    const next = await place.json<{ subject: string }[]>(
      'email',
      'list',
      '--limit',
      '1',
      '--before',
      first[1]!.id,
    )
    assert.equal(next[0]!.subject, 'page 0')
    assert.match(
      (await place.run('email', 'list', '--limit', '2')).stdout,
      /For older emails, run the same command with --before /,
    )
  })

  test('find emails by recipient in every company, and by their other properties', async () => {
    await place.json('company', 'create', 'Beta')
    await place.json('domain', 'add', 'beta.test', '--company', 'Beta')
    await place.json('domain', 'activate', 'beta.test')
    const { token: other } = await place.json<{ token: string }>(
      ...['key', 'create', '--company', 'Beta', '--name', 'k'],
    )
    const found = async (...options: string[]) => {
      const emails = await place.json<{ id: string }[]>('email', 'list', ...options)
      return emails.map(({ id }) => id)
    }
    const first = await sent({ to: 'sought@x.test', tags: [{ name: 'kind', value: 'invoice' }] })
    const second = await send(service.url, other, {
      ...{ from: 'b@beta.test', to: 'jane@x.test', bcc: 'sought@x.test', subject: 'Your parcel' },
    })
    const third = await sent({ to: 'sought@x.test', scheduled_at: 'in 2 days' })

    assert.deepEqual(await found('--to', 'Sought@x.test'), [third, second, first])
    assert.deepEqual(await found('--to', 'sought@x.test', '--limit', '1', '--before', third), [second])
    assert.deepEqual(await found('--to', 'sought@x.test', '--company', 'Beta'), [second])
    assert.deepEqual(await found('--to', 'sought@x.test', '--event', 'scheduled'), [third])
    assert.deepEqual(await found('--to', 'sought@x.test', '--status', 'scheduled'), [third])
    assert.ok((await found('--status', 'waiting', '--to', 'sought@x.test')).includes(third))
    const lost = await place.run('email', 'list', '--status', 'lost')
    assert.equal(lost.code, 2)
    assert.match(lost.stderr, /accepted, scheduled, .*waiting/)
    assert.deepEqual(await found('--tag', 'kind:invoice'), [first])
    assert.deepEqual(await found('--domain', 'beta.test'), [second])
    assert.deepEqual(await found('--subject', 'parcel', '--from', 'beta.test', '--since', '1h'), [second])
    assert.deepEqual(await found('--to', 'sought@x.test', '--until', '1h'), [])
    const nothing = await place.run('email', 'list', '--to', 'nobody@x.test')
    assert.equal(nothing.stdout, 'No email matches.\n')
    const slip = await place.run('email', 'list', '--to', 'sought')
    assert.equal(slip.code, 2)
    const foreign = await place.run('email', 'list', '--company', 'Acme', '--domain', 'beta.test')
    assert.match(foreign.stderr, /beta\.test is not a domain of Acme/)
  })

  test('let no message write escape sequences to the terminal', async () => {
    await sent({ to: 'jane@x.test', subject: '\u202egnp.exe' })
    const { stdout } = await place.run('email', 'list', '--limit', '1')
    assert.ok(stdout.includes('\\u202egnp.exe'), stdout)
  })
})

describe('the commands about suppressions', () => {
  let place: Workplace
  let sink: Sink
  before(async () => {
    // RFC 3463 3.2, X.1.1: there is no such mailbox.
    const script: Script = ({ step, recipient }) =>
      step === 'rcpt' && recipient?.startsWith('gone')
        ? { reply: '550 5.1.1 nobody of that name' }
        : undefined
    sink = await startSink({ script })
    place = await newWorkplaceOnEngine({
      POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}`,
      POSTROAD_LOG_LEVEL: 'warn',
    })
  })
  after(async () => {
    place.remove()
    await sink.close()
  })

  test('list an address with the answer that put it there, and take it off', async () => {
    await place.json('company', 'create', 'Acme')
    await place.json('domain', 'add', 'acme.test', '--company', 'Acme')
    await place.json('domain', 'activate', 'acme.test')
    const { token } = await place.json<{ token: string }>('key', 'create', '--company', 'Acme', '--name', 'k')
    const service = await serve(place)
    const id = await send(service.url, token, { to: 'gone@x.test' })
    await shownOnce(place, id, ({ last_event }) => last_event === 'bounced')

    const list = await place.json<{ address: string; email_id: string }[]>('suppression', 'list')
    assert.deepEqual(
      list.map(({ address, email_id }) => [address, email_id]),
      [['gone@x.test', id]],
    )
    const text = await place.run('suppression', 'list', '--company', 'Acme', '--address', 'gone@x.test')
    assert.match(text.stdout, /^gone@x\.test +Acme +20\d\d-.*nobody of that name/m)
    const removed = await place.run('suppression', 'remove', 'gone@x.test', '--company', 'Acme')
    assert.match(removed.stdout, /Acme can send to gone@x\.test again/)
    const again = await place.run('suppression', 'remove', 'gone@x.test', '--company', 'Acme')
    assert.equal(again.code, 1)
    assert.match(again.stderr, /is not on the suppression list of Acme/)
    assert.equal((await place.run('suppression', 'list')).stdout, 'No address is suppressed.\n')
  })
})

async function send(url: string, token: string, email: Record<string, unknown>): Promise<string> {
  const response = await fetch(`${url}/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from: 'a@acme.test', subject: 's', text: 'x', ...email }),
  })
  const answer = (await response.json()) as { id: string }
  assert.equal(response.status, 200, JSON.stringify(answer))
  return answer.id
}

async function sendBatch(url: string, token: string, fields: [string, string][]): Promise<void> {
  const response = await fetch(`${url}/v3/acme.test/messages`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`api:${token}`).toString('base64')}` },
    body: new URLSearchParams([['from', 'a@acme.test'], ...fields]),
  })
  assert.equal(response.status, 200, await response.text())
}

/** The email as soon as it is so. */
async function shownOnce(place: Workplace, id: string, isSo: (email: Shown) => boolean): Promise<Shown> {
  for (;;) {
    const email = await place.json<Shown>('email', 'show', id)
    if (isSo(email)) return email
  }
}
