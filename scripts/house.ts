/**
 * The places of src from top to bottom, and what each imports of the places below it. scripts/layers.ts holds the imports to this
 * list, and the table in docs/architecture/modules.md is made from it; with --check this program only says whether the table is
 * up to date.
 */
import { MarkedPage, table } from '../harness/marked-page.ts'
import { keepMade } from './made-files.ts'

export interface Place {
  /** A folder of src, or a file. */
  name: string
  about: string
  /** Places below it, or single files of them; `everything`: what puts the parts together. */
  imports: string[] | 'everything'
  /** Folders of it that do not import each other. */
  apart?: string[]
}

/** The words of several lines, as one list. */
export const words = (...lines: string[]) => lines.flatMap((line) => line.split(' '))

export const HOUSE: readonly Place[] = [
  {
    name: 'main.ts',
    about: 'the program: sets up V8, then hands over to the command line',
    imports: words('cli'),
  },
  {
    name: 'cli',
    about: 'commands: each parses, calls a verb, and prints',
    imports: words(
      'app.ts operate events/notices/types.ts accounts/account.ts accounts/dkim-delegation.ts accounts/dns-records.ts accounts/record-check.ts accounts/zone-file.ts',
      'email/category-word.ts email/classification.ts email/company-event.ts email/event.ts email/inbound-mail.ts email/stored-email.ts',
      'email/suppression.ts mail/reply/category.ts mail/report/read-report.ts mail/report/report.ts people log.ts config common version.ts',
    ),
  },
  {
    name: 'app.ts',
    about: 'starts the parts in order, and stops them in reverse',
    imports: 'everything',
  },
  {
    name: 'assembly',
    about: 'the steps of a start: each creates the parts of one subject, and says how they are stopped',
    imports: 'everything',
  },
  {
    name: 'submission',
    about:
      'the SMTP servers: submission (RFC 6409) with its logins and transactions, and the listener for mail that comes back',
    imports: words(
      'ingress inbound people/password-rule.ts intake accounts mail workers config network common',
    ),
  },
  {
    name: 'http',
    about:
      'the HTTP server and its APIs: the dialects `json/` and `form/`, `pages/`, the API of the console in `console/`',
    imports: words(
      'ingress operate inbound/arrived-mail.ts inbound/handed-in-mail.ts domain-reports intake events store/store.ts people accounts email mail workers loop-monitor.ts config network common',
    ),
    apart: ['json', 'form', 'pages', 'console'],
  },
  {
    name: 'ingress',
    about:
      'what HTTP and SMTP share: `admission/` shares connections, requests and memory; callers, rates, reading in workers, TLS, reasons for refusals; `message-form/` the fields and options of a message',
    imports: words(
      'operate intake events/search-turns.ts store/store.ts people accounts email mail workers loop-monitor.ts config network common',
    ),
  },
  {
    name: 'operate',
    about:
      'the verbs: actions of operators and members, one file for each noun, for every way in; authority, errors and JSON shapes',
    imports: words(
      'common/clip.ts common/required-tls.ts common/utc-day.ts queue/pauses.ts queue/present-sources.ts queue/site-closure.ts queue/site-states.ts delivery/path/mail-hosts.ts delivery/path/path.ts delivery/path/site-directory.ts',
      'delivery/path/present-addresses.ts delivery/path/source.ts delivery/path/source-choice.ts delivery/smtp/error.ts',
      'delivery/sites/site-block.ts delivery/sites/site-table.ts delivery/sites/sites-file.ts delivery/forecast/forecast.ts delivery/forecast/rehearsal.ts delivery/forecast/knock.ts',
      'delivery/mta-sts/fetch-policy.ts delivery/mta-sts/policy-directory.ts',
      'delivery/copy-job.ts delivery/delivery.ts delivery/message.ts delivery/prepare.ts',
      'delivery/signing-keys.ts delivery/weight.ts inbound/arrived-mail.ts inbound/receive-mail.ts events workers domain-reports/sent/day-report.ts',
      'store/store.ts store/open.ts store/backup.ts store/backup-note.ts store/schema.ts store/transfer/transfer.ts',
      'mailbox people accounts email mail dns config/settings.ts config/parse/delivery.ts config/parse/quantity.ts config/parse/value-error.ts config/own-url.ts config/relay-url.ts network',
      'common/chat-text.ts common/company-places.ts common/named-few.ts common/recent-entries.ts common/tally.ts common/logging.ts',
    ),
  },
  {
    name: 'mailbox',
    about: 'the bounce mailbox: reading a folder over IMAP, on one node at a time',
    imports: words(
      'inbound/arrived-mail.ts store/store.ts config/values.ts workers/error.ts network/connect-fault.ts common',
    ),
  },
  {
    name: 'inbound',
    about:
      'mail that comes back: reading it, finding the email that it is about, deciding whether it is believed, and what follows',
    imports: words(
      'domain-reports/received/report-receiver.ts store/store.ts accounts email mail workers dns network/address-range.ts network/private-address.ts common',
    ),
  },
  {
    name: 'queue',
    about:
      'when each delivery begins: claims, ready queues, unknown paths, session limits, closed paths, pauses, the retry schedule, the recording of results, and results under a lost lease; `pipeline.ts` has a picture of the states of a delivery',
    imports: words(
      'intake/handover.ts delivery cluster store/store.ts accounts email metrics.ts',
      'loop-monitor.ts common',
    ),
  },
  {
    name: 'domain-reports',
    about:
      'reports about domains: counting TLS sessions and sending reports about them (`sent/`), and taking in what receivers report (`received/`)',
    imports: words('store/store.ts people/attempts.ts accounts mail workers dns network common'),
  },
  {
    name: 'intake',
    about: 'from a submission to a durable email',
    imports: words('store/store.ts accounts mail workers metrics.ts network common'),
  },
  {
    name: 'events',
    about:
      'readers of the log of events: following it, once or durably under a name; searching and counting; `notices/` words events for the dialects, `webhooks/` sends them over HTTP',
    imports: words(
      'store/store.ts store/open.ts store/digest.ts store/latency.ts',
      'store/searched-words.ts accounts/seal.ts email',
      'mail threads dns network common',
    ),
  },
  {
    name: 'delivery',
    about:
      'one delivery, from its recipients to an answer: the client in `smtp/`, paths to servers in `path/`, how mail would leave now in `forecast/`, the judgement of answers in `judge/`, the ways out in `route/`, delivery threads in `thread/`, the isolated process in `isolation/`',
    imports: words(
      'cluster/sending-right.ts cluster/unrecorded-messages.ts store/store.ts accounts email mail workers',
      'threads dns config network common',
    ),
  },
  {
    name: 'cluster',
    about:
      'the nodes of a database: membership, heartbeats, the right to send, the claim on a name, the bound on unrecorded messages',
    imports: words('store/store.ts metrics.ts common'),
  },
  {
    name: 'store',
    about:
      'the interface `store.ts`, implemented in `sqlite/` and `postgres/`; `cold/` the operations that both share; conversions of the rows of both (`*-rows.ts`); `transfer/` from one to the other',
    imports: words('people accounts email mail threads config/settings.ts common'),
  },
  {
    name: 'people',
    about: 'people of the console: roles, credentials, sessions, audit entries; pure',
    imports: words('accounts/seal.ts common'),
  },
  {
    name: 'accounts',
    about:
      'companies, sending domains, API keys, sealed secrets, rights to send, routes of companies and domains; following their changes',
    imports: words('mail dns/organization.ts network common'),
  },
  {
    name: 'email',
    about: 'an email: its fields, declared once; its shapes (new, claimed, stored); its lifecycle',
    imports: words('mail common/required-tls.ts common/signed-tokens.ts'),
  },
  {
    name: 'mail',
    about:
      'the message itself, pure: `address/`, `header/`, `compose/`, `dkim/`, `text/` (from HTML), `raw/` (ready MIME), `batch/` (recipient variables), `reply/` (the words of servers and what they mean), `report/` (bounces, complaints and automatic replies), `return-path/` (the addresses to which bounces come back), `domain-report/` (DMARC aggregate reports and TLS reports)',
    imports: [],
  },
  {
    name: 'workers',
    about: 'threads for large work on input from strangers: memory limits, deadlines, turns by company',
    imports: words('threads common'),
  },
  {
    name: 'threads',
    about:
      'one supervised worker thread: started when needed, and again after it has ended; collects garbage after large work',
    imports: words('common'),
  },
  {
    name: 'dns',
    about: 'DNS look-ups that distinguish their failures, with a cache',
    imports: ['network/private-address.ts'],
  },
  {
    name: 'metrics.ts',
    about: 'the metrics for operators',
    imports: [],
  },
  {
    name: 'loop-monitor.ts',
    about: 'measures stalls of the main thread, and names the work that caused them',
    imports: words('common'),
  },
  {
    name: 'log.ts',
    about: 'the log',
    imports: words('config/settings.ts common'),
  },
  {
    name: 'config',
    about: 'the schema of settings, reading them from environment and files, and the division of memory',
    imports: words('network common/nearest-name.ts'),
  },
  {
    name: 'network',
    about:
      'IP addresses and ranges, and which are public; the one HTTP client for servers that strangers name (`outgoing.ts`); proxies, which name a client to us or connect for us (`proxy/`); TLS, and reading answers of strangers in turns',
    imports: words('common'),
  },
  {
    name: 'common',
    about:
      'small parts that several folders share and that know none of them: the clock, log throttling, the rule by which companies share (`shared-pool.ts`), turns (`company-turns.ts`; at the event loop `loop-turns.ts`) and places (`company-places.ts`), safe text for terminals (`visible-text.ts`) and for chats (`chat-text.ts`), signed tokens in URLs (`signed-tokens.ts`), the early release of buffers (`octets.ts`)',
    imports: [],
  },
  {
    name: 'version.ts',
    about: 'the version of the program',
    imports: [],
  },
]

/** The table of docs/architecture/modules.md. */
function houseTable(): string {
  const rows = HOUSE.map(({ name, about, imports }) => {
    const listed = imports === 'everything' ? imports : imports.map((entry) => `\`${entry}\``).join(', ')
    return [`\`src/${name}\``, about, listed || 'nothing']
  })
  return table(['Place', 'Subject', 'Imports'], rows)
}

/** The page that holds the table. */
export const housePage = new MarkedPage('docs/architecture/modules.md', 'scripts/house.ts', {
  house: houseTable,
})

if (import.meta.main) {
  keepMade('scripts/house.ts', {
    'docs/architecture/modules.md': housePage.madeAnew(housePage.read()),
  })
}
