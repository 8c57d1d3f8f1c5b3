import type { Pause, PauseScope, QueueStore } from '../store.ts'
import { withNotice } from './change-notice.ts'
import type { Parts } from './parts.ts'

const LIST = `SELECT c.id AS "companyId", nullif(p.domain, '') AS domain, p.since
  FROM pauses p LEFT JOIN companies c ON c.num = p.company ORDER BY p.company, p.domain`
const ADD =
  'INSERT INTO pauses (company, domain, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1'
const END = 'DELETE FROM pauses WHERE company = $1 AND domain = $2 RETURNING 1'

/** The operator's pauses. Nodes read them, and leave paused mail out of their claims. */
export function pauses(parts: Parts): Pick<QueueStore, 'pauses' | 'pause' | 'resume'> {
  const { database, companies } = parts
  /** True when rows were changed: then watchers are notified. */
  const change = async (sql: string, { companyId, domain }: PauseScope, ...more: number[]) => {
    const company = companyId === null ? 0 : await companies.number(companyId)
    return await withNotice(parts, 'stops', async (session) => {
      return (await session.run(sql, [company, domain ?? '', ...more])).length > 0
    })
  }
  return {
    pauses: () => database.read<Pause>(LIST),
    async pause({ since, ...scope }) {
      await change(ADD, scope, Math.round(since))
    },
    resume: (scope) => change(END, scope),
  }
}
