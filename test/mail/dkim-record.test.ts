import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DkimRecordError, dkimRecord, generateDkimKey, parseDkimRecord } from '../../src/mail/dkim/dkim.ts'

describe('a DKIM key record', () => {
  test('is read back as it was written', async () => {
    const { publicKey } = await generateDkimKey('ed25519-sha256')
    assert.equal(Buffer.from(publicKey, 'base64').length, 32)
    assert.equal(dkimRecord('ed25519-sha256', publicKey), `v=DKIM1; k=ed25519; p=${publicKey}`)
    assert.deepEqual(parseDkimRecord(dkimRecord('ed25519-sha256', publicKey)), {
      keyType: 'ed25519',
      publicKey,
      hashes: [],
      services: [],
      testing: false,
      exact: false,
    })
  })

  test('may omit fields that have defaults, and may contain white space and unknown tags', () => {
    assert.deepEqual(parseDkimRecord('p=AAAA BBBB\tCC== ; n=a note; h=sha256; s=email; t=y:s;'), {
      keyType: 'rsa',
      publicKey: 'AAAABBBBCC==',
      hashes: ['sha256'],
      services: ['email'],
      testing: true,
      exact: true,
    })
  })

  test('with an empty key is a revoked one', () => {
    assert.equal(parseDkimRecord('v=DKIM1; p=').publicKey, '')
  })

  test('that verifiers would ignore is an error that says why', () => {
    const cases: [string, RegExp][] = [
      ['', /no public key/],
      ['v=DKIM1; k=rsa', /no public key/],
      ['v=DKIM2; p=AAAA', /must be DKIM1/],
      ['k=rsa; v=DKIM1; p=AAAA', /not the first/],
      ['v=DKIM1; p=AAAA; p=BBBB', /p= occurs more than once/],
      ['v=DKIM1; nonsense', /"nonsense" in the record is not of the form/],
      ['v=DKIM1; p="AAAA"', /not base64/],
    ]
    for (const [record, reason] of cases) {
      assert.throws(
        () => parseDkimRecord(record),
        (error) => error instanceof DkimRecordError && reason.test(error.message),
        record,
      )
    }
  })
})
