/** Suppressed addresses of a company, and its allow list, which bounces do not suppress. */
import type { Static } from 'typebox'
import { SUPPRESSION_TYPES } from '../../../email/suppression.ts'
import {
  CURSORS,
  ID,
  INTEGER_OR_NULL,
  object,
  orNull,
  PAGE_LIMIT,
  pageOf,
  TEXT,
  TEXT_OR_NULL,
  TIME,
} from './shapes.ts'

const TYPE = { enum: SUPPRESSION_TYPES } as const
const ADDRESS = { type: 'string', minLength: 1, maxLength: 1_000 } as const
const REASON = { type: 'string', maxLength: 1_000 } as const

export const SUPPRESSION_PARAMS = object({ company: ID, id: ID })

export const SUPPRESSIONS_QUERY = object(PAGE_LIMIT, {
  /** Prefix of addresses, which are then sorted by address; otherwise newest first. */
  term: { type: 'string', maxLength: 320 },
  type: TYPE,
  ...CURSORS,
})

const SUPPRESSION = object({
  id: TEXT,
  company: TEXT,
  address: TEXT,
  type: TYPE,
  /** For an unsubscription: it stops only mail with these tags. */
  tags: orNull({ type: 'array', items: TEXT }),
  reason: TEXT,
  code: INTEGER_OR_NULL,
  /** Id of the email that caused it. */
  email: TEXT_OR_NULL,
  domain: TEXT_OR_NULL,
  createdAt: TIME,
})
export type SuppressionShown = Static<typeof SUPPRESSION>

export const SUPPRESSIONS = pageOf(SUPPRESSION)
export type SuppressionPage = Static<typeof SUPPRESSIONS>

export const NEW_SUPPRESSION = object(
  {
    address: ADDRESS,
    type: TYPE,
  },
  {
    reason: REASON,
    tags: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 256 } },
  },
)
export type NewSuppression = Static<typeof NEW_SUPPRESSION>

export const ALLOWED_QUERY = object(PAGE_LIMIT, {
  term: { type: 'string', maxLength: 320 },
  ...CURSORS,
})

const ALLOWED = object({
  value: TEXT,
  kind: { enum: ['address', 'domain'] },
  reason: TEXT_OR_NULL,
  createdAt: TIME,
})
export type AllowedShown = Static<typeof ALLOWED>

export const ALLOWED_LIST = pageOf(ALLOWED)
export type AllowedPage = Static<typeof ALLOWED_LIST>

export const NEW_ALLOWED = object({ value: ADDRESS }, { reason: REASON })
export type NewAllowed = Static<typeof NEW_ALLOWED>

/** Path parameters; `value`: a domain or an address. */
export const ALLOWED_PARAMS = object({ company: ID, value: ADDRESS })

/**
 * Lines of a file. The page cuts the file between records, so that no piece is too large and each can be sent again.
 */
export const IMPORT_PIECE = object(
  {
    /** The type of lines that state none. `allowed`: the allow list. */
    list: { enum: [...SUPPRESSION_TYPES, 'allowed'] },
    text: { type: 'string', minLength: 1, maxLength: 256 * 1024 },
  },
  {
    /** The file's name, for the audit list. */
    file: { type: 'string', maxLength: 300 },
    /** The ticket from the answer to the previous piece: the whole file is one entry of the audit list. */
    ticket: { type: 'string', maxLength: 4_000 },
    /** Absent: this is the first piece. */
    begun: object({
      /** The first record of the file, which may name the columns. */
      head: { type: 'string', maxLength: 40_000 },
      /** Lines of the file before this piece. */
      lines: { type: 'integer', minimum: 1 },
    }),
  },
)
export type ImportPiece = Static<typeof IMPORT_PIECE>

export const IMPORTED = object(
  {
    added: { type: 'integer' },
    present: { type: 'integer' },
    bad: { type: 'integer' },
    badLines: {
      type: 'array',
      items: object({ line: { type: 'integer' }, why: TEXT }),
    },
  },
  {
    /** To be sent with the next piece. */
    ticket: TEXT,
  },
)
export type ImportedShown = Static<typeof IMPORTED>

export const EXPORT_QUERY = object({}, { type: TYPE })
