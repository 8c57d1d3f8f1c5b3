/** Records changes of settings in the audit list: who made them, when, and what was changed. */
import { userInfo } from 'node:os'
import type { Actor } from '../people/person.ts'
import type { PeopleStore } from '../store/store.ts'
import type { CallerContext } from './authority.ts'
import { asOperateError, OperateError } from './error.ts'

/** The content of an audit entry, without secrets. */
export interface AuditNote {
  /** The changed thing as shown to people: a name or an address. */
  target: string
  /** The input of the change. */
  detail?: Record<string, unknown>
  /** Absent: the caller's company, or that of the company or domain that the input names. */
  companyId?: string | null
}

/** How a verb is recorded. */
export interface Audit<Input, Result> {
  /** The verb's name. */
  action: string
  /**
   * Called before the work with `result` null, and after it with its result. `accounts` are those before the work.
   * Returns null when nothing was changed.
   */
  note(input: Input, result: Result | null, before: CallerContext): AuditNote | null
  /**
   * Calls with an API key are not recorded: applications make them all the time, and their entries would crowd out all
   * others.
   */
  unlessByKey?: true
  /** Part of the work may have been done even when the verb refuses. */
  inParts?: true
  /** Returns the number of the entry that an earlier call began, if this call continues its work. */
  goesOn?(input: Input): number | undefined
}

/** Everything that recording needs. */
export interface AuditContext extends CallerContext {
  store: Pick<PeopleStore, 'addAudit' | 'settleAudit'>
  now(): number
  /** The call is part of a change that is recorded as a whole. */
  isNoted?: true
}

/**
 * The entry is written before the work starts, so that no change can be made without an entry. A refusal removes the
 * entry again.
 */
export async function withAudit<Input extends object, Result>(
  op: AuditContext,
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
    if (isRefusal(error) && !inParts) await settleEntry(op, number, null)
    throw error
  }
  const done = note(input, result, op)
  await settleEntry(op, number, done === null ? null : entryOf(done, begun.companyId))
  return result
}

type AuditSettlement = Parameters<PeopleStore['settleAudit']>[1]

/** A failure here does not fail the work, which is done; the entry then says that its outcome is unknown. */
async function settleEntry({ store }: AuditContext, number: number, done: AuditSettlement): Promise<void> {
  try {
    await store.settleAudit(number, done)
  } catch (error) {
    if (!(asOperateError(error) instanceof OperateError)) throw error
  }
}

/** Whether the error means that nothing was done. After any other error the outcome is unknown. */
function isRefusal(thrown: unknown): boolean {
  const error = asOperateError(thrown)
  return error instanceof OperateError && error.code !== 'unavailable' && error.code !== 'damaged'
}

function entryOf({ target, detail = {}, companyId }: AuditNote, whose: string | null) {
  return {
    target: auditText(target),
    detail: auditValue(detail) as Record<string, unknown>,
    companyId: companyId === undefined ? whose : companyId,
  }
}

/** A member's or a person's own company; for an operator, the company that the input names, if it exists. */
function companyOf({ caller, accounts }: AuditContext, input: object): string | null {
  if (caller.kind !== 'operator') return caller.principal.companyId
  const { company, domain } = input as { company?: unknown; domain?: unknown }
  const named = (text: unknown) => (each: { id: string; name: string }) =>
    each.id === text || each.name === text
  if (company !== undefined) return accounts.companies.find(named(company))?.id ?? null
  return accounts.domains.find(named(domain))?.companyId ?? null
}

export function actorOf({ caller, accounts }: CallerContext): Actor {
  if (caller.kind === 'member') {
    const { keyId: id } = caller.principal
    return { kind: 'key', id, name: accounts.keys.find((key) => key.id === id)?.name ?? '' }
  }
  if (caller.person !== null) return { kind: 'person', ...caller.person }
  return caller.kind === 'operator' && caller.isService
    ? { kind: 'service', id: null, name: 'Postroad' }
    : { kind: 'command-line', id: null, name: systemUser() }
}

/** The system user who runs the command. The process may run under a user id without a name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? ''}`.trim()
  }
}

/** The note of a change of one thing or of several. */
export function severalNote(targets: readonly string[]): AuditNote {
  const [first = ''] = targets
  if (targets.length === 1) return { target: first }
  return { target: `${first} and ${targets.length - 1} more`, detail: { count: targets.length } }
}

/** How an action on several things is recorded, which changes some addresses. `countOf`: how many things. */
export function addressesAudit<Input>(
  action: string,
  countOf: (input: Input) => number,
): Audit<Input, { addresses: readonly string[] }> {
  return {
    action,
    unlessByKey: true,
    inParts: true,
    note(input, result) {
      if (result === null) return { target: '', detail: { count: countOf(input) } }
      return result.addresses.length === 0 ? null : severalNote(result.addresses)
    },
  }
}

const LONGEST = 300
const MAX_ITEMS = 50

/** Untrusted text as one line of bounded length, to be shown to people. */
export function auditText(text: string): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).toWellFormed()}…`
}

function auditValue(value: unknown): unknown {
  if (typeof value === 'string') return auditText(value)
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(auditValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, auditValue(each)]])),
  )
}
