/** Advice for the operator about mail that does not arrive, based on the message of the last attempt. */
import { printLine } from './print.ts'

/** Advice by the messages of src/delivery, which name no setting because people of companies see them too. */
const ADVICE: readonly (readonly [said: RegExp, advice: string])[] = [
  [
    / refused our credentials /,
    'The relay refuses the login: correct the user and password in POSTROAD_DELIVERY (or with `postroad route set`) and restart the ' +
      'service. Then: postroad queue retry',
  ],
  [
    /^The name of the relay, /,
    'Correct the name of the relay in POSTROAD_DELIVERY (or with `postroad route set`) and restart the service. Then: ' +
      'postroad queue retry',
  ],
  [
    /^DNS: the MX look-?up /,
    'DNS does not answer: check that DNS works on this machine, or set POSTROAD_DNS_SERVERS to servers that answer. Then: ' +
      'postroad queue retry',
  ],
  [
    / (?:no|not a) public address\b| leads back to this service/,
    'Mail is delivered to public addresses only: set POSTROAD_ALLOW_PRIVATE_NETWORKS=true to deliver within your own network, ' +
      'or send it to a relay (POSTROAD_DELIVERY)',
  ],
  [
    /The proxy \S+ of the source address /,
    'The proxy to a source address fails. Check that it runs and accepts this machine, and its host, port, user and password in ' +
      'POSTROAD_SOURCE_ADDRESSES; postroad doctor asks it. The mail leaves by itself when it answers again',
  ],
  [
    /^(?!.*The proxy \S+ of the source address ).* (?:cannot be reached|refused the connection|accepted no connection in time|took too long over (?:connecting|its greeting))/,
    'No connection can be made. With a relay, check its host and port in POSTROAD_DELIVERY. With direct delivery, ' +
      'note that most hosting providers block port 25: ask yours to open it, or use a relay on port 587. Then: postroad queue retry',
  ],
]

/** For an email that was captured instead of sent. */
export const WAS_CAPTURED =
  'The email was captured: nothing left this machine. To deliver mail, set POSTROAD_DELIVERY (README, "Go live") and restart the service.'

/** For an installation in capture mode. */
export const CAPTURES =
  'POSTROAD_DELIVERY is "capture": until you change it and restart the service, all mail is captured and none is delivered.'

/** Prints a line for each kind of trouble among these messages. */
export function printDeliveryAdvice(messages: readonly (string | null)[]): void {
  const lines = ADVICE.filter(([said]) => messages.some((message) => message !== null && said.test(message)))
  for (const [, advice] of lines) {
    printLine()
    printLine(`${advice}.`)
  }
}
