import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUIDv7 } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { ApiKey, Scope } from '../../src/accounts/account.ts'
import * as allowList from '../../src/operate/allow-list.ts'
import * as apiRequests from '../../src/operate/api-requests.ts'
import * as audit from '../../src/operate/audit.ts'
import type { Audit } from '../../src/operate/audit-trail.ts'
import { OPERATOR, type Right } from '../../src/operate/authority.ts'
import * as backlog from '../../src/operate/backlog.ts'
import * as companies from '../../src/operate/companies.ts'
import * as companyLogo from '../../src/operate/company-logo.ts'
import * as contentRetention from '../../src/operate/content-retention.ts'
import * as dkimDelegation from '../../src/operate/dkim-delegation.ts'
import * as dkimKeys from '../../src/operate/dkim-keys.ts'
import * as dkimRotation from '../../src/operate/dkim-rotation.ts'
import * as dnsProvider from '../../src/operate/dns-provider.ts'
import * as examination from '../../src/operate/doctor/examine.ts'
import * as domainReports from '../../src/operate/domain-reports.ts'
import * as domainVerification from '../../src/operate/domain-verification.ts'
import * as domains from '../../src/operate/domains.ts'
import * as emailBatches from '../../src/operate/email-batches.ts'
import * as emailDeletion from '../../src/operate/email-deletion.ts'
import * as emailLinks from '../../src/operate/email-links.ts'
import * as emailRecipients from '../../src/operate/email-recipients.ts'
import * as emails from '../../src/operate/emails.ts'
import { OperateError } from '../../src/operate/error.ts'
import * as events from '../../src/operate/events.ts'
import * as explaining from '../../src/operate/explain.ts'
import * as goLive from '../../src/operate/go-live/go-live.ts'
import * as setup from '../../src/operate/go-live/setup.ts'
import * as keys from '../../src/operate/keys.ts'
import * as listedStatus from '../../src/operate/listed-status.ts'
import * as listening from '../../src/operate/listen.ts'
import * as maintenance from '../../src/operate/maintenance.ts'
import * as migrateData from '../../src/operate/migrate-data.ts'
import * as nextStep from '../../src/operate/next-step.ts'
import * as nodes from '../../src/operate/nodes.ts'
import * as openAlerts from '../../src/operate/open-alerts.ts'
import * as overview from '../../src/operate/overview.ts'
import * as pauses from '../../src/operate/pauses.ts'
import * as people from '../../src/operate/people.ts'
import * as pools from '../../src/operate/pools.ts'
import * as quarantine from '../../src/operate/quarantine.ts'
import * as queue from '../../src/operate/queue.ts'
import * as queueSums from '../../src/operate/queue-sums.ts'
import * as rawCopies from '../../src/operate/raw-copies.ts'
import * as returnedMail from '../../src/operate/returned-mail.ts'
import * as routes from '../../src/operate/routes.ts'
import * as senderChecks from '../../src/operate/sender-checks.ts'
import * as sites from '../../src/operate/sites.ts'
import * as sourceAddresses from '../../src/operate/source-addresses.ts'
import * as files from '../../src/operate/suppression-files.ts'
import * as suppressions from '../../src/operate/suppressions.ts'
import * as tags from '../../src/operate/tags.ts'
import * as team from '../../src/operate/team.ts'
import type { Operation } from '../../src/operate/verb.ts'
import * as webhookEvents from '../../src/operate/webhook-events.ts'
import * as replays from '../../src/operate/webhook-replay.ts'
import * as samples from '../../src/operate/webhook-sample.ts'
import * as webhookSecrets from '../../src/operate/webhook-secrets.ts'
import * as webhooks from '../../src/operate/webhooks.ts'
import { apiRequest } from '../store/contract/api-requests.ts'
import { inboundMail } from '../store/contract/inbound-mails.ts'
import { apiKey, email as newEmail, suppress } from '../store/samples.ts'
import { CALLERS, type CallerName, World } from './world.ts'

const OUTLINE = { from: 0, limit: 1, eventOctets: 1_000, attempts: 1 }

/** Of an email without attempts: a caller that may read dialogues learns that there is none. */
async function dialogueIn(op: Operation, { id }: { id: string }): Promise<unknown> {
  try {
    return await emails.showDialogue(op, { id, attempt: 0 })
  } catch (error) {
    if (error instanceof Error && error.message === 'the email has no such attempt') return null
    throw error
  }
}

type Outcome = 'ok' | 'not_found' | 'not_allowed'
type Outcomes = Record<CallerName, Outcome>

/** A domain that sends, because others have nothing to rotate. */
async function sender(op: Operation, name: string): Promise<Operation> {
  const operator = { ...op, caller: OPERATOR }
  const { domain } = await domains.showDomain(operator, { domain: name })
  if (domain.sending !== 'active') await domains.activateDomain(operator, { domain: name })
  return { ...op, accounts: await op.store.accounts() }
}

/** The rotation of this domain waits, perhaps since a caller before this one was refused. */
function withZone(op: Operation): Operation {
  return { ...op, setup: { ...op.setup, dkimZone: 'dkim.service.test' } }
}

async function rotating(op: Operation, name: string): Promise<Operation> {
  const operator = { ...(await sender(op, name)), caller: OPERATOR }
  const { domain } = await domains.showDomain(operator, { domain: name })
  const waits = domain.dkim.some(({ rotation }) => rotation?.stage === 'next')
  if (!waits) await dkimRotation.rotateDkimKey(operator, { domain: name })
  return { ...op, accounts: await op.store.accounts() }
}

const poolName = (world: World) => world.newName().replaceAll('.', '-')

async function withPool(op: Operation, pool: string): Promise<Operation> {
  await pools.createPool({ ...op, caller: OPERATOR }, { pool, addresses: ['192.0.2.1'] })
  return { ...op, accounts: await op.store.accounts() }
}

/** An operator's name replaces the one that its owners have chosen. */
async function withOwnName(op: Operation): Promise<Operation> {
  if (op.caller.kind !== 'operator') return op
  const { id } = (await op.store.accounts()).companies.find(({ name }) => name === 'Acme')!
  await op.store.updateCompany(id, { ownName: 'Acme & Sons' })
  return { ...op, accounts: await op.store.accounts() }
}

async function withLogo(op: Operation): Promise<Operation> {
  await companyLogo.setLogo({ ...op, caller: OPERATOR }, { company: 'Acme', octets: PICTURE })
  return { ...op, accounts: await op.store.accounts() }
}

const [ok, foreign, no] = ['ok', 'not_found', 'not_allowed'] as const

/** What callers of each kind come to. The input is always about Acme; `foreign` is a member of Beta. */
const OPERATOR_ALONE: Outcomes = {
  operator: ok,
  manager: no,
  administrator: no,
  reader: no,
  sender: no,
  restricted: no,
  foreign: no,
}
const READS: Outcomes = {
  operator: ok,
  manager: ok,
  administrator: no,
  reader: ok,
  sender: no,
  restricted: ok,
  foreign,
}
/** What is set up, and not what became of mail: also with the scope management alone. */
const SEES: Outcomes = { ...READS, administrator: ok }
const SEES_WHOLE: Outcomes = { ...SEES, restricted: no }
/** What concerns all of the company: a key for one of its domains may not. */
const READS_WHOLE: Outcomes = { ...READS, restricted: no }
const MANAGES: Outcomes = { ...READS, administrator: ok, reader: no }
const MANAGES_WHOLE: Outcomes = { ...MANAGES, restricted: no }

type Call = (op: Operation, world: World) => Promise<unknown>

async function returnedMailOf(op: Operation, world: World): Promise<string> {
  const mail = inboundMail({ emailId: (await world.email(world.acme)).id, refused: 'kept' })
  await op.store.keepInboundMails([{ mail, reports: [] }])
  return mail.id
}
interface TriedVerb {
  right: Right
  audit: Pick<Audit<never, never>, 'action' | 'unlessByKey'> | null
}

/** A verb, how it is called on something of Acme's, and what callers come to. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const PEM = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))

const TABLE: readonly [verb: TriedVerb, call: Call, outcomes: Outcomes][] = [
  [
    companies.createCompany,
    (op, world) => companies.createCompany(op, { name: world.newName() }),
    OPERATOR_ALONE,
  ],
  [companies.listCompanies, (op) => companies.listCompanies(op, {}), { ...SEES, foreign: ok }],
  [companies.showCompany, (op) => companies.showCompany(op, { company: 'Acme' }), SEES],
  [
    companies.renameCompany,
    async (op) => companies.renameCompany(await withOwnName(op), { company: 'Acme', name: 'Acme' }),
    OPERATOR_ALONE,
  ],
  [
    companies.limitCompany,
    (op) => companies.limitCompany(op, { company: 'Acme', daily: null }),
    OPERATOR_ALONE,
  ],
  [
    contentRetention.setContentRetention,
    (op) => contentRetention.setContentRetention(op, { company: 'Acme', contentRetention: null }),
    OPERATOR_ALONE,
  ],
  [companyLogo.showLogo, async (op) => companyLogo.showLogo(await withLogo(op), { company: 'Acme' }), SEES],
  [
    companyLogo.setLogo,
    (op) => companyLogo.setLogo(op, { company: 'Acme', octets: PICTURE }),
    OPERATOR_ALONE,
  ],
  [
    companyLogo.removeLogo,
    async (op) => companyLogo.removeLogo(await withLogo(op), { company: 'Acme' }),
    OPERATOR_ALONE,
  ],
  [
    domains.addDomain,
    (op, world) => domains.addDomain(op, { company: 'Acme', name: world.newName() }),
    MANAGES_WHOLE,
  ],
  [
    domains.updateDomain,
    (op) => domains.updateDomain(op, { domain: 'acme.test', speaksFor: ['other.acme.test'] }),
    MANAGES_WHOLE,
  ],
  [domains.listDomains, (op) => domains.listDomains(op, { company: 'Acme' }), SEES],
  [domains.showDomain, (op) => domains.showDomain(op, { domain: 'acme.test' }), SEES],
  [
    domains.showDomain,
    (op) => domains.showDomain(op, { domain: 'other.acme.test' }),
    { ...SEES, restricted: foreign },
  ],
  [
    domainVerification.checkDomainRecord,
    (op) => domainVerification.checkDomainRecord(op, { domain: 'acme.test', name: 'acme.test' }),
    SEES,
  ],
  [
    domainVerification.checkDomainRecord,
    (op) => domainVerification.checkDomainRecord(op, { domain: 'other.acme.test', name: 'other.acme.test' }),
    { ...SEES, restricted: foreign },
  ],
  [
    domainVerification.lookAtDomain,
    (op) => domainVerification.lookAtDomain(op, { domain: 'acme.test' }),
    SEES,
  ],
  [
    domainVerification.lookAtDomain,
    (op) => domainVerification.lookAtDomain(op, { domain: 'other.acme.test' }),
    { ...SEES, restricted: foreign },
  ],
  [dnsProvider.findDomainZone, (op) => dnsProvider.findDomainZone(op, { domain: 'acme.test' }), SEES],
  [
    dnsProvider.findDomainZone,
    (op) => dnsProvider.findDomainZone(op, { domain: 'other.acme.test' }),
    { ...SEES, restricted: foreign },
  ],
  [senderChecks.checkSender, (op) => senderChecks.checkSender(op, { domain: 'acme.test' }), SEES],
  [
    senderChecks.checkSender,
    (op) => senderChecks.checkSender(op, { domain: 'other.acme.test' }),
    { ...SEES, restricted: foreign },
  ],
  [
    domainVerification.verifyDomain,
    (op) => domainVerification.verifyDomain(op, { domain: 'acme.test' }),
    MANAGES,
  ],
  [
    domainVerification.verifyDomain,
    (op) => domainVerification.verifyDomain(op, { domain: 'other.acme.test' }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    domains.updateDomain,
    (op) => domains.updateDomain(op, { domain: 'acme.test', settings: { openTracking: true } }),
    MANAGES,
  ],
  [
    domains.updateDomain,
    (op) => domains.updateDomain(op, { domain: 'other.acme.test', settings: { clickTracking: true } }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    domains.removeDomain,
    async (op, world) => {
      const name = world.newName()
      await domains.addDomain({ ...op, caller: OPERATOR }, { company: 'Acme', name })
      return await domains.removeDomain({ ...op, accounts: await op.store.accounts() }, { domain: name })
    },
    { ...MANAGES, restricted: foreign },
  ],
  [
    dkimKeys.addDkimKey,
    (op, world) => dkimKeys.addDkimKey(op, { domain: 'acme.test', selector: world.newName(), pem: PEM }),
    MANAGES,
  ],
  [
    dkimKeys.addDkimKey,
    (op, world) =>
      dkimKeys.addDkimKey(op, { domain: 'other.acme.test', selector: world.newName(), pem: PEM }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    dkimKeys.switchDkimKey,
    (op, { acme }) => {
      const { name, dkim } = acme.domains[0]
      return dkimKeys.switchDkimKey(op, { domain: name, selector: dkim[0]!.selector, active: true })
    },
    MANAGES,
  ],
  [
    dkimKeys.renameDkimKey,
    (op, { acme }) => {
      const { name, dkim } = acme.domains[1]
      const { selector } = dkim[0]!
      return dkimKeys.renameDkimKey(op, { domain: name, selector, to: selector })
    },
    { ...MANAGES, restricted: foreign },
  ],
  [
    dkimKeys.removeDkimKey,
    async (op, world) => {
      const of = { domain: 'acme.test', selector: world.newName() }
      await dkimKeys.addDkimKey({ ...op, caller: OPERATOR }, { ...of, pem: PEM })
      return await dkimKeys.removeDkimKey({ ...op, accounts: await op.store.accounts() }, of)
    },
    MANAGES,
  ],
  [
    dkimRotation.rotateDkimKey,
    async (op) => {
      const rotated = await dkimRotation.rotateDkimKey(await sender(op, 'acme.test'), { domain: 'acme.test' })
      const after = { ...op, caller: OPERATOR, accounts: await op.store.accounts() }
      await dkimRotation.cancelDkimRotation(after, { domain: 'acme.test' })
      return rotated
    },
    MANAGES,
  ],
  [
    dkimRotation.cancelDkimRotation,
    async (op) =>
      dkimRotation.cancelDkimRotation(await rotating(op, 'other.acme.test'), { domain: 'other.acme.test' }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    dkimRotation.finishDkimRotation,
    async (op) =>
      dkimRotation.finishDkimRotation(await rotating(op, 'other.acme.test'), {
        domain: 'other.acme.test',
        force: true,
      }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    dkimDelegation.delegateDkim,
    async (op, world) => {
      const name = world.newName()
      await domains.addDomain({ ...op, caller: OPERATOR }, { company: 'Acme', name })
      const accounts = await op.store.accounts()
      const input = { domain: name, delegated: true }
      return await dkimDelegation.delegateDkim({ ...withZone(op), accounts }, input)
    },
    { ...MANAGES, restricted: foreign },
  ],
  [dkimDelegation.dkimZone, (op) => dkimDelegation.dkimZone(withZone(op), {}), OPERATOR_ALONE],
  [
    tags.describeTag,
    (op) => tags.describeTag(op, { domain: 'acme.test', tag: 'news', description: 'weekly' }),
    MANAGES,
  ],
  [
    tags.removeTag,
    (op) => tags.removeTag(op, { domain: 'other.acme.test', tag: 'news' }),
    { ...MANAGES, restricted: foreign },
  ],
  [domains.activateDomain, (op) => domains.activateDomain(op, { domain: 'acme.test' }), OPERATOR_ALONE],
  [domains.suspendDomain, (op) => domains.suspendDomain(op, { domain: 'acme.test' }), OPERATOR_ALONE],
  [
    keys.createKey,
    (op) => keys.createKey(op, { company: 'Acme', name: 'k' }),
    // It has none of the scopes that a key gets when none is named.
    { ...MANAGES_WHOLE, administrator: no },
  ],
  [keys.listKeys, (op) => keys.listKeys(op, { company: 'Acme' }), SEES],
  [
    keys.renameKey,
    async (op, world) => {
      const { id } = await world.key()
      return await keys.renameKey({ ...op, accounts: await op.store.accounts() }, { id, name: 'other' })
    },
    { ...MANAGES, restricted: foreign },
  ],
  [
    keys.rotateKey,
    async (op, world) => {
      const bounds: Partial<ApiKey> = { scopes: ['reading'], networks: [], expiresAt: null }
      const { id } = await world.key(world.acme, { ...bounds, password: null })
      return await keys.rotateKey({ ...op, accounts: await op.store.accounts() }, { id })
    },
    // It lacks the scopes of the key.
    { ...MANAGES, administrator: no, restricted: foreign },
  ],
  [
    keys.revokeKey,
    async (op, world) => {
      const { id } = await world.key()
      return await keys.revokeKey({ ...op, accounts: await op.store.accounts() }, { id })
    },
    { ...MANAGES, restricted: foreign },
  ],
  [emails.listEmails, (op) => emails.listEmails(op, { company: 'Acme', limit: 10 }), READS_WHOLE],
  [emails.searchEmails, (op) => emails.searchEmails(op, { company: 'Acme', limit: 10 }), READS_WHOLE],
  [emails.countEmails, (op) => emails.countEmails(op, { company: 'Acme' }), READS_WHOLE],
  [emails.findEmail, (op) => emails.findEmail(op, { company: 'Acme', id: 'x' }), READS_WHOLE],
  [emails.showEmail, async (op, world) => emails.showEmail(op, await world.email()), READS],
  [
    emails.showEmail,
    async (op, world) =>
      emails.showEmail(op, await world.email(world.acme, { domainId: world.acme.domains[1].id })),
    { ...READS, restricted: foreign },
  ],
  [emails.showDialogue, async (op, world) => dialogueIn(op, await world.email()), READS],
  [
    nextStep.nextSteps,
    async (op, world) => nextStep.nextSteps(op, { id: (await world.email()).id, ...OUTLINE }),
    READS,
  ],
  [nextStep.emailStatus, async (op, world) => nextStep.emailStatus(op, await world.email()), READS],
  [
    listedStatus.listedStatuses,
    (op) => listedStatus.listedStatuses(op, { emails: [] }),
    { ...READS, foreign: ok },
  ],
  [nextStep.neighboursOf, async (op, world) => nextStep.neighboursOf(op, await world.email()), READS],
  [
    emailLinks.checkLinks,
    async (op, world) => emailLinks.checkLinks(op, { id: (await world.email()).id, urls: [] }),
    MANAGES,
  ],
  [
    emailRecipients.retryRecipients,
    async (op, world) =>
      emailRecipients.retryRecipients(op, { id: (await world.scheduled()).id, positions: [0] }),
    MANAGES,
  ],
  [
    emailRecipients.cancelRecipients,
    async (op, world) =>
      emailRecipients.cancelRecipients(op, { id: (await world.email()).id, positions: [0] }),
    MANAGES,
  ],
  [
    emailRecipients.suppressChosenRecipients,
    async (op, world) => {
      const { recipients } = await world.email()
      const address = `a@${randomUUIDv7()}.test`
      const { id } = await world.email(world.acme, { recipients: [{ ...recipients[0]!, address }] })
      return await emailRecipients.suppressChosenRecipients(op, { id, positions: [0] })
    },
    MANAGES,
  ],
  [
    emailRecipients.suppressRecipient,
    async (op, world) => {
      const { recipients } = newEmail(world.acme.company, [`a@${world.newName()}`])
      const { id } = await world.email(world.acme, { recipients })
      return await emailRecipients.suppressRecipient(op, { id, position: 0 })
    },
    MANAGES,
  ],
  [rawCopies.rawCopies, async (op, world) => rawCopies.rawCopies(op, await world.email()), READS],
  [rawCopies.rawCopy, async (op, world) => rawCopies.rawCopy(op, await world.email()), READS],
  [
    emails.rescheduleEmail,
    async (op, world) => {
      const { id } = await world.scheduled()
      return await emails.rescheduleEmail(op, { id, dueAt: op.now() + 1_000 })
    },
    MANAGES,
  ],
  [emails.cancelScheduled, async (op, world) => emails.cancelScheduled(op, await world.scheduled()), MANAGES],
  [
    emails.cancelWaiting,
    async (op, world) => {
      await world.email()
      return await emails.cancelWaiting(op, { domain: 'acme.test' })
    },
    MANAGES,
  ],
  [
    emails.cancelWaiting,
    (op) => emails.cancelWaiting(op, { domain: 'other.acme.test' }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    emailBatches.retryEmails,
    async (op, world) => emailBatches.retryEmails(op, { company: 'Acme', ids: [(await world.email()).id] }),
    MANAGES,
  ],
  [
    emailBatches.cancelEmails,
    async (op, world) => emailBatches.cancelEmails(op, { company: 'Acme', ids: [(await world.email()).id] }),
    MANAGES,
  ],
  [
    emailBatches.suppressRecipientsOfEmails,
    async (op, world) => {
      // An address of its own: mail to it is stopped from now on.
      const { recipients } = await world.email()
      const address = `a@${randomUUIDv7()}.test`
      const { id } = await world.email(world.acme, { recipients: [{ ...recipients[0]!, address }] })
      return await emailBatches.suppressRecipientsOfEmails(op, { company: 'Acme', ids: [id] })
    },
    MANAGES,
  ],
  [
    emailDeletion.deleteEmails,
    async (op, world) => emailDeletion.deleteEmails(op, { company: 'Acme', ids: [(await world.ended()).id] }),
    MANAGES,
  ],
  [
    emailDeletion.clearEmails,
    async (op, world) => {
      await world.ended()
      return await emailDeletion.clearEmails(op, { company: 'Acme' })
    },
    MANAGES_WHOLE,
  ],
  [emails.cancelEmail, async (op, world) => emails.cancelEmail(op, await world.email()), MANAGES],
  [events.listEvents, (op) => events.listEvents(op, { company: 'Acme', limit: 10 }), READS_WHOLE],
  [
    apiRequests.listApiRequests,
    (op) => apiRequests.listApiRequests(op, { company: 'Acme', limit: 10 }),
    READS_WHOLE,
  ],
  [
    apiRequests.showApiRequest,
    async (op, world) => {
      const request = apiRequest(world.acme.company.id)
      await op.store.addApiRequests([request])
      return await apiRequests.showApiRequest(op, { id: request.id })
    },
    READS_WHOLE,
  ],
  [
    returnedMail.listReturnedMails,
    (op) => returnedMail.listReturnedMails(op, { company: 'Acme', limit: 10 }),
    READS_WHOLE,
  ],
  [
    returnedMail.showReturnedMail,
    async (op, world) => returnedMail.showReturnedMail(op, { id: await returnedMailOf(op, world) }),
    READS_WHOLE,
  ],
  [
    returnedMail.readReturnedMail,
    async (op, world) => returnedMail.readReturnedMail(op, { id: await returnedMailOf(op, world) }),
    READS_WHOLE,
  ],
  [
    returnedMail.applyReturnedMail,
    (op) => returnedMail.applyReturnedMail(op, { raw: Buffer.from('Subject: Hello\r\n\r\n') }),
    OPERATOR_ALONE,
  ],
  [
    events.followEvents,
    (op) => events.followEvents(op, { company: 'Acme', limit: 10, signal: AbortSignal.abort() }),
    READS_WHOLE,
  ],
  [
    listening.listen,
    (op) => listening.listen(op, { company: 'Acme', dialect: 'json', signal: AbortSignal.abort() }),
    READS_WHOLE,
  ],
  [listening.forwardEvents, (op) => listening.forwardEvents(op, FORWARDED), OPERATOR_ALONE],
  [
    goLive.checkCompanyStep,
    (op) => goLive.checkCompanyStep(op, { company: 'Acme', step: 'domain' }),
    SEES_WHOLE,
  ],
  [
    goLive.checkInstallationStep,
    (op) => goLive.checkInstallationStep(op, { step: 'backup' }),
    OPERATOR_ALONE,
  ],
  [openAlerts.openAlerts, (op) => openAlerts.openAlerts(op, { company: 'Acme' }), READS_WHOLE],
  [backlog.showBacklog, (op) => backlog.showBacklog(op, { company: 'Acme' }), READS_WHOLE],
  [backlog.showStorage, (op) => backlog.showStorage(op, {}), OPERATOR_ALONE],
  [overview.showVolume, (op) => overview.showVolume(op, { company: 'Acme', span: 'day' }), READS_WHOLE],
  [overview.showVolume, (op) => overview.showVolume(op, { domain: 'acme.test', span: 'day' }), READS],
  [
    overview.showVolume,
    (op) => overview.showVolume(op, { domain: 'other.acme.test', span: 'day' }),
    { ...READS, restricted: foreign },
  ],
  [overview.showLatency, (op) => overview.showLatency(op, { company: 'Acme', span: 'day' }), READS_WHOLE],
  [
    overview.showVolumeByDomain,
    (op) => overview.showVolumeByDomain(op, { company: 'Acme', span: 'day' }),
    READS_WHOLE,
  ],
  [
    overview.showDestinations,
    (op) => overview.showDestinations(op, { company: 'Acme', span: 'day' }),
    READS_WHOLE,
  ],
  [overview.showReasons, (op) => overview.showReasons(op, { company: 'Acme', span: 'day' }), READS_WHOLE],
  [overview.showVolumeByCompany, (op) => overview.showVolumeByCompany(op, { span: 'day' }), OPERATOR_ALONE],
  [queue.showQueue, (op) => queue.showQueue(op, { company: 'Acme' }), READS_WHOLE],
  [queueSums.showQueueByCompany, (op) => queueSums.showQueueByCompany(op, { company: 'Acme' }), READS_WHOLE],
  [queueSums.showQueueByDomain, (op) => queueSums.showQueueByDomain(op, { company: 'Acme' }), READS_WHOLE],
  [queueSums.showQueueBySite, (op) => queueSums.showQueueBySite(op, { company: 'Acme' }), OPERATOR_ALONE],
  [queue.retry, (op) => queue.retry(op, { company: 'Acme' }), MANAGES_WHOLE],
  [queue.retry, (op) => queue.retry(op, { company: 'Acme', site: 'Google' }), OPERATOR_ALONE],
  [queue.retry, async (op, world) => queue.retry(op, { email: (await world.email()).id }), MANAGES],
  [pauses.pause, (op) => pauses.pause(op, { company: 'Acme' }), OPERATOR_ALONE],
  [pauses.resume, (op) => pauses.resume(op, { company: 'Acme' }), OPERATOR_ALONE],
  [pauses.listPauses, (op) => pauses.listPauses(op, {}), { ...READS_WHOLE, foreign: ok }],
  [
    quarantine.listQuarantined,
    (op) => quarantine.listQuarantined(op, { company: 'Acme', limit: 10 }),
    READS_WHOLE,
  ],
  [
    quarantine.releaseQuarantined,
    async (op, world) => quarantine.releaseQuarantined(op, { email: (await world.quarantined()).id }),
    OPERATOR_ALONE,
  ],
  [
    suppressions.listSuppressions,
    (op) => suppressions.listSuppressions(op, { company: 'Acme', limit: 10 }),
    SEES,
  ],
  [
    suppressions.suppressedPage,
    (op) => suppressions.suppressedPage(op, { company: 'Acme', type: 'bounce', limit: 10 }),
    SEES,
  ],
  [
    suppressions.suppressedAddresses,
    (op) => suppressions.suppressedAddresses(op, { company: 'Acme', term: 'g', limit: 10 }),
    SEES,
  ],
  [suppressions.countSuppressions, (op) => suppressions.countSuppressions(op, { company: 'Acme' }), SEES],
  [
    suppressions.findSuppression,
    (op) => suppressions.findSuppression(op, { company: 'Acme', of: 'gone@acme-list.test' }),
    { ...SEES, restricted: foreign },
  ],
  [
    suppressions.addSuppression,
    (op, world) => suppressions.addSuppression(op, { company: 'Acme', ...world.suppression() }),
    MANAGES,
  ],
  [
    suppressions.addSuppressions,
    (op, world) => suppressions.addSuppressions(op, { company: 'Acme', entries: [world.suppression()] }),
    MANAGES,
  ],
  [
    suppressions.removeSuppressions,
    async (op, world) => {
      const { id: companyId } = world.acme.company
      await suppress(op.store, companyId, 'many@x.test', 'r', 1)
      const [entry] = await op.store.listSuppressions({ companyId, address: 'many@x.test', limit: 1 })
      return await suppressions.removeSuppressions(op, { company: 'Acme', ids: [entry!.id] })
    },
    MANAGES,
  ],
  [
    suppressions.removeSuppressionEntry,
    async (op, world) => {
      const { id: company } = world.acme.company
      await suppress(op.store, company, 'one@x.test', 'r', 1)
      const [entry] = await op.store.listSuppressions({ companyId: company, address: 'one@x.test', limit: 1 })
      return await suppressions.removeSuppressionEntry(op, { company: 'Acme', id: entry!.id })
    },
    { ...MANAGES, restricted: foreign },
  ],
  [
    suppressions.removeSuppression,
    async (op, world) => {
      await suppress(op.store, world.acme.company.id, 'gone@x.test', 'r', 1)
      return await suppressions.removeSuppression(op, { company: 'Acme', address: 'gone@x.test' })
    },
    { ...MANAGES, restricted: foreign },
  ],
  [
    suppressions.removeUnsubscribedTag,
    async (op, world) => {
      const { address } = await world.unsubscribed('news')
      return await suppressions.removeUnsubscribedTag(op, { company: 'Acme', address, tag: 'news' })
    },
    { ...MANAGES, restricted: foreign },
  ],
  [
    suppressions.clearSuppressions,
    (op) => suppressions.clearSuppressions(op, { company: 'Acme', types: ['complaint'] }),
    MANAGES,
  ],
  [allowList.allowedPage, (op) => allowList.allowedPage(op, { company: 'Acme', limit: 10 }), SEES_WHOLE],
  [
    allowList.findAllowed,
    async (op, world) => {
      await world.allowed('ok.test')
      return await allowList.findAllowed(op, { company: 'Acme', value: 'ok.test' })
    },
    SEES_WHOLE,
  ],
  [
    allowList.addAllowed,
    (op, world) => allowList.addAllowed(op, { company: 'Acme', entries: [{ value: world.newName() }] }),
    MANAGES_WHOLE,
  ],
  [
    allowList.removeAllowed,
    async (op, world) => {
      await world.allowed('gone.test')
      return await allowList.removeAllowed(op, { company: 'Acme', value: 'gone.test' })
    },
    MANAGES_WHOLE,
  ],
  [
    files.importSuppressions,
    (op, world) => {
      const source = [`${world.suppression().address}\n`]
      return files.importSuppressions(op, { company: 'Acme', source, type: 'bounce' })
    },
    MANAGES,
  ],
  [
    files.importAllowed,
    (op) => files.importAllowed(op, { company: 'Acme', source: ['kept.test\n'] }),
    MANAGES_WHOLE,
  ],
  [files.exportSuppressions, (op) => files.exportSuppressions(op, { company: 'Acme' }), SEES],
  [
    pools.createPool,
    (op, world) => pools.createPool(op, { pool: poolName(world), addresses: ['192.0.2.1'] }),
    OPERATOR_ALONE,
  ],
  [
    pools.changePool,
    async (op, world) => {
      const pool = poolName(world)
      return await pools.changePool(await withPool(op, pool), { pool, addresses: ['192.0.2.2'] })
    },
    OPERATOR_ALONE,
  ],
  [
    sourceAddresses.listSourceAddresses,
    (op) => sourceAddresses.listSourceAddresses(op, {}),
    { ...SEES, foreign: ok },
  ],
  [
    sourceAddresses.showSourceAddress,
    async (op, world) => {
      const pool = poolName(world)
      const operator = await withPool({ ...op, caller: OPERATOR }, pool)
      await pools.assignPool(operator, { company: 'Acme', pool })
      const accounts = await op.store.accounts()
      await pools.assignPool(operator, { company: 'Acme', pool: null })
      const [address] = accounts.pools.find(({ name }) => name === pool)!.addresses
      return await sourceAddresses.showSourceAddress({ ...op, accounts }, { address: address! })
    },
    SEES,
  ],
  [pools.listPools, (op) => pools.listPools(op, {}), { ...SEES, foreign: ok }],
  [
    pools.showPool,
    async (op, world) => {
      const pool = poolName(world)
      const operator = await withPool({ ...op, caller: OPERATOR }, pool)
      await pools.assignPool(operator, { company: 'Acme', pool })
      const accounts = await op.store.accounts()
      await pools.assignPool(operator, { company: 'Acme', pool: null })
      return await pools.showPool({ ...op, accounts }, { pool })
    },
    SEES,
  ],
  [
    pools.removePool,
    async (op, world) => {
      const pool = poolName(world)
      return await pools.removePool(await withPool(op, pool), { pool })
    },
    OPERATOR_ALONE,
  ],
  [
    pools.warmUpAddress,
    async (op, world) => {
      const pool = poolName(world)
      return await pools.warmUpAddress(await withPool(op, pool), { pool, address: '192.0.2.1', day: 1 })
    },
    OPERATOR_ALONE,
  ],
  [pools.assignPool, (op) => pools.assignPool(op, { company: 'Acme', pool: null }), OPERATOR_ALONE],
  [
    routes.setRoute,
    (op) => routes.setRoute(op, { domain: 'acme.test', url: 'smtp://u:p@relay.test' }),
    OPERATOR_ALONE,
  ],
  [
    routes.removeRoute,
    async (op) => {
      await routes.setRoute({ ...op, caller: OPERATOR }, { company: 'Acme', url: 'smtp://relay.test' })
      return await routes.removeRoute(op, { company: 'Acme' })
    },
    OPERATOR_ALONE,
  ],
  [routes.listRoutes, (op) => routes.listRoutes(op, { company: 'Acme' }), SEES],
  [
    webhooks.addWebhook,
    (op) => webhooks.addWebhook(op, { company: 'Acme', url: 'https://a.test/' }),
    MANAGES_WHOLE,
  ],
  [
    webhooks.addWebhook,
    (op) => webhooks.addWebhook(op, { company: 'Acme', domain: 'acme.test', url: 'https://a.test/' }),
    MANAGES,
  ],
  [webhooks.listWebhooks, (op) => webhooks.listWebhooks(op, {}), { ...SEES, foreign: ok }],
  [
    webhooks.showWebhook,
    async (op, world) => webhooks.showWebhook(op, { id: await world.webhook() }),
    { ...SEES, restricted: foreign },
  ],
  [
    webhookSecrets.showWebhookSecret,
    async (op, world) => webhookSecrets.showWebhookSecret(op, { id: await world.webhook() }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    webhooks.updateWebhook,
    async (op, world) => webhooks.updateWebhook(op, { id: await world.webhook(), enabled: true }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    webhooks.removeWebhook,
    async (op, world) => webhooks.removeWebhook(op, { id: await world.webhook() }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    webhookSecrets.rotateWebhookSecret,
    async (op, world) => webhookSecrets.rotateWebhookSecret(op, { id: await world.webhook() }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    webhookEvents.listWebhookAttempts,
    async (op, world) => webhookEvents.listWebhookAttempts(op, { id: await world.webhook(), limit: 1 }),
    { ...SEES, restricted: foreign },
  ],
  [
    webhookEvents.listWebhookEvents,
    async (op, world) => webhookEvents.listWebhookEvents(op, { id: await world.webhook(), limit: 1 }),
    { ...SEES, restricted: foreign },
  ],
  [
    webhookEvents.showWebhookHealth,
    async (op, world) => webhookEvents.showWebhookHealth(op, { id: await world.webhook() }),
    { ...SEES, restricted: foreign },
  ],
  [
    webhookEvents.showWebhookBacklog,
    async (op, world) => webhookEvents.showWebhookBacklog(op, { id: await world.webhook() }),
    { ...SEES, restricted: foreign },
  ],
  [
    webhookEvents.showWebhookEvent,
    async (op, world) => {
      const id = await world.webhook()
      return await webhookEvents.showWebhookEvent(op, { id, event: await world.eventOf(id) })
    },
    { ...SEES, restricted: foreign },
  ],
  [
    webhookEvents.replayWebhook,
    async (op, world) => {
      const id = await world.webhook()
      await webhooks.updateWebhook(await world.operation('operator'), { id, enabled: true })
      return await webhookEvents.replayWebhook(op, { id, since: 0 })
    },
    { ...MANAGES, restricted: foreign },
  ],
  [
    replays.replayMessage,
    async (op, world) => {
      const id = await world.webhook()
      await webhooks.updateWebhook(await world.operation('operator'), { id, enabled: true })
      return await replays.replayMessage(op, { id: await world.eventOf(id) })
    },
    { ...MANAGES, restricted: foreign },
  ],
  [
    replays.replayFailed,
    async (op, world) => {
      const id = await world.webhook()
      await webhooks.updateWebhook(await world.operation('operator'), { id, enabled: true })
      return await replays.replayFailed(op, { id, since: 0 })
    },
    { ...MANAGES, restricted: foreign },
  ],
  [replays.replayWebhooks, (op) => replays.replayWebhooks(op, { since: 0 }), { ...MANAGES, foreign: ok }],
  [
    samples.testWebhook,
    async (op, world) => samples.testWebhook(op, { id: await world.webhook(), event: 'email.sent' }),
    { ...MANAGES, restricted: foreign },
  ],
  [
    webhookSecrets.showSigningKey,
    (op) => webhookSecrets.showSigningKey(op, { company: 'Acme' }),
    MANAGES_WHOLE,
  ],
  [
    webhookSecrets.rotateSigningKey,
    (op) => webhookSecrets.rotateSigningKey(op, { company: 'Acme' }),
    MANAGES_WHOLE,
  ],
  [nodes.listNodes, (op) => nodes.listNodes(op, {}), OPERATOR_ALONE],
  [domainReports.showDmarc, (op) => domainReports.showDmarc(op, { domain: 'acme.test' }), READS],
  [
    domainReports.receivedTlsReports,
    (op) => domainReports.receivedTlsReports(op, { domain: 'acme.test' }),
    READS,
  ],
  [domainReports.listTlsReports, (op) => domainReports.listTlsReports(op, {}), OPERATOR_ALONE],
  [sites.listSites, (op) => sites.listSites(op, {}), OPERATOR_ALONE],
  [sites.showSite, (op) => sites.showSite(op, { site: 'Google' }), OPERATOR_ALONE],
  [
    explaining.explain,
    (op) => explaining.explain(op, { address: 'a@x.test', from: 'acme.test' }),
    READS_WHOLE,
  ],
  [
    explaining.rehearseDelivery,
    (op) => explaining.rehearseDelivery(op, { address: 'a@x.test', from: 'acme.test' }),
    OPERATOR_ALONE,
  ],
  [examination.examine, (op) => examination.examine(op, {}), OPERATOR_ALONE],
  [
    goLive.checkCompanyStep,
    (op) => goLive.checkCompanyStep(op, { company: 'Acme', step: 'message' }),
    SEES_WHOLE,
  ],
  [goLive.checkInstallationStep, (op) => goLive.checkInstallationStep(op, { step: 'route' }), OPERATOR_ALONE],
  [setup.showSetup, (op) => setup.showSetup(op, { company: 'Acme' }), SEES_WHOLE],
  [audit.listAudit, (op) => audit.listAudit(op, { company: 'Acme', limit: 10 }), MANAGES_WHOLE],
  [audit.exportAudit, (op) => audit.exportAudit(op, { company: 'Acme' }), MANAGES_WHOLE],
  // A role of `own` needs an owner of the company, and no key is one: see test/http/console/tenants.test.ts.
  [team.showTeam, (op) => team.showTeam(op, { company: 'Acme' }), SEES_WHOLE],
  [
    team.invite,
    (op, world) => team.invite(op, { company: 'Acme', address: `a@${world.newName()}`, role: 'viewer' }),
    OPERATOR_ALONE,
  ],
  [
    team.withdrawInvitation,
    async (op, world) => {
      const asked = { company: 'Acme', address: `a@${world.newName()}`, role: 'viewer' } as const
      const { invitation } = await team.invite({ ...op, caller: OPERATOR }, asked)
      return await team.withdrawInvitation(op, { company: 'Acme', id: invitation.id })
    },
    OPERATOR_ALONE,
  ],
  [
    team.setRole,
    async (op, world) =>
      team.setRole(op, { company: 'Acme', person: await world.person(), role: 'developer' }),
    OPERATOR_ALONE,
  ],
  [
    team.removeMember,
    async (op, world) => team.removeMember(op, { company: 'Acme', person: await world.person() }),
    OPERATOR_ALONE,
  ],
  [people.listPeople, (op) => people.listPeople(op, {}), OPERATOR_ALONE],
  [
    people.inviteOperator,
    (op, world) => people.inviteOperator(op, { address: `a@${world.newName()}` }),
    OPERATOR_ALONE,
  ],
  [
    people.setOperator,
    async (op, world) => people.setOperator(op, { person: await world.person(), operator: true }),
    OPERATOR_ALONE,
  ],
  [
    people.removePerson,
    async (op, world) => people.removePerson(op, { person: await world.person() }),
    OPERATOR_ALONE,
  ],
  [
    people.makeSignInLink,
    async (op, world) => people.makeSignInLink(op, { person: await world.person() }),
    OPERATOR_ALONE,
  ],
]

/** Here they find nothing that they would change. */
const NOTHING_CHANGED: readonly TriedVerb[] = [
  domainVerification.verifyDomain,
  suppressions.clearSuppressions,
]
/** What settings are changed by, as verbs are named. */
const CHANGES =
  /^(create|add|set|update|remove|rename|rotate|limit|switch|revoke|describe|invite|withdraw|make)/
/** What no entry may hold. */
const SECRETS = /PRIVATE KEY|u:p|pr_|whsec_/

/** A request to forward events, whose callbacks do nothing. */
const FORWARDED: listening.ForwardRequest = {
  ...{ company: 'Acme', dialect: 'form', url: 'http://localhost:3000', userAgent: 'test' },
  ...{ onTried() {}, onUnreachable() {}, onReachable() {}, onOutage() {}, onReturn() {} },
}

/** Verbs without an open database: see the last test. */
const ELSEWHERE = new Set<string>(['backUp', 'migrate', 'migrateData'])

const folder = new URL('../../src/operate/', import.meta.url)
const MODULES = await Promise.all(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map(async (file): Promise<object> => await import(new URL(file, folder).href)),
)
/** By name. */
const VERBS = new Map(
  MODULES.flatMap((module) => Object.entries(module)).filter(
    ([, value]) => typeof value === 'function' && 'right' in value,
  ),
)

let world: World
before(async () => {
  world = await World.make()
})
after(() => world[Symbol.asyncDispose]())

const nameOf = (verb: unknown) => [...VERBS].find(([, value]) => value === verb)![0]

async function failure(work: Promise<unknown>): Promise<OperateError | null> {
  try {
    await work
    return null
  } catch (error) {
    if (error instanceof OperateError) return error
    throw error
  }
}

describe('rights of callers', () => {
  for (const [verb, call, outcomes] of TABLE) {
    test(`${nameOf(verb)}: ${CALLERS.map((caller) => `${caller} ${outcomes[caller]}`).join(', ')}`, async () => {
      for (const caller of CALLERS) {
        const [last] = await world.store.audit({ companyId: null, limit: 1 })
        const error = await failure(call(await world.operation(caller), world))
        assert.equal(error?.code ?? ok, outcomes[caller], `${caller}: ${error?.message}`)
        const entries = (await world.store.audit({ companyId: null, limit: 100 })).filter(
          ({ number }) => number > (last?.number ?? 0),
        )
        assert.doesNotMatch(JSON.stringify(entries), SECRETS)
        // A refused change has left no entry, and each entry is marked as done.
        for (const { action, done } of entries) assert.ok(done, `${action} by ${caller}`)
        const asked = verb.audit === null || (verb.audit.unlessByKey && caller !== 'operator')
        if (error !== null || asked || NOTHING_CHANGED.includes(verb)) continue
        const [entry] = entries.filter(({ action }) => action === nameOf(verb))
        assert.ok(entry, `${nameOf(verb)} by ${caller} is not on the audit list`)
        assert.equal(entry.actor.kind, caller === 'operator' ? 'command-line' : 'key')
        assert.notEqual(entry.target, '')
      }
    })
  }

  test('every change of settings is recorded under its own name', () => {
    for (const [name, value] of VERBS) {
      const { right, audit: noted } = value as unknown as TriedVerb
      if (noted !== null) assert.equal(noted.action, name)
      else assert.ok(right === 'see' || right === 'read' || !CHANGES.test(name), name)
    }
  })

  test('every verb stands in the table', () => {
    const tried = new Set([...TABLE.map(([verb]) => nameOf(verb)), ...ELSEWHERE])
    assert.deepEqual(
      [...VERBS.keys()].filter((name) => !tried.has(name)),
      [],
    )
  })

  test('a foreign object gets the same words as a missing one', async () => {
    const op = await world.operation('foreign')
    const { id: email } = await world.email()
    const { id: key } = await world.key()
    const { id: company } = world.acme.company
    const nowhere = '019a9b2c-0000-7000-8000-ffffffffffff'
    const fresh = { ...op, accounts: await op.store.accounts() }
    const pairs: [foreign: string, absent: string, call: (text: string) => Promise<unknown>][] = [
      [email, nowhere, (id) => emails.showEmail(op, { id })],
      [email, nowhere, (id) => emails.cancelEmail(op, { id })],
      [email, nowhere, (id) => nextStep.nextSteps(op, { id, ...OUTLINE })],
      [email, nowhere, (id) => nextStep.emailStatus(op, { id })],
      [email, nowhere, (id) => emails.showDialogue(op, { id, attempt: 0 })],
      [email, nowhere, (id) => nextStep.neighboursOf(op, { id })],
      [email, nowhere, (id) => emailLinks.checkLinks(op, { id, urls: [] })],
      [email, nowhere, (id) => rawCopies.rawCopies(op, { id })],
      [email, nowhere, (id) => rawCopies.rawCopy(op, { id })],
      [email, nowhere, (id) => queue.retry(op, { email: id })],
      [key, nowhere, (id) => keys.revokeKey(fresh, { id })],
      ['acme.test', 'nowhere.test', (domain) => domains.showDomain(op, { domain })],
      ['acme.test', 'nowhere.test', (domain) => domainVerification.verifyDomain(op, { domain })],
      ['acme.test', 'nowhere.test', (domain) => keys.createKey(op, { company: 'Beta', name: 'k', domain })],
      ...['Acme', 'acme', company].flatMap((text): typeof pairs => [
        [text, 'Nobody', (named) => domains.addDomain(op, { company: named, name: world.newName() })],
        [text, 'Nobody', (named) => domains.listDomains(op, { company: named })],
        [text, 'Nobody', (named) => emails.listEmails(op, { company: named, limit: 1 })],
        [text, 'Nobody', (named) => queue.retry(op, { company: named })],
        [text, 'Nobody', (named) => queue.retry(op, { company: named, email })],
      ]),
    ]
    for (const [theirs, absent, call] of pairs) {
      const [one, other] = [await failure(call(theirs)), await failure(call(absent))]
      assert.equal(one?.code, 'not_found')
      const said = ({ message, hint }: OperateError) => JSON.stringify({ message, hint })
      assert.equal(said(one!).replaceAll(theirs, '?'), said(other!).replaceAll(absent, '?'))
    }
  })

  test('without a company, a member’s call is about the member’s own company only', async () => {
    for (const [caller, other] of [
      ['manager', world.beta],
      ['foreign', world.acme],
    ] as const) {
      const op = await world.operation(caller)
      const listed = [
        await companies.listCompanies(op, {}),
        Object.values(await companies.showCompany(op, { company: other === world.beta ? 'Acme' : 'Beta' })),
        await domains.listDomains(op, {}),
        await keys.listKeys(op, {}),
        await emails.listEmails(op, { limit: 100 }),
        await queue.showQueue(op, {}),
        await pauses.listPauses(op, {}),
        await quarantine.listQuarantined(op, { limit: 100 }),
        await suppressions.listSuppressions(op, { limit: 100 }),
      ]
      for (const list of listed) {
        assert.ok(list.length > 0)
        const text = JSON.stringify(list)
        for (const mark of other.marks) assert.ok(!text.includes(mark), `${mark} in ${text}`)
      }
    }
  })

  test('a key for one domain lists the objects of that domain, and the routes of the whole company', async () => {
    const { company, domains: own } = world.acme
    const operator = await world.operation('operator')
    const url = 'https://hook.example/'
    for (const { id, name } of own) {
      await routes.setRoute(operator, { domain: id, url: 'smtp://relay.example' })
      await keys.createKey(operator, { company: company.id, name, domain: id })
      await webhooks.addWebhook(operator, { company: company.id, domain: id, url })
      const entries = [world.suppression()]
      await suppressions.addSuppressions(operator, { company: company.id, domain: id, entries })
    }
    await routes.setRoute(operator, { company: company.id, url: 'smtp://relay.example' })
    const op = await world.operation('restricted')
    const [{ id: mine }, { id: sister }] = own
    const of = (list: readonly { domainId: string | null }[]) =>
      [...new Set(list.map(({ domainId }) => domainId))].sort()
    assert.deepEqual(of((await routes.listRoutes(op, {})).map(({ route }) => route)), [mine, null].sort())
    assert.deepEqual(of(await keys.listKeys(op, {})), [mine])
    assert.deepEqual(of((await webhooks.listWebhooks(op, {})).map(({ webhook }) => webhook)), [mine])
    assert.deepEqual(of(await suppressions.listSuppressions(op, { limit: 100 })), [mine])
    assert.deepEqual(
      (await domains.listDomains(op, {})).map(({ id }) => id),
      [mine],
    )
    const whole = await world.operation('manager')
    for (const list of [
      (await routes.listRoutes(whole, {})).map(({ route }) => route),
      await keys.listKeys(whole, {}),
      (await webhooks.listWebhooks(whole, {})).map(({ webhook }) => webhook),
      await suppressions.listSuppressions(whole, { limit: 100 }),
    ]) {
      assert.ok(of(list).includes(sister))
    }
  })

  test('a retry by a member makes only the mail of the member’s company due', async () => {
    const dueAt = Date.now() + 3_600_000
    const [his, other] = [await world.email(world.beta, { dueAt }), await world.email(world.acme, { dueAt })]
    const retried = await queue.retry(await world.operation('foreign'), {})
    assert.equal(retried.request.companyId, world.beta.company.id)
    const due = async ({ id }: { id: string }) => (await world.store.readHistory(id))!.recipients[0]!.dueAt!
    assert.equal(await due(his), retried.request.now)
    assert.equal(await due(other), dueAt)
    // Closed paths that others share are not tried for it, as they are for an operator.
    assert.equal(retried.request.byMember, true)
    const { request } = await queue.retry(await world.operation('operator'), { company: 'Acme' })
    assert.equal(request.byMember, false)
  })

  test('a key gives no more rights than its own', async () => {
    const now = Date.now()
    const [soon, later] = [now + 60_000, now + 120_000]
    const own = {
      ...apiKey(world.acme.company),
      scopes: ['reading', 'management'] satisfies Scope[],
      networks: ['10.0.0.0/8', '2001:db8::/32'],
      expiresAt: soon,
    }
    const op = await world.as(own)
    const create = (input: Partial<keys.NewKeyInput>) =>
      keys.createKey(op, { company: 'Acme', name: 'k', ...input })

    // A bound that is not given is that of the key which makes the new one.
    const { key } = await create({})
    assert.deepEqual([key.scopes, key.networks, key.expiresAt], [['reading'], own.networks, soon])
    const within: Partial<keys.NewKeyInput>[] = [
      { scopes: ['management'] },
      { networks: ['10.0.0.0/8'] },
      { networks: ['10.1.0.0/16', '2001:db8::7'] },
      { networks: ['::ffff:10.1.2.3'] },
      { expiresAt: soon - 1 },
    ]
    for (const input of within) await create(input)

    const beyond: [Partial<keys.NewKeyInput>, RegExp][] = [
      [{ scopes: ['sending'] }, /lacks the scope sending/],
      [{ scopes: ['reading', 'sending', 'management'] }, /lacks the scope sending/],
      [{ networks: [] }, /10\.0\.0\.0\/8, 2001:db8::\/32/],
      [{ networks: ['10.0.0.0/8', '192.0.2.1'] }, /10\.0\.0\.0\/8/],
      [{ networks: ['10.0.0.0/7'] }, /10\.0\.0\.0\/8/],
      [{ networks: ['0.0.0.0/0'] }, /10\.0\.0\.0\/8/],
      [{ networks: ['::/0'] }, /10\.0\.0\.0\/8/],
      [{ expiresAt: later }, /expires/],
    ]
    for (const [input, said] of beyond) {
      const error = await failure(create(input))
      assert.equal(error?.code, 'not_allowed', JSON.stringify(input))
      assert.match(error!.message, said)
    }

    const management = await world.as({
      ...apiKey(world.acme.company),
      ...{ scopes: ['management'], networks: [], expiresAt: null },
    })
    const nothing = await failure(keys.createKey(management, { company: 'Acme', name: 'k' }))
    assert.equal(nothing?.code, 'not_allowed')
    const unbounded = await keys.createKey(management, {
      ...{ company: 'Acme', name: 'k', scopes: ['management'] },
      ...{ networks: ['192.0.2.0/24'], expiresAt: later },
    })
    assert.deepEqual([unbounded.key.networks, unbounded.key.expiresAt], [['192.0.2.0/24'], later])

    // Nor does a key that has expired meanwhile, however few rights are requested.
    for (const input of [
      {},
      { expiresAt: soon + 1 },
      { scopes: ['reading'] },
    ] satisfies Partial<keys.NewKeyInput>[]) {
      const ended = { ...op, now: () => soon }
      const error = await failure(keys.createKey(ended, { company: 'Acme', name: 'late', ...input }))
      assert.equal(error?.code, 'not_allowed', JSON.stringify(input))
    }
    assert.ok((await world.store.accounts()).keys.every(({ name }) => name !== 'late'))

    // A key that was revoked while its holder was at work gives nothing any more.
    await world.store.revokeKey(own.id, now)
    const revoked = { ...op, accounts: await world.store.accounts() }
    assert.equal(
      (await failure(keys.createKey(revoked, { company: 'Acme', name: 'k' })))?.code,
      'not_allowed',
    )
  })

  test('a company may add the domain name of another company, and learns nothing; an operator gets the reason', async () => {
    const op = await world.operation('foreign')
    const { domain, records } = await domains.addDomain(op, { company: 'Beta', name: 'acme.test' })
    assert.deepEqual([domain.status, domain.sending], ['pending', 'inactive'])
    assert.doesNotMatch(JSON.stringify(records), /Acme/)
    await world.store.removeDomain(domain.id, 1)
    const told = await failure(
      domains.addDomain(await world.operation('operator'), { company: 'Beta', name: 'acme.test' }),
    )
    assert.match(told!.message, /acme\.test is already a sending domain of Acme/)
    assert.deepEqual(told!.hint, { verb: 'showDomain', domain: world.acme.domains[0].id })
  })

  test('for a name that several companies claim, an operator gets a list of them, and each company means its own', async () => {
    const name = world.newName()
    const asked = async (caller: 'administrator' | 'foreign', company: string) =>
      (await domains.addDomain(await world.operation(caller), { company, name })).domain
    const [acmes, betas] = [await asked('administrator', 'Acme'), await asked('foreign', 'Beta')]
    const operator = () => world.operation('operator')

    const unclear = await failure(domains.showDomain(await operator(), { domain: name }))
    assert.ok(unclear!.message.endsWith(`${acmes.id} (Acme), ${betas.id} (Beta)`), unclear!.message)
    const taken = await failure(domains.addDomain(await operator(), { company: 'Beta', name }))
    assert.match(taken!.message, /already a sending domain of Acme, although it is not verified yet/)
    const { key } = await keys.createKey(await operator(), { company: 'Beta', name: 'k', domain: name })
    assert.equal(key.domainId, betas.id)

    await domains.activateDomain(await operator(), { domain: acmes.id })
    const held = await failure(domains.activateDomain(await operator(), { domain: betas.id }))
    assert.equal(held!.code, 'conflict')
    assert.match(held!.message, /Acme/)
    assert.deepEqual(held!.hint, { verb: 'showDomain', domain: acmes.id })
    for (const { id } of [acmes, betas]) await world.store.removeDomain(id, 1)
    await world.store.revokeKey(key.id, 1)
  })

  test('work on the whole database is for operators', async () => {
    const { caller } = await world.operation('manager')
    const of = { caller, database: { engine: 'sqlite', path: '/nowhere/x.db' }, secretKey: null } as const
    const moved = { from: of.database.path, to: 'postgres://x', restart: false, onProgress() {} }
    for (const work of [
      maintenance.backUp(of, { file: '/nowhere/copy', overwrite: false }),
      maintenance.migrate(of, {}),
      migrateData.migrateData(of, moved),
    ]) {
      assert.equal((await failure(work))?.code, 'not_allowed')
    }
    const operators = { ...of, caller: OPERATOR } as const
    assert.equal((await failure(maintenance.migrate(operators, {})))?.code, 'not_found')
  })
})
