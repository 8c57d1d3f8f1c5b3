/** Addresses that a company sends no mail to, and those that bounces do not put among them. */
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
  /** How addresses begin; then they come in their order, else newest first. */
  term: { type: 'string', maxLength: 320 },
  type: TYPE,
  ...CURSORS,
})

const SUPPRESSION = object({
  id: TEXT,
  company: TEXT,
  address: TEXT,
  type: TYPE,
  /** Of an unsubscription: it stops mail with these alone. */
  tags: orNull({ type: 'array', items: TEXT }),
  reason: TEXT,
  code: INTEGER_OR_NULL,
  /** Id of the email that it came from. */
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

/** Parameters of a path; `value`: a domain or an address. */
export const ALLOWED_PARAMS = object({ company: ID, value: ADDRESS })

/** Lines of a file. The page cuts it between records, so that none is too large and each can be sent again. */
export const IMPORT_PIECE = object(
  {
    /** A type: of lines that do not say. `allowed`: the allow list. */
    list: { enum: [...SUPPRESSION_TYPES, 'allowed'] },
    text: { type: 'string', minLength: 1, maxLength: 256 * 1024 },
  },
  {
    /** What the file is called, for the audit list. */
    file: { type: 'string', maxLength: 300 },
    /** As the piece before was answered: the whole file is one entry of the audit list. */
    ticket: { type: 'string', maxLength: 4_000 },
    /** Absent: the file begins here. */
    begun: object({
      /** The first record of the file, which may name the columns. */
      head: { type: 'string', maxLength: 40_000 },
      /** Lines of the file that lie before this piece. */
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
    /** To be given with the next piece. */
    ticket: TEXT,
  },
)
export type ImportedShown = Static<typeof IMPORTED>

export const EXPORT_QUERY = object({}, { type: TYPE })
