/** Published clients of the form dialect, on a service under test. */
import { createRequire } from 'node:module'
import FormData from 'form-data'
import Mailgun from 'mailgun.js'

/** mailgun.js, the client of today. What it says of methods that it calls deprecated is not shown. */
export function newestClient(url: string, key: string) {
  console.warn = () => {}
  return new Mailgun(FormData).client({ username: 'api', key, url })
}

/** Of mailgun-js, which many applications still use: calls of any path. */
interface OldClient {
  get(path: string, data?: object): Promise<Record<string, unknown>>
  post(path: string, data?: object): Promise<Record<string, unknown>>
  put(path: string, data?: object): Promise<Record<string, unknown>>
  delete(path: string, data?: object): Promise<Record<string, unknown>>
}

export function oldClient(url: string, apiKey: string, domain: string): OldClient {
  const create = createRequire(import.meta.url)('mailgun-js') as (options: object) => OldClient
  const { hostname, port } = new URL(url)
  return create({ apiKey, domain, host: hostname, port: Number(port), protocol: 'http:' })
}
