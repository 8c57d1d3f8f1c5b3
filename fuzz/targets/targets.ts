/** All targets, by name: one for each parser that meets what strangers send. */
import type { FuzzTarget } from '../target.ts'
import { address } from './address.ts'
import { csv } from './csv.ts'
import { dnsAnswer } from './dns-answer.ts'
import { domainReport } from './domain-report.ts'
import { emailSearch } from './email-search.ts'
import { eventFilter } from './event-filter.ts'
import { header } from './header.ts'
import { html } from './html.ts'
import { json } from './json.ts'
import { metricsQuery } from './metrics-query.ts'
import { mime } from './mime.ts'
import { mtaSts } from './mta-sts.ts'
import { multipart } from './multipart.ts'
import { phrase } from './phrase.ts'
import { preview } from './preview.ts'
import { proxyHeader } from './proxy-header.ts'
import { recipientVariables } from './recipient-variables.ts'
import { report } from './report.ts'
import { signInProof } from './sign-in-proof.ts'
import { sites } from './sites.ts'
import { smtpCommand } from './smtp-command.ts'
import { smtpData } from './smtp-data.ts'
import { smtpReply } from './smtp-reply.ts'
import { smtpSession } from './smtp-session.ts'
import { tlsa } from './tlsa.ts'
import { urlencoded } from './urlencoded.ts'

export const TARGETS: Readonly<Record<string, FuzzTarget>> = Object.fromEntries(
  [
    address,
    header,
    mime,
    multipart,
    urlencoded,
    json,
    phrase,
    recipientVariables,
    report,
    html,
    signInProof,
    preview,
    smtpReply,
    smtpCommand,
    smtpData,
    smtpSession,
    proxyHeader,
    dnsAnswer,
    domainReport,
    mtaSts,
    sites,
    tlsa,
    emailSearch,
    eventFilter,
    metricsQuery,
    csv,
  ].map((target) => [target.name, target]),
)
