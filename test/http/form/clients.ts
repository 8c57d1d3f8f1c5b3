/** Published clients of the form dialect, on a service under test. */
import { createRequire } from 'node:module'
import FormData from 'form-data'
import Mailgun from 'mailgun.js'

/** mailgun.js, the client of today. Its warnings about deprecated methods are not shown. */
export function newestClient(url: string, key: string) {
  console.warn = () => {}
  const client = new Mailgun(FormData).client({ username: 'api', key, url })
  return client as typeof client & { domains: { domainKeys: DomainKeys } }
}

/** It has them; its types have forgotten to say so. */
interface DomainKeys {
  list(domain: string): Promise<{ items: DomainKey[] }>
  listAll(query?: object): Promise<{ items: DomainKey[] }>
  create(data: { signingDomain: string; selector: string; bits?: string; pem?: string }): Promise<DomainKey>
  activate(domain: string, selector: string): Promise<Record<string, unknown>>
  deactivate(domain: string, selector: string): Promise<Record<string, unknown>>
  destroy(domain: string, selector: string): Promise<{ message: string }>
  updateDKIMSelector(domain: string, data: { dkimSelector: string }): Promise<{ message: string }>
  updateDKIMAuthority(domain: string, data: { self: string }): Promise<Record<string, unknown>>
}

export interface DomainKey {
  signing_domain: string
  selector: string
  dns_record: { name: string; value: string; is_active: boolean }
}

/** Of mailgun-js, which many applications still use: calls of any path. */
interface OldClient {
  get(path: string, data?: object): Promise<Record<string, unknown>>
  post(path: string, data?: object): Promise<Record<string, unknown>>
  put(path: string, data?: object): Promise<Record<string, unknown>>
  delete(path: string, data?: object): Promise<Record<string, unknown>>
  validateWebhook(timestamp: string, token: string, signature: string): boolean
}

export function oldClient(url: string, apiKey: string, domain: string): OldClient {
  const create = createRequire(import.meta.url)('mailgun-js') as (options: object) => OldClient
  const { hostname, port } = new URL(url)
  return create({ apiKey, domain, host: hostname, port: Number(port), protocol: 'http:' })
}
