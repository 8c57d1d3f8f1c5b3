/** Suppressed addresses of a company, and its allow list, which bounces do not suppress. */
import type { Static } from 'typebox'
import { SUPPRESSION_TYPES } from '../../../email/suppression.ts'
import { routes } from './route.ts'
import {
  BATCH,
  BATCH_RESULT,
  CURSORS,
  DONE,
  INTEGER,
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
const TERM = { type: 'string', maxLength: 320 } as const
/** Name or id of a sending domain: only its list. */
const DOMAIN = { type: 'string', minLength: 1, maxLength: 100 } as const
const REASON = { type: 'string', maxLength: 1_000 } as const

const SUPPRESSIONS_QUERY = object(PAGE_LIMIT, {
  /** Prefix of addresses, which are then sorted by address; otherwise newest first. */
  term: TERM,
  type: TYPE,
  domain: DOMAIN,
  ...CURSORS,
})

const COUNT_QUERY = object({}, { term: TERM, type: TYPE, domain: DOMAIN })

const COUNT = object({
  count: INTEGER,
  /** True: there are more, because counting stopped at its limit. */
  more: { type: 'boolean' },
})

const SUPPRESSION = object({
  id: TEXT,
  company: TEXT,
  address: TEXT,
  type: TYPE,
  /** For an unsubscription: the tags of the mail that it stops; null: it stops all mail. */
  tags: orNull({ type: 'array', items: TEXT }),
  reason: TEXT,
  code: INTEGER_OR_NULL,
  /** Id of the email that caused it. */
  email: TEXT_OR_NULL,
  /** The name of the sending domain on whose list it is; null: it is on that of the company. */
  domain: TEXT_OR_NULL,
  /** True: it stops mail from that domain only. */
  ofDomainOnly: { type: 'boolean' },
  createdAt: TIME,
})
export type SuppressionJson = Static<typeof SUPPRESSION>

const SUPPRESSIONS = pageOf(SUPPRESSION)

const NEW_SUPPRESSION = object(
  {
    address: ADDRESS,
    type: TYPE,
  },
  {
    domain: DOMAIN,
    reason: REASON,
    tags: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 256 } },
  },
)

const ALLOWED_QUERY = object(PAGE_LIMIT, {
  term: TERM,
  domain: DOMAIN,
  ...CURSORS,
})

/** Instead of the id of a domain: the list of the company itself. */
export const LIST_OF_COMPANY = 'company'

const ALLOWED = object({
  value: TEXT,
  kind: { enum: ['address', 'domain'] },
  reason: TEXT_OR_NULL,
  /** The id of the sending domain on whose list it is, or `company`. */
  list: TEXT,
  /** The name of that domain; null: it is on the list of the company, or the domain was removed. */
  domain: TEXT_OR_NULL,
  createdAt: TIME,
})

const ALLOWED_LIST = pageOf(ALLOWED)

/** The one list that the entry is removed from. */
const ALLOWED_REMOVAL = object({ list: DOMAIN })

const NEW_ALLOWED = object({ value: ADDRESS }, { reason: REASON })

/**
 * Lines of a file. The page cuts the file between records, so that no piece is too large and each can be sent again.
 */
const IMPORT_PIECE = object(
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

const IMPORTED = object(
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

const EXPORT_QUERY = object({}, { type: TYPE, domain: DOMAIN })

export const SUPPRESSION_ROUTES = routes('company', {
  'GET /companies/:company/suppressions': {
    operation: 'suppressions',
    query: SUPPRESSIONS_QUERY,
    answer: SUPPRESSIONS,
  },
  'GET /companies/:company/suppressions/count': {
    operation: 'suppressions',
    query: COUNT_QUERY,
    answer: COUNT,
  },
  'POST /companies/:company/suppressions': {
    operation: 'suppression_change',
    body: NEW_SUPPRESSION,
    status: 201,
    answer: DONE,
  },
  'POST /companies/:company/suppressions/remove': {
    operation: 'suppression_change',
    body: BATCH,
    answer: BATCH_RESULT,
  },
  'DELETE /companies/:company/suppressions/:id': { operation: 'suppression_change', answer: DONE },
})

export const SUPPRESSION_FILE_ROUTES = routes('company', {
  'POST /companies/:company/suppressions/import': {
    operation: 'suppression_import',
    body: IMPORT_PIECE,
    answer: IMPORTED,
  },
  'GET /companies/:company/suppressions/export': {
    operation: 'suppression_export',
    query: EXPORT_QUERY,
    answer: 'document',
  },
})

export const ALLOWED_ROUTES = routes('company', {
  'GET /companies/:company/allowed': {
    operation: 'suppressions',
    query: ALLOWED_QUERY,
    answer: ALLOWED_LIST,
  },
  'POST /companies/:company/allowed': {
    operation: 'suppression_change',
    body: NEW_ALLOWED,
    status: 201,
    answer: DONE,
  },
  /** `value`: a domain or an address. */
  'DELETE /companies/:company/allowed/:value': {
    operation: 'suppression_change',
    params: { value: ADDRESS },
    query: ALLOWED_REMOVAL,
    answer: DONE,
  },
})
