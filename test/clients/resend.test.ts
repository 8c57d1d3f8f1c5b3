import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HTML, TEXT } from './material.ts'
import { answerOf } from './run-client.ts'
import {
  assertEverybody,
  assertFiles,
  assertHtml,
  assertInline,
  assertText,
  SCHEMES,
  Stage,
} from './stage.ts'

interface Sent {
  data: { id: string } | null
  error: { name: string; message: string; statusCode?: number } | null
}
interface Read {
  data: Record<string, unknown> | null
  error: { name: string; message: string } | null
}

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

for (const scheme of SCHEMES) {
  for (const program of ['resend', 'resend-4']) {
    test(`${program} over ${scheme}`, async () => {
      await using stage = await Stage.set(scheme)
      const outcomes = await stage.run(program)
      const newest = program === 'resend'
      const sent = (name: string) => answerOf<Sent>(outcomes[name])

      for (const name of ['text', 'html', 'files', 'everybody', ...(newest ? ['inline'] : [])]) {
        assert.equal(sent(name).error, null, `${name}: ${JSON.stringify(sent(name).error)}`)
        assert.match(sent(name).data!.id, UUID7)
      }
      assertText(await stage.arrived('text@in.test'), `${program} text`)
      const html = await stage.arrived('html@in.test')
      assertHtml(html, `${program} html`)
      assert.match(html.parsed.text ?? '', /Hello Jörg/i)
      assert.match(html.parsed.text ?? '', /https:\/\/acme\.test\/a\?b=1&c=2/)
      assertFiles(await stage.arrived('files@in.test'))
      if (newest) assertInline(await stage.arrived('inline@in.test'), 'the-logo')
      assertEverybody(await stage.arrived('bob@in.test'), {
        subject: `${program} everybody – ünïcode ✓`,
        headers: true,
      })
      if (newest) {
        const { first, second } = answerOf<{ first: Sent; second: Sent }>(outcomes.repeated)
        assert.equal(first.error, null)
        assert.equal(second.data?.id, first.data?.id)
        await stage.arrived('repeated@in.test')
      }

      const { data } = answerOf<Read>(outcomes.get)
      assert.equal(data?.object, 'email')
      assert.equal(data.id, sent('text').data!.id)
      assert.equal(data.from, 'Acme Shop <shop@acme.test>')
      assert.deepEqual(data.to, ['text@in.test'])
      assert.equal(data.subject, `${program} text`)
      assert.equal(data.text, TEXT)
      assert.notEqual(data.html, HTML)
      assert.match(String(data.created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+\+00:00$/)
      assert.ok(['sent', 'delivered'].includes(String(data.last_event)), String(data.last_event))

      const unknown = answerOf<Read>(outcomes.getUnknown)
      assert.equal(unknown.data, null)
      assert.equal(unknown.error?.name, 'not_found')
      assert.equal(unknown.error?.message, 'Email not found')
      assert.equal(sent('badKey').error?.name, 'invalid_api_key')
      assert.equal(sent('badKey').error?.message, 'API key is invalid')
      assert.equal(sent('badAddress').error?.name, 'validation_error')
      assert.match(sent('badAddress').error?.message ?? '', /^Invalid `to` field\./)
      if (newest) {
        assert.equal(sent('badDomain').error?.name, 'validation_error')
        assert.match(sent('badDomain').error?.message ?? '', /The `elsewhere\.test` domain is not verified/)
      }
      assert.ok(!stage.relay.arrivals.some(({ parsed }) => parsed.subject === 'never'))
    })
  }
}
