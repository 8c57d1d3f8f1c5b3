/**
 * From what somebody wrote to the account that is meant, among those the caller may know of. What is foreign is not
 * there.
 */
import type { ApiKey, Company, SendingDomain } from '../accounts/account.ts'
import { AddressError, parseDomain, parseMailbox } from '../mail/address/address.ts'
import { authoriseWhole, mayKnow, visibleAccounts } from './authority.ts'
import { type Hint, OperateError } from './error.ts'
import type { Operation } from './operation.ts'

type Who = Pick<Operation, 'caller' | 'accounts'>

/** By id, else by name; a name in other letter case will do where it fits one company only. */
export function findCompany(who: Who, text: string): Company {
  const { companies } = visibleAccounts(who)
  const exact = companies.find(({ id }) => id === text) ?? companies.find(({ name }) => name === text)
  if (exact) return exact
  const similar = companies.filter(({ name }) => name.toLowerCase() === text.toLowerCase())
  if (similar.length === 1) return similar[0]!
  if (companies.length > 0) {
    throw new OperateError('not_found', `there is no company with the name or id "${text}"`, {
      verb: 'listCompanies',
    })
  }
  throw new OperateError('not_found', `there is no company "${text}"; there is none at all yet`, {
    verb: 'createCompany',
    name: text,
  })
}

/** The company that something is done to as a whole. */
export function findWholeCompany(who: Who, text: string): Company {
  authoriseWhole(who.caller)
  return findCompany(who, text)
}

/**
 * The id of the company that a listing or an order is narrowed to; null: of all companies, which is for operators. A
 * member who names none means his own.
 */
export function companyScope(who: Who, text: string | undefined): string | null {
  authoriseWhole(who.caller)
  if (text !== undefined) return findCompany(who, text).id
  return who.caller.kind === 'operator' ? null : who.caller.principal.companyId
}

/** By id, else by name in Unicode or punycode. */
export function findDomain(who: Who, text: string): SendingDomain {
  const { domains } = visibleAccounts(who)
  const found = domains.find(({ id }) => id === text) ?? domains.find(({ name }) => name === domainName(text))
  if (found) return found
  throw new OperateError('not_found', `there is no sending domain "${text}"`, { verb: 'listDomains' })
}

export function findKey(who: Who, id: string): ApiKey {
  const found = visibleAccounts(who).keys.find((key) => key.id === id)
  if (found) return found
  throw new OperateError('not_found', `there is no API key with the id "${id}"`, { verb: 'listKeys' })
}

/** That there is such an email, and that the caller may know of it. */
export async function requireEmail(
  { caller, store }: Pick<Operation, 'caller' | 'store'>,
  id: string,
  hint: Hint = { verb: 'listEmails' },
): Promise<void> {
  const origin = await store.emailOrigin(id)
  if (origin === null || !mayKnow(caller, origin)) throw noSuchEmail(id, hint)
}

export function noSuchEmail(id: string, hint: Hint = { verb: 'listEmails' }): OperateError {
  return new OperateError('not_found', `there is no email with the id "${id}"`, hint)
}

/** A-label form. Throws `invalid` when it is not a domain name. */
export function domainName(text: string): string {
  return valid(() => parseDomain(text))
}

/** As it stands in the envelope. Throws `invalid` when it is not one address. */
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

/** The company's name for people; its id when it is gone. */
export function companyName({ accounts }: Pick<Operation, 'accounts'>, id: string): string {
  return accounts.companies.find((company) => company.id === id)?.name ?? id
}
