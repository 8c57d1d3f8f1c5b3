/** Returned mail while the workers have more to do than they can: whoever floods them waits, and others do not. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { bounce } from '../../harness/returned-mail.ts'
import { reportReceiver } from '../../src/domain-reports/received/report-receiver.ts'
import type { InboundArrival } from '../../src/email/inbound-mail.ts'
import type { ArrivedMail, ReceivedMail } from '../../src/inbound/arrived-mail.ts'
import { mailReceiver } from '../../src/inbound/receive-mail.ts'
import { ReturnPathKey } from '../../src/mail/return-path/return-path.ts'
import { WorkersBusy } from '../../src/workers/error.ts'
import { jobAt } from '../../src/workers/job.ts'
import { SMALL, Workers, type WorkersOptions } from '../../src/workers/workers.ts'
import { mailWith } from '../mail/domain-report/samples.ts'
import { until } from '../support/until.ts'
import { held } from '../workers/held.ts'
import type { Order } from '../workers/hostile-job.ts'
import { KEY_RECORD, signed } from './signed.ts'

const ID = '0193a1b2-0000-7000-8000-000000000000'
const MESSAGE_ID = `<${ID}@acme.example>`
const job = jobAt<Order, unknown>(new URL('../workers/hostile-job.ts', import.meta.url))

/** Workers whose only thread for large tasks is held until `release` is called. */
function busyWorkers(t: TestContext, options: WorkersOptions = {}) {
  const workers = new Workers({ threads: 2, deadline: 60_000, onDeath: assert.fail, ...options })
  const { order, release } = held(null)
  const done = workers.run(job, order, { company: 'company', weight: SMALL + 1, patient: true })
  t.after(async () => {
    release()
    await done
    await workers.close()
  })
  return { workers, release }
}

/** Receives mail about an email to `ann@rcpt.test`. */
function receiver(workers: Workers) {
  const receive = mailReceiver({
    store: {
      reportedEmails: async (named) =>
        named.map(() => ({
          id: ID,
          companyId: 'c',
          keyId: 'k',
          messageId: MESSAGE_ID,
          sender: 'news@acme.example',
          size: 1,
          reports: 0,
          recipients: [
            {
              position: 0,
              address: 'ann@rcpt.test',
              server: 'mx.rcpt.test [198.51.100.7]:25',
              unsettled: false,
            },
          ],
        })),
      emailWithMessageId: async () => null,
      keepInboundMails: async (arrivals: readonly InboundArrival[]) =>
        arrivals.map(({ mail: { id, refused } }) => ({ id, outcome: refused ?? 'recorded', events: 1 })),
    },
    returnPathKey: new ReturnPathKey(Buffer.alloc(32, 7)),
    keys: async () => ({ kind: 'found', records: [KEY_RECORD] }),
    domainReports: reportReceiver({
      store: { keepDomainReport: async () => assert.fail('no report is about a domain of ours') },
      workers,
      heldDomain: () => undefined,
      now: Date.now,
    }),
    fullMailbox: null,
    workers,
    now: Date.now,
  })
  return (mail: string, client: string, recipient: ArrivedMail['recipient'] = null) => {
    const raw = Buffer.from(mail, 'latin1')
    return receive({ raw, recipient, source: 'smtp', peer: client, client, reversePath: '' })
  }
}

/** Hands in mails until one finds no place; resolves with the number of those that have ended by then, and all. */
async function flood(handIn: (number: number) => Promise<ReceivedMail>) {
  const ended: PromiseSettledResult<unknown>[] = []
  const full = Promise.withResolvers<void>()
  const all: Promise<unknown>[] = []
  for (let number = 0; number < 150; number++) {
    const one = handIn(number)
    all.push(one)
    one.catch((error) => (error instanceof WorkersBusy ? full.resolve() : full.reject(error)))
    void Promise.allSettled([one]).then(([result]) => ended.push(result!))
  }
  await full.promise
  return { ended, all: Promise.allSettled(all) }
}

const REPORTS = 'reports@bounces.acme.example'
const large = (subject: string) => `Subject: ${subject}\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(5_000)}`
const report = (subject: string) => {
  const mail = mailWith(gzipSync(Buffer.alloc(4_000, '<a/>')), 'application/gzip', 'r.xml.gz')
  return `X-Subject: ${subject}\r\n${mail.toString('latin1')}`
}

const floods: [what: string, mail: (subject: string) => string, recipient: string | null, outcome: string][] =
  [
    ['large mails', large, null, 'kept'],
    ['reports that unpack to much', report, REPORTS, 'not_counted'],
  ]
for (const [what, mail, recipient, outcome] of floods) {
  test(`a flood of ${what} from one network takes the turns of that network alone`, async (t) => {
    const { workers, release } = busyWorkers(t)
    const receive = receiver(workers)
    const flooded = await flood((number) => receive(mail(`${number}`), 'flooder', recipient))
    const before = flooded.ended.length
    const { waiting } = workers
    const others = ['one', 'another'].map((client) => receive(mail(client), client, recipient))
    await until(() => workers.waiting === waiting + others.length, 'the others to wait')
    release()
    for (const { outcome: found } of await Promise.all(others)) assert.equal(found, outcome)
    assert.ok(flooded.ended.length <= before + 4, `${flooded.ended.length - before} of the flood came first`)
    await flooded.all
  })
}

test('a mail whose signature the workers are too busy to verify is put off', async (t) => {
  const { workers, release } = busyWorkers(t, { patience: 0 })
  const receive = receiver(workers)
  const from = 'mailer-daemon@rcpt.test'
  const mail = await signed(bounce({ to: 'ann@rcpt.test', messageId: MESSAGE_ID, from }), 'rcpt.test')
  const received = receive(mail, 'provider')
  await until(() => workers.waiting === 1, 'the signature to wait')
  release()
  const { outcome, putOff } = await received
  assert.deepEqual([outcome, putOff], ['unproven', true])
})
