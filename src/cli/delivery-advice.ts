/** What an operator can do about mail that does not arrive: from what the last attempt said. */
import { printLine } from './print.ts'

/** By the sentences of src/delivery, which go to people of companies as well and name no setting. */
const ADVICE: readonly (readonly [said: RegExp, advice: string])[] = [
  [
    / refused our credentials /,
    'The relay refuses the login: correct user and password in POSTROAD_DELIVERY (or `postroad route set`) and start the ' +
      'service again. Then: postroad queue retry',
  ],
  [
    /^The name of the relay, /,
    'Correct the name of the relay in POSTROAD_DELIVERY (or `postroad route set`) and start the service again. Then: ' +
      'postroad queue retry',
  ],
  [
    /^DNS: the MX look-up /,
    'DNS gives no answer: see whether this machine has DNS, or name servers that answer in POSTROAD_DNS_SERVERS. Then: ' +
      'postroad queue retry',
  ],
  [
    / is not a public address | is an address of this machine itself/,
    'Mail goes to public addresses only: set POSTROAD_ALLOW_PRIVATE_NETWORKS=true to deliver within a network of your own, ' +
      'or send it to a relay (POSTROAD_DELIVERY)',
  ],
  [
    / cannot be reached: | took too long over (?:connecting|its greeting)/,
    'No connection is made: correct host and port of the relay in POSTROAD_DELIVERY. Where mail goes out directly, ' +
      'most hosting providers block port 25: ask yours to open it, or use a relay on port 587. Then: postroad queue retry',
  ],
]

/** Of an email that was composed and kept, and that was all. */
export const WAS_CAPTURED =
  'It was captured: nothing left this machine. To deliver mail, set POSTROAD_DELIVERY (README, "Go live") and start the service again.'

/** Where the settings say so. */
export const CAPTURES =
  'POSTROAD_DELIVERY is capture: until the service runs with another one, all mail is captured and none leaves.'

/** For people: a line for each kind of trouble among these answers. */
export function printDeliveryAdvice(messages: readonly (string | null)[]): void {
  const lines = ADVICE.filter(([said]) => messages.some((message) => message !== null && said.test(message)))
  for (const [, advice] of lines) {
    printLine()
    printLine(`${advice}.`)
  }
}
