/** Makes certificates on demand (X.509 v3, RFC 5280), so that no test depends on openssl or on a file that expires. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

const OID_ECDSA_SHA256 = '06082a8648ce3d040302'
const OID_RSA_SHA256 = '06092a864886f70d01010b'
const OID_COMMON_NAME = '0603550403'
const OID_SUBJECT_ALT_NAME = '0603551d11'
const OID_BASIC_CONSTRAINTS = '0603551d13'

function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  const length =
    content.length < 128
      ? [content.length]
      : content.length < 256
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const hex = (text: string) => Buffer.from(text, 'hex')
const sequence = (...contents: Uint8Array[]) => der(0x30, ...contents)

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`))
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 4) return der(0x87, Buffer.from(name.split('.').map(Number)))
  return der(0x82, Buffer.from(name))
}

export interface Certificate {
  /** PEM. */
  cert: string
  key: string
}

type KeyKind = 'ec' | 'rsa'

/** A certificate with the name that it was made for first. */
export interface Issuer extends Certificate {
  name: string
}

/**
 * A certificate for these DNS names and IPv4 addresses. `validFor`: in days; negative: it has expired. Its key is elliptic by default,
 * which not every server can use.
 */
export function selfSigned(names: string[], validFor = 30, kind: KeyKind = 'ec'): Certificate {
  return certify(names, { validFor, kind, authority: true, issuer: null })
}

/** Like `selfSigned`, but signed by an issuer. `authority`: the certificate may issue others. The chain is not included. */
export function issuedBy(
  issuer: Issuer,
  names: string[],
  { validFor = 30, authority = false, kind = 'ec' as KeyKind } = {},
): Certificate {
  return certify(names, { validFor, kind, authority, issuer })
}

function certify(
  names: string[],
  {
    validFor,
    kind,
    authority,
    issuer,
  }: { validFor: number; kind: KeyKind; authority: boolean; issuer: Issuer | null },
): Certificate {
  const { privateKey, publicKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signer: KeyObject = issuer === null ? privateKey : createPrivateKey(issuer.key)
  const algorithm =
    signer.asymmetricKeyType === 'ec'
      ? sequence(hex(OID_ECDSA_SHA256))
      : sequence(hex(OID_RSA_SHA256), hex('0500'))
  const subject = nameOf(names[0]!)
  const day = 86_400_000
  const extensions = sequence(
    sequence(hex(OID_BASIC_CONSTRAINTS), hex('0101ff'), der(0x04, sequence(hex(authority ? '0101ff' : '')))),
    sequence(hex(OID_SUBJECT_ALT_NAME), der(0x04, sequence(...names.map(alternativeName)))),
  )
  const toBeSigned = sequence(
    der(0xa0, hex('020102')),
    der(0x02, Buffer.concat([hex('01'), randomBytes(8)])),
    algorithm,
    issuer === null ? subject : nameOf(issuer.name),
    sequence(time(new Date(Date.now() - 60 * day)), time(new Date(Date.now() + validFor * day))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = sign('sha256', toBeSigned, signer)
  const certificate = sequence(toBeSigned, algorithm, der(0x03, hex('00'), signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g)!
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(hex(OID_COMMON_NAME), der(0x0c, Buffer.from(commonName)))))
}
