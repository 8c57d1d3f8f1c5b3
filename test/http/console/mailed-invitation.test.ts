/** With POSTROAD_SYSTEM_FROM, invitations are mailed through the service itself, and people choose their alerts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bounce } from '../../../harness/returned-mail.ts'
import type { Company } from '../../../src/accounts/account.ts'
import { parseDelivery } from '../../../src/config/parse/delivery.ts'
import { StoreUnavailable } from '../../../src/store/store.ts'
import { type Service, startService } from '../../support/service.ts'
import { type Sink, startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'
import type { Reply } from '../requests.ts'
import { Newcomer } from './newcomer.ts'
import { Tenant } from './tenant.ts'
import { Visitor } from './visitor.ts'

const ok = (reply: Reply, status = 200) => assert.equal(reply.status, status, reply.text)

let sink: Sink
let service: Service
let tenant: Tenant
let operators: Company
before(async () => {
  sink = await startSink()
  service = await startService({
    delivery: parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`),
    systemFrom: 'postroad@ops.example',
    publicUrl: 'https://post.example',
  })
  tenant = await Tenant.make(service, 'Gamma')
})
after(async () => {
  await service?.close()
  await sink?.close()
})

interface Invited {
  link: string
  mailed: boolean
  nextMailAt: string | null
}

async function invited(address: string, by = tenant): Promise<Invited> {
  const owner = await by.visitor('owner')
  const made = await owner.ask('POST', `/companies/${by.company.id}/team/invitations`, {
    address,
    role: 'viewer',
  })
  ok(made, 201)
  return made.body as unknown as Invited
}

test('while no domain sends for the service, the link is only shown, and no mail is counted', async () => {
  for (let time = 0; time < 5; time++) {
    const { link, mailed, nextMailAt } = await invited('first@people.example')
    assert.deepEqual([mailed, nextMailAt], [false, null])
    assert.match(link, /#token=/)
  }
})

test('an invitation is mailed with its link', async () => {
  operators = await service.company('Operators')
  await service.domain(operators.id, 'ops.example')
  const { link, mailed } = await invited('ada@people.example')
  assert.equal(mailed, true)
  const text = await mailTo('ada@people.example')
  assert.match(text, /^Subject: Invitation to Gamma\r$/m)
  assert.ok(text.includes(`accept the invitation: ${link}\r\n`), text)
  // The address of an inviter is unproven, so only the page of the link shows it.
  assert.match(text, /^You are invited to Gamma on Postroad\.\r$/m)
  const token = link.split('#token=')[1]!
  const read = await new Newcomer(service.url).post('/session/link/read', { token })
  assert.equal((read.body as { kind: string }).kind, 'invitation', read.text)
})

async function mailTo(address: string): Promise<string> {
  const isTo = ({ recipients }: { recipients: readonly string[] }) => recipients.includes(address)
  return decoded((await until(() => sink.messages.find(isTo), 'the mail')).raw.toString())
}

/** Quoted-printable, as far as this mail needs it. */
function decoded(text: string): string {
  return text.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
}

test('the link is hidden from readers of the service’s stored mail', async () => {
  const { link } = await invited('owner-to-be@people.example')
  const text = await mailTo('owner-to-be@people.example')
  assert.ok(text.includes(link))
  const token = link.split('#token=')[1]!
  const [email] = await service.store.listEmails({ companyId: operators.id, limit: 1 })
  assert.deepEqual(email!.to, ['owner-to-be@people.example'])
  const key = await service.key(operators.id, { scopes: ['sending', 'reading', 'management'] })
  const api = async (path: string) => {
    const headers = { authorization: `Bearer ${key.token}` }
    const answer = await fetch(`${service.url}${path}`, { headers })
    const body = await answer.text()
    assert.equal(answer.status, 200, body)
    return body
  }
  const seen = [await api(`/emails/${email!.id}`)]
  assert.ok(seen[0]!.includes('accept the invitation'))
  const reader = await Visitor.signIn(service, [{ companyId: operators.id, role: 'developer' }])
  const at = `/companies/${operators.id}/emails`
  for (const part of ['', '/content', '/source', '/raw', '/preview']) {
    seen.push((await reader.ask('GET', `${at}/${email!.id}${part}`)).text)
  }
  assert.ok(seen.some((each) => each.includes('%recipient.postroad:invitation_token%')))
  for (const each of seen) assert.ok(!decoded(each).includes(token), each)
  const found = await reader.ask('GET', `${at}?q=${token}`)
  assert.ok(!found.text.includes(email!.id), found.text)
  assert.ok(!JSON.stringify(await service.store.readWork(email!.id)).includes(token))
})

test('the link is not kept with a bounce that returns the mail', async () => {
  const { link } = await invited('gone@people.example')
  const sent = await mailTo('gone@people.example')
  const token = link.split('#token=')[1]!
  assert.ok(sent.includes(token))
  const messageId = /^Message-ID: (\S+)\r$/im.exec(sent)![1]!
  const returned = bounce({ to: 'gone@people.example', messageId, author: 'postroad@ops.example' })
  const whole = Buffer.from(sent).toString('base64')
  const parts = [
    `Content-Type: message/rfc822\r\n\r\n${sent}`,
    `Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n${whole}`,
  ]
  const body = returned.replace('--b--', () => `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--`)
  const key = await service.key(operators.id, { scopes: ['sending', 'reading', 'management'] })
  const headers = { authorization: `Bearer ${key.token}`, 'content-type': 'message/rfc822' }
  const answer = await fetch(`${service.url}/inbound/mail`, { method: 'POST', headers, body })
  const { id, email_id, kind } = (await answer.json()) as { id: string; email_id: string; kind: string }
  const [email] = await service.store.listEmails({ companyId: operators.id, limit: 1 })
  assert.deepEqual([answer.status, kind, email_id], [200, 'bounce', email!.id])
  const [kept] = await service.store.inboundMails({ companyId: operators.id, id, limit: 1 })
  assert.match(kept!.findings[0]!.message, /User unknown/)
  assert.deepEqual([kept!.kept, kept!.size], [0, Buffer.byteLength(body)])
  assert.equal((await service.store.readInboundMail(id))!.byteLength, 0)
})

test('a name that a mail program makes a link of gives way to the name that the operator gave', async () => {
  const owner = await tenant.visitor('owner')
  const renamed = await owner.ask('PUT', `/companies/${tenant.company.id}/name`, {
    name: 'Pay now: evil.example',
  })
  ok(renamed)
  await invited('eve@people.example')
  const [email] = await service.store.listEmails({ companyId: operators.id, limit: 1 })
  assert.deepEqual([email!.to, email!.subject], [['eve@people.example'], 'Invitation to Gamma'])
  const { text } = (await service.store.readContent(email!.id, 10_000))!
  assert.ok(!text!.beginning.includes('evil.example'), text!.beginning)
})

test('an address that is invited again and again gets three mails, and each invitation is made', async () => {
  const many: Invited[] = []
  for (const label of ['', '+1', '+2', '+3', '']) many.push(await invited(`flood${label}@people.example`))
  assert.deepEqual(
    many.map(({ mailed }) => mailed),
    [true, true, true, false, false],
  )
  for (const { link, mailed, nextMailAt } of many) {
    assert.match(link, /#token=/)
    assert.equal(nextMailAt === null, mailed)
    if (nextMailAt !== null) assert.ok(Date.parse(nextMailAt) > Date.now())
  }
  const open = await service.store.invitations(tenant.company.id, Date.now())
  assert.equal(open.filter(({ address }) => address.startsWith('flood')).length, 4)
  // Another company may invite the same person.
  const other = await Tenant.make(service, 'Delta')
  assert.equal((await invited('flood@people.example', other)).mailed, true)
})

test('an invitation that cannot be counted, or taken back, is made and not mailed', async (t) => {
  const away = async () => {
    throw new StoreUnavailable('away')
  }
  const counts = t.mock.method(service.store, 'beginAttempt', away)
  const unmailed = await invited('uncounted@people.example')
  counts.mock.restore()
  assert.deepEqual([unmailed.mailed, unmailed.nextMailAt], [false, null])
  t.mock.method(service.store, 'accept', away)
  const back = t.mock.method(service.store, 'takeBackAttempt', away)
  const unsent = await invited('unsent@people.example')
  assert.deepEqual([unsent.mailed, unsent.nextMailAt], [false, null])
  assert.equal(back.mock.callCount(), 1)
  const open = await service.store.invitations(tenant.company.id, Date.now())
  assert.equal(open.filter(({ address }) => address.startsWith('un')).length, 2)
})

test('a company mails fifty invitations at once, and none of another company waits for them', async () => {
  const busy = await Tenant.make(service, 'Busy')
  const mailed: boolean[] = []
  for (let n = 0; n < 51; n++) mailed.push((await invited(`one${n}@people.example`, busy)).mailed)
  assert.deepEqual([mailed.filter(Boolean).length, mailed.at(-1)], [50, false])
  const other = await Tenant.make(service, 'Quiet')
  assert.equal((await invited('quiet@people.example', other)).mailed, true)
})

test('in capture mode nothing is mailed, because others read captured mail', async (t) => {
  const capturing = await startService({ systemFrom: 'postroad@ops.example' })
  t.after(() => capturing.close())
  const { company } = await capturing.tenant('ops.example')
  const owner = await Visitor.signIn(capturing, [{ companyId: company.id, role: 'owner' }])
  const body = { address: 'ada@people.example', role: 'viewer' }
  const made = await owner.ask('POST', `/companies/${company.id}/team/invitations`, body)
  ok(made, 201)
  assert.equal((made.body as unknown as Invited).mailed, false)
  assert.deepEqual(await capturing.store.listEmails({ companyId: company.id, limit: 1 }), [])
})

test('a person chooses which alerts to get', async () => {
  const visitor = await tenant.visitor('viewer')
  const changed = await visitor.ask('PATCH', '/account', { alerts: ['rates', 'domains', 'rates'] })
  ok(changed)
  const { person, installation } = changed.body as {
    person: { alerts: string[] }
    installation: { mails: boolean }
  }
  assert.deepEqual([person.alerts, installation.mails], [['domains', 'rates'], true])
  assert.deepEqual((await service.store.findPerson({ id: visitor.person.id }))!.alerts, ['domains', 'rates'])
  assert.equal((await visitor.ask('PATCH', '/account', { alerts: ['weather'] })).status, 422)
})
