/** From form fields to a submission: what the names mean; whether the values are any good is the intake's matter. */
import { isUtf8 } from 'node:buffer'
import { Refusal } from '../../intake/refusal.ts'
import type { Submission, SubmittedAttachment } from '../../intake/submission.ts'
import { DEFAULT_MEDIA_TYPE, mediaTypeOf } from '../../mail/media-type.ts'
import { clip, Fault } from '../fault.ts'
import { type Form, type FormFile, unbracketed } from './form.ts'
import { readOptions } from './options.ts'
import { readRecipientVariables } from './recipient-variables.ts'

/** Octets of all option fields together, names and values. */
const MAX_OPTIONS = 16 * 1024

/** The fields of one form by what they are. */
class Fields {
  readonly #plain = new Map<string, string[]>()
  readonly options: [name: string, value: string][] = []
  readonly headers: [name: string, value: string][] = []
  readonly variables: [name: string, value: string][] = []

  constructor(fields: Form['fields']) {
    let optionOctets = 0
    for (const [name, value] of fields) {
      const prefix = name.slice(0, 2)
      if (prefix === 'o:' || prefix === 'h:' || prefix === 'v:' || prefix === 't:') {
        optionOctets += Buffer.byteLength(name) + Buffer.byteLength(value)
      }
      if (prefix === 'h:') this.headers.push([name.slice(2), value])
      else if (prefix === 'v:') this.variables.push([name.slice(2), value])
      else if (prefix === 'o:') this.options.push([unbracketed(name).toLowerCase(), value])
      else if (prefix !== 't:') {
        const plain = unbracketed(name)
        const values = this.#plain.get(plain)
        if (values) values.push(value)
        else this.#plain.set(plain, [value])
      }
    }
    if (optionOctets > MAX_OPTIONS) throw new Refusal({ code: 'options_too_large', max: MAX_OPTIONS })
  }

  all(name: string): string[] {
    return this.#plain.get(name)?.filter((value) => value !== '') ?? []
  }

  /** The first value that is not empty. */
  first(name: string): string | undefined {
    return this.all(name)[0]
  }

  has(name: string): boolean {
    return this.#plain.has(name)
  }
}

/** What `POST /v3/{domain}/messages` was sent. Throws a Refusal or a Fault for what cannot be done as asked. */
export function readMessage(domain: string, form: Form): Submission {
  const fields = new Fields(form.fields)
  refuseUnsupportedContent(fields)
  const submission: Submission = {
    ...common(domain, fields),
    subject: fields.first('subject') ?? '',
    attachments: readFiles(fields, form.files),
  }
  const html = fields.first('html')
  if (html !== undefined) submission.html = html
  const text = fields.first('text')
  if (text !== undefined) submission.text = text
  return submission
}

/** What `POST /v3/{domain}/messages.mime` was sent: the file part `message` is the message. */
export function readMimeMessage(domain: string, form: Form): Submission {
  const fields = new Fields(form.fields)
  refuseTemplate(fields)
  const submission = common(domain, fields)
  if (submission.to.length === 0) throw new Refusal({ code: 'field_missing', field: 'to' })
  return { ...submission, raw: readRaw(form.files) }
}

function common(domain: string, fields: Fields): Submission {
  const options = readOptions(fields.options)
  const submission: Submission = {
    domain,
    from: fields.all('from').join(', '),
    to: fields.all('to'),
    cc: fields.all('cc'),
    bcc: fields.all('bcc'),
    replyTo: [],
    subject: '',
    headers: [],
    attachments: [],
    tags: options.tags,
    // fromEntries defines own properties, so that `__proto__` is a name like any other.
    variables: Object.fromEntries(fields.variables),
    testMode: options.testMode,
  }
  if (options.dueAt !== undefined) submission.dueAt = options.dueAt
  const batch = fields.first('recipient-variables')
  if (batch !== undefined) submission.recipientVariables = readRecipientVariables(batch)
  readHeaders(fields.headers, submission)
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
      // The intake uses it when it is a msg-id (RFC 5322 3.6.4); else one of our making takes its place.
      submission.messageId = value.trim()
    } else submission.headers.push([name, value])
  }
}

function refuseTemplate(fields: Fields): void {
  if (fields.first('template') === undefined) return
  if (fields.first('html') !== undefined) {
    throw new Fault({
      code: 'request_invalid',
      detail: "Only one parameters 'html' or 'template' is allowed",
    })
  }
  throw new Refusal({
    code: 'unsupported',
    field: 'template',
    detail: 'this service keeps no templates; send the finished html or text',
  })
}

function refuseUnsupportedContent(fields: Fields): void {
  refuseTemplate(fields)
  if (fields.first('amp-html') === undefined) return
  throw new Refusal({
    code: 'unsupported',
    field: 'amp-html',
    detail: 'a message has an html and a text part; leave this one out',
  })
}

function readFiles(fields: Fields, files: FormFile[]): SubmittedAttachment[] {
  const attachments: SubmittedAttachment[] = []
  for (const file of files) {
    const kind = unbracketed(file.field)
    if (kind !== 'attachment' && kind !== 'inline') continue
    if (file.filename === '') throw nameless(attachments.length)
    attachments.push({
      filename: file.filename,
      content: file.content,
      contentType: file.contentType ?? untypedAs(file),
      ...(kind === 'inline'
        ? { disposition: 'inline', contentId: file.filename }
        : { disposition: 'attachment' }),
    })
  }
  // An urlencoded form cannot carry files; dropping one silently would be worse than refusing it.
  if (fields.has('attachment') || fields.has('inline')) throw nameless(attachments.length)
  return attachments
}

/** The type of a file that came without one: by its name, else by whether it is text (the default of RFC 7578 4.4). */
function untypedAs({ filename, content }: FormFile): string {
  const byName = mediaTypeOf(filename)
  return byName === DEFAULT_MEDIA_TYPE && isUtf8(content) ? 'text/plain' : byName
}

function nameless(index: number): Refusal {
  return new Refusal({
    code: 'attachment_invalid',
    index,
    detail: 'it has no file name; send it as a file part with a filename',
  })
}

/** A file part, or, as some clients send it, a plain field; in both the octets are the message's own. */
function readRaw(files: FormFile[]): Uint8Array {
  const file = files.find(({ field }) => unbracketed(field) === 'message')
  if (!file) throw new Refusal({ code: 'field_missing', field: 'message' })
  return file.content
}
