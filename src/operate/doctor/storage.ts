/** The room on the disk of the database. */
import type { Operation } from '../verb.ts'
import { type CheckResult, ok, type PlannedCheck, problem, unknown, warning } from './check.ts'

const GIB = 1_024 ** 3
/** Octets below which the disk may be full within hours. */
const LITTLE_ROOM = GIB
const SOME_ROOM = 5 * GIB

const ADVICE =
  'Make room, or keep mail for a shorter time: POSTROAD_RETENTION_CONTENT and POSTROAD_RETENTION_EMAILS.'

export function diskCheck(op: Operation): PlannedCheck {
  return { id: 'disk', title: 'Disk', run: () => result(op) }
}

async function result({ store }: Operation): Promise<CheckResult> {
  const { free } = await store.storage()
  if (free === null) {
    return unknown(
      'Postroad cannot see the free disk space of the database server.',
      'Watch it with the tools of that server.',
    )
  }
  const found = `${(free / GIB).toFixed(1)} GiB are free beside the database.`
  if (free < LITTLE_ROOM) return problem(found, ADVICE)
  return free < SOME_ROOM ? warning(found, ADVICE) : ok(found)
}
