/**
 * How long companies and domains keep the content of finished emails, where that is shorter than the installation's.
 */
import type { Company } from '../accounts/account.ts'
import { OperateError } from './error.ts'
import { findCompany } from './find.ts'
import { verb } from './verb.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const LONGEST_DAYS = 3_650

/** Ms; null: as long as the installation. Throws `invalid`. */
export function checkedRetention(ms: number | null): number | null {
  if (ms === null || (ms >= MINUTE && ms <= LONGEST_DAYS * DAY)) return ms === null ? null : Math.round(ms)
  throw new OperateError('invalid', `content can be kept from one minute up to ${LONGEST_DAYS} days`)
}

const UNITS = [
  ['day', DAY],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
  ['second', 1_000],
] as const

/** `7 days`, `90 minutes`; null: `as long as the installation`. */
export function retentionWords(ms: number | null): string {
  if (ms === null) return 'as long as the installation'
  const [unit, size] = UNITS.find(([, of]) => ms % of === 0) ?? UNITS.at(-1)!
  const count = Math.round(ms / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** @param input.company name or id */
export const setContentRetention = verb(
  'own',
  async (op, input: { company: string; contentRetention: number | null }): Promise<Company> => {
    const { contentRetention: _, ...company } = findCompany(op, input.company)
    const contentRetention = checkedRetention(input.contentRetention)
    await op.store.updateCompany(company.id, { contentRetention })
    return { ...company, ...(contentRetention !== null && { contentRetention }) }
  },
  {
    action: 'setContentRetention',
    note: ({ company, contentRetention }, changed) => ({
      ...(changed === null ? { target: company } : { target: changed.name, companyId: changed.id }),
      detail: { kept: retentionWords(contentRetention) },
    }),
  },
)
