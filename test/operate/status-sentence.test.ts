/** The sentence for every reason to wait, when the recipient was never tried, tried once, and tried often. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type EmailStatus,
  type Piece,
  type RecipientStatus,
  recipientSentence,
  statusSentence,
  type WaitReason,
} from '../../src/operate/status-sentence.ts'

const AT = '2026-11-24T17:43:10.000Z'
const END = '2026-11-29T17:12:00.000Z'
const TSS = 'mta5.yahoodns.test: 421 4.7.0 [TSS04] Messages temporarily deferred'

const NEVER: RecipientStatus = {
  address: 'jane@yahoo.test',
  state: 'waiting',
  attempts: 0,
  tries: 0,
  code: null,
  message: null,
  server: null,
  waits: 'turn',
  at: AT,
  givesUpAt: END,
}
/** Tries that spent no attempt: the session was refused. */
const REFUSED = { code: 421, message: TSS, tries: 1 }
const REFUSED_OFTEN = { ...REFUSED, tries: 13 }
const DEFERRED = {
  attempts: 1,
  tries: 1,
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

const ROWS: [waits: WaitReason, recipient: Partial<RecipientStatus>, sentence: string][] = [
  ['turn', {}, 'Accepted, and about to be sent.'],
  ['turn', REFUSED, `Mail to yahoo.test is refused for now: ${TSS}. Tried once. Trying again now.`],
  [
    'turn',
    { ...REFUSED, message: TSS.replace('.test', '.net') },
    `Yahoo takes no mail from this server for now: ${TSS.replace('.test', '.net')}. Tried once. Trying again now.`,
  ],
  ['turn', REFUSED_OFTEN, `Mail to yahoo.test is refused for now: ${TSS}. Tried 13 times. Trying again now.`],
  [
    'turn',
    DEFERRED_OFTEN,
    'Deferred by mx.yahoo.test: 451 4.2.0 Greylisted. Trying again now (attempt 4 of 13).',
  ],
  [
    'refusal',
    REFUSED,
    `Mail to yahoo.test is refused for now: ${TSS}. Tried once. Next try ${AT}; gives up ${END}.`,
  ],
  [
    'refusal',
    REFUSED_OFTEN,
    `Mail to yahoo.test is refused for now: ${TSS}. Tried 13 times. Next try ${AT}; gives up ${END}.`,
  ],
  [
    'refusal',
    { ...REFUSED, tries: null },
    `Mail to yahoo.test is refused for now: ${TSS}. Tried many times. Next try ${AT}; gives up ${END}.`,
  ],
  [
    'refusal',
    { code: null, tries: 2, message: 'mx.yahoo.test: the connection timed out' },
    `Mail to yahoo.test cannot be delivered for now: mx.yahoo.test: the connection timed out. Tried 2 times. Next try ${AT}; gives up ${END}.`,
  ],
  [
    'retry',
    DEFERRED,
    `Deferred by mx.yahoo.test: 451 4.2.0 Greylisted. Next attempt (2 of 13) ${AT}; gives up ${END}.`,
  ],
  [
    'retry',
    { ...DEFERRED_OFTEN, givesUpAt: null },
    `Deferred by mx.yahoo.test: 451 4.2.0 Greylisted. Next attempt (4 of 13) ${AT}.`,
  ],
  ['schedule', {}, `Scheduled by its sender: it will be sent ${AT}.`],
  ['pause', {}, 'Paused by an operator. It waits, without using up attempts, until the pause ends.'],
  [
    'pause',
    REFUSED,
    `Paused by an operator. It waits, without using up attempts, until the pause ends. Tried once. Last answer: ${TSS}.`,
  ],
  [
    'pause',
    DEFERRED_OFTEN,
    'Paused by an operator. It waits, without using up attempts, until the pause ends. Tried 16 times. Last answer: 451 4.2.0 Greylisted.',
  ],
  [
    'domain',
    {},
    'Held: acme.test may not send at the moment. The email is sent as soon as the domain is active again.',
  ],
  [
    'domain',
    DEFERRED,
    'Held: acme.test may not send at the moment. The email is sent as soon as the domain is active again. Tried once. Last answer: 451 4.2.0 Greylisted.',
  ],
  [
    'path',
    { message: 'Not attempted, because other mail on this path failed: 451 Server busy' },
    `Held: Not attempted, because other mail on this path failed: 451 Server busy. Next try ${AT}; sooner if other mail gets through; gives up ${END}.`,
  ],
]

for (const [waits, recipient, sentence] of ROWS) {
  const tries = recipient.tries === null ? 'more often than is listed' : `${recipient.tries ?? 0} times`
  test(`a recipient that waits for ${waits} and was tried ${tries}`, () => {
    const whole = { ...NEVER, ...recipient, waits }
    assert.equal(textOf(recipientSentence(whole, emailOf(whole))), sentence)
  })
}

test('what strangers wrote stands apart', () => {
  const whole = { ...NEVER, ...REFUSED, waits: 'refusal' as const }
  const pieces = recipientSentence(whole, emailOf(whole))
  assert.deepEqual(
    pieces.filter((piece) => typeof piece === 'object' && 'untrusted' in piece),
    [{ untrusted: 'yahoo.test' }, { untrusted: TSS }],
  )
})

test('of several recipients, the one that most needs attention is told', () => {
  const email: EmailStatus = {
    ...emailOf(NEVER),
    states: { waiting: 1, delivered: 1200 },
    recipients: [
      { ...NEVER, state: 'delivered', waits: null, server: 'mx.yahoo.test', message: '250 OK' },
      { ...NEVER, ...REFUSED, waits: 'turn' },
    ],
  }
  assert.equal(
    textOf(statusSentence(email)),
    `1,201 recipients: 1,200 delivered, 1 waiting. jane@yahoo.test: Mail to yahoo.test is refused for now: ${TSS}. Tried once. Trying again now.`,
  )
})
