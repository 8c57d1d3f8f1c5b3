/** The status of an email that servers refuse before they look at it, as its page and the command line show it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventType } from '../../../src/email/event.ts'
import { suspendDomain } from '../../../src/operate/domains.ts'
import { listEmails } from '../../../src/operate/emails.ts'
import { listedStatuses } from '../../../src/operate/listed-status.ts'
import { emailStatus } from '../../../src/operate/next-step.ts'
import { openOperation } from '../../../src/operate/open.ts'
import { pause, resume } from '../../../src/operate/pauses.ts'
import {
  LISTED_STATUSES,
  STATUS_WORDS,
  type StatusCount,
  statusOfEmail,
  statusText,
} from '../../../src/operate/status-word.ts'
import { relayAt } from '../../delivery/route/rig.ts'
import { ApiClient } from '../../support/api-client.ts'
import { startService } from '../../support/service.ts'
import { startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'
import { Visitor } from './visitor.ts'

interface Shown {
  recipients: {
    attempts: number
    tries: number
    code: number
    waits: string
    at: string
    givesUpAt: string
  }[]
}

interface Counted {
  states: readonly StatusCount[]
}

interface Listed {
  emails: (Counted & { id: string; lastEvent: EventType; recipients: number })[]
}

interface Page {
  statuses: readonly StatusCount[]
}

test('a session that is refused again and again shows its answer, its tries, the next one and the end', async () => {
  const reply = '421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume'
  await using sink = await startSink({
    script: ({ step }) => (step === 'connect' ? { reply, close: true } : undefined),
  })
  await using service = await startService({
    delivery: relayAt(sink.port, { tls: 'off' }),
    retrySchedule: [1_000, 600_000],
  })
  const { company, key } = await service.tenant('acme.test')
  const owner = await Visitor.signIn(service, [{ companyId: company.id, role: 'owner' }])
  const id = await new ApiClient(service.url, key.token).accepted({
    from: 'a@acme.test',
    to: 'jane@yahoo.test',
    subject: 's',
    text: 't',
  })
  const recipient = async () => {
    const { status, body } = await owner.ask('GET', `/companies/${company.id}/emails/${id}`)
    assert.equal(status, 200)
    return (body as unknown as Shown).recipients[0]!
  }
  await until(async () => {
    const { tries, waits } = await recipient()
    return tries >= 2 && (waits === 'refusal' || waits === 'path')
  }, 'two refused sessions')
  const shown = await recipient()
  assert.equal(shown.attempts, 0)
  assert.equal(shown.code, 421)
  // The next try may be due.
  assert.ok(shown.at === null || Date.parse(shown.givesUpAt) > Date.parse(shown.at))

  await using op = await openOperation(service.settings)
  const sentence = (await emailStatus(op, { id })).sentence
    .map((piece) => (typeof piece === 'string' ? piece : 'at' in piece ? piece.at : piece.untrusted))
    .join('')
  assert.match(sentence, /\[TSS04\] Messages temporarily deferred due to unexpected volume/)
  assert.match(sentence, /(Next try \d{4}-\S+|The next try is due|Trying now).*gives up \d{4}-/)
})

test('the list, the page and the command line show the same status of an email: its main outcome and its waiting mail', async () => {
  await using sink = await startSink({
    script: ({ step, recipient }) => {
      if (step !== 'rcpt') return undefined
      if (recipient!.startsWith('gone')) return { reply: '550 5.1.1 No such user' }
      return recipient!.startsWith('later') ? { reply: '451 4.2.0 Greylisted' } : undefined
    },
  })
  await using service = await startService({
    delivery: relayAt(sink.port, { tls: 'off' }),
    retrySchedule: [600_000, 600_000],
  })
  const { company, key } = await service.tenant('acme.test')
  const viewer = await Visitor.signIn(service, [{ companyId: company.id, role: 'viewer' }])
  const client = new ApiClient(service.url, key.token)
  const send = (to: string[]) => client.accepted({ from: 'a@acme.test', to, subject: 's', text: 't' })
  const many = await send(['a', 'b', 'later1', 'c', 'later2', 'd'].map((name) => `${name}@x.test`))
  const one = await send(['later@y.test'])
  const bounced = await send(['gone@z.test', 'a@z.test'])
  /** Different words are all returned: what happens between two reads makes them differ for a moment. */
  const said = async (id: string) => {
    await using op = await openOperation(service.settings)
    const { emails } = (await viewer.ask('GET', `/companies/${company.id}/emails`)).body as unknown as Listed
    const row = emails.find((each) => each.id === id)!
    const page = (await viewer.ask('GET', `/companies/${company.id}/emails/${id}`)).body as unknown as Page
    const { lastEvent, recipients } = row
    const known = [row.states, page.statuses].map((states) =>
      statusText(statusOfEmail({ lastEvent, recipients, states })),
    )
    const listed = (await listedStatuses(op, { emails: await listEmails(op, { limit: 10 }) })).get(id)!
    // A filter by the word finds the email, and no other filter does.
    const found = async (status: string) => {
      const query = `?status=${status}`
      const page = (await viewer.ask('GET', `/companies/${company.id}/emails${query}`))
        .body as unknown as Listed
      return page.emails.some((each) => each.id === id)
    }
    const filtered: string[] = []
    for (const status of LISTED_STATUSES) if (await found(status)) filtered.push(STATUS_WORDS[status].word)
    const words = [...known, statusText(listed)]
    const single = new Set(words.map((word) => word.replace(/ \(.*/, '')))
    if (filtered.join() !== [...single].join()) words.push(`found as ${filtered.join(' and ')}`)
    return [...new Set(words)].join(' or ')
  }
  await until(async () => (await said(many)) === 'Retrying (2 of 6)', 'two to be retried')
  await until(async () => (await said(one)) === 'Retrying (attempt 2 of 3)', 'the only one to be retried')

  await until(async () => (await said(bounced)) === 'Bounced (1 of 2)', 'one of two to bounce')

  await using operator = await openOperation(service.settings)
  await pause(operator, { domain: 'x.test' })
  assert.equal(await said(many), 'Paused (2 of 6)')
  assert.equal(await said(one), 'Retrying (attempt 2 of 3)', 'of another recipient domain')
  await resume(operator, { domain: 'x.test' })
  assert.equal(await said(many), 'Retrying (2 of 6)')
  await suspendDomain(operator, { domain: 'acme.test' })
  await until(async () => (await said(one)) === 'Held', 'the node to know that the domain may not send')
  assert.equal(await said(many), 'Held (2 of 6)')
})
