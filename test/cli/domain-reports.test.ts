/** Reports about domains on the command line. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { utcDay } from '../../src/common/utc-day.ts'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { type DmarcFacts, dmarcAdvice } from '../../src/operate/dmarc-advice.ts'
import { dmarcPolicyWords } from '../../src/operate/dmarc-policy-words.ts'
import { openStore } from '../../src/store/open.ts'
import type { DmarcReporterSum, Store } from '../../src/store/store.ts'
import { keepHistory } from '../mail/domain-report/history.ts'
import { newWorkplace, type Workplace } from './postroad.ts'

const DAY = 86_400_000
const today = Math.floor(Date.now() / DAY) * DAY

async function fill(store: Store): Promise<void> {
  const { domains } = await store.accounts()
  const domain = domains[0]!
  await keepHistory(store, domain, [
    { source: '192.0.2.1', count: 50 },
    { source: '192.0.2.9', count: 3, dkim: 'fail', spf: 'fail' },
  ])
  // In the name of the same reporter, with the same ids.
  await keepHistory(store, domain, [{ source: '192.0.2.1', count: 5_000 }], [null])
}

describe('reports about domains', () => {
  let workplace: Workplace
  before(async () => {
    workplace = newWorkplace()
    await workplace.json('company', 'create', 'Acme')
    await workplace.json('domain', 'add', 'x.test', '--company', 'Acme')
    const url = `sqlite:${join(workplace.folder, 'data', 'postroad.db')}`
    const store = await openStore(parseDatabase(url), { exclusive: false })
    await fill(store)
    const day = utcDay(today - DAY)
    const failure = { result: 'certificate-expired', host: 'mx.y.test', address: '192.0.2.7' }
    const policy = { type: 'sts', policy: ['version: STSv1'], hosts: ['mx.y.test'] }
    const detail = (of: object | null) => JSON.stringify({ ...policy, failure: of })
    await store.countTlsSessions(
      [
        { domain: 'y.test', day, key: 'a', detail: detail(null), sessions: 4 },
        { domain: 'y.test', day, key: 'b', detail: detail(failure), sessions: 2 },
      ],
      [{ domain: 'y.test', day, dueAt: today }],
    )
    await store.close()
  })
  after(() => workplace.remove())

  test('dmarc shows which servers send as a domain, and the next step', async () => {
    const summary = await workplace.json<{
      messages: number
      failing: number
      unverified: object
      sources: object[]
    }>('dmarc', 'x.test')
    assert.equal(summary.messages, 424)
    assert.equal(summary.failing, 24)
    assert.deepEqual(
      summary.sources.map((each) => ({ ...each })),
      [
        {
          ...{ source: '192.0.2.9', messages: 24, unverified: 0 },
          ...{ dkim: 0, spf: 0, failing: 24, quarantined: 0, rejected: 0 },
          domains: ['x.test', 'bounces.x.test'],
        },
        {
          ...{
            source: '192.0.2.1',
            messages: 40_400,
            unverified: 40_000,
            dkim: 40_400,
            spf: 40_400,
            failing: 0,
            quarantined: 0,
            rejected: 0,
          },
          domains: ['x.test', 'bounces.x.test'],
        },
      ],
    )
    assert.deepEqual(
      { ...summary.unverified },
      {
        messages: 40_000,
        failing: 0,
        reporters: ['receiver.test'],
      },
    )
    const { stdout } = await workplace.run('dmarc', 'x.test')
    assert.match(stdout, /Not verified: +40000: 0 fail, in reports in the name of receiver\.test/)
    assert.match(
      stdout,
      /24 of 424 messages \(5\.7%\) pass neither DKIM nor SPF: p=quarantine would stop them/,
    )
    assert.match((await workplace.run('domain', 'show', 'x.test')).stdout, /^DMARC: .*24 of 424/m)
    const shown = await workplace.json<{ dmarc_advice: string }>('domain', 'show', 'x.test')
    assert.match(shown.dmarc_advice, /24 of 424/)
  })

  test('tls-report prints our own counts and the reports of others', async () => {
    const counted = await workplace.json<{ reports: object[]; received: object[] }>('tls-report', 'y.test')
    const failures = [{ result: 'certificate-expired', host: 'mx.y.test', address: '192.0.2.7', sessions: 2 }]
    assert.deepEqual(counted, {
      reports: [
        {
          ...{ domain: 'y.test', day: utcDay(today - DAY), state: 'waiting', tries: 0, fault: null },
          ...{ due_at: new Date(today).toISOString(), sent_at: null, sent_to: [] },
          ...{ successful: 4, failed: 2 },
          policies: [
            {
              ...{ type: 'sts', policy: ['version: STSv1'], mx: ['mx.y.test'], successful: 4, failed: 2 },
              failures,
            },
          ],
        },
      ],
      received: [],
    })
    const { stdout } = await workplace.run('tls-report', 'x.test', '--day', utcDay(today - DAY))
    assert.match(stdout, /sts +certificate-expired +mx\.x\.test +192\.0\.2\.9 +2/)
    const refused = await workplace.run('tls-report', '--day', 'yesterday')
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /"yesterday" is not a day/)
    assert.match(
      (await workplace.run('tls-report', '--day', '2026-02-31')).stderr,
      /"2026-02-31" is not a day/,
    )
  })
})

const reporter = (author: string, messages: number, failing: number): DmarcReporterSum => ({
  name: 'Receiver',
  author,
  messages,
  failing,
})

test('the words for a policy distinguish a missing record from a DNS without an answer', () => {
  assert.equal(dmarcPolicyWords('none'), 'p=none')
  assert.equal(dmarcPolicyWords(null), 'no valid record')
  assert.equal(dmarcPolicyWords('unknown'), 'unknown')
})

const FACTS: DmarcFacts = {
  days: 10,
  policy: 'none',
  messages: 1_000,
  failing: 3,
  reporters: [reporter('a@one.test', 900, 3), reporter('b@two.test', 100, 0)],
  unverified: 0,
  address: 'reports@bounces.x.test',
}

test('the advice names the next step that the reports allow', () => {
  assert.match(dmarcAdvice(FACTS), /\(0\.3%\).*The next step is p=quarantine\.$/)
  assert.match(dmarcAdvice({ ...FACTS, policy: 'quarantine' }), /The next step is p=reject\.$/)
  assert.match(dmarcAdvice({ ...FACTS, policy: 'reject' }), /there is no stricter one/)
  assert.match(dmarcAdvice({ ...FACTS, policy: 'unknown' }), /DNS does not answer/)
  assert.match(dmarcAdvice({ ...FACTS, policy: null }), /no valid DMARC record/)
  assert.match(dmarcAdvice({ ...FACTS, failing: 50 }), /p=quarantine would stop them/)
  assert.match(dmarcAdvice({ ...FACTS, days: 2 }), /too few/)
  const none = { ...FACTS, messages: 0, failing: 0, reporters: [] }
  assert.match(dmarcAdvice(none), /No DMARC report .*mailto:reports@bounces\.x\.test has to be one of them/)
  assert.match(dmarcAdvice({ ...none, address: null }), /this service takes none/)
})

test('nobody improves the advice with reports of their own', () => {
  // Without a signature.
  const none = { ...FACTS, messages: 0, failing: 0, reporters: [], unverified: 1_000_000 }
  assert.match(dmarcAdvice(none), /about 1,000,000 messages, but none .* No advice follows/)
  // Under a domain of their own, as the only one who reports.
  const alone = {
    ...FACTS,
    reporters: [reporter('a@evil.test', 500, 0), reporter('b@mail.evil.test', 500, 3)],
  }
  assert.match(dmarcAdvice(alone), /all verified reports come from evil\.test/)
  // Beside a large receiver, and beside small ones that saw much fail.
  const flood = reporter('a@evil.test', 1_000_000, 0)
  const large = [flood, reporter('a@one.test', 200, 10)]
  assert.match(
    dmarcAdvice({ ...FACTS, messages: 1_000_200, failing: 10, reporters: large }),
    /10 of the 200 that one\.test saw: p=quarantine would stop them/,
  )
  const small = [flood, reporter('a@one.test', 20, 2), reporter('b@two.test', 10, 1)]
  assert.match(
    dmarcAdvice({ ...FACTS, messages: 1_000_030, failing: 3, reporters: small }),
    /3 of the 30 that small receivers saw: p=quarantine would stop them/,
  )
  // Beside many small reporters that saw nothing fail.
  const genuine = [reporter('a@one.test', 90, 10), reporter('b@two.test', 60, 5)]
  const added = Array.from({ length: 40 }, (_, n) => reporter(`a${n}@evil${n % 2}.test`, 99, 0))
  assert.match(
    dmarcAdvice({ ...FACTS, messages: 4_110, failing: 15, reporters: [...genuine, ...added] }),
    /15 of the 150 that small receivers saw: p=quarantine would stop them/,
  )
})
