/** Turns the body of `POST /emails` into a submission. This file checks the types, and intake checks the values. */

import { clip } from '../../common/clip.ts'
import { Fault } from '../../ingress/fault.ts'
import { type AddressField, invalidField, Refusal } from '../../intake/refusal.ts'
import type { Submission } from '../../intake/submission.ts'
import { readAttachments } from './attachments.ts'
import { type JsonBody, parseBody } from './body.ts'
import { readScheduledAt } from './emails/scheduled-at.ts'
import type { EmailInput } from './emails/schemas.ts'

const MAX_TAGS = 100
const TAG = /^[A-Za-z0-9_-]{1,256}$/

/** Throws a Fault when the body is not a JSON object, and a Refusal when a field has a wrong type or form. */
export function readSubmission(bytes: Buffer): Submission {
  return submissionOf(parseBody(bytes))
}

/** The same for a parsed body. */
export function submissionOf(body: EmailInput): Submission {
  const submission: Submission = {
    from: text(body, 'from') ?? '',
    to: addresses('to', body.to),
    cc: addresses('cc', body.cc),
    bcc: addresses('bcc', body.bcc),
    // Older clients pass options through in their users' spelling.
    replyTo: addresses('reply_to', body.reply_to ?? body.replyTo),
    subject: text(body, 'subject') ?? '',
    headers: headers(body.headers),
    attachments: readAttachments(body.attachments),
    tags: tags(body.tags),
    variables: {},
    testMode: false,
  }
  const html = text(body, 'html')
  if (html !== undefined) submission.html = html
  const plain = text(body, 'text')
  if (plain !== undefined) submission.text = plain
  if (isPresent(body.template)) {
    throw new Refusal({
      code: 'unsupported',
      field: 'template',
      detail: 'this service does not store templates; send the finished `html` or `text`',
    })
  }
  if (isPresent(body.topic_id ?? body.topicId)) {
    throw new Refusal({
      code: 'unsupported',
      field: 'topic_id',
      detail:
        'this service has no topics that recipients can opt out of; leave it out, and send only to recipients who want the email',
    })
  }
  const scheduledAt = body.scheduled_at ?? body.scheduledAt
  if (isPresent(scheduledAt) && scheduledAt !== '') {
    submission.dueAt = readScheduledAt(scheduledAt, Date.now())
  }
  return submission
}

/** A string; null counts as absent. */
function text(body: EmailInput, key: 'from' | 'subject' | 'html' | 'text'): string | undefined {
  const value = body[key]
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value) && value.length === 0) return undefined
  if (key === 'from')
    throw new Refusal({ code: 'address_invalid', field: key, detail: 'it must be a string' })
  throw invalidField(key, 'it must be a string')
}

function addresses(field: AddressField, value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw new Refusal({ code: 'address_invalid', field, detail: 'it must be a string or an array of strings' })
}

function headers(value: unknown): [name: string, value: string][] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.length === 0) return []
  const refuse = (detail: string) => invalidField('headers', detail)
  if (typeof value !== 'object' || Array.isArray(value)) throw refuse('it must be an object of strings')
  const fields: [string, string][] = []
  for (const [name, content] of Object.entries(value)) {
    if (content === null) continue
    const text = textOf(content)
    if (text === null) throw refuse(`the value of \`${clip(name)}\` must be a string`)
    fields.push([name, text])
  }
  return fields
}

function tags(value: unknown): { name: string; value: string }[] {
  if (value === undefined || value === null) return []
  const refuse = (detail: string) => invalidField('tags', detail)
  if (!Array.isArray(value)) throw refuse('it must be an array of objects with `name` and `value`')
  if (value.length > MAX_TAGS)
    throw refuse(`at most ${MAX_TAGS} tags are allowed, but ${value.length} were given`)
  return value.map((item: unknown, index) => {
    if (typeof item !== 'object' || item === null) throw refuse(`tag ${index} must be an object`)
    const { name, value } = item as JsonBody
    const content = textOf(value)
    if (typeof name !== 'string' || content === null) {
      throw refuse(`\`name\` and \`value\` of tag ${index} must be strings`)
    }
    if (!TAG.test(name) || !TAG.test(content)) {
      throw new Fault({
        code: 'request_invalid',
        // The original's sentence, which clients search for.
        detail: `Tags should only contain ASCII letters, numbers, underscores, or dashes, 1 to 256 of them in a name and in a value; tag ${index} does not.`,
      })
    }
    return { name, value: content }
  })
}

/** Clients send numbers and booleans as text. Returns null for anything else. */
function textOf(value: unknown): string | null {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isPlain ? String(value) : null
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}
