/** The DNS records that a domain needs, in forms that its owner can paste. */
import { isInOrganization } from '../dns/organization.ts'
import { dkimRecord } from '../mail/dkim/key.ts'
import { reportsAddress } from '../mail/domain-report/report-address.ts'
import {
  type DkimAlgorithm,
  type DkimIdentity,
  type DkimStage,
  isBeingSetUp,
  isPublished,
  type RecordKind,
  type RecordState,
  type SendingDomain,
} from './account.ts'
import { delegatedName, isInReserve } from './dkim-delegation.ts'
import { hostNames, ownSpf, ownSpfTerms, type SendingHost } from './own-spf.ts'
import { isPreviousKey } from './record-names.ts'
import { returnPathOf } from './return-path.ts'

/** The facts about this service that the records of domains depend on. */
export interface ServiceNames {
  /** The name of the service. */
  hostname: string
  /** The hosts that mail of the domain leaves from, at least one. */
  sendingHosts: readonly SendingHost[]
  /**
   * The mail server that receives bounces of the domain's mail. Null: none does, and only a domain that has set a
   * return path needs records for it.
   */
  bounceHost: string | null
  /** Mail of the domain leaves through a relay: only the relay's operator knows its addresses. */
  relayed: boolean
  /** The operator's zone for the records of delegated DKIM keys; null: there is none. */
  dkimZone: string | null
  /**
   * The host of the domain's return path belongs to none of the organizations of the company's domains
   * (`isForeignReturnPath`).
   */
  foreignReturnPath: boolean
}

export const RECORD_TYPES = ['TXT', 'MX', 'CNAME'] as const
type DnsRecordType = (typeof RECORD_TYPES)[number]

export interface DnsRecord {
  kind: RecordKind
  type: DnsRecordType
  /** Full name without a final dot. */
  name: string
  /** For MX, the name of the host; for CNAME, the name it points to; for TXT, the text. */
  value: string
  /** The preference of an MX record (RFC 5321 5.1); null for other types. */
  preference: number | null
  /** Sending becomes active when every required record is right; the others are advice. */
  required: boolean
  purpose: string
  /**
   * For a CNAME record: the value of the TXT record it points to, which the operator publishes; null for other types.
   */
  target: string | null
  /** The record may be removed from DNS. */
  obsolete: boolean
  /** The state of the record in the last check of the domain; null: not checked yet. */
  seen: RecordState | null
}

const PURPOSE: Readonly<Record<DkimAlgorithm, string>> = {
  'rsa-sha256': 'Lets receivers verify that a message comes from this domain and was not altered.',
  'ed25519-sha256': 'Second DKIM key (Ed25519), for receivers that support it.',
}

const PURPOSE_IN_ROTATION: Readonly<Record<DkimStage, string>> = {
  next: 'Next DKIM key: mail is signed with it as soon as DNS has this record.',
  retiring:
    'Previous DKIM key: it signs no more mail, but receivers still verify mail that is under way. Keep its record for seven days.',
  retired: 'Previous DKIM key: no mail is verified with it any more. This record may be removed from DNS.',
}

const PURPOSE_DELEGATED =
  'DKIM by CNAME: lets receivers verify that a message comes from this domain and was not altered. It leads to a key that the ' +
  'operator of this service publishes. Two such records take turns when the key is replaced: leave both in DNS.'

function purposeOf({ active, algorithm, rotation }: DkimIdentity): string {
  if (rotation !== null) return PURPOSE_IN_ROTATION[rotation.stage]
  return active ? PURPOSE[algorithm] : 'DKIM key that signs no mail.'
}

/** RFC 6376 3.6.2.1: the name of the record of a key, without a final dot. */
export function dkimRecordName(
  { selector }: Pick<DkimIdentity, 'selector'>,
  { name }: Pick<SendingDomain, 'name'>,
): string {
  return `${selector}._domainkey.${name}`
}

export function dnsRecords(domain: SendingDomain, names: ServiceNames): DnsRecord[] {
  const { hostname, sendingHosts } = names
  return [
    // The records of previous keys come after those of the keys that sign.
    ...domain.dkim
      .toSorted((a, b) => Number(isPreviousKey(a.rotation?.stage)) - Number(isPreviousKey(b.rotation?.stage)))
      .map((key) => dkimDnsRecord(domain, key, names)),
    {
      kind: 'spf',
      type: 'TXT',
      name: domain.name,
      value: ownSpf(sendingHosts),
      preference: null,
      target: null,
      required: false,
      obsolete: false,
      seen: domain.seen.spf ?? null,
      purpose:
        `SPF: lets ${hostNames(sendingHosts)} send for this domain. A name may have only one SPF record (RFC 7208 3.2): if it has ` +
        `one already, add ${ownSpfTerms(sendingHosts).join(' ')} to it. If mail leaves through a relay, use the value that the relay's operator gives you instead.` +
        (hostname.includes('.') || sendingHosts.every(({ name }) => name !== hostname)
          ? ''
          : ` "${hostname}" is not a public host name: set POSTROAD_HOSTNAME first.`),
    },
    ...returnPathRecords(domain, names),
    {
      kind: 'dmarc',
      type: 'TXT',
      name: `_dmarc.${domain.name}`,
      value: dmarcRecord(domain, names),
      preference: null,
      target: null,
      required: false,
      obsolete: false,
      seen: domain.seen.dmarc ?? null,
      purpose:
        'DMARC: tells receivers what to do with mail that fails the checks. Large mailbox providers expect this record; ' +
        'p=none changes nothing, p=quarantine or p=reject protects the domain once all its mail is signed.',
    },
    ...reportRecords(domain, names),
  ]
}

/** If the service no longer has a zone, a delegated key needs a TXT record in the domain's own zone. */
function dkimDnsRecord(domain: SendingDomain, key: DkimIdentity, { dkimZone }: ServiceNames): DnsRecord {
  const text = dkimRecord(key.algorithm, key.publicKey)
  const shared = {
    kind: 'dkim',
    name: dkimRecordName(key, domain),
    preference: null,
    seen: key.seen,
  } as const
  if (!key.delegated || dkimZone === null) {
    const obsolete = key.rotation?.stage === 'retired'
    const [required, purpose] = [isPublished(key), purposeOf(key)]
    return { ...shared, type: 'TXT', value: text, target: null, required, purpose, obsolete }
  }
  return {
    ...shared,
    type: 'CNAME',
    value: delegatedName(key, domain, dkimZone),
    target: text,
    // During setup the owner publishes every record at once. Later the record of a reserve key may be missing for a
    // while: no mail depends on it yet.
    required: isPublished(key) || (isInReserve(key) && isBeingSetUp(domain)),
    purpose: PURPOSE_DELEGATED,
    obsolete: domain.settings.dkimDelegated !== true && key.rotation?.stage === 'retired',
  }
}

/** Where receivers send their reports: to the host that bounces come back to. Null: this service reads none. */
export function reportsOf(
  domain: Pick<SendingDomain, 'name' | 'settings'>,
  { bounceHost }: Pick<ServiceNames, 'bounceHost'>,
): string | null {
  const host = returnPathOf(domain)
  return bounceHost === null || host === null ? null : reportsAddress(host)
}

function dmarcRecord(domain: SendingDomain, names: ServiceNames): string {
  const reports = reportsOf(domain, names)
  return `v=DMARC1; p=none${reports === null ? '' : `; rua=mailto:${reports}`}`
}

/** The records by which others send their reports about the domain to this service. */
function reportRecords(domain: SendingDomain, names: ServiceNames): DnsRecord[] {
  const [host, reports] = [returnPathOf(domain), reportsOf(domain, names)]
  if (host === null || reports === null) return []
  const shared = { type: 'TXT', preference: null, target: null, required: false, obsolete: false } as const
  const tls: DnsRecord = {
    ...shared,
    kind: 'tls_report',
    name: `_smtp._tls.${domain.name}`,
    value: `v=TLSRPTv1; rua=mailto:${reports}`,
    seen: domain.seen.tls_report ?? null,
    purpose:
      'TLS reports (RFC 8460): servers that send mail to this domain report here each day whether its mail servers offered ' +
      'the TLS that they should. Mail from this domain does not depend on it.',
  }
  if (isInOrganization(host, domain.name)) return [tls]
  const permission: DnsRecord = {
    ...shared,
    kind: 'dmarc_report',
    name: `${domain.name}._report._dmarc.${host}`,
    value: 'v=DMARC1',
    seen: domain.seen.dmarc_report ?? null,
    purpose:
      `Permission of ${host} to receive DMARC reports about ${domain.name}: receivers ask for it because the two belong to ` +
      `different organizations (RFC 7489 7.1). The owner of ${host} publishes it.`,
  }
  return [permission, tls]
}

const BOUNCE_PREFERENCE = 10

/** The records of the host that bounces come back to: mail servers deliver them to its MX, and check its SPF record. */
function returnPathRecords(
  domain: SendingDomain,
  { hostname, sendingHosts, bounceHost, foreignReturnPath }: ServiceNames,
): DnsRecord[] {
  const isChosen = domain.settings.returnPath !== undefined
  const name = returnPathOf(domain)
  if (name === null || (bounceHost === null && !isChosen)) return []
  const shared = { name, target: null, required: isChosen, obsolete: false }
  const owner: DnsRecord = {
    ...shared,
    kind: 'return_path_owner',
    type: 'TXT',
    name: `_postroad.${name}`,
    value: `return-path-for=${domain.name}`,
    preference: null,
    seen: domain.seen.return_path_owner ?? null,
    purpose:
      `Return path of another organization: the owner of ${name} allows mail from ${domain.name} to have it in MAIL FROM. ` +
      'Without this record, the other two may be there for somebody else. One name may have several such records.',
  }
  return [
    {
      ...shared,
      kind: 'return_path_mx',
      type: 'MX',
      value: bounceHost ?? hostname,
      preference: BOUNCE_PREFERENCE,
      seen: domain.seen.return_path_mx ?? null,
      purpose:
        'Return path: bounces of mail from this domain come back to this host, so that they show with the email. It is used as ' +
        'soon as this record and the next one are right; until then bounces go to the address in From.',
    },
    {
      ...shared,
      kind: 'return_path_spf',
      type: 'TXT',
      value: ownSpf(sendingHosts),
      preference: null,
      seen: domain.seen.return_path_spf ?? null,
      purpose:
        `SPF of the return path: lets ${hostNames(sendingHosts)} send with it. Receivers check SPF for this name, because it is in MAIL FROM ` +
        '(RFC 7208 2.4).',
    },
    ...(foreignReturnPath ? [owner] : []),
  ]
}

/** Whether the record decides if the return path is used. */
export function isOfReturnPath({ kind }: Pick<DnsRecord, 'kind'>): boolean {
  return kind === 'return_path_mx' || kind === 'return_path_spf' || kind === 'return_path_owner'
}
