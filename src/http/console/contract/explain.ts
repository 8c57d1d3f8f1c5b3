import type { Static } from 'typebox'
import { STATUS_NAMES } from '../../../operate/status-word.ts'
import { ADDRESS, DOMAIN_NAME } from '../../bounds.ts'
import { routes } from './route.ts'
import {
  INTEGER,
  INTEGER_OR_NULL,
  object,
  orNull,
  PAUSE,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TIME_OR_NULL,
} from './shapes.ts'

const TEXTS = { type: 'array', items: TEXT } as const

const TRIED = object({
  accepted: { type: 'boolean' },
  server: TEXT_OR_NULL,
  message: TEXT,
  permanent: {
    ...orNull({ type: 'boolean' }),
    description:
      'True: mail would bounce. False: it would wait. Null: it is accepted, or no server was asked.',
  },
  tls: orNull(object({ version: TEXT, verified: { type: 'boolean' } })),
  dialogue: TEXT,
})

const LIMITS = object({
  sessions: INTEGER,
  messages_per_session: INTEGER,
  messages_per_minute: INTEGER_OR_NULL,
  messages_per_hour: INTEGER_OR_NULL,
  recipients_per_transaction: INTEGER,
  tls: TEXT_OR_NULL,
  envelope_behind_dot: { type: 'boolean' },
  size: INTEGER_OR_NULL,
  back_off_ms: INTEGER_OR_NULL,
})

const CLOSED = object({
  since: TIME,
  reason: TEXT,
  next_try_at: TIME,
  company: TEXT_OR_NULL,
  sending_domain: TEXT_OR_NULL,
  recipient_domain: TEXT_OR_NULL,
  servers: TEXT_OR_NULL,
  list: orNull(object({ name: TEXT, removal: TEXT })),
})

/**
 * The object that `explain --json` prints, with the same field names, and a headline. So the page shows no less than
 * the command line.
 */
const EXPLANATION = object({
  /** A sentence for people that comes first. */
  headline: TEXT,
  address: TEXT,
  domain: TEXT,
  deliverable: { type: 'boolean' },
  problem: { ...TEXT_OR_NULL, description: 'Null: mail would leave now.' },
  permanent: {
    ...orNull({ type: 'boolean' }),
    description:
      'True: mail would bounce, or end without an attempt. False: it would wait, and be tried again. Null: it would leave.',
  },
  route: TEXT,
  site: object({
    name: TEXT,
    provider: TEXT_OR_NULL,
    limits: LIMITS,
    lowered: {
      ...object({ sessions: INTEGER_OR_NULL, messages_per_minute: INTEGER_OR_NULL }),
      description:
        'After complaints of the servers; null: as the limits are. Where the address has mail of other companies too, `limits` has the limits in force instead, unless the reader is an operator.',
    },
    closed: orNull(CLOSED),
  }),
  hosts: {
    type: 'array',
    items: object({
      name: TEXT,
      preference: INTEGER_OR_NULL,
      addresses: TEXTS,
      tls: object({ demand: TEXT, source: TEXT }),
      /** Null: it can be used. */
      problem: TEXT_OR_NULL,
    }),
  },
  policy: object({
    kind: orNull({ enum: ['dane', 'mta-sts'] }),
    mode: TEXT_OR_NULL,
    source: TEXT_OR_NULL,
    fetched_at: TIME_OR_NULL,
    expires_at: TIME_OR_NULL,
    problem: {
      ...TEXT_OR_NULL,
      description:
        'The reason why the current policy is not known. Null: it is known, or the domain has none.',
    },
  }),
  suppressions: {
    type: 'array',
    items: object({ company_id: TEXT, domain: TEXT_OR_NULL, type: TEXT, reason: TEXT, created_at: TIME }),
  },
  pauses: {
    type: 'array',
    items: object({
      company_id: TEXT_OR_NULL,
      domain: TEXT_OR_NULL,
      site: TEXT_OR_NULL,
      ...PAUSE,
    }),
  },
  source: object({
    name: TEXT,
    address: TEXT_OR_NULL,
    helo: TEXT,
    /** Shown to operators only. */
    proxy: TEXT_OR_NULL,
    missing: {
      ...TEXT_OR_NULL,
      description: 'The reason why no mail can leave from this source. Null: it can.',
    },
    warm_up: orNull(
      object({
        day: INTEGER,
        messages: {
          ...INTEGER_OR_NULL,
          description:
            'Messages to the site today. Null: none is known of, or the address has mail of other companies too and the reader is no operator.',
        },
        limit: INTEGER,
        used_up: { type: 'boolean', description: 'No more messages leave for the site today.' },
      }),
    ),
  }),
  last: {
    type: 'array',
    items: object({
      email_id: TEXT,
      accepted_at: TIME,
      recipient: TEXT,
      state: TEXT,
      status: { enum: STATUS_NAMES },
      attempts: INTEGER,
      server: TEXT_OR_NULL,
      code: INTEGER_OR_NULL,
      reply: TEXT_OR_NULL,
    }),
  },
  tried: orNull(TRIED),
})
export type ShownExplanation = Static<typeof EXPLANATION>

const OF_ADDRESS = object({ address: ADDRESS }, { from: DOMAIN_NAME })

export const EXPLAIN_ROUTES = {
  ...routes('company', {
    'GET /companies/:company/explanation': { operation: 'explain', query: OF_ADDRESS, answer: EXPLANATION },
  }),
  ...routes('operator', {
    'POST /installation/rehearsal': {
      operation: 'explain',
      body: OF_ADDRESS,
      answer: EXPLANATION,
    },
  }),
} as const
