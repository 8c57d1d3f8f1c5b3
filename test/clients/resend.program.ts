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
  get: () => resend.emails.get(firstId),
  getUnknown: () => resend.emails.get('0198f0c0-0000-7000-8000-000000000000'),
  badKey: () => new Resend('pr_nobody').emails.send({ from, to: 'x@in.test', subject: 'never', text: TEXT }),
  badAddress: () => resend.emails.send({ from, to: 'not an address', subject: 'never', text: TEXT }),
  badDomain: () =>
    resend.emails.send({ from: 'a@elsewhere.test', to: 'x@in.test', subject: 'never', text: TEXT }),
})
