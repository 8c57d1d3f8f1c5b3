/** The settings of a company: its name and logo, and the limits that the operator has set. */
import { WORD } from '../../bounds.ts'
import { routes } from './route.ts'
import { DONE, INTEGER, INTEGER_OR_NULL, object, TEXT, TEXT_OR_NULL } from './shapes.ts'

/**
 * Characters of base64 (RFC 4648 4). More than the largest logo needs, so that the answer to a somewhat larger one
 * states its size.
 */
const LONGEST_LOGO = 128 * 1024

const COMPANY = object({
  id: TEXT,
  name: TEXT,
  ownName: {
    ...TEXT_OR_NULL,
    description: 'For operators: the name that its owners gave it, if it differs; otherwise null.',
  },
  logo: { ...TEXT_OR_NULL, description: 'The digest of its logo, for `v`; null: it has none.' },
  limits: {
    ...object({
      rate: { ...INTEGER_OR_NULL, description: 'Requests a second.' },
      daily: { ...INTEGER_OR_NULL, description: 'Recipients a day, UTC.' },
      monthly: INTEGER_OR_NULL,
      domains: INTEGER,
      keys: INTEGER,
      webhooks: INTEGER,
    }),
    description: 'Null: no limit.',
  },
  used: object({ daily: INTEGER, monthly: INTEGER, domains: INTEGER, keys: INTEGER, webhooks: INTEGER }),
})

export const COMPANY_ROUTES = routes('company', {
  'GET /companies/:company': { operation: 'company_read', answer: COMPANY },
  'PUT /companies/:company/name': {
    operation: 'company_rename',
    body: object({ name: { type: 'string', maxLength: 300 } }),
    answer: DONE,
  },
  'PUT /companies/:company/limits': {
    operation: 'company_limit',
    /** A limit that is absent stays as it is. Null: no limit; for domains, keys and webhooks: the default. */
    body: object(
      {},
      {
        rate: INTEGER_OR_NULL,
        daily: INTEGER_OR_NULL,
        monthly: INTEGER_OR_NULL,
        domains: INTEGER_OR_NULL,
        keys: INTEGER_OR_NULL,
        webhooks: INTEGER_OR_NULL,
      },
    ),
    answer: DONE,
  },
  'GET /companies/:company/logo': {
    operation: 'company_logo',
    /** The digest. With it in the address, browsers may keep the picture. */
    query: object({}, { v: WORD }),
    answer: 'document',
  },
  'PUT /companies/:company/logo': {
    operation: 'company_logo_set',
    body: object({ picture: { type: 'string', maxLength: LONGEST_LOGO, description: 'Base64.' } }),
    answer: DONE,
  },
  'DELETE /companies/:company/logo': { operation: 'company_logo_remove', answer: DONE },
})
