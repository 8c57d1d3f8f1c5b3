/**
 * Reports that receivers send about a sending domain, and the TLS reports that this service sends to recipient domains.
 */
import { routes } from './route.ts'
import { INTEGER, object, orNull, TEXT, TEXT_OR_NULL, TIME_OR_NULL } from './shapes.ts'

const SOURCE = object({
  source: {
    ...TEXT_OR_NULL,
    description: 'An IP address; null: sources that are counted without their addresses.',
  },
  messages: INTEGER,
  unverified: { ...INTEGER, description: 'Messages in reports that are not verified.' },
  dkim: INTEGER,
  spf: INTEGER,
  failing: INTEGER,
  quarantined: INTEGER,
  rejected: INTEGER,
  domains: { type: 'array', items: TEXT },
})

const DMARC = object({
  since: TEXT,
  days: INTEGER,
  reporters: { type: 'array', items: TEXT },
  policy: orNull({ enum: ['none', 'quarantine', 'reject', 'unknown'] }),
  messages: INTEGER,
  passing: INTEGER,
  failing: INTEGER,
  unverified: object({
    messages: INTEGER,
    failing: INTEGER,
    reporters: { type: 'array', items: TEXT },
  }),
  sources: {
    type: 'array',
    items: SOURCE,
    description: 'Sources with the most failing messages in verified reports come first.',
  },
  advice: TEXT,
})

const TLS = object({
  day: TEXT,
  policy: TEXT,
  result: TEXT_OR_NULL,
  host: TEXT_OR_NULL,
  source: TEXT_OR_NULL,
  reason: TEXT_OR_NULL,
  sessions: INTEGER,
})

export const DOMAIN_REPORT_ROUTES = routes('company', {
  'GET /companies/:company/domains/:domain/reports': {
    operation: 'domain_reports',
    answer: object({
      dmarc: DMARC,
      tls: { type: 'array', items: TLS, description: 'The newest day first.' },
      /** Where TLS reports about the domain can be posted; null: the service has no https URL. */
      tlsUrl: TEXT_OR_NULL,
    }),
  },
})

const SENT_REPORT = object({
  domain: TEXT,
  day: TEXT,
  state: { enum: ['waiting', 'sent', 'unwanted', 'failed'] },
  sentAt: TIME_OR_NULL,
  sentTo: { type: 'array', items: TEXT },
  fault: TEXT_OR_NULL,
  successful: INTEGER,
  failed: INTEGER,
  /** The most frequent. */
  failures: { type: 'array', items: object({ result: TEXT, host: TEXT_OR_NULL, sessions: INTEGER }) },
})

export const TLS_REPORT_ROUTES = routes('operator', {
  'GET /installation/tls-reports': {
    operation: 'installation_read',
    answer: object({ reports: { type: 'array', items: SENT_REPORT, description: 'The newest day first.' } }),
  },
})
