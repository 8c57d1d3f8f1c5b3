import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Scope } from '../../src/accounts/account.ts'
import { messageId } from '../../src/events/webhooks/message-id.ts'
import { addAllowed, removeAllowed } from '../../src/operate/allow-list.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import { createCompany, limitCompany, showCompany } from '../../src/operate/companies.ts'
import { setContentRetention } from '../../src/operate/content-retention.ts'
import { addDkimKey, removeDkimKey, switchDkimKey } from '../../src/operate/dkim-keys.ts'
import { cancelDkimRotation, rotateDkimKey } from '../../src/operate/dkim-rotation.ts'
import { verifyDomain } from '../../src/operate/domain-verification.ts'
import {
  activateDomain,
  addDomain,
  removeDomain,
  showDomain,
  suspendDomain,
  updateDomain,
} from '../../src/operate/domains.ts'
import {
  cancelEmail,
  cancelScheduled,
  rescheduleEmail,
  searchEmails,
  showEmail,
} from '../../src/operate/emails.ts'
import {
  asOperateError,
  type Hint,
  OPERATE_CODES,
  type OperateCode,
  OperateError,
} from '../../src/operate/error.ts'
import { followEvents, listEvents } from '../../src/operate/events.ts'
import { createKey, renameKey, revokeKey, rotateKey } from '../../src/operate/keys.ts'
import { backUp, migrate } from '../../src/operate/maintenance.ts'
import { migrateData } from '../../src/operate/migrate-data.ts'
import { openOperation } from '../../src/operate/open.ts'
import { showVolume, showVolumeByDomain } from '../../src/operate/overview.ts'
import { pause, resume } from '../../src/operate/pauses.ts'
import { releaseQuarantined } from '../../src/operate/quarantine.ts'
import { retry, showQueue } from '../../src/operate/queue.ts'
import { rawCopies } from '../../src/operate/raw-copies.ts'
import { removeRoute, setRoute } from '../../src/operate/routes.ts'
import { showSite } from '../../src/operate/sites.ts'
import {
  addSuppression,
  findSuppression,
  removeSuppression,
  removeUnsubscribedTag,
} from '../../src/operate/suppressions.ts'
import { describeTag } from '../../src/operate/tags.ts'
import { type Operation, verb } from '../../src/operate/verb.ts'
import { listWebhookEvents, replayWebhook, showWebhookEvent } from '../../src/operate/webhook-events.ts'
import { replayFailed, replayMessage } from '../../src/operate/webhook-replay.ts'
import { testWebhook } from '../../src/operate/webhook-sample.ts'
import { rotateWebhookSecret } from '../../src/operate/webhook-secrets.ts'
import { addWebhook, removeWebhook, showWebhook, updateWebhook } from '../../src/operate/webhooks.ts'
import { StoreConflict, StoreDamaged, StoreUnavailable } from '../../src/store/store.ts'
import { World } from './world.ts'

let world: World
before(async () => {
  world = await World.make()
})
after(() => world[Symbol.asyncDispose]())

const NOWHERE = '019a9b2c-0000-7000-8000-ffffffffffff'

/** `hint`: the verb that the error suggests; null: it suggests none. */
type Case = [
  what: string,
  code: OperateCode,
  hint: Hint['verb'] | null,
  call: (op: Operation) => Promise<unknown>,
]

const address = 'a@x.test'
const SHORT_KEY = String(
  generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
)
const reason = 'asked'
const url = 'https://a.test/hook'
const CASES: Case[] = [
  ['a company without a name', 'invalid', null, (op) => createCompany(op, { name: ' \t' })],
  ['a company with a name too long', 'invalid', null, (op) => createCompany(op, { name: 'x'.repeat(201) })],
  [
    'a company of that name twice',
    'already_exists',
    'showCompany',
    (op) => createCompany(op, { name: ' Acme ' }),
  ],
  [
    'emails of a key that nobody has',
    'not_found',
    'listKeys',
    (op) => searchEmails(op, { key: 'nothing', limit: 1 }),
  ],
  [
    'emails of one of several keys',
    'conflict',
    'listKeys',
    async (op) => {
      for (const _ of [1, 2]) await createKey(op, { company: 'Acme', name: 'twin' })
      const accounts = await op.store.accounts()
      return searchEmails({ ...op, accounts }, { key: 'Twin', limit: 1 })
    },
  ],
  [
    'the volume of a domain of nobody',
    'not_found',
    'addDomain',
    (op) => showVolume(op, { domain: 'nobody.test', span: 'day' }),
  ],
  [
    'the volume of the domains of no company',
    'invalid',
    'listCompanies',
    (op) => showVolumeByDomain(op, { span: 'day' }),
  ],
  ['an unknown company', 'not_found', 'listCompanies', (op) => showCompany(op, { company: 'X' })],
  [
    'a DKIM key without a selector',
    'invalid',
    null,
    (op) => addDkimKey(op, { domain: 'acme.test', selector: 'a_b' }),
  ],
  [
    'a DKIM key that is none',
    'invalid',
    null,
    (op) => addDkimKey(op, { domain: 'acme.test', selector: 's', pem: 'x' }),
  ],
  [
    'a DKIM key that is too short',
    'invalid',
    null,
    (op) => addDkimKey(op, { domain: 'acme.test', selector: 's', pem: SHORT_KEY }),
  ],
  [
    'an unknown DKIM key',
    'not_found',
    null,
    (op) => removeDkimKey(op, { domain: 'acme.test', selector: 'nothing' }),
  ],
  [
    'the last DKIM key',
    'conflict',
    null,
    async (op) => {
      const { domain } = await showDomain(op, { domain: 'acme.test' })
      return switchDkimKey(op, { domain: domain.id, selector: domain.dkim[0]!.selector, active: false })
    },
  ],
  [
    'a DKIM key that DNS lacks',
    'unconfirmed',
    null,
    async (op) => {
      await addDkimKey(op, { domain: 'acme.test', selector: 'lacking' })
      const then = { ...op, accounts: await op.store.accounts() }
      return await switchDkimKey(then, { domain: 'acme.test', selector: 'lacking', active: true })
    },
  ],
  [
    'a rotation of a domain that has not sent',
    'conflict',
    'showDomain',
    async (op) => {
      await addDomain(op, { company: 'Acme', name: 'silent.test' })
      return await rotateDkimKey({ ...op, accounts: await op.store.accounts() }, { domain: 'silent.test' })
    },
  ],
  [
    'the end of no rotation',
    'nothing_to_do',
    'rotateDkimKey',
    (op) => cancelDkimRotation(op, { domain: 'acme.test' }),
  ],
  [
    'a rotation beside one that waits',
    'conflict',
    'showDomain',
    async (op) => {
      await activateDomain(op, { domain: 'beta.test' })
      const active = { ...op, accounts: await op.store.accounts() }
      await rotateDkimKey(active, { domain: 'beta.test' })
      return await rotateDkimKey({ ...op, accounts: await op.store.accounts() }, { domain: 'beta.test' })
    },
  ],
  [
    'two rotations at once',
    'conflict',
    'showDomain',
    async (op) => {
      await activateDomain(op, { domain: 'other.acme.test' })
      const active = { ...op, accounts: await op.store.accounts() }
      const rotate = () => rotateDkimKey(active, { domain: 'other.acme.test' })
      return await Promise.all([rotate(), rotate()])
    },
  ],
  [
    'a description of a tag that is too long',
    'invalid',
    null,
    (op) => describeTag(op, { domain: 'acme.test', tag: 'news', description: 'x'.repeat(1_001) }),
  ],
  ['a domain that is none', 'invalid', null, (op) => addDomain(op, { company: 'Acme', name: 'no domain' })],
  [
    'a domain of nobody',
    'not_found',
    'listCompanies',
    (op) => addDomain(op, { company: 'X', name: 'x.test' }),
  ],
  [
    'a domain twice',
    'already_exists',
    'showDomain',
    (op) => addDomain(op, { company: 'Beta', name: 'ACME.test' }),
  ],
  [
    'a domain that is to speak for one of nobody',
    'not_found',
    'addDomain',
    (op) => updateDomain(op, { domain: 'acme.test', speaksFor: ['nobody.test'] }),
  ],
  [
    'a domain that is to speak for another company',
    'invalid',
    'listDomains',
    (op) => updateDomain(op, { domain: 'acme.test', speaksFor: ['other.acme.test', 'beta.test'] }),
  ],
  [
    'events behind one that never was',
    'invalid',
    null,
    (op) => listEvents(op, { after: 1_000_000, limit: 1 }),
  ],
  [
    'following behind one that never was',
    'invalid',
    null,
    (op) => followEvents(op, { after: 1_000_000, limit: 1, signal: AbortSignal.abort() }),
  ],
  ['a route of nobody', 'invalid', null, (op) => setRoute(op, { url: 'smtp://relay.test' })],
  [
    'a route of two',
    'invalid',
    null,
    (op) => setRoute(op, { company: 'Acme', domain: 'acme.test', url: 'smtp://relay.test' }),
  ],
  ['a route that is no relay', 'invalid', null, (op) => setRoute(op, { company: 'Acme', url: 'direct' })],
  ['a route to nowhere', 'invalid', null, (op) => setRoute(op, { company: 'Acme', url: 'smtp://u:secret@' })],
  [
    'a password of nobody',
    'invalid',
    null,
    (op) => setRoute(op, { company: 'Acme', url: 'smtp://relay.test', password: 'p' }),
  ],
  [
    'a user without a password',
    'invalid',
    null,
    (op) => setRoute(op, { company: 'Acme', url: 'smtp://u@relay.test' }),
  ],
  [
    'an empty password',
    'invalid',
    null,
    (op) => setRoute(op, { company: 'Acme', url: 'smtp://u@relay.test', password: '' }),
  ],
  [
    'two passwords',
    'invalid',
    null,
    (op) => setRoute(op, { company: 'Acme', url: 'smtp://u:p@relay.test', password: 'p' }),
  ],
  ['a route that is not there', 'not_found', 'listRoutes', (op) => removeRoute(op, { company: 'Beta' })],
  ['an unknown domain', 'not_found', 'addDomain', (op) => activateDomain(op, { domain: 'x.test' })],
  ['what is no domain', 'invalid', null, (op) => showDomain(op, { domain: 'no domain' })],
  ['a key without a name', 'invalid', null, (op) => createKey(op, { company: 'Acme', name: '' })],
  [
    'a key without a scope',
    'invalid',
    null,
    (op) => createKey(op, { company: 'Acme', name: 'k', scopes: [] }),
  ],
  [
    'a key with an unknown scope',
    'invalid',
    null,
    (op) => createKey(op, { company: 'Acme', name: 'k', scopes: ['all' as Scope] }),
  ],
  [
    'a key for what is no network',
    'invalid',
    null,
    (op) => createKey(op, { company: 'Acme', name: 'k', networks: ['10.1.2.3/8'] }),
  ],
  [
    'a key that is over',
    'invalid',
    null,
    (op) => createKey(op, { company: 'Acme', name: 'k', expiresAt: 1 }),
  ],
  [
    "a key for another's domain",
    'not_found',
    'listDomains',
    (op) => createKey(op, { company: 'Acme', name: 'k', domain: 'beta.test' }),
  ],
  ['an unknown key', 'not_found', 'listKeys', (op) => revokeKey(op, { id: NOWHERE })],
  [
    'a key revoked twice',
    'nothing_to_do',
    null,
    async (op) => {
      const { key } = await createKey(op, { company: 'Acme', name: 'k' })
      const later = { ...op, accounts: await op.store.accounts() }
      await revokeKey(later, { id: key.id })
      await revokeKey(later, { id: key.id })
    },
  ],
  ['an unknown key to rotate', 'not_found', 'listKeys', (op) => rotateKey(op, { id: NOWHERE })],
  [
    'a revoked key to rotate',
    'nothing_to_do',
    null,
    async (op) => {
      const { key } = await createKey(op, { company: 'Acme', name: 'k' })
      await revokeKey({ ...op, accounts: await op.store.accounts() }, { id: key.id })
      await rotateKey({ ...op, accounts: await op.store.accounts() }, { id: key.id })
    },
  ],
  [
    'a rotated key that would have ended already',
    'invalid',
    null,
    async (op) => {
      const { key } = await createKey(op, { company: 'Acme', name: 'k' })
      await rotateKey({ ...op, accounts: await op.store.accounts() }, { id: key.id, endsAt: 1 })
    },
  ],
  [
    'a key with a password to rotate',
    'invalid',
    null,
    async (op) => {
      const { key } = await createKey(op, { company: 'Acme', name: 'k', password: 'scrypt$' })
      await rotateKey({ ...op, accounts: await op.store.accounts() }, { id: key.id })
    },
  ],
  ['an unknown email', 'not_found', 'listEmails', (op) => showEmail(op, { id: NOWHERE })],
  ['an email by what is no id', 'not_found', 'listEmails', (op) => cancelEmail(op, { id: "' OR 1" })],
  [
    'an email canceled twice',
    'nothing_to_do',
    'showEmail',
    async (op) => {
      const { id } = await world.email()
      assert.deepEqual(await cancelEmail(op, { id }), { canceled: 1, sending: 0 })
      await cancelEmail(op, { id })
    },
  ],
  [
    "a copy for somebody who isn't a recipient",
    'not_found',
    'showEmail',
    async (op) => rawCopies(op, { id: (await world.email()).id, recipient: 'x@y.test' }),
  ],
  ['the queue of nobody', 'not_found', 'listCompanies', (op) => showQueue(op, { company: 'X' })],
  ['a site that nobody knows', 'not_found', 'listSites', (op) => showSite(op, { site: 'Nowhere' })],
  ['a site of no domain', 'invalid', null, (op) => showSite(op, { site: 'no domain.' })],
  ['a site of a domain that is gone', 'not_found', 'listSites', (op) => showSite(op, { site: 'x.test' })],
  ['a retry to no domain', 'invalid', null, (op) => retry(op, { domain: 'no domain' })],
  ['a retry to no site', 'not_found', 'listSites', (op) => retry(op, { site: 'Nowhere' })],
  ['a retry to two things', 'invalid', null, (op) => retry(op, { site: 'Google', domain: 'y.test' })],
  [
    'a retry of what has ended',
    'nothing_to_do',
    'showEmail',
    async (op) => {
      const { id } = await world.email()
      await cancelEmail(op, { id })
      await retry(op, { email: id })
    },
  ],
  [
    'a retry of what is in quarantine',
    'nothing_to_do',
    'releaseQuarantined',
    async (op) => retry(op, { email: (await world.quarantined()).id }),
  ],
  ['a pause of nobody', 'not_found', 'listCompanies', (op) => pause(op, { company: 'X' })],
  ['a pause of no site', 'not_found', 'listSites', (op) => pause(op, { site: 'Nowhere' })],
  ['a pause of two things', 'invalid', null, (op) => pause(op, { site: 'Google', domain: 'y.test' })],
  ['the end of no pause of a site', 'not_found', null, (op) => resume(op, { site: 'Google' })],
  ['the end of no pause', 'not_found', null, (op) => resume(op, { domain: 'y.test' })],
  [
    'a release of what is not in quarantine',
    'nothing_to_do',
    'showEmail',
    async (op) => releaseQuarantined(op, { email: (await world.email()).id }),
  ],
  [
    'a release of nothing',
    'not_found',
    'listQuarantined',
    (op) => releaseQuarantined(op, { email: NOWHERE }),
  ],
  [
    'another time for what was sent at once',
    'nothing_to_do',
    'showEmail',
    async (op) => rescheduleEmail(op, { id: (await world.email()).id, dueAt: Date.now() }),
  ],
  [
    'a time that is too far ahead',
    'invalid',
    null,
    async (op) => {
      const { id } = await world.scheduled()
      return await rescheduleEmail(op, { id, dueAt: Date.now() + 31 * 24 * 60 * 60 * 1_000 })
    },
  ],
  [
    'the end of what was canceled before its time',
    'nothing_to_do',
    'showEmail',
    async (op) => {
      const email = await world.scheduled()
      await cancelScheduled(op, email)
      return await cancelScheduled(op, email)
    },
  ],
  [
    'content that is kept for a second',
    'invalid',
    null,
    (op) => setContentRetention(op, { company: 'Acme', contentRetention: 1_000 }),
  ],
  ['a limit of nothing', 'invalid', null, (op) => limitCompany(op, { company: 'Acme', daily: 0 })],
  [
    'a suppression with tags that is no unsubscription',
    'invalid',
    null,
    (op) => addSuppression(op, { company: 'Acme', address, type: 'bounce', tags: ['news'] }),
  ],
  [
    'a suppression with a code that is none',
    'invalid',
    null,
    (op) => addSuppression(op, { company: 'Acme', address, type: 'bounce', code: 1 }),
  ],
  [
    'a suppression that is not there',
    'not_found',
    'listSuppressions',
    (op) => findSuppression(op, { company: 'Acme', of: NOWHERE }),
  ],
  [
    'the end of a tag that was not unsubscribed from',
    'not_found',
    'listSuppressions',
    async (op) => {
      const { address } = await world.unsubscribed('news')
      return await removeUnsubscribedTag(op, { company: 'Acme', address, tag: 'other' })
    },
  ],
  [
    'an allowed address that is none',
    'invalid',
    null,
    (op) => addAllowed(op, { company: 'Acme', entries: [{ value: 'a@' }] }),
  ],
  [
    'the end of what is not allowed',
    'not_found',
    null,
    (op) => removeAllowed(op, { company: 'Acme', value: 'x.test' }),
  ],
  [
    'another name for a key of nobody',
    'not_found',
    'listKeys',
    (op) => renameKey(op, { id: NOWHERE, name: 'k' }),
  ],
  [
    'another name for a key that is none',
    'invalid',
    null,
    async (op) => renameKey(op, { id: (await world.key()).id, name: ' ' }),
  ],
  ['the end of an unknown domain', 'not_found', 'addDomain', (op) => removeDomain(op, { domain: 'x.test' })],
  [
    'an unknown domain that is to be changed',
    'not_found',
    'addDomain',
    (op) => updateDomain(op, { domain: 'x.test', settings: { openTracking: true } }),
  ],
  ['a webhook of nobody', 'not_found', 'listCompanies', (op) => addWebhook(op, { company: 'X', url })],
  [
    'a webhook that is no URL',
    'invalid',
    null,
    (op) => addWebhook(op, { company: 'Acme', url: 'acme.test/hook' }),
  ],
  [
    'a webhook of an event that is none',
    'invalid',
    null,
    (op) => addWebhook(op, { company: 'Acme', url, events: ['email.read'] }),
  ],
  [
    "a webhook of another's domain",
    'not_found',
    'listDomains',
    (op) => addWebhook(op, { company: 'Acme', url, domain: 'beta.test' }),
  ],
  [
    'one webhook too many',
    'over_limit',
    null,
    async (op) => {
      const company = 'Beta'
      for (let made = 0; made < 100; made++) await addWebhook(op, { company, url })
      await addWebhook(op, { company, url })
    },
  ],
  ['an unknown webhook', 'not_found', 'listWebhooks', (op) => showWebhook(op, { id: NOWHERE })],
  ['a webhook by what is no id', 'not_found', 'listWebhooks', (op) => removeWebhook(op, { id: 'a\0b' })],
  [
    'a secret of its own for a webhook of the form dialect',
    'invalid',
    null,
    async (op) => {
      const { webhook } = await addWebhook(op, { company: 'Acme', url, dialect: 'form' })
      await rotateWebhookSecret(op, { id: webhook.id })
    },
  ],
  [
    'an event that the log does not have',
    'not_found',
    null,
    async (op) => {
      const id = await world.webhook()
      await showWebhookEvent(op, {
        id,
        event: messageId(id, { number: 1_000_000, type: 'sent', emailId: id }),
      })
    },
  ],
  [
    'events behind what is none of the webhook',
    'invalid',
    null,
    async (op) => listWebhookEvents(op, { id: await world.webhook(), before: 'x', limit: 1 }),
  ],
  [
    'a replay of a message of nobody',
    'not_found',
    'listWebhooks',
    (op) => replayMessage(op, { id: messageId(NOWHERE, { number: 1, type: 'sent', emailId: NOWHERE }) }),
  ],
  [
    'a sample of an event that is none',
    'invalid',
    null,
    async (op) => testWebhook(op, { id: await world.webhook(), event: 'x' }),
  ],
  [
    'a replay to a webhook that is disabled',
    'conflict',
    'enableWebhook',
    async (op) => replayWebhook(op, { id: await world.webhook(), since: 0 }),
  ],
  [
    'a replay of what failed to a webhook that is disabled',
    'conflict',
    'enableWebhook',
    async (op) => replayFailed(op, { id: await world.webhook(), since: 0 }),
  ],
  [
    'a replay of what never was',
    'not_found',
    null,
    async (op) => {
      const id = await world.webhook()
      await updateWebhook(op, { id, enabled: true })
      await replayWebhook(op, { id, event: 1_000_000 })
    },
  ],
  [
    'a suppression of what is no address',
    'invalid',
    null,
    (op) => addSuppression(op, { company: 'Acme', address: 'nobody', type: 'manual', reason }),
  ],
  [
    'a suppression twice',
    'already_exists',
    null,
    async (op) => {
      await addSuppression(op, { company: 'Acme', address, type: 'manual', reason })
      await addSuppression(op, { company: 'Acme', address: 'Him <A@x.test>', type: 'manual', reason })
    },
  ],
  [
    'the end of no suppression',
    'not_found',
    'listSuppressions',
    (op) => removeSuppression(op, { company: 'Beta', address }),
  ],
]

async function failure(work: Promise<unknown>): Promise<OperateError> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof OperateError, String(error))
    return error
  }
  throw new Error('it did not fail')
}

describe('errors of verbs', () => {
  for (const [what, code, hint, call] of CASES) {
    test(`${what}: ${code}${hint === null ? '' : `, see ${hint}`}`, async () => {
      const before = JSON.stringify(world.acme.company)
      const error = await failure(call(await world.operation('operator')))
      assert.deepEqual([error.code, error.hint?.verb ?? null], [code, hint])
      assert.match(error.message, /[^.]$/, 'a hint may follow')
      assert.equal(JSON.stringify(world.acme.company), before)
    })
  }

  test('without any company, the hint is to create one', async () => {
    const op = await world.operation('operator')
    const empty = {
      ...op,
      accounts: { companies: [], domains: [], removedDomains: [], keys: [], routes: [], pools: [] },
    }
    const error = await failure(addDomain(empty, { company: 'First', name: 'x.test' }))
    assert.deepEqual(error.hint, { verb: 'createCompany', name: 'First' })
  })

  test('a domain that another request has just added gets the same code from the store', async () => {
    const op = await world.operation('operator')
    const name = world.newName()
    await addDomain(op, { company: 'Acme', name })
    // The snapshot of this operation does not have it.
    const error = await failure(addDomain(op, { company: 'Acme', name }))
    assert.equal(error.code, 'already_exists')
  })

  for (const [fault, code] of [
    [new StoreUnavailable('away'), 'unavailable'],
    [new StoreDamaged('torn'), 'damaged'],
    [new StoreConflict('in use'), 'conflict'],
  ] as const) {
    test(`${fault.name} of the store becomes ${code} with the same message`, async () => {
      const failing = verb('read', async (_: Operation, _input: object) => {
        throw fault
      })
      const error = await failure(failing(await world.operation('operator'), {}))
      assert.deepEqual([error.code, error.message, error.cause], [code, fault.message, fault])
    })
  }

  test('an unexpected error is passed on unchanged', () => {
    const fault = new TypeError('undefined is not a function')
    assert.equal(asOperateError(fault), fault)
  })

  test('every code occurs in one of these tests', () => {
    const given = new Set<OperateCode>([
      ...CASES.map(([, code]) => code),
      'unavailable',
      'damaged',
      'conflict',
    ])
    assert.deepEqual(
      OPERATE_CODES.filter((code) => !given.has(code)),
      // authority.test.ts covers this code.
      ['not_allowed'],
    )
  })
})

describe('verbs about a database as a whole', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'postroad-operate-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  const of = (name: string) => {
    return {
      caller: OPERATOR,
      database: { engine: 'sqlite', path: join(folder, name) },
      secretKey: null,
    } as const
  }
  const settingsOf = (name: string) => {
    return {
      ...of(name),
      hostname: 'mail.test',
      publicUrl: null,
      tls: null,
      listen: { host: '127.0.0.1', port: 8587 },
      console: 'same' as const,
      metrics: 'off' as const,
      submission: [],
      trustedProxies: [],
      dnsServers: [],
      dnsValidating: [],
      delivery: { kind: 'capture' } as const,
      retrySchedule: [],
      deliverWithin: null,
      siteConcurrency: 20,
      bounceHost: null,
      fullMailbox: null,
      bounceListeners: [],
      dkimRotation: null,
      dkimZone: null,
      domainGrace: 1,
      smtpPort: 25,
      sourceAddresses: null,
      systemFrom: null,
      warmUp: [50, 100],
      allowPrivateNetworks: true,
      bounceMailbox: null,
      sites: null,
    }
  }

  test('do not create a missing database', async () => {
    const move = {
      from: join(folder, 'none.db'),
      to: 'postgres://127.0.0.1:1/x',
      restart: false,
      onProgress() {},
    }
    for (const [work, hint] of [
      [migrate(of('none.db'), {}), 'openOperation'],
      [backUp(of('none.db'), { file: join(folder, 'copy.db'), overwrite: false }), 'openOperation'],
      [openOperation(settingsOf('none.db')), 'openOperation'],
      [migrateData(of('none.db'), move), 'migrateData'],
    ] as const) {
      const error = await failure(work)
      assert.deepEqual([error.code, error.hint?.verb], ['not_found', hint])
    }
  })

  test('accept neither a file that is no database nor an existing target file', async () => {
    writeFileSync(
      join(folder, 'text.db'),
      'this is text, and long enough to be looked at as the header of a database file',
    )
    assert.match((await failure(migrate(of('text.db'), {}))).code, /^(?:conflict|damaged|unavailable)$/)
    await using op = await openOperation(settingsOf('x.db'), { make: true })
    await createCompany(op, { name: 'Acme' })
    const copy = join(folder, 'text.db')
    const error = await failure(backUp(of('x.db'), { file: copy, overwrite: false }))
    assert.equal(error.code, 'conflict')
    const { file, secretKeyFile } = await backUp(of('x.db'), {
      file: join(folder, 'copy.db'),
      overwrite: false,
    })
    assert.deepEqual([file, secretKeyFile], [join(folder, 'copy.db'), null])
  })
})

test('the first company that proves a domain holds its name, and the others learn why they wait', async () => {
  await using other = await World.make()
  const name = other.newName()
  const operator = await other.operation('operator')
  const claim = async (caller: 'manager' | 'foreign', company: string) => {
    const added = await addDomain(await other.operation(caller), { company, name })
    const values = new Map(added.records.map((record) => [record.name, record.value]))
    const resolver = () => ({
      ...operator.resolver(),
      txt: async (asked: string) => ({ kind: 'found' as const, records: [values.get(asked)!] }),
    })
    const op = async () => ({ ...(await other.operation(caller)), resolver })
    return { id: added.domain.id, dkim: added.domain.dkim[0]!.publicKey, op }
  }
  const squatter = await claim('foreign', 'Beta')
  const owner = await claim('manager', 'Acme')
  assert.notEqual(owner.dkim, squatter.dkim)
  const twice = await failure(addDomain(await owner.op(), { company: 'Acme', name }))
  assert.equal(twice.code, 'already_exists')
  const fresh = { ...operator, accounts: await other.store.accounts() }
  assert.match((await failure(showDomain(fresh, { domain: name }))).message, /2 companies .*by its id/)

  // The records that the owner has published do not prove the squatter's claim.
  const published = { ...(await squatter.op()), resolver: (await owner.op()).resolver }
  assert.equal((await verifyDomain(published, { domain: name })).domain.sending, 'inactive')
  assert.equal((await verifyDomain(await owner.op(), { domain: name })).domain.sending, 'active')
  const late = await failure(verifyDomain(await squatter.op(), { domain: name }))
  assert.equal(late.code, 'conflict')
  assert.match(late.message, /records .* are correct, but another company .*stays pending/s)
  assert.doesNotMatch(late.message, /Acme/)
  const kept = await other.store.findDomain(squatter.id)
  assert.deepEqual([kept?.status, kept?.sending, kept?.seen.dkim], ['pending', 'inactive', 'right'])

  const later = { ...operator, accounts: await other.store.accounts() }
  assert.equal((await showDomain(later, { domain: name })).domain.id, owner.id)
  const forced = await failure(activateDomain(later, { domain: squatter.id }))
  assert.deepEqual([forced.code, /only one company/.test(forced.message)], ['conflict', true])
  await removeDomain(later, { domain: owner.id })
  assert.equal((await verifyDomain(await squatter.op(), { domain: name })).domain.sending, 'active')
})

test('a verification does not lift a suspension that was set during its DNS queries', async () => {
  await using other = await World.make()
  const op = await other.operation('operator')
  const { id } = other.acme.domains[0]
  const { records } = await showDomain(op, { domain: id })
  const values = new Map(records.map(({ name, value }) => [name, value]))
  const resolver = () => ({
    ...op.resolver(),
    async txt(name: string) {
      await other.store.updateDomain(id, { sending: 'suspended' })
      return { kind: 'found' as const, records: [values.get(name)!] }
    },
  })
  const { domain, verification } = await verifyDomain({ ...op, resolver }, { domain: id })
  assert.deepEqual([verification.verified, domain.sending], [true, 'suspended'])
  const { domains } = await other.store.accounts()
  const kept = domains.find((each) => each.id === id)!
  assert.deepEqual([kept.status, kept.sending], ['verified', 'suspended'])
})

test('only an operator can remove a suspended domain, because the company could add it again and send', async () => {
  await using other = await World.make()
  const { id } = other.acme.domains[0]
  await suspendDomain(await other.operation('operator'), { domain: id })
  const error = await failure(removeDomain(await other.operation('manager'), { domain: id }))
  assert.equal(error.code, 'conflict')
  assert.match(error.message, /suspended: only the operator of this service may remove it/)
  assert.equal((await other.store.findDomain(id))?.sending, 'suspended')
  assert.equal((await removeDomain(await other.operation('operator'), { domain: id })).id, id)
  assert.equal(await other.store.findDomain(id), null)
})
