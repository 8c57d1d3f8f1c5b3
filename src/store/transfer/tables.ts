/** The tables that are moved from SQLite to PostgreSQL, and the sources of their rows. */
import { fieldsOf } from '../../email/fields.ts'
import type { TYPES } from '../postgres/arrays.ts'

export type TransferColumnType = Exclude<keyof typeof TYPES, 'octets'>

/** The source in SQLite of the rows of a table in PostgreSQL: FROM and WHERE of a SELECT. */
export interface Move {
  name: string
  /** A column without a source: it gets PostgreSQL's default. */
  own?: string
  /** The source table, with the alias `t`; absent: the table of the same name. */
  from?: string
  join?: string
  where?: string
  /** The SQLite expression of each column that has another name or form there. */
  expressions?: Record<string, string>
  /** Columns in SQLite that order the rows, and identify each. */
  order: string[]
}

export interface TransferTable extends Move {
  columns: Record<string, TransferColumnType>
  /** The column that PostgreSQL numbers by itself, and its sequence. */
  numbered: { column: string; sequence: string } | null
}

const LARGE = fieldsOf().filter(({ large }) => large === true)
const OF_EMAIL = 'JOIN emails e ON e.num = t.email'

/** The tables in the order of the transfer: referenced rows come first. */
export const MOVES: readonly Move[] = [
  { name: 'companies', order: ['t.num'] },
  { name: 'company_logos', order: ['t.company'] },
  { name: 'domains', order: ['t.id'] },
  { name: 'removed_domains', order: ['t.id'] },
  { name: 'dkim_keys', order: ['t.domain_id', 't.position'] },
  { name: 'api_keys', order: ['t.id'] },
  { name: 'key_uses', order: ['t.key_id'] },
  { name: 'routes', order: ['t.company', 't.domain_id'] },
  { name: 'source_pools', order: ['t.name'] },
  { name: 'warm_up_counts', order: ['t.day', 't.source', 't.site'] },
  { name: 'shared_paths', order: ['t.key'] },
  {
    name: 'alerts',
    // PostgreSQL keeps these columns for nodes of an earlier version: see migrations/0029-announcements.ts.
    expressions: { told_at: 'NULL', told_to: 'NULL', claimed_until: '9007199254740991' },
    order: ['t.id'],
  },
  { name: 'announcements', order: ['t.alert_id', 't.channel'] },
  {
    name: 'suppressions',
    own: 'added_by',
    // SQLite's lower() knows ASCII only, as the comparison of addresses does.
    expressions: { folded: 'lower(t.address)' },
    order: ['t.company', 't.address', 't.type', 't.domain_id'],
  },
  {
    name: 'allowed',
    expressions: { folded: 'lower(t.value)' },
    order: ['t.company', 't.value', 't.domain_id'],
  },
  {
    name: 'full_mailboxes',
    join: OF_EMAIL,
    expressions: { folded: 'lower(t.address)', email: 'e.id' },
    order: ['t.company', 't.address', 't.email', 't.position'],
  },
  { name: 'quotas', order: ['t.company'] },
  { name: 'pauses', order: ['t.company', 't.domain'] },
  { name: 'site_pauses', order: ['t.company', 't.site'] },
  { name: 'followers', order: ['t.name'] },
  { name: 'search_lists', order: ['t.company', 't.kind', 't.major', 't.minor'] },
  { name: 'search_spans', order: ['t.company', 't.segment'] },
  {
    name: 'event_counts',
    order: ['t.company', 't.size', 't.dimension', 't.start', 't.domain_id', 't.value', 't.type'],
  },
  { name: 'mta_sts_policies', order: ['t.domain'] },
  { name: 'tls_sessions', order: ['t.domain', 't.day', 't.key'] },
  { name: 'tls_reports', order: ['t.domain', 't.day'] },
  { name: 'domain_reports', order: ['t.domain_id', 't.kind', 't.reporter', 't.report_id'] },
  { name: 'domain_report_rows', order: ['t.domain_id', 't.kind', 't.day', 't.key'] },
  { name: 'tags', order: ['t.domain_id', 't.tag'] },
  { name: 'webhooks', order: ['t.num'] },
  { name: 'webhook_retries', order: ['t.webhook', 't.number', 't.part'] },
  { name: 'webhook_attempts', order: ['t.webhook', 't.id'] },
  { name: 'api_requests', order: ['t.company', 't.id'] },
  { name: 'inbound_mails', order: ['t.id'] },
  { name: 'signing_keys', order: ['t.company'] },
  { name: 'people', order: ['t.id'] },
  { name: 'memberships', order: ['t.person', 't.company'] },
  { name: 'identities', order: ['t.issuer', 't.subject'] },
  { name: 'sessions', order: ['t.id'] },
  { name: 'sign_in_links', order: ['hex(t.token_hash)'] },
  { name: 'invitations', order: ['t.id'] },
  { name: 'audit', order: ['t.number'] },
  { name: 'blobs', order: ['t.num'] },
  {
    name: 'emails',
    join: 'LEFT JOIN contents c ON c.email = t.num',
    expressions: {
      seq: 't.num',
      content_removed: 'c.email IS NULL',
      ...Object.fromEntries(LARGE.map(({ column }) => [column, `c.${column}`])),
    },
    order: ['t.num'],
  },
  {
    name: 'attachments',
    join: `${OF_EMAIL} JOIN blobs b ON b.num = t.blob`,
    expressions: { email: 'e.id', company: 'b.company', sha256: 'b.sha256' },
    order: ['t.email', 't.position'],
  },
  {
    name: 'recipients',
    join: OF_EMAIL,
    expressions: {
      email: 'e.id',
      state: "CASE WHEN t.state NOT IN ('waiting', 'sending', 'quarantined') THEN t.state END",
    },
    order: ['t.email', 't.position'],
  },
  {
    // Recipients that wait, and those that were being sent when the service ended: no node holds the latter any more,
    // and the first node that starts takes them back.
    name: 'queue',
    from: 'recipients',
    join: OF_EMAIL,
    where: "t.state IN ('waiting', 'sending', 'quarantined')",
    expressions: {
      email: 'e.id',
      size: 'min(e.size, 2147483647)',
      together: `CASE e.individual WHEN 1 THEN 1
        ELSE (SELECT count(*) FROM recipients o WHERE o.email = t.email AND o.domain = t.domain) END`,
      due_at: "CASE WHEN t.state = 'waiting' THEN t.due_at END",
      // 0 is the lease of recipients in quarantine.
      lease: "CASE t.state WHEN 'sending' THEN t.lease WHEN 'quarantined' THEN 0 END",
      ready: '0',
    },
    order: ['t.email', 't.position'],
  },
  {
    name: 'events',
    // An event of a company belongs to no email.
    join: `LEFT ${OF_EMAIL}`,
    expressions: { email: 'e.id' },
    order: ['t.number'],
  },
  {
    name: 'attempts',
    join: OF_EMAIL,
    expressions: { email: 'e.id' },
    order: ['t.email', 't.seq'],
  },
  {
    name: 'captured',
    join: OF_EMAIL,
    expressions: { email: 'e.id', seq: 't.num' },
    order: ['t.num'],
  },
  {
    name: 'idempotency',
    own: 'repeated',
    order: ['t.company', 't.key'],
  },
]
