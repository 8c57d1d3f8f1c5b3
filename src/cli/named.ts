/** From what the operator typed to the account that is meant. */
import type { AccountsSnapshot, Company, SendingDomain } from '../accounts/account.ts'
import { AddressError, parseDomain } from '../mail/address/address.ts'
import { CommandFailed } from './failure.ts'

/** By id, else by name; a name in other letter case will do where it fits one company only. */
export function companyNamed(accounts: AccountsSnapshot, text: string): Company {
  const { companies } = accounts
  const exact = companies.find(({ id }) => id === text) ?? companies.find(({ name }) => name === text)
  if (exact) return exact
  const similar = companies.filter(({ name }) => name.toLowerCase() === text.toLowerCase())
  if (similar.length === 1) return similar[0]!
  throw new CommandFailed(
    companies.length === 0
      ? `there is no company "${text}"; there is none at all yet: postroad company create "${text}"`
      : `there is no company with the name or id "${text}"; see: postroad company list`,
  )
}

/** The id of the company that `--company` names; undefined without the option. */
export function companyFilter(accounts: AccountsSnapshot, text: string | undefined): string | undefined {
  return text === undefined ? undefined : companyNamed(accounts, text).id
}

/** By id, else by name in Unicode or punycode. */
export function domainNamed(accounts: AccountsSnapshot, text: string): SendingDomain {
  const { domains } = accounts
  const found = domains.find(({ id }) => id === text) ?? domains.find(({ name }) => name === domainName(text))
  if (found) return found
  throw new CommandFailed(`there is no sending domain "${text}"; see: postroad domain list`)
}

/** A-label form. Throws CommandFailed when it is not a domain name. */
export function domainName(text: string): string {
  try {
    return parseDomain(text)
  } catch (error) {
    if (error instanceof AddressError) throw new CommandFailed(error.message)
    throw error
  }
}

/** The company's name for people; its id when it is gone. */
export function companyName(accounts: AccountsSnapshot, id: string): string {
  return accounts.companies.find((company) => company.id === id)?.name ?? id
}
