import type { QuarantinedEmail } from '../../store/store.ts'
import type { LaneReport } from '../queue.ts'
import type { CompanySum, LaneFigures, SiteSum } from '../queue-sums.ts'
import { isoTime } from './time.ts'

export function laneJson(lane: LaneReport) {
  return { company_id: lane.companyId, domain: lane.domain, ...laneSumJson(lane) }
}

export function siteSumJson({ site, domains, sessions, ...sum }: SiteSum) {
  return { site: site.name, provider: site.provider, domains, sessions, ...laneSumJson(sum) }
}

export function companySumJson({ companyId, ...sum }: CompanySum) {
  return { company_id: companyId, ...laneSumJson(sum) }
}

function laneSumJson(sum: LaneFigures) {
  return {
    waiting: sum.waiting,
    sending: sum.sending,
    quarantined: sum.quarantined,
    oldest_at: isoTime(sum.oldestAt),
    next_attempt_at: isoTime(sum.nextDueAt),
    last_answer: sum.lastMessage,
    paused: sum.paused,
  }
}

export function quarantinedJson(email: QuarantinedEmail) {
  const { id, companyId, from, subject, recipients, since, message } = email
  return { id, company_id: companyId, from, subject, recipients, since: isoTime(since), message }
}
