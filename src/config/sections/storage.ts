/** Settings of the section "Storage and secrets": the database, its secret key, and how long its content is kept. */
import { resolve } from 'node:path'
import { parseDatabase } from '../parse/database.ts'
import { durationWithin } from '../parse/quantity.ts'
import { parseSecretKey } from '../parse/secret-key.ts'
import { setting } from '../setting.ts'
import type { DatabaseSetting } from '../values.ts'

export const STORAGE_SETTINGS = {
  POSTROAD_DATABASE_URL: setting({
    section: 'Storage and secrets',
    field: 'database',
    parse: databaseFrom,
    default: 'sqlite:./data/postroad.db',
    allowed:
      '`sqlite:<path>` (relative to the working directory) or `postgres://...`; TLS with `?sslmode=` `disable`, `require` (encrypted, any certificate), `verify-ca` or `verify-full`',
    description: 'Database that holds all data. The directory of an SQLite file is created if it is missing.',
    example: 'sqlite:/var/lib/postroad/postroad.db',
    secret: 'url',
  }),
  POSTROAD_SECRET_KEY: setting({
    section: 'Storage and secrets',
    field: 'secretKey',
    parse: parseSecretKey,
    default: null,
    defaultShown: 'kept in the file `<database>.key`',
    allowed: '32 octets, as 64 hexadecimal digits or in base64',
    description:
      'Encrypts DKIM private keys and other secrets in the database. If it is not set, the first start creates a key and keeps it beside ' +
      'the database, readable by its owner only. Nodes that share a database need the same key. Keep a copy: without the key, these secrets are lost.',
    example: 'output of `openssl rand -hex 32`',
    secret: 'all',
  }),
  POSTROAD_RETENTION_CONTENT: setting({
    section: 'Storage and secrets',
    field: 'contentRetention',
    parse: durationWithin('1m', '3650d'),
    default: '30d',
    allowed: '1m to 3650d',
    description: 'How long bodies and attachments of finished emails are kept.',
    example: '7d',
  }),
  POSTROAD_RETENTION_EMAILS: setting({
    section: 'Storage and secrets',
    field: 'emailRetention',
    parse: durationWithin('1m', '3650d'),
    default: '90d',
    allowed: '1m to 3650d; not less than POSTROAD_RETENTION_CONTENT',
    description: 'How long finished emails themselves, with recipients, events and SMTP dialogues, are kept.',
    example: '365d',
  }),
  POSTROAD_RETENTION_API_LOG: setting({
    section: 'Storage and secrets',
    field: 'apiLogRetention',
    parse: durationWithin('1m', '365d'),
    default: '7d',
    allowed: '1m to 365d',
    description:
      'How long API requests and their answers are kept, for the page "API requests" and `postroad request list`. ' +
      'Of each company at most the newest 20,000 refused and 20,000 other requests are kept.',
    example: '30d',
  }),
  POSTROAD_RETENTION_INBOUND: setting({
    section: 'Storage and secrets',
    field: 'inboundRetention',
    parse: durationWithin('1m', '365d'),
    default: '30d',
    allowed: '1m to 365d',
    description:
      'How long returned mail (bounces, complaints, automatic replies) is kept, for the page "Returned mail" and `postroad bounce list`. Its ' +
      'events belong to the emails and stay. Of mail that changed nothing, at most the newest 2,000 of each outcome are kept for each ' +
      'company, 100 for each email, and 4,000 of mail about no email. Of mail that led to events, the newest 2,000 of each company are kept ' +
      'whole, at most 500 of them from one network of clients, and the first 4 KiB of older mail.',
    example: '90d',
  }),
}

function databaseFrom(text: string): DatabaseSetting {
  const database = parseDatabase(text)
  return database.engine === 'sqlite' ? { engine: 'sqlite', path: resolve(database.path) } : database
}
