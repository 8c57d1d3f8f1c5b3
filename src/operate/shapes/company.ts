import type { Company } from '../../accounts/account.ts'
import { isoTime, secondsOf } from './time.ts'

export function companyJson({ id, name, createdAt, limits, ...company }: Company) {
  const { pool = null, contentRetention, ownName = null } = company
  return {
    ...{ id, name, own_name: ownName, created_at: isoTime(createdAt), limits: { ...limits }, pool },
    content_retention_seconds: secondsOf(contentRetention),
  }
}
