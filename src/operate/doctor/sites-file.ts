/** The operator's sites file: with a fault in it, nodes keep the limits from before, and none starts. */
import { openUsableSites } from '../../delivery/sites/sites-file.ts'
import type { Operation } from '../verb.ts'
import { ok, type PlannedCheck, problem } from './check.ts'

export function sitesFileCheck({ setup }: Operation): PlannedCheck[] {
  if (setup.sites === null) return []
  return [
    {
      id: 'sites-file',
      title: 'Sites file',
      async run() {
        const { fault } = openUsableSites(setup)
        if (fault === null) return ok(`${setup.sites} is in force.`)
        return problem(
          `${fault}.`,
          'Correct the file. Until then the limits from before stay in force, and a node that restarts does not start.',
        )
      },
    },
  ]
}
