import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'

test('each step is one line, with its milliseconds and its direction', () => {
  const dialogue = new Dialogue()
  dialogue.note('connected')
  dialogue.sent('QUIT')
  dialogue.received('221 bye')
  assert.match(dialogue.text, /^\d+ \* connected\n\d+ > QUIT\n\d+ < 221 bye$/)
})

test('a long dialogue keeps its beginning and its end, and shows how much is missing', () => {
  const dialogue = new Dialogue()
  for (let at = 0; at < 10_000; at++) dialogue.sent(`RCPT TO:<rcpt${at}@x.test>`)
  const { text } = dialogue
  assert.ok(text.length < 17_000, `${text.length} characters`)
  assert.match(text, /^\d+ > RCPT TO:<rcpt0@x\.test>\n/)
  assert.match(text, /RCPT TO:<rcpt9999@x\.test>$/)
  const kept = text.match(/RCPT/g)!.length
  const missing = Number(/(\d+) lines left out/.exec(text)![1])
  assert.equal(kept + missing, 10_000)
})

test('one endless line does not fill the dialogue', () => {
  const dialogue = new Dialogue()
  dialogue.received(`220 ${'x'.repeat(50_000)}`)
  dialogue.sent('EHLO a')
  assert.ok(dialogue.text.length < 1100)
  assert.match(dialogue.text, /EHLO a$/)
})
