/**
 * The costliest search for words of replies: two thousand emails, each with a hundred recipients that a stranger's
 * server refused in different words, which almost match the search. It has a service of its own, because no other route
 * needs so much refused mail. No turn of the main thread takes longer than the table of costliest requests allows.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Insiders } from '../../../harness/service/insiders.ts'
import type { ServiceChild } from '../../../harness/service/service-child.ts'
import { longestStall, readStalls } from '../../../harness/service/stalls.ts'
import { loadSettings } from '../../../src/config/load.ts'
import { openStore } from '../../../src/store/open.ts'
import { attempt, email, node, result } from '../../store/samples.ts'
import { Installation } from '../../support/installation.ts'
import { assertShort, judgeTurn, type TurnVerdict } from './limits.ts'

const EMAILS = 2_000
const RECIPIENTS = 100
/** Emails that are written at once. */
const AT_ONCE = 50
const ROUNDS = 4

let installation: Installation
let child: ServiceChild
let companyId: string
let cookie: string

before(async () => {
  installation = new Installation({ POSTROAD_METRICS_LISTEN: 'same', POSTROAD_DELIVERY: 'capture' })
  companyId = (await installation.addTenant('acme.example')).companyId
  await addRefused(await installation.databaseUrl())
  child = await installation.serve()
  await using insiders = await Insiders.of(await installation.databaseUrl(), companyId)
  cookie = await insiders.signIn('owner')
})
after(() => installation.remove())

async function addRefused(databaseUrl: string): Promise<void> {
  const { database } = loadSettings({ POSTROAD_DATABASE_URL: databaseUrl }, { envFile: null })
  const store = await openStore(database, { exclusive: false })
  const token = await store.join(node('here'))
  const to = Array.from({ length: RECIPIENTS }, (_, position) => `u${position}@x.test`)
  const messageOf = (position: number) => `550 ${'ä '.repeat(140)}${position}`
  // One event files the words of the email.
  const events = [{ type: 'bounced' as const, at: Date.now(), detail: { code: 550, message: '550 ä z' } }]
  const refused = to.map((_, position) =>
    result(position, {
      ...{ state: 'bounced', code: 550, message: messageOf(position) },
      events: position === 0 ? events : [],
    }),
  )
  for (let written = 0; written < EMAILS; written += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, () => email({ id: companyId }, to))
    await Promise.all(
      some.map(async (each) => {
        await store.accept(each, { token })
        await store.record(attempt(each, token, refused))
      }),
    )
  }
  await store.leave(token)
  await store.close()
}

/** Words that all of the emails are filed under, in an order that none of them has. */
const phrases = Array.from({ length: 20 }, (_, n) => `reply:"${'ä '.repeat(n + 3)}z"`).join(' ')

for (const path of ['emails', 'emails/count']) {
  test(`GET /companies/:company/${path}`, async (t) => {
    const url = `${child.url}/console/api/companies/${companyId}/${path}?q=${encodeURIComponent(phrases)}`
    let ms = Number.POSITIVE_INFINITY
    let verdict: TurnVerdict | undefined
    for (let round = 0; round < ROUNDS; round++) {
      const before = await readStalls(child.url)
      const response = await fetch(url, { headers: { cookie, 'x-postroad-console': '1' } })
      const text = await response.text()
      assert.equal(response.status, 200, text)
      const { emails = [], count = 0 } = JSON.parse(text)
      assert.deepEqual([emails.length, count], [0, 0], 'nothing has the words in this order')
      const stalls = await readStalls(child.url)
      ms = Math.min(ms, longestStall(before, stalls))
      verdict = judgeTurn(ms, stalls)
      if (verdict.isShort) break
    }
    t.diagnostic(`${ms} ms`)
    assertShort(verdict!)
  })
}
