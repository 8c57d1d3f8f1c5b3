/**
 * The text that `serve` prints once it listens: its addresses, and the next commands. Plain lines, on a terminal and in
 * a pipe.
 */
import type { FirstStart } from '../operate/first-start.ts'

/** The addresses of the service. */
interface Places {
  url: string
  submission: { urls: readonly string[]; withoutLogin: readonly string[]; taken: readonly string[] }
  /** Signs the first operator in. */
  signInLink: string | null
}

/** The accounts that the first start created, with a line to paste for each way to use them. */
export function firstStartText(
  { url, submission, signInLink: link }: Places,
  { company, domain, token }: FirstStart,
): string {
  return `${link === null ? '' : `\nOpen the inbox: ${link}\n`}
Postroad listens on ${url}

This is the first start, in capture mode: every message is composed, signed and stored, and none leaves this machine.
To try it out, use the company "${company}", its domain ${domain} and this API key, which is shown only once:

  ${token}

Send through the JSON endpoint:

  curl ${url}/emails \\
    -H 'Authorization: Bearer ${token}' \\
    -H 'Content-Type: application/json' \\
    -d '{"from":"Acme <hello@${domain}>","to":"you@example.com","subject":"Hello","html":"<p>It <b>works</b>.</p>"}'

Send through the form endpoint:

  curl ${url}/v3/${domain}/messages \\
    -u 'api:${token}' \\
    -F from='Acme <hello@${domain}>' \\
    -F to=you@example.com \\
    -F subject=Hello \\
    -F text='It works.'

${smtpText(submission, company)}

Settings for Ghost, WordPress, Laravel and others are in the README.

Look at the result, with the id that the JSON endpoint returns:

  curl -H 'Authorization: Bearer ${token}' ${url}/emails/ID
  bin/postroad email list
  bin/postroad email show ID --raw

To deliver mail, set POSTROAD_DELIVERY (README, "Go live") and restart.

`
}

function smtpText({ urls, withoutLogin, taken }: Places['submission'], company: string): string {
  if (urls.length === 0) return noSmtpText(taken)
  const lines = urls.map((url) => {
    const { hostname, port, protocol } = new URL(url)
    const place = `  host ${hostname}, port ${port}`
    if (withoutLogin.includes(url)) return `${place}, no encryption, no user, no password`
    return `${place}${protocol === 'smtps:' ? ', TLS from the start' : ''}, user api, password: the API key`
  })
  const inbox =
    withoutLogin.length === 0
      ? []
      : ['', `Mail without a password belongs to "${company}", whatever its From.`]
  return ['Send over SMTP:', '', ...lines, ...inbox].join('\n')
}

function noSmtpText(taken: readonly string[]): string {
  const [first] = taken
  if (first === undefined)
    return 'Send over SMTP: set POSTROAD_SUBMISSION_LISTEN=smtp://127.0.0.1:2587 and restart.'
  const { hostname } = new URL(first)
  const ports = taken.map((url) => new URL(url).port).join(' and ')
  return (
    `SMTP is off, because another program has port ${ports}. To use another port, set\n` +
    `POSTROAD_SUBMISSION_LISTEN=smtp://${hostname}:1026?login=off and restart.`
  )
}

/**
 * For a service that delivers mail and has no company yet. `console`: the page that sets up the first one; null: it is
 * off, so commands do.
 */
export function firstStepsText({
  url,
  signInLink,
  console,
}: Pick<Places, 'url' | 'signInLink'> & { console: string | null }): string {
  return `
Postroad listens on ${url}

${signInLink === null ? setUpText(console) : setUpByLinkText(signInLink)}
`
}

function setUpByLinkText(link: string): string {
  return `Set up your company and its domain in the console, up to the first message. ${LINK_ABOUT}:

  ${link}
`
}

function setUpText(console: string | null): string {
  if (console !== null) {
    return `Set up your company and its domain in the console, up to the first message:

  ${console}
`
  }
  return `There is no company yet. In a second terminal, create the first company, domain and key:

  bin/postroad company create "My Company"
  bin/postroad domain add example.com --company "My Company"
  bin/postroad key create --company "My Company" --name first

The second command prints the DNS records to publish; \`bin/postroad domain verify example.com\` activates sending.
`
}

/** For a service that has companies, but nobody yet who could sign in. */
export function signInText(url: string, link: string): string {
  return `
Postroad listens on ${url}

Open the console. ${LINK_ABOUT}:

  ${link}

`
}

const LINK_ABOUT =
  'This link signs you in; it works once and expires in a day (bin/postroad user link prints another)'
