/** Additions to a list: one entry of a form or a JSON object, or several in a JSON array. */

import { readTime } from '../../../ingress/message-form/date.ts'
import { invalidField, Refusal } from '../../../intake/refusal.ts'
import type { SuppressionInput } from '../../../operate/suppression-check.ts'
import { LINE, oneOrMore, PASSAGE, TIME_INPUT, WORD } from '../../bounds.ts'
import type { SuppressionList } from './lists.ts'

/** The most entries of one request. */
const MAX_ENTRIES = 1_000

const MAX_TAGS = 200
const ONE = {
  type: 'object',
  required: ['address'],
  properties: {
    address: LINE,
    code: WORD,
    error: PASSAGE,
    tag: oneOrMore(LINE, MAX_TAGS),
    tags: { type: 'array', maxItems: MAX_TAGS, items: LINE },
    created_at: TIME_INPUT,
  },
} as const

export const ENTRIES = { anyOf: [{ type: 'array', maxItems: MAX_ENTRIES, items: ONE }, ONE] } as const

interface EntryInput {
  address: string
  code?: string
  error?: string
  tag?: string | string[]
  tags?: string[]
  created_at?: string
}

/** Throws a Refusal. */
export function entryOf(list: SuppressionList, given: EntryInput): SuppressionInput {
  const { address, code, error, created_at: createdAt } = given
  const at = createdAt === undefined || createdAt === '' ? undefined : readTime(createdAt)
  if (at === null) throw invalidField('created_at', 'it must be an RFC 2822 date or Unix seconds')
  if (address === '') throw new Refusal({ code: 'field_missing', field: 'address' })
  return {
    address,
    type: list.type,
    ...(at !== undefined && { createdAt: at }),
    ...(list.name === 'bounces' && { reason: error || undefined, code: code ? Number(code) : undefined }),
    ...(list.name === 'unsubscribes' && { tags: tagsOf(given) }),
  }
}

/** Undefined: the entry applies to all mail. */
function tagsOf({ tag = [], tags = [] }: EntryInput): string[] | undefined {
  const all = [...[tag].flat(), ...tags].filter((name) => name !== '')
  return all.length === 0 || all.includes('*') ? undefined : all
}
