/** Sending domains, and the records that their owners publish. */
import { ID, NAMED, object, orNull, TEXT, TEXT_OR_NULL, TIME } from './shapes.ts'

const FACTS = {
  id: TEXT,
  name: TEXT,
  company: NAMED,
  status: { enum: ['pending', 'verified'] },
  sending: { enum: ['inactive', 'active', 'suspended'] },
  createdAt: TIME,
} as const

export const DOMAIN = object(FACTS)

export const DOMAINS = object({
  domains: { type: 'array', items: DOMAIN, description: 'Newest first.' },
  total: { type: 'integer', description: 'As many fit, listed or not.' },
})

const WANTED = {
  kind: { enum: ['dkim', 'spf', 'dmarc'] },
  type: { const: 'TXT' },
  name: { type: 'string', description: 'In full, without a final dot.' },
  value: TEXT,
  zone: { type: 'string', description: 'The record as a line of a zone file.' },
  required: { type: 'boolean' },
  purpose: TEXT,
} as const

export const WANTED_RECORD = object({
  ...WANTED,
  seen: {
    ...orNull({ enum: ['right', 'missing', 'different', 'unknown'] }),
    description: 'What was found when the domain was verified last, the worst of its kind.',
  },
})

/** The state of a record in DNS. */
export const RECORD_CHECK = object({
  ...WANTED,
  state: { enum: ['right', 'missing', 'different', 'unknown'] },
  found: { type: 'array', items: TEXT },
  advice: TEXT_OR_NULL,
  explanation: TEXT_OR_NULL,
  suggestion: TEXT_OR_NULL,
})

export const DKIM_KEY = object({
  selector: TEXT,
  algorithm: { enum: ['rsa-sha256', 'ed25519-sha256'] },
  active: { type: 'boolean', description: 'Mail is signed with it.' },
  record: { type: 'string', description: 'The name of its record.' },
})

export const RELAY = object({
  url: { type: 'string', description: 'Without user and password.' },
  login: { type: 'boolean', description: 'It is given a user and a password.' },
  createdAt: TIME,
})
const RELAY_OR_NULL = orNull(RELAY)

export const WHOLE_DOMAIN = object({
  ...FACTS,
  records: { type: 'array', items: WANTED_RECORD },
  dkim: { type: 'array', items: DKIM_KEY },
  speaksFor: { type: 'array', items: NAMED },
  relay: RELAY_OR_NULL,
  companyRelay: RELAY_OR_NULL,
  hostname: { type: 'string', description: 'The name this service sends under.' },
})

export const VERIFIED_DOMAIN = object({
  domain: WHOLE_DOMAIN,
  records: { type: 'array', items: RECORD_CHECK },
  verified: { type: 'boolean', description: 'Every required record is right.' },
  uncertain: { type: 'boolean', description: 'Of a required record DNS gave no answer.' },
})

export const DOMAINS_QUERY = object(
  {},
  {
    search: { type: 'string', maxLength: 255, description: 'A part of the name.' },
    sending: { enum: ['active'], description: 'Only those that may send.' },
  },
)

export const NEW_DOMAIN = object(
  {
    name: { type: 'string', maxLength: 255 },
  },
  {
    ed25519: { type: 'boolean', description: 'A second DKIM key, Ed25519.' },
  },
)

export const DOMAIN_CHANGE = object(
  {},
  {
    speaksFor: {
      type: 'array',
      maxItems: 100,
      items: { type: 'string', maxLength: 255 },
      description: 'Ids of other domains of the company.',
    },
  },
)

export const SENDING_CHANGE = object({ sending: { enum: ['active', 'suspended'] } })

export const NEW_DKIM_KEY = object(
  {
    selector: { type: 'string', maxLength: 100 },
  },
  {
    pem: {
      type: 'string',
      maxLength: 20_000,
      description: 'An existing private key; without it, one is created.',
    },
  },
)

export const DKIM_KEY_CHANGE = object(
  {},
  { active: { type: 'boolean' }, selector: { type: 'string', maxLength: 100 } },
)

export const NEW_RELAY = object(
  {
    url: { type: 'string', maxLength: 2_000 },
  },
  {
    password: { type: 'string', maxLength: 1_000 },
  },
)

export const COMPANY_RELAY = object({
  relay: RELAY_OR_NULL,
  delivery: { enum: ['capture', 'direct', 'relay'] },
})

/** Path parameters. */
export const DOMAIN_PARAMS = object({ company: ID, domain: ID })

export const RECORD_QUERY = object({ name: { type: 'string', maxLength: 400 } })

export const DKIM_KEY_PARAMS = object({ company: ID, domain: ID, selector: ID })
