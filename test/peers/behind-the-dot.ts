/** Envelopes behind final dots, one after the other on one session with a real server (OpenSMTPD has no PIPELINING). */
import assert from 'node:assert/strict'
import { Dialogue } from '../../src/delivery/smtp/dialogue.ts'
import { openSession } from '../../src/delivery/smtp/session.ts'
import { targetAt, transactionOf } from '../support/smtp-transaction.ts'
import type { Peer } from './peer.ts'
import { inBox, type Stage } from './stage.ts'

const MESSAGES = 10

/** Every third message is refused: the server knows no such recipient. */
export async function takesEnvelopesBehindDots({ peer, port }: Stage<Peer>, address: string): Promise<void> {
  const session = await openSession(targetAt(port, { address }), new Dialogue())
  const sent: Promise<string>[] = []
  const expected: string[] = []
  let behind = 0
  for (let at = 0; at < MESSAGES; at++) {
    const isForNobody = at % 3 === 2
    const { promise: atDot, resolve: onDot } = Promise.withResolvers<void>()
    const transaction = transactionOf({
      sender: 'sender@sender.test',
      recipients: [`${isForNobody ? 'nobody' : 'behind'}@good.test`],
      text: `From: sender@sender.test\r\nSubject: ${at}\r\n\r\nNumber ${at}.\r\n`,
    })
    if (session.takesNext) behind++
    const replies = session.send({ ...transaction, onDot }, new Dialogue())
    sent.push(replies.then(([reply]) => reply!.verdict))
    expected.push(isForNobody ? 'bounced' : 'delivered')
    await Promise.race([atDot, replies])
  }
  assert.deepEqual(await Promise.all(sent), expected)
  assert.ok(behind > 0)
  await session.quit()
  const delivered = expected.filter((verdict) => verdict === 'delivered').length
  const subjects = (await inBox(peer, 'behind', delivered)).map(
    (raw) => /^Subject: (\d+)/m.exec(raw.toString())![1],
  )
  assert.deepEqual(
    subjects.toSorted(),
    expected.flatMap((verdict, at) => (verdict === 'delivered' ? String(at) : [])).toSorted(),
  )
}
