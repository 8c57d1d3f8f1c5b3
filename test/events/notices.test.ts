/** What both dialects say of a bounce, as clients read it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventDetail, EventType } from '../../src/email/event.ts'
import { formEvent } from '../../src/events/notices/form.ts'
import { jsonEvent } from '../../src/events/notices/json.ts'
import { sampleEvent } from '../../src/events/webhooks/sample.ts'

const BASE = 'https://mail.example'

function told(type: EventType, detail: EventDetail) {
  const sample = sampleEvent(type, 'company', 'acme.example', Date.now())
  return { ...sample, event: { ...sample.event, detail } }
}

function bounceOf(detail: EventDetail) {
  return jsonEvent(told('bounced', detail))!.data.bounce as {
    message: string
    subType: string
    diagnosticCode: string[]
  }
}

function statusOf(type: EventType, detail: EventDetail) {
  return formEvent(told(type, detail), BASE)!['delivery-status'] as Record<string, unknown>
}

const GONE = { code: 550, enhancedCode: '5.1.1', message: '550 5.1.1 There is nobody here', duration: 1_250 }

/** As Anymail's view of Resend's webhooks does it. */
function rejectReason(message: string): string {
  if (message.includes('suppressed sending')) return 'blocked'
  return message.includes('bounce message') ? 'bounced' : 'other'
}

describe('a bounce', () => {
  test('of the JSON dialect begins with the sentence that clients expect, then gives the reply of the server', () => {
    const { message, diagnosticCode } = bounceOf(GONE)
    assert.equal(rejectReason(message), 'bounced')
    assert.match(
      message,
      /^The recipient's email provider sent a hard bounce message: 550 5\.1\.1 There is nobody here$/,
    )
    assert.deepEqual(diagnosticCode, ['smtp; 550 5.1.1 There is nobody here'])
    const full = bounceOf({ code: 552, enhancedCode: '5.2.2', message: '552 5.2.2 Mailbox full' })
    assert.equal(full.subType, 'MailboxFull')
    assert.equal(rejectReason(full.message), 'bounced')
    assert.match(full.message, /inbox was full: 552 5\.2\.2 Mailbox full$/)
    const unasked = bounceOf({ enhancedCode: '5.1.10', message: 'The domain takes no mail (null MX)' })
    assert.equal(rejectReason(unasked.message), 'bounced')
    assert.deepEqual(unasked.diagnosticCode, [])
  })

  test('has each code once', () => {
    const cases: [EventDetail, diagnostic: string, words: string][] = [
      [{ code: 550, message: '550 No such user' }, 'smtp; 550 No such user', 'No such user'],
      [{ code: 550, message: '550' }, 'smtp; 550', ''],
      [
        { code: 550, enhancedCode: '5.7.1', message: '550-5.7.1 Blocked, see http://x.test/550' },
        'smtp; 550 5.7.1 Blocked, see http://x.test/550',
        'Blocked, see http://x.test/550',
      ],
      [
        { code: 550, enhancedCode: '5.1.1', message: 'Gave up: 550 5.1.1 no' },
        'smtp; 550 5.1.1 Gave up: no',
        'Gave up: no',
      ],
      [
        { code: 550, message: '5501 is the number of the user' },
        'smtp; 550 5501 is the number of the user',
        '5501 is the number of the user',
      ],
    ]
    for (const [detail, diagnostic, words] of cases) {
      assert.deepEqual(bounceOf(detail).diagnosticCode, [diagnostic])
      assert.equal(statusOf('bounced', detail).message, words)
    }
  })

  test('of the form dialect says how long the session took', () => {
    const { code, message, 'enhanced-code': enhanced, 'session-seconds': seconds } = statusOf('bounced', GONE)
    assert.deepEqual([code, enhanced, message, seconds], [550, '5.1.1', 'There is nobody here', 1.25])
    assert.equal(
      statusOf('suppressed', { message: 'Not sent', suppressedBy: 'complaint' })['session-seconds'],
      0,
    )
  })
})
