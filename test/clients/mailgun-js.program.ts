/** mailgun-js 0.22: no longer kept, still installed widely; urlencoded without files, multipart with them. */
import { createRequire } from 'node:module'
import { FILES, HTML, TEXT } from './material.ts'
import { API_KEY, BASE_URL, DOMAIN, reportCalls } from './program.ts'

interface Mailgun {
  messages(): { send(data: object): Promise<unknown>; sendMime(data: object): Promise<unknown> }
  Attachment: new (options: object) => object
}

const create = createRequire(import.meta.url)('mailgun-js') as (options: object) => Mailgun
const { protocol, hostname, port } = new URL(BASE_URL)
const place = { domain: DOMAIN, host: hostname, port: Number(port), protocol }
const mailgun = create({ apiKey: API_KEY, ...place })
const from = `Acme Shop <shop@${DOMAIN}>`
const { report, notes, logo } = FILES
const attach = ({
  content,
  filename,
  contentType,
}: {
  content: Buffer
  filename: string
  contentType: string
}) => new mailgun.Attachment({ data: content, filename, contentType, knownLength: content.length })

await reportCalls({
  text: () => mailgun.messages().send({ from, to: 'text@in.test', subject: 'mailgun-js text', text: TEXT }),
  html: () => mailgun.messages().send({ from, to: ['html@in.test'], subject: 'mailgun-js html', html: HTML }),
  files: () =>
    mailgun.messages().send({
      from,
      to: 'files@in.test',
      subject: 'mailgun-js files',
      text: TEXT,
      html: HTML,
      attachment: [attach(report), attach(notes)],
    }),
  inline: () =>
    mailgun.messages().send({
      from,
      to: 'inline@in.test',
      subject: 'mailgun-js inline',
      html: '<p><img src="cid:logo.png"></p>',
      inline: attach(logo),
    }),
  everybody: () =>
    mailgun.messages().send({
      from,
      to: ['"Doe, Jane" <jane@in.test>', 'bob@in.test'],
      cc: 'Cee <cee@in.test>',
      bcc: ['bee@in.test'],
      subject: 'mailgun-js everybody – ünïcode ✓',
      text: TEXT,
      html: HTML,
      'h:Reply-To': 'replies@acme.test',
      'h:X-Order': '4711',
      'h:List-Unsubscribe': '<https://acme.test/u/1>',
      'o:tag': ['autumn', 'shop'],
      'v:order': { id: 4711 },
    }),
  mime: () =>
    mailgun.messages().sendMime({
      to: ['mime@in.test'],
      message: `From: ${from}\r\nTo: mime@in.test\r\nSubject: mailgun-js mime\r\nMessage-ID: <mime-2@${DOMAIN}>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\nraw as it is\r\n`,
    }),
  badKey: () =>
    create({ apiKey: 'pr_nobody', ...place })
      .messages()
      .send({ from, to: 'x@in.test', subject: 'never', text: TEXT }),
  badAddress: () => mailgun.messages().send({ from, to: 'not an address', subject: 'never', text: TEXT }),
})
