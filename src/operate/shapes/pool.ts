import type { ChangedPool, PoolDescription } from '../pools.ts'
import { isoTime } from './time.ts'

export function poolJson({
  name,
  addresses,
  companies,
  domains,
  warmUps,
  notInService,
  createdAt,
}: PoolDescription) {
  return {
    name,
    addresses,
    companies,
    domains,
    warm_up: warmUps.map(({ address, day, limit }) => ({ address, day, messages_per_site: limit })),
    not_in_service: notInService,
    created_at: isoTime(createdAt),
  }
}

export function changedPoolJson(pool: ChangedPool) {
  const { addresses, notInService } = pool.otherMail
  return { ...poolJson(pool), other_mail: { addresses, not_in_service: notInService } }
}
