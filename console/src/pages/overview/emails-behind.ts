/**
 * The emails behind a figure: those accepted in its time that have had the counted event. A figure also counts events of
 * emails accepted earlier, so the links say which emails they lead to.
 */
import type { OverviewSpan } from '../../api/overview.ts'
import type { EmailsSearch } from '../emails/search.ts'
import type { FilteredProps } from './filter.tsx'

/** Beside a link to them. */
export const EMAILS_BEHIND = 'Shows the emails that were accepted in this time and have had this event.'

const DAY = 86_400_000
/** The periods of the list of emails. It has no year. */
const PERIOD: Readonly<Record<OverviewSpan, () => EmailsSearch>> = {
  hour: () => ({ time: '1h' }),
  day: () => ({ time: '24h' }),
  week: () => ({ time: '7d' }),
  month: () => ({ time: '30d' }),
  year: () => ({ since: new Date(Date.now() - 366 * DAY).toISOString() }),
}

/** `type`: of the counted event. `between`: Unix ms, otherwise the whole period. */
export function emailsBehind(
  { span, filter: { domain, to } }: Pick<FilteredProps, 'span' | 'filter'>,
  type: string | null,
  between?: { since: number; until: number },
): EmailsSearch {
  const iso = (at: number) => new Date(at).toISOString()
  return {
    ...(between === undefined ? PERIOD[span]() : { since: iso(between.since), until: iso(between.until) }),
    ...(type !== null && type !== 'accepted' && { q: `event:${type}` }),
    ...(domain !== undefined && { domain }),
    ...(to !== undefined && { to }),
  }
}
