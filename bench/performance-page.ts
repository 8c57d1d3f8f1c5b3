/** Fills the figures of docs/performance.md from bench/results. */
import { performancePage } from './results.ts'

performancePage.write()
