/** resend 4.0.0: sends Buffers as `{"type":"Buffer"}` and keys in camel case, and reads RESEND_BASE_URL when it is imported. */
import { Resend } from 'resend-4'
import { FILES, HTML, TEXT } from './material.ts'
import { DOMAIN, reportCalls } from './program.ts'

const resend = new Resend()
const from = `Acme Shop <shop@${DOMAIN}>`
const { report, notes } = FILES
let firstId = ''

await reportCalls({
  text: async () => {
    const sent = await resend.emails.send({ from, to: 'text@in.test', subject: 'resend-4 text', text: TEXT })
    firstId = sent.data?.id ?? ''
    return sent
  },
  html: () => resend.emails.send({ from, to: ['html@in.test'], subject: 'resend-4 html', html: HTML }),
  files: () =>
    resend.emails.send({
      from,
      to: 'files@in.test',
      subject: 'resend-4 files',
      text: TEXT,
      attachments: [
        { filename: report.filename, content: report.content },
        {
          filename: notes.filename,
          content: notes.content.toString('base64'),
          contentType: notes.contentType,
        },
      ],
    }),
  everybody: () =>
    resend.emails.send({
      from,
      to: ['"Doe, Jane" <jane@in.test>', 'bob@in.test'],
      cc: 'Cee <cee@in.test>',
      bcc: ['bee@in.test'],
      replyTo: 'replies@acme.test',
      subject: 'resend-4 everybody – ünïcode ✓',
      text: TEXT,
      html: HTML,
      headers: { 'X-Order': '4711', 'List-Unsubscribe': '<https://acme.test/u/1>' },
      tags: [{ name: 'campaign', value: 'autumn_2026' }],
    }),
  batch: () =>
    resend.batch.send(
      ['one', 'two'].map((name) => ({
        from,
        to: `batch-${name}@in.test`,
        subject: `resend-4 batch ${name}`,
        text: TEXT,
      })),
    ),
  scheduled: async () => {
    const letter = { from, to: 'scheduled@in.test', subject: 'never', text: TEXT }
    const scheduledAt = new Date(Date.now() + 7_200_000).toISOString()
    const { data } = await resend.emails.send({ ...letter, scheduledAt })
    const id = data?.id ?? ''
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
  get: () => resend.emails.get(firstId),
  getUnknown: () => resend.emails.get('0198f0c0-0000-7000-8000-000000000000'),
  badKey: () => new Resend('pr_nobody').emails.send({ from, to: 'x@in.test', subject: 'never', text: TEXT }),
  badAddress: () => resend.emails.send({ from, to: 'not an address', subject: 'never', text: TEXT }),
})
