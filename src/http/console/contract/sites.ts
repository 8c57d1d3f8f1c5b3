/** Sites of direct delivery, for operators. */
import type { Static } from 'typebox'
import { routes } from './route.ts'
import {
  CATEGORY_OR_NULL,
  INTEGER,
  INTEGER_OR_NULL,
  object,
  orNull,
  PAUSE,
  RETRIED,
  SITE_NAME,
  TEXT,
  TEXT_OR_NULL,
  TIME,
} from './shapes.ts'

const SITE = object({
  name: TEXT,
  /** The block that the limits are from; null: `[default]`. */
  provider: TEXT_OR_NULL,
  hosts: { type: 'array', items: TEXT },
  /** Where the figures are from. */
  source: TEXT_OR_NULL,
  limits: object({
    sessions: INTEGER,
    messagesPerSession: INTEGER,
    messagesPerMinute: INTEGER_OR_NULL,
    messagesPerHour: INTEGER_OR_NULL,
    recipientsPerTransaction: INTEGER,
    tls: TEXT,
    envelopeBehindDot: { type: 'boolean' },
    /** Octets of a message; null: as its servers say. */
    size: INTEGER_OR_NULL,
    /** Milliseconds of the first pause after a refusal; null: as for all sites. */
    backOff: INTEGER_OR_NULL,
  }),
  /** After complaints of the servers; null: as the limits are. */
  lowered: object({ sessions: INTEGER_OR_NULL, messagesPerMinute: INTEGER_OR_NULL }),
  used: object({ sessions: INTEGER, messagesLastMinute: INTEGER, messagesLastHour: INTEGER }),
  lastMessageAt: orNull(TIME),
  /** Also one that has passed. */
  lastTrouble: orNull(object({ at: TIME, reason: TEXT, category: CATEGORY_OR_NULL })),
  closed: orNull(
    object({
      since: TIME,
      reason: TEXT,
      category: CATEGORY_OR_NULL,
      nextTryAt: TIME,
      company: TEXT_OR_NULL,
      sendingDomain: TEXT_OR_NULL,
      recipientDomain: TEXT_OR_NULL,
      servers: TEXT_OR_NULL,
      list: orNull(object({ name: TEXT, removal: TEXT })),
    }),
  ),
  /** The source addresses that are warming up, by their names. */
  warmUps: {
    type: 'array',
    items: object({ source: TEXT, day: INTEGER, messages: INTEGER, limit: INTEGER }),
  },
  /** Mail of all companies to it. */
  pause: orNull(object(PAUSE)),
})
export type SiteItem = Static<typeof SITE>

export const SITE_ROUTES = routes('operator', {
  'GET /installation/sites': {
    operation: 'installation_read',
    answer: object({ sites: { type: 'array', items: SITE } }),
  },
  'POST /installation/sites/retry': {
    operation: 'backlog_retry',
    body: object({ site: SITE_NAME }),
    answer: RETRIED,
  },
})
