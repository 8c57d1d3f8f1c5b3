/** When a certificate ends, and whether somebody has to act. */
import type { X509Certificate } from 'node:crypto'
import { DAY_MS, utcDay } from '../common/utc-day.ts'

/** Days before its end from which a certificate should have been renewed: programs that renew do so a month before. */
const RENEWED_BEFORE = 14
/** Days before its end from which somebody has to act at once. */
const LAST_DAYS = 3

export interface CertificateEnd {
  /** `soon`: it should have been renewed. `now`: somebody has to act at once. */
  state: 'fine' | 'soon' | 'now' | 'over'
  /** Completes "It" or "Its certificate". */
  sentence: string
}

/** `now`: Unix ms. */
export function certificateEnd({ validToDate }: X509Certificate, now: number): CertificateEnd {
  const ends = validToDate.getTime()
  if (ends <= now) return { state: 'over', sentence: `ended on ${utcDay(ends)}` }
  const days = Math.floor((ends - now) / DAY_MS)
  const sentence = `ends on ${utcDay(ends)}, in ${days} ${days === 1 ? 'day' : 'days'}`
  return { state: days < LAST_DAYS ? 'now' : days < RENEWED_BEFORE ? 'soon' : 'fine', sentence }
}
