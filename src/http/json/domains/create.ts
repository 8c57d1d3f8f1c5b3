import { addDomain } from '../../../operate/domains.ts'
import { DOMAIN_NAME } from '../../bounds.ts'
import { endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { DOMAIN_WITH_RECORDS, domainWithRecordsJson, OPTIONS, settingsIn } from './domain.ts'

export const createDomain = endpoint({
  method: 'POST',
  url: '/domains',
  operation: 'domain_create',
  access: 'management',
  schema: {
    operationId: 'createDomain',
    summary: 'Add a sending domain and get the DNS records to publish',
    body: {
      type: 'object',
      required: ['name'],
      examples: [{ name: 'mail.example.com', open_tracking: false }],
      properties: { name: { ...DOMAIN_NAME, minLength: 1 }, ...OPTIONS },
    },
    response: { 201: DOMAIN_WITH_RECORDS },
  },
})(async ({ caller, body }, core) => {
  const settings = settingsIn(body)
  const op = await currentOperation(core, caller)
  const { domain, records } = await addDomain(op, { company: caller.companyId, name: body.name, settings })
  return { status: 201, body: domainWithRecordsJson(domain, records) }
})
