/** From the body of `POST /emails` to a submission: types are checked here, meaning by the intake. */
import { type AddressField, invalidField, Refusal } from '../../intake/refusal.ts'
import type { Submission } from '../../intake/submission.ts'
import { clip } from '../fault.ts'
import { MAX_AHEAD, MAX_AHEAD_DAYS, parseIsoTime } from '../schedule.ts'
import { readAttachments } from './attachments.ts'
import { type Body, parseBody } from './body.ts'

const MAX_TAGS = 100
const TAG = /^[A-Za-z0-9_-]{1,256}$/

/** Throws a Fault when the body is not a JSON object, a Refusal when a field has a type or form it cannot have. */
export function readSubmission(bytes: Buffer): Submission {
  const body = parseBody(bytes)
  const submission: Submission = {
    from: text(body, 'from') ?? '',
    to: addresses('to', body.to),
    cc: addresses('cc', body.cc),
    bcc: addresses('bcc', body.bcc),
    // Older clients pass their options through as their users spelt them.
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
      detail: 'this service keeps no templates; send the finished `html` or `text`',
    })
  }
  const dueAt = scheduledAt(body.scheduled_at ?? body.scheduledAt)
  if (dueAt !== undefined) submission.dueAt = dueAt
  return submission
}

/** A string; null counts as absent. */
function text(body: Body, key: 'from' | 'subject' | 'html' | 'text'): string | undefined {
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
    if (typeof content !== 'string') throw refuse(`the value of \`${clip(name)}\` must be a string`)
    fields.push([name, content])
  }
  return fields
}

function tags(value: unknown): { name: string; value: string }[] {
  if (value === undefined || value === null) return []
  const refuse = (detail: string) => invalidField('tags', detail)
  if (!Array.isArray(value)) throw refuse('it must be an array of objects with `name` and `value`')
  if (value.length > MAX_TAGS)
    throw refuse(`at most ${MAX_TAGS} tags are allowed, ${value.length} were given`)
  return value.map((item: unknown, index) => {
    if (typeof item !== 'object' || item === null) throw refuse(`tag ${index} must be an object`)
    const { name, value: content } = item as Body
    if (typeof name !== 'string' || typeof content !== 'string') {
      throw refuse(`\`name\` and \`value\` of tag ${index} must be strings`)
    }
    if (!TAG.test(name) || !TAG.test(content)) {
      throw refuse(
        `tag ${index} has characters other than ASCII letters, digits, underscores and dashes, or not between 1 and 256 of them`,
      )
    }
    return { name, value: content }
  })
}

/** Unix milliseconds. A time that is past means now. */
function scheduledAt(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const refuse = (detail: string) => invalidField('scheduled_at', detail)
  const at = typeof value === 'string' ? parseIsoTime(value) : null
  if (at === null) {
    throw refuse(
      'it must be an ISO 8601 date and time with its zone, such as `2026-11-20T22:55:01Z` or `2026-11-20T23:55:01+01:00`; phrases such as `in 1 hour` are not understood',
    )
  }
  if (at > Date.now() + MAX_AHEAD) throw refuse(`it must not be more than ${MAX_AHEAD_DAYS} days ahead`)
  return at
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}
