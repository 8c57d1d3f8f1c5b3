/** The sentence for every reason to wait, when the recipient was never tried, tried once, and tried often. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWED_STEPS, type OwedStep } from '../../src/email/owed-answer.ts'
import type { FinalState } from '../../src/email/recipient.ts'
import { RECIPIENT_STATES } from '../../src/http/console/contract/shapes.ts'
import {
  type EmailStatus,
  type Piece,
  type RecipientStatus,
  recipientSentence,
  statusPieces,
  statusSentence,
  WAIT_REASONS,
  type WaitReason,
} from '../../src/operate/status-sentence.ts'

const AT = '2026-11-24T17:43:10.000Z'
const END = '2026-11-29T17:12:00.000Z'
const ANSWERED = '421 4.7.0 [TSS04] Messages temporarily deferred'
const TSS = `mta5.yahoodns.test: ${ANSWERED}`
const YAHOO = { name: 'Yahoo', whose: null, to: null }

const NEVER: RecipientStatus = {
  address: 'jane@yahoo.test',
  state: 'waiting',
  attempts: 0,
  tries: 0,
  delayed: false,
  returned: false,
  code: null,
  message: null,
  server: null,
  waits: 'turn',
  at: AT,
  givesUpAt: END,
  closed: null,
  pauseReason: null,
  owed: null,
  node: null,
}
/** Tries that spent no attempt: the session was refused. */
const REFUSED = { code: 421, message: TSS, tries: 1, delayed: true }
const REFUSED_OFTEN = { ...REFUSED, tries: 13 }
const DEFERRED = {
  attempts: 1,
  tries: 1,
  delayed: true,
  code: 451,
  message: '451 4.2.0 Greylisted',
  server: 'mx.yahoo.test',
}
const DEFERRED_OFTEN = { ...DEFERRED, attempts: 3, tries: 16 }

const textOf = (pieces: readonly Piece[]) =>
  pieces
    .map((piece) => (typeof piece === 'string' ? piece : 'at' in piece ? piece.at : piece.untrusted))
    .join('')

function emailOf(recipient: RecipientStatus): EmailStatus {
  return {
    domain: { name: 'acme.test' },
    mostAttempts: 13,
    states: { [recipient.state]: 1 },
    recipients: [recipient],
  }
}

/** A later turn ended without an attempt, in place of an answer. */
const WARMING =
  'Not attempted: the source address mail1 is warming up and may send 50 messages to yahoo.test today'
const OTHERS = 'Not attempted, because other mail on this path failed: 451 Server busy'

type Row = [recipient: Partial<RecipientStatus>, sentence: string]
/** Every reason has rows for each: never tried, tried once, tried often. */
type Rows = Record<'never' | 'once' | 'often', Row[]>

const WAITS: Record<WaitReason, Rows> = {
  turn: {
    never: [
      [{}, 'Accepted, and about to be sent.'],
      [{ message: 'Not attempted: paused by an operator' }, 'Accepted, and about to be sent.'],
      [{ message: OTHERS, delayed: true }, `Waiting. Trying now. ${OTHERS}.`],
    ],
    once: [
      [REFUSED, `yahoo.test refused this email for now. Tried once. Trying now. Last answer: ${TSS}.`],
      [
        { ...REFUSED, message: TSS.replace('.test', '.net') },
        `Yahoo refused this email for now. Tried once. Trying now. Last answer: ${TSS.replace('.test', '.net')}.`,
      ],
      [
        { ...DEFERRED, message: 'Not attempted: the service was stopped' },
        'Waiting. Tried once. Trying again now (attempt 2 of 13). Not attempted: the service was stopped.',
      ],
    ],
    often: [
      [
        REFUSED_OFTEN,
        `yahoo.test refused this email for now. Tried 13 times. Trying now. Last answer: ${TSS}.`,
      ],
      [
        DEFERRED_OFTEN,
        'Deferred by mx.yahoo.test. Trying again now (attempt 4 of 13). Last answer: 451 4.2.0 Greylisted.',
      ],
      [
        { ...DEFERRED_OFTEN, attempts: 13 },
        'Deferred by mx.yahoo.test. Trying again now (attempt 13 of 13). Last answer: 451 4.2.0 Greylisted.',
      ],
    ],
  },
  retry: {
    // The attempts may no longer be listed.
    never: [
      [
        { ...DEFERRED, tries: 0 },
        `Deferred by mx.yahoo.test. Next attempt (2 of 13) ${AT}; gives up ${END}. Last answer: 451 4.2.0 Greylisted.`,
      ],
    ],
    once: [
      [
        DEFERRED,
        `Deferred by mx.yahoo.test. Next attempt (2 of 13) ${AT}; gives up ${END}. Last answer: 451 4.2.0 Greylisted.`,
      ],
      [
        { ...DEFERRED, message: WARMING },
        `Waiting. Tried once. Next attempt (2 of 13) ${AT}; gives up ${END}. ${WARMING}.`,
      ],
    ],
    often: [
      [
        { ...DEFERRED_OFTEN, givesUpAt: null },
        `Deferred by mx.yahoo.test. Next attempt (4 of 13) ${AT}. Last answer: 451 4.2.0 Greylisted.`,
      ],
    ],
  },
  refusal: {
    never: [[{ message: WARMING }, `Waiting. Next try ${AT}; gives up ${END}. ${WARMING}.`]],
    once: [
      [
        REFUSED,
        `yahoo.test refused this email for now. Tried once. Next try ${AT}; gives up ${END}. Last answer: ${TSS}.`,
      ],
      [{ ...REFUSED, message: WARMING }, `Waiting. Tried once. Next try ${AT}; gives up ${END}. ${WARMING}.`],
    ],
    often: [
      [
        REFUSED_OFTEN,
        `yahoo.test refused this email for now. Tried 13 times. Next try ${AT}; gives up ${END}. Last answer: ${TSS}.`,
      ],
      [
        { ...REFUSED, tries: null },
        `yahoo.test refused this email for now. Tried many times. Next try ${AT}; gives up ${END}. Last answer: ${TSS}.`,
      ],
      [
        { code: null, tries: 2, message: 'mx.yahoo.test: the connection timed out' },
        `Mail to yahoo.test cannot be delivered for now. Tried 2 times. Next try ${AT}; gives up ${END}. Reason: mx.yahoo.test: the connection timed out.`,
      ],
    ],
  },
  schedule: {
    never: [[{}, `Scheduled by its sender: it will be sent ${AT}.`]],
    once: [
      [
        DEFERRED,
        `Scheduled by its sender: it will be sent ${AT}. Tried once. Last answer: 451 4.2.0 Greylisted.`,
      ],
    ],
    often: [
      [
        { ...DEFERRED_OFTEN, message: OTHERS },
        `Scheduled by its sender: it will be sent ${AT}. Tried 16 times.`,
      ],
    ],
  },
  pause: {
    never: [
      [{ at: null }, 'Paused by an operator. It waits, without using up attempts, until the pause ends.'],
      [
        { pauseReason: 'Yahoo asked us to wait.' },
        `Paused by an operator: Yahoo asked us to wait. It waits, without using up attempts, until the pause ends at ${AT}.`,
      ],
      [{}, `Paused by an operator. It waits, without using up attempts, until the pause ends at ${AT}.`],
      [
        { message: 'Not attempted: paused by an operator' },
        `Paused by an operator. It waits, without using up attempts, until the pause ends at ${AT}.`,
      ],
    ],
    once: [
      [
        REFUSED,
        `Paused by an operator. It waits, without using up attempts, until the pause ends at ${AT}. Tried once. Last answer: ${TSS}.`,
      ],
      [
        { ...REFUSED, message: 'Not attempted: paused by an operator' },
        `Paused by an operator. It waits, without using up attempts, until the pause ends at ${AT}. Tried once.`,
      ],
    ],
    often: [
      [
        DEFERRED_OFTEN,
        `Paused by an operator. It waits, without using up attempts, until the pause ends at ${AT}. Tried 16 times. Last answer: 451 4.2.0 Greylisted.`,
      ],
    ],
  },
  domain: {
    never: [
      [{}, 'acme.test may not send at the moment. The email is sent as soon as the domain is active again.'],
      [
        { message: 'Not attempted: acme.test may not send' },
        'acme.test may not send at the moment. The email is sent as soon as the domain is active again.',
      ],
    ],
    once: [
      [
        DEFERRED,
        'acme.test may not send at the moment. The email is sent as soon as the domain is active again. Tried once. Last answer: 451 4.2.0 Greylisted.',
      ],
    ],
    often: [
      [
        { ...DEFERRED_OFTEN, message: 'Not attempted: acme.test may not send' },
        'acme.test may not send at the moment. The email is sent as soon as the domain is active again. Tried 16 times.',
      ],
    ],
  },
  path: {
    never: [
      [
        { closed: YAHOO, message: TSS },
        `Postroad waits with all mail to Yahoo. Next try ${AT}; gives up ${END}. Yahoo answers “${ANSWERED}” to this server.`,
      ],
      [
        {
          closed: YAHOO,
          message: `mta5.yahoodns.test [192.0.2.1]:25 closed the session: ${ANSWERED}`,
          at: null,
        },
        `Postroad waits with all mail to Yahoo. The next try is due; gives up ${END}. Yahoo answers “${ANSWERED}” to this server.`,
      ],
      [
        { closed: { ...YAHOO, whose: 'acme.test', to: 'yahoo.test' }, message: '421 no' },
        `Postroad waits with all mail of acme.test to yahoo.test. Next try ${AT}; gives up ${END}. Yahoo answers “421 no” to this server.`,
      ],
      [
        { closed: YAHOO, message: 'mta5.yahoodns.test takes no more mail for now (421)' },
        `Postroad waits with all mail to Yahoo. Next try ${AT}; gives up ${END}. Reason: mta5.yahoodns.test takes no more mail for now (421).`,
      ],
      [
        { closed: YAHOO, message: 'mta5.yahoodns.test: the connection timed out' },
        `Postroad waits with all mail to Yahoo. Next try ${AT}; gives up ${END}. Reason: mta5.yahoodns.test: the connection timed out.`,
      ],
      [
        { message: '451 Server busy' },
        `Postroad waits with this mail. Next try ${AT}; sooner if other mail gets through; gives up ${END}. Last answer: 451 Server busy.`,
      ],
    ],
    once: [
      [
        { tries: 1, closed: YAHOO, message: TSS },
        `Postroad waits with all mail to Yahoo. Tried once. Next try ${AT}; gives up ${END}. Yahoo answers “${ANSWERED}” to this server.`,
      ],
    ],
    often: [
      [
        { tries: 16, closed: YAHOO, message: TSS },
        `Postroad waits with all mail to Yahoo. Tried 16 times. Next try ${AT}; gives up ${END}. Yahoo answers “${ANSWERED}” to this server.`,
      ],
    ],
  },
  answer: {
    never: [[{ state: 'sending' }, 'Being sent, or about to be (attempt 1 of 13).']],
    once: [[{ ...DEFERRED, state: 'sending' }, 'Being sent, or about to be (attempt 2 of 13).']],
    often: [[{ ...DEFERRED_OFTEN, state: 'sending' }, 'Being sent, or about to be (attempt 4 of 13).']],
  },
  release: {
    never: [
      [
        { state: 'quarantined' },
        'In quarantine: sending it crashed a process. An operator has to release or cancel it.',
      ],
    ],
    once: [
      [
        { ...DEFERRED, state: 'quarantined' },
        'In quarantine: sending it crashed a process. An operator has to release or cancel it.',
      ],
    ],
    often: [
      [
        { ...DEFERRED_OFTEN, state: 'quarantined' },
        'In quarantine: sending it crashed a process. An operator has to release or cancel it.',
      ],
    ],
  },
}

const ENDS: Record<FinalState, Row[]> = {
  delivered: [
    [{ server: 'capture' }, 'Captured: the email is stored here and was not sent.'],
    [{ server: 'mx.x.test', code: 250, message: '250 2.0.0 Ok' }, 'Accepted by mx.x.test: 250 2.0.0 Ok.'],
    [{}, 'Delivered.'],
  ],
  bounced: [
    [
      { server: 'mx.x.test', code: 550, message: '550 5.1.1 No such user' },
      'Rejected permanently by mx.x.test: 550 5.1.1 No such user.',
    ],
    [
      { server: 'mx.x.test', code: 550, message: '550 5.1.1 User unknown at mx.x.test', returned: true },
      'Accepted by mx.x.test, returned later: 550 5.1.1 User unknown at mx.x.test.',
    ],
    [{ message: 'There is no such domain' }, 'Rejected permanently: There is no such domain.'],
  ],
  failed: [
    [
      { attempts: 0, message: 'Gave up: the time within which this service delivers mail is over' },
      'Delivery failed: Gave up: the time within which this service delivers mail is over.',
    ],
    [
      { attempts: 1, message: 'The message is too large for the next server' },
      'Delivery failed after 1 attempt: The message is too large for the next server.',
    ],
    [
      {
        ...DEFERRED_OFTEN,
        message: 'Gave up after 13 attempts. Last error: 451 4.2.0 Greylisted',
        attempts: 13,
      },
      'Delivery failed after 13 attempts: Gave up after 13 attempts. Last error: 451 4.2.0 Greylisted.',
    ],
  ],
  suppressed: [
    [{}, 'Not sent: the address is on the suppression list.'],
    [{ message: 'Not sent: it complained' }, 'Not sent: it complained.'],
  ],
  canceled: [[{}, 'Canceled before it was sent.']],
}

const SINCE = '2026-11-24T17:40:00.000Z'
const UNTIL = '2026-11-24T17:42:00.000Z'

test('a recipient that is being sent to names what its server owes, or the node that has it', () => {
  const sentenceOf = (underWay: Partial<RecipientStatus>) => {
    const whole: RecipientStatus = { ...NEVER, state: 'sending', waits: 'answer', at: null, ...underWay }
    return textOf(statusPieces([recipientSentence(whole, emailOf(whole))]))
  }
  const times = { server: 'mx.x.test [192.0.2.1]:25', since: SINCE, until: UNTIL }
  const owing = (step: OwedStep) => sentenceOf({ owed: { ...times, step } })
  const said = Object.fromEntries(OWED_STEPS.map((step) => [step, owing(step)]))
  const begin = 'Being sent now (attempt 1 of 13): mx.x.test [192.0.2.1]:25'
  const end = `since ${SINCE}. Postroad waits until ${UNTIL} at the latest.`
  assert.deepEqual(said, {
    connect: `${begin} has not accepted the connection ${end}`,
    proxy: `${begin} is not connected: the proxy of the source address has not answered ${end}`,
    greeting: `${begin} has not sent its greeting ${end}`,
    ehlo: `${begin} has not answered EHLO ${end}`,
    starttls: `${begin} has not answered STARTTLS ${end}`,
    tls: `${begin} has not completed the TLS handshake ${end}`,
    auth: `${begin} has not answered AUTH ${end}`,
    mail: `${begin} has not answered MAIL ${end}`,
    rcpt: `${begin} has not answered RCPT ${end}`,
    data: `${begin} has not answered DATA ${end}`,
    message: `${begin} has not taken the whole message ${end}`,
    dot: `${begin} has the message and has not answered it ${end}`,
  })
  assert.equal(
    sentenceOf({ node: 'mail-2' }),
    'Being sent, or about to be, by the node mail-2 (attempt 1 of 13). The page of the email in the console of that node shows the answer for which it waits.',
  )
})

const FINAL_STATES = Object.keys(ENDS) as FinalState[]

for (const waits of WAIT_REASONS) {
  for (const [tried, rows] of Object.entries(WAITS[waits])) {
    test(`a recipient that waits for ${waits} and was tried ${tried}`, () => {
      for (const [recipient, sentence] of rows) {
        const whole = { ...NEVER, ...recipient, waits }
        assert.equal(textOf(statusPieces([recipientSentence(whole, emailOf(whole))])), sentence)
      }
    })
  }
}

for (const state of FINAL_STATES) {
  test(`a recipient that is ${state}`, () => {
    for (const [recipient, sentence] of ENDS[state]) {
      const whole = { ...NEVER, at: null, givesUpAt: null, ...recipient, state, waits: null }
      assert.equal(textOf(statusPieces([recipientSentence(whole, emailOf(whole))])), sentence)
    }
  })
}

test('no state is without a sentence', () => {
  assert.deepEqual(
    [...FINAL_STATES, 'waiting', 'sending', 'quarantined'].toSorted(),
    RECIPIENT_STATES.toSorted(),
  )
})

test('the words of strangers are marked as untrusted', () => {
  const whole = { ...NEVER, ...REFUSED, waits: 'refusal' as const }
  const pieces = statusPieces([recipientSentence(whole, emailOf(whole))])
  assert.deepEqual(
    pieces.filter((piece) => typeof piece === 'object' && 'untrusted' in piece),
    [{ untrusted: 'yahoo.test' }, { untrusted: TSS }],
  )
})

test('the sentence is about the recipient that most needs attention', () => {
  const email: EmailStatus = {
    ...emailOf(NEVER),
    states: { waiting: 1, delivered: 1200 },
    recipients: [
      { ...NEVER, state: 'delivered', waits: null, server: 'mx.yahoo.test', message: '250 OK' },
      { ...NEVER, ...REFUSED, waits: 'turn' },
    ],
  }
  assert.equal(
    textOf(statusPieces(statusSentence(email))),
    `1,201 recipients: 1,200 delivered, 1 waiting. jane@yahoo.test: yahoo.test refused this email for now. Tried once. Trying now. Last answer: ${TSS}.`,
  )
})

test('waiting mail stands beside finished mail, in the words of the filter', () => {
  const email: EmailStatus = {
    ...emailOf(NEVER),
    states: { bounced: 1, waiting: 2 },
    recipients: [
      { ...NEVER, ...DEFERRED, waits: 'retry' },
      { ...NEVER, address: 'bob@yahoo.test', waits: 'path', closed: YAHOO },
      {
        ...NEVER,
        address: 'gone@x.test',
        state: 'bounced',
        waits: null,
        server: 'mx.x.test',
        message: '550 5.1.1 No such user',
      },
    ],
  }
  assert.deepEqual(
    statusSentence(email).map(({ statement, reply }) => [textOf(statement), textOf(reply)]),
    [
      [
        '3 recipients: 1 retrying, 1 held, 1 bounced. gone@x.test: Rejected permanently by mx.x.test:',
        '550 5.1.1 No such user.',
      ],
      [
        `bob@yahoo.test: Postroad waits with all mail to Yahoo. Next try ${AT}; gives up ${END}.`,
        'Yahoo takes no mail from this server.',
      ],
    ],
  )
})

test('mail in memory whose path is closed is held, in the count as in its row', () => {
  const held = { ...NEVER, state: 'sending' as const, waits: 'path' as const, closed: YAHOO }
  const states = { sending: 1, delivered: 1 }
  const delivered = { ...NEVER, state: 'delivered' as const, waits: null }
  const summary = (recipients: RecipientStatus[], counted: EmailStatus['states']) =>
    textOf(statusSentence({ ...emailOf(NEVER), states: counted, recipients })[0]!.statement).split('.')[0]
  assert.equal(summary([delivered, held], states), '2 recipients: 1 delivered, 1 held')
  assert.equal(
    summary([held], { ...states, delivered: 150, waiting: 2 }),
    '153 recipients: 150 delivered, 3 waiting',
    'not all are known',
  )
})
