import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FilledHeader } from '../../src/mail/batch/filled-header.ts'
import { substitute, substituteText, withoutServicePlaceholders } from '../../src/mail/batch/substitute.ts'
import { HeaderError } from '../../src/mail/header/header.ts'
import type { MessageContent } from '../../src/mail/message.ts'

const bob = {
  address: 'bob@x.test',
  name: 'Bob van Dyke',
  variables: {
    n: 'B',
    'h:List-Unsubscribe': '<https://x.test/u>',
    'a.b-c': 'dotted',
    again: '%recipient.n%',
    empty: '',
    $: '$&',
  },
}

const variablesError = (content: MessageContent, variables: Record<string, string>) =>
  new FilledHeader(content).error({ address: 'bob@x.test', name: '', variables })

const content: MessageContent = {
  from: '"%recipient.n%, Acme" <a@acme.test>',
  to: ['bob@x.test'],
  cc: [],
  replyTo: [],
  subject: 'Hi %recipient.n%',
  text: 'Hi %recipient_fname%',
  html: '<b>%recipient.n%</b>',
  headers: [],
  attachments: [],
  messageId: '<1@acme.test>',
  date: 0,
}

describe('recipient variables', () => {
  const cases: [text: string, filled: string][] = [
    ['Hi %recipient.n%!', 'Hi B!'],
    ['%recipient.h:List-Unsubscribe%', '<https://x.test/u>'],
    ['%recipient.a.b-c%', 'dotted'],
    ['%recipient.$%', '$&'],
    ['[%recipient.empty%]', '[]'],
    ['%recipient%', 'Bob van Dyke <bob@x.test>'],
    ['%recipient_email%', 'bob@x.test'],
    ['%recipient_name%|%recipient_fname%|%recipient_lname%', 'Bob van Dyke|Bob|van Dyke'],
    // A value is not looked through again.
    ['%recipient.again%', '%recipient.n%'],
    // Unknown keys stay visible; names of every object are no keys.
    ['%recipient.missing% %recipient.constructor%', '%recipient.missing% %recipient.constructor%'],
    ['100% %recipient.n', '100% %recipient.n'],
    ['%recipient.n%recipient.n%', 'Brecipient.n%'],
  ]
  for (const [text, filled] of cases) {
    it(`fills in ${text}`, () => assert.equal(substituteText(text, bob), filled))
  }

  it('reach subject, bodies, headers and the name of the sender, and not its address', () => {
    const filled = substitute({ ...content, headers: [['X-N', '%recipient.n%']] }, bob)
    assert.equal(filled.from, '"B, Acme" <a@acme.test>')
    assert.equal(filled.subject, 'Hi B')
    assert.equal(filled.text, 'Hi Bob')
    assert.equal(filled.html, '<b>B</b>')
    assert.deepEqual(filled.headers, [['X-N', 'B']])
    assert.equal(content.subject, 'Hi %recipient.n%')
    const name = { ...bob, variables: { n: 'x" <ann@acme.test>' } }
    assert.equal(substitute(content, name).from, '"x\\" <ann@acme.test>, Acme" <a@acme.test>')
    const foreign = { n: 'x" <evil@evil.test>' }
    assert.match(variablesError(content, foreign)!, /holds an address at evil\.test/)
    assert.throws(() => substitute(content, { ...bob, variables: foreign }), HeaderError)
  })

  it('cannot break out of a header', () => {
    for (const bad of ['a\r\nBcc: e@x.test', 'a\nb', 'a\0b', 'a\ud800']) {
      const variables = { n: bad }
      assert.match(variablesError(content, variables)!, /filled in, contains/)
      for (const parts of [
        { from: 'Acme <a@acme.test>' },
        {
          from: 'Acme <a@acme.test>',
          subject: 'Hi',
          headers: [['X-N', '%recipient.n%']] as [string, string][],
        },
      ]) {
        assert.throws(() => substitute({ ...content, ...parts }, { ...bob, variables }), HeaderError)
        assert.notEqual(variablesError({ ...content, ...parts }, variables), null)
      }
      // In bodies every value is fine.
      const bodyOnly = { ...content, from: 'a@acme.test', subject: 'Hi' }
      assert.equal(variablesError(bodyOnly, variables), null)
      assert.equal(substitute(bodyOnly, { ...bob, variables }).html, `<b>${bad}</b>`)
    }
  })

  it('stand in no more header fields than can be tried for a thousand recipients', () => {
    const fields = (count: number) => ({
      ...content,
      headers: Array.from({ length: count }, (_, index): [string, string] => [`X-${index}`, '%recipient.n%']),
    })
    assert.equal(variablesError(fields(100), { n: 'x' }), null)
    assert.match(variablesError(fields(101), { n: 'x' })!, /^101 header fields have .* at most 100 may$/)
  })

  it('are refused beforehand where the filled header could not be written', () => {
    const parts = {
      ...content,
      from: 'a@acme.test',
      headers: [
        ['X-N', '%recipient.n%'],
        ['References', '<%recipient.r%@x.test>'],
      ] as [string, string][],
    }
    assert.match(variablesError(parts, { n: 'x'.repeat(1000) })!, /at most 998/)
    assert.match(variablesError(content, { n: 'x '.repeat(500) })!, /longer than 998/)
    assert.match(variablesError(parts, { r: 'ü' })!, /only ASCII/)
    assert.equal(variablesError(parts, { n: 'ü', r: 'u' }), null)
  })

  it('cannot make a small text fill the memory', () => {
    const variables = { n: 'x'.repeat(100_000) }
    assert.throws(() => substituteText('%recipient.n%'.repeat(100_000), { ...bob, variables }), /too large/)
  })

  it('takes time in proportion to the text', () => {
    for (const piece of ['%recipient.', '%recipien', '%', '%recipient.a']) {
      const text = piece.repeat(200_000)
      assert.equal(substituteText(text, { ...bob, variables: {} }), text)
    }
  })
})

describe('placeholders of a subscription service', () => {
  const cases: [value: string, left: string][] = [
    ['<https://x.test/u>, <%tag_unsubscribe_email%>', '<https://x.test/u>'],
    ['<%tag_unsubscribe_email%>, <https://x.test/u>', '<https://x.test/u>'],
    ['<mailto:%unsubscribe_email%>, <https://x.test/?a,b>', '<https://x.test/?a,b>'],
    ['<%unsubscribe_url%>', ''],
    ['%mailing_list_unsubscribe_url%', ''],
    ['a, <>, b', 'a, <>, b'],
    ['50% unsubscribe', '50% unsubscribe'],
  ]
  for (const [value, left] of cases) {
    it(`leave ${value} as ${left || 'nothing'}`, () => assert.equal(withoutServicePlaceholders(value), left))
  }

  it('leave no empty field behind', () => {
    const headers: [string, string][] = [
      ['List-Unsubscribe', '<%unsubscribe_url%>'],
      ['X-Empty', ''],
      ['List-Help', '<%recipient.h:List-Unsubscribe%>, <%tag_unsubscribe_email%>'],
    ]
    assert.deepEqual(substitute({ ...content, headers }, bob).headers, [
      ['X-Empty', ''],
      ['List-Help', '<<https://x.test/u>>'],
    ])
  })
})
