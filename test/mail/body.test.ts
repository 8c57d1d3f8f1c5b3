import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bodyIncludes,
  bodyIndexOf,
  bodyOf,
  largeBodies,
  textOf,
  withOctets,
  withTexts,
} from '../../src/mail/body.ts'
import { LARGE_TEXT } from '../../src/mail/large-text.ts'
import type { MessageContent } from '../../src/mail/message.ts'

const content = (more: Partial<MessageContent>): MessageContent => ({
  ...{ from: 'a@x.test', to: [], cc: [], replyTo: [], subject: 's', headers: [], attachments: [] },
  ...{ messageId: '<a@x.test>', date: 0, ...more },
})
const large = `${'é%recipient%'.repeat(LARGE_TEXT / 10)}\0`

describe('bodies that cross threads', () => {
  test('a large one becomes octets, and the same text again', () => {
    const given = content({ html: large, text: 'short' })
    const packed = withOctets(given)
    assert.ok(packed.html instanceof Uint8Array)
    assert.equal(packed.text, 'short')
    assert.deepEqual(largeBodies(packed), [packed.html])
    assert.deepEqual(withTexts(packed), given)
    assert.equal(given.html, large)
  })

  test('content without a large one stays the object that it is', () => {
    const given = content({ html: '<p>', amp: '' })
    assert.equal(withOctets(given), given)
    assert.equal(withTexts(given), given)
    assert.deepEqual(largeBodies(given), [])
  })

  test('octets of a column become a text where they are few', () => {
    assert.equal(bodyOf(Buffer.from('é\0')), 'é\0')
    assert.ok(bodyOf(Buffer.from(large)) instanceof Uint8Array)
  })

  test('a text is found in both alike, also in octets that are a view of others', () => {
    const view = new Uint8Array(Buffer.concat([Buffer.from('%recipient'), Buffer.from(large)])).subarray(10)
    assert.equal(textOf(view), large)
    for (const body of [large, view]) {
      assert.equal(bodyIncludes(body, '%recipient%'), true)
      assert.equal(bodyIncludes(body, '%nobody%'), false)
      const first = bodyIndexOf(body, '%recipient', 0)
      assert.equal(bodyIndexOf(body, '%recipient', body.length), -1)
      assert.ok(bodyIndexOf(body, '%recipient', first + 1) > first)
    }
  })
})
