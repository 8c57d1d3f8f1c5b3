import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf, errorOf } from './run-client.ts'
import {
  assertEverybody,
  assertFiles,
  assertHtml,
  assertInline,
  assertText,
  SCHEMES,
  Stage,
} from './stage.ts'

interface Info {
  id: string
  messageId: string
  message: string
}

for (const scheme of SCHEMES) {
  test(`nodemailer with nodemailer-mailgun-transport over ${scheme}`, async () => {
    await using stage = await Stage.set(scheme)
    const outcomes = await stage.run('nodemailer')
    for (const name of ['text', 'html', 'files', 'inline', 'everybody']) {
      const info = answerOf<Info>(outcomes[name])
      assert.equal(info.message, 'Queued. Thank you.', name)
      assert.equal(info.messageId, info.id)
    }
    const text = await stage.arrived('text@in.test')
    assertText(text, 'nodemailer text')
    assert.equal(text.parsed.messageId, answerOf<Info>(outcomes.text).messageId)
    assertHtml(await stage.arrived('html@in.test'), 'nodemailer html')
    // The transport does not pass a media type on, so both are derived from the file names.
    assertFiles(await stage.arrived('files@in.test'))
    assertInline(await stage.arrived('inline@in.test'), 'logo.png')
    // The transport drops custom headers before they are sent.
    assertEverybody(await stage.arrived('bob@in.test'), {
      subject: 'nodemailer everybody – ünïcode ✓',
      headers: false,
    })

    const badKey = errorOf(outcomes.badKey)
    assert.equal(badKey.status, 401)
    assert.match(`${badKey.message} ${badKey.details}`, /Forbidden/)
    const badAddress = errorOf(outcomes.badAddress)
    assert.equal(badAddress.status, 400)
    assert.match(String(badAddress.details), /^to parameter is not a valid address/)
  })
}
