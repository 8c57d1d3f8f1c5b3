/** Turns form fields into a submission. This file knows the names, and intake checks the values. */
import { clip } from '../../common/clip.ts'
import { invalidField, Refusal } from '../../intake/refusal.ts'
import type { Submission } from '../../intake/submission.ts'
import { withoutServiceLinks, withoutServicePlaceholders } from '../../mail/batch/substitute.ts'
import { type RawControl, RawError, readRawControl } from '../../mail/raw/raw.ts'
import { Fault } from '../fault.ts'
import { Fields } from './fields.ts'
import { readAttachments, readMessageFile } from './files.ts'
import type { Form } from './form.ts'
import { readOptions } from './options.ts'
import { RecipientVariables } from './recipient-variables.ts'
import { withUnsubscribeLinks } from './unsubscribe.ts'

/**
 * Reads `POST /v3/{domain}/messages`; `links`: unsubscribe links can be created. Throws a Refusal or a Fault for a
 * request that cannot be honoured.
 */
export function readMessage({ domain, links }: SubmissionTerms, form: Form): Submission {
  const fields = new Fields(form.fields)
  refuseTemplate(fields)
  const submission: Submission = {
    ...common(domain, fields),
    cc: fields.all('cc'),
    bcc: fields.all('bcc'),
    subject: fields.first('subject') ?? '',
    attachments: readAttachments(fields, form.files),
  }
  const html = fields.first('html')
  if (html !== undefined) submission.html = html
  const text = fields.first('text')
  if (text !== undefined) submission.text = text
  const amp = fields.first('amp-html')
  if (amp !== undefined) submission.amp = amp
  readHeaders(fields.headers, submission)
  withoutServiceTexts(links ? withUnsubscribeLinks(submission) : submission)
  return submission
}

interface SubmissionTerms {
  domain: string
  links: boolean
}

/** Removes the remaining placeholders and links of a subscription service: nothing here would answer them. */
function withoutServiceTexts(submission: Submission): void {
  submission.subject = withoutServicePlaceholders(submission.subject)
  for (const name of ['html', 'text', 'amp'] as const) {
    const text = submission[name]
    if (text !== undefined) submission[name] = withoutServiceLinks(text)
  }
  // A field that consisted only of a removed placeholder is dropped.
  submission.headers = submission.headers
    .map(([name, value]): [string, string, boolean] => [
      name,
      withoutServicePlaceholders(value),
      value === '',
    ])
    .flatMap(([name, kept, wasEmpty]) => (kept !== '' || wasEmpty ? [[name, kept] as [string, string]] : []))
}

/**
 * Reads `POST /v3/{domain}/messages.mime`: `to` is the envelope, the file part `message` the message. `from` and
 * `subject`, which clients also send, are ignored: the message itself has them.
 */
export function readMimeMessage(domain: string, form: Form): Submission {
  const raw = readMessageFile(form.files)
  const fields = new Fields(form.fields, raw && controlFieldsOf(raw))
  refuseTemplate(fields)
  refuseBesideMessage(fields)
  const submission = common(domain, fields)
  if (submission.to.length === 0) throw new Refusal({ code: 'field_missing', field: 'to' })
  if (raw === undefined) throw new Refusal({ code: 'field_missing', field: 'message' })
  return { ...submission, raw }
}

function controlFieldsOf(raw: Uint8Array): RawControl {
  try {
    return readRawControl(raw)
  } catch (error) {
    if (!(error instanceof RawError)) throw error
    throw invalidField('message', error.message)
  }
}

/**
 * Header fields that every ready message has. Clients may repeat them as `h:` fields, as they repeat the fields from,
 * subject, text and html.
 */
const MESSAGE_OWNS = new Set([
  'from',
  'to',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
])

/** Refuses fields that a ready message would silently lose. */
function refuseBesideMessage(fields: Fields): void {
  for (const field of ['cc', 'bcc'] as const) {
    if (fields.first(field) === undefined) continue
    throw invalidField(
      field,
      'all recipients of a MIME message, including those in Cc and Bcc, must be named in to',
    )
  }
  const header = fields.headers.find(([name, value]) => value !== '' && !MESSAGE_OWNS.has(name.toLowerCase()))
  if (header) {
    throw invalidField(
      `h:${header[0]}`,
      'header fields cannot be added to a MIME message; put the field into the message',
    )
  }
}

function common(domain: string, fields: Fields): Submission {
  const options = readOptions(fields.options)
  const submission: Submission = {
    domain,
    from: fields.all('from').join(', '),
    to: fields.all('to'),
    cc: [],
    bcc: [],
    replyTo: [],
    subject: '',
    headers: [],
    attachments: [],
    tags: options.tags,
    variables: fields.variables,
    testMode: options.testMode,
  }
  if (options.requireTls) submission.tls = options.skipVerification ? 'required' : 'verified'
  if (options.deliverWithin !== undefined) submission.deliverWithin = options.deliverWithin
  if (options.source !== undefined) submission.source = options.source
  if (options.dueAt !== undefined) submission.dueAt = options.dueAt
  const batch = fields.first('recipient-variables')
  const own = new RecipientVariables()
  if (batch !== undefined) own.add(batch)
  const recipients = own.byAddress ?? fields.controlledRecipients
  if (recipients !== undefined) submission.recipientVariables = recipients
  return submission
}

function readHeaders(headers: readonly [string, string][], submission: Submission): void {
  for (const [name, value] of headers) {
    if (/[^\u0000-\u007f]/.test(name)) {
      throw new Fault({ code: 'request_invalid', detail: `Header name must be pure ASCII: ${clip(name)}` })
    }
    const known = name.toLowerCase()
    if (known === 'reply-to') {
      if (value !== '') submission.replyTo.push(value)
    } else if (known === 'message-id') {
      // The intake uses it when it is a msg-id (RFC 5322 3.6.4); otherwise it generates one.
      submission.messageId = value.trim()
    } else {
      submission.headers.push([name, value])
    }
  }
}

function refuseTemplate(fields: Fields): void {
  const { template } = fields
  if (template === undefined) return
  if (fields.first('html') !== undefined) {
    throw new Fault({
      code: 'request_invalid',
      detail: "Only one parameters 'html' or 'template' is allowed",
    })
  }
  throw new Refusal({
    code: 'unsupported',
    field: template,
    detail: 'this service does not store templates; send the finished html or text',
  })
}
