import type { OwnedRoute } from '../routes.ts'
import { isoTime } from './time.ts'

/** Without the password and the user, which are sealed together. */
export function routeJson({ route, company, domain }: OwnedRoute) {
  return {
    id: route.id,
    company_id: company.id,
    domain: domain?.name ?? null,
    url: route.url,
    login: route.sealed !== null,
    created_at: isoTime(route.createdAt),
  }
}
