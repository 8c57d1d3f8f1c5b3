import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replyText } from '../../src/operate/reply-text.ts'

test('the code of a reply is shown once, wherever it stands', () => {
  const said = (code: number | null, message: string | null, enhancedCode?: string) =>
    replyText({ code, enhancedCode, message })
  assert.equal(said(550, '550 5.1.1 No such user', '5.1.1'), '550 5.1.1 No such user')
  assert.equal(said(550, '550-5.1.1 No such user', '5.1.1'), '550-5.1.1 No such user')
  assert.equal(
    said(550, 'Simulator: 550 5.1.1 no such mailbox', '5.1.1'),
    'Simulator: 550 5.1.1 no such mailbox',
  )
  assert.equal(
    said(421, 'mx.test [192.0.2.1]:25: 421 4.7.0 Try later'),
    'mx.test [192.0.2.1]:25: 421 4.7.0 Try later',
  )
  assert.equal(said(451, 'Greylisted', '4.7.1'), '451 4.7.1 Greylisted')
  assert.equal(said(451, '4.7.1 Greylisted', '4.7.1'), '451 4.7.1 Greylisted')
  assert.equal(said(250, '2500 octets taken'), '250 2500 octets taken')
  assert.equal(said(null, 'Captured'), 'Captured')
  assert.equal(said(null, null), '')
})
