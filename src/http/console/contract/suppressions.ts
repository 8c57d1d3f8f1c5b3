/** Addresses that a company sends no mail to, and those that bounces do not put among them. */
import type { Static } from 'typebox'
import { SUPPRESSION_TYPES } from '../../../email/suppression.ts'
import { TEXT, TEXT_OR_NULL, TIME } from './shapes.ts'

const TYPE = { enum: SUPPRESSION_TYPES } as const
const ADDRESS = { type: 'string', minLength: 1, maxLength: 1_000 } as const
const REASON = { type: 'string', maxLength: 1_000 } as const

export const OF_SUPPRESSION = {
  type: 'object',
  required: ['company', 'id'],
  properties: { company: TEXT, id: TEXT },
} as const

const LIMIT = { type: 'integer', minimum: 10, maximum: 200, default: 50 } as const
/** Where a page before this one ended, or begins. */
const CURSOR = { type: 'string', maxLength: 1_000 } as const

export const SUPPRESSIONS_WANTED = {
  type: 'object',
  additionalProperties: false,
  required: ['limit'],
  properties: {
    limit: LIMIT,
    /** How addresses begin; then they come in their order, else newest first. */
    term: { type: 'string', maxLength: 320 },
    type: TYPE,
    after: CURSOR,
    before: CURSOR,
  },
} as const

const SUPPRESSION = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'company', 'address', 'type', 'tags', 'reason', 'code', 'email', 'domain', 'createdAt'],
  properties: {
    id: TEXT,
    company: TEXT,
    address: TEXT,
    type: TYPE,
    /** Of an unsubscription: it stops mail with these alone. */
    tags: { anyOf: [{ type: 'array', items: TEXT }, { type: 'null' }] },
    reason: TEXT,
    code: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    /** Id of the email that it came from. */
    email: TEXT_OR_NULL,
    domain: TEXT_OR_NULL,
    createdAt: TIME,
  },
} as const
export type SuppressionShown = Static<typeof SUPPRESSION>

export const SUPPRESSIONS = {
  type: 'object',
  additionalProperties: false,
  required: ['data', 'previous', 'next'],
  properties: {
    data: { type: 'array', items: SUPPRESSION },
    /** `before` of the page before, and `after` of the next one; null: there is none. */
    previous: TEXT_OR_NULL,
    next: TEXT_OR_NULL,
  },
} as const
export type SuppressionPage = Static<typeof SUPPRESSIONS>

export const NEW_SUPPRESSION = {
  type: 'object',
  additionalProperties: false,
  required: ['address', 'type'],
  properties: {
    address: ADDRESS,
    type: TYPE,
    reason: REASON,
    tags: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 256 } },
  },
} as const
export type NewSuppression = Static<typeof NEW_SUPPRESSION>

export const ALLOWED_WANTED = {
  type: 'object',
  additionalProperties: false,
  required: ['limit'],
  properties: { limit: LIMIT, term: { type: 'string', maxLength: 320 }, after: CURSOR, before: CURSOR },
} as const

const ALLOWED = {
  type: 'object',
  additionalProperties: false,
  required: ['value', 'kind', 'reason', 'createdAt'],
  properties: {
    value: TEXT,
    kind: { enum: ['address', 'domain'] },
    reason: TEXT_OR_NULL,
    createdAt: TIME,
  },
} as const
export type AllowedShown = Static<typeof ALLOWED>

export const ALLOWED_LIST = {
  type: 'object',
  additionalProperties: false,
  required: ['data', 'previous', 'next'],
  properties: { data: { type: 'array', items: ALLOWED }, previous: TEXT_OR_NULL, next: TEXT_OR_NULL },
} as const
export type AllowedPage = Static<typeof ALLOWED_LIST>

export const NEW_ALLOWED = {
  type: 'object',
  additionalProperties: false,
  required: ['value'],
  properties: { value: ADDRESS, reason: REASON },
} as const
export type NewAllowed = Static<typeof NEW_ALLOWED>

/** What is to go, in the query: a domain or an address. */
export const ALLOWED_VALUE = {
  type: 'object',
  required: ['company', 'value'],
  properties: { company: TEXT, value: TEXT },
} as const

export const DONE = { type: 'object', additionalProperties: false, properties: {} } as const

/** Lines of a file. The page cuts it between records, so that none is too large and each can be sent again. */
export const IMPORT_PIECE = {
  type: 'object',
  additionalProperties: false,
  required: ['list', 'text'],
  properties: {
    /** A type: of lines that do not say. `allowed`: the allow list. */
    list: { enum: [...SUPPRESSION_TYPES, 'allowed'] },
    text: { type: 'string', minLength: 1 },
    /** Absent: the file begins here. */
    begun: {
      type: 'object',
      additionalProperties: false,
      required: ['head', 'lines'],
      properties: {
        /** The first record of the file, which may name the columns. */
        head: { type: 'string', maxLength: 70_000 },
        /** Lines of the file that lie before this piece. */
        lines: { type: 'integer', minimum: 1 },
      },
    },
  },
} as const
export type ImportPiece = Static<typeof IMPORT_PIECE>

export const IMPORTED = {
  type: 'object',
  additionalProperties: false,
  required: ['added', 'present', 'bad', 'badLines', 'stopped'],
  properties: {
    added: { type: 'integer' },
    present: { type: 'integer' },
    bad: { type: 'integer' },
    badLines: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['line', 'why'],
        properties: { line: { type: 'integer' }, why: TEXT },
      },
    },
    /** Behind the first of the bad lines nothing was read, and nothing can be. */
    stopped: { type: 'boolean' },
  },
} as const
export type ImportedShown = Static<typeof IMPORTED>

export const EXPORT_WANTED = {
  type: 'object',
  additionalProperties: false,
  properties: { type: TYPE },
} as const
