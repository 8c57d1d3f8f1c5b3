/** The figures of a step, a tag or a domain. */
import type { TypeSums } from '../../../store/store.ts'

/** Counts by the types under which events are counted. */
export type Figures = TypeSums

const of = (figures: Figures, ...types: string[]) =>
  types.reduce((sum, type) => sum + (figures[type] ?? 0), 0)
const permanent = (figures: Figures) => of(figures, 'bounced', 'failed', 'suppressed')
const temporary = (figures: Figures) => of(figures, 'delivery_delayed')

/** Each event in the form of `/stats/total`. */
export const STATS: Readonly<Record<string, (figures: Figures) => object>> = {
  accepted: (figures) => {
    const outgoing = of(figures, 'accepted')
    return { incoming: 0, outgoing, total: outgoing }
  },
  delivered: (figures) => {
    const smtp = of(figures, 'delivered')
    return { smtp, http: 0, optimized: 0, total: smtp }
  },
  failed: (figures) => ({
    temporary: { espblock: 0, total: temporary(figures) },
    permanent: {
      bounce: of(figures, 'bounced'),
      'delayed-bounce': 0,
      // The counts do not distinguish the lists; each event names the type of its suppression.
      'suppress-bounce': of(figures, 'suppressed'),
      'suppress-unsubscribe': 0,
      'suppress-complaint': 0,
      webhook: 0,
      optimized: 0,
      total: permanent(figures),
    },
  }),
  opened: (figures) => ({ total: of(figures, 'opened') }),
  clicked: (figures) => ({ total: of(figures, 'clicked') }),
  unsubscribed: (figures) => ({ total: of(figures, 'unsubscribed') }),
  complained: (figures) => ({ total: of(figures, 'complained') }),
  stored: () => ({ total: 0 }),
}

type Metric = (figures: Figures) => number | string

/** The share of `part` in `whole` in percent, as text. */
const rate = (part: (figures: Figures) => number, whole: (figures: Figures) => number): Metric => {
  return (figures) => {
    const all = whole(figures)
    return all === 0 ? '0.00' : ((100 * part(figures)) / all).toFixed(2)
  }
}
const count =
  (...types: string[]) =>
  (figures: Figures) =>
    of(figures, ...types)
const accepted = count('accepted')
const delivered = count('delivered')
const failed = (figures: Figures) => temporary(figures) + permanent(figures)

/** By their names in `/v1/analytics/metrics`. Rates are percentages. */
export const METRICS: Readonly<Record<string, Metric>> = {
  accepted_count: accepted,
  accepted_outgoing_count: accepted,
  processed_count: accepted,
  sent_count: (figures) => delivered(figures) + of(figures, 'bounced'),
  delivered_count: delivered,
  delivered_smtp_count: delivered,
  opened_count: count('opened'),
  clicked_count: count('clicked'),
  unsubscribed_count: count('unsubscribed'),
  complained_count: count('complained'),
  failed_count: failed,
  temporary_failed_count: temporary,
  permanent_failed_count: permanent,
  bounced_count: count('bounced'),
  hard_bounces_count: count('bounced_permanent'),
  delivered_rate: rate(delivered, accepted),
  opened_rate: rate(count('opened'), delivered),
  clicked_rate: rate(count('clicked'), delivered),
  unsubscribed_rate: rate(count('unsubscribed'), delivered),
  complained_rate: rate(count('complained'), delivered),
  bounce_rate: rate(count('bounced'), accepted),
  fail_rate: rate(failed, accepted),
  permanent_fail_rate: rate(permanent, accepted),
  temporary_fail_rate: rate(temporary, accepted),
}
