/** MAIL FROM of a delivery, as servers see it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '../../src/delivery/delivery.ts'
import { isForDomain, ReturnPathKey, readReturnPath } from '../../src/mail/return-path/return-path.ts'
import { content, emailSent, relayAt, startRig, startSinks } from './route/rig.ts'

const EMAIL_ID = '0198f7d2-5c1b-7c2e-9d55-3b7a1f3a0c11'
const returnPaths = new ReturnPathKey(Buffer.alloc(32, 7))
const email: Delivery['email'] = { ...emailSent, id: EMAIL_ID, returnPathHost: 'bounces.acme.test' }

function read(address: string) {
  const read = readReturnPath(returnPaths, address, emailSent.createdAt)
  assert.ok(read !== null && typeof read === 'object', address)
  return [read.emailId, read.recipient]
}

/** Which of these domains the return path was made for. */
function domainsIn(address: string, domains: string[]): string[] {
  const read = readReturnPath(returnPaths, address, emailSent.createdAt)
  assert.ok(read !== null && typeof read === 'object', address)
  return domains.filter((domain) => isForDomain(returnPaths, read, domain))
}

test('names the email, in one transaction for all recipients, and is the same at each attempt', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { deliver } = await startRig(t, relayAt(sinks.port), {}, { returnPaths })
  await deliver(['jane@x.test', 'joe@y.test'], { email })
  const first = await sinks.at('127.0.0.1').next()
  assert.deepEqual(first.recipients, ['jane@x.test', 'joe@y.test'])
  assert.deepEqual(read(first.sender), [EMAIL_ID, null])
  assert.ok(first.sender.endsWith('@bounces.acme.test'))
  await deliver(['joe@y.test'], { email })
  assert.equal((await sinks.at('127.0.0.1').next()).sender, first.sender)
})

test('names the domain of the recipients if each domain has its own transaction', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const zone = { 'x.test/MX': ['10 mx.x.test'], 'y.test/MX': ['10 mx.x.test'], 'mx.x.test/A': ['127.0.0.1'] }
  const { deliver } = await startRig(t, { kind: 'direct' }, zone, { returnPaths, smtpPort: sinks.port })
  const senders: string[] = []
  for (const to of [['jane@x.test', 'jim@x.test'], ['joe@y.test'], ['jim@x.test']]) {
    await deliver(to, { email })
    senders.push((await sinks.at('127.0.0.1').next()).sender)
  }
  assert.deepEqual(read(senders[0]!), [EMAIL_ID, null])
  assert.equal(senders[2], senders[0])
  const domains = senders.slice(0, 2).map((sender) => domainsIn(sender, ['x.test', 'y.test']))
  assert.deepEqual(domains, [['x.test'], ['y.test']])
})

test('names the recipient of a copy in batch sending', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { deliver } = await startRig(t, relayAt(sinks.port), {}, { returnPaths })
  const addressee = { address: 'joe@y.test', name: '', variables: {} }
  const recipients = [{ position: 41, address: 'joe@y.test', attempts: 0 }]
  await deliver(['joe@y.test'], { email, recipients, message: { kind: 'parts', content, addressee } })
  assert.deepEqual(read((await sinks.at('127.0.0.1').next()).sender), [EMAIL_ID, 41])
})

test('is the address of the author without a return path', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { deliver } = await startRig(t, relayAt(sinks.port), {}, { returnPaths })
  await deliver(['jane@x.test'])
  assert.equal((await sinks.at('127.0.0.1').next()).sender, emailSent.sender)
})

test('ENVID has the code of the return path at each attempt, for servers that offer DSN, and without a return path too', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': { offers: ['PIPELINING', 'DSN'] } })
  const { deliver } = await startRig(t, relayAt(sinks.port), {}, { returnPaths })
  const envids: string[] = []
  for (const sent of [email, email, { ...email, returnPathHost: null }]) {
    await deliver(['jane@x.test'], { email: sent })
    const { mailParameters, sender } = await sinks.at('127.0.0.1').next()
    const [, envid] = /^RET=HDRS ENVID=(\S+)$/.exec(mailParameters) ?? assert.fail(mailParameters)
    if (sent.returnPathHost !== null) assert.equal(sender, `${envid}@bounces.acme.test`)
    else assert.equal(sender, emailSent.sender)
    envids.push(envid!)
  }
  assert.equal(new Set(envids).size, 1)
  assert.deepEqual(read(`${envids[0]}@x.test`), [EMAIL_ID, null])
})
