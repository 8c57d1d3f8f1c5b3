/** The stored results of a soak run. */
import type { Provenance } from '../../harness/results.ts'
import type { Judged } from './series.ts'
import type { SoakEnd, SoakSample } from './soak-run.ts'

export interface SoakReport extends Provenance {
  cpus: string
  database: string
  nodes: number
  minutes: number
  /** Messages a second. */
  rate: number
  /** Messages delivered per second just before, at full load: the rate is half of it. Null: an option set the rate. */
  full?: number | null
  settings?: Record<string, string>
  seed: number
  passed: boolean
  /** The queue came back to zero. */
  drained: boolean
  /** Warnings of Node.js about too many listeners. */
  warnings: number
  end: SoakEnd & { lost: number }
  judged: Judged[]
  samples: SoakSample[]
}
