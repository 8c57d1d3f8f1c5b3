/** mailgun.js with the form-data package, as its README sets it up. */
import FormData from 'form-data'
import Mailgun from 'mailgun.js'
import { FILES, HTML, TEXT } from './material.ts'
import { API_KEY, BASE_URL, DOMAIN, reportCalls } from './program.ts'

const mailgun = new Mailgun(FormData)
const mg = mailgun.client({ username: 'api', key: API_KEY, url: BASE_URL })
const from = `Acme Shop <shop@${DOMAIN}>`
const { report, notes, logo } = FILES

await reportCalls({
  text: () =>
    mg.messages.create(DOMAIN, { from, to: 'text@in.test', subject: 'mailgun.js text', text: TEXT }),
  html: () =>
    mg.messages.create(DOMAIN, { from, to: ['html@in.test'], subject: 'mailgun.js html', html: HTML }),
  files: () =>
    mg.messages.create(DOMAIN, {
      from,
      to: 'files@in.test',
      subject: 'mailgun.js files',
      text: TEXT,
      html: HTML,
      attachment: [
        { data: report.content, filename: report.filename },
        { data: notes.content, filename: notes.filename, contentType: notes.contentType },
      ],
    }),
  inline: () =>
    mg.messages.create(DOMAIN, {
      from,
      to: 'inline@in.test',
      subject: 'mailgun.js inline',
      html: '<p><img src="cid:logo.png"></p>',
      inline: [{ data: logo.content, filename: logo.filename }],
    }),
  everybody: () =>
    mg.messages.create(DOMAIN, {
      from,
      to: ['"Doe, Jane" <jane@in.test>', 'bob@in.test'],
      cc: 'Cee <cee@in.test>',
      bcc: ['bee@in.test'],
      subject: 'mailgun.js everybody – ünïcode ✓',
      text: TEXT,
      html: HTML,
      'h:Reply-To': 'replies@acme.test',
      'h:X-Order': '4711',
      'h:List-Unsubscribe': '<https://acme.test/u/1>',
      'o:tag': ['autumn', 'shop'],
      'v:order': JSON.stringify({ id: 4711 }),
    }),
  batch: () =>
    mg.messages.create(DOMAIN, {
      from,
      to: ['ann@in.test', 'ben@in.test'],
      subject: 'mailgun.js batch %recipient.first%',
      text: 'Dear %recipient.first%, your number is %recipient.id%.\n',
      'recipient-variables': JSON.stringify({
        'ann@in.test': { first: 'Ann', id: 1 },
        'ben@in.test': { first: 'Ben', id: 2 },
      }),
    }),
  mime: () =>
    mg.messages.create(DOMAIN, {
      to: ['mime@in.test'],
      message: `From: ${from}\r\nTo: mime@in.test\r\nSubject: mailgun.js mime\r\nMessage-ID: <mime-1@${DOMAIN}>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\nraw as it is\r\n`,
    }),
  badKey: () =>
    mailgun
      .client({ username: 'api', key: 'pr_nobody', url: BASE_URL })
      .messages.create(DOMAIN, { from, to: 'x@in.test', subject: 'never', text: TEXT }),
  badAddress: () => mg.messages.create(DOMAIN, { from, to: 'not an address', subject: 'never', text: TEXT }),
  badDomain: () =>
    mg.messages.create('elsewhere.test', { from, to: 'x@in.test', subject: 'never', text: TEXT }),
})
