/** The facts about SMTP in a session: the addresses for programs, or the setting that turns SMTP on. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freePort } from '../../../harness/free-port.ts'
import { parseDelivery } from '../../../src/config/parse/delivery.ts'
import type { Settings } from '../../../src/config/settings.ts'
import { STARTTLS } from '../../submission/rig.ts'
import { startService } from '../../support/service.ts'
import { Visitor } from './visitor.ts'

const ANYWHERE = { host: '0.0.0.0', port: 0 }
const DELIVERS = { delivery: parseDelivery('smtp://relay.example') }

describe('SMTP in the session of the console', () => {
  async function told(settings: Partial<Settings>) {
    await using service = await startService(settings)
    const { company } = await service.tenant('acme.example')
    const operator = await Visitor.signIn(service, 'operator')
    const member = await Visitor.signIn(service, [{ companyId: company.id, role: 'viewer' }])
    const read = async (who: Visitor) => {
      const { body } = await who.ask('GET', '/session')
      return (body as { installation: { smtp: { inbox: string | null }[]; smtpSuggestion: object | null } })
        .installation
    }
    const oldest = service.app.store.accounts().then(({ companies }) => companies[0]!.id)
    return { operator: await read(operator), member: await read(member), oldest: await oldest }
  }

  test('an address without a login names the company of its inbox, to people who may see that company', async () => {
    const port = await freePort()
    const { operator, member, oldest } = await told({
      submission: [{ ...STARTTLS, port, withoutLogin: true }],
    })
    const endpoint = { host: '127.0.0.1', port, security: 'none' }
    assert.deepEqual(operator.smtp, [{ ...endpoint, inbox: oldest }])
    assert.deepEqual(member.smtp, [{ ...endpoint, inbox: null }])
    assert.equal(operator.smtpSuggestion, null)
  })

  for (const [what, settings, setting, note] of [
    ['capture mode on this machine', {}, 'smtp://127.0.0.1:1026?login=off', null],
    ['capture mode for others', { listen: ANYWHERE }, 'smtp://0.0.0.0:1025?login=off', 'open'],
    ['delivery on this machine', DELIVERS, 'smtp://127.0.0.1:2587', null],
    ['delivery for others', { ...DELIVERS, listen: ANYWHERE }, 'smtps://0.0.0.0:465', 'certificate'],
  ] as const) {
    test(`${what} has a setting that turns it on`, async () => {
      const { operator } = await told(settings)
      const { setting: given, note: noted } = operator.smtpSuggestion as { setting: string; note: string }
      assert.deepEqual([given, noted], [`POSTROAD_SUBMISSION_LISTEN=${setting}`, note])
      assert.deepEqual(operator.smtp, [])
    })
  }
})
