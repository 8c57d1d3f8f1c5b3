/** The installation as a whole, for operators: nodes, pauses, disk space, and the busiest companies. */
import { showStorage } from '../../operate/backlog.ts'
import { createCompany } from '../../operate/companies.ts'
import { companyName } from '../../operate/find.ts'
import { listNodes } from '../../operate/nodes.ts'
import { showVolumeByCompany } from '../../operate/overview.ts'
import { listPauses, pause, resume } from '../../operate/pauses.ts'
import { isoTime } from '../../operate/shapes.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { currentOperationOf } from '../operation.ts'
import { INSTALLATION, PAUSE_SCOPE, SPAN, VOLUMES_SHOWN } from './contract/overview.ts'
import { DONE, NAMED } from './contract/shapes.ts'

const read = endpoint({
  method: 'GET',
  url: '/console/api/installation',
  operation: 'console_installation_read',
  access: 'operator',
  schema: {
    operationId: 'readInstallation',
    summary: 'Get nodes, pauses and free space',
    response: { 200: INSTALLATION },
  },
})(async ({ caller }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const [nodes, pauses, storage] = await Promise.all([
    listNodes(op, {}),
    listPauses(op, {}),
    showStorage(op, {}),
  ])
  const body = {
    nodes: nodes.map(({ name, roles, since }) => ({ name, roles, since: isoTime(since) })),
    pauses: pauses.map(({ companyId, domain, since }) => ({
      company: companyId === null ? null : { id: companyId, name: companyName(op, companyId) },
      domain,
      since: isoTime(since),
    })),
    storage,
  }
  return { status: 200, body }
})

const companies = endpoint({
  method: 'GET',
  url: '/console/api/installation/companies',
  operation: 'console_installation_read',
  access: 'operator',
  schema: {
    operationId: 'showVolumeByCompany',
    summary: 'List the companies that send most',
    querystring: {
      type: 'object',
      additionalProperties: false,
      required: ['span'],
      properties: { span: SPAN },
    },
    response: { 200: VOLUMES_SHOWN },
  },
})(async ({ caller, query: { span } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const { volumes } = await showVolumeByCompany(op, { span })
  const shown = volumes?.map(({ key, volume }) => ({ key, name: companyName(op, key), volume })) ?? null
  return { status: 200, body: { volumes: shown } }
})

const addCompany = endpoint({
  method: 'POST',
  url: '/console/api/installation/companies',
  operation: 'console_company_add',
  access: 'operator',
  schema: {
    operationId: 'createCompany',
    summary: 'Create a company',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: { name: { type: 'string', maxLength: 1_000 } },
    },
    response: { 200: NAMED },
  },
})(async ({ caller, body: { name } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const company = await createCompany(op, { name })
  return { status: 200, body: { id: company.id, name: company.name } }
})

const startPause = endpoint({
  method: 'POST',
  url: '/console/api/installation/pauses',
  operation: 'console_pause',
  access: 'operator',
  schema: {
    operationId: 'pause',
    summary: 'Pause mail',
    body: PAUSE_SCOPE,
    response: { 200: DONE },
  },
})(async ({ caller, body }, core) => {
  await pause(await currentOperationOf(core, caller.caller), scopeOf(body))
  return { status: 200, body: {} }
})

const endPause = endpoint({
  method: 'POST',
  url: '/console/api/installation/pauses/end',
  operation: 'console_pause',
  access: 'operator',
  schema: { operationId: 'resume', summary: 'Resume mail', body: PAUSE_SCOPE, response: { 200: DONE } },
})(async ({ caller, body }, core) => {
  await resume(await currentOperationOf(core, caller.caller), scopeOf(body))
  return { status: 200, body: {} }
})

function scopeOf({ company, domain }: { company: string | null; domain: string | null }) {
  return { company: company ?? undefined, domain: domain ?? undefined }
}

export const installationEndpoints: readonly Endpoint[] = [read, companies, addCompany, startPause, endPause]
