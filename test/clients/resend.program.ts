/** The newest `resend`, pointed here by RESEND_BASE_URL and RESEND_API_KEY alone. */
import { Resend } from 'resend'
import { FILES, HTML, TEXT } from './material.ts'
import { DOMAIN, reportCalls } from './program.ts'

const resend = new Resend()
const from = `Acme Shop <shop@${DOMAIN}>`
const { report, notes, logo } = FILES
let firstId = ''

await reportCalls({
  text: async () => {
    const sent = await resend.emails.send({ from, to: 'text@in.test', subject: 'resend text', text: TEXT })
    firstId = sent.data?.id ?? ''
    return sent
  },
  html: () => resend.emails.send({ from, to: ['html@in.test'], subject: 'resend html', html: HTML }),
  files: () =>
    resend.emails.send({
      from,
      to: 'files@in.test',
      subject: 'resend files',
      text: TEXT,
      html: HTML,
      attachments: [
        { filename: report.filename, content: report.content },
        {
          filename: notes.filename,
          content: notes.content.toString('base64'),
          contentType: notes.contentType,
        },
      ],
    }),
  inline: () =>
    resend.emails.send({
      from,
      to: 'inline@in.test',
      subject: 'resend inline',
      html: '<p><img src="cid:the-logo"></p>',
      attachments: [{ filename: logo.filename, content: logo.content, contentId: 'the-logo' }],
    }),
  everybody: () =>
    resend.emails.send({
      from,
      to: ['"Doe, Jane" <jane@in.test>', 'bob@in.test'],
      cc: 'Cee <cee@in.test>',
      bcc: ['bee@in.test'],
      replyTo: 'replies@acme.test',
      subject: 'resend everybody – ünïcode ✓',
      text: TEXT,
      html: HTML,
      headers: { 'X-Order': '4711', 'List-Unsubscribe': '<https://acme.test/u/1>' },
      tags: [{ name: 'campaign', value: 'autumn_2026' }],
    }),
  repeated: async () => {
    const letter = { from, to: 'repeated@in.test', subject: 'resend repeated', text: TEXT }
    const first = await resend.emails.send(letter, { idempotencyKey: 'order-4711' })
    return { first, second: await resend.emails.send(letter, { idempotencyKey: 'order-4711' }) }
  },
  batch: async () => {
    const letters = ['one', 'two'].map((name) => ({
      from,
      to: `batch-${name}@in.test`,
      subject: `resend batch ${name}`,
      text: TEXT,
    }))
    const wrong = { ...letters[0]!, to: 'not an address', subject: 'never' }
    const sent = await resend.batch.send(letters, { idempotencyKey: 'batch-4711' })
    return {
      sent,
      again: await resend.batch.send(letters, { idempotencyKey: 'batch-4711' }),
      strict: await resend.batch.send([...letters, wrong].map((letter) => ({ ...letter, subject: 'never' }))),
      permissive: await resend.batch.send(
        [wrong, { ...letters[0]!, to: 'batch-three@in.test', subject: 'resend batch three' }],
        { batchValidation: 'permissive' },
      ),
    }
  },
  list: async () => {
    const all = await resend.emails.list()
    const page = await resend.emails.list({ limit: 1, after: all.data?.data[0]?.id ?? '' })
    return { all, page }
  },
  scheduled: async () => {
    const letter = { from, to: 'scheduled@in.test', subject: 'never', text: TEXT }
    const { data } = await resend.emails.send({ ...letter, scheduledAt: 'in 1 hour' })
    const id = data?.id ?? ''
    const scheduledAt = new Date(Date.now() + 7_200_000).toISOString()
    return {
      id,
      scheduledAt,
      updated: await resend.emails.update({ id, scheduledAt }),
      shown: await resend.emails.get(id),
      canceled: await resend.emails.cancel(id),
      twice: await resend.emails.cancel(id),
      after: await resend.emails.get(id),
    }
  },
  attachments: async () => {
    const { data } = await resend.emails.send({
      from,
      to: 'attached@in.test',
      subject: 'resend attached',
      text: TEXT,
      attachments: [{ filename: report.filename, content: report.content }],
    })
    const emailId = data?.id ?? ''
    const list = await resend.emails.attachments.list({ emailId })
    const id = list.data?.data[0]?.id ?? ''
    const one = await resend.emails.attachments.get({ emailId, id })
    const file = await fetch(one.data?.download_url ?? '')
    return { list, one, octets: Buffer.from(await file.arrayBuffer()).toString('base64') }
  },
  get: () => resend.emails.get(firstId),
  getUnknown: () => resend.emails.get('0198f0c0-0000-7000-8000-000000000000'),
  badKey: () => new Resend('pr_nobody').emails.send({ from, to: 'x@in.test', subject: 'never', text: TEXT }),
  badAddress: () => resend.emails.send({ from, to: 'not an address', subject: 'never', text: TEXT }),
  badDomain: () =>
    resend.emails.send({ from: 'a@elsewhere.test', to: 'x@in.test', subject: 'never', text: TEXT }),
})
