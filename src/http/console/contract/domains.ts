/** Sending domains, and the records that their owners publish. */
import { RECORD_KINDS } from '../../../accounts/account.ts'
import { RECORD_TYPES } from '../../../accounts/dns-records.ts'
import { routes } from './route.ts'
import {
  DONE,
  INTEGER_OR_NULL,
  NAMED,
  object,
  orNull,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TIME_OR_NULL,
} from './shapes.ts'

const FACTS = {
  id: TEXT,
  name: TEXT,
  company: NAMED,
  status: { enum: ['pending', 'verified'] },
  sending: { enum: ['inactive', 'active', 'suspended'] },
  createdAt: TIME,
} as const

export const DOMAIN = object(FACTS)

const DOMAINS = object({
  domains: { type: 'array', items: DOMAIN, description: 'Newest first.' },
  total: { type: 'integer', description: 'As many fit, listed or not.' },
})

const WANTED = {
  kind: { enum: RECORD_KINDS },
  type: { enum: RECORD_TYPES },
  name: { type: 'string', description: 'In full, without a final dot.' },
  value: {
    type: 'string',
    description: 'Of an MX record the host, of a CNAME record the name that it leads to.',
  },
  preference: { ...orNull({ type: 'integer' }), description: 'Of an MX record.' },
  zone: { type: 'string', description: 'The record as a line of a zone file.' },
  required: { type: 'boolean' },
  purpose: TEXT,
} as const

const SEEN = {
  ...orNull({ enum: ['right', 'missing', 'different', 'unknown'] }),
  description: 'What the last check of the domain found.',
} as const

const WANTED_RECORD = object({ ...WANTED, seen: SEEN })

/** The state of a record in DNS. */
export const RECORD_CHECK = object({
  ...WANTED,
  state: { enum: ['right', 'missing', 'different', 'unknown'] },
  found: { type: 'array', items: TEXT },
  advice: TEXT_OR_NULL,
  explanation: TEXT_OR_NULL,
  suggestion: TEXT_OR_NULL,
})

/** Checks that receivers make of the sender, in addition to those of the domain's records. */
const SENDER = object({
  checks: {
    type: 'array',
    items: object({
      kind: { enum: ['ehlo', 'ptr', 'bimi'] },
      type: { enum: ['A', 'AAAA', 'PTR', 'TXT'] },
      name: { type: 'string', description: 'The name, or the address, that DNS was asked for.' },
      value: { type: 'string', description: 'What it should be.' },
      found: { type: 'array', items: TEXT },
      state: { enum: ['right', 'missing', 'different', 'unknown'] },
      advice: TEXT_OR_NULL,
      purpose: TEXT,
    }),
  },
})

const ZONE = object({
  zone: { ...TEXT_OR_NULL, description: 'That the records are entered in; null: DNS does not say.' },
  nameServers: { type: 'array', items: TEXT, description: 'The first of them.' },
  provider: {
    ...orNull(
      object({
        name: TEXT,
        url: { type: 'string', description: 'Where its customers sign in.' },
        steps: { type: 'array', items: TEXT, description: 'From there to the form of a new record.' },
        apex: { enum: ['@', ''], description: 'The name to enter for the zone itself.' },
        endsHosts: { type: 'boolean', description: 'Values that are host names end with a dot.' },
        quotesText: { type: 'boolean', description: 'Values of TXT records are in double quotes.' },
        joinsPriority: { type: 'boolean', description: 'The value of an MX record begins with it.' },
        notes: { type: 'array', items: TEXT },
      }),
    ),
    description: 'Null: not one that is known.',
  },
})

const DKIM_KEY = object({
  selector: TEXT,
  algorithm: { enum: ['rsa-sha256', 'ed25519-sha256'] },
  active: { type: 'boolean', description: 'Mail is signed with it.' },
  delegated: { type: 'boolean', description: 'The operator publishes it, behind a CNAME record.' },
  record: { type: 'string', description: 'The name of its record.' },
  stage: {
    ...orNull({ enum: ['next', 'retiring', 'retired'] }),
    description: 'Its place in a rotation.',
  },
  since: { ...TIME_OR_NULL, description: 'When the stage began.' },
  keepUntil: { ...TIME_OR_NULL, description: 'Of a key that is retiring: its record may then be removed.' },
  seen: SEEN,
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
  returnPath: object({
    host: { ...TEXT_OR_NULL, description: 'The host to which bounces are to come back.' },
    isChosen: {
      type: 'boolean',
      description: 'It was set; otherwise it follows from the name of the domain.',
    },
    used: { type: 'boolean', description: 'MAIL FROM has it; otherwise the address of the author.' },
    problem: {
      ...TEXT_OR_NULL,
      description: 'Why it is not in use, as a clause; null: it is, or none is wanted.',
    },
  }),
  delegation: object({
    offered: { type: 'boolean', description: 'The service has a zone for DKIM keys.' },
    used: { type: 'boolean', description: 'The next keys of the domain are published there.' },
  }),
  contentRetention: {
    ...INTEGER_OR_NULL,
    description: 'Ms for which content of finished emails is kept; null: as for the company.',
  },
  lostSince: { ...TIME_OR_NULL, description: 'Since when DNS has lacked the DKIM records that it had.' },
  sendsUntil: { ...TIME_OR_NULL, description: 'When sending ends, unless DNS has them again.' },
  checkedAt: { ...TIME_OR_NULL, description: 'When DNS was asked for all records last.' },
})

const VERIFIED_DOMAIN = object({
  domain: WHOLE_DOMAIN,
  records: { type: 'array', items: RECORD_CHECK },
  verified: { type: 'boolean', description: 'Every required record is right.' },
  uncertain: { type: 'boolean', description: 'Of a required record DNS gave no answer.' },
})

const DOMAINS_QUERY = object(
  {},
  {
    search: { type: 'string', maxLength: 255, description: 'A part of the name, in Unicode or punycode.' },
    sending: { enum: ['active'], description: 'Only those that may send.' },
  },
)

const NEW_DOMAIN = object(
  {
    name: { type: 'string', maxLength: 255 },
  },
  {
    ed25519: { type: 'boolean', description: 'A second DKIM key, Ed25519.' },
  },
)

/** Ms; null: none of its own. */
const KEPT = orNull({ type: 'integer', minimum: 60_000, maximum: 3_650 * 86_400_000 })

const RETENTION = object({
  own: {
    ...INTEGER_OR_NULL,
    description: 'Ms for which the company keeps content; null: as the installation.',
  },
  installation: { type: 'integer', description: 'Ms.' },
})

const DOMAIN_CHANGE = object(
  {},
  {
    speaksFor: {
      type: 'array',
      maxItems: 100,
      items: { type: 'string', maxLength: 255 },
      description: 'Ids of other domains of the company.',
    },
    returnPath: {
      type: 'string',
      maxLength: 255,
      description: 'A label below the domain, or a whole host name; empty: the usual one.',
    },
    contentRetention: KEPT,
    delegated: {
      type: 'boolean',
      description: 'The domain publishes CNAME records for DKIM, and the operator the keys.',
    },
  },
)

const SENDING_CHANGE = object({ sending: { enum: ['active', 'suspended'] } })

const NEW_DKIM_KEY = object(
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

const FORCE = { type: 'boolean', description: 'Also if that does harm, which the refusal names.' } as const

const DKIM_KEY_CHANGE = object(
  {},
  { active: { type: 'boolean' }, selector: { type: 'string', maxLength: 100 }, force: FORCE },
)

const FINISH_ROTATION = object({}, { force: FORCE })

const NEW_RELAY = object(
  {
    url: { type: 'string', maxLength: 2_000 },
  },
  {
    password: { type: 'string', maxLength: 1_000 },
  },
)

const COMPANY_RELAY = object({
  relay: RELAY_OR_NULL,
  delivery: { enum: ['capture', 'direct', 'relay'] },
})

const RECORD_QUERY = object(
  { name: { type: 'string', maxLength: 400 } },
  { type: { enum: RECORD_TYPES, description: 'Of a name with records of several types.' } },
)

export const DOMAIN_ROUTES = routes('company', {
  'GET /companies/:company/domains': { operation: 'domain_list', query: DOMAINS_QUERY, answer: DOMAINS },
  'POST /companies/:company/domains': {
    operation: 'domain_add',
    body: NEW_DOMAIN,
    status: 201,
    answer: WHOLE_DOMAIN,
  },
  'GET /companies/:company/domains/:domain': { operation: 'domain_read', answer: WHOLE_DOMAIN },
  'PATCH /companies/:company/domains/:domain': {
    operation: 'domain_update',
    body: DOMAIN_CHANGE,
    answer: WHOLE_DOMAIN,
  },
  'PUT /companies/:company/domains/:domain/sending': {
    operation: 'domain_sending',
    body: SENDING_CHANGE,
    answer: WHOLE_DOMAIN,
  },
  'DELETE /companies/:company/domains/:domain': { operation: 'domain_remove', answer: DONE },
})

export const RETENTION_ROUTES = routes('company', {
  'GET /companies/:company/retention': { operation: 'retention_read', answer: RETENTION },
  'PUT /companies/:company/retention': {
    operation: 'retention_set',
    body: object({ own: KEPT }),
    answer: RETENTION,
  },
})

export const RECORD_ROUTES = routes('company', {
  'GET /companies/:company/domains/:domain/check': {
    operation: 'domain_check',
    query: RECORD_QUERY,
    answer: RECORD_CHECK,
  },
  'GET /companies/:company/domains/:domain/sender': { operation: 'domain_sender', answer: SENDER },
  'GET /companies/:company/domains/:domain/zone': { operation: 'domain_zone', answer: ZONE },
  'POST /companies/:company/domains/:domain/verify': { operation: 'domain_verify', answer: VERIFIED_DOMAIN },
})

export const DKIM_KEY_ROUTES = routes('company', {
  'POST /companies/:company/domains/:domain/dkim': {
    operation: 'dkim_add',
    body: NEW_DKIM_KEY,
    status: 201,
    answer: WHOLE_DOMAIN,
  },
  'PATCH /companies/:company/domains/:domain/dkim/:selector': {
    operation: 'dkim_change',
    body: DKIM_KEY_CHANGE,
    answer: WHOLE_DOMAIN,
  },
  'DELETE /companies/:company/domains/:domain/dkim/:selector': {
    operation: 'dkim_remove',
    answer: WHOLE_DOMAIN,
  },
  /** Begins a rotation: the next key waits until DNS has its record. */
  'POST /companies/:company/domains/:domain/rotation': {
    operation: 'dkim_rotate',
    status: 201,
    answer: WHOLE_DOMAIN,
  },
  /** Signs with the next key now. */
  'PUT /companies/:company/domains/:domain/rotation': {
    operation: 'dkim_rotation_finish',
    body: FINISH_ROTATION,
    answer: WHOLE_DOMAIN,
  },
  'DELETE /companies/:company/domains/:domain/rotation': {
    operation: 'dkim_rotation_cancel',
    answer: WHOLE_DOMAIN,
  },
})

export const RELAY_ROUTES = routes('company', {
  'GET /companies/:company/relay': { operation: 'relay_read', answer: COMPANY_RELAY },
  'PUT /companies/:company/relay': { operation: 'relay_set', body: NEW_RELAY, answer: COMPANY_RELAY },
  'DELETE /companies/:company/relay': { operation: 'relay_remove', answer: COMPANY_RELAY },
  'PUT /companies/:company/domains/:domain/relay': {
    operation: 'domain_relay_set',
    body: NEW_RELAY,
    answer: WHOLE_DOMAIN,
  },
  'DELETE /companies/:company/domains/:domain/relay': {
    operation: 'domain_relay_remove',
    answer: WHOLE_DOMAIN,
  },
})
