/** Routes for keys with the scope `management`, in addition to sending and reading. */
import type { Endpoint } from '../endpoint.ts'
import { keyChanges } from './api-keys/change.ts'
import { createKey } from './api-keys/create.ts'
import { readKeys } from './api-keys/read.ts'
import { domainChanges } from './domains/change.ts'
import { createDomain } from './domains/create.ts'
import { domainReads } from './domains/read.ts'
import { suppressionAdditions } from './suppressions/add.ts'
import { suppressionReads } from './suppressions/read.ts'
import { suppressionRemovals } from './suppressions/remove.ts'
import { webhookChanges } from './webhooks/change.ts'
import { createWebhook } from './webhooks/create.ts'
import { webhookEvents } from './webhooks/events.ts'
import { webhookReads } from './webhooks/read.ts'

export const MANAGEMENT_PREFIXES: readonly string[] = ['/domains', '/api-keys', '/suppressions', '/webhooks']

export const managementEndpoints: readonly Endpoint[] = [
  createDomain,
  ...domainReads,
  ...domainChanges,
  createKey,
  readKeys,
  ...keyChanges,
  ...suppressionAdditions,
  ...suppressionReads,
  ...suppressionRemovals,
  createWebhook,
  ...webhookReads,
  ...webhookChanges,
  ...webhookEvents,
]
