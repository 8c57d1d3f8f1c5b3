/** A company with an active sending domain and a key for it, created with verbs, because each command would start a process. */
import { loadSettings } from '../../src/config/load.ts'
import { createCompany } from '../../src/operate/companies.ts'
import { activateDomain, addDomain } from '../../src/operate/domains.ts'
import { createKey } from '../../src/operate/keys.ts'
import { openOperation } from '../../src/operate/open.ts'
import { keysOfRecords, type PrintedRecord, type PublishedKeys } from '../verify-dkim.ts'

export interface Tenant {
  companyId: string
  domain: string
  token: string
  keys: PublishedKeys
  /** The DNS records that its domain has to publish. */
  records: PrintedRecord[]
}

/** `environment`: that of the service; a relative path of its database is one in `directory`. */
export async function makeTenant(
  environment: NodeJS.ProcessEnv,
  directory: string,
  { domain, company }: { domain: string; company: string },
): Promise<Tenant> {
  const url = environment.POSTROAD_DATABASE_URL!.replace(/^sqlite:(?!\/)/, `sqlite:${directory}/`)
  const settings = loadSettings({ ...environment, POSTROAD_DATABASE_URL: url }, { envFile: null })
  await using op = await openOperation(settings, { make: true })
  const again = async () => Object.assign(op, { accounts: await op.store.accounts() })
  const { id: companyId } = await createCompany(op, { name: company })
  const { records } = await addDomain(await again(), { company: companyId, name: domain })
  await activateDomain(await again(), { domain })
  const { token } = await createKey(await again(), { company: companyId, name: 'test' })
  return { companyId, domain, token, keys: keysOfRecords(records), records }
}
