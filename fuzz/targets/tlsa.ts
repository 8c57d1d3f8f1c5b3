import { publicKeyOf } from '../../src/delivery/dane/certificate.ts'
import { matchesCertificate, recordKey, usableRecords } from '../../src/delivery/dane/tlsa.ts'
import { assert, type FuzzTarget } from '../target.ts'

/** Of mx.x.test, self-signed. */
const certificate = Buffer.from(
  [
    'MIIBSzCB8qADAgECAgkBo/tuiBKgf28wCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbXgueC50ZXN0MCIYDzIwMjYwOTI5MDYyODM1',
    'WhgPMjEyNjExMDQwNjI4MzVaMBQxEjAQBgNVBAMMCW14LngudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABI2B7P3YAIUT',
    'AsIRcYGKHIBusYnbz7neZ729NuBwD51mELbjWOUcJzwUYVbGY2JKXD8JI4eGlH/8+f2NEqen8/mjKTAnMA8GA1UdEwEB/wQFMAMB',
    'Af8wFAYDVR0RBA0wC4IJbXgueC50ZXN0MAoGCCqGSM49BAMCA0gAMEUCIHU3p0jOzCGX0TbVPdIyhwgo2T8POwdQQuhDBK1w46V4',
    'AiEA5XF6p6K9v9G6Kndjv56k+9aROguEcbm4lTGA5I+DmHk=',
  ].join(''),
  'base64',
)
const publicKey = publicKeyOf(certificate)!

/**
 * Whatever a zone publishes, records are usable or they are not, and none that is not made of a certificate matches it.
 * The input is read twice: as TLSA records of 40 octets each, and as the certificate of a server.
 */
export const tlsa: FuzzTarget = {
  name: 'tlsa',
  about: 'TLSA records, and certificates that they are compared with',
  encoding: 'latin1',
  seeds: [
    '\x03\x01\x01abcdefghijklmnopqrstuvwxyz012345',
    certificate.toString('latin1'),
    `\x02\x00\x00${certificate.toString('latin1')}`,
    `\x03\x01\x00${publicKey.toString('latin1')}`,
  ],
  tokens: [
    '\x00',
    '\x01',
    '\x02',
    '\x03',
    '\x30\x82',
    '\x30\x84\xff\xff\xff\xff',
    '\xa0\x03\x02\x01\x02',
    '\x30\x80',
  ],
  run(input) {
    const record = {
      usage: input[0] ?? 0,
      selector: input[1] ?? 0,
      matchingType: input[2] ?? 0,
      data: input.subarray(3),
    }
    const usable = usableRecords([record, { ...record, usage: 3 }])
    for (const each of usable) {
      assert(recordKey(each) !== '', 'a record without a key')
      const selected = each.selector === 0 ? certificate : publicKey
      const isItself = each.matchingType === 0 && each.data.equals(selected)
      assert(matchesCertificate(each, certificate) === isItself, 'a record that matches by chance')
    }
    const key = publicKeyOf(input)
    assert(
      key === null || (key.length > 0 && key.length < input.length),
      'a key that is no part of its certificate',
    )
  },
}
