/**
 * 39: where is it, and why? (direct delivery)
 *
 * One service has mail that waits for every reason there is, never tried, tried once and tried often. `email show` gives each in the words
 * of the one rule (operate/status-sentence.ts), and the list has the word that belongs to it. The service stops, and the words stay true:
 * mail that becomes due meanwhile waits for its turn, or for the servers that have closed their door.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startDns } from '../../../harness/dns.ts'
import type { ServiceChild } from '../../../harness/service/service-child.ts'
import type { Tenant } from '../../../harness/service/tenant.ts'
import { parseDatabase } from '../../../src/config/parse/database.ts'
import { WAIT_REASONS, type WaitReason } from '../../../src/operate/status-sentence.ts'
import type { StatusName } from '../../../src/operate/status-word.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { Gate } from '../../nodes/fleet.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import { type Reaction, startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'

const SOURCE = '127.0.39.100'
/** An address that no machine of the service has. */
const AWAY = '192.0.2.9'
const GREYLISTED = '451 4.7.1 Greylisted, try again later'
const TOO_MANY = '450 4.7.1 Too many messages'
const ASKS = '421 4.7.0 Too many messages, try again in 900 seconds'
const BLOCKED = '554 5.7.1 Your address is blocked'
const FAULT = fileURLToPath(new URL('../15-poison/fault.mjs', import.meta.url))

/** Each is a site of its own. */
const SITES = ['grey.test', 'busy.test', 'closing.test', 'blocking.test', 'hanging.test', 'paused.test']
/** How often mail is tried that is tried often. */
const MANY = 3
type Tried = 'never' | 'once' | 'often'
const TRIES: Record<Tried, number> = { never: 0, once: 1, often: MANY }

class Stage implements AsyncDisposable {
  readonly installation: Installation
  readonly store: Store
  readonly own: Tenant
  readonly held: Tenant
  /** Its mail leaves from an address that the machine does not have. */
  readonly away: Tenant
  readonly gate: Gate
  readonly #started: AsyncDisposableStack
  readonly #close: () => void
  service!: ServiceChild
  #url = ''

  private constructor(
    parts: Pick<Stage, 'installation' | 'store' | 'own' | 'held' | 'away' | 'gate'>,
    close: () => void,
    started: AsyncDisposableStack,
  ) {
    this.installation = parts.installation
    this.store = parts.store
    this.own = parts.own
    this.held = parts.held
    this.away = parts.away
    this.gate = parts.gate
    this.#close = close
    this.#started = started
  }

  static async start(): Promise<Stage> {
    await using started = new AsyncDisposableStack()
    const gate = new Gate()
    let isClosed = false
    const answerOf = (site: string, step: string): Reaction | undefined | Promise<undefined> => {
      if (isClosed && step === 'connect') {
        if (site === 'closing.test') return { reply: ASKS, close: true }
        if (site === 'blocking.test') return { reply: BLOCKED, close: true }
      }
      if (site === 'hanging.test' && step === 'connect') return gate.pass().then(() => undefined)
      if (step !== 'rcpt') return undefined
      return { reply: site === 'busy.test' ? TOO_MANY : GREYLISTED }
    }
    const zone: Record<string, string[]> = {}
    let port: number | undefined
    for (const [index, site] of SITES.entries()) {
      const host = `127.0.39.${index + 1}`
      zone[`${site}/MX`] = [`10 mx.${site}`]
      zone[`mx.${site}/A`] = [host]
      const script = ({ step }: { step: string }) => answerOf(site, step)
      const sink = started.use(await startSink({ host, script, ...(port !== undefined && { port }) }))
      port = sink.port
    }
    const dns = await startDns(zone)
    started.defer(() => dns.close())
    const installation = started.use(
      new Installation({
        POSTROAD_DELIVERY: 'direct',
        POSTROAD_DNS_SERVERS: dns.address,
        POSTROAD_SMTP_PORT: String(port),
        POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
        POSTROAD_SOURCE_ADDRESSES: `${SOURCE}=mail.test, ${AWAY}=away.test`,
        // Nothing is tried by itself while the test runs.
        POSTROAD_RETRY_SCHEDULE: '10h,10h,10h,10h',
        POSTROAD_NODE_TIMEOUT: '2s',
      }),
    )
    const own = await installation.addTenant('acme.test')
    const held = await installation.addTenant('held.test')
    const away = await installation.addTenant('away.test')
    await installation.command('pool', 'create', 'away', AWAY)
    await installation.command('domain', 'update', away.domain, '--pool', 'away')
    const store = await openStore(parseDatabase(await installation.databaseUrl()), { exclusive: false })
    started.defer(() => store.close())
    const stage = new Stage(
      { installation, store, own, held, away, gate },
      () => (isClosed = true),
      started.move(),
    )
    await stage.serve()
    return stage
  }

  /** The servers of closing.test and blocking.test take nothing from now on. */
  closeDoor(): void {
    this.#close()
  }

  get fault(): string {
    return join(this.installation.directory, 'fault')
  }

  async serve(): Promise<void> {
    const settings = { NODE_OPTIONS: `--import ${FAULT}`, POISON_FAULT: this.fault, POISON_PORT: '0' }
    this.service = await this.installation.serve({ settings })
    this.#url = this.service.url
  }

  send(
    to: string,
    { by = this.own, ...more }: { by?: Tenant; subject?: string; scheduled_at?: string } = {},
  ) {
    const email = { from: `a@${by.domain}`, to, subject: 'Hello', text: 'Hello', ...more }
    return new ApiClient(this.#url, by.token).accepted(email)
  }

  retry(id: string): Promise<unknown> {
    return this.installation.command('queue', 'retry', id)
  }

  async tries(id: string): Promise<number> {
    return (await this.store.readHistory(id))!.attempts.length
  }

  /** Resolves when the email waits for its next attempt, after so many. */
  async waits(id: string, tries: number): Promise<void> {
    await until(async () => {
      const { recipients, attempts } = (await this.store.readHistory(id))!
      return recipients[0]!.state === 'waiting' && attempts.length === tries
    }, `${id} to wait after ${tries} attempts`)
  }

  /** Sends an email, and has it tried so often. */
  async tried(to: string, tried: Tried, more: Parameters<Stage['send']>[1] = {}): Promise<string> {
    const id = await this.send(to, more)
    const first = more.scheduled_at === undefined ? 1 : 0
    await this.waits(id, first)
    for (let tries = first + 1; tries <= TRIES[tried]; tries++) {
      await this.retry(id)
      await this.waits(id, tries)
    }
    return id
  }

  /** Mail that a pause keeps in the store: the service reads pauses with its next look. */
  async parked(to: string, by: Tenant): Promise<string> {
    return await until(async () => {
      const id = await this.send(to, { by })
      return (await this.tries(id)) === 0 && (await this.stateOf(id)) === 'waiting' ? id : undefined
    }, `mail to ${to} to stay in the store`)
  }

  async stateOf(id: string): Promise<string> {
    return (await this.store.readHistory(id))!.recipients[0]!.state
  }

  /** The sentence of `email show`. */
  async sentence(id: string): Promise<string> {
    const { code, stdout, stderr } = await this.installation.run('email', 'show', id)
    assert.equal(code, 0, stderr)
    return /^Status:? +(.*)$/m.exec(stdout)![1]!.trimEnd()
  }

  async word(id: string): Promise<string> {
    const listed = await this.installation.command<{ id: string; status: string }[]>(
      'email',
      'list',
      '--limit',
      '200',
    )
    return listed.find((each) => each.id === id)!.status
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gate.open()
    await this.#started.disposeAsync()
  }
}

type Cell = [id: string, sentence: RegExp, word: StatusName]
/** Mail waits for its next attempt only after one. */
type Row = Partial<Record<Tried, Cell>>

const TIME = '\\S+ \\S+Z'
const GREY = `451 4\\.7\\.1 Greylisted, try again later`
const BY_GREY = (site: string) => `Deferred by mx\\.${site} .*\\.`
const NEXT_ATTEMPT = (n: number) => ` Next attempt \\(${n} of 5\\) ${TIME}; gives up ${TIME}\\.`
const NEXT_TRY = ` Next try ${TIME}; gives up ${TIME}\\.`
/** In the memory of a node, mail that was never postponed has no end yet. */
const NEXT_HELD = ` Next try ${TIME}(?:; gives up ${TIME})?\\.`
const LAST = ` Last answer: .*${GREY}\\.`
const whole = (text: string) => new RegExp(`^${text}$`)

test('every reason to wait is shown, for mail never tried, tried once and tried often', async (t) => {
  await using stage = await Stage.start()
  const { installation, store, own, held, away, gate } = stage
  const later = new Date(Date.now() + 2 * 3_600_000).toISOString()

  const rows: Partial<Record<WaitReason, Row>> = {}
  const checked = async (reason: WaitReason, row: Row) => {
    rows[reason] = row
    await t.test(reason, async () => {
      for (const [tried, [id, sentence, word]] of Object.entries(row)) {
        assert.match(await stage.sentence(id), sentence, tried)
        assert.equal(await stage.word(id), word, tried)
      }
    })
  }

  const retried = {
    once: await stage.tried('once@grey.test', 'once'),
    often: await stage.tried('often@grey.test', 'often'),
  }
  const attempt = (n: number) => whole(`${BY_GREY('grey.test')}${NEXT_ATTEMPT(n)}${LAST}`)
  await checked('retry', {
    once: [retried.once, attempt(2), 'retrying'],
    often: [retried.often, attempt(MANY + 1), 'retrying'],
  })

  const absent = await stage.send('never@grey.test', { by: away })
  await until(async () => /^Waiting/.test(await stage.sentence(absent)), 'mail to be given back')
  const refused = (tries: string) =>
    `busy\\.test refused this email for now\\. ${tries}${NEXT_TRY} Last answer: .*${TOO_MANY.replaceAll('.', '\\.')}\\.`
  await checked('refusal', {
    never: [
      absent,
      whole(
        `Waiting\\.${NEXT_TRY} Not attempted: mail can leave from no source address of away on this node\\.`,
      ),
      'retrying',
    ],
    once: [await stage.tried('once@busy.test', 'once'), whole(refused('Tried once\\.')), 'retrying'],
    often: [
      await stage.tried('often@busy.test', 'often'),
      whole(refused(`Tried ${MANY} times\\.`)),
      'retrying',
    ],
  })

  const scheduled = `Scheduled by its sender: it will be sent ${TIME}\\.`
  await checked('schedule', {
    never: [await stage.send('never@grey.test', { scheduled_at: later }), whole(scheduled), 'scheduled'],
    once: [
      await stage.tried('once@grey.test', 'once', { scheduled_at: later }),
      whole(`${scheduled} Tried once\\.${LAST}`),
      'scheduled',
    ],
    often: [
      await stage.tried('often@grey.test', 'often', { scheduled_at: later }),
      whole(`${scheduled} Tried ${MANY} times\\.${LAST}`),
      'scheduled',
    ],
  })

  const paused = {
    once: await stage.tried('once@paused.test', 'once'),
    often: await stage.tried('often@paused.test', 'often'),
  }
  await installation.command('queue', 'pause', '--domain', 'paused.test', '--reason', 'they asked us to')
  const pause =
    'Paused by an operator: they asked us to\\. It waits, without using up attempts, until the pause ends\\.'
  await checked('pause', {
    never: [await stage.parked('never@paused.test', own), whole(pause), 'paused'],
    once: [paused.once, whole(`${pause} Tried once\\.${LAST}`), 'paused'],
    often: [paused.often, whole(`${pause} Tried ${MANY} times\\.${LAST}`), 'paused'],
  })

  const ofHeld = {
    never: await stage.parked('never@paused.test', held),
    once: await stage.tried('once@grey.test', 'once', { by: held }),
    often: await stage.tried('often@grey.test', 'often', { by: held }),
  }
  await installation.command('domain', 'suspend', held.domain)
  await installation.command('queue', 'resume', '--domain', 'paused.test')
  const suspended =
    'held\\.test may not send at the moment\\. The email is sent as soon as the domain is active again\\.'
  await checked('domain', {
    never: [ofHeld.never, whole(suspended), 'held'],
    once: [ofHeld.once, whole(`${suspended} Tried once\\.${LAST}`), 'held'],
    often: [ofHeld.often, whole(`${suspended} Tried ${MANY} times\\.${LAST}`), 'held'],
  })

  const behind = {
    once: await stage.tried('once@closing.test', 'once'),
    often: await stage.tried('often@closing.test', 'often'),
    due: await stage.tried('due@blocking.test', 'once'),
    probe: await stage.tried('probe@closing.test', 'once'),
  }
  stage.closeDoor()
  const told = async (id: string, sentence: RegExp) => {
    let said = ''
    const isTold = async () => {
      said = await stage.sentence(id)
      return sentence.test(said)
    }
    await until(isTold, String(sentence)).catch(() => assert.match(said, sentence))
  }
  for (const site of ['closing', 'blocking']) {
    const met = await stage.tried(`met@${site}.test`, 'once')
    await told(met, / Tried once\. Next try /)
  }
  const closed = (site: string, answer: string, then: string) => {
    const words = answer.replaceAll('.', '\\.')
    const to = `mx\\.${site}\\.test`
    return `Postroad waits with all mail of Company of acme\\.test to ${to}\\.${then} ${to} answers “${words}” to this server\\.`
  }
  const asked = (then: string) => whole(closed('closing', ASKS, then))
  // An operator's retry tries a closed path at once, and then for a minute not again.
  await stage.retry(behind.probe)
  await told(behind.probe, / Tried 2 times\. Next try /)
  const untried = await stage.send('never@closing.test')
  for (const id of [behind.once, behind.often]) await stage.retry(id)
  const path = {
    never: [untried, asked(NEXT_HELD), 'held'],
    once: [behind.once, asked(` Tried once\\.${NEXT_HELD}`), 'held'],
    often: [behind.often, asked(` Tried ${MANY} times\\.${NEXT_HELD}`), 'held'],
  } satisfies Row
  for (const [id, sentence] of Object.values(path)) await told(id, sentence)
  await checked('path', path)
  const blocked = (then: string) => whole(closed('blocking', BLOCKED, then))
  const blockedMail = await stage.send('never@blocking.test')
  await told(blockedMail, blocked(NEXT_TRY))
  assert.equal((await store.readHistory(blockedMail))!.recipients[0]!.heldFor, 'path')

  const hanging = {
    once: await stage.tried('once@hanging.test', 'once'),
    often: await stage.tried('often@hanging.test', 'often'),
  }
  gate.close()
  const begun = await stage.send('never@hanging.test')
  for (const id of Object.values(hanging)) await stage.retry(id)
  for (const id of [begun, ...Object.values(hanging)]) {
    await until(async () => (await stage.stateOf(id)) === 'sending', 'mail to be sent')
  }
  const sending = (attempt: number) =>
    whole(
      `Being sent, or about to be, by the node \\S+ \\(attempt ${attempt} of 5\\)\\. ` +
        'The page of the email in the console of that node shows the answer for which it waits\\.',
    )
  await checked('answer', {
    never: [begun, sending(1), 'sending'],
    once: [hanging.once, sending(2), 'sending'],
    often: [hanging.often, sending(MANY + 1), 'sending'],
  })
  gate.open()

  const poison = { subject: 'poison-sign' }
  const crashing = {
    never: await stage.send('never@grey.test', { ...poison, scheduled_at: later }),
    once: await stage.tried('once@grey.test', 'once', poison),
    often: await stage.tried('often@grey.test', 'often', poison),
  }

  // The service stops. What it has given back, and what becomes due now, waits until a node takes it.
  await stage.service.kill('SIGTERM')
  const scheduledOnce = rows.schedule!.never![0]
  for (const id of [scheduledOnce, retried.once, retried.often, behind.due]) await stage.retry(id)
  await checked('turn', {
    never: [scheduledOnce, whole('Accepted, and about to be sent\\.'), 'accepted'],
    once: [
      retried.once,
      whole(`${BY_GREY('grey.test')} Trying again now \\(attempt 2 of 5\\)\\.${LAST}`),
      'retrying',
    ],
    often: [
      retried.often,
      whole(`${BY_GREY('grey.test')} Trying again now \\(attempt ${MANY + 1} of 5\\)\\.${LAST}`),
      'retrying',
    ],
  })
  await t.test('due mail of a closed site, while no node runs', async () => {
    assert.match(
      await stage.sentence(behind.due),
      blocked(` Tried once\\.(?:${NEXT_TRY}| The next try is due; gives up ${TIME}\\.)`),
    )
    assert.equal(await stage.word(behind.due), 'held')
  })

  await stage.serve()
  await t.test('mail of a closed site, after a restart', async () => {
    assert.match(await stage.sentence(untried), asked(NEXT_HELD))
    assert.equal(await stage.word(untried), 'held')
  })

  // A message that takes its process down is tried once more in a process of its own.
  writeFileSync(stage.fault, '')
  for (const id of Object.values(crashing)) {
    await stage.retry(id)
    await until(async () => {
      if (!stage.service.alive) await stage.serve()
      return (await stage.stateOf(id)) === 'quarantined'
    }, 'quarantine')
  }
  const quarantined = whole(
    'In quarantine: sending it crashed a process\\. An operator has to release or cancel it\\.',
  )
  await checked('release', {
    never: [crashing.never, quarantined, 'quarantined'],
    once: [crashing.once, quarantined, 'quarantined'],
    often: [crashing.often, quarantined, 'quarantined'],
  })
  assert.deepEqual(Object.keys(rows).toSorted(), WAIT_REASONS.toSorted())
})
