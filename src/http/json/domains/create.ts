import { addDomain } from '../../../operate/domains.ts'
import { DOMAIN_NAME } from '../../bounds.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { DOMAIN_WITH_RECORDS, domainWithRecordsJson, OPTIONS, settingsIn } from './domain.ts'

export const createDomain = route('POST /domains', {
  operation: 'domain_create',
  access: 'management',
  operationId: 'createDomain',
  summary: 'Add a sending domain and get the DNS records to publish',
  body: {
    type: 'object',
    required: ['name'],
    examples: [{ name: 'mail.example.com', open_tracking: false }],
    properties: { name: { ...DOMAIN_NAME, minLength: 1 }, ...OPTIONS },
  },
  status: 201,
  answer: DOMAIN_WITH_RECORDS,
})(async ({ caller, body }, core) => {
  const settings = settingsIn(body)
  const op = await currentOperation(core, caller)
  const { domain, records } = await addDomain(op, { company: caller.companyId, name: body.name, settings })
  return domainWithRecordsJson(domain, records)
})
