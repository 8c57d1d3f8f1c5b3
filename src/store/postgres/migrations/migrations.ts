import { type Migration, migration } from '../../migration.ts'
import { sql as schema } from './0001-schema.ts'
import { sql as siteReports } from './0002-site-reports.ts'
import { sql as alerts } from './0003-alerts.ts'
import { sql as returnPath } from './0004-return-path.ts'
import { sql as inboundMail } from './0005-inbound-mail.ts'

/** In the order in which they are applied. A released migration is never changed: new ones are added after it. */
export const MIGRATIONS: readonly Migration[] = [
  migration('0001-schema', schema),
  migration('0002-site-reports', siteReports),
  migration('0003-alerts', alerts),
  migration('0004-return-path', returnPath),
  migration('0005-inbound-mail', inboundMail),
]
