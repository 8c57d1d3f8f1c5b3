import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { keysOfDomains, keysOfRecords, verifyDkim } from '../../harness/verify-dkim.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicBase64 = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const identity = {
  id: '1',
  active: true,
  selector: 's1',
  algorithm: 'rsa-sha256' as const,
  publicKey: publicBase64,
  rotation: null,
  delegated: false,
  activeSince: null,
  seenSince: null,
  seen: null,
}
const keys = keysOfDomains([
  { name: 'acme.test', dkim: [{ ...identity, sealedPrivateKey: new Uint8Array() }] },
])
const message = 'From: a@acme.test\r\nTo: b@b.test\r\nSubject: hello\r\n\r\nbody\r\n'

async function signed(): Promise<Buffer> {
  const signer = {
    signingDomain: 'acme.test',
    selector: 's1',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
  const { signatures } = await dkimSign(message, { ...signer, signatureData: [signer] })
  return Buffer.from(signatures + message)
}

test('a signature passes with the key its domain publishes, in either form', async () => {
  const raw = await signed()
  assert.deepEqual(await verifyDkim(raw, keys), {
    pass: true,
    signatures: [{ domain: 'acme.test', selector: 's1', result: 'pass', reason: '' }],
  })
  const value = keys.get('s1._domainkey.acme.test')!
  assert.equal(
    (await verifyDkim(raw, keysOfRecords([{ type: 'TXT', name: 's1._domainkey.acme.test.', value }]))).pass,
    true,
  )
})

test('a changed body, a missing key and an unsigned message do not pass', async () => {
  const raw = await signed()
  const changed = await verifyDkim(Buffer.from(raw.toString().replace('body', 'b0dy')), keys)
  assert.equal(changed.pass, false)
  assert.match(changed.signatures[0]!.reason, /body hash did not verify/)
  assert.equal((await verifyDkim(raw, new Map())).pass, false)
  assert.deepEqual(await verifyDkim(Buffer.from(message), keys), { pass: false, signatures: [] })
})
