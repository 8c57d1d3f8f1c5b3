/** What is moved from SQLite to PostgreSQL: each table of the target, and where its rows come from. */

import {
  type ColumnType,
  type Declared,
  FACT_FIELDS,
  fieldsOf,
  recipientFieldsOf,
} from '../../email/fields.ts'

export type { ColumnType }

export interface Table {
  /** In PostgreSQL. */
  name: string
  columns: Record<string, ColumnType>
  /**
   * Rows in SQLite: FROM and WHERE of a SELECT, with an expression for each column that is not called the same there.
   */
  from: string
  where?: string
  expressions?: Record<string, string>
  /** Columns in SQLite by which the rows are in order, and each is told from the others. */
  order: string[]
  /** Its column that PostgreSQL numbers by itself from here on. */
  numbered?: string
}

const LARGE = fieldsOf().filter(({ large }) => large === true)
const OF_EMAIL = 'JOIN emails e ON e.num = t.email'

/** In this order: what is referred to comes first. */
export const TABLES: readonly Table[] = [
  {
    name: 'companies',
    columns: { num: 'int4', id: 'text', name: 'text', created_at: 'int8' },
    from: 'companies t',
    order: ['t.num'],
    numbered: 'num',
  },
  {
    name: 'domains',
    columns: {
      id: 'text',
      company: 'int4',
      name: 'text',
      status: 'text',
      sending: 'text',
      created_at: 'int8',
    },
    from: 'domains t',
    order: ['t.id'],
  },
  {
    name: 'dkim_keys',
    columns: {
      domain_id: 'text',
      position: 'int4',
      id: 'text',
      selector: 'text',
      algorithm: 'text',
      public_key: 'text',
      sealed_private_key: 'bytea',
    },
    from: 'dkim_keys t',
    order: ['t.domain_id', 't.position'],
  },
  {
    name: 'api_keys',
    columns: {
      id: 'text',
      company: 'int4',
      name: 'text',
      token_hash: 'bytea',
      scopes: 'text',
      domain_id: 'text',
      networks: 'text',
      created_at: 'int8',
      expires_at: 'int8',
      revoked_at: 'int8',
    },
    from: 'api_keys t',
    order: ['t.id'],
  },
  {
    name: 'routes',
    columns: {
      company: 'int4',
      domain_id: 'text',
      id: 'text',
      url: 'text',
      sealed: 'bytea',
      created_at: 'int8',
    },
    from: 'routes t',
    order: ['t.company', 't.domain_id'],
  },
  {
    name: 'suppressions',
    columns: {
      company: 'int4',
      folded: 'text',
      address: 'text',
      reason: 'text',
      created_at: 'int8',
      email_id: 'text',
    },
    from: 'suppressions t',
    // SQLite's lower() knows ASCII only, as the comparison of addresses does.
    expressions: { folded: 'lower(t.address)' },
    order: ['t.company', 't.address'],
  },
  {
    name: 'pauses',
    columns: { company: 'int4', domain: 'text', since: 'int8' },
    from: 'pauses t',
    order: ['t.company', 't.domain'],
  },
  {
    name: 'blobs',
    columns: { company: 'int4', sha256: 'bytea', bytes: 'bytea' },
    from: 'blobs t',
    order: ['t.num'],
  },
  {
    name: 'emails',
    columns: {
      seq: 'int8',
      sent: 'bool',
      content_removed: 'bool',
      ...columnsOf(fieldsOf()),
    },
    from: 'emails t LEFT JOIN contents c ON c.email = t.num',
    expressions: {
      seq: 't.num',
      content_removed: 'c.email IS NULL',
      ...Object.fromEntries(LARGE.map(({ column }) => [column, `c.${column}`])),
    },
    order: ['t.num'],
    numbered: 'seq',
  },
  {
    name: 'attachments',
    columns: {
      email: 'uuid',
      position: 'int4',
      company: 'int4',
      sha256: 'bytea',
      filename: 'text',
      content_type: 'text',
      disposition: 'text',
      content_id: 'text',
    },
    from: `attachments t ${OF_EMAIL} JOIN blobs b ON b.num = t.blob`,
    expressions: { email: 'e.id', company: 'b.company', sha256: 'b.sha256' },
    order: ['t.email', 't.position'],
  },
  {
    name: 'recipients',
    columns: {
      email: 'uuid',
      position: 'int4',
      ...columnsOf(recipientFieldsOf()),
      ...columnsOf(FACT_FIELDS.filter(({ live }) => live !== true)),
    },
    from: `recipients t ${OF_EMAIL}`,
    expressions: {
      email: 'e.id',
      state: "CASE WHEN t.state NOT IN ('waiting', 'sending', 'quarantined') THEN t.state END",
    },
    order: ['t.email', 't.position'],
  },
  {
    // Recipients that wait, and those that were being sent when the service ended: these no node holds any more, and
    // the first one that starts takes them back.
    name: 'queue',
    columns: {
      email: 'uuid',
      position: 'int4',
      company: 'int4',
      size: 'int4',
      together: 'int4',
      lease: 'int8',
      ready: 'bool',
      domain: 'text',
      held_domain: 'text',
      ...columnsOf(FACT_FIELDS.filter(({ live }) => live === true)),
    },
    from: `recipients t ${OF_EMAIL}`,
    where: "t.state IN ('waiting', 'sending', 'quarantined')",
    expressions: {
      email: 'e.id',
      size: 'min(e.size, 2147483647)',
      together: `CASE e.individual WHEN 1 THEN 1
        ELSE (SELECT count(*) FROM recipients o WHERE o.email = t.email AND o.domain = t.domain) END`,
      due_at: "CASE WHEN t.state = 'waiting' THEN t.due_at END",
      // 0 is the lease of what is in quarantine.
      lease: "CASE t.state WHEN 'sending' THEN t.lease WHEN 'quarantined' THEN 0 END",
      ready: '0',
    },
    order: ['t.email', 't.position'],
  },
  {
    name: 'events',
    columns: {
      number: 'int8',
      email: 'uuid',
      company: 'int4',
      recipient: 'int4',
      at: 'int8',
      type: 'text',
      detail: 'text',
    },
    from: `events t ${OF_EMAIL}`,
    expressions: { email: 'e.id' },
    order: ['t.number'],
    numbered: 'number',
  },
  {
    name: 'attempts',
    columns: {
      email: 'uuid',
      seq: 'int8',
      started_at: 'int8',
      duration: 'int8',
      recipients: 'text',
      server: 'text',
      tls: 'text',
      dialogue: 'text',
    },
    from: `attempts t ${OF_EMAIL}`,
    expressions: { email: 'e.id' },
    order: ['t.email', 't.seq'],
    numbered: 'seq',
  },
  {
    name: 'captured',
    columns: { email: 'uuid', seq: 'int8', recipients: 'text', raw: 'bytea' },
    from: `captured t ${OF_EMAIL}`,
    expressions: { email: 'e.id', seq: 't.num' },
    order: ['t.num'],
    numbered: 'seq',
  },
  {
    name: 'idempotency',
    columns: {
      company: 'int4',
      key: 'text',
      fingerprint: 'text',
      email_id: 'uuid',
      message_id: 'text',
      created_at: 'int8',
    },
    from: 'idempotency t',
    order: ['t.company', 't.key'],
  },
]

function columnsOf(fields: readonly Declared[]): Record<string, ColumnType> {
  return Object.fromEntries(fields.map(({ column, type }) => [column, type.column]))
}
