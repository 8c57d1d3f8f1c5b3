/** The simulator as clients of both dialects see it: a simulated complaint is on the list of complaints. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Resend } from 'resend'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { newestClient } from './form/clients.ts'

const DOMAIN = 'rehearsal.test'

describe('simulated complaints', () => {
  let service: Service
  let resend: Resend
  let mg: ReturnType<typeof newestClient>

  before(async () => {
    // Mail that left would find no server for its domain, and bounce.
    service = await startService({ delivery: { kind: 'direct' }, dnsServers: ['127.0.0.1:9'] })
    const { company } = await service.tenant(DOMAIN)
    const { token } = await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })
    resend = new Resend(token, { baseUrl: service.url })
    mg = newestClient(service.url, token)
  })
  after(() => service.close())

  const lastEvent = (id: string) => async () =>
    (await resend.emails.get(id)).data?.last_event === 'complained'

  for (const address of ['complained+a@simulator.test', 'Complained+b@resend.dev']) {
    test(`mail to ${address} ends in an event and an entry, and may be repeated`, async () => {
      for (const subject of ['once', 'again']) {
        const { data } = await resend.emails.send({ from: `a@${DOMAIN}`, to: address, subject, text: 't' })
        await until(lastEvent(data!.id), 'the complaint')
      }
      const entry = await mg.suppressions.get(DOMAIN, 'complaints', address)
      assert.equal('address' in entry && entry.address, address)
      const { data } = await resend.suppressions.list()
      const listed = data!.data.find(({ email }) => email === address)
      assert.equal(listed?.origin, 'complaint')
      const events = await mg.events.get(DOMAIN, { event: 'complained', recipient: address })
      assert.equal(events.items.length, 2)
    })
  }
})
