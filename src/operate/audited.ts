/** Changes of settings are noted: by whom, when, and what was changed. */
import { userInfo } from 'node:os'
import type { Actor } from '../people/person.ts'
import type { PeopleStore } from '../store/store.ts'
import type { Who } from './authority.ts'
import { asOperateError, OperateError } from './error.ts'

/** What an entry says, without secrets. */
export interface AuditNote {
  /** What it is done to, for people: a name or an address. */
  target: string
  /** What was given. */
  detail?: Record<string, unknown>
  /** Absent: the caller's, or that of the company or domain that the input names. */
  companyId?: string | null
}

/** How a verb is noted. */
export interface Audit<Input, Result> {
  /** The name of the verb. */
  action: string
  /** `result` is null before it is done, and `accounts` as they were then. Null: nothing was changed. */
  note(input: Input, result: Result | null, before: Pick<Who, 'accounts'>): AuditNote | null
  /** Keys pass: it is about data that applications keep, and what they do would push out all else. */
  unlessByKey?: true
  /** What is refused may have been done in part. */
  inParts?: true
  /** It goes on with what this entry has the beginning of. */
  goesOn?(input: Input): number | undefined
}

/** What it takes to note something. */
export interface Auditing extends Who {
  store: Pick<PeopleStore, 'addAudit' | 'settleAudit'>
  now(): number
  /** It is a part of something that is noted as a whole. */
  isNoted?: true
}

/**
 * The entry is there before anything is done: a change without one there cannot be. Where the work is refused, it is
 * removed.
 */
export async function audited<Input extends object, Result>(
  op: Auditing,
  { action, note, unlessByKey, inParts, goesOn }: Audit<Input, Result>,
  input: Input,
  work: (entry: number | null) => Promise<Result>,
): Promise<Result> {
  if (op.isNoted || (unlessByKey && op.caller.kind === 'member')) return await work(null)
  const begun = entryOf(note(input, null, op) ?? { target: '' }, companyOf(op, input))
  const number =
    goesOn?.(input) ??
    (await op.store.addAudit({ at: op.now(), actor: actorOf(op), topic: 'change', action, ...begun }))
  let result: Result
  try {
    result = await work(number)
  } catch (error) {
    if (isRefusal(error) && !inParts) await settled(op, number, null)
    throw error
  }
  const done = note(input, result, op)
  await settled(op, number, done === null ? null : entryOf(done, begun.companyId))
  return result
}

type Settled = Parameters<PeopleStore['settleAudit']>[1]

/** What was done stays done where this fails: the entry says then that nobody knows. */
async function settled({ store }: Auditing, number: number, done: Settled): Promise<void> {
  try {
    await store.settleAudit(number, done)
  } catch (error) {
    if (!(asOperateError(error) instanceof OperateError)) throw error
  }
}

/** Nothing was done. Of others nobody knows how far they came. */
function isRefusal(thrown: unknown): boolean {
  const error = asOperateError(thrown)
  return error instanceof OperateError && error.code !== 'unavailable' && error.code !== 'damaged'
}

function entryOf({ target, detail = {}, companyId }: AuditNote, whose: string | null) {
  return {
    target: shown(target),
    detail: shownAll(detail) as Record<string, unknown>,
    companyId: companyId === undefined ? whose : companyId,
  }
}

/** Of a member his own; of an operator what he names, as far as it is there. */
function companyOf({ caller, accounts }: Auditing, input: object): string | null {
  if (caller.kind !== 'operator') return caller.principal.companyId
  const { company, domain } = input as { company?: unknown; domain?: unknown }
  const named = (text: unknown) => (each: { id: string; name: string }) =>
    each.id === text || each.name === text
  if (company !== undefined) return accounts.companies.find(named(company))?.id ?? null
  return accounts.domains.find(named(domain))?.companyId ?? null
}

export function actorOf({ caller, accounts }: Who): Actor {
  if (caller.kind === 'member') {
    const { keyId: id } = caller.principal
    return { kind: 'key', id, name: accounts.keys.find((key) => key.id === id)?.name ?? '' }
  }
  if (caller.person !== null) return { kind: 'person', ...caller.person }
  return caller.kind === 'operator' && caller.isService
    ? { kind: 'service', id: null, name: 'Postroad' }
    : { kind: 'command-line', id: null, name: systemUser() }
}

/** Whoever typed it. A process may run under a number that has no name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? ''}`.trim()
  }
}

/** Of what is done to one, or to several. */
export function severalNote(targets: readonly string[]): AuditNote {
  const [first = ''] = targets
  if (targets.length === 1) return { target: first }
  return { target: `${first} and ${targets.length - 1} more`, detail: { count: targets.length } }
}

const LONGEST = 300
const MOST_ITEMS = 50

/** What strangers wrote as a line for people, of bounded length. */
export function shown(text: string): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).toWellFormed()}…`
}

function shownAll(value: unknown): unknown {
  if (typeof value === 'string') return shown(value)
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(shownAll)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, shownAll(each)]])),
  )
}
