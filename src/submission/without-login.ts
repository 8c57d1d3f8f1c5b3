/** Mail without a login (`?login=off`, in capture mode): it belongs to the oldest company. */
import { keylessSender } from '../accounts/account.ts'
import { acceptsMail } from '../accounts/sending.ts'
import type { Login, SessionContext } from './context.ts'
import { CommandRefusal, reply } from './reply.ts'

/** Throws CommandRefusal while no company may send, as in the first moments of a first start. */
export function keylessLogin({ address, parts }: SessionContext): Login {
  const { directory } = parts.ingress.deps.accounts
  const [oldest] = directory.companies()
  if (oldest === undefined) throw notYet('There is no company yet; create one: postroad company create NAME')
  const sends = directory.domains().some((domain) => domain.companyId === oldest.id && acceptsMail(domain))
  if (!sends) {
    throw notYet(
      'The first company has no domain that may send; activate one: postroad domain activate DOMAIN',
    )
  }
  return { principal: keylessSender(oldest.id, address), user: '' }
}

function notYet(text: string): CommandRefusal {
  return new CommandRefusal(reply(451, '4.3.0', text))
}
