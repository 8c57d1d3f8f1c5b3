import { MalformedReply, ReplyReader } from '../../src/delivery/smtp/reader.ts'
import { type Reply, replyText } from '../../src/delivery/smtp/reply.ts'
import { assert, assertSame, type FuzzTarget, words } from '../target.ts'

/** Replies are the same however they are cut on their way. The first octet says how. */
export const smtpReply: FuzzTarget = {
  name: 'smtp-reply',
  about: 'replies of mail servers',
  seeds: [
    '1220 mx.x.test ESMTP\r\n',
    '4250-mx.x.test\r\n250-SIZE 1000\r\n250-PIPELINING\r\n250 8BITMIME\r\n',
    '7550 5.1.1 <a@x.test>: User unknown\r\n',
    '2354 go on\n250 2.0.0 Ok: queued as 1\r\n221 2.0.0 Bye\r\n',
    '9451-4.7.1 Greylisted\r\n451 4.7.1 come back\r\n',
    '1334 VXNlcm5hbWU6\r\n250\r\n',
  ],
  tokens: [
    ...words('\r\n \n \r - 250 250- 5.7.1 4. \0 \x1b[2J \xff ä 999 000'),
    ' ',
    '250 ',
    '421 ',
    '550 5.1.1 ',
    'x'.repeat(4_096),
  ],
  run(input) {
    const [cut = 1] = input
    const octets = input.subarray(1)
    const whole = replies(octets, octets.length || 1)
    for (const reply of whole.read) {
      assert(reply.code >= 200 && reply.code <= 599, `a reply with code ${reply.code}`)
      const shown = replyText(reply)
      assert(shown.length <= 1_000, 'a reply longer than what is recorded of it')
      assert(!/[\x00-\x08\x0a-\x1f\x7f-\x9f]/.test(shown), 'a control character in a reply that is shown')
    }
    const pieces = replies(octets, (cut % 61) + 1)
    // Where one reading ends early, the other may have got further; up to there they agree.
    const both = Math.min(whole.read.length, pieces.read.length)
    assertSame('replies depend on how they were cut', pieces.read.slice(0, both), whole.read.slice(0, both))
    assert(whole.failed === pieces.failed, 'whether a reply is one depends on how it was cut')
  },
}

function replies(octets: Buffer, piece: number): { read: Reply[]; failed: boolean } {
  const read: Reply[] = []
  const reader = new ReplyReader((reply) => read.push(reply))
  try {
    for (let at = 0; at < octets.length; at += piece)
      reader.push(Buffer.from(octets.subarray(at, at + piece)))
    return { read, failed: false }
  } catch (error) {
    if (!(error instanceof MalformedReply)) throw error
    return { read, failed: true }
  }
}
