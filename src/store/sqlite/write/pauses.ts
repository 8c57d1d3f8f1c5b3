import type { DatabaseSync } from 'node:sqlite'
import type { PauseScope } from '../../store.ts'
import type { Direct } from '../protocol.ts'
import type { Parts } from './parts.ts'

/** The operator's pauses. Nodes read them, and leave paused mail out of their claims. */
export function pauses(db: DatabaseSync, { companies, changes }: Parts): Direct<'pause' | 'resume'> {
  const insert = db.prepare('INSERT OR IGNORE INTO pauses (company, domain, since) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM pauses WHERE company = ? AND domain = ?')
  const keyOf = ({ companyId, domain }: PauseScope) =>
    [companyId === null ? 0 : companies.number(companyId), domain ?? ''] as const
  return {
    pause({ since, ...scope }) {
      insert.run(...keyOf(scope), Math.round(since))
      changes.stops = true
    },

    resume(scope) {
      const ended = remove.run(...keyOf(scope)).changes > 0
      if (ended) changes.stops = true
      return ended
    },
  }
}
