import { isEightBit, normaliseRaw, RawError, readRaw, toSevenBit } from '../../src/mail/raw/raw.ts'
import { assert, type FuzzTarget, unlessRefused, words } from '../target.ts'

const DEFAULTS = { messageId: '<fallback@x.test>', date: 1_700_000_000_000 }
/** Octets an output may have for each of its input: quoted-printable takes three for one. */
const GROWTH = 4

/** What is sent of a ready message is fit for SMTP, and fit again gives the same. */
export const mime: FuzzTarget = {
  name: 'mime',
  about: 'ready messages of messages.mime',
  encoding: 'latin1',
  seeds: [
    'From: a@x.test\r\nTo: b@y.test\r\nSubject: s\r\n\r\nbody\r\n',
    'From: a@x.test\nTo: b@y.test\nContent-Type: text/plain; charset=utf-8\n\nb\xc3\xb6dy\n',
    'From: a@x.test\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b--\r\n',
    'From: a@x.test\r\nContent-Type: multipart/alternative; boundary=x\r\n\r\n--x\r\nContent-Type: multipart/related; boundary=xx\r\n\r\n--xx\r\n\r\n--xx--\r\n--x--\r\n',
    'From: a@x.test\r\nContent-Type: message/rfc822\r\n\r\nFrom: c@x.test\r\n\r\ninner\r\n',
    'Resent-From: a@x.test\r\nFrom: a@x.test\r\nBcc: c@x.test\r\nReceived: x\r\n\r\n',
    'From: =?utf-8?q?J=C3=B6rg?=\r\n <a@x.test>\r\nContent-Type: multipart/signed; boundary=s; micalg=x; protocol="y"\r\n\r\n--s\r\n\r\nx\r\n--s\r\n\r\ny\r\n--s--\r\n',
    `From: a@x.test\r\nContent-Type: text/plain\r\n\r\n${'x'.repeat(1_200)}\r\n`,
  ],
  tokens: [
    ...words(
      '\r\n \n \r \r\n\r\n --b --b-- -- \0 boundary=" quoted-printable 8bit binary message/rfc822 \t ;',
      "\" ( = =\r\n =3D \xc3\xa4 \xff : name*0*=utf-8'' charset=iso-2022-jp",
    ),
    'Content-Type: ',
    'multipart/mixed; boundary=b',
    'Content-Transfer-Encoding: base64\r\n',
    'From: a@x.test\r\n',
    'Sender: ',
    'Resent-From: ',
    'Bcc: ',
    ' ',
    'x'.repeat(990),
  ],
  run(input) {
    unlessRefused(() => readRaw(input), RawError)
    const ready = unlessRefused(() => normaliseRaw(input, DEFAULTS), RawError)
    if (ready === undefined) return
    assertFit(ready, input)
    // It has all it needs now, and nothing that must go.
    assert(normaliseRaw(ready, DEFAULTS).equals(ready), 'making a fit message fit changed it')
    const seven = unlessRefused(() => toSevenBit(ready), RawError)
    if (seven === undefined) return
    assert(!isEightBit(seven), '8-bit octets are left in a 7-bit message')
    assertFit(seven, input)
  },
}

function assertFit(ready: Buffer, input: Buffer): void {
  const text = ready.toString('latin1')
  assert(!/\r(?!\n)|(?<!\r)\n|\0/.test(text), 'a lone CR or LF, or a NUL, in what is sent')
  assert(!/[^\r\n]{999}/.test(text), 'a line of over 998 octets in what is sent')
  assert(ready.length <= GROWTH * input.length + 4_096, 'what is sent is far larger than what came')
  const head = text.slice(0, text.search(/(?:^|\r\n)\r\n/) + 2)
  assert(
    !/(?:^|\r\n)(?:bcc|resent-bcc|return-path|dkim-signature)[ \t]*:/i.test(head),
    'a field that must not travel',
  )
}
