/** nodemailer over nodemailer-mailgun-transport. It joins addresses with commas and writes display names unquoted. */
import { createRequire } from 'node:module'
import { createTransport, type Transport } from 'nodemailer'
import { FILES, HTML, TEXT } from './material.ts'
import { API_KEY, BASE_URL, DOMAIN, reportCalls } from './program.ts'

const mailgunTransport = createRequire(import.meta.url)('nodemailer-mailgun-transport') as (
  options: object,
) => Transport
const transporter = (key: string) =>
  createTransport(mailgunTransport({ auth: { api_key: key, domain: DOMAIN }, url: BASE_URL }))
const mailer = transporter(API_KEY)
const from = `Acme Shop <shop@${DOMAIN}>`
const { report, notes, logo } = FILES

await reportCalls({
  text: () => mailer.sendMail({ from, to: 'text@in.test', subject: 'nodemailer text', text: TEXT }),
  html: () => mailer.sendMail({ from, to: ['html@in.test'], subject: 'nodemailer html', html: HTML }),
  files: () =>
    mailer.sendMail({
      from,
      to: 'files@in.test',
      subject: 'nodemailer files',
      text: TEXT,
      html: HTML,
      attachments: [
        { filename: report.filename, content: report.content },
        { filename: notes.filename, content: notes.content.toString('base64'), encoding: 'base64' },
      ],
    }),
  inline: () =>
    mailer.sendMail({
      from,
      to: 'inline@in.test',
      subject: 'nodemailer inline',
      html: '<p><img src="cid:logo.png"></p>',
      attachments: [{ filename: 'shown.png', content: logo.content, cid: 'logo.png' }],
    }),
  everybody: () =>
    mailer.sendMail({
      from,
      to: [{ name: 'Jane Doe', address: 'jane@in.test' }, 'bob@in.test'],
      cc: 'Cee <cee@in.test>',
      bcc: ['bee@in.test'],
      replyTo: 'replies@acme.test',
      subject: 'nodemailer everybody – ünïcode ✓',
      text: TEXT,
      html: HTML,
    }),
  badKey: () => transporter('pr_nobody').sendMail({ from, to: 'x@in.test', subject: 'never', text: TEXT }),
  badAddress: () => mailer.sendMail({ from, to: 'not an address', subject: 'never', text: TEXT }),
})
