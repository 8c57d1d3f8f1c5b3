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

interface Queued {
  id: string
  message: string
  status?: number
}

const MESSAGE_ID = /^<[^<>@\s]+@[^<>@\s]+>$/

for (const scheme of SCHEMES) {
  for (const program of ['mailgun.js', 'mailgun-js']) {
    test(`${program} over ${scheme}`, async () => {
      await using stage = await Stage.set(scheme)
      const outcomes = await stage.run(program)
      const queued = (name: string) => answerOf<Queued>(outcomes[name])

      for (const name of ['text', 'html', 'files', 'inline', 'everybody', 'mime']) {
        assert.equal(queued(name).message, 'Queued. Thank you.', name)
        assert.match(queued(name).id, MESSAGE_ID)
      }
      const text = await stage.arrived('text@in.test')
      assertText(text, `${program} text`)
      assert.equal(text.parsed.messageId, queued('text').id)
      assertHtml(await stage.arrived('html@in.test'), `${program} html`)
      assertFiles(await stage.arrived('files@in.test'))
      assertInline(await stage.arrived('inline@in.test'), 'logo.png')
      const everybody = { subject: `${program} everybody – ünïcode ✓`, headers: true }
      assertEverybody(await stage.arrived('bob@in.test'), everybody)
      const mime = await stage.arrived('mime@in.test')
      assert.equal(mime.parsed.messageId, queued('mime').id)
      assert.equal(mime.parsed.text?.trimEnd(), 'raw as it is')

      if (program === 'mailgun.js') {
        assert.equal(queued('text').status, 200)
        assert.equal(queued('batch').message, 'Queued. Thank you.')
        for (const [address, name, id] of [
          ['ann@in.test', 'Ann', '1'],
          ['ben@in.test', 'Ben', '2'],
        ] as const) {
          const { parsed, recipients } = await stage.arrived(address)
          assert.deepEqual(recipients, [address])
          assert.deepEqual(
            parsed.to?.map((to) => to.address),
            [address],
          )
          assert.equal(parsed.subject, `mailgun.js batch ${name}`)
          assert.equal(parsed.text?.trimEnd(), `Dear ${name}, your number is ${id}.`)
        }
        const badKey = errorOf(outcomes.badKey)
        assert.equal(badKey.status, 401)
        assert.match(`${badKey.message} ${badKey.details}`, /Forbidden/)
        const badAddress = errorOf(outcomes.badAddress)
        assert.equal(badAddress.status, 400)
        assert.equal(badAddress.details, 'to parameter is not a valid address. please check documentation')
        const badDomain = errorOf(outcomes.badDomain)
        assert.equal(badDomain.status, 404)
        assert.equal(badDomain.details, 'Domain not found: elsewhere.test')
      } else {
        const badKey = errorOf(outcomes.badKey)
        assert.equal(badKey.statusCode, 401)
        assert.equal(badKey.message, 'Forbidden')
        const badAddress = errorOf(outcomes.badAddress)
        assert.equal(badAddress.statusCode, 400)
        assert.equal(badAddress.message, 'to parameter is not a valid address. please check documentation')
      }
      assert.ok(!stage.relay.arrivals.some(({ parsed }) => parsed.subject === 'never'))
    })
  }
}
