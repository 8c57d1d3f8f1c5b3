/** A newsletter in the history of a company: one email to a thousand recipients, each with its own values, delivered to all. */
import { randomUUIDv7 } from 'node:crypto'
import { decideAttempt } from '../../src/email/lifecycle/attempt.ts'
import { UNTRIED } from '../../src/email/lifecycle/initial-state.ts'
import { checkSubmission } from '../../src/intake/check.ts'
import type { NewEmail, Store } from '../../src/store/store.ts'
import type { ListedCompany } from './company.ts'

const RECIPIENTS = 1_000

export async function addBatch(store: Store, company: ListedCompany): Promise<void> {
  const now = Date.now()
  const node = { name: 'batch', roles: ['delivery' as const], timeoutMs: 60_000, since: now, machine: null }
  const token = await store.join(node)
  const email = batch(company, now)
  await store.accept(email, { token })
  const { recipients } = email
  await store.record({
    ...{
      emailId: email.id,
      leaseToken: token,
      startedAt: now,
      duration: 100,
      server: 'mx.batch.test',
      source: null,
    },
    ...{ tls: null, dialogue: '', captured: null },
    recipients: recipients.map((_, position) => ({
      position,
      decision: decideAttempt(UNTRIED, {
        ...{ kind: 'attempted', at: now, server: 'mx.batch.test', tls: null, untried: false, heldFor: null },
        ...{ retryAt: null, again: now, patience: 0, duration: 100, fullMailbox: null },
        outcome: { verdict: 'delivered', code: 250, message: '250 2.0.0 Ok' },
      }),
    })),
  })
  await store.leave(token)
}

function batch({ companyId, domainId }: ListedCompany, now: number): NewEmail {
  const to = Array.from(
    { length: RECIPIENTS },
    (_, n) => `Reader Number ${n} <reader${n}@d${n % 50}.batch.test>`,
  )
  const values = (n: number) => ({
    name: `Reader ${n}`,
    uuid: randomUUIDv7(),
    unsubscribe_url: `https://news.test/unsubscribe?id=${n}&key=${'k'.repeat(64)}`,
  })
  const recipientVariables = Object.fromEntries(
    to.map((_, n) => [`reader${n}@d${n % 50}.batch.test`, values(n)]),
  )
  const outcome = checkSubmission(
    {
      ...{ domain: 'listed.test', from: 'News <news@listed.test>', to, cc: [], bcc: [], replyTo: [] },
      ...{ subject: 'Hi %recipient.name%', text: 'Dear %recipient.name%', headers: [], attachments: [] },
      ...{ recipientVariables, tags: [{ name: 'tag', value: 'newsletter' }] },
      ...{ variables: { member: '%recipient.uuid%' }, testMode: false },
    },
    { id: randomUUIDv7(), now, maxMessageSize: 40_000_000, maxRecipients: RECIPIENTS },
  )
  if (!('checked' in outcome)) throw new Error(JSON.stringify(outcome.refusal))
  return { ...outcome.checked.email, companyId, domainId, keyId: 'key' }
}
