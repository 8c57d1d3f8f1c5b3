/** The faults that the checker of chaos runs finds in the returned reports. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReportCheck } from '../../chaos/reports/check.ts'
import { EVENT_OF, type Report, readReportNumber, reportMail } from '../../chaos/reports/report.ts'
import type { EmailEvent } from '../../src/email/event.ts'
import type { RecipientState } from '../../src/email/recipient.ts'
import { readReport } from '../../src/mail/report/read-report.ts'

const RECIPIENT = 'n1-0@in0.test'

function reportOf(change: Partial<Report> = {}): Report {
  return {
    number: 0,
    kind: 'bounce',
    recipient: RECIPIENT,
    returnPath: 'b@bounces.acme.test',
    copies: 2,
    attempts: 2,
    accepted: 2,
    mailIds: new Set(['mail']),
    ...change,
  }
}

const eventOf = (report: Report, message = `550 chaos report ${report.number}`): EmailEvent => ({
  type: EVENT_OF[report.kind],
  at: 0,
  emailId: 'email',
  recipient: 0,
  detail: report.kind === 'complaint' ? {} : { message },
})

interface Stored {
  report?: Partial<Report>
  /** The mails that the store keeps of the report; one by default. */
  mails?: { id?: string; subject?: string; times?: number; events?: number }[]
  events?: (report: Report) => EmailEvent[]
  state?: RecipientState
}

function found({ report: change, mails = [{}], events, state = 'delivered' }: Stored = {}) {
  const report = reportOf(change)
  const its = events?.(report) ?? [eventOf(report)]
  const check = new ReportCheck(new Map([[report.number, report]]))
  for (const mail of mails) {
    const subject = `chaos report ${report.number}`
    check.kept({ id: 'mail', emailId: 'email', times: 2, events: its.length, subject, ...mail })
  }
  const recipients = [{ address: RECIPIENT, position: 0, state }]
  for (const [each] of check.emails()) check.counted(each, { recipients, events: its })
  const { lost, doubled, wrong } = check.count()
  return { lost, doubled, wrong }
}

const NOTHING = { lost: [], doubled: [], wrong: [] }

test('a report that was accepted several times and has one event is right, whatever its kind', () => {
  for (const kind of ['dead', 'bounce', 'delay', 'complaint'] as const)
    assert.deepEqual(found({ report: { kind } }), NOTHING)
})

test('an accepted report without a mail, an event, or as many copies as were accepted is lost', () => {
  const name = 'report 0 (bounce of n1-0@in0.test)'
  assert.deepEqual(found({ mails: [] }).lost, [`${name} was accepted and is not kept`])
  assert.deepEqual(found({ events: () => [] }).lost, [`${name} has no event`])
  assert.deepEqual(found({ mails: [{ times: 1 }] }).lost, [`${name} was accepted 2 times, and 1 are known`])
  assert.deepEqual(found({ mails: [], report: { accepted: 0, mailIds: new Set() } }), NOTHING)
})

test('a report changes nothing once its recipient has ended otherwise', () => {
  const refused = (report: Report) => [eventOf(report, '554 5.6.0 not like this')]
  assert.deepEqual(found({ events: refused, mails: [{ events: 0 }], state: 'bounced' }), NOTHING)
  const late = { report: { kind: 'delay' }, events: () => [] } as const
  assert.deepEqual(found({ ...late, state: 'bounced' }), NOTHING)
  assert.equal(found({ ...late, state: 'delivered' }).lost.length, 1)
})

test('two events or two kept mails of one report, and more copies than were handed in, are doubles', () => {
  const name = 'report 0 (complaint of n1-0@in0.test)'
  const report = { kind: 'complaint' } as const
  const twice = (each: Report) => [eventOf(each), eventOf(each)]
  assert.deepEqual(found({ report, events: twice }).doubled, [`${name} has 2 events`])
  assert.deepEqual(found({ report, mails: [{}, { id: 'other' }] }).doubled, [
    `${name} is kept as mail and other`,
  ])
  assert.deepEqual(found({ report, mails: [{ times: 3 }] }).doubled, [
    `${name} was handed in 2 times, and 3 are known`,
  ])
})

test('a mail that was never sent, a missing id and a wrong number of events are wrong records', () => {
  assert.equal(found({ mails: [{}, { subject: 'chaos report 7' }] }).wrong.length, 1)
  assert.equal(found({ report: { mailIds: new Set(['other']) } }).wrong.length, 1)
  assert.equal(found({ mails: [{ events: 2 }] }).wrong.length, 1)
})

test('each report is read as its own kind, and its text contains its number', () => {
  const read = (kind: Report['kind']) => readReport(reportMail(reportOf({ kind, number: 41 })))
  const kinds = { dead: 'bounce', bounce: 'bounce', delay: 'delay', complaint: 'complaint' } as const
  for (const [kind, wanted] of Object.entries(kinds)) {
    const report = read(kind as Report['kind'])
    assert.equal(report.kind, wanted)
    assert.deepEqual(
      report.recipients.map(({ address }) => address),
      [RECIPIENT],
    )
    if (kind !== 'complaint') assert.equal(readReportNumber(report.recipients[0]!.message), 41)
  }
  assert.deepEqual(
    [read('dead').recipients[0]!.permanent, read('bounce').recipients[0]!.permanent],
    [true, false],
  )
})
