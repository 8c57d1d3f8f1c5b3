/** The question as every server is asked it: with EDNS, and without where the server does not understand that. */
import { exchange } from './exchange.ts'
import { makeQuery, type QuestionType, rcodeOf } from './message.ts'
import type { NameServer } from './name-server.ts'

const FORMERR = 1
const NOTIMP = 4

/** Rejects with NoReply. `validated` asks whether the answer is validated; `timeout` in ms counts for each exchange. */
export async function askWithEdns(
  server: NameServer,
  question: { name: string; type: QuestionType; validated: boolean },
  timeout: number,
): Promise<Buffer> {
  const { name, type, validated } = question
  const reply = await exchange(server, makeQuery(name, type, { edns: true, validated }), timeout)
  // RFC 6891 6.2.2, 7: an old server may not understand EDNS.
  if (rcodeOf(reply) !== FORMERR && rcodeOf(reply) !== NOTIMP) return reply
  return await exchange(server, makeQuery(name, type, { edns: false, validated: false }), timeout)
}
