import type { AttemptHappening, Outcome } from '../../../src/email/lifecycle.ts'
import { AT, GONE, LATER, MAILBOX_RULE, MX, OTHER, type Row, sending } from './cells.ts'

const HOUR = 3_600_000

function attempt(outcome: Outcome, rest: Partial<AttemptHappening> = {}): AttemptHappening {
  return {
    kind: 'attempted',
    at: AT,
    outcome,
    server: MX,
    tls: null,
    untried: false,
    heldFor: null,
    retryAt: LATER,
    again: LATER,
    patience: HOUR,
    fullMailbox: MAILBOX_RULE,
    ...rest,
  }
}

/** The facts after an attempt that ended it, or that counts. */
const ended = {
  ...GONE,
  attempts: 2,
  uncertain: false,
  preferredServer: null,
  postponedSince: null,
  suspicion: 0,
  server: MX,
} as const
const deferred = {
  state: 'waiting',
  dueAt: LATER,
  heldFor: null,
  attempts: 2,
  uncertain: false,
  preferredServer: MX,
  postponedSince: null,
  suspicion: 0,
  server: MX,
  lastCode: 450,
  lastMessage: 'Later',
} as const
const postponed = { ...deferred, attempts: 1, postponedSince: AT, lastCode: 421 } as const

const released = { state: 'waiting', dueAt: AT, heldFor: null, suspicion: 0 } as const

export const ATTEMPTS: Row[] = [
  {
    name: 'delivered',
    given: { uncertain: true, postponedSince: 5, suspicion: 1 },
    happening: attempt({ verdict: 'delivered', code: 250, message: 'Taken' }),
    cells: sending({
      change: { ...ended, state: 'delivered', lastCode: 250, lastMessage: 'Taken' },
      events: [['delivered', 'Taken']],
      tried: true,
    }),
  },
  {
    name: 'delivered, and the recipient complained',
    happening: attempt({ verdict: 'delivered', message: 'Taken', complained: true }),
    cells: sending({
      change: { ...ended, state: 'delivered', lastCode: null, lastMessage: 'Taken' },
      events: [
        ['delivered', 'Taken'],
        ['complained', 'Taken'],
      ],
      suppress: 'the recipient complained',
      tried: true,
    }),
  },
  {
    name: 'bounced',
    happening: attempt({ verdict: 'bounced', code: 554, message: 'Not this mail' }),
    cells: sending({
      change: { ...ended, state: 'bounced', lastCode: 554, lastMessage: 'Not this mail' },
      events: [['bounced', 'Not this mail']],
      tried: true,
    }),
  },
  {
    name: 'bounced, the address is dead',
    happening: attempt({ verdict: 'bounced', code: 550, message: 'Unknown', suppress: true }),
    cells: sending({
      change: { ...ended, state: 'bounced', lastCode: 550, lastMessage: 'Unknown' },
      events: [['bounced', 'Unknown']],
      suppress: 'Unknown',
      tried: true,
    }),
  },
  {
    name: 'bounced, the address is dead, without a word',
    happening: attempt({ verdict: 'bounced', code: 550, message: '', suppress: true }),
    cells: sending({
      change: { ...ended, state: 'bounced', lastCode: 550, lastMessage: '' },
      events: [['bounced', '']],
      suppress: 'refused by the recipient server',
      tried: true,
    }),
  },
  {
    name: 'failed',
    happening: attempt({ verdict: 'failed', message: 'Too large' }),
    cells: sending({
      change: { ...ended, state: 'failed', lastCode: null, lastMessage: 'Too large' },
      events: [['failed', 'Too large']],
      tried: true,
    }),
  },
  {
    name: 'suppressed in the simulator',
    happening: attempt({ verdict: 'suppressed', message: 'As if on the list' }),
    cells: sending({
      change: { ...ended, state: 'suppressed', lastCode: null, lastMessage: 'As if on the list' },
      events: [['suppressed', 'As if on the list']],
      tried: true,
    }),
  },
  {
    name: 'deferred',
    given: { postponedSince: 5, suspicion: 1 },
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later' }),
    cells: sending({ change: deferred, events: [['delivery_delayed', 'Later']], tried: true }),
  },
  {
    name: 'deferred by nobody: none was reached',
    happening: attempt({ verdict: 'deferred', message: 'Later' }, { server: null }),
    cells: sending({
      change: { ...deferred, server: null, lastCode: null },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred by another server than the attempt ended with',
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later', server: OTHER }),
    cells: sending({
      change: { ...deferred, preferredServer: OTHER, server: OTHER },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'may have been taken by another server than the attempt ended with',
    happening: attempt({ verdict: 'uncertain', message: 'Closed', server: OTHER }),
    cells: sending({
      change: {
        ...deferred,
        uncertain: true,
        preferredServer: OTHER,
        server: OTHER,
        lastCode: null,
        lastMessage: 'Closed',
      },
      events: [['delivery_delayed', 'Closed']],
      tried: true,
    }),
  },
  {
    name: 'deferred by the server that may have it',
    given: { uncertain: true },
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later' }),
    cells: sending({
      change: { ...deferred, uncertain: true },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred by another server than the one that may have it',
    given: { uncertain: true },
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later' }, { server: OTHER }),
    cells: sending({
      change: { ...deferred, preferredServer: OTHER, server: OTHER },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred, and it is suspect',
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later', suspicion: 1 }),
    cells: sending({
      change: { ...deferred, suspicion: 1 },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred for the last time',
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later' }, { retryAt: null }),
    cells: sending({
      change: {
        ...ended,
        state: 'failed',
        lastCode: 450,
        lastMessage: 'Gave up after 2 attempts. Last error: Later',
      },
      events: [['failed', 'Gave up after 2 attempts. Last error: Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred, but it is to be canceled',
    given: { cancelRequested: true },
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later' }),
    cells: sending({
      change: { ...deferred, ...GONE, state: 'canceled' },
      events: [['canceled', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'delivered, though it was to be canceled',
    given: { cancelRequested: true },
    happening: attempt({ verdict: 'delivered', code: 250, message: 'Taken' }),
    cells: sending({
      change: { ...ended, state: 'delivered', lastCode: 250, lastMessage: 'Taken' },
      events: [['delivered', 'Taken']],
      tried: true,
    }),
  },
  {
    name: 'the answer was lost',
    happening: attempt({ verdict: 'uncertain', message: 'Cut off' }),
    cells: sending({
      change: { ...deferred, uncertain: true, lastCode: null, lastMessage: 'Cut off' },
      events: [['delivery_delayed', 'Cut off']],
      tried: true,
    }),
  },
  {
    name: 'the answer of the last attempt was lost',
    happening: attempt({ verdict: 'uncertain', message: 'Cut off' }, { retryAt: null }),
    cells: sending({
      change: {
        ...ended,
        state: 'failed',
        uncertain: true,
        lastCode: null,
        lastMessage: 'Gave up after 2 attempts. Last error: Cut off',
      },
      events: [['failed', 'Gave up after 2 attempts. Last error: Cut off']],
      tried: true,
    }),
  },
  {
    name: 'postponed',
    given: { suspicion: 1 },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }),
    cells: sending({ change: postponed, events: [['delivery_delayed', 'Later']], tried: true }),
  },
  {
    name: 'postponed by the server that may have it',
    given: { uncertain: true },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }),
    cells: sending({
      change: { ...postponed, uncertain: true },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'postponed by another server than the one that may have it',
    given: { uncertain: true },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }, { server: OTHER }),
    cells: sending({
      change: { ...postponed, preferredServer: OTHER, server: OTHER },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'postponed, as the server that may have it was not reached',
    given: { uncertain: true },
    happening: attempt({ verdict: 'postponed', message: 'Later' }, { server: null }),
    cells: sending({
      change: { ...postponed, uncertain: true, server: null, lastCode: null },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred by nobody: the server that may have it was not reached',
    given: { uncertain: true },
    happening: attempt({ verdict: 'deferred', message: 'Later' }, { server: null }),
    cells: sending({
      change: { ...deferred, uncertain: true, server: null, lastCode: null },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'postponed once more: told once',
    given: { postponedSince: AT - 5_000 },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }),
    cells: sending({ change: { ...postponed, postponedSince: AT - 5_000 }, tried: true }),
  },
  {
    name: 'postponed, though the operator insisted: told, for the try was asked for',
    given: { postponedSince: 0 },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }),
    cells: sending({ change: postponed, events: [['delivery_delayed', 'Later']], tried: true }),
  },
  {
    name: 'postponed, though a member insisted: told, for the try was asked for',
    given: { postponedSince: 1 },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }),
    cells: sending({ change: postponed, events: [['delivery_delayed', 'Later']], tried: true }),
  },
  {
    name: 'postponed for as long as the whole schedule lasts',
    given: { postponedSince: AT - 2 * HOUR, uncertain: true },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }),
    cells: sending({
      change: {
        ...ended,
        state: 'failed',
        attempts: 1,
        postponedSince: AT - 2 * HOUR,
        lastCode: 421,
        lastMessage: 'Gave up after 2 hours without an attempt: Later',
      },
      events: [['failed', 'Gave up after 2 hours without an attempt: Later']],
      tried: true,
    }),
  },
  {
    name: 'its path is closed',
    given: { uncertain: true, suspicion: 1 },
    happening: attempt(
      { verdict: 'postponed', message: 'Closed' },
      { server: null, untried: true, heldFor: 'path' },
    ),
    cells: sending({
      change: {
        state: 'waiting',
        dueAt: LATER,
        heldFor: 'path',
        postponedSince: AT,
        lastMessage: 'Closed',
      },
      events: [['delivery_delayed', 'Closed']],
    }),
  },
  {
    name: 'it waits for another day, whatever kept it waiting before',
    given: { postponedSince: AT - 2 * HOUR },
    happening: attempt(
      { verdict: 'postponed', message: 'Tomorrow' },
      { server: null, untried: true, metAt: 0, anew: true },
    ),
    cells: sending({
      change: {
        state: 'waiting',
        dueAt: LATER,
        heldFor: null,
        postponedSince: AT,
        lastMessage: 'Tomorrow',
      },
    }),
  },
  {
    name: 'its path is closed, but it is to be canceled',
    given: { cancelRequested: true },
    happening: attempt(
      { verdict: 'postponed', message: 'Closed' },
      { server: null, untried: true, heldFor: 'path' },
    ),
    cells: sending({
      change: { ...GONE, state: 'canceled', postponedSince: AT, lastMessage: 'Closed' },
      events: [['canceled', 'Closed']],
    }),
  },
  {
    name: 'its path stays closed for as long as the whole schedule lasts',
    given: { postponedSince: AT - 2 * HOUR },
    happening: attempt(
      { verdict: 'postponed', message: 'Closed' },
      { server: null, untried: true, heldFor: 'path' },
    ),
    cells: sending({
      change: {
        ...GONE,
        state: 'failed',
        postponedSince: AT - 2 * HOUR,
        lastMessage: 'Gave up after 2 hours without an attempt: Closed',
      },
      events: [['failed', 'Gave up after 2 hours without an attempt: Closed']],
    }),
  },
  {
    name: 'released',
    given: { uncertain: true, postponedSince: 5, suspicion: 1 },
    happening: attempt({ verdict: 'released', message: 'We stop' }),
    cells: sending({ change: { ...released, suspicion: 1, lastMessage: 'We stop' } }),
  },
  {
    name: 'released without a word',
    happening: attempt({ verdict: 'released', message: '' }),
    cells: sending({ change: released }),
  },
  {
    name: 'released, and it is suspect',
    happening: attempt({ verdict: 'released', message: 'Died', suspicion: 1 }),
    cells: sending({
      change: { ...released, suspicion: 1, lastMessage: 'Died' },
    }),
  },
  {
    name: 'released, and it is more suspect already',
    given: { suspicion: 2 },
    happening: attempt({ verdict: 'released', message: 'Died', suspicion: 1 }),
    cells: sending({ change: { ...released, suspicion: 2, lastMessage: 'Died' } }),
  },
  {
    name: 'released, but it is to be canceled',
    given: { cancelRequested: true },
    happening: attempt({ verdict: 'released', message: 'We stop' }),
    cells: sending({
      change: { ...GONE, state: 'canceled', suspicion: 0, lastMessage: 'We stop' },
      events: [['canceled', 'We stop']],
    }),
  },
]
