import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Campaign } from '../../chaos/campaign.ts'
import { DEFAULTS } from '../../chaos/options.ts'
import { defects, reportText } from '../../chaos/report.ts'

export interface Bounded {
  database: 'sqlite' | 'postgres'
  /** Kinds that have to hit at least one message. */
  striking: number
}

/** Always the same faults and messages, and few: `npm run nightly` goes on at random. */
const SEED = 8
const SECONDS = 25

/** The bounded form of `npm run chaos`: faults of all kinds. Fails with the whole report. */
export async function strike(t: TestContext, { database, striking }: Bounded): Promise<void> {
  t.diagnostic(`npm run chaos -- --database ${database} --seed ${SEED} --every 0.8 --rate 30`)
  const campaign = new Campaign({
    ...DEFAULTS,
    database,
    minutes: SECONDS / 60,
    seed: SEED,
    rate: 30,
    every: 0.8,
    faults: null,
    keep: null,
    onProgress: (line) => t.diagnostic(line),
  })
  t.signal.addEventListener('abort', () => campaign.interrupt())
  const report = await campaign.run()
  t.diagnostic(reportText(report))
  assert.deepEqual(defects(report), [], reportText(report))
  assert.ok(report.messages.accepted > 0, 'no message was accepted')
  const struck = Object.values(report.faults).filter((kind) => kind.struck > 0).length
  assert.ok(struck >= striking, `hardly a fault struck: ${struck} kinds`)
}
