/**
 * Every route of the console: how it is called, and which roles may call it. A new route is a row here:
 *
 *     'PATCH /companies/:company/keys/:key': { may: MANAGES, ids: async (of) => ({ key: await of.key() }), body: { name: 'k' } },
 *
 * tenants.test.ts derives all attempts from a row: each role, a person of another company, ids of another company on
 * the own paths, no session, and a session that has ended.
 */
import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { identityId } from '../../../src/operate/own-identities.ts'
import type { Role } from '../../../src/people/person.ts'
import { inboundMail } from '../../store/contract/inbound-mails.ts'
import { newAddress, newDomainName, type Tenant } from './tenant.ts'
import type { Visitor } from './visitor.ts'

export const ROLES = ['owner', 'developer', 'viewer', 'operator'] as const satisfies readonly (
  | Role
  | 'operator'
)[]
type May = Readonly<Record<(typeof ROLES)[number], boolean>>

/** All roles of the company. */
const SEES: May = { owner: true, developer: true, viewer: true, operator: true }
const MANAGES: May = { ...SEES, viewer: false }
const OWNS: May = { ...MANAGES, developer: false }
const OPERATES: May = { ...OWNS, owner: false }

export interface Row {
  may: May
  /** The other parameters of its path, made anew for each call: objects of this company, or of the caller. */
  ids?(of: Tenant, self: Visitor): Promise<Record<string, string>> | Record<string, string>
  /** Parameters of its path that belong to no company. */
  words?: Record<string, string>
  query?: string | ((parts: Record<string, string>) => string)
  body?: object | ((of: Tenant) => object)
  /** Where an allowed call is not answered with 2xx here, e.g. because there is nothing to do. */
  status?: number
  /** Its answer has no end: that it begins is enough. */
  isEndless?: true
}

const SPAN = '?span=day'
const domain = async (of: Tenant) => ({ domain: await of.otherDomain() })
/** The id of a domain, and its name. */
const named = async (of: Tenant) => {
  const id = await of.otherDomain()
  const { domains } = await of.service.store.accounts()
  return { domain: id, name: domains.find((each) => each.id === id)!.name }
}
/** A picture of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const logo = async ({ company, service: { store } }: Tenant) => {
  await store.setLogo(company.id, 'digest', { type: 'image/png', octets: PICTURE })
  return {}
}
const key = async (of: Tenant) => ({ key: await of.key() })
const webhook = async (of: Tenant) => ({ id: await of.webhook() })
const message = async (of: Tenant) => ({ ...(await webhook(of)), message: `msg_${'0'.repeat(27)}` })
const email = async (of: Tenant) => ({ email: await of.email() })
const scheduled = async (of: Tenant) => ({
  email: await of.email({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }),
})
const someIds = () => ({ ids: [randomUUID()] })
const invitation = async (of: Tenant) => ({ invitation: await of.invitation() })
const returnedMail = async (of: Tenant) => {
  const mail = inboundMail({ emailId: await of.email(), refused: 'kept' })
  await of.service.store.keepInboundMails([{ mail, reports: [] }])
  return { id: mail.id }
}
const apiRequest = async ({ service: { store }, company }: Tenant) => {
  const id = randomUUIDv7()
  const made = { method: 'POST', endpoint: '/emails', status: 200, refused: false, error: null }
  const by = { companyId: company.id, keyId: null, address: '', userAgent: null, duration: null }
  await store.addApiRequests([{ id, at: Date.now(), ...made, ...by, request: null, response: null }])
  return { id }
}
const person = async (of: Tenant) => ({ person: await of.member() })
const sending = async (of: Tenant) => ({ domain: await of.sendingDomain() })
const rotating = async (of: Tenant) => ({ domain: await of.rotatingDomain() })
const dkim = async (of: Tenant) => {
  const [id, selector] = (await of.selector()).split('/')
  return { domain: id!, selector: selector! }
}

/** One of two passkeys of the caller. */
const passkey = async ({ service: { store } }: Tenant, { person: { id } }: Visitor) => {
  const { version, credentials } = (await store.findPerson({ id }))!
  const made = { publicKey: 'x', counter: 0, transports: [], name: 'x', createdAt: Date.now(), usedAt: null }
  const passkeys = [randomUUID(), randomUUID()].map((each) => ({ ...made, id: each }))
  await store.updatePerson(id, version, { credentials: { ...credentials, passkeys } })
  return { id: passkeys[0]!.id }
}
/** An account elsewhere that is connected with the caller's, beside a passkey. */
const identity = async (of: Tenant, self: Visitor) => {
  await passkey(of, self)
  const { store } = of.service
  const { id, version, credentials } = (await store.findPerson({ id: self.person.id }))!
  const made = { issuer: 'https://id.example', subject: randomUUID() }
  await store.updatePerson(id, version, { credentials: { ...credentials, identities: [made] } })
  return { id: identityId(made) }
}
/** Its own, beside that of an owner. */
const membership = async ({ company, service: { store } }: Tenant, { person: { id } }: Visitor) => {
  await store.setMembership(id, company.id, 'viewer')
  return { id: company.id }
}
const PASSKEY = { id: 'x', rawId: 'x', response: {}, type: 'public-key' }

export const ROWS: Readonly<Record<string, Row>> = {
  'GET /session': { may: SEES },
  'DELETE /session': { may: SEES },
  'POST /session/link': { may: SEES, body: { token: 'x' }, status: 404 },
  'POST /session/link/read': { may: SEES, body: { token: 'x' }, status: 404 },
  'POST /session/link/decline': { may: SEES, body: { token: 'x' }, status: 404 },
  'POST /session/password': { may: SEES, body: { address: 'a@b.example', password: 'x' }, status: 401 },
  'POST /session/second-factor': { may: SEES, body: { ticket: 'x', code: 'x' }, status: 401 },
  'POST /session/forgotten': { may: SEES, body: { address: 'a@b.example' }, status: 409 },
  'POST /session/new-password/read': { may: SEES, body: { token: 'x' }, status: 404 },
  'POST /session/new-password': { may: SEES, body: { token: 'x', password: 'x' }, status: 404 },

  'GET /session/ways': { may: SEES, status: 200 },
  'POST /session/oidc': { may: SEES, status: 404 },
  'POST /session/oidc/return': { may: SEES, body: { query: '' }, status: 404 },
  'POST /session/passkey/options': { may: SEES, status: 200 },
  'POST /session/passkey': { may: SEES, body: { response: PASSKEY }, status: 401 },

  'GET /account': { may: SEES },
  'POST /account/passkeys/options': { may: SEES },
  'POST /account/passkeys': { may: SEES, body: { name: 'x', response: PASSKEY }, status: 409 },
  'PATCH /account/passkeys/:id': { may: SEES, ids: passkey, body: { name: 'My laptop' } },
  'DELETE /account/passkeys/:id': { may: SEES, ids: passkey },
  'POST /account/identities/begin': { may: SEES, status: 404 },
  'POST /account/identities': { may: SEES, body: { query: '' }, status: 404 },
  'DELETE /account/identities/:id': { may: SEES, ids: identity },
  'POST /account/memberships/:id': { may: SEES, ids: membership },
  'DELETE /account/memberships/:id': { may: SEES, ids: membership },
  'PATCH /account': { may: SEES, body: { name: 'Ada' } },
  'POST /account/proof': { may: SEES, body: { password: 'x' }, status: 401 },
  'PUT /account/password': { may: SEES, body: { password: 'correct horse battery staple' } },
  'GET /account/sessions': { may: SEES },
  'DELETE /account/sessions/:id': {
    may: SEES,
    ids: async (_of, self) => ({ id: await self.anotherSession() }),
  },
  'DELETE /account/sessions': { may: SEES },
  'POST /account/totp': { may: SEES },
  'PUT /account/totp': { may: SEES, body: { ticket: 'x', code: '000000' }, status: 409 },
  'DELETE /account/totp': { may: SEES, status: 409 },
  'POST /account/recovery-codes': { may: SEES, status: 409 },

  'GET /companies/:company/domains': { may: SEES },
  'POST /companies/:company/domains': { may: MANAGES, body: () => ({ name: newDomainName() }), status: 201 },
  'GET /companies/:company/domains/:domain': { may: SEES, ids: domain },
  'GET /companies/:company/domains/:domain/reports': { may: SEES, ids: domain },
  'PATCH /companies/:company/domains/:domain': { may: MANAGES, ids: domain, body: {} },
  'PUT /companies/:company/domains/:domain/sending': {
    may: OPERATES,
    ids: domain,
    body: { sending: 'active' },
  },
  'DELETE /companies/:company/domains/:domain': { may: MANAGES, ids: domain },
  'GET /companies/:company/domains/:domain/check': {
    may: SEES,
    ids: named,
    query: ({ name }) => `?name=_dmarc.${name}`,
  },
  'GET /companies/:company/domains/:domain/sender': { may: SEES, ids: domain },
  'GET /companies/:company/domains/:domain/zone': { may: SEES, ids: domain },
  'POST /companies/:company/domains/:domain/verify': { may: MANAGES, ids: domain },
  'POST /companies/:company/domains/:domain/dkim': { may: MANAGES, ids: domain, body: { selector: 's9' } },
  'PATCH /companies/:company/domains/:domain/dkim/:selector': {
    may: MANAGES,
    ids: dkim,
    body: { active: true, force: true },
  },
  'DELETE /companies/:company/domains/:domain/dkim/:selector': { may: MANAGES, ids: dkim },
  'POST /companies/:company/domains/:domain/rotation': { may: MANAGES, ids: sending, status: 201 },
  'PUT /companies/:company/domains/:domain/rotation': { may: MANAGES, ids: rotating, body: { force: true } },
  'DELETE /companies/:company/domains/:domain/rotation': { may: MANAGES, ids: rotating },
  'GET /companies/:company': { may: SEES },
  'PUT /companies/:company/name': { may: OWNS, body: { name: 'Other Name' } },
  'PUT /companies/:company/limits': { may: OPERATES, body: { rate: 500 } },
  'GET /companies/:company/logo': { may: SEES, ids: logo },
  'PUT /companies/:company/logo': { may: OWNS, body: { picture: PICTURE.toString('base64') } },
  'DELETE /companies/:company/logo': { may: OWNS, ids: logo },
  'GET /companies/:company/retention': { may: SEES },
  'PUT /companies/:company/retention': { may: OWNS, body: { own: 86_400_000 } },
  'GET /companies/:company/relay': { may: SEES },
  'PUT /companies/:company/relay': { may: OPERATES, body: { url: 'smtp://relay.example' } },
  'DELETE /companies/:company/relay': {
    may: OPERATES,
    async ids(of) {
      await of.routed()
      return {}
    },
  },
  'PUT /companies/:company/domains/:domain/relay': {
    ...{ may: OPERATES, ids: domain, body: { url: 'smtp://relay.example' } },
  },
  'DELETE /companies/:company/domains/:domain/relay': {
    may: OPERATES,
    async ids(of) {
      const id = await of.otherDomain()
      await of.routed(id)
      return { domain: id }
    },
  },

  'GET /companies/:company/emails': { may: SEES },
  'GET /companies/:company/emails/count': { may: SEES },
  'GET /companies/:company/emails/snippets': { may: SEES, query: `?ids=${randomUUID()}` },
  'GET /companies/:company/emails/reasons': { may: SEES, query: `?ids=${randomUUID()}` },
  'GET /companies/:company/emails/unclipped': { may: SEES, query: `?ids=${randomUUID()}` },
  'GET /companies/:company/emails/:email': { may: SEES, ids: email },
  'GET /companies/:company/emails/:email/attempts/:attempt': {
    ...{ may: SEES, ids: email, words: { attempt: '999999999' }, status: 404 },
  },
  'GET /companies/:company/emails/:email/neighbours': { may: SEES, ids: email },
  'GET /companies/:company/emails/:email/content': { may: SEES, ids: email },
  'GET /companies/:company/emails/:email/source': { may: SEES, ids: email },
  'GET /companies/:company/emails/:email/text': { may: SEES, ids: email },
  'GET /companies/:company/emails/:email/source.eml': { may: SEES, ids: email },
  'GET /companies/:company/emails/:email/preview': { may: SEES, ids: email },
  'GET /companies/:company/emails/:email/files/:position': {
    ...{ may: SEES, ids: email, words: { position: '0' }, status: 404 },
  },
  'POST /companies/:company/emails/:email/retry': { may: MANAGES, ids: scheduled },
  'POST /companies/:company/emails/:email/cancel': { may: MANAGES, ids: scheduled },
  'POST /companies/:company/emails/retry': { may: MANAGES, body: someIds },
  'POST /companies/:company/emails/cancel': { may: MANAGES, body: someIds },
  'POST /companies/:company/emails/suppress': { may: MANAGES, body: someIds },
  'POST /companies/:company/emails/delete': { may: MANAGES, body: someIds },
  'POST /companies/:company/emails/clear': { may: MANAGES },
  'POST /companies/:company/emails/:email/release': { may: OPERATES, ids: email, status: 409 },
  'POST /companies/:company/emails/:email/suppress': {
    ...{ may: MANAGES, ids: email, body: { position: 7 }, status: 404 },
  },
  'POST /companies/:company/emails/:email/recipients/retry': {
    ...{ may: MANAGES, ids: scheduled, body: { positions: [0] } },
  },
  'POST /companies/:company/emails/:email/recipients/cancel': {
    ...{ may: MANAGES, ids: scheduled, body: { positions: [0] } },
  },
  'POST /companies/:company/emails/:email/recipients/suppress': {
    ...{ may: MANAGES, ids: email, body: { positions: [0] } },
  },
  'POST /companies/:company/emails/:email/again': {
    ...{ may: MANAGES, ids: email, body: () => ({ click: crypto.randomUUID() }) },
  },
  'POST /companies/:company/emails/:email/reach': { may: MANAGES, ids: email, body: { urls: [] } },
  'GET /leave': { may: SEES, query: '?again=1', status: 404 },
  'GET /companies/:company/live': { may: SEES, isEndless: true },

  'GET /companies/:company/keys': { may: SEES },
  'POST /companies/:company/keys': { may: MANAGES, body: { name: 'k', scopes: ['sending'] } },
  'PATCH /companies/:company/keys/:key': { may: MANAGES, ids: key, body: { name: 'k' } },
  'POST /companies/:company/keys/:key/rotation': {
    may: MANAGES,
    ids: key,
    body: { endsAt: '2099-01-01T00:00:00Z' },
  },
  'DELETE /companies/:company/keys/:key': { may: MANAGES, ids: key },

  'GET /companies/:company/overview/volume': { may: SEES, query: SPAN },
  'GET /companies/:company/overview/latency': { may: SEES, query: SPAN },
  'GET /companies/:company/overview/destinations': { may: SEES, query: SPAN },
  'GET /companies/:company/overview/domains': { may: SEES, query: SPAN },
  'GET /companies/:company/overview/reasons': { may: SEES, query: SPAN },
  'GET /companies/:company/overview/alerts': { may: SEES },
  'GET /companies/:company/overview/backlog': { may: SEES },
  'POST /companies/:company/overview/backlog/retry': { may: MANAGES, body: { domain: null } },

  'GET /companies/:company/setup': { may: SEES },
  'GET /companies/:company/senders': { may: SEES },
  'POST /companies/:company/messages': {
    may: MANAGES,
    body: (of) => ({ from: `a@${of.domain.name}`, to: 'b@x.example', subject: 's', text: 't' }),
  },
  'GET /companies/:company/steps/:step': { may: SEES, words: { step: 'message' } },

  'GET /companies/:company/webhooks': { may: SEES },
  'GET /webhook-words': { may: SEES },
  'POST /companies/:company/webhooks': {
    ...{ may: MANAGES, body: { url: 'https://hook.example/', dialect: 'json', events: [] } },
  },
  'GET /companies/:company/webhooks/:id': { may: SEES, ids: webhook },
  'PATCH /companies/:company/webhooks/:id': { may: MANAGES, ids: webhook, body: { enabled: true } },
  'DELETE /companies/:company/webhooks/:id': { may: MANAGES, ids: webhook },
  'GET /companies/:company/webhooks/:id/secret': { may: MANAGES, ids: webhook },
  'POST /companies/:company/webhooks/:id/secret': { may: MANAGES, ids: webhook },
  'GET /companies/:company/webhooks/:id/attempts': { may: SEES, ids: webhook },
  // Of no event: what becomes of real ones is tried in webhooks.test.ts.
  'GET /companies/:company/webhooks/:id/messages/:message': { may: SEES, ids: message, status: 404 },
  'POST /companies/:company/webhooks/:id/messages/:message/replay': {
    ...{ may: MANAGES, ids: message, status: 404 },
  },
  'POST /companies/:company/webhooks/:id/replay': {
    ...{ may: MANAGES, ids: webhook, body: { since: '2020-01-01T00:00:00Z', what: 'failed' } },
  },
  'POST /companies/:company/webhooks/:id/test': {
    ...{ may: MANAGES, ids: webhook, body: { event: 'email.sent' } },
  },

  'GET /companies/:company/suppressions': { may: SEES },
  'POST /companies/:company/suppressions': {
    ...{ may: MANAGES, body: () => ({ address: newAddress(), type: 'manual' }) },
  },
  'POST /companies/:company/suppressions/remove': { may: MANAGES, body: someIds },
  'DELETE /companies/:company/suppressions/:id': {
    ...{ may: MANAGES, ids: async (of: Tenant) => ({ id: await of.suppression() }) },
  },
  'POST /companies/:company/suppressions/import': {
    ...{ may: MANAGES, body: () => ({ list: 'manual', text: newAddress() }) },
  },
  'GET /companies/:company/suppressions/count': { may: SEES },
  'GET /companies/:company/suppressions/export': { may: SEES },
  'GET /companies/:company/allowed': { may: SEES },
  'POST /companies/:company/allowed': { may: MANAGES, body: () => ({ value: newAddress() }) },
  // A word, and no id: what is there is removed in suppressions.test.ts.
  'DELETE /companies/:company/allowed/:value': {
    ...{ may: MANAGES, words: { value: 'never.example' }, query: '?list=company', status: 404 },
  },

  'GET /companies/:company/team': { may: SEES },
  'POST /companies/:company/team/invitations': {
    ...{ may: OWNS, body: () => ({ address: newAddress(), role: 'viewer' }) },
  },
  'DELETE /companies/:company/team/invitations/:invitation': { may: OWNS, ids: invitation },
  'PATCH /companies/:company/team/:person': { may: OWNS, ids: person, body: { role: 'developer' } },
  'DELETE /companies/:company/team/:person': { may: OWNS, ids: person },
  'GET /companies/:company/requests': { may: SEES },
  'GET /companies/:company/requests/:id': { may: SEES, ids: apiRequest },
  'GET /companies/:company/returned': { may: SEES },
  'GET /companies/:company/returned/:id/source.eml': { may: SEES, ids: returnedMail },
  'GET /companies/:company/audit': { may: MANAGES },
  'GET /companies/:company/audit/export': { may: MANAGES },

  'GET /installation': { may: OPERATES },
  'GET /installation/sites': { may: OPERATES },
  'GET /companies/:company/queue/domains': { may: SEES },
  'GET /companies/:company/queue/quarantine': { may: SEES },
  'GET /installation/queue/companies': { may: OPERATES },
  'GET /installation/queue/sites': { may: OPERATES },
  'POST /installation/queue/release': { may: OPERATES, body: { company: null } },
  'POST /installation/sites/retry': { may: OPERATES, body: { site: 'Google' } },
  'GET /installation/tls-reports': { may: OPERATES },
  'GET /installation/companies': { may: OPERATES, query: SPAN },
  'POST /installation/companies': { may: OPERATES, body: () => ({ name: newAddress() }) },
  'POST /installation/pauses': { may: OPERATES, body: { company: null, domain: 'paused.example' } },
  'POST /installation/pauses/end': {
    may: OPERATES,
    async ids(of) {
      await of.service.store.pause({ companyId: null, domain: 'ended.example', since: 1 })
      return {}
    },
    body: { company: null, domain: 'ended.example' },
  },
  'GET /installation/checks': { may: OPERATES },
  'GET /companies/:company/explanation': { may: SEES, query: '?address=a%40x.example' },
  'POST /installation/rehearsal': { may: OPERATES, body: { address: 'a@x.example' } },
  'GET /installation/steps/:step': { may: OPERATES, words: { step: 'backup' } },
  'GET /installation/people': { may: OPERATES },
  'POST /installation/people': { may: OPERATES, body: () => ({ address: newAddress() }) },
  'PATCH /installation/people/:person': { may: OPERATES, ids: person, body: { operator: true } },
  'DELETE /installation/people/:person': { may: OPERATES, ids: person },
  'POST /installation/people/:person/link': { may: OPERATES, ids: person },
}
