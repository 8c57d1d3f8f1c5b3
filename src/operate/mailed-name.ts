/** Names in mail of the service, which carries the good name of the operator's domain. */
import { type Company, shownName } from '../accounts/account.ts'

/** Characters; a longer name is a message. */
const LONGEST = 80
/**
 * Mail programs make links of these: URLs, addresses, and names of hosts, whose dot may be an ideographic one (UTS #46
 * 4). Seven digits are a telephone number.
 */
const LINK = /@|:\/\/|\bwww\b|[\p{L}\p{N}-][.\u3002][\p{L}\p{N}]{2}|(?:\p{N}[\s().-]*){7}/iu

/** Whether a name that a stranger chose may stand in mail of the service: it is no link, and no message. */
export function isPlainName(name: string): boolean {
  return name.length <= LONGEST && !LINK.test(name.normalize('NFKC'))
}

/** The name that its owners chose, if it is plain, else the operator's. */
export function mailedName(company: Pick<Company, 'name' | 'ownName'>): string {
  const shown = shownName(company)
  return isPlainName(shown) ? shown : company.name
}
