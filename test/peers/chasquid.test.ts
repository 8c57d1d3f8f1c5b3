/** Bounces of chasquid, which are of the types of RFC 6533. */
import { after, before, describe, test } from 'node:test'
import { chasquidAddresses as at, Chasquid } from './chasquid.ts'
import { missing } from './jail.ts'
import { RETURNED, Reports } from './reports.ts'
import { Stage } from './stage.ts'

const skip = missing('chasquid') ?? false
if (skip) process.stderr.write(`NOT TESTED with chasquid: ${skip}\n`)

describe('chasquid', { skip }, () => {
  let stage: Stage<Chasquid>
  before(async () => {
    stage = await Stage.set(Chasquid.start, at.plain, [RETURNED])
  })
  after(() => stage?.[Symbol.asyncDispose]())

  test('its bounces are read', async () => {
    const reports = new Reports(stage, at.plain)
    const failed = { kind: 'bounce', action: 'failed' } as const
    await reports.expect('gone@good.test', 'failure', {
      ...failed,
      address: 'gone@good.test',
      permanent: true,
      category: 'address_unknown',
    })
    await reports.expect('full@good.test', 'failure', {
      ...failed,
      address: 'full@good.test',
      permanent: false,
      category: 'mailbox_full',
    })
  })
})
