/** Mail servers of others whose login at Postroad fails: what they have taken waits until it works. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import nodemailer from 'nodemailer'
import { freePort } from '../../harness/free-port.ts'
import { DOMAIN, startRig } from '../submission/rig.ts'
import { missing } from './jail.ts'
import { RELAYS } from './relays.ts'

const PATIENCE = 60_000
const PASSWORD = 'plum-and-quince-42'

for (const [index, { name, server, start }] of RELAYS.entries()) {
  const skip = missing(server) ?? false
  if (skip) process.stderr.write(`NOT TESTED: ${name} as a client: ${skip}\n`)

  test(`${name} keeps its mail while its login is refused`, { skip }, async () => {
    await using rig = await startRig()
    const host = `127.0.29.${index + 1}`
    const listenAt = await freePort(host)
    const { port, certificate } = rig
    /** A relay may also send a notice that the message is delayed. */
    const arrived = async () => {
      const emails = await rig.service.store.listEmails({ companyId: rig.companyId, limit: 10 })
      return emails.filter(({ subject }) => subject === 'It waited')
    }
    await using relay = await start({ port, password: PASSWORD, certificate, host, listenAt })
    const until = async (what: string, look: () => boolean | Promise<boolean>) => {
      for (const end = performance.now() + PATIENCE; !(await look()); await pause(50))
        assert.ok(performance.now() < end, `${what}:\n${relay.log.slice(-6_000)}`)
    }
    const transport = nodemailer.createTransport({ host, port: listenAt, ignoreTLS: true })
    const mail = { from: `a@${DOMAIN}`, to: 'b@x.test', subject: 'It waited', text: 't' }
    await transport.sendMail({ ...mail, envelope: { from: 'ann@sender.test', to: 'b@x.test' } })
    await until('the refusal', () => /535[ -]5\.7\.8/.test(relay.log))

    const { token } = await rig.service.key(rig.companyId, { scopes: ['management', 'reading', 'sending'] })
    const making = https.request(`${rig.service.url}/v3/domains/${DOMAIN}/credentials`, {
      method: 'POST',
      auth: `api:${token}`,
      ca: certificate.cert,
      servername: 'localhost',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    making.end(String(new URLSearchParams({ login: 'postmaster', password: PASSWORD })))
    const [made] = (await once(making, 'response')) as [IncomingMessage]
    made.resume()
    assert.equal(made.statusCode, 200)
    await until('the message', async () => {
      if ((await arrived()).length > 0) return true
      await relay.retry()
      return false
    })
    assert.equal((await arrived()).length, 1)
  })
}
