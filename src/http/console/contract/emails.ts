import { LAST_EVENT_TYPES } from '../../../email/event.ts'
import { BOUNCE_CATEGORIES } from '../../../mail/reply/category.ts'
import { STATUS_NAMES } from '../../../operate/status-word.ts'
import { ADDRESS, DOMAIN_NAME, LINE, PASSAGE, TIME_INPUT, WORD } from '../../bounds.ts'
import { routes } from './route.ts'
import { COUNTED_STATES, INTEGER, object, orNull, TEXT, TEXT_OR_NULL, TIME } from './shapes.ts'

const STATUS_COUNT = { status: { enum: STATUS_NAMES }, count: INTEGER } as const
const ATTEMPT = {
  attempt: { type: 'string', description: 'Of one recipient that is tried again: `attempt 2 of 6`.' },
} as const

/** How many of the first hundred recipients have each status. */
export const STATUS_COUNTS = { type: 'array', items: object(STATUS_COUNT, ATTEMPT) } as const

/** A row in a list of emails. */
export const EMAIL_ROW = object({
  id: { type: 'string' },
  company: { type: 'string', description: 'Its id.' },
  domain: { type: 'string', description: 'Name of the sending domain; its id where it is gone.' },
  from: { type: 'string' },
  to: {
    type: 'string',
    description: 'The first recipient that the header shows; for mail in bcc only, the first of those.',
  },
  /** Clipped where they are long: addresses, the subject, and each tag. */
  subject: { type: 'string' },
  tags: {
    type: 'array',
    items: { type: 'string' },
    description: 'The first ones, as `name:value`, or the value of a `tag`.',
  },
  tagCount: { type: 'integer', description: 'Of all tags.' },
  createdAt: TIME,
  scheduledAt: { ...TEXT_OR_NULL, description: 'When it is scheduled to be sent; null: at once.' },
  lastEvent: { enum: LAST_EVENT_TYPES },
  recipients: { type: 'integer', description: 'Of the envelope.' },
  states: {
    type: 'array',
    description: 'How many of the first hundred recipients have each status.',
    items: object({ state: { enum: COUNTED_STATES }, ...STATUS_COUNT }, ATTEMPT),
  },
})

/** Filters of the list; an absent one does not filter. */
const FILTERS = {
  q: {
    ...PASSAGE,
    description: 'A search as typed: `to:ada@example.com event:bounced after:7d invoice`.',
  },
  zone: {
    ...WORD,
    description: 'Time zone of the dates in it: `Europe/Berlin`. Default: UTC.',
  },
  domain: { ...DOMAIN_NAME, description: 'Sending domain: name or id.' },
  event: { ...LINE, description: 'An event that the email has had, or several, separated by commas.' },
  status: { ...LINE, description: 'The status that its row shows, or several of them with commas.' },
  tag: { ...LINE, description: '`name:value`, or a name or a value alone.' },
  key: { ...LINE, description: 'API key: id or name.' },
  from: { ...LINE, description: 'A part of the sender as shown.' },
  to: { ...ADDRESS, description: 'The complete address of a recipient.' },
  toDomain: { ...DOMAIN_NAME, description: 'Domain of a recipient.' },
  subject: { ...PASSAGE, description: 'A part of the subject.' },
  since: { ...TIME_INPUT, description: 'Accepted then or later: ISO 8601.' },
  until: { ...TIME_INPUT, description: 'Accepted before this time.' },
} as const

const EMAILS_QUERY = object(
  {},
  {
    ...FILTERS,
    typing: {
      type: 'boolean',
      default: false,
      description: 'The person is still typing `q`: an incomplete term at its end is no error.',
    },
    cursor: { ...LINE, description: 'What `next` of the page before is.' },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 60 },
  },
)

/** A page, newest first. */
export const EMAILS = object({
  emails: { type: 'array', items: EMAIL_ROW },
  next: { ...TEXT_OR_NULL, description: 'Where the next page begins; null: there is none.' },
  unfinished: {
    ...TEXT_OR_NULL,
    description: 'Why this search is refused without `typing`; null: it is not.',
  },
  cursor: { type: 'integer', description: 'As of changes: they go on behind this number.' },
  words: {
    type: 'array',
    description: 'The emails of the page that have words of the search elsewhere than in the subject.',
    items: object({
      id: TEXT,
      place: { enum: ['address', 'reply', 'text'] },
      excerpt: { type: 'string', description: 'The words around them, in one line.' },
    }),
  },
  texts: orNull(
    object({
      count: { type: 'integer', description: 'The newest emails whose texts were searched.' },
      all: { type: 'boolean', description: 'The other filters find no further emails.' },
    }),
  ),
})

/** The emails that a search finds. */
const EMAIL_COUNT = object({
  count: { type: 'integer', description: 'At most 1,000.' },
  more: { type: 'boolean', description: 'There are more, or may be.' },
})

/** The line beside a subject, and the sign of attachments. */
export const SNIPPETS = object({
  snippets: {
    type: 'array',
    items: object({
      id: TEXT,
      text: { type: 'string', description: 'The beginning of its text in one line; empty: none is known.' },
      attached: { type: 'boolean', description: 'It has files besides inline pictures.' },
    }),
  },
})

/** Why mail was refused last, or is late; emails without a refusal are left out. */
export const REASONS = object({
  reasons: {
    type: 'array',
    items: object({
      id: TEXT,
      category: { enum: BOUNCE_CATEGORIES },
      permanent: { type: 'boolean', description: 'The address, or its domain, is dead.' },
    }),
  },
})

/**
 * The texts that rows clip, in full, and all tags. Emails that are gone are left out, and so are the last ones once the
 * answer is large: ask for them again.
 */
export const UNCLIPPED = object({
  emails: {
    type: 'array',
    items: object({ id: TEXT, from: TEXT, to: TEXT, subject: TEXT, tags: { type: 'array', items: TEXT } }),
  },
})

/** Changes to the emails of one company, or of all: the data of one server-sent event. */
export const CHANGES = object({
  cursor: {
    type: 'integer',
    description: 'Event number: this answer includes all changes up to it.',
  },
  emails: {
    type: 'array',
    description: 'The emails that changed, in their present state, latest first.',
    items: EMAIL_ROW,
  },
  more: { type: 'boolean', description: 'Further emails have changed as well.' },
})

export const EMAIL_LIST_ROUTES = routes('company', {
  'GET /companies/:company/emails': { operation: 'email_list', query: EMAILS_QUERY, answer: EMAILS },
  'GET /companies/:company/emails/count': {
    operation: 'email_count',
    query: object({}, FILTERS),
    answer: EMAIL_COUNT,
  },
  'GET /companies/:company/emails/snippets': {
    operation: 'email_snippets',
    /** Up to 25, with commas between them. */
    query: object({ ids: LINE }),
    answer: SNIPPETS,
  },
  'GET /companies/:company/emails/reasons': {
    operation: 'email_reasons',
    /** Up to 100, with commas between them. */
    query: object({ ids: PASSAGE }),
    answer: REASONS,
  },
  'GET /companies/:company/emails/unclipped': {
    operation: 'email_unclipped',
    /** Up to 100, with commas between them. */
    query: object({ ids: PASSAGE }),
    answer: UNCLIPPED,
  },
})

/** The stream of changes (CHANGES). */
export const LIVE_ROUTES = routes('company', {
  'GET /companies/:company/live': { operation: 'live', query: object({}, { after: WORD }), answer: 'stream' },
})
