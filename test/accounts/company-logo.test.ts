import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pictureSize } from '../../src/accounts/company-logo.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const latin = (text: string) => Buffer.from(text, 'latin1')
const padded = (octets: Buffer) => Buffer.concat([octets, Buffer.alloc(40)])

const PNG = hex('89504e47 0d0a1a0a 0000000d 49484452 00000140 000000f0 08060000 00')
const JPEG = hex('ffd8 ffe0 0010 4a46494600010100000100010000 ffff c2 0011 08 00f0 0140 03')
const WEBP = (chunk: string, rest: string) =>
  Buffer.concat([latin('RIFF\0\0\0\0WEBP'), latin(chunk), hex(`00000000 ${rest}`)])

test('a picture has its type and size at its beginning', () => {
  const found: [octets: Buffer, type: string][] = [
    [padded(PNG), 'image/png'],
    [padded(JPEG), 'image/jpeg'],
    [padded(WEBP('VP8 ', '000000 9d012a 4001 f000')), 'image/webp'],
    // The bits of both sizes, less one, one after the other.
    [padded(WEBP('VP8L', '2f 3fc13b00')), 'image/webp'],
    [padded(WEBP('VP8X', '10000000 3f0100 ef0000')), 'image/webp'],
  ]
  for (const [octets, type] of found) assert.deepEqual(pictureSize(octets), { type, width: 320, height: 240 })
})

test('other files are not pictures, and no cut file makes it fail', () => {
  const others = [
    latin('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    latin('GIF89a'),
    latin('RIFF\0\0\0\0WEBPVP8 '),
    padded(WEBP('ALPH', '00')),
    hex('ffd8'),
    hex('ffd8 ffe0 0000 0000 0000 0000'),
    padded(hex('ffd8 ffe0 ffff')),
    Buffer.alloc(0),
  ]
  for (const octets of others) assert.equal(pictureSize(octets), null, octets.toString('latin1'))
  for (const whole of [PNG, JPEG]) {
    for (let end = 0; end < whole.length - 1; end++) pictureSize(whole.subarray(0, end))
  }
})
