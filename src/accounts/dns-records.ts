/** The DNS records that a domain needs, in forms that its owner can paste. */
import { dkimRecord } from '../mail/dkim/key.ts'
import {
  type DkimAlgorithm,
  type DkimIdentity,
  type DkimStage,
  isPublished,
  type RecordKind,
  type RecordState,
  type SendingDomain,
} from './account.ts'

export interface DnsRecord {
  kind: RecordKind
  type: 'TXT'
  /** Full name without a final dot. */
  name: string
  value: string
  /** Sending becomes active when every required record is right; the others are advice. */
  required: boolean
  purpose: string
  /** The record may be removed from DNS. */
  obsolete: boolean
  /** The state of the record in the last check of the domain; null: not checked yet. */
  seen: RecordState | null
}

const PURPOSE: Readonly<Record<DkimAlgorithm, string>> = {
  'rsa-sha256': 'DKIM key: lets receivers verify that a message comes from this domain and was not altered.',
  'ed25519-sha256': 'Second DKIM key (Ed25519), for receivers that support it.',
}

const PURPOSE_IN_ROTATION: Readonly<Record<DkimStage, string>> = {
  next: 'Next DKIM key: mail is signed with it as soon as DNS has this record.',
  retiring:
    'Previous DKIM key: it signs no more mail, but receivers still verify mail that is under way. Keep its record for seven days.',
  retired: 'Previous DKIM key: no mail is verified with it any more. This record may be removed from DNS.',
}

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

/** @param hostname the name that this service sends under, as in EHLO */
export function dnsRecords(domain: SendingDomain, hostname: string): DnsRecord[] {
  const dkim = domain.dkim.map(
    (key): DnsRecord => ({
      kind: 'dkim',
      type: 'TXT',
      name: dkimRecordName(key, domain),
      value: dkimRecord(key.algorithm, key.publicKey),
      required: isPublished(key),
      purpose: purposeOf(key),
      obsolete: key.rotation?.stage === 'retired',
      seen: key.seen,
    }),
  )
  return [
    ...dkim,
    {
      kind: 'spf',
      type: 'TXT',
      name: domain.name,
      value: `v=spf1 a:${hostname} ~all`,
      required: false,
      obsolete: false,
      seen: domain.seen.spf ?? null,
      purpose:
        `SPF: lets ${hostname} send for this domain. A name may have only one SPF record (RFC 7208 3.2): if it has one already, ` +
        `add a:${hostname} to it. If mail leaves through a relay, use the value that the relay's operator gives you instead.` +
        (hostname.includes('.')
          ? ''
          : ` "${hostname}" is not a public host name: set POSTROAD_HOSTNAME first.`),
    },
    {
      kind: 'dmarc',
      type: 'TXT',
      name: `_dmarc.${domain.name}`,
      value: 'v=DMARC1; p=none',
      required: false,
      obsolete: false,
      seen: domain.seen.dmarc ?? null,
      purpose:
        'DMARC: tells receivers what to do with mail that fails the checks. Large mailbox providers expect this record; ' +
        'p=none changes nothing, p=quarantine or p=reject protects the domain once all its mail is signed.',
    },
  ]
}

/** Octets in one character-string of a TXT record (RFC 1035 3.3). */
const STRING = 255

/** The record as a line of a zone file; long values are split into several strings, which are read as one. */
export function zoneLine(record: Pick<DnsRecord, 'name' | 'type' | 'value'>): string {
  const octets = Buffer.from(record.value)
  const strings: string[] = []
  for (let start = 0; start < octets.length; start += STRING) {
    const text = octets.subarray(start, start + STRING).toString('latin1')
    strings.push(`"${text.replace(/["\\]/g, '\\$&')}"`)
  }
  return `${record.name}. IN ${record.type} ${strings.join(' ')}`
}
