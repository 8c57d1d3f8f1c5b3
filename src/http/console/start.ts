/** The first steps: a test message, and the remaining tasks before mail arrives elsewhere. */

import { acceptsMail } from '../../accounts/sending.ts'
import { listDomains } from '../../operate/domains.ts'
import { checkCompanyStep, checkInstallationStep } from '../../operate/go-live/go-live.ts'
import { ID } from '../bounds.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { currentOperationOf } from '../operation.ts'
import { MOST_LISTED } from './contract/shapes.ts'
import { SENDERS, SENT, STEP, STEP_NAME, TEST_MESSAGE } from './contract/start.ts'
import { senderOf } from './sender.ts'

const COMPANY = {
  type: 'object',
  required: ['company'],
  properties: { company: ID },
} as const

const readSenders = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/senders',
  operation: 'console_start',
  access: 'company',
  schema: {
    operationId: 'readSenders',
    summary: 'List the domains that can send',
    params: COMPANY,
    response: { 200: SENDERS },
  },
})(async ({ caller }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const domains = await listDomains(op, { company: caller.company ?? undefined })
  const active = domains.filter(acceptsMail).map(({ name }) => name)
  return { status: 200, body: { domains: active.slice(0, MOST_LISTED) } }
})

const sendTest = endpoint({
  method: 'POST',
  url: '/console/api/companies/:company/messages',
  operation: 'console_send',
  access: 'company',
  schema: {
    operationId: 'sendTestMessage',
    summary: 'Send a test message',
    params: COMPANY,
    body: TEST_MESSAGE,
    response: { 200: SENT },
  },
})(async ({ caller, body, request }, core) => {
  const { from, to, subject, html, text } = body
  const { id } = await core.deps.intake.submit(senderOf(core, request.raw, caller), {
    from,
    subject,
    to: [to],
    cc: [],
    bcc: [],
    replyTo: [],
    headers: [],
    attachments: [],
    tags: [],
    variables: {},
    testMode: false,
    ...(html !== undefined && { html }),
    ...(text !== undefined && { text }),
  })
  return { status: 200, body: { id } }
})

const companyStep = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/steps/:step',
  operation: 'console_start',
  access: 'company',
  schema: {
    operationId: 'checkCompanyStep',
    summary: 'Check a go-live step of a company',
    params: {
      type: 'object',
      required: ['company', 'step'],
      properties: { company: ID, step: STEP_NAME },
    },
    response: { 200: STEP },
  },
})(async ({ caller, params: { company, step } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  return { status: 200, body: await checkCompanyStep(op, { company, step }) }
})

const installationStep = endpoint({
  method: 'GET',
  url: '/console/api/installation/steps/:step',
  operation: 'console_start',
  access: 'operator',
  schema: {
    operationId: 'checkInstallationStep',
    summary: 'Check a go-live step of the installation',
    params: { type: 'object', required: ['step'], properties: { step: STEP_NAME } },
    response: { 200: STEP },
  },
})(async ({ caller, params: { step } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  return { status: 200, body: await checkInstallationStep(op, { step }) }
})

export const startEndpoints: readonly Endpoint[] = [readSenders, sendTest, companyStep, installationStep]
