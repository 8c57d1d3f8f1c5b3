import type { Migration } from '../../migration.ts'
import { sql as schema } from './0001-schema.ts'
import { sql as speaksFor } from './0002-speaks-for.ts'
import { sql as followers } from './0003-followers.ts'
import { sql as suppressions } from './0004-suppressions.ts'
import { sql as digest } from './0005-digest.ts'
import { sql as amp } from './0006-amp.ts'
import { sql as domains } from './0007-domains.ts'
import { sql as webhooks } from './0008-webhooks.ts'
import { sql as dkimActive } from './0009-dkim-active.ts'
import { sql as tags } from './0010-tags.ts'
import { sql as suppressionsOfDomain } from './0011-suppressions-of-domain.ts'

/** In the order they are applied. Of those that are released none is changed: only ever added to. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-schema', sql: schema },
  { name: '0002-speaks-for', sql: speaksFor },
  { name: '0003-followers', sql: followers },
  { name: '0004-suppressions', sql: suppressions },
  { name: '0005-digest', sql: digest },
  { name: '0006-amp', sql: amp },
  { name: '0007-domains', sql: domains },
  { name: '0008-webhooks', sql: webhooks },
  { name: '0009-dkim-active', sql: dkimActive },
  { name: '0010-tags', sql: tags },
  { name: '0011-suppressions-of-domain', sql: suppressionsOfDomain },
]
