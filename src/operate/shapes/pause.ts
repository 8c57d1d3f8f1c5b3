import { utcTime } from '../../common/utc-day.ts'
import type { Pause, PauseScope } from '../../store/store.ts'
import { isoTime } from './time.ts'

/** Null: every company, every domain, every site. */
export function pauseScopeJson({ companyId, domain, site }: PauseScope) {
  return { company_id: companyId, domain, site: site?.name ?? null }
}

export function pauseFacts({ since, until, reason }: Omit<Pause, keyof PauseScope>) {
  return { since: isoTime(since), until: isoTime(until), reason }
}

export function pauseJson(pause: Pause) {
  return { ...pauseScopeJson(pause), ...pauseFacts(pause) }
}

/** `since 2026-11-01 12:00:00Z, until ...: maintenance`. */
export function pauseText({ since, until, reason }: Omit<Pause, keyof PauseScope>): string {
  const end = until === null ? '' : `, until ${utcTime(until)}`
  return `since ${utcTime(since)}${end}${reason === null ? '' : `: ${reason.replace(/\.$/, '')}`}`
}
