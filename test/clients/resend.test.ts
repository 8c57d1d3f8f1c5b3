import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FILES, HTML, TEXT } from './material.ts'
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

interface Batch {
  data: { data: { id: string }[]; errors?: { index: number; message: string }[] } | null
  error: { name: string; message: string } | null
}
type Batches = Record<'sent' | 'again' | 'strict' | 'permissive', Batch>
interface List {
  data: { data: { id: string; subject: string }[]; has_more: boolean } | null
}
interface Files {
  list: { data: { data: { filename: string }[] } | null }
  one: { data: { object: string } | null }
  octets: string
}
interface Scheduled extends Record<'updated' | 'shown' | 'canceled' | 'twice' | 'after', Read> {
  id: string
  scheduledAt: string
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

      const batch = newest ? answerOf<Batches>(outcomes.batch) : null
      const together = batch?.sent ?? answerOf<Batch>(outcomes.batch)
      assert.equal(together.error, null)
      assert.equal(together.data?.data.length, 2)
      for (const name of ['one', 'two']) {
        assertText(await stage.arrived(`batch-${name}@in.test`), `${program} batch ${name}`)
      }
      if (batch !== null) {
        assert.deepEqual(batch.again.data?.data, batch.sent.data?.data)
        assert.equal(batch.strict.error?.name, 'validation_error')
        assert.match(batch.strict.error?.message ?? '', /^Email at index 2: Invalid `to` field\./)
        assert.equal(batch.permissive.data?.data.length, 1)
        assert.deepEqual(
          batch.permissive.data?.errors?.map(({ index }) => index),
          [0],
        )
        await stage.arrived('batch-three@in.test')

        const { all, page } = answerOf<{ all: List; page: List }>(outcomes.list)
        const ids = all.data!.data.map(({ id }) => id)
        assert.ok(ids.includes(sent('text').data!.id))
        assert.equal(all.data!.data.find(({ id }) => id === sent('text').data!.id)?.subject, 'resend text')
        assert.deepEqual([page.data!.data.map(({ id }) => id), page.data!.has_more], [[ids[1]], true])

        const files = answerOf<Files>(outcomes.attachments)
        assert.equal(files.list.data?.data[0]?.filename, FILES.report.filename)
        assert.equal(files.one.data?.object, 'attachment')
        assert.ok(FILES.report.content.equals(Buffer.from(files.octets, 'base64')))
      }

      const scheduled = answerOf<Scheduled>(outcomes.scheduled)
      for (const { data, error } of [scheduled.updated, scheduled.canceled]) {
        assert.equal(error, null)
        assert.deepEqual(data, { object: 'email', id: scheduled.id })
      }
      assert.equal(scheduled.shown.data?.last_event, 'scheduled')
      assert.equal(Date.parse(String(scheduled.shown.data?.scheduled_at)), Date.parse(scheduled.scheduledAt))
      assert.equal(scheduled.after.data?.last_event, 'canceled')
      assert.equal(scheduled.twice.error?.name, 'validation_error')

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
