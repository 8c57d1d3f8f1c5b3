/** Returned mail. */

import { INBOUND_KINDS, INBOUND_OUTCOMES, INBOUND_SOURCES } from '../../../email/inbound-mail.ts'
import { routes } from './route.ts'
import {
  CATEGORY_OR_NULL,
  CURSORS,
  ID,
  INTEGER,
  INTEGER_OR_NULL,
  NAMED,
  object,
  orNull,
  PAGE_LIMIT,
  pageOf,
  TEXT,
  TEXT_OR_NULL,
  TIME,
} from './shapes.ts'

const FINDING = object({
  address: TEXT,
  action: TEXT_OR_NULL,
  status: TEXT_OR_NULL,
  reply: INTEGER_OR_NULL,
  message: TEXT,
  permanent: { type: 'boolean' },
  category: CATEGORY_OR_NULL,
})

const RETURNED_MAIL = object({
  id: TEXT,
  at: TIME,
  company: { ...orNull(NAMED), description: 'Null: it is about no known email.' },
  email: { ...TEXT_OR_NULL, description: 'The id of the email that it is about.' },
  source: { enum: INBOUND_SOURCES },
  peer: TEXT,
  recipient: TEXT_OR_NULL,
  from: TEXT,
  subject: TEXT,
  kind: { enum: INBOUND_KINDS },
  outcome: { enum: INBOUND_OUTCOMES },
  note: TEXT_OR_NULL,
  events: INTEGER,
  times: INTEGER,
  size: INTEGER,
  kept: INTEGER,
  findings: { type: 'array', items: FINDING },
})

const RETURNED_QUERY = object(
  {},
  {
    ...CURSORS,
    ...PAGE_LIMIT,
    email: ID,
    kind: { enum: INBOUND_KINDS },
    outcome: { enum: INBOUND_OUTCOMES },
  },
)

export const RETURNED_ROUTES = routes('company', {
  'GET /companies/:company/returned': {
    operation: 'returned_list',
    query: RETURNED_QUERY,
    answer: pageOf(RETURNED_MAIL),
  },
  'GET /companies/:company/returned/:id/source.eml': {
    operation: 'returned_source_file',
    answer: 'document',
  },
})
