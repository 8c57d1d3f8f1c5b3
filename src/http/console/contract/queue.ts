/** Waiting mail in sums, and the mail in quarantine. */
import type { Static } from 'typebox'
import { routes } from './route.ts'
import {
  CATEGORY_OR_NULL,
  DOMAIN_OR_NULL,
  INTEGER,
  NAMED,
  object,
  orNull,
  PAUSE,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TIME_OR_NULL,
} from './shapes.ts'

/** Sums on one page: those with the most waiting mail come first. */
export const SUMS_ON_PAGE = 10
/** Emails in quarantine in one answer, newest first. */
export const MAX_QUARANTINED = 200

/** The mail that a pause is for: of a company, to a recipient domain, to a site; null: any. */
const SCOPE = object({ company: TEXT_OR_NULL, domain: TEXT_OR_NULL, site: TEXT_OR_NULL })

const WAITING = {
  waiting: INTEGER,
  sending: INTEGER,
  /** When the oldest of it was accepted. */
  oldestAt: TIME_OR_NULL,
  nextDueAt: TIME_OR_NULL,
  lastMessage: TEXT_OR_NULL,
  /** The server that gave it; null: it is not known, or only the words name it. */
  lastServer: TEXT_OR_NULL,
  category: CATEGORY_OR_NULL,
  /** All of it waits for the end of a pause. */
  paused: { type: 'boolean' },
  /** The pause that all of it waits for; null: it is not paused, or by several. */
  pause: orNull(object({ ...PAUSE, scope: SCOPE })),
  /** False: a retry would leave all of it alone, as it is paused or scheduled. */
  retriable: { type: 'boolean' },
  /** There is a pause of exactly this mail. */
  pausedAlone: { type: 'boolean' },
} as const

/** Waiting mail to one recipient domain. */
const DOMAIN = object({ domain: TEXT, ...WAITING })
const COMPANY = object({ company: NAMED, ...WAITING })
const SITE = object({
  name: TEXT,
  /** The recipient domain that stands for the site, because its servers are not known; null: they are. */
  domain: TEXT_OR_NULL,
  /** The recipient domains with most waiting mail, and their number. */
  domains: { type: 'array', items: TEXT },
  domainCount: INTEGER,
  /** Open sessions with its servers. */
  sessions: INTEGER,
  ...WAITING,
})
export type WaitingSiteItem = Static<typeof SITE>

const QUARANTINED = object({
  id: TEXT,
  company: NAMED,
  from: TEXT,
  subject: TEXT,
  /** Recipients in quarantine. */
  recipients: INTEGER,
  since: TIME,
  /** Why: what happened when it was sent. */
  message: TEXT_OR_NULL,
})

const OF_PAGE = object({}, { page: { type: 'integer', minimum: 1, maximum: 100_000, default: 1 } })

/** A page of sums. `count`: of all; `size`: of a page. */
function sumsOf<const Item extends object>(items: Item) {
  return object(pageOf(items))
}

function pageOf<const Item extends object>(items: Item) {
  return { sums: { type: 'array', items }, count: INTEGER, size: INTEGER } as const
}

export const QUEUE_ROUTES = {
  ...routes('company', {
    'GET /companies/:company/queue/domains': {
      operation: 'queue_read',
      query: OF_PAGE,
      /** `retriable`: a retry might make some of this mail due, including mail on other pages. */
      answer: object({ ...pageOf(DOMAIN), retriable: { type: 'boolean' } }),
    },
    'GET /companies/:company/queue/quarantine': {
      operation: 'queue_read',
      /** `more`: there are more than these. */
      answer: object({ emails: { type: 'array', items: QUARANTINED }, more: { type: 'boolean' } }),
    },
  }),
  ...routes('operator', {
    'GET /installation/queue/companies': {
      operation: 'queue_read',
      query: OF_PAGE,
      answer: sumsOf(COMPANY),
    },
    'GET /installation/queue/sites': { operation: 'queue_read', query: OF_PAGE, answer: sumsOf(SITE) },
    /** Mail of a company (null: of all) that is in quarantine now. */
    'POST /installation/queue/release': {
      operation: 'queue_release',
      body: object({ company: DOMAIN_OR_NULL }),
      answer: object({ released: INTEGER }),
    },
  }),
} as const
