/** Routes for keys with the scope `management`, in addition to sending and reading. */
import type { Endpoint } from '../endpoint.ts'
import { keyRoutes } from './api-keys/routes.ts'
import { domainRoutes } from './domains/routes.ts'
import { suppressionRoutes } from './suppressions/routes.ts'
import { webhookEvents } from './webhooks/events.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export const MANAGEMENT_PREFIXES: readonly string[] = ['/domains', '/api-keys', '/suppressions', '/webhooks']

export const managementEndpoints: readonly Endpoint[] = [
  ...domainRoutes,
  ...keyRoutes,
  ...suppressionRoutes,
  ...webhookRoutes,
  ...webhookEvents,
]
