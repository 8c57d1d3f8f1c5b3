/** Fills the runs of docs/reliability.md from chaos/results. */
import { reliabilityPage } from './results.ts'

reliabilityPage.write()
