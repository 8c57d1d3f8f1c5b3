/** The table of the lifecycle, played through a store: each row on a recipient in each state. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import { decideAttempt, decideGiveBack, type Facts, type Happening } from '../../../src/email/lifecycle.ts'
import type { EmailHistory, NewEmail, RecipientRecord, RetryCounts, Store } from '../../../src/store/store.ts'
import { AT, type Cell, factsIn, LATER, MX, type Row, STATES, TABLE } from '../../email/lifecycle/table.ts'
import { acme, attempt, claimRequest, email, newId, node, result, suppress } from '../samples.ts'
import type { OpenBench } from './contract.ts'

type State = (typeof STATES)[number]

/** A row needs damaged pages, or a suspicion that only falls on the others of an email. */
const ELSEWHERE = new Set(['damaged', 'suspect', 'suspect what is suspect already'])

/** One recipient in one state, alone in its email. */
interface Player {
  state: State
  cell: Cell
  email: NewEmail
  /** As they are in the store by now. */
  facts: Facts
  before: EmailHistory
}

export function lifecycleContract(open: OpenBench): void {
  describe('the lifecycle', () => {
    test('is the same in the store as on paper', async (t) => {
      const store = (await open(t)).store
      for (const row of TABLE.filter(({ name }) => !ELSEWHERE.has(name))) {
        await t.test(`${row.happening.kind}: ${row.name}`, async () => {
          const stage = await Stage.set(store, row)
          try {
            await stage.play(row.happening)
            await stage.compare()
          } finally {
            await stage.clear()
          }
        })
      }
    })
  })
}

class Stage {
  readonly #store: Store
  readonly #owner: Company
  readonly #token: number
  readonly #players: Player[]
  readonly #row: Row

  private constructor(store: Store, owner: Company, token: number, row: Row, players: Player[]) {
    this.#store = store
    this.#owner = owner
    this.#token = token
    this.#row = row
    this.#players = players
  }

  static async set(store: Store, row: Row): Promise<Stage> {
    const owner = await acme(store, row.name)
    const token = await store.join(node(row.name))
    const { given = {}, happening } = row
    // Only what is sent can be asked to be canceled and still be there; and of all attempts one shows that the others are refused.
    const alone = given.cancelRequested === true || (happening.kind === 'attempted' && row !== TABLE[0])
    const states = STATES.filter((state) => !alone || state === 'sending')
    const scheduled =
      happening.kind === 'reschedule' ||
      (happening.kind === 'retry' && happening.scheduled && given.heldFor === undefined)
    const domainId = newId()
    const players = await Promise.all(
      states.map(async (state): Promise<Player> => {
        const late =
          scheduled && state === 'waiting'
            ? { scheduledAt: LATER, dueAt: LATER }
            : { scheduledAt: null, dueAt: AT - 900 }
        const value = email(owner, [`${state}@x.test`], { domainId, createdAt: AT - 1_000, ...late })
        await store.accept(value, late.scheduledAt !== null ? null : { token: 1 })
        const facts = factsOf(state, given)
        if (late.scheduledAt !== null)
          Object.assign(facts, {
            attempts: 0,
            preferredServer: null,
            server: null,
            lastCode: null,
            lastMessage: null,
          })
        else await store.record(attempt(value, 1, [begun(facts)], { server: MX }))
        return { state, cell: row.cells[STATES.indexOf(state)]!, email: value, facts, before: null as never }
      }),
    )
    await store.claim(claimRequest(token, { now: AT - 500 }))
    for (const { state, email, facts } of players) {
      if (state === 'quarantined') {
        const set = { emailId: email.id, leaseToken: token, positions: [0], message: facts.lastMessage! }
        await store.quarantine({ ...set, others: 'suspect', at: AT - 400 })
      }
      if (facts.cancelRequested) await store.cancel(email.id, AT - 300)
    }
    for (const player of players) player.before = (await store.readHistory(player.email.id))!
    assert.deepEqual(
      players.map(({ before }) => before.recipients[0]!.state),
      states,
    )
    return new Stage(store, owner, token, row, players)
  }

  async play(happening: Happening): Promise<void> {
    const store = this.#store
    const each = (work: (player: Player) => Promise<unknown>) => Promise.all(this.#players.map(work))
    const record = (decided: (facts: Facts) => RecipientRecord['decision']) =>
      each(({ email, facts }) => {
        // The node does not know of a cancellation meanwhile.
        const decision = decided({ ...facts, cancelRequested: false })
        const recipient = { position: 0, decision } as RecipientRecord
        const server = happening.kind === 'attempted' ? happening.server : null
        return store.record(attempt(email, this.#token, [recipient], { server, startedAt: AT, duration: 0 }))
      })
    switch (happening.kind) {
      case 'claimed': {
        const { suppressed } = happening
        if (suppressed !== null) {
          await each(({ email }) => {
            return suppress(store, this.#owner.id, email.recipients[0]!.address, suppressed.reason, AT - 200)
          })
        }
        await store.claim(claimRequest(this.#token, { now: LATER }))
        return
      }
      case 'attempted':
        await record((facts) => decideAttempt(facts, happening))
        return
      case 'given-back':
        await record(() => decideGiveBack(happening))
        return
      case 'node-lost':
        await store.leave(this.#token)
        await store.recover({ now: happening.dueAt, jitterMs: 0 })
        return
      case 'cancel':
        await each(({ email }) => store.cancel(email.id, happening.at))
        return
      case 'reschedule':
        await each(({ email }) => store.reschedule(email.id, happening.dueAt, happening.at))
        return
      case 'retry':
        return await this.#retry(happening)
      case 'hold-released':
        await store.releaseHeld(this.#players[0]!.email.domainId, { now: happening.at, dueBefore: LATER + 1 })
        return
      case 'quarantine':
      case 'suspect': {
        const others = happening.kind === 'suspect' ? ('suspect' as const) : ('quarantine' as const)
        const { message = '' } = happening as { message?: string }
        await each(({ email, state }) => {
          const positions = others === 'quarantine' && state !== 'waiting' ? [0] : []
          const set = {
            emailId: email.id,
            leaseToken: this.#token,
            positions,
            others,
            at: AT,
            message,
          } as const
          return store.quarantine(set)
        })
        return
      }
      case 'quarantine-released':
        await store.releaseQuarantined({ companyId: this.#owner.id, emailId: null }, happening.at)
        return
      case 'damaged':
        throw new Error('a store decides that by itself')
      default:
        await store.happened(
          this.#players.map(({ email }) => ({ emailId: email.id, position: 0, happening })),
        )
    }
  }

  async #retry({
    at,
    named,
    paused,
    ahead = null,
    byMember = false,
  }: Extract<Happening, { kind: 'retry' }>): Promise<void> {
    const scope = { companyId: this.#owner.id, domain: null }
    if (paused) await this.#store.pause({ ...scope, since: AT - 200 })
    const ids = named ? this.#players.map(({ email }) => email.id) : [null]
    const sum: RetryCounts = { retried: 0, scheduled: 0, paused: 0, held: 0 }
    for (const emailId of ids) {
      const retried = await this.#store.retry({
        companyId: scope.companyId,
        domains: null,
        emailId,
        goesFirst: ahead !== null,
        now: at,
        byMember,
      })
      for (const [name, count] of Object.entries(retried)) sum[name as keyof RetryCounts] += count
    }
    if (paused) await this.#store.resume(scope, at)
    const expected: RetryCounts = { retried: 0, scheduled: 0, paused: 0, held: 0 }
    for (const { cell } of this.#players) if (cell !== null) expected[cell.left ?? 'retried'] += 1
    assert.deepEqual(sum, expected)
  }

  async compare(): Promise<void> {
    const requests = await this.#store.cancelRequests()
    const suppressed = await this.#store.listSuppressions({ companyId: this.#owner.id, limit: 100 })
    for (const { state, cell, email, facts, before } of this.#players) {
      const after = (await this.#store.readHistory(email.id))!
      const expected = { ...facts, ...cell?.change }
      const { dueAt, attempts, server, lastCode, lastMessage } = after.recipients[0]!
      const shown = { state: after.recipients[0]!.state, attempts, server, lastCode, lastMessage }
      assert.deepEqual(
        shown,
        {
          state: expected.state,
          attempts: expected.attempts,
          server: expected.server,
          lastCode: expected.lastCode,
          lastMessage: expected.lastMessage,
        },
        state,
      )
      if (expected.state === 'waiting') assert.equal(dueAt, expected.dueAt, state)
      assert.equal(requests.includes(email.id), expected.cancelRequested, state)
      assert.deepEqual(
        after.events
          .slice(before.events.length)
          .filter(({ recipient }) => recipient !== null)
          .map(({ type, detail }) => [type, detail.message]),
        (cell?.events ?? []).map(([type, message]) => [type, message]),
        state,
      )
      assert.equal(after.attempts.length - before.attempts.length, cell?.tried ? 1 : 0, state)
      const reason = suppressed.find(({ address }) => address === email.recipients[0]!.address)?.reason
      if (this.#row.happening.kind !== 'claimed') assert.equal(reason, cell?.suppress, state)
    }
    await this.#compareHidden()
  }

  /** Facts that only the next claim shows. */
  async #compareHidden(): Promise<void> {
    for (const { address } of await this.#store.listSuppressions({ companyId: this.#owner.id, limit: 100 })) {
      await this.#store.removeSuppressions({ companyId: this.#owner.id, address })
    }
    const works = await this.#store.claim(claimRequest(this.#token, { now: LATER + 1 }))
    const claimed = works.map(({ id, recipients }) => {
      const { attempts, uncertain, preferredServer, postponedSince, suspicion } = recipients[0]!
      return [id, { attempts, uncertain, preferredServer, postponedSince, suspicion }]
    })
    const expected = this.#players.flatMap(({ cell, email, facts }) => {
      const after = { ...facts, ...cell?.change }
      if (after.state !== 'waiting') return []
      const { attempts, uncertain, preferredServer, postponedSince, suspicion } = after
      return [[email.id, { attempts, uncertain, preferredServer, postponedSince, suspicion }]]
    })
    assert.deepEqual(Object.fromEntries(claimed), Object.fromEntries(expected))
  }

  /** Nothing of it is left in the queue for the next row. */
  async clear(): Promise<void> {
    await this.#store.leave(this.#token)
    await this.#store.recover({ now: LATER, jitterMs: 0 })
    for (const { email } of this.#players) await this.#store.cancel(email.id, LATER)
  }
}

/** The facts of a recipient in this state that was recorded, claimed and put into quarantine as below. */
function factsOf(state: State, given: Partial<Facts>): Facts {
  const live = state === 'waiting' || state === 'sending' || state === 'quarantined'
  const facts = factsIn(state, given)
  return {
    ...facts,
    preferredServer: live ? MX : null,
    ...(state !== 'waiting' && { dueAt: null, heldFor: null }),
    ...(state === 'quarantined' && { suspicion: 2 }),
  }
}

/** Leaves it as these facts have it; what is to be claimed or put into quarantine waits until then. */
function begun(facts: Facts): RecipientRecord {
  const { state, dueAt, attempts, uncertain, preferredServer, postponedSince, heldFor, suspicion } = facts
  const live = state === 'waiting' || state === 'sending' || state === 'quarantined'
  return result(0, {
    state: live ? 'waiting' : state,
    dueAt: live ? (dueAt ?? AT - 600) : null,
    attempts,
    uncertain,
    preferredServer,
    ...(postponedSince !== null && { postponedSince }),
    heldFor,
    suspicion,
    code: facts.lastCode,
    message: facts.lastMessage!,
    events: [],
  })
}
