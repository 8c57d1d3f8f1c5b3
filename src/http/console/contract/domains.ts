/** Sending domains, and the records that their owners publish. */
import { NAMED, TEXT, TEXT_OR_NULL, TIME } from './shapes.ts'

const FACTS = {
  id: TEXT,
  name: TEXT,
  company: NAMED,
  status: { enum: ['pending', 'verified'] },
  sending: { enum: ['inactive', 'active', 'suspended'] },
  createdAt: TIME,
} as const
const REQUIRED = ['id', 'name', 'company', 'status', 'sending', 'createdAt'] as const

export const DOMAIN = {
  type: 'object',
  additionalProperties: false,
  required: REQUIRED,
  properties: FACTS,
} as const

export const DOMAINS = {
  type: 'object',
  additionalProperties: false,
  required: ['domains', 'total'],
  properties: {
    domains: { type: 'array', items: DOMAIN, description: 'Newest first.' },
    total: { type: 'integer', description: 'As many fit, listed or not.' },
  },
} as const

const WANTED = {
  kind: { enum: ['dkim', 'spf', 'dmarc'] },
  type: { const: 'TXT' },
  name: { type: 'string', description: 'In full, without a final dot.' },
  value: TEXT,
  zone: { type: 'string', description: 'The record as a line of a zone file.' },
  required: { type: 'boolean' },
  purpose: TEXT,
} as const
const ALL_WANTED = ['kind', 'type', 'name', 'value', 'zone', 'required', 'purpose'] as const

export const WANTED_RECORD = {
  type: 'object',
  additionalProperties: false,
  required: [...ALL_WANTED, 'seen'],
  properties: {
    ...WANTED,
    seen: {
      anyOf: [{ enum: ['right', 'missing', 'different', 'unknown'] }, { type: 'null' }],
      description: 'What was found when the domain was verified last, the worst of its kind.',
    },
  },
} as const

/** What DNS has now. */
export const RECORD_CHECK = {
  type: 'object',
  additionalProperties: false,
  required: [...ALL_WANTED, 'state', 'found', 'advice', 'explanation', 'suggestion'],
  properties: {
    ...WANTED,
    state: { enum: ['right', 'missing', 'different', 'unknown'] },
    found: { type: 'array', items: TEXT },
    advice: TEXT_OR_NULL,
    explanation: TEXT_OR_NULL,
    suggestion: TEXT_OR_NULL,
  },
} as const

export const DKIM_KEY = {
  type: 'object',
  additionalProperties: false,
  required: ['selector', 'algorithm', 'active', 'record'],
  properties: {
    selector: TEXT,
    algorithm: { enum: ['rsa-sha256', 'ed25519-sha256'] },
    active: { type: 'boolean', description: 'Mail is signed with it.' },
    record: { type: 'string', description: 'The name of its record.' },
  },
} as const

export const RELAY = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'login', 'createdAt'],
  properties: {
    url: { type: 'string', description: 'Without user and password.' },
    login: { type: 'boolean', description: 'It is given a user and a password.' },
    createdAt: TIME,
  },
} as const
const RELAY_OR_NULL = { anyOf: [RELAY, { type: 'null' }] } as const

export const WHOLE_DOMAIN = {
  type: 'object',
  additionalProperties: false,
  required: [...REQUIRED, 'records', 'dkim', 'speaksFor', 'relay', 'companyRelay', 'hostname'],
  properties: {
    ...FACTS,
    records: { type: 'array', items: WANTED_RECORD },
    dkim: { type: 'array', items: DKIM_KEY },
    speaksFor: { type: 'array', items: NAMED },
    relay: RELAY_OR_NULL,
    companyRelay: RELAY_OR_NULL,
    hostname: { type: 'string', description: 'The name this service sends under.' },
  },
} as const

export const VERIFIED_DOMAIN = {
  type: 'object',
  additionalProperties: false,
  required: ['domain', 'records', 'verified', 'uncertain'],
  properties: {
    domain: WHOLE_DOMAIN,
    records: { type: 'array', items: RECORD_CHECK },
    verified: { type: 'boolean', description: 'Every required record is right.' },
    uncertain: { type: 'boolean', description: 'Of a required record DNS gave no answer.' },
  },
} as const

export const FIND_DOMAINS = {
  type: 'object',
  additionalProperties: false,
  properties: { search: { type: 'string', maxLength: 255, description: 'A part of the name.' } },
} as const

export const NEW_DOMAIN = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 255 },
    ed25519: { type: 'boolean', description: 'A second DKIM key, Ed25519.' },
  },
} as const

export const DOMAIN_CHANGE = {
  type: 'object',
  additionalProperties: false,
  properties: {
    speaksFor: {
      type: 'array',
      maxItems: 100,
      items: { type: 'string', maxLength: 255 },
      description: 'Ids of other domains of the company.',
    },
  },
} as const

export const SENDING_CHANGE = {
  type: 'object',
  additionalProperties: false,
  required: ['sending'],
  properties: { sending: { enum: ['active', 'suspended'] } },
} as const

export const NEW_DKIM_KEY = {
  type: 'object',
  additionalProperties: false,
  required: ['selector'],
  properties: {
    selector: { type: 'string', maxLength: 100 },
    pem: { type: 'string', maxLength: 20_000, description: 'A private key of its own; else one is made.' },
  },
} as const

export const DKIM_KEY_CHANGE = {
  type: 'object',
  additionalProperties: false,
  properties: { active: { type: 'boolean' }, selector: { type: 'string', maxLength: 100 } },
} as const

export const NEW_RELAY = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: { type: 'string', maxLength: 2_000 },
    password: { type: 'string', maxLength: 1_000 },
  },
} as const

export const COMPANY_RELAY = {
  type: 'object',
  additionalProperties: false,
  required: ['relay', 'delivery'],
  properties: { relay: RELAY_OR_NULL, delivery: { enum: ['capture', 'direct', 'relay'] } },
} as const

/** Parameters of a path. */
export const OF_DOMAIN = {
  type: 'object',
  required: ['company', 'domain'],
  properties: { company: { type: 'string', maxLength: 100 }, domain: { type: 'string', maxLength: 100 } },
} as const

export const OF_RECORD = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: { type: 'string', maxLength: 400 } },
} as const

export const OF_DKIM_KEY = {
  type: 'object',
  required: ['company', 'domain', 'selector'],
  properties: { ...OF_DOMAIN.properties, selector: { type: 'string', maxLength: 100 } },
} as const
