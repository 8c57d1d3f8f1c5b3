/** What `serve` prints once it listens: where it is, and what to type next. Plain lines, on a terminal as in a pipe. */
import type { Settings } from '../config/settings.ts'

export interface MadeUp {
  company: string
  domain: string
  token: string
}

export function afterStart(url: string, made: MadeUp | null, settings: Settings): string {
  if (made) return firstStart(url, made)
  return `\nPostroad listens on ${url} (delivery: ${settings.delivery.kind})\n\n`
}

function firstStart(url: string, { company, domain, token }: MadeUp): string {
  return `
Postroad listens on ${url}

This is the first start, in capture mode: every message is composed, signed and kept, and none leaves this machine.
To play with it there are the company "${company}", its domain ${domain}, and one API key, shown this once:

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

Look at the result, with the id that the JSON endpoint answers:

  curl -H 'Authorization: Bearer ${token}' ${url}/emails/ID
  bin/postroad email list
  bin/postroad email show ID --raw

`
}

/** Said by the service in \`direct\` and relay mode while there is no company yet. */
export function firstSteps(): string {
  return `
There is no company yet. Three commands set up the first company, domain and key (in a second terminal):

  bin/postroad company create "My Company"
  bin/postroad domain add example.com --company "My Company"
  bin/postroad key create --company "My Company" --name first

The second one prints the DNS records to publish; \`bin/postroad domain verify example.com\` makes sending active.

`
}
