import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Campaign } from '../../chaos/campaign.ts'
import { DEFAULTS } from '../../chaos/options.ts'
import { defects, reportText } from '../../chaos/report.ts'

export interface Bounded {
  database: 'sqlite' | 'postgres'
  /** Kinds that have to meet somebody at least. */
  striking: number
}

/** The bounded form of `npm run chaos`: faults of all kinds for less than half a minute. Fails with the whole report. */
export async function strike(t: TestContext, { database, striking }: Bounded): Promise<void> {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.diagnostic(`seed ${seed}: npm run chaos -- --database ${database} --seed ${seed} --every 0.8 --rate 30`)
  const campaign = new Campaign({
    ...DEFAULTS,
    database,
    minutes: 25 / 60,
    seed,
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
