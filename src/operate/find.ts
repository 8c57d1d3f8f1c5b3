/**
 * Finds the account that a caller names, among those the caller may see. Accounts that the caller may not see count as
 * missing.
 */
import {
  type AccountsSnapshot,
  type ApiKey,
  type Company,
  holdsName,
  nameFor,
  type SendingDomain,
} from '../accounts/account.ts'
import type { StoredOrigin } from '../email/stored-email.ts'
import { AddressError, parseDomain, parseMailbox } from '../mail/address/address.ts'
import { accountsOf, authoriseWhole, type CallerContext, maySee, visibleAccounts } from './authority.ts'
import { type About, type Hint, OperateError } from './error.ts'
import type { Operation } from './verb.ts'

/** Narrows a listing or an operation to a company. */
export interface CompanyFilter {
  /** Name or id. */
  company?: string | undefined
}

/** By id, else by name; letter case is ignored if only one company matches. */
export function findCompany(who: CallerContext, text: string): Company {
  const { companies } = visibleAccounts(who)
  const exact = companies.find(({ id }) => id === text) ?? companies.find(({ name }) => name === text)
  if (exact) return exact
  const similar = companies.filter(({ name }) => name.toLowerCase() === text.toLowerCase())
  if (similar.length === 1) return similar[0]!
  const about: About = { noun: 'company', name: text }
  if (companies.length > 0) {
    const message = `there is no company with the name or id "${text}"`
    throw new OperateError('not_found', message, { verb: 'listCompanies' }, { about })
  }
  const message = `there is no company "${text}", because there are no companies yet`
  throw new OperateError('not_found', message, { verb: 'createCompany', name: text }, { about })
}

/** The company that the operation affects as a whole. */
export function findWholeCompany(who: CallerContext, text: string): Company {
  authoriseWhole(who.caller)
  return findCompany(who, text)
}

/** The id of the company; null: all companies, which only operators get. A member that names none gets its own. */
export function companyScope(who: CallerContext, { company }: CompanyFilter): string | null {
  authoriseWhole(who.caller)
  if (company !== undefined) return findCompany(who, company).id
  return who.caller.kind === 'operator' ? null : who.caller.principal.companyId
}

/** The same, as part of a filter of the store. */
export function companyFilter(who: CallerContext, of: CompanyFilter): { companyId?: string } {
  const companyId = companyScope(who, of)
  return companyId === null ? {} : { companyId }
}

/** All accounts that the caller may see, of one company if it is named. */
export function listedAccounts(who: CallerContext, { company }: CompanyFilter): AccountsSnapshot {
  const visible = visibleAccounts(who)
  return company === undefined ? visible : accountsOf(visible, findCompany(who, company).id)
}

/**
 * By id, else by name in Unicode or punycode: if several companies have asked for the name, the domain that holds it.
 */
export function findDomain(who: CallerContext, text: string): SendingDomain {
  const { domains } = visibleAccounts(who)
  const found = domains.find(({ id }) => id === text)
  if (found) return found
  const name = domainName(text)
  const named = domains.filter((domain) => domain.name === name)
  const meant = named.length === 1 ? named[0] : named.find(holdsName)
  if (meant) return meant
  if (named.length === 0) throw noSuchDomain(text)
  const whose = named.map(({ id, companyId }) => `${id} (${companyName(who, companyId)})`).join(', ')
  const message = `${named.length} companies have added ${name}, and none has verified it; name it by its id: ${whose}`
  throw new OperateError('conflict', message)
}

/** The company's own domain, even where other companies hold the name or have asked for it. By id, else by name. */
export function findOwnDomain(who: CallerContext, company: Company, text: string): SendingDomain {
  const own = accountsOf(visibleAccounts(who), company.id).domains
  const found = own.find(({ id }) => id === text) ?? own.find(({ name }) => name === domainName(text))
  if (found) return found
  const { domains } = visibleAccounts(who)
  const other = domains.find(({ id, name }) => id === text || name === domainName(text))
  if (other === undefined) throw noSuchDomain(text, company)
  throw new OperateError('not_found', `${other.name} is not a domain of ${company.name}`, {
    verb: 'listDomains',
    company: company.id,
  })
}

/** @param company the company that was searched; null: all of them */
export function noSuchDomain(text: string, company: Company | null = null): OperateError {
  const about: About = { noun: 'domain', name: text }
  const hint: Hint = UUID.test(text)
    ? { verb: 'listDomains' }
    : { verb: 'addDomain', domain: text, ...(company && { company: company.name }) }
  return new OperateError('not_found', `there is no sending domain "${text}"`, hint, { about })
}

export function findKey(who: CallerContext, id: string): ApiKey {
  const found = visibleAccounts(who).keys.find((key) => key.id === id)
  if (found) return found
  throw noSuchKey(id)
}

/**
 * By id, else by name; of several keys with the name, the one that is not revoked. `companyId`: null: of any company.
 */
export function findKeyByName(who: CallerContext, companyId: string | null, text: string): ApiKey {
  const keys = visibleAccounts(who).keys.filter((key) => companyId === null || key.companyId === companyId)
  const found = keys.find(({ id }) => id === text)
  if (found !== undefined) return found
  const named = keys.filter(({ name }) => name.toLowerCase() === text.toLowerCase())
  const used = named.filter(({ revokedAt }) => revokedAt === null)
  const meant = used.length > 0 ? used : named
  if (meant.length === 1) return meant[0]!
  if (meant.length === 0) throw noSuchKey(text)
  throw new OperateError('conflict', `${meant.length} keys have the name "${text}"; name one by its id`, {
    verb: 'listKeys',
  })
}

export function noSuchKey(id: string): OperateError {
  const about: About = { noun: 'key', name: id }
  return new OperateError(
    'not_found',
    `there is no API key with the id "${id}"`,
    { verb: 'listKeys' },
    { about },
  )
}

/** Throws `not_found` unless the email exists and the caller may see it. */
export async function requireEmail(
  { caller, store }: Pick<Operation, 'caller' | 'store'>,
  id: string,
  hint: Hint = { verb: 'listEmails' },
): Promise<StoredOrigin> {
  const origin = await store.emailOrigin(id)
  if (origin === null || !maySee(caller, origin)) throw noSuchEmail(id, hint)
  return origin
}

export function noSuchEmail(id: string, hint: Hint = { verb: 'listEmails' }): OperateError {
  const about: About = { noun: 'email', name: id }
  return new OperateError('not_found', `there is no email with the id "${id}"`, hint, { about })
}

const LONGEST_NAME = 200
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Control characters, and those that change the direction of the text. */
const MISLEADING = /[\p{Cc}\p{Bidi_Control}]/u

/** The text in one line, without the characters that would mislead those who read it. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ').trim()
}

/** A display name, trimmed. Throws `invalid`. */
export function checkedName(what: 'company' | 'key', text: string): string {
  const name = text.trim()
  if (name !== '' && name.length <= LONGEST_NAME && !MISLEADING.test(name)) return name
  throw new OperateError(
    'invalid',
    `the name of a ${what} must have 1 to ${LONGEST_NAME} characters, none of them a control character or one that changes the direction of the text`,
  )
}

/** The name in A-label form. Throws `invalid` when the text is not a domain name. */
export function domainName(text: string): string {
  try {
    return valid(() => parseDomain(text))
  } catch (error) {
    const meant = domainWithin(text)
    if (meant === null || !(error instanceof OperateError)) throw error
    throw new OperateError('invalid', `${error.message}. Did you mean ${meant}?`, null, { cause: error })
  }
}

/** The domain of a URL or an email address, which people paste where a domain is expected. */
function domainWithin(text: string): string | null {
  const [, within] = /^(?:[a-z]+:\/\/|[^@\s/]*@)([^@\s/:?#]+)/i.exec(text) ?? []
  try {
    return within === undefined ? null : parseDomain(within)
  } catch {
    return null
  }
}

/** The address as it stands in the envelope. Throws `invalid` when the text is not one address. */
export function addressIn(text: string): string {
  return valid(() => parseMailbox(text).address)
}

function valid<Value>(parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    if (error instanceof AddressError)
      throw new OperateError('invalid', error.message, null, { cause: error })
    throw error
  }
}

/** Finds names of sending domains by their ids; null: the caller sees none with this id (any more). */
export function domainNames(who: CallerContext): (id: string | null) => string | null {
  const names = new Map(visibleAccounts(who).domains.map(({ id, name }) => [id, name]))
  return (id) => (id === null ? null : (names.get(id) ?? null))
}

/** The company's name as the caller knows it; its id when the company is gone. */
export function companyName({ accounts, caller }: CallerContext, id: string): string {
  const company = accounts.companies.find((each) => each.id === id)
  if (company === undefined) return id
  return nameFor(caller.kind === 'operator', company)
}
